"""Functions as flat code, and the threads that run it: activations, groups, and the data of a batch of blocks.

The order of the instructions is a sort order of the control flow graph: only the back edges of loops go
backwards, and the instructions of a loop lie together (Collingbourne et al. 2013, section 4.1).  Groups
that are in several places are run lowest place first, so that threads rejoin where paths meet.

Code consists of closures over groups of threads, and a group refers to its code, so both are declared here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.memory_model import Scope
from hgrd.program.span import Span
from hgrd.simulate.launch import ConcreteLaunch
from hgrd.simulate.lockstep.arithmetic import DType, Value
from hgrd.simulate.lockstep.lanes import Lanes, VariableSlot
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.trace import Observer

Closure: TypeAlias = "Callable[[ActiveThreads], Value]"
Action: TypeAlias = "Callable[[ActiveThreads], None]"


class Do(Struct, eq=False):
    """An action of all threads of the group; `weight` counts the statements of the source in it."""

    run: Action
    span: Span
    weight: int = 1


class Jump(Struct, eq=False):
    """A jump; `patience` of a back edge: the iterations before threads that have left the loop may continue."""

    target: int
    span: Span
    patience: int = 0


class Branch(Struct, eq=False):
    """A branch: threads for which the condition holds fall through, the others go to `otherwise`."""

    condition: Closure
    otherwise: int
    span: Span
    weight: int = 1


class Invoke(Struct, eq=False):
    """A call of a function with a body; its value goes to the slot `result` (None: it is dropped).

    `around`: the slots that count the iterations of the loops around it in which threads meet.
    """

    callee: Code
    arguments: tuple[Closure, ...]
    result: int | None
    span: Span
    around: tuple[int, ...] = ()


class InvokeIndirect(Struct, eq=False):
    callee: Closure
    arguments: tuple[Closure, ...]
    result: int | None
    span: Span
    around: tuple[int, ...] = ()


class Return(Struct, eq=False):
    value: Closure | None
    span: Span
    weight: int = 1


class Meet(Struct, eq=False):
    """A barrier, or an exchange of values among threads that have to come together for it.

    `mask`: the lanes of the thread's warp that take part (scope WARP).  `exchange` is evaluated when all
    are there, and its value goes to the slot `result`.  `orders`: it is a barrier for memory, too.
    `around` as for calls.
    """

    scope: Scope
    mask: Closure | None
    exchange: Closure | None
    result: int | None
    orders: bool
    span: Span
    around: tuple[int, ...] = ()


Instruction: TypeAlias = Do | Jump | Branch | Invoke | InvokeIndirect | Return | Meet


class SlotKind(Struct, frozen=True):
    """Kind of a variable: its `dtype`; None, with `width` in bytes, for records."""

    dtype: DType | None
    width: int = 0


class Parameter(Struct, frozen=True):
    """Target of an argument: a slot, or (`size` > 0) a local object."""

    number: int
    size: int
    dtype: DType


class Code(Struct, eq=False):
    """A function, or an expression alone; `objects` are its local objects: (name, size in bytes).

    `waits`: it has a loop that may wait for other threads.
    """

    instructions: list[Instruction] = field(default_factory=list[Instruction])
    slots: list[SlotKind] = field(default_factory=list[SlotKind])
    objects: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    waits: bool = False


# ---------------------------------------------------------------- the threads that run it


class UnsupportedError(Exception):
    """A part of the program that the executor does not support."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


class TrapError(Exception):
    """Threads stop the launch."""

    def __init__(self, reason: str, span: Span, thread: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.thread = thread


class Batch(Struct, eq=False):
    """Blocks `first_block` … `first_block + blocks - 1`, run together; threads are numbered from 0 in it."""

    launch: ConcreteLaunch
    memory: Memory
    observer: Observer | None
    first_block: int
    blocks: int
    live: NDArray[np.bool_]  # threads that have not ended
    shared: dict[str, int] = field(default_factory=dict[str, int])  # objects by the variable's key
    functions: tuple[Code | None, ...] = ()  # targets of pointers to functions; None: it has no body
    watch: BarrierWatch | None = None  # with it, threads that wait for ever are released

    @property
    def block_threads(self) -> int:
        return self.launch.block_threads

    @property
    def threads(self) -> int:
        return self.blocks * self.launch.block_threads


class Activation(Struct, eq=False):
    """An activation of `code` by all threads of `lanes` (with index None).

    `place` orders activations as their calls lie in the code.  `left`: members that have not returned.
    """

    code: Code
    lanes: Lanes
    slots: list[VariableSlot]
    objects: list[int]
    place: tuple[int, ...] = ()
    caller: Activation | None = None
    caller_lanes: Lanes | None = None
    return_to: int = 0
    result: int | None = None
    left: int = 0


class ActiveThreads(Struct, eq=False):
    """Threads at a point of the program: the argument of closures."""

    batch: Batch
    frame: Activation
    lanes: Lanes

    def narrowed(self, mask: NDArray[np.bool_]) -> ActiveThreads:
        return ActiveThreads(self.batch, self.frame, self.lanes.where(mask))

    @property
    def count(self) -> int:
        return self.lanes.count


class ThreadGroup(ActiveThreads):
    """Threads at an instruction.  `overtaken`: how often they have been overtaken; `rounds`: iterations since then.

    `ahead`: they run before others, and do not wait for these to join them, up to their first barrier.
    """

    pc: int = 0
    waiting: bool = False
    rounds: int = 0
    overtaken: int = 0
    ahead: bool = False

    @property
    def place(self) -> tuple[int, ...]:
        return (*self.frame.place, self.pc)


class BarrierWatch(Protocol):
    """Told of the threads that arrive at barriers and pass them."""

    def come(self, group: ThreadGroup, barrier: Meet) -> None:
        """Threads arrive at a barrier."""
        ...

    def leave(self, group: ThreadGroup) -> None:
        """Threads pass the barrier at which they have waited."""
        ...

    def stuck(self) -> None:
        """No thread can continue, so some that wait are about to be released."""
        ...
