"""Mod sets of kernels: the parameters through which a kernel may write, flow-insensitively.

A pointer belongs to the parameters that it may have been computed from.  One that is loaded from memory, or returned
by unknown code, may point anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.mangled_names import may_write
from hgrd.host.linking.pointer_sources import without_steps
from hgrd.host.linking.stored_kinds import Kind, kinds_stored
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.analysis.narrow_atomics import narrow_atomics
from hgrd.program.expressions import Storage, Variable
from hgrd.program.libcu_objects import ATOMIC
from hgrd.program.program import Function
from hgrd.program.types import INT, ArrayType, IntType, OpaqueType, PointerType, Record, RecordType, Type
from hgrd.program.walk import nodes

_ANYWHERE: Final = "anywhere"
_NUMBERS: Final = (
    "__half",
    "half",
    "__half2",
    "half2",
    "__nv_bfloat16",
    "nv_bfloat16",
    "__nv_bfloat162",
    "nv_bfloat162",
)
_STORING: Final = ("Exch", "exchange", "store", "CAS", "And")
_OWN: Final = (Storage.LOCAL, Storage.PARAMETER)
_GIVING_BACK: Final = ("free", "Free", "delete", "Destroy", "destroy", "close", "print", "operator<<", "~")
PointerSource: TypeAlias = Variable | str
"""A parameter, or `_ANYWHERE`."""


class ModSets(Struct):
    """Mod sets of a program's functions, computed when first asked for.

    `known` has the parameters through which a function may write (None: it may write anywhere), `named` the device
    variables that a kernel assigns to by name, `passed` those that it passes on, `stores` the only stores through each
    parameter, `numbers` what it stores, `kinds` of what kinds that is, `plain` the parameters through which it stores
    other than by atomics; by the key of the function.
    """

    functions: Mapping[str, Function]
    records: Mapping[str, Record]
    known: dict[str, frozenset[int] | None] = field(default_factory=dict[str, "frozenset[int] | None"])
    named: dict[str, frozenset[Variable]] = field(default_factory=dict[str, "frozenset[Variable]"])
    stores: dict[str, tuple[tuple[ir.Assign, ...], ...]] = field(
        default_factory=dict[str, "tuple[tuple[ir.Assign, ...], ...]"]
    )
    numbers: dict[str, tuple[ir.Expression, ...]] = field(default_factory=dict[str, "tuple[ir.Expression, ...]"])
    plain: dict[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    kinds: dict[str, frozenset[Kind] | None] = field(default_factory=dict[str, "frozenset[Kind] | None"])
    passed: dict[str, frozenset[Variable]] = field(default_factory=dict[str, "frozenset[Variable]"])

    def of(self, key: str) -> frozenset[int] | None:
        """The indexes of the parameters through which a function may write; None: it may write anywhere."""
        if key not in self.known:
            self.known[key] = None  # the answer for a recursive call
            function = self.functions.get(key)
            if function is not None and function.body is not None:
                self.known[key] = _Body(self, function).written()
        return self.known[key]

    def stored(self, key: str) -> frozenset[int]:
        """The indexes of the parameters through which a function is seen to store, other than by wide atomics."""
        if key not in self.plain:
            self.plain[key] = frozenset()  # the answer for a recursive call
            function = self.functions.get(key)
            if function is not None and function.body is not None:
                self.plain[key] = _Body(self, function).stored()
        return self.plain[key]

    def by_name(self, kernel: str) -> frozenset[Variable]:
        """The device variables that a kernel, or what it calls, assigns to by name."""
        if kernel not in self.named:
            everything = (node for function in run_by(kernel, self.functions) for node in nodes(function.body))
            found = (_variable(n.place) for n in everything if isinstance(n, ir.Assign | ir.Update))
            self.named[kernel] = frozenset(v for v in found if v is not None and v.storage is Storage.DEVICE)
        return self.named[kernel]

    def passed_on(self, kernel: str) -> frozenset[Variable]:
        """The device variables of which a kernel, or what it calls, passes the address to functions, as to atomics."""
        if kernel not in self.passed:
            calls = (n for f in run_by(kernel, self.functions) for n in nodes(f.body) if isinstance(n, ir.Call))
            taken = (n for call in calls for a in call.arguments for n in nodes(a) if isinstance(n, ir.AddressOf))
            found = (_variable(n.place) for n in taken)
            self.passed[kernel] = frozenset(v for v in found if v is not None and v.storage is Storage.DEVICE)
        return self.passed[kernel]

    def only_stores(self, kernel: str, index: int) -> tuple[ir.Assign, ...]:
        """The stores of a kernel through a parameter, where nothing else in it may write through that; else ()."""
        if kernel not in self.stores:
            function = self.functions.get(kernel)
            known = function is not None and function.body is not None
            self.stores[kernel] = _Body(self, function).only_stores() if function is not None and known else ()
        stores = self.stores[kernel]
        return stores[index] if index < len(stores) else ()

    def only_assigned(self, kernel: str, variable: Variable) -> tuple[ir.Assign, ...]:
        """The stores of a kernel to a device variable, where nothing else in it may write that; else ()."""
        everything = [node for function in run_by(kernel, self.functions) for node in nodes(function.body)]
        taken = [n for n in everything if isinstance(n, ir.AddressOf) and _variable(n.place) == variable]
        changed = [n for n in everything if isinstance(n, ir.Update) and _variable(n.place) == variable]
        stores = (_as_store(n) for n in everything)
        found = tuple(s for s in stores if s is not None and _variable(s.place) == variable)
        exchanged = sum(isinstance(s.place, ir.Deref) for s in found)
        return found if not changed and len(taken) <= exchanged else ()

    def kinds_stored(self, kernel: str) -> frozenset[Kind] | None:
        """What kinds of numbers a kernel, or what it calls, stores through pointers; None: that is not known."""
        if kernel not in self.kinds:
            self.kinds[kernel] = kinds_stored(run_by(kernel, self.functions), self.functions)
        return self.kinds[kernel]

    def numbers_stored(self, kernel: str) -> tuple[ir.Expression, ...]:
        """The numbers that a kernel, or what it calls, stores, by atomics too.

        An atomicInc is 0 after its operand.
        """
        if kernel not in self.numbers:
            everything = [node for function in run_by(kernel, self.functions) for node in nodes(function.body)]
            stores = (n for n in everything if isinstance(n, ir.Assign) and not isinstance(n.place, ir.VariablePlace))
            found = [_number_of(n.value) for n in stores]
            for call in (n for n in everything if isinstance(n, ir.Call)):
                function = self.functions.get(call.function.key)
                if (function is None or function.body is None) and any(w in call.function.name for w in _STORING):
                    found += call.arguments[1:][-1:]
                if call.function.name.startswith("atomicInc"):
                    found.append(ir.IntConst(0, INT, call.span))
            self.numbers[kernel] = tuple(found)
        return self.numbers[kernel]

    def leads(self, type_: Type) -> bool:
        """Whether values of a type may hold pointers."""
        match element(type_):
            case PointerType():
                return True
            case RecordType(key=key):
                record = self.records.get(key)
                return record is None or not record.complete or any(self.leads(f.type) for f in record.fields)
            case OpaqueType(name=name):
                return name not in _NUMBERS
            case _:
                return False


def _number_of(value: ir.Expression) -> ir.Expression:
    """The number that a value is, or that an atomic object is made with: `new (p) cuda::latch<…>(n)`."""
    match value:
        case ir.Construct(constructor=made, arguments=(number,)) if made and made.qualified.startswith(ATOMIC):
            return number
        case _:
            return value


def writes_when_destroyed(functions: Iterable[Function]) -> bool:
    """Whether a destructor in user code does more than release what its object owns.

    Where destructors run is not followed.
    """
    return any(
        f.user_code and f.body is not None and f.ref.name.startswith("~") and any(map(_spoils, nodes(f.body)))
        for f in functions
    )


def _spoils(node: object) -> bool:
    match node:
        case ir.Assign(place=place) | ir.Update(place=place):
            return _variable(place) is None and not is_in_destroyed(place)
        case ir.Call(function=function):
            return not any(word in function.name for word in _GIVING_BACK)
        case ir.IndirectCall() | ir.Launch() | ir.Unsupported() | st.UnsupportedStatement():
            return True
        case _:
            return False


def is_in_destroyed(place: ir.Place) -> bool:
    """Whether a place is inside the object that is destroyed."""
    match place:
        case ir.FieldPlace(base=ir.Deref(pointer=ir.Load(place=ir.VariablePlace(variable=variable))), field=member):
            return variable.name == "this" and not (isinstance(member.type, PointerType) and member.type.reference)
        case ir.FieldPlace(base=base):
            return is_in_destroyed(base)
        case _:
            return False


class _Body:
    """The analysis of one function; `sources` are the parameters that the values of its variables may come from."""

    def __init__(self, table: ModSets, function: Function) -> None:
        self.table = table
        self.leads = table.leads
        self.parameters = function.parameters
        self.all = tuple(nodes(function.body))
        self.sources: dict[Variable, set[PointerSource]] = {p: {p} for p in function.parameters if self.leads(p.type)}
        while self._assignments():
            pass

    def _assignments(self) -> bool:
        before = sum(map(len, self.sources.values()))
        for node in self.all:
            match node:
                case st.Declare(variable=variable, initial=initial) if initial is not None and self.leads(
                    variable.type
                ):
                    self._flows(variable, initial)
                case ir.Assign(place=place, value=value) if self.leads(value.type):
                    variable = _variable(place)
                    if variable is not None:
                        self._flows(variable, value)
                case _:
                    pass
        return sum(map(len, self.sources.values())) > before

    def _flows(self, variable: Variable, value: ir.Expression) -> None:
        self.sources.setdefault(variable, set()).update(self.of_value(value))

    def written(self) -> frozenset[int] | None:
        found = {source for node in self.all for source in self._written_by(node)}
        if _ANYWHERE in found:
            return None
        return frozenset(i for i, p in enumerate(self.parameters) if p in found)

    def only_stores(self) -> tuple[tuple[ir.Assign, ...], ...]:
        """For each parameter the stores through it, where nothing else may write through it; else ()."""
        writing = [(node, found) for node in self.all if (found := frozenset(self._written_by(node)))]
        return tuple(_plain_stores(w for w in writing if w[1] & {p, _ANYWHERE}) for p in self.parameters)

    def stored(self) -> frozenset[int]:
        found: set[PointerSource] = set()
        for node in self.all:
            match node:
                case ir.Assign(place=place) | ir.Update(place=place) if _variable(place) is None:
                    found |= self.of_place(place)
                case ir.Call(function=function, arguments=arguments):
                    through = self.table.stored(function.key)
                    found.update(self._of_all(a for i, a in enumerate(arguments) if i in through))
                    found.update(self._of_all(narrow_atomics(node)))
                case ir.Construct():
                    found.update(self._of_all(narrow_atomics(node)))
                case _:
                    pass
        return frozenset(i for i, p in enumerate(self.parameters) if p in found)

    def _written_by(self, node: object) -> Iterator[PointerSource]:
        match node:
            case ir.Assign(place=place) | ir.Update(place=place):
                if _variable(place) is None:
                    yield from self.of_place(place)
                if isinstance(node, ir.Assign) and self.leads(node.value.type) and not self._stays(place):
                    yield from self.of_value(node.value)  # code that loads it from there may write through it
            case ir.Call(function=function, arguments=arguments):
                yield from self._written_in(function.key, arguments)
            case ir.Construct(constructor=constructor, arguments=arguments) if constructor is not None:
                yield from self._of_all(arguments)
            case ir.IndirectCall() | ir.Launch() | ir.Unsupported() | st.UnsupportedStatement() | st.Assembly():
                yield _ANYWHERE
            case ir.Convert(operand=operand, type=IntType()) if self.leads(operand.type):
                yield from self.of_value(operand)  # the number may become a pointer again
            case st.Declare(variable=Variable(storage=storage), initial=initial) if storage not in _OWN:
                yield from () if initial is None else self._of_all((initial,))
            case _:
                pass

    def _stays(self, place: ir.Place) -> bool:
        variable = _variable(place)
        return variable is not None and variable.storage in _OWN

    def _written_in(self, key: str, arguments: tuple[ir.Expression, ...]) -> Iterator[PointerSource]:
        function = self.table.functions.get(key)
        if function is not None and function.body is not None:
            through = self.table.of(key)
            if through is None:
                yield _ANYWHERE
            yield from self._of_all(arguments[i] for i in through or () if i < len(arguments))
        elif any(may_write(key)):
            yield from self._of_all(arguments)

    def _of_all(self, arguments: Iterable[ir.Expression]) -> Iterator[PointerSource]:
        for argument in arguments:
            if self.leads(argument.type):
                yield from self.of_value(argument)

    def of_value(self, value: ir.Expression) -> set[PointerSource]:
        """The sources of a pointer, or of the pointers in a record."""
        match value:
            case ir.Load(place=place, type=type_):
                return (
                    self.of_place(place)
                    if _variable(place) is not None
                    else {_ANYWHERE}
                    if self.leads(type_)
                    else set()
                )
            case ir.AddressOf(place=place):
                return self.of_place(place)
            case ir.PointerAdd(pointer=pointer):
                return self.of_value(pointer)
            case ir.Convert(operand=operand):
                return self.of_value(operand) if self.leads(operand.type) else {_ANYWHERE}
            case ir.Conditional(then=a, otherwise=b):
                return self.of_value(a) | self.of_value(b)
            case ir.Comma(right=right):
                return self.of_value(right)
            case ir.Assign(value=assigned):
                return self.of_value(assigned)
            case ir.Update(place=place):
                return self.of_place(place) if _variable(place) is not None else {_ANYWHERE}
            case ir.Aggregate(parts=parts):
                return set[PointerSource]().union(*(self.of_value(v) for _, v in parts if self.leads(v.type)))
            case ir.NullPointer() | ir.StringConst() | ir.FunctionAddress():
                return set()
            case _:
                return {_ANYWHERE}

    def of_place(self, place: ir.Place) -> set[PointerSource]:
        """The sources of the pointers through which a place is reached; of an own variable, those of its value."""
        match place:
            case ir.VariablePlace(variable=variable):
                own = variable.storage in _OWN or not self.leads(variable.type)
                return self.sources.get(variable, set()) if own else {_ANYWHERE}
            case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
                return self.of_place(base)
            case ir.Deref(pointer=pointer):
                return self.of_value(pointer)
            case ir.TemporaryPlace(value=value):
                return self.of_value(value) if self.leads(value.type) else set()
            case _:
                return {_ANYWHERE}


def _plain_stores(writing: Iterable[tuple[object, frozenset[PointerSource]]]) -> tuple[ir.Assign, ...]:
    """The stores among what writes through a parameter, if it is nothing else and leads nowhere else; else ()."""
    stores = [_as_store(node) if len(found) == 1 and _ANYWHERE not in found else None for node, found in writing]
    known = tuple(store for store in stores if store is not None)
    return known if len(known) == len(stores) else ()


def _as_store(node: object) -> ir.Assign | None:
    """A store, or an atomic exchange as one."""
    match node:
        case ir.Assign():
            return node
        case ir.Call(function=function, arguments=(pointer, value)) if function.name.startswith("atomicExch"):
            return ir.Assign(ir.Deref(pointer, value.type, node.span), value, value.type, node.span)
        case _:
            return None


def _variable(place: ir.Place) -> Variable | None:
    """The variable that a place is a part of; None: it is reached through a pointer."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return _variable(base)
        case ir.Deref(pointer=pointer):
            inner = without_steps(pointer)
            return _variable(inner.place) if isinstance(inner, ir.AddressOf) else None
        case _:
            return None


def element(type_: Type) -> Type:
    while isinstance(type_, ArrayType):
        type_ = type_.of
    return type_
