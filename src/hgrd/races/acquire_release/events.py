"""Acquire events before an access and release events after it.

An acquire is an atomic or a volatile read on whose value it depends that the access is reached, followed by a fence;
a release is a fence after the access, followed by a write of the flag or lock (CUDA Programming Guide, "Memory Fence
Functions"; HGRD, section 5.2).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from hgrd.cuda.memory_model import Scope, narrowest
from hgrd.protocol.model import Access, Barrier, Fence, Observation, Protocol
from hgrd.races.acquire_release.accesses import known_at, modifies, scope_of
from hgrd.races.acquire_release.observations import Observations
from hgrd.races.acquire_release.program_order import Position, ProgramOrder, certain, precedes, program_order
from hgrd.races.acquire_release.representatives import BlockRepresentatives, parts_of
from hgrd.terms import FALSE, TRUE, Symbol, Term, conj

_MOST = 24  # acquires, or releases, of one access that are looked at


class Acquire(Struct, frozen=True):
    """Acquire event: where `when` holds, `seen` was observed at `offset` before the access and has passed `test`.

    By the thread itself, or by another one of its block that it has met at a barrier since (`delegated`).
    `scope` is the narrowest of the atomic's and that of the fence after it; `fenced`: there is a fence.
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


class Release(Struct, frozen=True):
    """Release event: where `when` holds, `write` is performed at `offset` after the access.

    By the thread itself, or by another one of its block that it has met at a barrier.
    `scope` is the narrowest of the write's and that of the fence between the two; `fenced`: there is a fence.
    """

    write: Access
    offset: Term
    when: Term
    scope: Scope
    fenced: bool
    position: Position


