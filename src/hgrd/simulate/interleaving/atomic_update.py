"""New values of memory after atomic operations (CUDA C++ Programming Guide, "Atomic Functions")."""

from __future__ import annotations

from collections.abc import Sequence

from hgrd.program.expressions import BinaryOp
from hgrd.program.types import Type
from hgrd.simulate import scalars
from hgrd.simulate.scalars import Scalar


def modified(operation: str, old: Scalar, operands: Sequence[Scalar], type_: Type) -> Scalar:
    """The value that the operation leaves where it found `old`."""
    first = operands[0]
    match operation:
        case "cas":
            return operands[1] if old == first else old
        case "exch" | "store":
            return first
        case "min":
            return min(scalars.number(old), scalars.number(first))
        case "max":
            return max(scalars.number(old), scalars.number(first))
        case "inc":
            return 0 if scalars.integer(old) >= scalars.integer(first) else scalars.integer(old) + 1
        case "dec":
            limit = scalars.integer(first)
            return limit if old == 0 or scalars.integer(old) > limit else scalars.integer(old) - 1
        case _:
            op = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}[operation]
            return scalars.binary(BinaryOp(op), old, first, type_)
