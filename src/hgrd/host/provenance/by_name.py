"""Flow-insensitive provenance of array contents, by variable and member name.

`by_object` follows objects on a run from `main` to a launch.  Where a run begins in a function that takes a record, it
has not seen the code that fills the arrays of its members.  Here every store to the member of any such record counts,
anywhere in the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import Final

from msgspec import Struct

from hgrd.cuda.spelling import cuda_name
from hgrd.host.linking.library_names import LIBC_NAMES, of_container
from hgrd.host.linking.link import Linked
from hgrd.host.linking.mangled_names import may_write
from hgrd.host.provenance.array_names import Array, ArrayNames, MemberArray, ReturnValue, is_pointer, own_record
from hgrd.host.provenance.by_object import makes_results
from hgrd.host.provenance.expressions import NOTHING, PASSING, Provenance, Source, ValueProvenance
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.sentinels import DROPPED
from hgrd.program.span import Span
from hgrd.program.statements import Statement
from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, PointerType, Type
from hgrd.program.walk import mapped, nodes

_ADDING: Final = ("push_back", "emplace_back", "push_front", "emplace_front", "push", "append", "operator=", "fill")
_INSERTING: Final = ("insert", "emplace")
_COPYING: Final = ("memcpy", "memmove", "__builtin_memcpy")
_RUNTIME: Final = "cuda"
_READING: Final = frozenset(("operator>>", "getline", "fgets", "fopen", "strtok"))
_QUIET: Final = frozenset(
    (
        "fill", "fill_n", "find", "max_element", "min_element", "begin", "end", "raw_pointer_cast",
        "device_pointer_cast",
    )
)  # fmt: skip


class _Store(Struct, frozen=True):
    """A store of elements to the arrays `to`; `held` is the provenance of the values.

    `span` None: whole arrays are copied.
    """

    to: frozenset[Array]
    held: Provenance
    span: Span | None = None


class _Remade(Struct, frozen=True):
    """A library function replaces the contents of arrays by results that it computes."""

    to: frozenset[Array]
    span: Span


class Sources(Struct, frozen=True):
    """The answer for all arrays: `inputs` hold input; `made` says where the program computes what others hold."""

    inputs: frozenset[Array]
    made: Mapping[Array, Span]


class NamedProvenance(Struct, frozen=True, dict=True):
    """Provenance in one linked program, computed when first asked for."""

    linked: Linked

    def is_input(self, pointer: ir.Expression) -> bool:
        """Whether what a pointer leads to, as its expression says, comes from outside somewhere in the program."""
        return not self._sources.inputs.isdisjoint(self._targets(pointer))

    def program_made(self, pointer: ir.Expression) -> Span | None:
        """Where the program computes what a pointer leads to; None: it does not, or some of it is input."""
        if self.is_input(pointer):
            return None
        found = [span for a in self._targets(pointer) if (span := self._sources.made.get(a)) is not None]
        return min(found, key=_order, default=None)

    @cached_property
    def _names(self) -> ArrayNames:
        return ArrayNames({key: self.linked.functions[key] for key in self.linked.uses})

    @cached_property
    def _sources(self) -> Sources:
        return _sources(self._names, tuple(self._stores()))

    def _targets(self, pointer: ir.Expression) -> frozenset[Array]:
        while isinstance(pointer, ir.Convert):
            pointer = pointer.operand
        records = self._members(pointer.type.to) if isinstance(pointer.type, PointerType) else frozenset[Array]()
        return self._names.all_of(self._names.targets_of(pointer)) | records

    def _members(self, type_: Type, deep: bool = False, seen: frozenset[str] = frozenset()) -> frozenset[Array]:
        """The members inside a record (`deep`: also members of what its pointers lead to)."""
        while isinstance(type_, ArrayType) or (deep and isinstance(type_, PointerType)):
            type_ = type_.of if isinstance(type_, ArrayType) else type_.to
        key = own_record(type_)
        if key is None or key in seen or key not in self.linked.records:
            return frozenset()
        fields = [f for f in self.linked.records[key].fields if deep or not is_pointer(f.type)]
        within = (self._members(f.type, deep, seen | {key}) for f in fields)
        return frozenset[Array](MemberArray(key, f.name) for f in fields if f.name).union(*within)

    def _stores(self) -> Iterator[_Store | _Remade]:
        for key, function in self._names.functions.items():
            for root, varying in _parts(self._names, function.body):
                values = ValueProvenance(self._names, varying)
                for node in nodes(root):
                    yield from self._stored_by(node, key, values)

    def _stored_by(self, node: object, function: str, values: ValueProvenance) -> Iterator[_Store | _Remade]:
        names = self._names
        match node:
            case st.Declare(variable=variable, initial=initial) if initial is not None and not is_pointer(
                variable.type
            ):
                yield _Store(frozenset((variable.key,)), values.of(initial), _of_element(initial, node.span))
            case ir.Assign(place=place, value=value) if not is_pointer(value.type):
                yield _Store(names.around(place), values.of(value), _of_element(value, node.span))
            case ir.Update(place=place, value=value) if not is_pointer(node.type):
                added = NOTHING if isinstance(place, ir.VariablePlace) else values.of(value)  # of many: a running sum
                yield _Store(names.around(place), added | Provenance(Source.COMPUTED), node.span)
            case st.Return(value=value) if value is not None and not is_pointer(value.type):
                yield _Store(frozenset((ReturnValue(function),)), values.of(value), _of_element(value, node.span))
            case ir.Call():
                yield from self._called(node, values)
            case _:
                pass

    def _called(self, call: ir.Call, values: ValueProvenance) -> Iterator[_Store | _Remade]:
        names, name, arguments = self._names, call.function.name, call.arguments
        pointers = [a for a in arguments if is_pointer(a.type)]
        if call.function.key in names.functions:
            parameters = names.functions[call.function.key].parameters
            for parameter, argument in zip(parameters, arguments, strict=False):
                if not is_pointer(parameter.type) and not isinstance(parameter.type, BoolType | IntType | FloatType):
                    yield _Store(frozenset((parameter.key,)), values.of(argument))
        elif name == "swap" and len(pointers) == 2:
            a, b = map(names.targets_of, pointers)
            yield from (_Store(a, Provenance(arrays=b)), _Store(b, Provenance(arrays=a)))
        elif pointers and (of_container(call.function.qualified) or name == "operator="):
            yield _Store(names.targets_of(pointers[0]), values.of_all(_added(call)), _of_element(call, call.span))
        elif name in _COPYING or _copies(name):
            yield _Store(names.targets_of(arguments[0]), values.of_all(pointers[1:]))
        elif name == "copy" and pointers:
            yield _Store(names.targets_of(pointers[-1]), values.of_all(pointers[:-1]))
        elif makes_results(name) or name.endswith("sort"):
            yield from (_Remade(names.targets_of(p), call.span) for p in pointers)
        elif not _is_quiet(name):
            yield from self._input_by(call)

    def _input_by(self, call: ir.Call) -> Iterator[_Store]:
        """Unknown code may store anything where it gets a pointer to, but for pointers to const."""
        if is_pointer(call.type):
            yield _Store(frozenset((ReturnValue(call.function.key),)), Provenance(Source.INPUT), call.span)
        its_object, others = may_write(call.function.key)
        for argument in call.arguments if others else call.arguments[: int(its_object)]:
            if is_pointer(argument.type):
                inner = argument
                while isinstance(inner, ir.Convert):
                    inner = inner.operand
                further = frozenset[Array]() if call.function == DROPPED else self._members(inner.type, deep=True)
                yield _Store(self._names.targets_of(inner) | further, Provenance(Source.INPUT), call.span)


def _parts(names: ArrayNames, statement: Statement | None) -> Iterator[tuple[object, frozenset[Array]]]:
    """The outermost loops of a function, each with the names that it sets, and the code outside loops."""
    loops: list[Statement] = []

    def without(part: Statement) -> Statement | None:
        if not isinstance(part, st.Loop | st.DoWhile):
            return None
        loops.append(part)
        return st.Block((), part.span)

    if statement is not None:
        yield mapped(statement, without), frozenset()
    for loop in loops:
        yield loop, frozenset[Array]().union(*(_set_by(names, node) for node in nodes(loop)))


def _set_by(names: ArrayNames, node: object) -> frozenset[Array]:
    match node:
        case st.Declare(variable=variable):
            return frozenset((variable.key,))
        case ir.Assign(place=place) | ir.Update(place=place):
            return names.at(place)
        case ir.Call(arguments=arguments):
            variables = (a for a in arguments if isinstance(a, ir.AddressOf) and not isinstance(a.place, ir.Deref))
            return frozenset[Array]().union(*map(names.targets_of, variables))
        case _:
            return frozenset()


def _order(span: Span) -> tuple[str, int, int]:
    return span.file, span.line, span.column


def _copies(name: str) -> bool:
    return cuda_name(name).startswith(f"{_RUNTIME}Mem") and "cpy" in name


def _is_quiet(name: str) -> bool:
    """Whether a function stores no values of its own through its arguments."""
    if name in _READING:
        return False
    known = name in PASSING | _QUIET | LIBC_NAMES or (name.startswith("operator") and name != "operator()")
    canonical = cuda_name(name)
    return known or (canonical.startswith(_RUNTIME) and canonical[len(_RUNTIME) : len(_RUNTIME) + 1].isupper())


def _of_element(value: ir.Expression, span: Span) -> Span | None:
    """The place of a store of an element; None where a whole container or record is stored."""
    if isinstance(value, ir.Call) and value.function.name in ("operator=", "assign"):
        return None
    return None if isinstance(value, ir.Construct) else span


def _added(call: ir.Call) -> tuple[ir.Expression, ...]:
    """The arguments whose values a method of a container adds to it."""
    name, added = call.function.name, call.arguments[1:]
    if name in _ADDING:
        return added
    if name in _INSERTING:
        return added[1:] or added
    if name == "assign":
        return added if added and is_pointer(added[0].type) and not _is_reference(added[0]) else added[1:]
    return added[1:] if name == "resize" else ()


def _is_reference(argument: ir.Expression) -> bool:
    return isinstance(argument.type, PointerType) and argument.type.reference


# ---------------------------------------------------------------- conclusions from all stores


def _sources(names: ArrayNames, everything: tuple[_Store | _Remade, ...]) -> Sources:
    """The sources of all arrays: sorted or scanned arrays are made by the program; of others, one input is enough."""
    made = {a: new.span for new in everything if isinstance(new, _Remade) for a in names.all_of(new.to)}
    stores = [_everywhere(names, s) for s in everything if isinstance(s, _Store)]
    stores.sort(key=lambda s: ("", 0, 0) if s.span is None else _order(s.span))
    inputs: set[Array] = set()
    while more := {a for s in stores if _stores_input(s, inputs) for a in s.to} - inputs - made.keys():
        inputs |= more
    for s in stores:
        if s.held.source is Source.COMPUTED and s.span is not None:
            made |= {a: s.span for a in s.to - inputs if a not in made}
    while more := _copied(stores, inputs, made):
        made |= more
    return Sources(frozenset(inputs), made)


def _everywhere(names: ArrayNames, store: _Store) -> _Store:
    """The store, with all other names of its arrays."""
    return _Store(names.all_of(store.to), Provenance(store.held.source, names.all_of(store.held.arrays)), store.span)


def _stores_input(store: _Store, inputs: Set[Array]) -> bool:
    match store.held.source:
        case Source.INPUT:
            return True
        case Source.COMPUTED if not store.to.isdisjoint(store.held.arrays):
            return False  # a running sum
        case _:
            return not store.held.arrays.isdisjoint(inputs)


def _copied(stores: Iterable[_Store], inputs: Set[Array], made: Mapping[Array, Span]) -> dict[Array, Span]:
    """Further arrays that the program makes: copies of those in `made`."""
    found: dict[Array, Span] = {}
    for s in stores:
        source = next((made[a] for a in sorted(s.held.arrays & made.keys(), key=str)), None)
        if source is not None:
            found |= {a: s.span or source for a in s.to - inputs if a not in made}
    return found
