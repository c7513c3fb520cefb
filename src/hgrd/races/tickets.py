"""Atomic counters hand out different values: `slot = atomicAdd(&count, 1); out[slot] = …`."""

from __future__ import annotations

from dataclasses import dataclass

from hgrd.program.memory import AccessKind, Level, Space
from hgrd.protocol.model import Access, Protocol, Scope, accesses
from hgrd.protocol.orders import Party
from hgrd.protocol.phases import Phases
from hgrd.races.parties import Naming
from hgrd.terms import FALSE, Term, add, conj, const, disj, le, ne, symbols_of, var

_NO_LIMIT = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Tickets:
    """By symbol name, the atomic additions of positive amounts whose old values are all different.

    The object must be changed by such additions alone, but for writes that barriers put before all of them, and
    those elsewhere in it.
    (Sums that wrap around are left out of account.)
    """

    sources: dict[str, Access]

    def constraints(self, a: Access, b: Access, naming: Naming) -> tuple[Term, ...]:
        """What follows for the tickets that the two accesses depend on."""
        return tuple(
            _apart(one, two, naming)
            for one in self._used(a)
            for two in self._used(b)
            if one.target.key == two.target.key and one.size == two.size
        )

    def bear_on(self, a: Access, b: Access) -> bool:
        """Whether they say anything of the two accesses."""
        return bool(self._used(a)) and bool(self._used(b))

    def _used(self, access: Access) -> list[Access]:
        names = {s.name for s in symbols_of(access.offset, *access.guards)}
        return [self.sources[n] for n in sorted(names) if n in self.sources]


def _apart(one: Access, two: Access, naming: Naming) -> Term:
    """Unless they count at different places: [result, result + amount) do not overlap."""
    elsewhere = FALSE
    if not naming.same_block and (one.space is Space.SHARED or Scope.BLOCK in (one.scope, two.scope)):
        elsewhere = conj(*naming.distinct(Level.INTER_BLOCK))  # every block counts for itself
    place_1, result_1, amount_1 = naming.of(_parts(one), Party.FIRST)
    place_2, result_2, amount_2 = naming.of(_parts(two), Party.SECOND)
    return disj(
        elsewhere,
        ne(place_1, place_2),
        le(add(result_1, amount_1), result_2),
        le(add(result_2, amount_2), result_1),
    )


def _parts(access: Access) -> tuple[Term, Term, Term]:
    assert access.result is not None
    return access.offset, var(access.result), _amount(access)


def _amount(access: Access) -> Term:
    return const(1) if access.operation == "inc" or access.value is None else access.value


def tickets(protocol: Protocol, relation: Phases) -> Tickets:
    everything = accesses(protocol.items)
    counting = [a for a in everything if _counts(a)]
    spoiled = {
        a.target.key
        for a in everything
        if a.changes and not _counts(a) and not _elsewhere(a, counting) and not _comes_first(a, counting, relation)
    }
    return Tickets({a.result.name: a for a in counting if a.result is not None and a.target.key not in spoiled})


def _counts(access: Access) -> bool:
    if access.kind is not AccessKind.ATOMIC or access.value is None:
        return False
    least = {"add": 1, "inc": _NO_LIMIT}.get(access.operation)  # atomicInc begins again at its operand
    return least is not None and access.value.low >= least


def _elsewhere(write: Access, counting: list[Access]) -> bool:
    """Whether the write goes to one place, and all counters of the object are at other ones."""
    counters = [a for a in counting if a.target.key == write.target.key]
    if not all(a.offset.is_const for a in (write, *counters)):
        return False
    first = write.offset.value
    return all(first + write.size <= a.offset.value or a.offset.value + a.size <= first for a in counters)


def _comes_first(write: Access, counting: list[Access], relation: Phases) -> bool:
    """Whether the write is made once, and all threads make their additions behind a barrier that follows it."""
    levels = (Level.INTRA_WARP, Level.INTRA_BLOCK) if write.space is Space.SHARED else tuple(Level)
    return not relation.repeated(write) and all(
        write.number < a.number and not relation.unordered(write, a, level)
        for a in counting
        if a.target.key == write.target.key
        for level in levels
    )
