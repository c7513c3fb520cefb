"""Functions as flat code: closures over groups of threads, and the instructions that move them.

The order of the instructions is a sort order of the control flow graph: only the back edges of loops go
backwards, and the instructions of a loop lie together (Collingbourne et al. 2013, section 4.1).  Groups
that are in several places are run lowest place first, so that threads rejoin where paths meet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from hgrd.cuda.memory_model import Scope
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.simulate.lockstep.arithmetic import DType, Value

if TYPE_CHECKING:
    from hgrd.simulate.lockstep.frames import Here

Closure: TypeAlias = "Callable[[Here], Value]"
Action: TypeAlias = "Callable[[Here], None]"


class Do(Struct, eq=False):
    """Something all threads of the group do; `weight` counts the statements of the source in it."""

    run: Action
    span: Span
    weight: int = 1


class Jump(Struct, eq=False):
    """`patience` of a back edge: how often to go round before threads that have left may go on."""

    target: int
    span: Span
    patience: int = 0


class Branch(Struct, eq=False):
    """Threads for which the condition holds fall through, the others go to `otherwise`."""

    condition: Closure
    otherwise: int
    span: Span
    weight: int = 1


class Invoke(Struct, eq=False):
    """A call of a function with a body; its value goes to the slot `result`.

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

    `mask`: the lanes of the thread's warp that take part (scope WARP).  `exchange` is evaluated when they
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
    """Of a variable: `dtype` None and `width` bytes for records."""

    dtype: DType | None
    width: int = 0


class Parameter(Struct, frozen=True):
    """Where an argument goes: to a slot, or (`size` > 0) to a local object."""

    number: int
    size: int
    dtype: DType


class Code(Struct, eq=False):
    """A function; `objects` are its local objects: (name, size in bytes).

    `waits`: it has a loop that may wait for other threads.
    """

    function: Function
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    slots: list[SlotKind] = field(default_factory=list[SlotKind])
    objects: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    waits: bool = False
