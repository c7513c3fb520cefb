"""State of lowering to code: the program's tables, the variables of a function, the code so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from msgspec import Struct, field

from hgrd.cuda.atomics import is_atomic_object as names_atomic_object
from hgrd.cuda.barrier_objects import is_token
from hgrd.cuda.builtins import meets as builtin_meets
from hgrd.cuda.builtins import meets_widely as builtin_meets_widely
from hgrd.cuda.groups import FUNCTIONS, NAMESPACE, GroupCall, group_type, makes_group
from hgrd.cuda.groups import is_group as names_group
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.analysis.effects import local_effects, nodes
from hgrd.program.expressions import Expression, Variable
from hgrd.program.layout import size_of
from hgrd.program.linked import Tables
from hgrd.program.printer import print_place
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, OpaqueType, PointerType, RecordType, Type
from hgrd.simulate.globals import OPAQUE
from hgrd.simulate.lockstep.access import SourceAccess
from hgrd.simulate.lockstep.arithmetic import I64, U64, DType, Value, dtype_of
from hgrd.simulate.lockstep.instructions import (
    ActiveThreads,
    Closure,
    Code,
    Do,
    Instruction,
    Jump,
    Parameter,
    SlotKind,
    UnsupportedError,
)
from hgrd.simulate.trace import MemoryOrder, Sites, TraceSite, one_sided

DYNAMIC = "extern __shared__"  # all `extern __shared__` arrays begin at the same address
_EFFECTS = (ir.Assign, ir.Update, ir.Call, ir.IndirectCall, ir.Construct, ir.New, ir.Unsupported, ir.Launch)


class Lowering(Struct, frozen=True):
    """The functions that lower parts of a program; given to a LoweredProgram since they refer to each other."""

    expression: Callable[[CodeBuilder, Expression], Closure]
    call: Callable[[CodeBuilder, ir.Call | ir.IndirectCall | ir.Construct | ir.New], Closure]
    function: Callable[[LoweredProgram, Function], Code]
    device_call: Callable[[CodeBuilder, ir.Call], Closure]
    library_object: Callable[[CodeBuilder, ir.Construct, int], Closure]
    launch: Callable[[CodeBuilder, ir.Launch], Closure]


class LoweredProgram(Struct):
    """A linked program under lowering; all its functions are lowered when they are first called.

    `shared` and `globals` are the variables in memory that the code uses.
    """

    tables: Tables
    lowering: Lowering
    sites: Sites = field(default_factory=Sites)
    codes: dict[str, Code] = field(default_factory=dict[str, Code])
    shared: dict[str, tuple[Variable, int | None]] = field(default_factory=dict[str, tuple[Variable, int | None]])
    globals: dict[str, tuple[Variable, int]] = field(default_factory=dict[str, tuple[Variable, int]])
    pointed: list[str] = field(default_factory=list[str])  # functions with a taken address
    controls: dict[int, bool] = field(default_factory=dict[int, bool])

    def size(self, type_: Type) -> int | None:
        """The size in bytes, None if unknown; handles of cooperative groups hold a number."""
        if isinstance(type_, OpaqueType) and is_token(type_.name):
            return U64.itemsize
        return OPAQUE if is_atomic_object(type_) else size_of(type_, self.tables.records)

    def dtype(self, type_: Type) -> DType | None:
        """The dtype of a type; records and arrays are void dtypes of their size.  None if the size is unknown."""
        if is_group(type_):
            return I64
        if isinstance(type_, OpaqueType) and is_token(type_.name):
            return U64
        if isinstance(type_, RecordType | ArrayType) or is_atomic_object(type_):
            size = self.size(type_)
            return np.dtype(f"V{size}") if size else None
        return dtype_of(type_)

    def enters(self, key: str) -> Function | None:
        """The function, if it has a body; else None."""
        function = self.tables.functions.get(key)
        return function if function is not None and function.body is not None else None

    def code_of(self, function: Function) -> Code:
        """The code of a function with a body."""
        return self.lowering.function(self, function)

    def access(
        self,
        place: ir.Place | str,
        type_: DType,
        kind: AccessKind,
        span: Span,
        order: MemoryOrder,
        scope: Scope | None = None,
    ) -> SourceAccess:
        text = place if isinstance(place, str) else print_place(place)
        site = TraceSite(span, kind, scope, order is MemoryOrder.VOLATILE, text)
        return SourceAccess(self.sites.number(site), type_, kind, span, order, scope)

    def atomic_access(
        self, place: str, type_: DType, operation: str, span: Span, order: MemoryOrder, scope: Scope
    ) -> SourceAccess:
        """Access of an atomic function: loads only read and at most acquire, stores only write and at most release."""
        kind = {"load": AccessKind.READ, "store": AccessKind.WRITE}.get(operation, AccessKind.ATOMIC)
        number = self.sites.number(TraceSite(span, AccessKind.ATOMIC, scope, False, place))
        return SourceAccess(number, type_, kind, span, one_sided(order, kind), scope)


def is_atomic_object(type_: Type) -> bool:
    """Whether a type is cuda::atomic or a similar one, of unknown size."""
    return isinstance(type_, OpaqueType) and names_atomic_object(type_.name)


def meets(e: ir.Call) -> bool:
    """Whether threads may have to wait for each other at this call."""
    name = e.function.library_name
    return builtin_meets(name) or makes_group(name) or group_name(e) is not None


def meets_widely(e: ir.Call) -> bool:
    """Whether the call is a barrier of more than a warp."""
    name = e.function.library_name
    if builtin_meets_widely(name):
        return True
    text = group_name(e)
    group = None if text is None else group_type(text)
    return text is not None and FUNCTIONS.get(name) is GroupCall.BARRIER and (group is None or group.size is None)


def group_name(e: ir.Call) -> str | None:
    """The type of the group that a function or method of cooperative_groups uses; None for other functions."""
    if e.function.user_code:
        return None
    if e.arguments:
        type_: Type = e.arguments[0].type
        while isinstance(type_, PointerType):
            type_ = type_.to
        if isinstance(type_, OpaqueType) and is_group(type_):
            return type_.name
    elif names_group(e.function.qualified) and "::" in e.function.qualified[len(NAMESPACE) :]:
        return e.function.qualified.rpartition("::")[0]
    return None


def is_group(type_: Type) -> bool:
    """Whether a type is that of a handle of a cooperative group."""
    return isinstance(type_, OpaqueType) and names_group(type_.name)


class InSlot(Struct, frozen=True):
    """A variable without a taken address."""

    number: int
    dtype: DType


class InMemory(Struct, frozen=True):
    """A variable that is a local object."""

    number: int
    size: int


class LoopTargets(Struct):
    """Jumps that leave the innermost loop or switch, and that go on with it, waiting for their targets.

    `counter` is the slot of the number of the iteration, where threads meet in the loop.
    """

    breaks: list[Jump] = field(default_factory=list[Jump])
    continues: list[Jump] | None = None  # None: a switch
    counter: int | None = None


class CodeBuilder(Struct):
    """One function under lowering."""

    unit: LoweredProgram
    code: Code
    exposed: frozenset[str]
    variables: dict[str, InSlot | InMemory] = field(default_factory=dict[str, "InSlot | InMemory"])
    loops: list[LoopTargets] = field(default_factory=list[LoopTargets])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    gotos: list[tuple[Jump, str]] = field(default_factory=list[tuple[Jump, str]])

    # ------------------------------------------------------------ expressions

    def lower(self, e: Expression) -> Closure:
        """The value of `e`; instructions that it needs are emitted."""
        return self.unit.lowering.expression(self, e)

    def call(self, e: ir.Call | ir.IndirectCall | ir.Construct | ir.New) -> Closure:
        """The result of a call; its instructions are emitted."""
        return self.unit.lowering.call(self, e)

    # ------------------------------------------------------------ instructions

    def emit(self, instruction: Instruction) -> None:
        self.code.instructions.append(instruction)

    @property
    def around(self) -> tuple[int, ...]:
        """The counters of the loops around, outermost first."""
        return tuple(loop.counter for loop in self.loops if loop.counter is not None)

    @property
    def here(self) -> int:
        return len(self.code.instructions)

    def land(self, jumps: Iterable[Jump]) -> None:
        """Makes the jumps go to the next instruction."""
        for jump in jumps:
            jump.target = self.here

    # ------------------------------------------------------------ variables

    def bind(self, variable: Variable) -> InSlot | InMemory | None:
        """A place for a variable; None if its type has no known size."""
        known = self.variables.get(variable.key)
        if known is not None:
            return known
        size, dtype = self.unit.size(variable.type), self.unit.dtype(variable.type)
        if size is None or dtype is None:
            return None
        if dtype.kind == "V" or variable.key in self.exposed:
            made: InSlot | InMemory = self.object(variable.name, size)
        else:
            made = InSlot(self.slot(dtype), dtype)
        self.variables[variable.key] = made
        return made

    def slot(self, dtype: DType) -> int:
        void = dtype.kind == "V"
        self.code.slots.append(SlotKind(None if void else dtype, dtype.itemsize if void else 0))
        return len(self.code.slots) - 1

    def object(self, name: str, size: int) -> InMemory:
        self.code.objects.append((name, size))
        return InMemory(len(self.code.objects) - 1, size)

    def parameter(self, variable: Variable) -> None:
        bound = self.bind(variable)
        if bound is None:
            raise UnsupportedError(f"a parameter of the type of {variable.name}", variable.span)
        size = bound.size if isinstance(bound, InMemory) else 0
        dtype = self.unit.dtype(variable.type)
        assert dtype is not None
        self.code.parameters.append(Parameter(bound.number, size, dtype))

    def spill(self, value: Closure, type_: Type, span: Span, weight: int = 0) -> Closure:
        """Emits the evaluation at this point; the result gives the value later."""
        dtype = self.unit.dtype(type_)
        if dtype is None:
            self.emit(Do(value, span, weight))
            return nothing
        number = self.slot(dtype)
        self.emit(Do(keep(number, value), span, weight))
        return kept(number)

    # ------------------------------------------------------------ questions

    def controls(self, e: object) -> bool:
        """Whether evaluating `e` needs instructions of its own: calls, barriers, exchanges."""
        known = self.unit.controls.get(id(e))
        if known is None:
            known = self.unit.controls[id(e)] = any(map(self._controls, nodes(e)))
        return known

    def _controls(self, node: object) -> bool:
        match node:
            case ir.Call(function=function):
                return self.unit.enters(function.key) is not None or meets(node)
            case ir.Construct(constructor=constructor) | ir.New(initial=ir.Construct(constructor=constructor)):
                return constructor is not None and self.unit.enters(constructor.key) is not None
            case ir.IndirectCall():
                return True
            case _:
                return False


def harmless(e: object) -> bool:
    """Whether extra threads may evaluate `e`, too: it has no memory accesses and no effects."""
    return not any(isinstance(n, (ir.Deref, *_EFFECTS)) for n in nodes(e))


def exposed_variables(body: st.Block) -> frozenset[str]:
    """Variables with addresses that are used for more than an immediate access or a method of a group."""
    handles = {
        id(node.arguments[0])
        for node in nodes(body)
        if isinstance(node, ir.Call) and node.arguments and group_name(node) is not None
    }
    chains = {id(n) for node in nodes(body) if isinstance(node, ir.Deref) for n in _direct(node.pointer)}
    found = {
        root.key
        for node in nodes(body)
        if isinstance(node, ir.AddressOf) and id(node) not in handles and id(node) not in chains
        for root in [root_of(node.place)]
        if root is not None
    }
    return frozenset(found | {v.key for v in local_effects(body).arrays})


def _direct(pointer: Expression) -> list[ir.AddressOf]:
    return [pointer] if isinstance(pointer, ir.AddressOf) else []


def root_of(place: ir.Place) -> Variable | None:
    """The variable that a place is in; None if a pointer is in between."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return root_of(base)
        case _:
            return None


def nothing(here: ActiveThreads) -> Value:
    return None


def keep(number: int, value: Closure) -> Closure:
    def run(here: ActiveThreads) -> None:
        here.frame.slots[number].store(here.lanes, value(here))

    return run


def kept(number: int) -> Closure:
    def run(here: ActiveThreads) -> Value:
        return here.frame.slots[number].load(here.lanes)

    return run


def fails(reason: str, span: Span) -> Closure:
    """A closure that ends the run when it is executed."""

    def run(here: ActiveThreads) -> Value:
        raise UnsupportedError(reason, span)

    return run


def arguments_of(b: CodeBuilder, arguments: tuple[Expression, ...]) -> tuple[Closure, ...]:
    """The values of arguments, from left to right; those before an argument with control flow are stored in slots."""
    last = max((i for i, a in enumerate(arguments) if b.controls(a)), default=-1)
    made: list[Closure] = []
    for i, argument in enumerate(arguments):
        value = b.lower(argument)
        made.append(b.spill(value, argument.type, argument.span) if i < last else value)
    return tuple(made)
