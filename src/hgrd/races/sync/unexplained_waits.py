"""Waits that no idiom explains: something written after one access that another one may have waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.protocol.model import Access, Fence, Gap
from hgrd.races.acquire_release.accesses import exclude, modifies
from hgrd.races.acquire_release.alternatives import alternatives
from hgrd.races.acquire_release.events import Acquire, AcquireRelease
from hgrd.races.acquire_release.program_order import Position, may_follow, meeting
from hgrd.terms import Origin, symbols_of

_MOVING = {Origin.DATA, Origin.COMPUTED, Origin.UNKNOWN, Origin.LOOP}


def unexplained_wait(
    events: AcquireRelease, before: Access, after: Access, explained: Callable[[Acquire], bool]
) -> Access | None:
    """A write after `before` for which `after` may have waited without explanation; None if there is none."""
    here, there = (events.order.of(x) for x in (after, before))
    unknown = [q for q in events.acquires(after) if _waits(q, here) and not explained(q)]
    waited = {q.seen.target.key for q in unknown}
    own = [q.position for q in unknown]
    for tests in alternatives(events, after):
        if any(_spins(position) for _, _, position in tests):
            waited |= {events.observations.of(symbol).target.key for symbol, _, _ in tests}
    waited |= _looked_for_in_loops(events, after)
    for position in events.order.positions if waited else ():
        match position.item:
            case Access() as write if write.target.key in waited and modifies(write) and position not in own:
                if may_follow(position, there) and not exclude(write, before):
                    return write
            case _:
                pass
    return None


def _looked_for_in_loops(events: AcquireRelease, after: Access) -> set[str]:
    """Flags that the thread may have waited for in earlier iterations, where the conditions of `after` tell nothing."""
    order = events.order
    here, known = order.of(after), [q.position for q in events.acquires(after)]
    seen = {(o.span, o.stack) for o in events.protocol.symbols.observed.values()}
    return {
        p.item.target.key
        for p in order.positions
        if isinstance(p.item, Access) and (p.item.span, p.item.stack) in seen and not modifies(p.item)
        if _spins(p) and p.depth > meeting(p, here) + 1 and may_follow(here, p)
        if p not in known and not exclude(p.item, after)
    }


def looked_at(events: AcquireRelease, after: Access) -> Iterator[str]:
    """What a thread has looked at in loops before an access, or may have in parts that are not understood, in words.

    It may also be one of several objects, where the access depends on what was found there.
    """
    here, needed = events.order.of(after), symbols_of(after.offset, *after.guards)
    observed = events.protocol.symbols.observed
    for position in events.order.positions:
        match position.item:
            case Access(kind=kind, volatile=volatile) as access if kind is AccessKind.ATOMIC or volatile:
                found = access.result
                told = found is not None and found in needed and found.name not in observed
                looks = told or (found is not None and position.depth > 0)
                if looks and may_follow(here, position) and not exclude(access, after):
                    yield access.target.name
            case Gap(may_order=True, span=span) if may_follow(here, position):
                yield f"what is not understood in line {span.line}"
            case _:
                pass


def looks_beyond_block(events: AcquireRelease) -> bool:
    """Whether a thread may learn from memory what other blocks have done, at any place of the kernel."""
    return any(
        isinstance(item, Gap) or (isinstance(item, Access) and item.space is Space.GLOBAL and _looks(item))
        for item in (position.item for position in events.order.positions)
    )


def _looks(access: Access) -> bool:
    return access.kind is AccessKind.ATOMIC or access.volatile


def _waits(acquire: Acquire, here: Position) -> bool:
    """Whether the acquire is a loop that does nothing else until it succeeds, or tells which thread comes last."""
    if acquire.position.depth <= meeting(acquire.position, here):
        return acquire.delegated and acquire.seen.operation in ("add", "inc", "dec", "sub")
    loop = acquire.position.around[-1]
    return all(
        isinstance(i, Fence) or (isinstance(i, Access) and i.target.key == acquire.seen.target.key) for i in loop.items
    )


def _spins(position: Position) -> bool:
    """Whether the innermost loop around the access does nothing else, always at one place."""
    access = position.item
    if not position.around or not isinstance(access, Access):
        return False
    moves = any(s.origin in _MOVING for s in symbols_of(access.offset))
    return not moves and all(
        isinstance(i, Fence) or (isinstance(i, Access) and i.offset is access.offset) for i in position.around[-1].items
    )
