"""Models of C++ algorithms that fill arrays, copy them, reorder their elements, or only look at them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.library.reordered_pointers import reversed_pointers, rotated, swapped
from hgrd.host.memory.array_contents import (
    copied_patterns,
    drop_aliased_patterns,
    drop_reachable_patterns,
    patterns_beside,
    patterns_of,
    record_patterns_at,
)
from hgrd.host.memory.unknowns import direct_targets, forget_targets
from hgrd.program.types import INT, BoolType, FloatType, IntType, PointerType
from hgrd.symbolic.array_patterns import Affine, ArrayPattern, Ascending, Distinct, all_differ
from hgrd.symbolic.pointers import move
from hgrd.symbolic.polynomials import as_term, constant_difference, difference
from hgrd.symbolic.state import ConditionKind
from hgrd.symbolic.values import OPAQUE, Pointer, Value
from hgrd.terms import Origin, Term, add, as_int, const, le, mul, wrap

_ANY: Final = 1 << 64  # more elements than there can be


def _range(call: LibraryCall) -> tuple[Pointer, Term, IntType] | None:
    """The begin of [first, last), the number of integers in it (if not below 0), and their type; None: unknown."""
    if len(call.arguments) < 2:
        return None
    first, last, type_ = call.arguments[0], call.arguments[1], call.type_of(0)
    if not isinstance(first, Pointer) or not isinstance(last, Pointer) or first.target.key != last.target.key:
        return None
    element = type_.to if isinstance(type_, PointerType) else None
    size = None if element is None else call.machine.size(element)
    if not isinstance(element, IntType) or size is None:
        return None
    bytes_ = difference(last.offset, first.offset)
    if any(c % size for c in bytes_.values()):
        return None
    return first, as_term({m: c // size for m, c in bytes_.items()}), element


def _written(call: LibraryCall) -> None:
    call.run.provenance.objects.record_remade(direct_targets(call.arguments[:1]), call.span)
    call.run.provenance.beginnings.record_computed(call.state, direct_targets(call.arguments[:1]))
    drop_reachable_patterns(call.state, call.arguments)
    forget_targets(call.state, call.arguments[:2], deep=False)


def _iota(call: LibraryCall) -> Value | None:
    """std::iota(first, last, value): value, value + 1, …"""
    found, value = _range(call), call.argument(2)
    if found is None or not isinstance(value, Term):
        return None
    first, count, type_ = found
    if call.type_of(2) != type_ and (call.type_of(2) != INT or type_.bits < INT.bits or as_int(value).low < 0):
        return None
    size = call.machine.size(type_) or 1
    _written(call)
    call.run.provenance.beginnings.record_fill(call.state, first, value, const(size), call.span, size)
    cut = None if type_.signed and type_.bits >= INT.bits else (type_.bits, type_.signed)
    fill = ArrayPattern(
        first.offset,
        size,
        count,
        type_,
        size,
        Affine(as_int(value), const(1), cut),
        call.span,
        assumes_no_overflow=True,
    )
    if cut is None:  # more elements than the type has numbers overflow
        fill = replace(fill, most=_ANY)
    record_patterns_at(call.state, first, (fill,))
    return OPAQUE


def _filled(call: LibraryCall) -> Value | None:
    """std::fill(first, last, value) and std::fill_n(first, count, value): all elements are equal."""
    found, value = _range(call) if call.name == "fill" else _counted(call), call.argument(2)
    if found is None or not isinstance(value, Term):
        return None
    first, count, type_ = found
    size = call.machine.size(type_) or 1
    bytes_ = mul(count, const(size))
    left = patterns_beside(call.state, first, bytes_)
    _written(call)
    call.run.provenance.beginnings.record_fill(call.state, first, value, bytes_, call.span, size)
    pattern = Affine(wrap(as_int(value), type_.bits, type_.signed, soft=False), const(0))
    record_patterns_at(
        call.state, first, (*left, ArrayPattern(first.offset, size, count, type_, size, pattern, call.span))
    )
    return OPAQUE if call.name == "fill" else move(first, bytes_)


def _counted(call: LibraryCall) -> tuple[Pointer, Term, IntType] | None:
    """As `_range`, for a range that is given by its begin and number of elements."""
    first, type_, count = call.arguments[0], call.type_of(0), call.number(1)
    element = type_.to if isinstance(type_, PointerType) else None
    if not isinstance(first, Pointer) or not isinstance(element, IntType) or count is None:
        return None
    return first, count, element


def _reordered(call: LibraryCall) -> Value | None:
    """std::shuffle(first, last, …) and its like: elements of exactly this range that all differed still do."""
    found = _range(call)
    if found is None:
        return None
    first, count, type_ = found
    fills = (f for f in patterns_of(call.state, first.target) if f.size == call.machine.size(type_))
    known = tuple(
        replace(f, pattern=Distinct()) for f in fills if _is_all(f, first.offset, count) and all_differ(f.pattern)
    )
    _written(call)
    if not known and "sort" in call.name and len(call.arguments) == 2:
        known = (_ascending(call, first, count, type_, 0),)
    record_patterns_at(call.state, first, known)
    return OPAQUE


def _ascending(call: LibraryCall, first: Pointer, count: Term, type_: IntType, gap: int) -> ArrayPattern:
    """Each of `count` numbers is at least `gap` above the one before."""
    size = call.machine.size(type_) or 1
    return ArrayPattern(first.offset, size, count, type_, size, Ascending(gap), call.span, _ANY)


def _unique(call: LibraryCall) -> Value | None:
    """std::unique(first, last): of sorted numbers, each is left once (C++ [alg.unique])."""
    found = _range(call)
    if found is None or len(call.arguments) != 2:
        return None
    first, count, type_ = found
    fills = patterns_of(call.state, first.target)
    ascends = any(isinstance(f.pattern, Ascending) and _is_all(f, first.offset, count) for f in fills)
    left = call.machine.unknown(call.name, IntType(31, False), Origin.COMPUTED)
    assert isinstance(left, Term)
    _written(call)
    call.state.assume(le(left, count), ConditionKind.VALUE, call.span)
    if ascends:
        record_patterns_at(call.state, first, (_ascending(call, first, left, type_, 1),))
    return move(first, mul(left, const(call.machine.size(type_) or 1)))


def _copied(call: LibraryCall) -> Value | None:
    """std::copy(first, last, to) and std::move(first, last, to): elements of one type are copied as they are."""
    found, to = _range(call), call.arguments[2] if len(call.arguments) == 3 else None
    if found is None or not isinstance(to, Pointer) or call.type_of(0) != call.type_of(2):
        return None
    first, count, type_ = found
    size = mul(count, const(call.machine.size(type_) or 1))
    known = (*patterns_beside(call.state, to, size), *copied_patterns(call.state, to, first, size))
    drop_aliased_patterns(call.state, to)
    by_name = partial(call.run.provenance.names.program_made, call.call.arguments[0])
    call.run.provenance.objects.record_copy(to, first, by_name)
    call.run.provenance.beginnings.record_copy(call.state, to, first, size, call.span)
    forget_targets(call.state, (to,), deep=False)
    record_patterns_at(call.state, to, known)
    return move(to, size)


def _looked_at(call: LibraryCall) -> Value | None:
    """std::accumulate, std::find and their like change nothing, unless they call a function object.

    What they make of the program's own values is a value that the program has computed.
    """
    if not all(isinstance(call.type_of(i), PointerType | IntType | FloatType) for i in range(len(call.arguments))):
        return None
    first, type_ = call.arguments[0], call.call.type
    match first, type_:
        case Pointer(), PointerType(to=IntType() as element) if call.type_of(0) == type_:
            index = call.machine.unknown(call.name, IntType(32, False), Origin.COMPUTED)
            size = const(call.machine.size(element) or 1)
            return move(first, mul(as_int(index), size)) if isinstance(index, Term) else None
        case Pointer(target=target), IntType() | FloatType() | BoolType():
            by_name = partial(call.run.provenance.names.program_made, call.call.arguments[0])
            made = call.run.provenance.objects.of(target, by_name) is not None
            return call.machine.unknown(call.name, type_, Origin.COMPUTED) if made else call.unknown()
        case _:
            return None


def _is_all(fill: ArrayPattern, first: Term, count: Term) -> bool:
    """Whether an array pattern covers exactly the `count` elements from the offset `first` on."""
    if fill.ranges or fill.holes or fill.most < fill.count.high - 1:
        return False
    begin, end = (first, _end(first, count, fill.size))
    if abs(fill.stride) != fill.size:
        return False
    own = fill.start if fill.stride > 0 else fill.at(_end(fill.count, const(-1), 1))
    return constant_difference(own, begin) == 0 and constant_difference(_end(own, fill.count, fill.size), end) == 0


def _end(offset: Term, count: Term, size: int) -> Term:
    return add(offset, mul(count, const(size)))


_OF_ALGORITHM: Final = 3  # arguments that std::move has at least as an algorithm
_LOOKING: Final = (  # C++ [alg.nonmodifying], [alg.sorting], [numeric.ops]
    "accumulate", "inner_product", "max_element", "min_element", "is_sorted", "find", "count", "equal", "binary_search",
)  # fmt: skip
_ALGORITHMS: Final[Mapping[str, LibraryModel]] = {
    "iota": _iota,
    **dict.fromkeys(("fill", "fill_n"), _filled),
    "unique": _unique,
    "copy": _copied,
    "move": _copied,
    **dict.fromkeys(_LOOKING, _looked_at),
    **dict.fromkeys(("shuffle", "random_shuffle", "sort", "stable_sort"), _reordered),
    "reverse": lambda call: _reordered(call) or reversed_pointers(call),
    "rotate": rotated,
    "iter_swap": swapped,
}


def is_algorithm(name: str, arguments: int) -> bool:
    """Whether a name that an algorithm shares with another function stands for the algorithm (C++ [alg.move])."""
    return name == "move" and arguments >= _OF_ALGORITHM


def algorithm_model(qualified: str) -> LibraryModel | None:
    """The model of an algorithm that gets pointers into an array; None: it has no model."""
    return _ALGORITHMS.get(qualified.removeprefix("std::"))
