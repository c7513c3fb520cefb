"""Types of objects that may hold pointers of the program."""

from __future__ import annotations

import re
from typing import Final

from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, OpaqueType, RecordType, Type

_HANDLES: Final = re.compile(  # and types of the library that hold no pointers of the program's
    r"(struct )?(CU\w+|cuda\w+|cu(blas|fft|rand|sparse|solver|dnn)\w*|_IO_FILE|FILE)"
    r"|std::(basic_ostream|ostream|string)\b.*"
)


def is_handle(type_: Type | None) -> bool:
    """Whether objects of a type are the library's, behind handles of its own: streams, files."""
    return isinstance(type_, OpaqueType) and _HANDLES.fullmatch(type_.name) is not None


def may_hold(type_: Type | None) -> bool:
    """Whether an object of a type may hold pointers, or numbers that stand for them; None: an unknown type."""
    match type_:
        case OpaqueType():
            return not is_handle(type_)
        case RecordType():
            return True
        case ArrayType(of=of):
            return may_hold(of)
        case IntType() | FloatType() | BoolType():
            return False
        case _:
            return True
