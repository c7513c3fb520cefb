"""Protocols as text: `hgrd show protocol`."""

from __future__ import annotations

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.protocol.model import Access, Arrival, Barrier, CopyStep, Exit, Fence, Gap, Item, Protocol, ProtocolLoop
from hgrd.protocol.ring_events import RingEvent
from hgrd.terms import TRUE, Term, conj, show


def print_protocol(protocol: Protocol) -> str:
    """Printed protocol, a line for each item; conditions that an enclosing loop states are not repeated."""
    c = protocol.configuration
    lines = [
        f"kernel {protocol.kernel} at {protocol.span}",
        f"  grid ({', '.join(map(show, c.grid))}) block ({', '.join(map(show, c.block))})",
    ]
    lines += [f"  fact {show(f.term)}  // {f.span}" for f in c.facts if f.term is not TRUE]
    lines += print_items(protocol.items, 1)
    lines += [f"  gap: {g.reason}  // {g.span}" for g in protocol.gaps]
    return "\n".join(lines) + "\n"


def print_items(items: tuple[Item, ...], depth: int, known: frozenset[Term] = frozenset()) -> list[str]:
    """Lines of some items; `known` conditions are not repeated."""
    pad = "  " * depth
    lines: list[str] = []
    for item in items:
        endings = item.endings if isinstance(item, Access) else ()
        guards = [g for g in (*item.guards, *endings) if g not in known]
        when = f" when {show(conj(*guards))}" if guards else ""
        match item:
            case Access():
                scope = "" if item.scope is None else f".{item.scope.value}{_order(item.order)}"
                what = f"{item.kind.value}{scope} {item.space.value} {item.target.name} at {show(item.offset)}"
                lines.append(f"{pad}{what} size {item.size}{when}  // {item.span.line}:{item.span.column}")
            case Barrier():
                lines.append(f"{pad}{_barrier(item)}{when}  // {item.span.line}")
            case Arrival(name=name):
                lines.append(f"{pad}arrive at the barrier of {name}{when}  // {item.span.line}")
            case RingEvent():
                lines.append(f"{pad}{_event(item)}{when}  // {item.span.line}")
            case CopyStep():
                lines.append(f"{pad}asynchronous copies{when}  // {item.span.line}")
            case Gap():
                lines.append(f"{pad}not understood{when}: {item.reason}  // {item.span.line}")
            case Exit(aborts=aborts):
                lines.append(f"{pad}{'abort' if aborts else 'exit'}{when}  // {item.span.line}")
            case Fence():
                order = "" if item.order is StdMemoryOrder.SEQ_CST else _order(item.order)
                lines.append(f"{pad}fence {item.scope.value}{order}{when}  // {item.span.line}")
            case ProtocolLoop():
                open_end = ", until a test that is not known" if item.untold else ""
                lines.append(
                    f"{pad}loop {item.binder.name} in 0..{item.binder.high}{open_end}{when}  // {item.span.line}"
                )
                lines += print_items(item.items, depth + 1, known | frozenset(item.guards))
    return lines


def _order(order: StdMemoryOrder) -> str:
    return "" if order is StdMemoryOrder.RELAXED else f".{order.name.lower()}"


def _event(event: RingEvent) -> str:
    arrives = "" if event.arrival is None else f" arrive, {show(event.arrival)}"
    waits = "" if event.waits is None else f" wait for {show(event.waits)}"
    return f"ring {event.ring}:{arrives}{waits}"


def _barrier(barrier: Barrier) -> str:
    mask = f" mask {show(barrier.mask)}" if barrier.mask is not None else ""
    tile = f" tile {show(barrier.tile)}" if barrier.tile is not None else ""
    what = "barrier" if barrier.arrival is None else "wait at the barrier"
    return f"{what} {barrier.scope.value}{mask}{tile}"
