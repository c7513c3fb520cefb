"""The interleaving semantics: one step of one thread at a time, under a schedule.

Small steps and barriers as in Collingbourne et al., "Interleaving and Lock-ThreadStep Semantics for Analysis and
Verification of GPU Kernels" (ESOP 2013, section 3): threads that wait at a barrier of their block go on when
all have come to the same one in the same iterations of the loops around it; else they diverge.  As CUDA
has it (Programming Guide, "Synchronization Functions"), threads that have left the kernel are not waited
for, and `__syncwarp` waits for the lanes of its mask.  Memory is sequentially consistent.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import prod
from random import Random
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import force_setattr
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program import expressions as ir
from hgrd.program.expressions import FunctionRef, Storage, Variable
from hgrd.program.layout import size_of
from hgrd.program.printer import print_expression, print_place
from hgrd.program.program import Function, Program
from hgrd.program.span import Span
from hgrd.program.types import ArrayType
from hgrd.simulate import scalars
from hgrd.simulate.detectors.happens_before import PartialBarrier
from hgrd.simulate.globals import OPAQUE, initial_bytes, named_in
from hgrd.simulate.interleaving import heap
from hgrd.simulate.interleaving.device_calls import device_call
from hgrd.simulate.interleaving.heap import Heap, address_of
from hgrd.simulate.interleaving.steps import Running, ThreadAccess, ThreadFence, ThreadMeeting, ThreadStep
from hgrd.simulate.interleaving.thread import Dimensions, Thread, World
from hgrd.simulate.scalars import Scalar, UndefinedError
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Observer, Silent, Sites, Touch, TraceSite

Argument: TypeAlias = int | float | bytes | NDArray[Any]
"""A kernel argument: a number, the bytes of a record, or an array: a pointer to global memory of that content."""
Schedule: TypeAlias = Callable[[Sequence[int]], int]
"""Chooses one of the threads that can make a step (never none, in ascending order)."""


def one_after_another(ready: Sequence[int]) -> int:
    """Each thread runs until it waits or ends."""
    return ready[0]


def at_random(seed: int) -> Schedule:
    """Each step is of a thread chosen at random."""
    return Random(seed).choice


class Launched(Struct, frozen=True):
    """A kernel and how it is launched; `shared_bytes` is the size of its dynamic shared memory.

    `variables` and `functions` are those that the kernel and all functions that it may call refer to: found, unless
    variables are given.
    """

    program: Program
    kernel: Function
    grid: Dimensions
    block: Dimensions
    arguments: tuple[Argument, ...]
    shared_bytes: int = 0
    variables: tuple[Variable, ...] = ()
    functions: tuple[FunctionRef, ...] = ()

    def __post_init__(self) -> None:
        if self.variables:
            return
        variables, functions = named_in(self.program, self.kernel)
        force_setattr(self, "variables", variables)
        force_setattr(self, "functions", functions)

    @property
    def threads_per_block(self) -> int:
        return prod(self.block)

    @property
    def blocks(self) -> int:
        return prod(self.grid)


class _Running(Struct):
    """A thread with its next step; None when it has ended."""

    thread: Thread
    steps: Running[None]
    next: ThreadStep | None = None


class Execution(Struct):
    """A launch in execution.  `ready` are the threads that can make a step, `step` makes one.

    `sites` numbers the accesses of the source in the events; `fault` is why the run could not continue ("": it could).
    """

    launched: Launched
    observer: Observer = field(default_factory=Silent)
    sites: Sites = field(default_factory=Sites)
    patience: int = 100_000
    divergences: list[PartialBarrier] = field(default_factory=list[PartialBarrier])
    fault: str = ""
    heap: Heap = field(default_factory=Heap)
    buffers: list[tuple[NDArray[Any], int]] = field(default_factory=list[tuple[NDArray[Any], int]])
    last_met: dict[int, int] = field(default_factory=dict[int, int])  # by thread: the number of its last meeting
    meetings: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    _ready: list[int] = field(default_factory=list[int])
    _active: Counter[int] = field(default_factory=Counter[int])  # by block: threads that can make a step
    _threads: list[_Running] = field(default_factory=list[_Running])
    _numbers: dict[tuple[int, AccessKind, MemoryOrder], int] = field(
        default_factory=dict[tuple[int, AccessKind, MemoryOrder], int]
    )

    def __post_init__(self) -> None:
        launched = self.launched
        world = self._world()
        arguments = [self._argument(a) for a in launched.arguments]
        for number in range(launched.blocks * launched.threads_per_block):
            thread = Thread(world, number)
            self._threads.append(_Running(thread, thread.run(launched.kernel, arguments)))
        for number in range(len(self._threads)):
            self._go_on(number, None)
        self._release(list(range(len(self._threads))))

    def _world(self) -> World:
        launched = self.launched
        program, numbers = launched.program, dict[str, int]()
        dynamic: int | None = None
        for variable in launched.variables:
            if variable.storage is not Storage.SHARED:
                data = initial_bytes(program, variable)
                numbers[variable.key] = self.heap.add(data, constant=variable.storage is Storage.CONSTANT)
            elif isinstance(variable.type, ArrayType) and variable.type.count is None:
                dynamic = self.heap.add_shared(launched.shared_bytes) if dynamic is None else dynamic
                numbers[variable.key] = dynamic
            else:
                numbers[variable.key] = self.heap.add_shared(size_of(variable.type, program.records) or OPAQUE)
        return World(
            program, self.heap, numbers, launched.functions, launched.grid, launched.block, self.patience, device_call
        )

    def _argument(self, argument: Argument) -> Scalar:
        if not isinstance(argument, np.ndarray):
            return argument
        for array, number in self.buffers:
            if array is argument:
                return address_of(number)
        self.buffers.append((argument, self.heap.add(argument.tobytes())))
        return address_of(self.buffers[-1][1])

    def contents(self, argument: NDArray[Any]) -> NDArray[Any]:
        """The current contents of the memory of an array argument."""
        number = next(number for array, number in self.buffers if array is argument)
        return np.frombuffer(bytes(self.heap.objects[number]), argument.dtype).reshape(argument.shape)

    # ------------------------------------------------------------ steps

    def ready(self) -> list[int]:
        if self.divergences or self.fault:
            return []
        return self._ready

    def pending(self, number: int) -> ThreadAccess | None:
        """The next step of a thread, if that is an access; else None."""
        step = self._threads[number].next
        return step if isinstance(step, ThreadAccess) else None

    def waiting(self) -> frozenset[Span]:
        """The barriers where threads wait."""
        return frozenset(t.next.span for t in self._threads if isinstance(t.next, ThreadMeeting) and t.next.orders)

    def block_of(self, number: int) -> int:
        return self._threads[number].thread.block

    def step(self, number: int) -> None:
        """Performs the next access of a thread, and runs the thread up to the access after it."""
        access = self.pending(number)
        assert access is not None
        try:
            before = self._perform(number, access)
        except UndefinedError as error:
            self.fault = f"{access.span}: {error}"
            return
        self._go_on(number, before)
        if self.pending(number) is None:
            self._release([number])

    def run(self, schedule: Schedule = one_after_another) -> Execution:
        while ready := self.ready():
            self.step(schedule(ready))
        return self

    def _perform(self, number: int, access: ThreadAccess) -> bytes:
        block = self.block_of(number)
        data = self.heap.bytes(access.number, block)
        before = heap.read(data, access.offset, access.size)
        after = before if access.change is None else access.change(before)
        if access.change is not None:
            heap.write(data, access.offset, after)
        space = self.heap.space(access.number)
        assert space is not None
        self.observer.touch(
            Touch(
                self._site(access), access.number, space, _one(number), _one(access.offset), access.size,
                access.kind, access.scope, access.order,
                _value(after, access), _value(before, access) if access.kind is AccessKind.ATOMIC else None,
            )
        )  # fmt: skip
        return before

    def _site(self, access: ThreadAccess) -> int:
        key = (id(access.node), access.kind, access.order)
        if key not in self._numbers:
            volatile = access.order is MemoryOrder.VOLATILE
            atomic = access.order not in (MemoryOrder.PLAIN, MemoryOrder.VOLATILE)
            kind = AccessKind.ATOMIC if atomic else access.kind
            site = TraceSite(access.span, kind, access.scope, volatile, _text(access.node))
            self._numbers[key] = self.sites.number(site)
        return self._numbers[key]

    def _go_on(self, number: int, sent: object) -> None:
        """Runs a thread to its next step; fences are performed at once."""
        running = self._threads[number]
        was_ready = isinstance(running.next, ThreadAccess)
        try:
            running.next = running.steps.send(sent)
            while isinstance(running.next, ThreadFence):
                fence = running.next
                self.observer.fenced(Fenced(fence.scope, _one(number), fence.span, fence.order))
                running.next = running.steps.send(None)
        except StopIteration:
            running.next = None
        except UndefinedError as error:
            running.next = None
            self.fault = self.fault or str(error)
        is_ready = isinstance(running.next, ThreadAccess)
        self._active[running.thread.block] += is_ready - was_ready
        if is_ready and not was_ready:
            insort(self._ready, number)
        elif was_ready and not is_ready:
            del self._ready[bisect_left(self._ready, number)]

    # ------------------------------------------------------------ barriers

    def _release(self, stopped: list[int]) -> None:
        """Releases groups of threads that are complete, after the threads `stopped` have come to wait or ended.

        If no thread can then make a step, the threads that still wait have diverged.
        """
        while stopped and not (self.divergences or self.fault):
            for number in self._waiting_with(stopped.pop()):
                stopped += self._try(number)
        if not (self.divergences or self.fault or self.ready()):
            waiting = [i for i, t in enumerate(self._threads) if isinstance(t.next, ThreadMeeting)]
            if waiting:
                self._diverge(waiting)

    def _waiting_with(self, number: int) -> Iterator[int]:
        """One thread of each group that may be complete now that this thread has stopped."""
        block = self.block_of(number)
        size = self.launched.threads_per_block
        if not self._active[block]:
            yield from self._first(range(block * size, (block + 1) * size), Scope.BLOCK)
        if not self._active.total():
            yield from self._first(range(len(self._threads)), Scope.DEVICE)
        first = number - number % size % WARP_SIZE
        for lane in range(first, min(first + WARP_SIZE, (block + 1) * size)):
            meet = self._threads[lane].next
            if isinstance(meet, ThreadMeeting) and meet.scope is Scope.WARP:
                yield lane

    def _first(self, group: range, scope: Scope) -> Iterator[int]:
        for number in group:
            meet = self._threads[number].next
            if isinstance(meet, ThreadMeeting):
                if meet.scope is scope:
                    yield number
                return

    def _try(self, number: int) -> list[int]:
        """Releases a group if all of it waits; gives the threads that then stop again."""
        meet = self._threads[number].next
        if not isinstance(meet, ThreadMeeting):
            return []
        members = [j for j in self._group(number, meet) if self._threads[j].next is not None]
        there = [m for j in members if isinstance(m := self._threads[j].next, ThreadMeeting)]
        if len(there) < len(members) or any((m.scope, m.mask) != (meet.scope, meet.mask) for m in there):
            return []
        if meet.scope is not Scope.WARP and any((m.span, m.where) != (meet.span, meet.where) for m in there):
            self._diverge(members)
            return []
        self._pass(meet, members, there)
        return [j for j in members if not isinstance(self._threads[j].next, ThreadAccess)]

    def _group(self, number: int, meet: ThreadMeeting) -> list[int]:
        """The threads that a barrier is for, including those that have ended."""
        size = self.launched.threads_per_block
        if meet.scope not in (Scope.WARP, Scope.BLOCK):
            return list(range(len(self._threads)))
        block, inside = divmod(number, size)
        if meet.scope is Scope.BLOCK:
            return list(range(block * size, (block + 1) * size))
        first = inside // WARP_SIZE * WARP_SIZE
        lanes = range(min(WARP_SIZE, size - first))
        return [block * size + first + lane for lane in lanes if meet.mask >> lane & 1 or first + lane == inside]

    def _pass(self, meet: ThreadMeeting, members: list[int], there: list[ThreadMeeting]) -> None:
        if meet.orders:
            self.observer.arrive(Arrive(meet.scope, np.array(members, np.int64), meet.span))
        self.last_met.update(dict.fromkeys(members, len(self.meetings)))
        self.meetings.append(tuple(members))
        given = {j: m.given for j, m in zip(members, there, strict=True)}
        for j in members:
            self._go_on(j, given)

    def _diverge(self, threads: Sequence[int]) -> None:
        """Records divergence: threads wait at different barriers, or for threads that never arrive."""
        barriers: dict[tuple[Span, Scope, int], list[int]] = {}
        for i in threads:
            meet = self._threads[i].next
            if isinstance(meet, ThreadMeeting):
                unit = self.block_of(i) if meet.scope in (Scope.BLOCK, Scope.WARP) else 0
                barriers.setdefault((meet.span, meet.scope, unit), []).append(i)
        self.divergences += [PartialBarrier(*key, tuple(found)) for key, found in barriers.items()]


def _one(number: int) -> NDArray[np.int64]:
    return np.array([number], np.int64)


def _value(data: bytes, access: ThreadAccess) -> NDArray[Any] | None:
    dtype = scalars.dtype_of(access.type)
    return None if dtype is None else np.frombuffer(data, dtype)


def _text(node: ir.Place | ir.Expression) -> str:
    match node:
        case ir.VariablePlace() | ir.Deref() | ir.FieldPlace() | ir.TemporaryPlace():
            return print_place(node)
        case ir.AfterPlace(place=place):
            return _text(place)
        case ir.Call(arguments=(pointer, *_)):
            return f"*{print_expression(pointer)}"
        case ir.UnsupportedPlace():
            return node.reason
        case _:
            return print_expression(node)
