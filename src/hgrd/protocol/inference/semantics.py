"""Device implementation of `Semantics`: accesses are recorded, values in memory are named."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.program.expressions import Call, Expression, Launch, Storage, Variable
from hgrd.program.layout import align_of, scalars
from hgrd.program.span import Span
from hgrd.program.statements import Assembly
from hgrd.program.types import ArrayType, FloatType, FunctionType, PointerType, RecordType, Type
from hgrd.protocol.barrier_names import NamedBarrier
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.inference.assumptions import Assumptions
from hgrd.protocol.inference.events import AccessEvent, AtomicOperation, access_text, stack_of, users_place
from hgrd.protocol.inference.function_pointers import NUMBERS, FunctionNumbers
from hgrd.protocol.inference.loop_tests import LoopTests
from hgrd.protocol.inference.memory_knowledge import MemoryKnowledge, declared_object
from hgrd.protocol.inference.read_only_memory import pointee, pointee_anywhere, value_of_read_only
from hgrd.protocol.inference.recorder import Recorder, barrier_guards, choices_of, conditions_of, guards_of
from hgrd.protocol.inference.single_valued_shared import one_thread
from hgrd.protocol.inference.uniformity import UniformityTracker
from hgrd.protocol.inference.value_names import address_of, identity_of, named, symbol_of
from hgrd.protocol.model import Access, Arrival, Barrier, Configuration, Exit, Fence, Observation
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.machine import Machine, Semantics
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
from hgrd.terms import Origin, Symbol, Term, const, symbols_of, var

_SHOWN = 60  # characters of assembly
_SPACES = {MemorySpace.GLOBAL: Space.GLOBAL, MemorySpace.SHARED: Space.SHARED}

Handler: TypeAlias = Callable[["DeviceSemantics", Machine, State, Call, tuple[Value, ...]], Value | None]


class DeviceCalls(Struct, frozen=True):
    """Meaning of device functions, as `device_calls` gives it.

    `call` gives the value of a known function, else None.  `specifies`: one of this name only serves to specify.
    """

    call: Handler
    specifies: Callable[[str], bool]


@dataclass(slots=True)
class DeviceSemantics(Semantics):
    """Device implementation of `Semantics` for one run of a kernel.

    `of_grid`: symbols recorded as the same for all threads of a block are the same for the whole grid.
    `number_arguments` are the kernel's arguments that are integers.  `observed`: by symbol name, what atomics and
    volatile reads have found.  `divided`: a group that is not the block has been divided so far.
    `naturally_aligned`: the program has no types that are packed, or otherwise aligned, which others read like any.
    """

    configuration: Configuration
    functions: FunctionNumbers
    calls: DeviceCalls
    memory: MemoryKnowledge
    assumptions: Assumptions
    of_grid: bool = False
    divided: bool = False
    naturally_aligned: bool = False
    number_arguments: frozenset[Term] = frozenset()
    observed: dict[str, Observation] = field(default_factory=dict[str, Observation])
    recorder: Recorder = field(default_factory=Recorder)
    uniformity: UniformityTracker = field(init=False)
    tests: LoopTests = field(init=False)

    def __post_init__(self) -> None:
        self.uniformity = UniformityTracker(self.recorder)
        self.tests = LoopTests(self.recorder)

    # ------------------------------------------------------------ variables

    def variable_object(self, machine: Machine, variable: Variable) -> MemoryObject | None:
        match variable.storage:
            case Storage.SHARED:
                return declared_object(machine, variable, MemorySpace.SHARED)
            case Storage.DEVICE:
                return declared_object(machine, variable, MemorySpace.GLOBAL)
            case Storage.CONSTANT:
                return declared_object(machine, variable, MemorySpace.CONSTANT)
            case Storage.GLOBAL | Storage.STATIC:
                return declared_object(machine, variable, MemorySpace.HOST)
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
            known = self.memory.initial_value(machine, target, offset.value)
            if known is not None:
                return known
        if target.space is MemorySpace.HOST and not offset.is_const:
            known = self.memory.constant_value(machine, target, offset, type_)
            if known is not None:
                return known
        if isinstance(type_, PointerType) and isinstance(type_.to, FunctionType):
            name = machine.names.of((target.key, generation, offset, type_), target.name)
            number = var(Symbol(name, *NUMBERS, Origin.UNKNOWN))
            return self.pointer_to_function(machine, number, target.name, type_.to, target.span)
        if isinstance(type_, PointerType):
            if generation is not INITIAL or not offset.is_const:
                return OPAQUE  # one of the values that the thread has put there
            return pointee(target, f"*{target.key}+{offset}", target.name, type_, const(0))
        if not offset.is_const:
            return machine.unknown(target.name, type_, Origin.UNKNOWN)
        origin = Origin.INPUT if target.external or target.space is MemorySpace.HOST else Origin.UNKNOWN
        name = machine.names.of((target.key, generation, offset.value, type_), target.name)
        return named(name, type_, origin)

    # ------------------------------------------------------------ memory

    def load(self, machine: Machine, state: State, pointer: Pointer, type_: Type, span: Span, volatile: bool) -> Value:
        target = pointer.target
        if target.space is MemorySpace.CONSTANT:
            return self.memory.constant_memory(machine, target, pointer.offset, type_)
        size = machine.size(type_)
        if size is None:
            self.recorder.gap(machine, state, "a read of a type of unknown size", span, may_order=False)
            return OPAQUE
        steady = target.space is MemorySpace.GLOBAL and target.key not in self.memory.written and not volatile
        kept = None if volatile else self.memory.always_held(target, type_)
        if kept is not None:
            self.access(machine, state, AccessEvent(AccessKind.READ, pointer, size, span))
            return kept
        if steady:
            declared = self.memory.constant_value(machine, target, pointer.offset, type_)
            value = value_of_read_only(machine, target, pointer.offset, type_) if declared is None else declared
        else:
            value = self.fresh(machine, target, type_)
            if not volatile and (not self.of_grid or target.space is MemorySpace.GLOBAL):
                self.uniformity.read(machine, value, self.recorder.place(pointer))
            if not (volatile or machine.speculative or self.recorder.loops):
                self.memory.keep(target, type_, value)
            if volatile and isinstance(value, Term):
                for symbol in symbols_of(value):
                    self.observe(machine, symbol, pointer, AtomicOperation("", Scope.SYSTEM), span)
        result = None if steady else symbol_of(value)
        if result is not None and not volatile:
            self.tests.read(state, pointer, size, result)
        aligned = self.alignment(machine, type_)
        event = AccessEvent(AccessKind.READ, pointer, size, span, result=result, volatile=volatile, alignment=aligned)
        self.access(machine, state, event)
        return value

    def alignment(self, machine: Machine, type_: Type) -> int:
        """What the addresses of accesses of a type are multiples of (Programming Guide, "Size and Alignment")."""
        return align_of(type_, machine.records) if self.naturally_aligned else 1

    def derived(self, machine: Machine, state: State, value: Value, given: FloatValue, span: Span) -> None:
        self.uniformity.made_of(machine, value, given)

    def uniform_given(self, value: Value) -> frozenset[str] | None:
        return self.uniformity.agrees_given(value)

    def mark_uniform(self, symbol: Symbol, iteration: Term | None = None, given: frozenset[str] = frozenset()) -> None:
        self.uniformity.agree(symbol, iteration, given)

    def fresh(self, machine: Machine, target: MemoryObject, type_: Type) -> Value:
        """Contents of memory that other threads write: unknown, and a value of its own at every read."""
        if isinstance(type_, RecordType | ArrayType):
            members = scalars(type_, machine.records, 64)
            cells = {at: Cell(self.fresh(machine, target, t), machine.size(t) or 1) for at, t in members}
            return Composite(cells, machine.size(type_) or 0)
        if isinstance(type_, PointerType) and isinstance(type_.to, FunctionType):
            number = var(machine.names.fresh(f"{target.name}[]", *NUMBERS, Origin.DATA))
            return self.pointer_to_function(machine, number, target.name, type_.to, target.span)
        if isinstance(type_, PointerType):
            made = Origin.COMPUTED if target.space is MemorySpace.SHARED else Origin.DATA  # no input there
            return pointee_anywhere(machine, target, type_, made)
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
            same = self.functions.number(value) or address_of(value, self.memory.numbers)
        if not machine.speculative and state.alive:
            common, indexes = self.uniformity.common, self.configuration.thread
            once = not self.recorder.loops and one_thread(guards_of(state), indexes, common)
            self.memory.single_valued.stored(pointer.target, type_, value, common, once=once)
            self.memory.stored_pointers.stored(pointer.target, type_, value, span)
        aligned = self.alignment(machine, type_)
        event = AccessEvent(AccessKind.WRITE, pointer, size, span, value=same, volatile=volatile, alignment=aligned)
        self.access(machine, state, event)

    def access(self, machine: Machine, state: State, event: AccessEvent) -> None:
        """Records an access, unless the memory belongs to the thread alone."""
        kind, target = event.kind, event.pointer.target
        self.tests.active = self.tests.active and kind is AccessKind.READ  # not for what the test itself has stored
        space = _SPACES.get(target.space)
        if space is None or machine.speculative or not state.alive:
            return
        self.memory.single_valued.accessed(kind, target)
        atomic = event.atomic
        item = Access(
            number=0,
            kind=kind,
            space=space,
            target=target,
            offset=event.pointer.offset,
            size=event.size,
            guards=guards_of(state),
            span=users_place(machine, event.span),
            text=event.text or access_text(event.pointer, event.size),
            scope=None if atomic is None else atomic.scope,
            value=event.value,
            compare=None if atomic is None else atomic.compare,
            result=event.result,
            operation="" if atomic is None else atomic.name,
            order=StdMemoryOrder.RELAXED if atomic is None else atomic.order,
            volatile=event.volatile,
            stack=stack_of(machine, event.span),
            bounds=conditions_of(state, ConditionKind.BOUNDS),
            endings=conditions_of(state, ConditionKind.ENDED),
            beginnings=conditions_of(state, ConditionKind.FIRST),
            together=event.together,
            once=event.once,
            pipeline=event.pipeline,
            alignment=event.alignment,
        )
        self.recorder.add(machine, item)

    def observe(self, machine: Machine, symbol: Symbol, pointer: Pointer, atomic: AtomicOperation, span: Span) -> None:
        """Records what `symbol` observes, also in speculative runs, which make the last test of a loop.

        A volatile read is an operation without a name.
        """
        if pointer.target.space in _SPACES:
            self.observed[symbol.name] = Observation(
                target=pointer.target,
                offset=pointer.offset,
                scope=atomic.scope,
                operation=atomic.name,
                compare=atomic.compare,
                value=atomic.operand,
                span=span,
                stack=stack_of(machine, span),
                order=atomic.order,
                failure=atomic.failure,
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
        named: NamedBarrier | None = None,
    ) -> None:
        if mask is not None and mask.is_const and mask.value & ALL_LANES == ALL_LANES:
            mask = None
        self.recorder.add(machine, Barrier(scope, barrier_guards(state), span, mask, tile, state.path, named=named))

    def arrive(self, machine: Machine, state: State, name: str, span: Span, named: NamedBarrier | None = None) -> None:
        """First half of a split barrier."""
        self.recorder.add(machine, Arrival(name, barrier_guards(state), span, state.path, named))

    def wait(
        self,
        machine: Machine,
        state: State,
        name: str,
        scope: Scope,
        span: Span,
        *,
        tile: Term | None = None,
        named: NamedBarrier | None = None,
    ) -> None:
        """Second half of a split barrier, whose first half stands before it under the same conditions."""
        guards = barrier_guards(state)
        if machine.speculative or self.recorder.arrived(name, guards):
            self.recorder.add(machine, Barrier(scope, guards, span, None, tile, state.path, name, named))
        else:
            self.unsupported(machine, state, "a wait at a barrier whose arrival stands elsewhere", span)

    def fence(
        self,
        machine: Machine,
        state: State,
        scope: Scope,
        span: Span,
        order: StdMemoryOrder = StdMemoryOrder.SEQ_CST,
    ) -> None:
        if order is not StdMemoryOrder.RELAXED:  # that does nothing (ISO C++, [atomics.fences])
            self.recorder.add(machine, Fence(scope, guards_of(state), span, order))

    # ------------------------------------------------------------ control

    def is_annotation(self, call: Call) -> bool:
        return self.calls.specifies(call.function.library_name)

    def call(self, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> Value | None:
        return self.calls.call(self, machine, state, call, arguments)

    def pointer_to_function(
        self, machine: Machine, number: Term, name: str, type_: FunctionType, span: Span
    ) -> PointerValue:
        pointer = self.functions.one_of(number, type_)
        if not machine.speculative and pointer is not OPAQUE:
            targets = ", ".join(f.ref.name for f in self.functions.targets(type_))
            text = f"{name} points to a function whose address these files take: {targets}"
            self.assumptions.assume(text, span)
        return pointer

    def take_address(self, target: MemoryObject, symbol: Symbol) -> bool:
        """Allows addresses of memory that threads share: all threads see an object at the same place."""
        self.uniformity.common |= {symbol.name}
        self.assumptions.assume_aligned(target)
        return True

    def launch(self, machine: Machine, state: State, launch: Launch) -> Value:
        self.unsupported(machine, state, "a kernel launched from device code", launch.span)
        return OPAQUE

    def unrolls_array(self, array: Variable) -> bool:
        """Whether loops that fill the array are unrolled: floating-point arrays hold no indexes and no conditions."""
        element: Type = array.type
        while isinstance(element, ArrayType):
            element = element.of
        return not isinstance(element, FloatType)

    def loop_test(
        self, machine: Machine, test: Expression, count: Symbol | None = None
    ) -> AbstractContextManager[None]:
        return self.tests.loop_test(machine, test, count)

    def enter_loop(
        self, machine: Machine, state: State, binder: Symbol, span: Span, *, untold: bool, changed: frozenset[str]
    ) -> None:
        self.recorder.enter(machine, binder, state, span, untold=untold)

    def begin_body(self, machine: Machine, state: State) -> None:
        self.recorder.begin_body(machine, state)

    def leave_loop(self, machine: Machine, binder: Symbol, count: Symbol, ends: IterationExits) -> tuple[Term, ...]:
        return self.recorder.leave(machine, binder, count, ends)

    def leave_function(self, machine: Machine, state: State, span: Span) -> None:
        if len(machine.frames) == 1:
            self.recorder.add(machine, Exit(choices_of(state), span))

    def abort(self, machine: Machine, state: State, span: Span) -> None:
        self.recorder.add(machine, Exit(choices_of(state), span, aborts=True))

    def assembly(self, machine: Machine, state: State, statement: Assembly, arguments: tuple[Value, ...]) -> None:
        """Records assembly that is not understood: it may release to other blocks, and acquire from them."""
        shown = " ".join(statement.template.split())[:_SHOWN] or "without a text"
        self.recorder.gap(machine, state, f"inline assembly: {shown}", statement.span, reach=Scope.DEVICE)

    def unsupported(self, machine: Machine, state: State, reason: str, span: Span) -> None:
        self.recorder.gap(machine, state, reason, span)


def _vector(terms: tuple[Term, Term, Term]) -> Composite:
    return Composite({4 * i: Cell(t, 4) for i, t in enumerate(terms)}, 12)
