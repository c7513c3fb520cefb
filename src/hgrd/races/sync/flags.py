"""Flags: writes of a producer before it sets a flag are visible to a consumer that has waited for the flag.

`data = …; __threadfence(); atomicExch(&flag, 1)` against `while (atomicAdd(&flag, 0) != 1); __threadfence();
… = data` (HGRD, section 5.2; CUDA Programming Guide, "Memory Fence Functions").  The wait shows that
one thread has set the flag if no other thread can have stored the value that ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Level, Scope, narrowest, needed_scope
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Observation, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.acquire_release.accesses import exclude, known_at, reads_volatile, scope_of
from hgrd.races.acquire_release.events import Acquire, AcquireRelease, Release
from hgrd.races.acquire_release.flaws import Flaw, acquire_flaws, release_flaws
from hgrd.races.acquire_release.program_order import certain, may_follow
from hgrd.races.sync.context import SyncContext
from hgrd.races.sync.idiom import Idiom
from hgrd.races.sync.interference import THIRD, Interference
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.symbolic.values import MemorySpace
from hgrd.terms import TRUE, Term, conj, const, disj, eq, lt, mul, negate, substitute, symbols_of, var
from hgrd.terms.linear import difference


class Wait(Struct, frozen=True):
    """Wait for a flag: an acquire before the second access, and the releases after the first that can end it."""

    acquire: Acquire
    releases: tuple[Release, ...]


class Flags(Idiom):
    """Message passing by flags."""

    def __init__(self, known: SyncContext) -> None:
        self._events = known.events
        self._endings = known.endings

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither thread has waited for the other one."""
        return self._neither(a, b, threads, level, self.waits)

    def without_third_party(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither has waited for what the other one sets after its access, and others may set after similar ones."""
        return self._neither(a, b, threads, level, self._shared_waits)

    def _neither(
        self,
        a: Access,
        b: Access,
        threads: ThreadPair,
        level: Level | None,
        waits: Callable[[Access, Access], Iterator[Wait]],
    ) -> tuple[Term, ...]:
        needed = needed_scope(level)
        return (
            *self._not_waited(waits(a, b), (Side.FIRST, Side.SECOND), threads, needed),
            *self._not_waited(waits(b, a), (Side.SECOND, Side.FIRST), threads, needed),
        )

    def _not_waited(
        self, waits: Iterator[Wait], parties: tuple[Side, Side], threads: ThreadPair, needed: Scope
    ) -> Iterator[Term]:
        """The second party has not waited for the first one, in none of the waits, or another block came in between."""
        for wait in waits:
            acquire = wait.acquire
            if acquire.seen.target.space is MemorySpace.SHARED and not threads.same_block:
                continue
            when, place = threads.of((acquire.when, acquire.offset), parties[1])
            set_by_other = [
                conj(done, eq(where, place), negate(_taken_up_elsewhere(self._events, r, acquire, place, threads)))
                for r in wait.releases
                if r.reaches(replace(acquire, fenced=True), needed)
                for done, where in [threads.of((r.when, r.offset), parties[0])]
            ]
            if set_by_other:
                yield negate(conj(when, disj(*set_by_other)))

    # ------------------------------------------------------------ waits

    def waits(self, before: Access, after: Access, *, fenced: bool = True) -> Iterator[Wait]:
        """The waits of `after` that only releases after `before` end; `fenced`: with a fence where one is needed."""
        releases = self._events.releases(before)
        if not releases:
            return
        for acquire in self._events.acquires(after):
            if self._endings.ended_from_the_start(acquire):
                continue
            if fenced and not (acquire.fenced or reads_volatile(after)):
                continue
            ending = self._endings.writes(acquire)
            found = tuple(r for r in releases if r.write in ending)
            all_found = {r.write.number for r in found} == {w.number for w in ending}
            if ending and all_found and self._endings.by_one_thread(ending):
                yield Wait(acquire, found)

    def _shared_waits(self, before: Access, after: Access) -> Iterator[Wait]:
        """The waits of `after`, with a fence, that are ended by a release after `before` or after a similar write.

        The thread of `before` itself has not ended them earlier: a third one has, and it has written the same place.
        """
        releases = self._events.releases(before)
        for acquire in self._events.acquires(after) if releases else ():
            if self._endings.ended_from_the_start(acquire) or not (acquire.fenced or reads_volatile(after)):
                continue
            ending = self._endings.writes(acquire)
            found = tuple(r for r in releases if r.write in ending and _distance(before, r.write).is_const)
            if found and all(not self._precedes(w, before) and self._hands_over(w, before, found[0]) for w in ending):
                yield Wait(acquire, found)

    def _precedes(self, write: Access, access: Access) -> bool:
        """Whether a thread that makes the access may have made the write before."""
        position = self._events.order.of
        return may_follow(position(access), position(write)) and not exclude(write, access)

    def _hands_over(self, write: Access, before: Access, release: Release) -> bool:
        """Whether a thread that sets a flag by `write` has written the place of `before` that the flag stands for."""
        position, distance = self._events.order.of, _distance(before, release.write)
        return any(
            a.kind is AccessKind.WRITE
            and _distance(a, write) is distance
            and known_at(write).issuperset(a.guards)
            and certain(there, position(write))
            and any(r.fenced and r.write == write for r in self._events.releases(a))
            for there, a in self._events.order.changes(before.target.key)
        )

    # ------------------------------------------------------------ what flags explain, and what is wrong with them

    def assumptions(self, a: Access, b: Access) -> list[tuple[str, Span | None]]:
        """No flag has its awaited value when the kernel begins."""
        used = [w.acquire.seen for pair in ((a, b), (b, a)) for w in self.waits(*pair)]
        return [_not_set(o) for o in dict.fromkeys(used)]

    def explains(self, before: Access, after: Access, acquire: Acquire) -> bool | None:
        """The acquire is a wait, and the threads that end it are known."""
        unknown = self._events.released_by_unknown_threads(before)
        waits = self.waits(before, after, fenced=False)
        known = (w.acquire.symbol for w in waits if unknown.isdisjoint(r.write.number for r in w.releases))
        return True if acquire.symbol in known else None

    def set_by_third_party(self, a: Access, b: Access) -> Access | None:
        """A flag that one thread sets after its access and the other one waits for, and a third one may set as well."""
        waits = (w for pair in ((a, b), (b, a)) for w in self._shared_waits(*pair))
        return next((r.write for w in waits for r in w.releases), None)

    def flaws(self, before: Access, after: Access, needed: Scope) -> Iterator[Flaw]:
        """A wait, or the write that ends it, without a fence or at too narrow a scope."""
        for wait in self.waits(before, after, fenced=False):
            what = f"waiting for {wait.acquire.seen.target.name} would order the two"
            alike = [q for q in self._events.acquires(after) if q.symbol == wait.acquire.symbol]
            if not reads_volatile(after):
                yield from acquire_flaws(what, "the wait", alike, after, needed)
            yield from release_flaws(what, "writing it", wait.releases, before, needed)


class Link(Struct, frozen=True):
    """Link of a chain: a thread has found by `acquire` what `release` has set, and sets a flag itself.

    `onward`: how far that flag carries what it has acquired.
    """

    acquire: Acquire
    release: Release
    onward: Scope


class ThirdThread(Struct, frozen=True):
    """Third thread, which ends the `last` wait of the second party by `write`; its own symbols end with `name`."""

    write: Access
    last: Acquire
    name: str
    parties: tuple[Side, Side]
    threads: ThreadPair

    def made(self, place: Term) -> Term:
        """The third thread makes the write at this place."""
        c = self.threads.configuration
        extents = [*zip(c.thread, c.block, strict=True), *zip(c.block_index, c.grid, strict=True)]
        within = (lt(var(s.renamed(self.name)), extent) for s, extent in extents if s is not None)
        *guards, offset = self._own(*self.write.guards, self.write.offset)
        near = self._in_block_of(self.parties[1]) if self.last.seen.target.space is MemorySpace.SHARED else TRUE
        return conj(*within, *guards, eq(offset, place), near)

    def told(self, link: Link, events: AcquireRelease) -> Term:
        """It has waited for the first party before, and both flags reach far enough."""
        (waited,) = self._own(link.acquire.offset)
        direct = negate(_taken_up_elsewhere(events, link.release, link.acquire, waited, self.threads))
        done, where = self.threads.of((link.release.when, link.release.offset), self.parties[0])
        near = not narrowest(link.release.scope, link.acquire.scope).covers(Level.INTER_BLOCK)
        shared = link.acquire.seen.target.space is MemorySpace.SHARED
        first = self._in_block_of(self.parties[0]) if near or shared else TRUE
        last = TRUE if link.onward.covers(Level.INTER_BLOCK) else self._in_block_of(self.parties[1])
        return conj(done, eq(where, waited), first, last, direct)

    def _own(self, *terms: Term) -> tuple[Term, ...]:
        c = self.threads.configuration
        indexes = {s for s in (*c.thread, *c.block_index) if s is not None}
        own = {s for s in symbols_of(*terms) if s.name in self.threads.private or s in indexes}
        return substitute(terms, {s: var(s.renamed(self.name)) for s in own})

    def _in_block_of(self, party: Side) -> Term:
        blocks = (s for s in self.threads.configuration.block_index if s is not None)
        return conj(*(eq(var(s.renamed(self.name)), var(self.threads.rename(s, party))) for s in blocks))


class FlagChains(Idiom):
    """Message passing through a third thread, which waits for one flag and sets another one.

    Causality is transitive, whatever the scopes of the steps (PTX ISA, "Causality Order"): a release and acquire within
    a block, and then one between blocks, order the first thread with the last one.
    """

    def __init__(self, known: SyncContext) -> None:
        self._events = known.events
        self._endings = known.endings
        self._flags = Flags(known)

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Neither thread has waited for a third one that has waited for the other."""
        return (
            *self._not_told(a, b, (Side.FIRST, Side.SECOND), threads),
            *self._not_told(b, a, (Side.SECOND, Side.FIRST), threads),
        )

    def _not_told(
        self, before: Access, after: Access, parties: tuple[Side, Side], threads: ThreadPair
    ) -> Iterator[Term]:
        for number, acquire in enumerate(self._last_waits(before, after)):
            when, place = threads.of((acquire.when, acquire.offset), parties[1])
            ways: list[Term] = []
            ending = self._endings.writes(acquire)
            for write in ending:
                links = tuple(self._links(before, write, acquire))
                if links:
                    name = f"{THIRD}.{before.number}.{after.number}.{number}.{write.number}"
                    third = ThirdThread(write, acquire, name, parties, threads)
                    ways.append(conj(third.made(place), *(negate(third.told(link, self._events)) for link in links)))
            if ending and len(ways) == len(ending):
                yield disj(negate(when), *ways)

    def _last_waits(self, before: Access, after: Access) -> Iterator[Acquire]:
        """The waits of `after`, with a fence where one is needed, for flags that may not be set from the start."""
        if self._events.releases(before):
            for acquire in self._events.acquires(after):
                if (acquire.fenced or reads_volatile(after)) and not self._endings.ended_from_the_start(acquire):
                    yield acquire

    def _links(self, before: Access, write: Access, last: Acquire) -> Iterator[Link]:
        """The ways in which the thread of a write has waited for that of `before`, and has passed it on to the last."""
        last = replace(last, fenced=True)
        for wait in self._flags.waits(before, write):
            if wait.acquire.when is not TRUE:
                continue
            onward = self._events.passed_on(wait.acquire, write)
            reached = {s for r in onward for s in (Scope.BLOCK, Scope.DEVICE) if r.reaches(last, s)}
            for release in wait.releases if reached else ():
                if release.reaches(wait.acquire, Scope.BLOCK):
                    yield Link(wait.acquire, release, Scope.DEVICE if Scope.DEVICE in reached else Scope.BLOCK)

    def assumptions(self, a: Access, b: Access) -> list[tuple[str, Span | None]]:
        """No flag has its awaited value when the kernel begins."""
        used: list[Observation] = []
        for before, after in ((a, b), (b, a)):
            for last in self._last_waits(before, after):
                links = [link for w in self._endings.writes(last) for link in self._links(before, w, last)]
                used += [o for link in links for o in (link.acquire.seen, last.seen)]
        return [_not_set(o) for o in dict.fromkeys(used)]


def _not_set(o: Observation) -> tuple[str, Span | None]:
    text = f"{o.target.name} does not hold what the wait in line {o.span.line} is for when the kernel begins"
    return text, o.span


def _distance(access: Access, flag: Access) -> Term:
    """The distance of an element from its flag, both counted in elements; a constant if each element has its own."""
    return difference(mul(access.offset, const(flag.size)), mul(flag.offset, const(access.size)))


def _taken_up_elsewhere(
    events: AcquireRelease, release: Release, acquire: Acquire, place: Term, threads: ThreadPair
) -> Term:
    """A thread of another block changes the flag at `place` atomically, in between and out of scope of the two."""
    others = (x for x in accesses(events.protocol.items) if x.target.key == acquire.seen.target.key)
    narrow = (x for x in others if x.updates and not _wide(release, acquire, x))
    return disj(*(Interference(x, x.guards, place, threads).by_another_block() for x in narrow))


def _wide(release: Release, acquire: Acquire, between: Access) -> bool:
    """Whether order passes from block to block through an atomic between the two."""
    scopes = (scope_of(release.write), scope_of(between), acquire.seen.scope)
    return narrowest(*scopes).covers(Level.INTER_BLOCK)
