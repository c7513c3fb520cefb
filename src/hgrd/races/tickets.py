"""Atomic counters hand out different values: `slot = atomicAdd(&count, 1); out[slot] = …`."""

from __future__ import annotations

from dataclasses import dataclass

from hgrd.program.memory import AccessKind
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases import Party
from hgrd.races.parties import Naming
from hgrd.terms import Term, add, const, disj, le, ne, symbols_of, var

_COUNTING = {"add", "inc"}


@dataclass(frozen=True, slots=True)
class Tickets:
    """By symbol name, the atomic additions of positive amounts whose old values are all different.

    The object must be changed by such additions alone.  (Sums that wrap around are left out of account.)
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
    place_1, result_1, amount_1 = naming.of(_parts(one), Party.FIRST)
    place_2, result_2, amount_2 = naming.of(_parts(two), Party.SECOND)
    return disj(
        ne(place_1, place_2),
        le(add(result_1, amount_1), result_2),
        le(add(result_2, amount_2), result_1),
    )


def _parts(access: Access) -> tuple[Term, Term, Term]:
    assert access.result is not None
    return access.offset, var(access.result), _amount(access)


def _amount(access: Access) -> Term:
    return const(1) if access.operation == "inc" or access.value is None else access.value


def tickets(protocol: Protocol) -> Tickets:
    everything = accesses(protocol.items)
    spoiled = {a.target.key for a in everything if a.kind is not AccessKind.READ and not _counts(a)}
    return Tickets(
        {
            a.result.name: a
            for a in everything
            if a.kind is AccessKind.ATOMIC and a.result is not None and a.target.key not in spoiled and _counts(a)
        }
    )


def _counts(access: Access) -> bool:
    return access.kind is AccessKind.ATOMIC and access.operation in _COUNTING and _amount(access).low >= 1
