"""Models of `std::string` in the concrete run: its value is the address of a text, the same one for equal texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cpp.elements import keep, own_type
from hgrd.host.concrete.state.values import UNKNOWN, Pointer, Text, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import OpaqueType, PointerType, Type

_OWNERS: Final = ("std::string", "std::basic_string", "std::__cxx11::basic_string")
_TWO: Final = 2


def is_text(type_: Type | None) -> bool:
    return isinstance(type_, OpaqueType) and type_.name.startswith(_OWNERS)


def text_model(function: FunctionRef) -> Model | None:
    """The model of a member of `std::string`, or of a function that makes some; None: of another one."""
    owner, _, name = function.qualified.rpartition("::")
    if owner in _OWNERS:
        return _constructed if name in ("string", "basic_string") else _METHODS.get(name, _changed)
    if function.qualified == "std::to_string":
        return _of_number
    return _joined if name == "operator+" and owner in ("", "std") else None


def _text(call: LibraryCall, index: int) -> Text | None:
    """The text that an argument is the address of, or that a string there has; None: it is not known."""
    place = call.arguments[index]
    if isinstance(place, Pointer) and isinstance(place.target, Text) and place.offset == 0:
        return place.target
    if not isinstance(place, Pointer) or place.offset is None or not is_text(call.pointee(index)):
        return None
    cell = place.target.cells.get(place.offset)
    held = None if cell is None else cell.value
    return held.target if isinstance(held, Pointer) and isinstance(held.target, Text) else None


def _put(call: LibraryCall, text: Text | None) -> None:
    keep(call.pointer(0), UNKNOWN if text is None else Pointer(text, 0), own_type(call))


def _constructed(call: LibraryCall) -> Value | None:
    """string(), string("text"), and copies."""
    if len(call.arguments) == 1:
        _put(call, call.machine.text(""))
    else:
        _put(call, _text(call, 1) if len(call.arguments) == _TWO else None)
    return UNKNOWN


def _assigned(call: LibraryCall) -> Value | None:
    _put(call, _text(call, 1))
    return call.arguments[0]


def _changed(call: LibraryCall) -> Value | None:
    """Any other member: it may have changed the text."""
    _put(call, None)
    return UNKNOWN


def _of_number(call: LibraryCall) -> Value | None:
    """std::to_string(number)."""
    number = call.number(0)
    return UNKNOWN if number is None else Pointer(call.machine.text(str(number)), 0)


def _joined(call: LibraryCall) -> Value | None:
    """operator+ of two texts."""
    texts = _both(call)
    return None if texts is None else _sum(call, *texts)


def _sum(call: LibraryCall, one: Text | None, other: Text | None) -> Value:
    return UNKNOWN if one is None or other is None else Pointer(call.machine.text(one.name + other.name), 0)


def compared_texts(call: LibraryCall) -> Value | None:
    """operator== and operator!= of two texts; None: of other objects."""
    texts = _both(call)
    if texts is None:
        return None
    one, other = texts
    known = one is not None and other is not None
    return int((one is other) == (call.function.name == "operator==")) if known else UNKNOWN


def _both(call: LibraryCall) -> tuple[Text | None, Text | None] | None:
    """The two texts of an operator; None: it is one of other objects."""
    if len(call.arguments) != _TWO or not any(is_text(call.pointee(i)) for i in range(_TWO)):
        return None
    if not all(isinstance(t, PointerType) for t in call.types):
        return None
    return _text(call, 0), _text(call, 1)


def _address(call: LibraryCall) -> Value | None:
    text = _text(call, 0)
    return UNKNOWN if text is None else Pointer(text, 0)


def _length(call: LibraryCall) -> Value | None:
    text = _text(call, 0)
    return UNKNOWN if text is None else len(text.name.encode())


def _is_empty(call: LibraryCall) -> Value | None:
    text = _text(call, 0)
    return UNKNOWN if text is None else int(not text.name)


_METHODS: Final[Mapping[str, Model]] = {
    "operator=": _assigned,
    **dict.fromkeys(("c_str", "data"), _address),
    **dict.fromkeys(("size", "length"), _length),
    "empty": _is_empty,
}
