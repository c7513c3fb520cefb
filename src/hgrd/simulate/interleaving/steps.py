"""Small steps of the interleaving semantics: the actions of a thread that others can notice.

Between two of them a thread computes on its own; a thread is a generator of its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import Expression, Place
from hgrd.program.span import Span
from hgrd.program.types import Type
from hgrd.simulate.scalars import Scalar
from hgrd.simulate.trace import MemoryOrder

Where: TypeAlias = tuple[tuple[Span, int], ...]
"""The barrier variables of Collingbourne et al. (ESOP 2013, figure 4d): calls and loops around, with iterations."""


class ThreadAccess(Struct, frozen=True):
    """An access to `size` bytes of an object from `offset` on; the thread gets the bytes that were there.

    `change` makes new bytes from the old ones (None: a read).  `node` is the access in the source.
    """

    kind: AccessKind
    number: int
    offset: int
    size: int
    type: Type
    change: Callable[[bytes], bytes] | None
    span: Span
    node: Place | Expression
    order: MemoryOrder = MemoryOrder.PLAIN
    scope: Scope | None = None


class ThreadFence(Struct, frozen=True):
    scope: Scope
    span: Span
    order: StdMemoryOrder = StdMemoryOrder.SEQ_CST


class ThreadMeeting(Struct, frozen=True):
    """A wait for the other threads of the block, the grid, or the lanes `mask` of the warp.

    The thread gets the value (`given`) of every thread, by thread.  Only if `orders` this is a barrier for
    memory: shuffles and votes exchange values and no more (CUDA Programming Guide, "Warp Shuffle Functions").
    """

    scope: Scope
    name: str
    span: Span
    where: Where
    mask: int = 0xFFFFFFFF
    given: Scalar = 0
    orders: bool = True


ThreadStep: TypeAlias = ThreadAccess | ThreadFence | ThreadMeeting
T = TypeVar("T")
Running: TypeAlias = Generator[ThreadStep, Any, T]
