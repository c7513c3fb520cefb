"""Models of algorithms of the C++ library, Thrust and CUB in the concrete run."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, groupby
from typing import Final, TypeAlias

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.state.arithmetic import converted, cut
from hgrd.host.concrete.state.memory import forget, load, store
from hgrd.host.concrete.state.values import UNKNOWN, Pointer, StoppedError, Value
from hgrd.program.types import IntType, OpaqueType, PointerType, Type

_MOST: Final = 1 << 16  # elements
Numbers: TypeAlias = list[int]


class Range:
    """The integers from one address to before another one; `numbers` None: they are not all known."""

    def __init__(self, call: LibraryCall, begin: int = 0, *, skip: int = 0, count: int | None = None) -> None:
        self.call, self.begin, self.type = call, begin, call.pointee(begin + skip)
        self.place = call.pointer(begin)
        self.width = call.width(self.type)
        self.count = count if skip or count is not None else self._length()

    def _length(self) -> int | None:
        last = self.call.arguments[self.begin + 1]
        start = self.place.offset
        if not isinstance(last, Pointer) or last.target is not self.place.target or not self.width:
            return None
        if start is None or last.offset is None or last.offset < start:
            return None
        return (last.offset - start) // self.width

    def numbers(self) -> Numbers | None:
        """What the elements are; None: they are not all known."""
        if self.count is None or self.count > _MOST or self.type is None or not self.width:
            return None
        start, found = self.place.offset, Numbers()
        if start is None or not isinstance(self.type, IntType):
            return None
        for k in range(self.count):
            value = load(Pointer(self.place.target, start + k * self.width), self.type, self.call.machine.records)
            if not isinstance(value, int):
                return None
            found.append(value)
        return found


def write(call: LibraryCall, place: Pointer, type_: Type | None, numbers: Iterable[int] | None) -> Pointer:
    """Stores numbers one after the other (None: what they are is not known); the result is the place after them."""
    width = call.width(type_)
    call.machine.step()
    if numbers is None or place.offset is None or not width or not isinstance(type_, IntType):
        forget(place.target)
        return Pointer(place.target, None)
    offset = place.offset
    for number in numbers:
        store(Pointer(place.target, offset), cut(number, type_), type_, call.machine.records, call.span)
        offset += width
    return Pointer(place.target, offset)


def _iota(call: LibraryCall) -> Value | None:
    given, first = Range(call), call.number(2)
    known = given.count is not None and given.count <= _MOST and first is not None
    write(call, given.place, given.type, range(first, first + given.count) if known else None)  # pyright: ignore
    return UNKNOWN


def _fill(call: LibraryCall) -> Value | None:
    given, value = Range(call), call.number(2)
    known = given.count is not None and given.count <= _MOST and value is not None
    write(call, given.place, given.type, [value] * given.count if known else None)  # pyright: ignore
    return UNKNOWN


def _fill_n(call: LibraryCall) -> Value | None:
    place, count, value = call.pointer(0), call.number(1), call.number(2)
    known = count is not None and count <= _MOST and value is not None
    return write(call, place, call.pointee(0), [value] * count if known else None)  # pyright: ignore


def _sort(call: LibraryCall) -> Value | None:
    given = Range(call)
    downwards = _order(call, 2)
    numbers = given.numbers()
    ordered = None if numbers is None or downwards is None else sorted(numbers, reverse=downwards)
    _rewrite(call, given, ordered)
    return UNKNOWN


def _order(call: LibraryCall, index: int) -> bool | None:
    """Whether an order goes downwards; None: it is not known."""
    if len(call.arguments) == index:
        return False
    type_ = call.types[index]
    name = type_.name if isinstance(type_, OpaqueType) else ""
    known = {"std::less": False, "thrust::less": False, "std::greater": True, "thrust::greater": True}
    found = known.get(name.partition("<")[0])
    if found is None and not name:
        raise StoppedError  # it runs code of the program
    return found


def _rewrite(call: LibraryCall, given: Range, numbers: Numbers | None) -> None:
    write(call, given.place, given.type, numbers)


def _reverse(call: LibraryCall) -> Value | None:
    given = Range(call)
    numbers = given.numbers()
    _rewrite(call, given, None if numbers is None else numbers[::-1])
    return UNKNOWN


def _unique(call: LibraryCall) -> Value | None:
    """What stands behind the result is not specified: it stays as it was in the known libraries, moved from or not."""
    given = Range(call)
    numbers = given.numbers() if len(call.arguments) == 2 else None
    if numbers is None or given.width is None or given.place.offset is None:
        forget(given.place.target)
        return Pointer(given.place.target, None)
    kept = [key for key, _ in groupby(numbers)]
    return write(call, given.place, given.type, kept)


def _copy(call: LibraryCall) -> Value | None:
    given, to = Range(call), call.pointer(2)
    return write(call, to, call.pointee(2), given.numbers())


def _copy_n(call: LibraryCall) -> Value | None:
    given, to = Range(call, count=call.number(1)), call.pointer(2)
    return write(call, to, call.pointee(2), given.numbers())


def _exclusive_scan(call: LibraryCall) -> Value | None:
    given, to = Range(call), call.pointer(2)
    first = call.number(3) if len(call.arguments) > 3 else 0
    numbers = given.numbers() if len(call.arguments) <= 4 else None
    if numbers is None or first is None:
        return write(call, to, call.pointee(2), None)
    return write(call, to, call.pointee(2), list(accumulate(numbers[:-1], initial=first)) if numbers else [])


def _inclusive_scan(call: LibraryCall) -> Value | None:
    given, to = Range(call), call.pointer(2)
    numbers = given.numbers() if len(call.arguments) == 3 else None
    return write(call, to, call.pointee(2), None if numbers is None else accumulate(numbers))


def _device_scan(call: LibraryCall) -> Value | None:
    """cub::DeviceScan: with no memory to work in, it only says how much it needs."""
    size, source, to, count = call.pointer(1), call.arguments[2], call.pointer(3), call.number(4)
    if not isinstance(call.arguments[0], Pointer):
        forget(size.target)
        return 0
    given = Range(call, 2, count=count) if isinstance(source, Pointer) else None
    numbers = None if given is None else given.numbers()
    if numbers is not None:
        exclusive = call.function.name == "ExclusiveSum"
        numbers = list(accumulate(numbers[:-1], initial=0)) if exclusive else list(accumulate(numbers))
    write(call, to, call.pointee(3), numbers)
    return 0


def _sum(call: LibraryCall) -> Value | None:
    given = Range(call)
    numbers, first = given.numbers(), call.number(2) if len(call.arguments) > 2 else 0
    if numbers is None or first is None or len(call.arguments) > 3:
        return UNKNOWN
    return converted(first + sum(numbers), call.returns)


def _extreme(choose: Callable[[int, int], int]) -> Model:
    """std::min(a, b) and std::max(a, b): a reference to one of them."""

    def model(call: LibraryCall) -> Value | None:
        a, b = call.number(0), call.number(1)
        if len(call.arguments) != 2 or a is None or b is None:
            return UNKNOWN
        chosen = choose(a, b)
        if not isinstance(call.returns, PointerType):
            return chosen
        return call.arguments[0] if chosen == a else call.arguments[1]

    return model


def _extreme_element(choose: Callable[[Numbers], int]) -> Model:
    """std::min_element(first, last) and std::max_element(first, last): the first of them."""

    def model(call: LibraryCall) -> Value | None:
        given = Range(call)
        numbers = given.numbers() if len(call.arguments) == 2 else None
        if not numbers or given.place.offset is None or given.width is None:
            return Pointer(given.place.target, None)
        return Pointer(given.place.target, given.place.offset + numbers.index(choose(numbers)) * given.width)

    return model


def _bound(find: Callable[[Numbers, int], int]) -> Model:
    def model(call: LibraryCall) -> Value | None:
        given, value = Range(call), call.number(2)
        numbers = given.numbers() if len(call.arguments) == 3 else None
        if numbers is None or value is None or given.place.offset is None or given.width is None:
            return Pointer(given.place.target, None)
        if numbers != sorted(numbers):
            return Pointer(given.place.target, None)
        return Pointer(given.place.target, given.place.offset + find(numbers, value) * given.width)

    return model


def _swap(call: LibraryCall) -> Value | None:
    """std::swap(a, b) of numbers, pointers and records; std::iter_swap(p, q)."""
    a, b, type_ = call.pointer(0), call.pointer(1), call.pointee(0)
    if type_ is None or call.width(type_) is None:
        forget(a.target)
        forget(b.target)
        return UNKNOWN
    records = call.machine.records
    x, y = load(a, type_, records), load(b, type_, records)
    store(a, y, type_, records, call.span)
    store(b, x, type_, records, call.span)
    return UNKNOWN


def _exchange(call: LibraryCall) -> Value | None:
    """std::exchange(a, b): the old value of a."""
    a, type_ = call.pointer(0), call.pointee(0)
    if type_ is None:
        return None
    before = load(a, type_, call.machine.records)
    call.store(a, call.value(1), type_)
    return before


def _same(call: LibraryCall) -> Value | None:
    """std::move(x), std::forward(x): the same reference."""
    return call.arguments[0] if len(call.arguments) == 1 else _copy(call)


def _raw(call: LibraryCall) -> Value | None:
    """thrust::raw_pointer_cast(p): the address."""
    value = call.arguments[0]
    cell = value.target.cells.get(value.offset) if isinstance(value, Pointer) and value.offset is not None else None
    return cell.value if cell is not None and isinstance(cell.value, Pointer) else value


def _unknown_order(call: LibraryCall) -> Value | None:
    """std::shuffle(first, last, …): each library has its own order."""
    for argument in call.arguments:
        if isinstance(argument, Pointer):
            forget(argument.target)
    return UNKNOWN


_ALGORITHMS: Final[Mapping[str, Model]] = {
    "iota": _iota,
    "sequence": _iota,
    "fill": _fill,
    "fill_n": _fill_n,
    **dict.fromkeys(("sort", "stable_sort"), _sort),
    "reverse": _reverse,
    "unique": _unique,
    "copy": _copy,
    "copy_n": _copy_n,
    "exclusive_scan": _exclusive_scan,
    **dict.fromkeys(("inclusive_scan", "partial_sum"), _inclusive_scan),
    **dict.fromkeys(("accumulate", "reduce"), _sum),
    "min": _extreme(min),
    "max": _extreme(max),
    "min_element": _extreme_element(min),
    "max_element": _extreme_element(max),
    "lower_bound": _bound(bisect_left),
    "upper_bound": _bound(bisect_right),
    **dict.fromkeys(("swap", "iter_swap"), _swap),
    "exchange": _exchange,
    **dict.fromkeys(("move", "forward"), _same),
    **dict.fromkeys(("raw_pointer_cast", "device_pointer_cast"), _raw),
    **dict.fromkeys(("shuffle", "random_shuffle"), _unknown_order),
}


def algorithm_model(qualified: str) -> Model | None:
    """The model of an algorithm; None: it has none."""
    owner, _, name = qualified.rpartition("::")
    if owner.endswith("DeviceScan") and name in ("ExclusiveSum", "InclusiveSum"):
        return _device_scan
    return _ALGORITHMS.get(name) if owner in ("", "std", "thrust", "std::ranges") else None


def algorithm(call: LibraryCall) -> Value | None:
    """The result of an algorithm that calls nothing of the program."""
    model = algorithm_model(call.function.qualified)
    return None if model is None else model(call)
