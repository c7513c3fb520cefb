"""Models of `std::initializer_list`, whose value is the address of its array (C++ [dcl.init.list])."""

from __future__ import annotations

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.state.values import UNKNOWN, Pointer, Value
from hgrd.program.expressions import FunctionRef


def list_model(function: FunctionRef) -> Model | None:
    """The model of a member of a list; None: of another function."""
    owner, _, name = function.qualified.rpartition("::")
    return {"begin": _begin, "end": _end}.get(name) if owner == "std::initializer_list" else None


def _begin(call: LibraryCall) -> Value | None:
    return _array(call) or UNKNOWN


def _end(call: LibraryCall) -> Value | None:
    array = _array(call)
    return UNKNOWN if array is None else Pointer(array.target, array.target.size)


def _array(call: LibraryCall) -> Pointer | None:
    here = call.pointer(0)
    cell = None if here.offset is None else here.target.cells.get(here.offset)
    return cell.value if cell is not None and isinstance(cell.value, Pointer) else None
