"""Aligned form of a protocol, as in Faial: no access leaks over the border of an iteration that synchronises.

A loop `for k { A; barrier; B }` becomes `A[k = 0]; for k in 1… { barrier; B[k - 1]; A }; barrier; B[k = last]`
(CAV 2021, section 4): cut at its barriers, every part then holds all accesses that can run together.
`phases` decides by the same alignment, as a relation between iterations; this form is for people to read.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hgrd.protocol.model import Access, Arrival, Barrier, CopyStep, Exit, Fence, Gap, Item, Protocol, ProtocolLoop
from hgrd.protocol.printer import print_items
from hgrd.protocol.ring_events import RingEvent
from hgrd.terms import Symbol, Term, add, const, show, substitute, var


class Rotated(Struct, frozen=True):
    """Rotated loop, which begins with a barrier: iterations binder = 1, 2, …; `guards` hold at entry."""

    binder: Symbol
    guards: tuple[Term, ...]
    items: tuple[Aligned, ...]
    line: int


Aligned = Item | Rotated


def aligned(items: tuple[Item, ...]) -> tuple[Aligned, ...]:
    """Items with every loop that synchronises a block rotated, inner loops first."""
    found: list[Aligned] = []
    for item in items:
        if isinstance(item, ProtocolLoop) and synchronises(item):
            found += _rotated(item)
        else:
            found.append(item)
    return tuple(found)


def synchronises(item: Item) -> bool:
    """Whether the item contains a barrier of the block."""
    match item:
        case Barrier():
            return item.of_block
        case ProtocolLoop(items=inner):
            return any(map(synchronises, inner))
        case _:
            return False


def _rotated(loop: ProtocolLoop) -> list[Aligned]:
    body = aligned(loop.items)
    border = next(i for i, item in enumerate(body) if isinstance(item, Rotated) or synchronises(item))
    head, tail = body[:border], body[border:]
    binder = loop.binder
    last = add(var(loop.count), const(-1))
    inside = (*_at(tail, binder, add(var(binder), const(-1))), *head)
    return [
        *_at(head, binder, const(0)),
        Rotated(binder, loop.guards, inside, loop.span.line),
        *_at(tail, binder, last),
    ]


def _at(items: tuple[Aligned, ...], binder: Symbol, value: Term) -> tuple[Aligned, ...]:
    """Items as they are in another iteration."""

    def there(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return substitute(terms, {binder: value})

    def moved(term: Term | None) -> Term | None:
        return None if term is None else there((term,))[0]

    found: list[Aligned] = []
    for item in items:
        guards = there(item.guards)
        match item:
            case Access():
                (offset,) = there((item.offset,))
                endings, beginnings = there(item.endings), there(item.beginnings)
                found.append(replace(item, offset=offset, guards=guards, endings=endings, beginnings=beginnings))
            case Rotated():
                found.append(replace(item, guards=guards, items=_at(item.items, binder, value)))
            case ProtocolLoop():
                inner = tuple(i for i in _at(item.items, binder, value) if not isinstance(i, Rotated))
                found.append(replace(item, guards=guards, tests=there(item.tests), items=inner))
            case RingEvent(arrival=one, waits=two):
                found.append(replace(item, guards=guards, arrival=moved(one), waits=moved(two)))
            case Arrival() | Barrier() | CopyStep() | Exit() | Fence() | Gap():
                found.append(replace(item, guards=guards))
    return tuple(found)


def print_aligned(protocol: Protocol) -> str:
    """Printed aligned form, a line for each item as in `hgrd show protocol`; rotated loops say so."""
    head = f"kernel {protocol.kernel} at {protocol.span}"
    return "\n".join((head, *_lines(aligned(protocol.items), 1))) + "\n"


def _lines(items: tuple[Aligned, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for item in items:
        match item:
            case Rotated():
                guards = " && ".join(show(g) for g in item.guards)
                when = f" when {guards}" if guards else ""
                lines.append(f"{'  ' * depth}loop {item.binder.name} in 1..{item.binder.high}{when}  // {item.line}")
                lines += _lines(item.items, depth + 1)
            case _:
                lines += print_items((item,), depth)
    return lines
