"""Tables of pointers that the host fills place by place: what is known of the addresses in all of them.

float *rows[3] = {all, all + n, all + 2 * n};       // as a loop fills them: `rows[k] == all + k * n`
for (float *&row : rows) cudaMalloc(&row, size);    // each `size` bytes or more from the others
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count, islice, pairwise
from typing import Final

from hgrd.program.types import POINTER_SIZE, ArrayType, PointerType
from hgrd.symbolic.addresses import address_of
from hgrd.symbolic.array_patterns import Affine, Apart, ArrayPattern, Pattern
from hgrd.symbolic.polynomials import as_term, constant_difference, difference, overflows, without_overflow
from hgrd.symbolic.values import Cell, MemoryObject, Pointer
from hgrd.terms import Term, const, sub
from hgrd.terms.rewrite import bottom_up

_MOST: Final = 1 << 12  # pointers
_FEWEST: Final = 2


def table_of(holder: MemoryObject, cells: Mapping[int, Cell], first: int) -> ArrayPattern | None:
    """What is known of the pointers that stand from byte `first` of an object on; None: nothing, or fewer than two."""
    type_, found = holder.element, list(islice(_pointers(cells, first), _MOST))
    while isinstance(type_, ArrayType):
        type_ = type_.of
    if not isinstance(type_, PointerType) or len(found) < _FEWEST:
        return None
    pattern, computed = _in_step(found) or _apart(found) or (None, ())
    if pattern is None:
        return None
    return ArrayPattern(
        const(first), POINTER_SIZE, const(len(found)), type_, POINTER_SIZE, pattern, holder.span,
        assumes_no_overflow=any(map(overflows, bottom_up(computed))),
    )  # fmt: skip


def _pointers(cells: Mapping[int, Cell], first: int) -> Iterator[Pointer]:
    """The pointers that stand one after the other from an offset on, each with one target."""
    for offset in count(first, POINTER_SIZE):
        cell = cells.get(offset)
        if cell is None or cell.size != POINTER_SIZE or not isinstance(cell.value, Pointer):
            return
        yield cell.value


def _in_step(found: list[Pointer]) -> tuple[Pattern, tuple[Term, ...]] | None:
    """The pattern of addresses in one object that are equally far apart, and what they are computed from."""
    addresses = [address for p in found if (address := address_of(p)) is not None]
    if len(addresses) < len(found) or any(p.target != found[0].target for p in found):
        return None
    step = as_term(difference(addresses[1], addresses[0]))
    if any(constant_difference(sub(b, a), step) != 0 for a, b in pairwise(addresses)):
        return None
    return Affine(without_overflow(addresses[0]), step), tuple(addresses)


def _apart(found: list[Pointer]) -> tuple[Pattern, tuple[Term, ...]] | None:
    """The pattern of addresses of different objects that are equally long, each from the same byte on."""
    targets, size = {p.target.key: p.target for p in found}, found[0].target.size
    if size is None or len(targets) < len(found) or any(p.offset is not found[0].offset for p in found):
        return None
    if any(t.external or t.size is not size for t in targets.values()):
        return None
    return Apart(without_overflow(size)), (size,)
