"""Atomic counters hand out different values: `slot = atomicAdd(&count, 1); out[slot] = …`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hgrd.program.memory import AccessKind, Level, Space
from hgrd.protocol.model import Access, Protocol, ProtocolLoop, Scope, accesses
from hgrd.protocol.orders import Party
from hgrd.protocol.phases import Path, Phases
from hgrd.races.parties import Naming
from hgrd.terms import FALSE, Symbol, Term, add, conj, const, disj, le, ne, symbols_of, var

_NO_LIMIT = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Tickets:
    """By symbol name, the atomic additions of positive amounts whose old values are all different.

    The object must be changed by such additions alone, but for what barriers keep apart from all of them (`resets`),
    and what is elsewhere in it.  (Sums that wrap around are left out of account.)
    """

    sources: dict[str, Access]
    resets: dict[str, tuple[Access, ...]]  # by the key of the object
    paths: dict[int, Path]

    def constraints(self, a: Access, b: Access, naming: Naming) -> tuple[Term, ...]:
        """What follows for the tickets that the two accesses depend on."""
        return tuple(
            disj(*(_other_iteration(s, naming) for s in loops), _apart(one, two, naming))
            for one in self._used(a)
            for two in self._used(b)
            if one.target.key == two.target.key and one.size == two.size
            for loops in [self._between_resets(one, two, a, b)]
            if loops is not None
        )

    def bear_on(self, a: Access, b: Access) -> bool:
        """Whether they say anything of the two accesses."""
        return bool(self._used(a)) and bool(self._used(b))

    def _used(self, access: Access) -> list[Access]:
        names = {s.name for s in symbols_of(access.offset, *access.guards)}
        return [self.sources[n] for n in sorted(names) if n in self.sources]

    def _between_resets(self, one: Access, two: Access, a: Access, b: Access) -> frozenset[Symbol] | None:
        """Numbers of iterations such that, where they are equal, no reset comes between the two additions.

        None if there are none, or if `a` and `b` do not tell in which iterations their tickets were drawn.
        """
        found: set[Symbol] = set()
        for reset in self.resets.get(one.target.key, ()):
            around = self._around(reset)
            mine, others = (_common(around, self._around(x)) for x in (one, two))
            if mine != others or (reset.number < one.number) != (reset.number < two.number):
                return None
            found.update(x.binder for x in mine)
        known = {x.binder for x in _common(self._around(a), self._around(one))}
        known &= {x.binder for x in _common(self._around(b), self._around(two))}
        return frozenset(found) if found <= known else None

    def _around(self, access: Access) -> list[ProtocolLoop]:
        """The loops around an access, outermost first."""
        found = (items[i] for items, i in self.paths[access.number])
        return [item for item in found if isinstance(item, ProtocolLoop)]


def _common(one: Iterable[ProtocolLoop], two: Iterable[ProtocolLoop]) -> list[ProtocolLoop]:
    """The loops around both."""
    return [x for x, y in zip(one, two, strict=False) if x is y]


def _other_iteration(binder: Symbol, naming: Naming) -> Term:
    return ne(*(var(naming.rename(binder, party)) for party in Party))


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
    keys = {a.target.key for a in counting}
    others = [a for a in everything if a.changes and a.target.key in keys and not _counts(a)]
    others = [a for a in others if not _elsewhere(a, counting)]
    spoiled = {a.target.key for a in others if not _kept_apart(a, counting, relation)}
    sources = {a.result.name: a for a in counting if a.result is not None and a.target.key not in spoiled}
    resets = {key: tuple(a for a in others if a.target.key == key) for key in keys - spoiled}
    return Tickets(sources, resets, relation.paths)


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


def _kept_apart(write: Access, counting: list[Access], relation: Phases) -> bool:
    """Whether barriers stand between the write and all additions, in whatever iterations they are made."""
    levels = (Level.INTRA_WARP, Level.INTRA_BLOCK) if write.space is Space.SHARED else tuple(Level)
    return not any(
        relation.unordered(write, a, level) for a in counting if a.target.key == write.target.key for level in levels
    )
