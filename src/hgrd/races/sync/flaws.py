"""Why a lock, a flag or a counter that is there does not order two accesses: the usual mistakes, with codes.

HGRD, section 5.2; CUDA Programming Guide, "Memory Fence Functions" and "Atomic Functions" (scopes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, Scope, needed_scope
from hgrd.findings.rules import MISSING_FENCE, NARROW_SCOPE, PLAIN_LOCK_ACCESS, UNGUARDED_DELEGATE
from hgrd.protocol.model import Access
from hgrd.races.sync.acquire_release import Acquire, Handshakes, Release, reads_volatile
from hgrd.races.sync.arrival_counters import needs_no_fence
from hgrd.races.sync.locks import takes_lock
from hgrd.races.sync.synchronization import Handshaking
from hgrd.terms import TRUE


class Flaw(Struct, frozen=True):
    """A mistake in synchronisation: the code of its rule, and what it is in words."""

    rule: str
    text: str


def flaw(handshaking: Handshaking, a: Access, b: Access, level: Level) -> Flaw | None:
    """What keeps the synchronisation around two racing accesses from ordering them."""
    needed = needed_scope(level)
    return next(
        (
            found
            for before, after in ((a, b), (b, a))
            for found in (
                *_of_locks(handshaking.handshakes, before, after, needed),
                *_of_flags(handshaking, before, after, needed),
                *_of_counters(handshaking, before, after, needed),
            )
        ),
        _of_lock_words(handshaking.handshakes, a, b),
    )


def _of_lock_words(handshakes: Handshakes, a: Access, b: Access) -> Flaw | None:
    atomic = [x for x in (a, b) if x.kind is AccessKind.ATOMIC and x.operation in ("cas", "exch")]
    plain = [x for x in (a, b) if x.kind is not AccessKind.ATOMIC and not x.volatile]
    if not atomic or not plain:
        return None
    text = f"line {plain[0].span.line} accesses {a.target.name}, which others lock with atomics, without one"
    return Flaw(PLAIN_LOCK_ACCESS.code, text)


def _of_locks(handshakes: Handshakes, a: Access, b: Access, needed: Scope) -> Iterator[Flaw]:
    """Both hold a lock of the same object; what is wrong about how `a` does."""
    mine, others = ([q for q in handshakes.acquires(x) if takes_lock(q) and not q.delegated] for x in (a, b))
    shared = {q.seen.target.key for q in mine} & {q.seen.target.key for q in others}
    for key in sorted(shared):
        taking = [q for q in mine if q.seen.target.key == key]
        giving = [r for r in handshakes.releases(a) if r.write.target.key == key and r.write.number != a.number]
        what = f"the lock {taking[0].seen.target.name} would order the two"
        yield from _missing(what, "taking it", "giving it back", (taking, giving), a, needed)


def _of_flags(handshaking: Handshaking, before: Access, after: Access, needed: Scope) -> Iterator[Flaw]:
    for wait in handshaking.flags.waits(before, after, fenced=False):
        what = f"waiting for {wait.acquire.seen.target.name} would order the two"
        alike = [q for q in handshaking.handshakes.acquires(after) if q.symbol == wait.acquire.symbol]
        if not reads_volatile(after):
            yield from _missing(what, "the wait", "", (alike, ()), after, needed)
        yield from _missing(what, "", "writing it", ((), wait.releases), before, needed)


def _of_counters(handshaking: Handshaking, before: Access, after: Access, needed: Scope) -> Iterator[Flaw]:
    for acquire, counting in handshaking.counters.meetings(before, after):
        what = f"the counter {acquire.seen.target.name} would order the two"
        alike = [q for q in handshaking.handshakes.acquires(after) if q.symbol == acquire.symbol]
        arriving = [r for r in handshaking.handshakes.releases(before) if r.write.number == counting.arrival.number]
        if not needs_no_fence(after, acquire, counting):
            yield from _missing(what, "reading it", "", (alike, ()), after, needed)
        yield from _missing(what, "", "adding to it", ((), arriving), before, needed)
        yield from _left_out(handshaking, before, after, acquire, arriving)


def _left_out(
    handshaking: Handshaking, before: Access, after: Access, acquire: Acquire, arriving: Sequence[Release]
) -> Iterator[Flaw]:
    """One thread arrives, or waits, for its block, and the others do not wait for it."""
    handshakes, counter = handshaking.handshakes, acquire.seen.target.name
    if not any(r.when is TRUE for r in arriving) and not any(handshakes.delegates(before, r.spot) for r in arriving):
        line = arriving[0].write.span.line
        text = f"one thread of the block arrives at {counter} in line {line}, but no barrier before makes it wait for"
        yield Flaw(UNGUARDED_DELEGATE.code, f"{text} what the others do in line {before.span.line}")
    if not acquire.delegated and acquire.when is not TRUE:
        line = acquire.seen.span.line
        text = (
            f"one thread of the block waits for {counter} in line {line}, but no barrier behind makes the others wait"
        )
        yield Flaw(UNGUARDED_DELEGATE.code, f"{text} before line {after.span.line}")


def _missing(
    what: str,
    acquiring: str,
    releasing: str,
    ways: tuple[Sequence[Acquire], Sequence[Release]],
    access: Access,
    needed: Scope,
) -> Iterator[Flaw]:
    acquires, releases = ways
    here = access.span.line
    if acquires and not any(q.fenced for q in acquires):
        line = acquires[0].seen.span.line
        yield Flaw(
            MISSING_FENCE.code, f"{what}, but no fence stands between {acquiring} in line {line} and line {here}"
        )
    elif acquires and not any(q.fenced and q.scope.includes(needed) for q in acquires):
        line = acquires[0].seen.span.line
        yield Flaw(
            NARROW_SCOPE.code, f"{what}, but {acquiring} in line {line}, or the fence behind it, is of a block only"
        )
    if releases and not any(r.fenced for r in releases):
        line = releases[0].write.span.line
        yield Flaw(
            MISSING_FENCE.code, f"{what}, but no fence stands between line {here} and {releasing} in line {line}"
        )
    elif releases and not any(r.fenced and r.scope.includes(needed) for r in releases):
        line = releases[0].write.span.line
        yield Flaw(
            NARROW_SCOPE.code, f"{what}, but {releasing} in line {line}, or the fence before it, is of a block only"
        )
