"""How pointers change from one iteration of a loop to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hgrd.symbolic.values import OPAQUE, Choice, FunctionValue, NullValue, OpaqueValue, Pointer, PointerValue, Value
from hgrd.terms import FALSE, TRUE, Origin, Symbol, Term, const, eq, mod, symbols_of, var

if TYPE_CHECKING:
    from hgrd.symbolic.machine import Machine


@dataclass(frozen=True, slots=True)
class Swapped:
    """Two pointers change places every iteration; the other one begins as `other`."""

    other: PointerValue

    def at(self, machine: Machine, name: str, first: Value, count: Term) -> PointerValue:
        assert isinstance(first, PointerValue)
        even = eq(mod(count, const(2)), const(0))
        return first if even is TRUE else self.other if even is FALSE else Choice(even, first, self.other)


@dataclass(frozen=True, slots=True)
class OneOf:
    """After the first iteration, one of some pointers; the offsets of those in `moving` are not known."""

    pointers: tuple[PointerValue, ...]
    moving: frozenset[int]

    def at(self, machine: Machine, name: str, first: Value, count: Term) -> PointerValue:
        assert isinstance(first, PointerValue)
        later: PointerValue | None = None
        for index, pointer in enumerate(self.pointers):
            if index in self.moving and isinstance(pointer, Pointer):
                offset = machine.names.fresh(name, -(1 << 40), 1 << 40, Origin.UNKNOWN)
                pointer = Pointer(pointer.target, var(offset))
            later = pointer if later is None else Choice(machine.unknown_truth(f"{name}?"), pointer, later)
        return first if later is None else Choice(eq(count, const(0)), first, later)


Moves: TypeAlias = Swapped | OneOf


def pointer_change(
    index: int, firsts: Sequence[Value], starts: Sequence[Value], lasts: Sequence[Value | None]
) -> Moves | None:
    """How the pointer cell `index` changes, where it does not stay in its object.

    `starts` are the placeholders of all cells, `lasts` their values after the iteration.  None: it is not
    known what it points to.
    """
    last = lasts[index]
    for other, start in enumerate(starts):
        if other != index and _offsets(start) and last == start and lasts[other] == starts[index]:
            partner = firsts[other]
            return Swapped(partner) if isinstance(partner, Pointer | Choice) else None
    if last is None:
        return None
    own = set(_leaves(starts[index]))
    leaves = [leaf for leaf in _leaves(last) if leaf not in own]
    stays = list(_leaves(firsts[index])) if len(leaves) < len(list(_leaves(last))) else []
    if any(isinstance(leaf, OpaqueValue) for leaf in (*leaves, *stays)):
        return None
    foreign = {s for i, start in enumerate(starts) if i != index and lasts[i] != start for s in _offsets(start)}
    moving: set[int] = set()
    for position, leaf in enumerate(leaves):
        if isinstance(leaf, Pointer):
            if symbols_of(leaf.offset) & foreign:
                return None
            if not leaf.offset.is_const:
                moving.add(position)
    return OneOf((*leaves, *stays), frozenset(moving))


def _offsets(start: Value) -> frozenset[Symbol]:
    """The symbols that tell a placeholder of a pointer from all other pointers."""
    return symbols_of(*(leaf.offset for leaf in _leaves(start) if isinstance(leaf, Pointer)))


def _leaves(value: Value) -> Iterator[PointerValue]:
    match value:
        case Choice(then=a, otherwise=b):
            yield from _leaves(a)
            yield from _leaves(b)
        case Pointer() | NullValue() | FunctionValue():
            yield value
        case _:
            yield OPAQUE
