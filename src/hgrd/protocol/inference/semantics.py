"""What device code means to the symbolic machine: accesses are recorded, values of memory are named."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.host.model import Fact, FactKind
from hgrd.program.expressions import Call, Expression, Launch, Storage, Variable
from hgrd.program.program import Global
from hgrd.program.span import Span
from hgrd.program.statements import Assembly
from hgrd.program.types import ArrayType, FloatType, FunctionType, PointerType, RecordType, Type
from hgrd.program.walk import nodes
from hgrd.protocol.configuration import ALL_LANES, WARP_SIZE, index_terms
from hgrd.protocol.inference.access_text import access_text
from hgrd.protocol.inference.block_symmetry import Lent
from hgrd.protocol.inference.constant_memory import held_value
from hgrd.protocol.inference.function_pointers import NUMBERS, FunctionNumbers
from hgrd.protocol.inference.read_only_memory import ADDRESSES, found_in, pointee, stored_value
from hgrd.protocol.inference.recorder import Recorder, barrier_guards, choices_of, conditions_of, finds, guards_of
from hgrd.protocol.inference.single_valued_shared import Keeping
from hgrd.protocol.inference.stored_pointers import Handed
from hgrd.protocol.inference.uniformity import Sharing
from hgrd.protocol.inference.value_names import address_of, identity_of, named, symbol_of
from hgrd.protocol.model import Access, AcrossThreads, Barrier, Configuration, Exit, Fence, Observation, Scope
from hgrd.symbolic.execution.expressions import evaluate
from hgrd.symbolic.exits import Ends
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import scalars
from hgrd.symbolic.semantics import Semantics
from hgrd.symbolic.state import INITIAL, ConditionKind, Generation, State
from hgrd.symbolic.values import (
    OPAQUE,
    Cell,
    Composite,
    FloatValue,
    MemoryObject,
    MemorySpace,
    Pointer,
    PointerValue,
    Value,
)
from hgrd.terms import FALSE, TRUE, Origin, Symbol, Term, const, disj, ne, symbols_of, var

_SPACES = {MemorySpace.GLOBAL: Space.GLOBAL, MemorySpace.SHARED: Space.SHARED}


@dataclass(slots=True)
class DeviceSemantics(Semantics):
    """One run of a kernel.  `written`: keys of objects that some thread writes (from an earlier run).

    `kept`: by key, what a variable in shared memory holds that all stores to it give the same value (from there, too).
    `of_grid`: what is said here to be the same for a block is so for the whole grid.
    """

    configuration: Configuration
    globals: dict[str, Global]
    written: frozenset[str]
    functions: FunctionNumbers
    asserts: bool = True
    recorder: Recorder = field(default_factory=Recorder)
    constants: Mapping[str, Composite] = field(default_factory=dict[str, Composite])  # what the host has put there
    assumed: list[Fact] = field(default_factory=list[Fact])
    across: list[AcrossThreads] = field(default_factory=list[AcrossThreads])
    others: dict[Symbol, Term] = field(default_factory=dict[Symbol, Term])  # by what stands for another thread's value
    given: frozenset[Term] = frozenset()  # the kernel's arguments that are numbers
    observed: dict[str, Observation] = field(default_factory=dict[str, Observation])
    kept: Mapping[str, Value] = field(default_factory=dict[str, Value])
    of_grid: bool = False
    keeping: Keeping = field(default_factory=Keeping)
    handed: Handed = field(default_factory=Handed)
    lent: Lent = field(default_factory=Lent)
    objects: dict[str, int] = field(default_factory=dict[str, int])  # numbers of those that stored pointers lead to
    tested: dict[Symbol, Term] = field(default_factory=dict[Symbol, Term])
    sharing: Sharing = field(init=False)
    testing: bool = False  # the first test of a loop is run, or the one with which `left` iterations end
    left: Symbol | None = None

    def __post_init__(self) -> None:
        self.sharing = Sharing(self.recorder)

    # ------------------------------------------------------------ variables

    def variable_object(self, machine: Machine, variable: Variable) -> MemoryObject | None:
        match variable.storage:
            case Storage.SHARED:
                return _global_object(machine, variable, MemorySpace.SHARED)
            case Storage.DEVICE:
                return _global_object(machine, variable, MemorySpace.GLOBAL)
            case Storage.CONSTANT:
                return _global_object(machine, variable, MemorySpace.CONSTANT)
            case Storage.GLOBAL | Storage.STATIC:
                return _global_object(machine, variable, MemorySpace.HOST)
            case _:
                return None

    def builtin(self, machine: Machine, variable: Variable) -> Value:
        match variable.name:
            case "threadIdx":
                return _vector(index_terms(self.configuration.thread))
            case "blockIdx":
                return _vector(index_terms(self.configuration.block_index))
            case "blockDim":
                return _vector(self.configuration.block)
            case "gridDim":
                return _vector(self.configuration.grid)
            case _:
                return const(WARP_SIZE)

    def contents(
        self, machine: Machine, target: MemoryObject, generation: Generation, offset: Term, type_: Type
    ) -> Value:
        if target.space is MemorySpace.HOST and offset.is_const:
            known = self._constant(machine, target, offset.value, type_)
            if known is not None:
                return known
        if isinstance(type_, PointerType) and isinstance(type_.to, FunctionType):
            name = machine.names.of((target.key, generation, offset, type_), target.name)
            number = var(Symbol(name, *NUMBERS, Origin.UNKNOWN))
            return self.pointer_to_function(machine, number, target.name, type_.to, target.span)
        if isinstance(type_, PointerType):
            if generation is not INITIAL or not offset.is_const:
                return OPAQUE  # one of those that the thread has put there
            return pointee(target, f"*{target.key}+{offset}", target.name, type_, const(0))
        if not offset.is_const:
            return machine.unknown(target.name, type_, Origin.UNKNOWN)
        origin = Origin.INPUT if target.external or target.space is MemorySpace.HOST else Origin.UNKNOWN
        name = machine.names.of((target.key, generation, offset.value, type_), target.name)
        return named(name, type_, origin)

    def _constant(self, machine: Machine, target: MemoryObject, offset: int, type_: Type) -> Value | None:
        """The initial value of a const global of host code that device code uses."""
        declared = self.globals.get(target.key)
        if declared is None or not declared.constant or declared.initial is None:
            return None
        value = evaluate(machine, State({}, ()), declared.initial)
        if isinstance(value, Composite):
            cell = value.cells.get(offset)
            return None if cell is None else cell.value
        return value if offset == 0 else None

    def begins(self, machine: Machine, key: str) -> Iterator[int]:
        """The number that a variable is declared with, once; zero where it says nothing (C++ [basic.start.static])."""
        declared = self.globals.get(key)
        if declared is None:
            return
        value = const(0) if declared.initial is None else evaluate(machine, State({}, ()), declared.initial)
        if isinstance(value, Term) and value.is_const:
            yield value.value

    # ------------------------------------------------------------ memory

    def load(self, machine: Machine, state: State, pointer: Pointer, type_: Type, span: Span, volatile: bool) -> Value:
        target = pointer.target
        if target.space is MemorySpace.CONSTANT:
            return self._constant_memory(machine, target, pointer.offset, type_)
        size = machine.size(type_)
        if size is None:
            self.recorder.gap(machine, state, "a read of a type of unknown size", span, may_order=False)
            return OPAQUE
        steady = target.space is MemorySpace.GLOBAL and target.key not in self.written and not volatile
        kept = None if volatile else self.kept.get(target.key)
        if kept is not None and type_ == target.element:
            self.access(machine, state, AccessKind.READ, pointer, size, span)
            return kept
        if steady:
            value = stored_value(machine, target, pointer.offset, type_)
        else:
            value = self.fresh(machine, target, type_)
            one_object = not self.of_grid or target.space is MemorySpace.GLOBAL
            if not volatile and one_object:
                self.sharing.read(machine, value, pointer.offset)
            if volatile and isinstance(value, Term):
                for symbol in symbols_of(value):
                    self.observe(machine, symbol, pointer, Scope.SYSTEM, "", None, None, span)
        result = None if steady else symbol_of(value)
        if self.testing and result is not None and not volatile:
            own = self.recorder.just_stored(pointer, size, state, self.left)
            if own is not None:
                later = FALSE if self.left is None else ne(var(self.left), const(0))
                self.tested[result] = disj(later, finds(result, own))
        self.access(machine, state, AccessKind.READ, pointer, size, span, result=result, volatile=volatile)
        return value

    def made_of(self, machine: Machine, state: State, value: Value, given: FloatValue, span: Span) -> None:
        self.sharing.made_of(machine, value, given)

    def agrees(self, value: Value, besides: frozenset[str] = frozenset()) -> bool:
        return self.sharing.agrees(value, besides)

    def agree(self, symbol: Symbol, iteration: Term | None = None) -> None:
        self.sharing.agree(symbol, iteration)

    def _constant_memory(self, machine: Machine, target: MemoryObject, offset: Term, type_: Type) -> Value:
        if target.key not in self.globals and not isinstance(target.element, ArrayType):
            return named(f"<{target.name}>", type_, Origin.UNKNOWN)  # a parameter of a template, of unknown value
        if offset.is_const:
            known = self._constant(machine, target, offset.value, type_)
            if known is not None:
                return known
        held = self.constants.get(target.key)
        return (
            stored_value(machine, target, offset, type_)
            if held is None
            else held_value(machine, held, target, offset, type_)
        )

    def fresh(self, machine: Machine, target: MemoryObject, type_: Type) -> Value:
        """Contents of memory that others write: unknown, and a value of its own at every read."""
        if isinstance(type_, RecordType | ArrayType):
            cells = {
                at: Cell(self.fresh(machine, target, t), machine.size(t) or 1) for at, t in scalars(machine, type_, 64)
            }
            return Composite(cells, machine.size(type_) or 0)
        if isinstance(type_, PointerType) and isinstance(type_.to, FunctionType):
            number = var(machine.names.fresh(f"{target.name}[]", *NUMBERS, Origin.DATA))
            return self.pointer_to_function(machine, number, target.name, type_.to, target.span)
        if isinstance(type_, PointerType):
            made = Origin.COMPUTED if target.space is MemorySpace.SHARED else Origin.DATA  # no input is kept there
            symbol = machine.names.fresh(f"{target.name}[]", 0, ADDRESSES, made)
            return pointee(target, found_in(target), f"*{target.name}", type_, var(symbol))
        return machine.unknown(f"{target.name}[]", type_, Origin.DATA)

    def store(
        self, machine: Machine, state: State, pointer: Pointer, value: Value, type_: Type, span: Span, volatile: bool
    ) -> None:
        size = machine.size(type_)
        if size is None:
            self.recorder.gap(machine, state, "a write of a type of unknown size", span, may_order=False)
            return
        same = identity_of(value)
        if same is None and isinstance(type_, PointerType):
            same = self.functions.number(value) or address_of(value, self.objects)
        if not machine.probing and state.alive:
            self.keeping.stored(pointer.target, type_, value, self.sharing.common)
            self.handed.stored(pointer.target, type_, value, span)
        self.access(machine, state, AccessKind.WRITE, pointer, size, span, value=same, volatile=volatile)

    def access(
        self,
        machine: Machine,
        state: State,
        kind: AccessKind,
        pointer: Pointer,
        size: int,
        span: Span,
        *,
        value: Term | None = None,
        compare: Term | None = None,
        scope: Scope | None = None,
        result: Symbol | None = None,
        operation: str = "",
        volatile: bool = False,
        text: str = "",
    ) -> None:
        space = _SPACES.get(pointer.target.space)
        self.testing = self.testing and kind is AccessKind.READ  # not of what the test itself has stored
        if space is None or machine.probing or not state.alive:
            return
        self.keeping.accessed(kind, pointer.target)
        item = Access(
            0, kind, space, pointer.target, pointer.offset, size, guards_of(state), span,
            text or access_text(pointer, size), scope, value, compare, result, operation, volatile, _stack(machine),
            conditions_of(state, ConditionKind.BOUNDS), conditions_of(state, ConditionKind.ENDED),
        )  # fmt: skip
        self.recorder.add(machine, item)

    def observe(
        self,
        machine: Machine,
        symbol: Symbol,
        pointer: Pointer,
        scope: Scope,
        operation: str,
        compare: Term | None,
        value: Term | None,
        span: Span,
    ) -> None:
        """Takes down what `symbol` was found to be; in trial runs, too: they make the last test of a loop."""
        if pointer.target.space in _SPACES:
            self.observed[symbol.name] = Observation(
                pointer.target, pointer.offset, scope, operation, compare, value, span, _stack(machine)
            )

    def barrier(
        self,
        machine: Machine,
        state: State,
        scope: Scope,
        span: Span,
        *,
        mask: Term | None = None,
        tile: Term | None = None,
    ) -> None:
        if mask is not None and mask.is_const and mask.value & ALL_LANES == ALL_LANES:
            mask = None
        self.recorder.add(machine, Barrier(scope, barrier_guards(state), span, mask, tile, state.path))

    def fence(self, machine: Machine, state: State, scope: Scope, span: Span) -> None:
        self.recorder.add(machine, Fence(scope, guards_of(state), span))

    # ------------------------------------------------------------ control

    def specifies(self, call: Call) -> bool:
        from hgrd.protocol.device_calls.annotations import is_specification

        return is_specification(call.function.name)

    def call(self, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value | None:
        from hgrd.protocol.device_calls.dispatch import intrinsic

        return intrinsic(self, machine, state, call, arguments)

    def pointer_to_function(
        self, machine: Machine, number: Term, name: str, type_: FunctionType, span: Span
    ) -> PointerValue:
        pointer = self.functions.one_of(number, type_)
        if not machine.probing and pointer is not OPAQUE:
            targets = ", ".join(f.ref.name for f in self.functions.targets(type_))
            text = f"{name} points to a function whose address these files take: {targets}"
            self.assumed.append(Fact(TRUE, FactKind.ASSUMPTION, text, span))
        return pointer

    def launch(self, machine: Machine, state: State, launch: Launch) -> Value:
        self.unsupported(machine, state, "a kernel launched from device code", launch.span)
        return OPAQUE

    def unrolls(self, array: Variable) -> bool:
        """Arrays of floating point hold neither indexes nor conditions."""
        element: Type = array.type
        while isinstance(element, ArrayType):
            element = element.of
        return not isinstance(element, FloatType)

    @contextmanager
    def first_test(
        self, machine: Machine, test: Expression, count: Symbol | None = None
    ) -> Generator[None, None, None]:
        self.testing = not machine.probing and not any(isinstance(n, Call) for n in nodes(test))
        self.left = count
        try:
            yield
        finally:
            self.testing = False

    def enter_loop(self, machine: Machine, state: State, binder: Symbol, span: Span, *, untold: bool) -> None:
        self.recorder.enter(machine, binder, state, span, untold=untold)

    def begin_body(self, machine: Machine, state: State) -> None:
        self.recorder.begin_body(machine, state)

    def leave_loop(self, machine: Machine, binder: Symbol, count: Symbol, ends: Ends) -> tuple[Term, ...]:
        return self.recorder.leave(machine, binder, count, ends)

    def leave_function(self, machine: Machine, state: State, span: Span) -> None:
        if len(machine.frames) == 1:
            self.recorder.add(machine, Exit(choices_of(state), span))

    def abort(self, machine: Machine, state: State, span: Span) -> None:
        self.recorder.add(machine, Exit(choices_of(state), span, aborts=True))

    def assembly(self, machine: Machine, state: State, statement: Assembly, arguments: tuple[Value, ...]) -> None:
        if _touches_memory(statement.template):
            self.unsupported(machine, state, "inline assembly that touches memory", statement.span)

    def unsupported(self, machine: Machine, state: State, reason: str, span: Span) -> None:
        self.recorder.gap(machine, state, reason, span)


def _stack(machine: Machine) -> tuple[Span, ...]:
    """The call sites that lead here, outermost first."""
    return tuple(f.call_site for f in machine.frames if f.call_site is not None)


def _touches_memory(template: str) -> bool:
    """PTX loads, stores, atomics, barriers; an unknown template counts as one."""
    words = template.replace(";", " ").split()
    return not words or any(w.split(".")[0] in _PTX_MEMORY for w in words)


_PTX_MEMORY = {"ld", "st", "atom", "red", "bar", "barrier", "cp", "membar", "fence", "mbarrier", "ldmatrix", "prefetch"}


def _global_object(machine: Machine, variable: Variable, space: MemorySpace) -> MemoryObject:
    if isinstance(variable.type, ArrayType) and variable.type.count is None and space is MemorySpace.SHARED:
        # All `extern __shared__` arrays of a kernel begin at the same address.
        return MemoryObject("extern __shared__", variable.name, space, variable.type.of, None, variable.span)
    size = machine.size(variable.type)
    bytes_ = const(size) if size else None  # nothing fits into `T a[0]`: its length is not known
    return MemoryObject(variable.key, variable.name, space, variable.type, bytes_, variable.span)


def _vector(terms: tuple[Term, Term, Term]) -> Composite:
    return Composite({4 * i: Cell(t, 4) for i, t in enumerate(terms)}, 12)
