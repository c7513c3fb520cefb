"""Pointers that the program stores at several places of an object, so that different elements may hold the same one.

lanes[k].arena = &pool[k / 2];      // lanes 0 and 1 have one arena;  &pool[k]: each has its own
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Final

from msgspec import Struct, field

from hgrd.program.layout import size_of
from hgrd.program.program import Record
from hgrd.program.types import Type
from hgrd.symbolic.names import unnumbered
from hgrd.symbolic.values import MemoryObject
from hgrd.terms import Op, Origin, Symbol, Term, const
from hgrd.terms.linear import linear

ZERO: Final = const(0)
_MOST: Final = 200  # stores of pointers to one object


class Part(Struct, frozen=True):
    """A member of the elements of an object: where it begins in each, and their size; 0: unknown."""

    begin: int
    stride: int

    def has(self, place: Term) -> bool:
        """Whether a place may be in this part of an element."""
        off = linear(place)[0] - self.begin
        return off % self.stride == 0 if self.stride else True


class Stored(Struct, frozen=True):
    """A pointer to the byte `at` of an object `to` that was stored at a place, in a part of an element of another one.

    `own`: each time that it is stored, the object is a new one.  `found`: it is the pointer that was found there in the
    object `to`.  `added`: which of the calls that add elements stores it, for which `place` numbers those that it adds.
    `into` is the type of the elements.
    """

    to: str
    at: Term
    place: Term = ZERO
    part: Part = Part(0, 0)
    own: bool = False
    found: bool = False
    added: str = ""
    into: Type | None = None


class StoredPointers(Struct):
    """The pointers that the program stores in objects, by their names, at places that are known."""

    stored: dict[str, dict[Stored, None]] = field(default_factory=dict[str, "dict[Stored, None]"])

    def put(self, holder: str, stored: Stored) -> None:
        self.stored.setdefault(holder, {})[stored] = None

    def twice(self, holders: Iterable[str]) -> frozenset[Part]:
        """The parts of which two elements of one of these objects may hold the same pointer, by what was stored."""
        return frozenset(part for holder in holders for part in self._twice(holder, frozenset()))

    def at_both(self, holders: Set[str], one: Term, other: Term) -> bool:
        """Whether one object may be stored at two places of objects of these names."""
        stored = [s for holder in holders for s in self.stored.get(holder, ())]
        here, there = ([s for s in stored if s.part.has(place)] for place in (one, other))
        moved = any(
            s.found and s.to in holders and s.part.stride and (linear(place)[0] - linear(s.at)[0]) % s.part.stride == 0
            for found, place in ((here, other), (there, one))
            for s in found
        )
        return moved or not {s.to for s in here if not s.found}.isdisjoint(s.to for s in there)

    def _twice(self, holder: str, seen: frozenset[str]) -> Iterator[Part]:
        groups: dict[tuple[str, Part], list[Stored]] = {}
        for stored in self.stored.get(holder, ()):
            groups.setdefault((stored.to, stored.part), []).append(stored)
            if (
                stored.found
                and stored.to not in seen
                and any(part.has(stored.at) for part in self._twice(stored.to, seen | {holder}))
            ):
                yield stored.part
        yield from (part for (_, part), group in groups.items() if not _is_alone(group))


def part_at(records: Mapping[str, Record], target: MemoryObject, place: Term) -> Part:
    """The part of an element of an object that a place is in."""
    constant, atoms = linear(place)
    size = None if target.element is None else size_of(target.element, records)
    stride = size or gcd(*atoms.values())
    return Part(constant % stride if stride else 0, stride)


def _is_alone(group: list[Stored]) -> bool:
    """Whether the pointers to one object that are stored at a member of elements differ where the elements do."""
    stores = [s for s in group if not any(_is_first_of(s, other) for other in group[:_MOST])]
    few = len(stores) <= _MOST
    return few and all(_differs(stored) for stored in stores) and all(_differ(a, b) for a, b in combinations(stores, 2))


def _is_first_of(one: Stored, other: Stored) -> bool:
    """Whether a store is what another one is in the first iteration of a loop, at a place that no loop numbers."""
    first = one.at.is_const and _is_of_iteration(other.at) and linear(other.at)[0] == one.at.value
    return first and _is_one_place(one, other)


def _is_one_place(one: Stored, other: Stored) -> bool:
    alike = unnumbered(str(one.place)) == unnumbered(str(other.place))
    return alike and not (one.added or other.added or _numbered(one.place) or _numbered(other.place))


def _differs(stored: Stored) -> bool:
    """Whether a store puts another pointer into each element that it stores to."""
    if stored.own or not stored.place.symbols or _relation(stored.place, stored.at) is not None:
        return True
    return not _numbered(stored.place) and _is_of_iteration(stored.at)


def _is_of_iteration(at: Term) -> bool:
    """Whether an address is another one in each iteration of a loop."""
    match list(linear(at)[1]):
        case [atom]:
            factors = atom.args if atom.op is Op.MUL else (atom,)
            return sum(f.op is Op.VAR and f.symbol.origin is Origin.LOOP for f in factors) == len(_numbered(at)) == 1
        case _:
            return False


def _numbered(term: Term) -> frozenset[Symbol]:
    """The symbols in a term that number the iterations of loops."""
    return frozenset(s for s in term.symbols if s.origin is Origin.LOOP)


def _differ(one: Stored, other: Stored) -> bool:
    """Whether two stores put different pointers into different elements."""
    if one.own or other.own:
        return False
    if one.at == other.at and one.place.symbols and _is_one_place(one, other):
        return True
    if one.added or other.added or not (one.place.symbols or other.place.symbols):
        same = one.place == other.place and not (one.added or other.added)
        return same or (one.at.is_const and other.at.is_const and one.at != other.at)
    if not one.place.symbols:
        one, other = other, one
    relation = _relation(one.place, one.at)
    if relation is None:
        return False
    if not other.place.symbols:
        return other.at.is_const and other.at.value == relation[0] * other.place.value + relation[1]
    return relation == _relation(other.place, other.at)


def _relation(place: Term, at: Term) -> tuple[Fraction, Fraction] | None:
    """The factor and the summand that make an address of a place, whatever the symbols are; None: there are none."""
    (begin, atoms), (start, others) = linear(place), linear(at)
    if not atoms or atoms.keys() != others.keys():
        return None
    factors = {Fraction(others[atom], atoms[atom]) for atom in atoms}
    if len(factors) > 1:
        return None
    (factor,) = factors
    return factor, start - factor * begin
