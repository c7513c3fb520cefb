"""Acquire events before an access and release events after it.

An acquire is an atomic or a volatile read on whose value it depends that the access is reached, and that has acquire
order itself or is followed by a fence; a release is a write of the flag or lock after the access that has release order
itself or comes after a fence (PTX ISA, "Release and Acquire Patterns"; CUDA Programming Guide, "Memory Fence
Functions"; HGRD, section 5.2).  An order of its own holds for that atomic alone, a fence for all around it.

A fence need not be of the thread that makes the atomic if a barrier of the block stands between the two and both sides
have a fence that is sequentially consistent: were the fence of the acquiring side the earlier one, its read of the flag
would come before the write that it has read (PTX ISA, "Fence-SC Order" and "Causality").
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import Scope, narrowest
from hgrd.protocol.model import Access, Barrier, Fence, Observation, Protocol
from hgrd.races.acquire_release.accesses import known_at, modifies, scope_of
from hgrd.races.acquire_release.observations import Observations
from hgrd.races.acquire_release.program_order import Position, ProgramOrder, certain, precedes, program_order
from hgrd.races.acquire_release.representatives import Representatives, parts_of
from hgrd.terms import FALSE, TRUE, Symbol, Term, conj, eq, var

_MOST = 24  # acquires, or releases, of one access that are looked at


class Acquire(Struct, frozen=True):
    """Acquire event: where `when` holds, `seen` was observed at `offset` before the access and has passed `test`.

    By the thread itself, or by another one of its block that it has met at a barrier since (`delegated`).
    `scope` is the narrowest of the atomic's and that of the fence after it; `fenced`: there is one, or the atomic needs
    none.  `total`: that fence is sequentially consistent; `apart`: it is of a thread that did not observe `seen`.
    """

    seen: Observation
    offset: Term
    symbol: Symbol
    test: Term
    when: Term
    scope: Scope
    fenced: bool
    delegated: bool
    position: Position
    total: bool = False
    apart: bool = False


class Release(Struct, frozen=True):
    """Release event: where `when` holds, `write` is performed at `offset` after the access.

    By the thread itself, or by another one of its block that it has met at a barrier.
    `scope` is the narrowest of the write's and that of the fence between the two; `fenced`: there is one, or the write
    needs none.  `total`: that fence is sequentially consistent; `apart`: it is of a thread that does not make `write`.
    """

    write: Access
    offset: Term
    when: Term
    scope: Scope
    fenced: bool
    position: Position
    total: bool = False
    apart: bool = False

    def reaches(self, acquire: Acquire, needed: Scope) -> bool:
        """Whether what was done before comes before what follows the acquire that finds the write, at this scope."""
        if not (self.fenced and acquire.fenced and narrowest(self.scope, acquire.scope).includes(needed)):
            return False
        return (self.total and acquire.total) or not (self.apart or acquire.apart)


class PerformedFence(Struct, frozen=True):
    """Fence that a thread performs under the condition `when`; `total`: it is sequentially consistent."""

    scope: Scope
    when: Term
    total: bool

    def after(self, found: Acquire, *, apart: bool = False) -> Acquire:
        """The acquire with this fence behind it; `apart`: by another thread, behind a barrier."""
        when, scope = conj(found.when, self.when), narrowest(found.scope, self.scope)
        return replace(found, when=when, scope=scope, fenced=True, total=self.total, apart=apart)

    def before(self, found: Release, *, apart: bool = False) -> Release:
        """The release with this fence before it; `apart`: by another thread, before a barrier."""
        when, scope = conj(self.when, found.when), narrowest(found.scope, self.scope)
        return replace(found, when=when, scope=scope, fenced=True, total=self.total, apart=apart)


_BARRIER = PerformedFence(Scope.BLOCK, TRUE, False)
"""What a barrier of the block is to the memory accesses of one of its threads."""


class AcquireRelease(Struct, frozen=True):
    """Acquire and release events around the accesses of a protocol."""

    protocol: Protocol
    order: ProgramOrder
    observations: Observations
    representatives: Representatives
    lanes: Representatives
    _acquires: dict[int, tuple[Acquire, ...]] = field(default_factory=dict[int, tuple[Acquire, ...]])
    _releases: dict[int, tuple[Release, ...]] = field(default_factory=dict[int, tuple[Release, ...]])

    def acquires(self, access: Access) -> tuple[Acquire, ...]:
        """The acquires before `access` on which it depends that the access is reached."""
        if access.number not in self._acquires:
            here = self.order.of(access)
            others = (q for some in self._groups for q in self._delegated_acquires(access, here, some))
            found = [*self._own_acquires(access, here), *others]
            self._acquires[access.number] = _strongest(found)[:_MOST]
        return self._acquires[access.number]

    def releases(self, access: Access) -> tuple[Release, ...]:
        """The writes that come after `access`, or are the access itself."""
        if access.number not in self._releases:
            here = self.order.of(access)
            others = (r for some in self._groups for r in self._delegated_releases(access, here, some))
            found = [*self._own_releases(access, here), *others]
            self._releases[access.number] = tuple(dict.fromkeys(found))[:_MOST]
        return self._releases[access.number]

    def passed_on(self, acquire: Acquire, write: Access) -> Iterator[Release]:
        """The releases by a write of what its thread itself has acquired before."""
        position = self.order.of(write)
        found = Release(write, write.offset, TRUE, scope_of(write), write.releases, position)
        if write.releases:
            yield found
        if not acquire.delegated:
            fences = self._fences(acquire.position, position, known_at(write), acquiring=False)
            yield from (fence.before(found) for fence in fences if fence.when is TRUE)

    @property
    def _groups(self) -> tuple[Representatives, ...]:
        """Those who act for all of a block, and for all of a warp."""
        return (self.representatives, self.lanes)

    # ------------------------------------------------------------ by the thread itself

    def _own_acquires(self, access: Access, here: Position) -> Iterator[Acquire]:
        for condition in (*access.guards, *access.endings):
            for symbol, test, when in self.observations.tests(condition):
                yield from self.observed_before(access, here, symbol, test, when)

    def observed_before(
        self, access: Access, here: Position, symbol: Symbol, test: Term, when: Term = TRUE
    ) -> Iterator[Acquire]:
        """The acquires of one observed value by the thread itself, where it has passed a test before an access."""
        seen, position = self.observations.of(symbol), self.observations.made_at(symbol, here)
        if position is None:
            return
        found = Acquire(
            seen, seen.offset, symbol, test, when, seen.scope, _acquires(seen, symbol, test), False, position
        )
        yield found
        for fence in self._fences(position, here, known_at(access), acquiring=True):
            yield fence.after(found)

    def _own_releases(self, access: Access, here: Position) -> Iterator[Release]:
        if modifies(access) and scope_of(access) is not Scope.THREAD:
            yield Release(access, access.offset, TRUE, scope_of(access), True, here)
        before = known_at(access)
        for write, position in self._later_writes(here):
            own = conj(*(g for g in write.guards if g not in before))
            found = Release(write, write.offset, own, scope_of(write), write.releases, position)
            yield found
            for fence in self._fences(here, position, before | known_at(write), acquiring=False):
                yield fence.before(found)

    def _later_writes(self, here: Position) -> Iterator[tuple[Access, Position]]:
        """The writes after a position that other threads can wait for."""
        for position in self.order.positions:
            write = position.item
            if not isinstance(write, Access) or not modifies(write) or scope_of(write) is Scope.THREAD:
                continue
            if precedes(here, position) and certain(position, here):
                yield write, position

    def _fences(
        self, first: Position, last: Position, known: frozenset[Term], *, acquiring: bool
    ) -> Iterator[PerformedFence]:
        """The fences that the thread performs between two items, and that acquire, or release."""
        for position in self.order.positions:
            fence = position.item
            if not isinstance(fence, Fence | Barrier) or not (precedes(first, position) and precedes(position, last)):
                continue
            if not (certain(position, first) or certain(position, last)):
                continue
            when = conj(*(g for g in fence.guards if g not in known))
            match fence:
                case Fence(scope=scope, order=order):
                    if order.acquires if acquiring else order.releases:
                        yield PerformedFence(scope, when, order is StdMemoryOrder.SEQ_CST)
                case Barrier() if fence.of_block:
                    yield replace(_BARRIER, when=when)
                case _:
                    pass

    # ------------------------------------------------------------ by another thread of the block, or of the warp

    def _delegated_acquires(self, access: Access, here: Position, others: Representatives) -> Iterator[Acquire]:
        known = known_at(access)
        for condition, given in others.conditions(access, here):
            for symbol, test, when in self.observations.tests(condition):
                seen, position = self.observations.of(symbol), self.observations.made_at(symbol, here)
                barrier = None if position is None else others.barrier(position, here, known)
                if position is None or barrier is None:
                    continue
                one = others.someone(conj(when, given), (seen.offset,), here, barrier=barrier)
                if one is None:
                    continue
                rest, (offset,) = one
                found = Acquire(
                    seen, offset, symbol, test, rest, seen.scope, _acquires(seen, symbol, test), True, position
                )
                yield from (found,) if others.near else (found, _BARRIER.after(found))
                parts = frozenset((*parts_of(when), *parts_of(given), *barrier.item.guards))
                own = self._fences(position, barrier, parts, acquiring=True)
                later = self._fences(barrier, here, known, acquiring=True)
                yield from (fence.after(found) for fence in own if fence.when is TRUE)
                yield from (fence.after(found, apart=True) for fence in later if fence.when is TRUE)

    def _delegated_releases(self, access: Access, here: Position, others: Representatives) -> Iterator[Release]:
        before = known_at(access)
        for write, position in self._later_writes(here):
            barrier = next(others.passed(here, position, before), None)
            if barrier is None:
                continue
            one = others.someone(conj(*write.guards), (write.offset,), here, position, barrier=barrier)
            if one is None:
                continue
            rest, (offset,) = one
            found = Release(write, offset, rest, scope_of(write), write.releases, position)
            yield found
            earlier = self._fences(here, barrier, before, acquiring=False)
            own = self._fences(barrier, position, known_at(write), acquiring=False)
            yield from (fence.before(found) for fence in own if fence.when is TRUE)
            yield from (fence.before(found, apart=True) for fence in earlier if fence.when is TRUE)

    def delegates(self, access: Access, there: Position) -> bool:
        """Whether a block barrier stands between an access and what another thread does for all of the block after."""
        return any(self.representatives.passed(self.order.of(access), there, known_at(access)))

    def released_by_unknown_threads(self, access: Access) -> frozenset[int]:
        """The numbers of writes after a barrier that some thread behind it makes, but it is unknown which one."""
        here = self.order.of(access)
        return frozenset(w.number for w, p in self._later_writes(here) if self._is_of_unknown(access, w, here, p))

    def _is_of_unknown(self, access: Access, write: Access, here: Position, there: Position) -> bool:
        """Whether others wait for the access before the write, and its guards ask more of one of them than to exist."""
        when, known = conj(*write.guards), known_at(access)
        barriers = [
            (some, b) for some in self._groups if (b := next(some.passed(here, there, known), None)) is not None
        ]
        ones = [(some, some.someone(when, (write.offset,), here, there, barrier=b)) for some, b in barriers]
        return bool(ones) and not any(one is not None and some.told(when, one[0]) for some, one in ones)


def _acquires(seen: Observation, symbol: Symbol, test: Term) -> bool:
    """Whether an observation that passes a test acquires by its own order; a compare-and-swap may have failed."""
    if seen.operation == "store" or not seen.order.acquires:
        return False
    if seen.operation != "cas" or seen.failure.acquires:
        return True
    return seen.compare is not None and implies_equal(test, symbol, seen.compare)


def implies_equal(test: Term, symbol: Symbol, value: Term) -> bool:
    """Whether a test holds only where the symbol has this value."""
    return eq(var(symbol), value) in parts_of(test)


def acquire_release(protocol: Protocol) -> AcquireRelease:
    """The acquire and release events of a protocol."""
    order = program_order(protocol)
    block, lanes = Representatives(protocol, order), Representatives(protocol, order, near=True)
    return AcquireRelease(protocol, order, Observations(protocol, order), block, lanes)


def _strongest(acquires: list[Acquire]) -> tuple[Acquire, ...]:
    """The acquires without those that say no more than another one of the same observation."""

    def says_less(a: Acquire, b: Acquire) -> bool:
        weaker = parts_of(b.when) < parts_of(a.when) or (b.when is a.when and a != b and not a.scope.includes(b.scope))
        alike = (a.symbol, a.delegated, a.apart) == (b.symbol, b.delegated, b.apart)
        return alike and b.scope.includes(a.scope) and b.fenced >= a.fenced and b.total >= a.total and weaker

    found = [a for a in dict.fromkeys(acquires) if a.when is not FALSE]
    return tuple(a for a in found if not any(says_less(a, b) for b in found))
