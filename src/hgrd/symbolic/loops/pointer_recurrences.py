"""Recurrences of pointers: how they change from one iteration of a loop to the next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.symbolic.loops.pointer_permutations import (
    Permuted,
    connected,
    either,
    leaves,
    own_symbols,
    permutation_at_exit,
    permutation_of,
    unmarked,
)
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import OPAQUE, Choice, OpaqueValue, Pointer, PointerValue, Value
from hgrd.terms import Origin, Term, const, eq, symbols_of, var


class OneOf(Struct, frozen=True):
    """A pointer that is one of some after the first iteration; the offsets of those numbered `moving` are unknown."""

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
        return first if later is None else either(eq(count, const(0)), first, later)


PointerChange: TypeAlias = Permuted | OneOf
LOST: Final = OneOf((OPAQUE,), frozenset())


def pointer_change(
    index: int, firsts: Sequence[Value], starts: Sequence[Value], lasts: Sequence[Value | None], loop: int
) -> PointerChange:
    """The change of the pointer cell `index`, where it does not stay in its object.

    `starts` are the placeholders of all cells, `lasts` their values after the iteration; `loop` numbers the loop.
    """
    found = permutation_of(index, firsts, starts, lasts, loop)
    if found is not None:
        return found
    last = lasts[index]
    if last is None:
        return LOST
    own = set(leaves(starts[index]))
    new = [leaf for leaf in leaves(last) if leaf not in own]
    stays = list(leaves(firsts[index])) if len(new) < len(list(leaves(last))) else []
    foreign = {s for i, start in enumerate(starts) if i != index and lasts[i] != start for s in own_symbols(start)}
    passed = any(symbols_of(leaf.offset) & foreign for leaf in new if isinstance(leaf, Pointer))
    if passed or not unmarked(starts, lasts).keys().isdisjoint(new):
        return _any_of(connected(index, starts, lasts), starts, firsts, lasts)
    if any(isinstance(leaf, OpaqueValue) for leaf in (*new, *stays)):
        return LOST
    moving = (i for i, leaf in enumerate(new) if isinstance(leaf, Pointer) and not leaf.offset.is_const)
    return OneOf((*new, *stays), frozenset(moving))


def pointer_at_exit(
    index: int,
    firsts: Sequence[Value],
    starts: Sequence[Value],
    again: Sequence[Value | None] | None,
    breaks: Sequence[Sequence[Value | None]],
    loop: int,
) -> PointerChange | None:
    """What cell `index` may hold after a loop that breaks may have left; None: it stays in its object.

    `again` are the values after an iteration that another one may follow (None: there is none), `breaks` those after
    each of the breaks.
    """
    lasts = (*(() if again is None else (again,)), *breaks)
    together = frozenset[int]().union(*(connected(index, starts, after) for after in lasts))
    found = [leaf for after in lasts for leaf in leaves(after[index] or OPAQUE)]
    own = {leaf.target.key for leaf in leaves(firsts[index]) if isinstance(leaf, Pointer)}
    if len(own) == 1 and all(isinstance(leaf, Pointer) and leaf.target.key in own for leaf in found):
        return None
    found_together = permutation_at_exit(index, firsts, starts, again, breaks, loop)
    return _any_of(together, starts, firsts, *lasts) if found_together is None else found_together


def _any_of(together: Collection[int], starts: Sequence[Value], *values: Sequence[Value | None]) -> OneOf:
    """Any of the pointers in these cells; the offset of one that is neither constant nor a copy is unknown."""
    copied = {leaf for i in together for leaf in leaves(starts[i]) if own_symbols(leaf)}
    found: dict[PointerValue, bool] = {}
    for leaf in (leaf for some in values for i in sorted(together) for leaf in leaves(some[i] or OPAQUE)):
        moving = isinstance(leaf, Pointer) and not leaf.offset.is_const
        if leaf not in copied:
            key = Pointer(leaf.target, const(0)) if moving and isinstance(leaf, Pointer) else leaf
            found[key] = found.get(key, False) or moving
    if OPAQUE in found:
        return LOST
    return OneOf(tuple(found), frozenset(i for i, moving in enumerate(found.values()) if moving))
