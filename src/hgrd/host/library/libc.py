"""Models of C and C++ library functions, as far as launches depend on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.containers.copies import swap_containers
from hgrd.host.containers.elements import is_container
from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.library.numbers import NUMBERS
from hgrd.host.linking.library_names import LIBC_FAMILIES
from hgrd.host.memory.array_contents import (
    copied_patterns,
    drop_aliased_patterns,
    drop_reachable_patterns,
    patterns_beside,
    record_patterns_at,
)
from hgrd.host.memory.unknowns import between, direct_targets, forget_targets
from hgrd.host.model import FactKind
from hgrd.program.types import VOID, IntType, OpaqueType, PointerType, RecordType
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import EMPTY, ConditionKind, Generation, Region
from hgrd.symbolic.values import (
    NULL,
    OPAQUE,
    Choice,
    MemorySpace,
    Pointer,
    PointerValue,
    Value,
)
from hgrd.terms import (
    TRUE,
    Op,
    Origin,
    Symbol,
    Term,
    as_bool,
    const,
    ite,
    mul,
    negate,
    var,
)  # fmt: skip


def _assumption(call: LibraryCall) -> Value | None:
    """assert and its like."""
    if call.run.options.asserts and call.arguments:
        call.state.assume(call.machine.truth(call.arguments[0]), ConditionKind.ASSERT, call.span)
    return OPAQUE


def fails(call: LibraryCall) -> Value:
    """exit, abort, and functions that failing assertions call."""
    if "assert" in call.name.lower():
        if not call.run.options.asserts:
            return OPAQUE
        _blame_assertion(call)
    call.state.kill(call.span)
    return OPAQUE


def _blame_assertion(call: LibraryCall) -> None:
    """The negation of the last path condition is the assertion that failed here."""
    if call.state.path and call.state.path[-1].kind is ConditionKind.BRANCH:
        holds = negate(call.state.path[-1].term)
        for part in holds.args if holds.op is Op.AND else (holds,):
            call.run.launches.fact_kinds[part] = FactKind.ASSERT


def _heap(call: LibraryCall, size: Term | None, *, zeroed: bool = False) -> Value:
    name = call.run.result_names.of(call.machine, call.span) or call.name
    return call.allocate(name, None, MemorySpace.HOST, size, zeroed=zeroed)


def _malloc(call: LibraryCall) -> Value | None:
    return _heap(call, call.number(0))


def _second(call: LibraryCall) -> Value | None:
    """realloc, aligned_alloc: the size comes second."""
    return _heap(call, call.number(1))


def _calloc(call: LibraryCall) -> Value | None:
    count, size = call.number(0), call.number(1)
    return _heap(call, None if count is None or size is None else mul(count, size), zeroed=True)


def _posix_memalign(call: LibraryCall) -> Value | None:
    name, type_ = call.receiver(0)
    element = type_.to if isinstance(type_, PointerType) else None
    pointer = call.allocate(name, element, MemorySpace.HOST, call.number(2))
    call.store_at(call.arguments[0], pointer, PointerType(element or VOID))
    return const(0)


def _memset(call: LibraryCall) -> Value | None:
    """memset: zero in the whole object, or unknown values in it."""
    target, byte, size = call.arguments[0], call.number(1), call.number(2)
    left = patterns_beside(call.state, target, size)
    call.run.provenance.beginnings.record_fill(call.state, target, byte, size, call.span)
    call.run.provenance.objects.record_cleared(direct_targets((target,)))
    drop_aliased_patterns(call.state, target)
    forget_targets(call.state, (target,), deep=False)
    if isinstance(target, Pointer) and byte is const(0) and size is not None and target.target.key in call.state.store:
        element = target.target.element
        whole = target.target.size or (None if element is None else const(call.machine.size(element) or -1))
        if target.offset is const(0) and whole is size:
            call.state.store[target.target.key] = Region({}, Generation(), True)
    record_patterns_at(call.state, target, left)
    return target


def _memcpy(call: LibraryCall) -> Value | None:
    """Known cells at the start of the source are known in the destination."""
    to, source, size = call.arguments[0], call.arguments[1], call.number(2)
    known = (*patterns_beside(call.state, to, size), *copied_patterns(call.state, to, source, size))
    call.copies_from(1)
    call.run.provenance.beginnings.record_copy(call.state, to, source, size, call.span)
    drop_aliased_patterns(call.state, to)
    forget_targets(call.state, (to,), deep=False)
    _copy_cells(call, to, source, size)
    record_patterns_at(call.state, to, known)
    return to


def _copy_cells(call: LibraryCall, to: Value, source: Value, size: Term | None) -> None:
    if not isinstance(to, Pointer) or not isinstance(source, Pointer) or size is None or not size.is_const:
        return
    record = source.target.element
    whole = isinstance(record, RecordType) and record == to.target.element and call.machine.size(record) == size.value
    if whole and record is not None and to.offset is source.offset is const(0):
        store(
            call.machine, call.state, to, load(call.machine, call.state, source, record, call.span), record, call.span
        )
        return
    if to.offset is const(0) and source.offset is const(0) and to.target.key in call.state.store:
        cells = call.state.store.get(source.target.key, EMPTY).cells
        copied = {o: c for o, c in cells.items() if o + c.size <= size.value}
        call.state.store[to.target.key] = Region(copied, Generation())


def _swap(call: LibraryCall) -> Value | None:
    type_ = call.type_of(0)
    if not isinstance(type_, PointerType) or len(call.arguments) != 2:
        return None
    a, b = call.arguments
    if is_container(type_.to):
        return swap_containers(call)
    x = load(call.machine, call.state, a, type_.to, call.span)
    y = load(call.machine, call.state, b, type_.to, call.span)
    if isinstance(type_.to, OpaqueType) and not (isinstance(x, PointerValue) and isinstance(y, PointerValue)):
        return None
    store(call.machine, call.state, a, y, type_.to, call.span)
    store(call.machine, call.state, b, x, type_.to, call.span)
    return OPAQUE


def _exchange(call: LibraryCall) -> Value | None:
    """std::exchange(object, value): the value that the object had before."""
    type_, given = call.type_of(0), call.type_of(1)
    if not isinstance(type_, PointerType) or isinstance(type_.to, OpaqueType) or len(call.arguments) != 2:
        return None
    if isinstance(given, PointerType) and given.reference:
        given = given.to
    value = call.argument(1)
    if value is None or (given != type_.to and value != NULL):
        return None
    old = load(call.machine, call.state, call.arguments[0], type_.to, call.span)
    store(call.machine, call.state, call.arguments[0], value, type_.to, call.span)
    return old


def _itself(call: LibraryCall) -> Value | None:
    """std::move, std::forward, std::addressof: the argument; std::move of a range is another function."""
    return call.arguments[0] if len(call.arguments) == 1 else None


def _first(call: LibraryCall) -> Value | None:
    """stream << value, __builtin_expect: the first argument itself."""
    return call.arguments[0] if call.arguments else None


def _extract(call: LibraryCall) -> Value | None:
    """stream >> value."""
    call.run.provenance.objects.record_input(direct_targets(call.arguments[1:]))
    drop_reachable_patterns(call.state, call.arguments[1:])
    forget_targets(call.state, call.arguments[1:], deep=False)
    return call.arguments[0] if call.arguments else None


def _maybe_null(call: LibraryCall) -> Value | None:
    """getenv, fopen, fgets: a pointer or null; some write to the text that they are given."""
    call.run.provenance.objects.record_input(direct_targets(call.arguments))
    drop_reachable_patterns(call.state, call.arguments)
    if call.name in ("fgets", "strtok"):
        forget_targets(call.state, call.arguments[:1], deep=False)
    found = call.unknown()
    if not isinstance(found, Pointer):
        return found
    present: PointerValue = found
    return Choice(call.machine.unknown_truth(f"{call.name}()", Origin.INPUT), present, NULL)


def _clock(call: LibraryCall) -> Value | None:
    """time, gettimeofday: they store the time through their pointers."""
    drop_reachable_patterns(call.state, call.arguments)
    forget_targets(call.state, call.arguments, deep=False)
    return call.unknown()


def _harmless(call: LibraryCall) -> Value | None:
    """A function that writes nothing that the program can see: its result is unknown."""
    return call.unknown()


def _random(call: LibraryCall) -> Value | None:
    """Not negative, and at most RAND_MAX, or 2**31 - 1 (C11, 7.22.2.1; POSIX)."""
    return _length(call)


def _length(call: LibraryCall) -> Value | None:
    """Some int that is not negative."""
    return between(call.machine, call.run.result_names.of(call.machine, call.span) or call.name, 0, (1 << 31) - 1)


def _number_in_text(call: LibraryCall) -> Value | None:
    """atoi and its like: the same number, as long as nothing is written to the text."""
    text, type_ = call.arguments[0], call.call.type
    if not isinstance(text, Pointer) or not isinstance(type_, IntType):
        return call.unknown()
    region = call.state.store.get(text.target.key, EMPTY)
    if region.cells or region.patterns:
        return call.unknown()
    name = call.run.result_names.of(call.machine, call.span) or f"{call.name}()"
    key = (call.name, text.target.key, text.offset, region.generation)
    return var(Symbol(call.machine.names.of(key, name), *type_.range, Origin.INPUT))


def _implies(call: LibraryCall) -> Value | None:
    a, b = call.arguments[0], call.arguments[1]
    if not isinstance(a, Term) or not isinstance(b, Term):
        return None
    return ite(as_bool(a), as_bool(b), TRUE)


_MODELS: Final[Mapping[str, LibraryModel]] = {
    **NUMBERS,
    "assumption": _assumption,
    "implication": _implies,
    "end": fails,
    "malloc": _malloc,
    "realloc": _second,
    "calloc": _calloc,
    "posix_memalign": _posix_memalign,
    "memset": _memset,
    "memcpy": _memcpy,
    "swap": _swap,
    "exchange": _exchange,
    "identity": _itself,
    "first of several": _first,
    "extraction": _extract,
    "pointer or null": _maybe_null,
    "length": _length,
    "number in a text": _number_in_text,
    "random number": _random,
    "clock": _clock,
    "no effect": _harmless,
}

LIBC: Final[Mapping[str, LibraryModel]] = {
    name: _MODELS[family] for family, members in LIBC_FAMILIES.items() for name in members
}
"""The models of functions by their unqualified names."""