class AcquireRelease(Struct, frozen=True):
    """Acquire and release events around the accesses of a protocol."""

    protocol: Protocol
    order: ProgramOrder
    observations: Observations
    representatives: BlockRepresentatives
    _acquires: dict[int, tuple[Acquire, ...]] = field(default_factory=dict[int, tuple[Acquire, ...]])
    _releases: dict[int, tuple[Release, ...]] = field(default_factory=dict[int, tuple[Release, ...]])

    def acquires(self, access: Access) -> tuple[Acquire, ...]:
        """The acquires before `access` on which it depends that the access is reached."""
        if access.number not in self._acquires:
            here = self.order.of(access)
            found = [*self._own_acquires(access, here), *self._delegated_acquires(access, here)]
            self._acquires[access.number] = _strongest(found)[:_MOST]
        return self._acquires[access.number]

    def releases(self, access: Access) -> tuple[Release, ...]:
        """The writes that come after `access`, or are the access itself."""
        if access.number not in self._releases:
            here = self.order.of(access)
            found = [*self._own_releases(access, here), *self._delegated_releases(access, here)]
            self._releases[access.number] = tuple(dict.fromkeys(found))[:_MOST]
        return self._releases[access.number]

    # ------------------------------------------------------------ by the thread itself

    def _own_acquires(self, access: Access, here: Position) -> Iterator[Acquire]:
        known = known_at(access)
        for condition in (*access.guards, *access.endings):
            for symbol, test, when in self.observations.tests(condition):
                seen, position = self.observations.of(symbol), self.observations.made_at(symbol, here)
                if position is None:
                    continue
                yield Acquire(seen, seen.offset, symbol, test, when, seen.scope, False, False, position)
                for scope, given in self._fences(position, here, known):
                    scope = narrowest(seen.scope, scope)
                    yield Acquire(seen, seen.offset, symbol, test, conj(when, given), scope, True, False, position)

    def _own_releases(self, access: Access, here: Position) -> Iterator[Release]:
        if modifies(access) and scope_of(access) is not Scope.THREAD:
            yield Release(access, access.offset, TRUE, scope_of(access), True, here)
        before = known_at(access)
        for write, position in self._later_writes(here):
            own = conj(*(g for g in write.guards if g not in before))
            yield Release(write, write.offset, own, scope_of(write), False, position)
            for scope, given in self._fences(here, position, before | known_at(write)):
                yield Release(write, write.offset, conj(given, own), narrowest(scope, scope_of(write)), True, position)

    def _later_writes(self, here: Position) -> Iterator[tuple[Access, Position]]:
        """The writes after a position that other threads can wait for."""
        for position in self.order.positions:
            write = position.item
            if not isinstance(write, Access) or not modifies(write) or scope_of(write) is Scope.THREAD:
                continue
            if precedes(here, position) and certain(position, here):
                yield write, position

    def _fences(self, first: Position, last: Position, known: frozenset[Term]) -> Iterator[tuple[Scope, Term]]:
        """The fences that the thread performs between two items: their scopes, and under which further condition."""
        for position in self.order.positions:
            fence = position.item
            if not isinstance(fence, Fence | Barrier) or not (precedes(first, position) and precedes(position, last)):
                continue
            if not (certain(position, first) or certain(position, last)):
                continue
            if isinstance(fence, Barrier) and not fence.of_block:
                continue
            scope = fence.scope if isinstance(fence, Fence) else Scope.BLOCK
            yield scope, conj(*(g for g in fence.guards if g not in known))

    # ------------------------------------------------------------ by another thread of the block

    def _delegated_acquires(self, access: Access, here: Position) -> Iterator[Acquire]:
        known = known_at(access)
        for condition, given in self.representatives.conditions(access, here):
            for symbol, test, when in self.observations.tests(condition):
                seen, position = self.observations.of(symbol), self.observations.made_at(symbol, here)
                barrier = None if position is None else self.representatives.barrier(position, here, known)
                if position is None or barrier is None:
                    continue
                one = self.representatives.someone(conj(when, given), (seen.offset,), here)
                if one is None:
                    continue
                rest, (offset,) = one
                yield Acquire(seen, offset, symbol, test, rest, seen.scope, False, True, position)
                parts = frozenset((*parts_of(when), *parts_of(given), *barrier.item.guards))
                fences = (*self._fences(position, barrier, parts), *self._fences(position, here, known))
                for scope, also in fences:
                    if also is TRUE:
                        scope = narrowest(seen.scope, scope)
                        yield Acquire(seen, offset, symbol, test, rest, scope, True, True, position)

    def _delegated_releases(self, access: Access, here: Position) -> Iterator[Release]:
        before = known_at(access)
        for write, position in self._later_writes(here):
            barrier = next(self.representatives.passed(here, position, before), None)
            if barrier is None:
                continue
            one = self.representatives.someone(conj(*write.guards), (write.offset,), here, position)
            if one is None:
                continue
            rest, (offset,) = one
            yield Release(write, offset, rest, scope_of(write), False, position)
            fences = (*self._fences(here, barrier, before), *self._fences(barrier, position, known_at(write)))
            for scope, also in fences:
                if also is TRUE:
                    yield Release(write, offset, rest, narrowest(scope, scope_of(write)), True, position)

    def delegates(self, access: Access, there: Position) -> bool:
        """Whether a block barrier stands between an access and what another thread does for all of the block after."""
        return any(self.representatives.passed(self.order.of(access), there, known_at(access)))

    def released_by_unknown_threads(self, access: Access) -> frozenset[int]:
        """The numbers of writes after a barrier that some thread of the block makes, but it is unknown which one."""
        here, before = self.order.of(access), known_at(access)
        return frozenset(
            write.number
            for write, position in self._later_writes(here)
            if any(self.representatives.passed(here, position, before)) and not self._is_of_one(write, here, position)
        )

    def _is_of_one(self, write: Access, *positions: Position) -> bool:
        """Whether the only thing that the guards of a write ask of a thread is to be one that every block has."""
        when = conj(*write.guards)
        one = self.representatives.someone(when, (write.offset,), *positions)
        return one is not None and set(parts_of(one[0])) <= set(parts_of(when))


def acquire_release(protocol: Protocol) -> AcquireRelease:
    """The acquire and release events of a protocol."""
    order = program_order(protocol)
    return AcquireRelease(protocol, order, Observations(protocol, order), BlockRepresentatives(protocol, order))


def _strongest(acquires: list[Acquire]) -> tuple[Acquire, ...]:
    """The acquires without those that say no more than another one of the same observation."""

    def says_less(a: Acquire, b: Acquire) -> bool:
        weaker = parts_of(b.when) < parts_of(a.when) or (b.when is a.when and a != b and not a.scope.includes(b.scope))
        alike = a.symbol == b.symbol and a.delegated == b.delegated
        return alike and b.scope.includes(a.scope) and b.fenced >= a.fenced and weaker

    found = [a for a in dict.fromkeys(acquires) if a.when is not FALSE]
    return tuple(a for a in found if not any(says_less(a, b) for b in found))
