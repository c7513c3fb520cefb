"""Models of algorithms of the C++ library that call functions of the program, in the concrete run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cmp_to_key
from itertools import pairwise
from typing import Final

from msgspec import Struct

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cpp.algorithms import algorithm
from hgrd.host.concrete.library.cpp.wrappers import function_of
from hgrd.host.concrete.state.memory import load, store, width_of
from hgrd.host.concrete.state.values import UNKNOWN, Callee, Closure, Object, Parts, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.program import Function
from hgrd.program.types import PointerType, RecordType, Type

_MOST: Final = 1 << 12  # calls
_FIRST: Final[Mapping[str, int]] = {"accumulate": 3, "transform": 3}  # arguments before the function


class _Element(Struct, frozen=True):
    """An element at a place, which a function gets by reference or by value."""

    place: Pointer


class _Given(Struct, frozen=True):
    """A function that an algorithm gets, and the object that it belongs to."""

    call: LibraryCall
    function: Function
    own: tuple[Value, ...]

    def on(self, *given: _Element | Value) -> Value:
        """The result for elements and values."""
        types = tuple(p.type for p in self.function.parameters)
        rest = types[len(self.own) :]
        if len(rest) != len(given):
            raise StoppedError
        arguments = [_argument(self.call, one, type_) for one, type_ in zip(given, rest, strict=True)]
        ref, machine = self.function.ref, self.call.machine
        return machine.call(ref, (*self.own, *arguments), types, ref.returns, self.call.span)

    def holds(self, *given: _Element | Value) -> bool:
        """Whether a test of elements is true; the run stops where that is not known."""
        result = self.on(*given)
        if not isinstance(result, int):
            raise StoppedError
        return bool(result)


def _argument(call: LibraryCall, given: _Element | Value, type_: Type) -> Value:
    records = call.machine.records
    match given, type_:
        case _Element(place=place), PointerType(reference=True):
            return place
        case _Element(place=place), _:
            return load(place, type_, records)
        case _, PointerType(to=to, reference=True):
            return Pointer(_copy(call, given, to), 0)
        case _:
            return given


def _copy(call: LibraryCall, value: Value, type_: Type) -> Object:
    made = Object("value", width_of(type_, call.machine.records))
    store(Pointer(made, 0), value, type_, call.machine.records, call.span)
    return made


def _given(call: LibraryCall, index: int) -> _Given:
    """The function that an argument is; the run stops where it is not known."""
    value, type_ = call.value(index), call.types[index]
    type_ = type_.to if isinstance(type_, PointerType) else type_
    if isinstance(value, Parts) and isinstance(type_, RecordType):
        value = Closure(_copy(call, value, type_), type_.key)
    function, own = function_of(call.machine, value)
    if function is None or function.body is None:
        raise StoppedError
    return _Given(call, function, own)


class _Range(Struct, frozen=True):
    """Elements of a type, in order."""

    type: Type
    places: tuple[Pointer, ...]

    @property
    def elements(self) -> Iterator[_Element]:
        return map(_Element, self.places)


def _range(call: LibraryCall, first: int, count: int | None = None) -> _Range:
    """The elements from an argument on, so many or to before the next one; the run stops where they are not known."""
    begin, type_ = call.pointer(first), call.pointee(first)
    width = call.width(type_)
    if type_ is None or not width or begin.offset is None:
        raise StoppedError
    if count is None:
        end = call.pointer(first + 1)
        if end.target is not begin.target or end.offset is None:
            raise StoppedError
        count = (end.offset - begin.offset) // width
    if not 0 <= count <= _MOST:
        raise StoppedError
    offsets = range(begin.offset, begin.offset + count * width, width)
    return _Range(type_, tuple(Pointer(begin.target, offset) for offset in offsets))


def _counted(call: LibraryCall) -> _Range:
    count = call.number(1)
    if count is None:
        raise StoppedError
    return _range(call, 0, count)


def _for_each(call: LibraryCall) -> Value | None:
    given = _range(call, 0) if call.function.name == "for_each" else _counted(call)
    function = _given(call, 2)
    for element in given.elements:
        function.on(element)
    return UNKNOWN


def _generate(call: LibraryCall) -> Value | None:
    given = _range(call, 0) if call.function.name == "generate" else _counted(call)
    function = _given(call, 2)
    for place in given.places:
        call.store(place, function.on(), given.type)
    return UNKNOWN


def _transform(call: LibraryCall) -> Value | None:
    function, given, last = _given(call, len(call.arguments) - 1), _range(call, 0), len(call.arguments) - 2
    others = [_range(call, 2, len(given.places))] if last == 3 else []
    to = _range(call, last, len(given.places))
    for place, *elements in zip(to.places, given.elements, *(o.elements for o in others), strict=True):
        call.store(place, function.on(*elements), to.type)
    return UNKNOWN


def _tested(choose: Callable[[Iterator[bool]], int]) -> Model:
    """all_of, any_of, none_of and count_if: what follows from the tests of all elements."""

    def model(call: LibraryCall) -> Value | None:
        function = _given(call, 2)
        return choose(function.holds(element) for element in _range(call, 0).elements)

    return model


def _find(call: LibraryCall) -> Value | None:
    function, wanted = _given(call, 2), call.function.name == "find_if"
    found = (e.place for e in _range(call, 0).elements if function.holds(e) == wanted)
    return next(found, call.arguments[1])


def _accumulate(call: LibraryCall) -> Value | None:
    function, sum_ = _given(call, 3), call.value(2)
    for element in _range(call, 0).elements:
        sum_ = function.on(sum_, element)
    return sum_


def _sort(call: LibraryCall) -> Value | None:
    """std::sort(first, last, less): where neither of two comes first, only a stable sort says where they are."""
    function, given, records = _given(call, 2), _range(call, 0), call.machine.records
    copies = [_Element(Pointer(_copy(call, load(p, given.type, records), given.type), 0)) for p in given.places]

    def compared(one: _Element, other: _Element) -> int:
        return -1 if function.holds(one, other) else int(function.holds(other, one))

    ordered = sorted(copies, key=cmp_to_key(compared))
    alike = any(compared(a, b) == 0 for a, b in pairwise(ordered))
    for place, element in zip(given.places, ordered, strict=True):
        known = not alike or call.function.name == "stable_sort"
        call.store(place, load(element.place, given.type, records) if known else UNKNOWN, given.type)
    return UNKNOWN


def _remove(call: LibraryCall) -> Value | None:
    """std::remove_if(first, last, test): the elements that stay come first; where they end is the result."""
    function, given, records = _given(call, 2), _range(call, 0), call.machine.records
    kept = [load(e.place, given.type, records) for e in given.elements if not function.holds(e)]
    for place, value in zip(given.places, kept, strict=False):
        call.store(place, value, given.type)
    return given.places[len(kept)] if len(kept) < len(given.places) else call.arguments[1]


_MODELS: Final[Mapping[str, Model]] = {
    **dict.fromkeys(("for_each", "for_each_n"), _for_each),
    **dict.fromkeys(("generate", "generate_n"), _generate),
    "transform": _transform,
    "all_of": _tested(all),
    "any_of": _tested(any),
    "none_of": _tested(lambda tests: not any(tests)),
    "count_if": _tested(sum),
    **dict.fromkeys(("find_if", "find_if_not"), _find),
    "accumulate": _accumulate,
    **dict.fromkeys(("sort", "stable_sort"), _sort),
    "remove_if": _remove,
}


def given_code_model(function: FunctionRef) -> Model | None:
    """The model of an algorithm that may call functions of the program; None: of another function."""
    owner, _, name = function.qualified.rpartition("::")
    found = _MODELS.get(name) if owner == "std" else None
    if found is None:
        return None
    return lambda call: found(call) if _has_code(call) else algorithm(call)


def _has_code(call: LibraryCall) -> bool:
    """Whether the last argument is a function of the program."""
    last = len(call.arguments) - 1
    type_ = call.types[last]
    type_ = type_.to if isinstance(type_, PointerType) and type_.reference else type_
    return last >= _FIRST.get(call.function.name, 2) and (
        isinstance(type_, RecordType) or isinstance(call.value(last), Callee | Closure)
    )
