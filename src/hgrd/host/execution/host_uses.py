"""Uses of memory by the host itself, for the trace: its loads and stores, and what functions of the library do.

Work on the device may use the same memory until the host has waited for it (CUDA Programming Guide, "Unified Memory
Programming", "Mapped Memory").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from hgrd.cuda.atomics import is_atomic_object
from hgrd.cuda.spelling import cuda_name
from hgrd.host.concurrency.addresses import ANYWHERE, Place
from hgrd.host.concurrency.rows import Row
from hgrd.host.concurrency.trace import Touch, Use, Wait, choices_of, told_of
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.library_names import ADDRESSING
from hgrd.host.linking.stored_kinds import NUMBERS, Kind, kind_of
from hgrd.program.layout import scalars
from hgrd.program.span import Span
from hgrd.program.types import CHAR, VOID, ArrayType, IntType, OpaqueType, PointerType, Type
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value, pointed_to
from hgrd.terms import Term, const, mul, sub, symbols_of

_READING: Final = frozenset(
    (
        "accumulate", "reduce", "inner_product", "transform_reduce", "max_element", "min_element", "minmax_element",
        "is_sorted", "find", "find_if", "find_if_not", "count", "count_if", "equal", "mismatch", "binary_search",
        "lower_bound", "upper_bound", "all_of", "any_of", "none_of", "memcmp", "strcmp", "strlen", "fwrite", "fputs",
        "puts", "write", "atoi", "atof", "atol", "atoll", "strtol", "strtod", "strtof", "strtoul", "strtoll",
        "strtoull",
    )
)  # fmt: skip
_WRITING: Final = frozenset(
    (
        "fill", "fill_n", "iota", "generate", "generate_n", "sort", "stable_sort", "partial_sort", "nth_element",
        "reverse", "rotate", "shuffle", "random_shuffle", "replace", "replace_if", "for_each", "for_each_n", "unique",
        "remove", "remove_if", "partition", "swap_ranges", "uninitialized_fill", "uninitialized_fill_n", "memset",
        "fread", "fgets", "read", "iter_swap", "make_heap", "push_heap", "pop_heap", "sort_heap", "inplace_merge",
        "qsort", "snprintf", "sprintf", "strcat", "construct_at",
    )
)  # fmt: skip
_FROM_FIRST: Final = frozenset(  # read a range and write another one
    (
        "copy", "copy_n", "copy_if", "copy_backward", "move", "move_backward", "transform", "partial_sum",
        "inclusive_scan", "exclusive_scan", "adjacent_difference", "replace_copy", "reverse_copy", "merge",
        "uninitialized_copy", "uninitialized_copy_n", "rotate_copy", "remove_copy", "remove_copy_if", "unique_copy",
    )
)  # fmt: skip
_TO_FIRST: Final = ("memcpy", "memmove", "strcpy", "strncpy")
_BY_SIZE: Final = ("memset", "memcpy", "memmove")
_COUNTED: Final = ("fill_n", "generate_n", "for_each_n", "copy_n")
_NOT_LOOKING: Final = frozenset(  # at what pointers lead to
    (
        "unique_ptr", "shared_ptr", "reset", "release", "span", "basic_string_view", "device_ptr", "operator delete",
        "operator delete[]", "free", "munmap", "distance", "next", "prev", "advance",
        "launder", "assume_aligned", "to_address", "swap", "exchange", "hash", "assert", "__assert_fail", "atomic",
        "getenv", "fopen", "fclose", "fflush", "perror", "exit",
    )
)  # fmt: skip
_PRINTING: Final = ("printf", "fprintf", "operator<<")
_ON_DEVICE: Final = (
    "cu",
    "nccl",
    "npp",
    "nv",
)  # begin the names of functions that put work on the device, or read none
_CONSTRUCTING: Final = (
    "make_unique", "make_shared", "emplace_back", "emplace", "emplace_front", "try_emplace", "make_optional", "vector",
)  # fmt: skip
_CHANGING: Final = ("swap", "exchange", "operator>>", "from_chars", "getline")
_MOST_MEMBERS: Final = 64
_UNKNOWN: Final = "what an unknown pointer leads to"
_MAKERS: Final = ("vector", "basic_string", "assign", "insert")  # of the elements of a container


def record_use(
    run: HostRunState,
    machine: Machine,
    state: State,
    pointer: Pointer,
    type_: Type,
    span: Span,
    *,
    writes: bool,
    unsure: bool = False,
) -> None:
    """Adds that the host reads or writes a value, if kernels may reach it; `unsure`: perhaps, or again and again."""
    if not _counts(run, machine, state, pointer.target):
        return
    size, kind = machine.size(type_), kind_of(type_)
    row = None if size is None else Row(const(0), 0, size, const(0), const(1), writes, reads=not writes)
    kinds = None if kind is None else frozenset((kind,))
    _add(run, state, pointer, row, span, writes=writes, kinds=kinds, unsure=unsure)


def record_use_anywhere(
    run: HostRunState, machine: Machine, state: State, type_: Type, span: Span, *, writes: bool
) -> None:
    """Adds that the host reads or writes a value through a pointer of which nothing is known."""
    if run.text.host_uses and not machine.speculative and state.alive:
        kind, place = kind_of(type_), Place(f"{ANYWHERE}{_UNKNOWN}", const(0))
        kinds = None if kind is None else frozenset((kind,))
        touch = Touch(place, writes, not writes, writes, (), kinds=kinds)
        run.trace.names.setdefault(place.key, _UNKNOWN)
        run.trace.add(Use(touch, span, choices_of(state), frozenset(), told_of(state), sure=False))


def record_poll(run: HostRunState, machine: Machine, state: State) -> None:
    """Adds that the host may wait until it reads a certain value: the order is by communication."""
    if (run.text.host_uses or run.text.ordering) and not machine.speculative and state.alive:
        run.trace.add(Wait(None, None, run.trace.device, choices_of(state), sure=False))


def record_call(call: LibraryCall) -> None:
    """Adds what a function of the C or C++ library does with the memory that it is given by pointers."""
    function = call.call.function
    if function.user_code or not call.run.text.host_uses or cuda_name(function.name).startswith(_ON_DEVICE):
        return
    name = function.name.removeprefix("__builtin_")
    if name not in ADDRESSING or name == "tie":
        _record_references(call, name)
    if function.qualified.startswith("thrust::"):
        return
    if name in _READING or name in _WRITING or name in _FROM_FIRST or name in _TO_FIRST:
        _record_ranges(call, name)
    elif name in _MAKERS and function.qualified.startswith("std::"):
        _record_ranges(call, name, makes=True)
    elif name in _PRINTING:
        _record_texts(call)
    elif name not in _NOT_LOOKING and name not in ADDRESSING:
        _record_unknown(call)


def _record_ranges(call: LibraryCall, name: str, *, makes: bool = False) -> None:
    """Adds what a function that is known does; `makes`: of the elements of a container, which comes first."""
    for index, value in enumerate(call.arguments):
        type_ = call.type_of(index)
        if index < makes or not isinstance(type_, PointerType) or (type_.reference and makes):
            continue
        end = not makes and index == 1 and _is_range(call)
        row = _row(call, name, index, writes=(writes := _writes(name, index, makes=makes)))
        for target in () if end else pointed_to(value):
            if _counts(call.run, call.machine, call.state, target):
                at = value if isinstance(value, Pointer) else Pointer(target, const(0))
                own, kinds = row if at is value else None, _kinds_behind(call.machine, type_)
                _add(call.run, call.state, at, own, call.span, writes=writes, kinds=kinds)


def _makes_record(call: LibraryCall) -> bool:
    """Whether a function makes an object of the program, which may keep a reference and not read it."""
    own = call.type_of(0)
    names = [own.to.name] if isinstance(own, PointerType) and isinstance(own.to, OpaqueType) else list[str]()
    names += (argument for argument in call.call.function.template_args if isinstance(argument, str))
    records = {record.name for record in call.machine.records.values()}
    return any(word in records for name in names for word in re.findall(r"[\w:]+", name))


def _record_texts(call: LibraryCall) -> None:
    """Adds that a function reads the texts that it prints; of other pointers it prints the address."""
    for index, value in enumerate(call.arguments):
        type_ = call.type_of(index)
        text = isinstance(type_, PointerType) and type_.to == CHAR and not type_.reference
        if text and isinstance(value, Pointer) and _counts(call.run, call.machine, call.state, value.target):
            _add(call.run, call.state, value, None, call.span, writes=False)


def _record_unknown(call: LibraryCall) -> None:
    """Adds that a function that is in no table may write what it gets pointers to, but for objects of the library."""
    for index, value in enumerate(call.arguments):
        type_ = call.type_of(index)
        if isinstance(type_, PointerType) and not type_.reference and not isinstance(type_.to, OpaqueType):
            for target in pointed_to(value):
                if _counts(call.run, call.machine, call.state, target):
                    at = value if isinstance(value, Pointer) else Pointer(target, const(0))
                    kinds = _kinds_behind(call.machine, type_)
                    _add(call.run, call.state, at, None, call.span, writes=True, kinds=kinds, unsure=True)


def _record_references(call: LibraryCall, name: str) -> None:
    """Adds that a function of the C++ library reads what it gets by reference, or that it is assigned to."""
    for index, value in enumerate(call.arguments):
        type_ = call.type_of(index)
        if isinstance(value, Pointer) and isinstance(type_, PointerType) and type_.reference:
            for writes in (False, True) if name in _CHANGING else (name == "tie",):
                span, kept = call.span, name in _CONSTRUCTING and _makes_record(call)
                kept = kept or is_atomic_object(call.call.function.qualified)  # whose members read it, as atomics do
                record_use(call.run, call.machine, call.state, value, type_.to, span, writes=writes, unsure=kept)


def record_handed(
    run: HostRunState, machine: Machine, state: State, given: Iterable[tuple[Value, Type | None]], span: Span
) -> None:
    """Adds that code which is not followed may use the memory that it gets pointers to, by their types."""
    for value, type_ in given:
        for target in pointed_to(value):
            if _counts(run, machine, state, target):
                at = value if isinstance(value, Pointer) else Pointer(target, const(0))
                _add(run, state, at, None, span, writes=True, kinds=_kinds_behind(machine, type_))


def _kinds_behind(machine: Machine, type_: Type | None) -> frozenset[Kind] | None:
    """The kinds of the numbers behind a pointer; None: there may be other objects."""
    to = type_.to if isinstance(type_, PointerType) else None
    if to == VOID or (isinstance(to, IntType) and kind_of(to) is None):
        return NUMBERS
    kinds = [kind_of(t) for _, t in scalars(to, machine.records, _MOST_MEMBERS)] if to is not None else []
    return frozenset(k for k in kinds if k is not None) if kinds and None not in kinds else None


def _counts(run: HostRunState, machine: Machine, state: State, target: MemoryObject) -> bool:
    if not run.text.host_uses or machine.speculative or not state.alive:
        return False
    match target.space:
        case MemorySpace.HOST:
            return target.key not in run.escapes.library_variables
        case MemorySpace.LOCAL:
            given = target.key.rpartition("@")[0] in run.text.of_callbacks
            return given or isinstance(target.element, ArrayType) or target.key in run.trace.names
        case MemorySpace.GLOBAL:
            return target.key in run.linked.globals
        case _:
            return False


def _add(
    run: HostRunState,
    state: State,
    pointer: Pointer,
    row: Row | None,
    span: Span,
    *,
    writes: bool,
    kinds: frozenset[Kind] | None = None,
    unsure: bool = False,
) -> None:
    binders = {loop.binder for loop in run.launches.enclosing}
    made = (c.term for c in state.path if c.kind is not ConditionKind.FIRST)  # which says nothing of when it is made
    bounds = frozenset(term for term in made if not binders.isdisjoint(symbols_of(term)))
    rows = () if row is None else (row,)
    at = run.trace.address_of(pointer)
    touch = Touch(at, writes, not writes, writes, rows, whole=row is not None, covered=row is not None, kinds=kinds)
    run.trace.names.setdefault(pointer.target.key, pointer.target.name)
    if pointer.target.space is MemorySpace.GLOBAL:  # a managed variable
        run.trace.common.add(pointer.target.key)
    sure = run.trace.is_sure(state) and not run.launches.only_traced and not unsure
    run.trace.add(Use(touch, span, choices_of(state), bounds, told_of(state), sure))


def writes_range(name: str, index: int) -> bool:
    """Whether an algorithm may write what its argument leads to; the first one has the index 0."""
    return _writes(name, index, makes=False) if name in (_READING | _WRITING | _FROM_FIRST) else True


def _writes(name: str, index: int, *, makes: bool) -> bool:
    if name in _TO_FIRST:
        return index == 0
    if name in _FROM_FIRST:
        return index >= (1 if name.endswith("_n") else 2)
    return name in _WRITING and not makes


def _is_range(call: LibraryCall) -> bool:
    """Whether the second argument is the end of the range that the first one begins."""
    match call.arguments:
        case (Pointer(target=one), Pointer(target=other), *_):
            return one.key == other.key
        case _:
            return False


def _row(call: LibraryCall, name: str, index: int, *, writes: bool) -> Row | None:
    """The bytes that a function uses from a pointer on; None: it is not known which."""
    first, type_ = call.arguments[index], call.type_of(index)
    size = call.machine.size(type_.to) if isinstance(type_, PointerType) else None
    length: Term | None = None
    if name in _BY_SIZE:
        length = call.number(2)
    elif index == 0 and _is_range(call) and isinstance(first, Pointer):
        last = call.arguments[1]
        length = sub(last.offset, first.offset) if isinstance(last, Pointer) else None
    elif index == 0 and name in _COUNTED and size is not None:
        count = call.number(1)
        length = None if count is None else mul(count, const(size))
    return None if length is None else Row(const(0), 1, 1, const(0), length, writes, reads=not writes)
