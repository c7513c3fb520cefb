"""Accesses as source-like text."""

from __future__ import annotations

from hgrd.program.types import ArrayType
from hgrd.symbolic.values import Pointer
from hgrd.terms import show
from hgrd.terms.linear import from_linear, linear

_LONGEST = 60


def access_text(pointer: Pointer, size: int) -> str:
    """`name[index]`, the index in elements where the offset is a multiple of the size."""
    target = pointer.target
    constant, atoms = linear(pointer.offset)
    if constant == 0 and not atoms and not isinstance(target.element, ArrayType) and not target.external:
        return target.name
    if size and constant % size == 0 and all(c % size == 0 for c in atoms.values()):
        index = show(from_linear((constant // size, {t: c // size for t, c in atoms.items()})))
        text = f"{target.name}[{index}]"
    else:
        text = f"{target.name} + {show(pointer.offset)} bytes"
    return text if len(text) <= _LONGEST else f"{target.name}[…]"
