"""Types of objects that may hold pointers of the program, and objects of which it is not known which they hold."""

from __future__ import annotations

import re
from typing import Final

from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import Choice, MemoryObject, NullValue, Pointer

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


def is_open(state: State, target: MemoryObject) -> bool:
    """Whether an object may hold pointers that the run does not know."""
    region = state.store.get(target.key, EMPTY)
    if region.undefined or region.zeroed:
        return False
    cell = region.cells.get(0)
    known = cell is not None and isinstance(cell.value, Pointer | NullValue | Choice)
    return not (known and isinstance(target.element, PointerType))
