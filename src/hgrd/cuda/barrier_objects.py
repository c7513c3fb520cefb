"""Barriers in memory by the names of their functions: `cuda::barrier` of libcu++.

CUDA C++ Programming Guide, "Asynchronous Barrier"; CUDA C++ Core Libraries, "cuda::barrier".
"""

from __future__ import annotations

import re
from enum import Enum

from hgrd.cuda.atomics import scope_of_object
from hgrd.cuda.limits import NAMED_BARRIERS
from hgrd.cuda.memory_model import Level

OBJECT_SIZE = 8
"""Bytes of a barrier in memory."""
FIRST_NUMBER = NAMED_BARRIERS
"""Number by which the first barrier in memory goes: those of the block come before."""
NUMBERS_OF_OBJECT = 1 << 16
"""Numbers that one object with barriers has, one for each byte."""
INIT = "cuda::init"
BLOCK_BARRIER = "cuda::barrier<cuda::thread_scope_block>"
"""The class of barriers that `mbarrier` of PTX makes."""
WAIT_PHASE = "cuda::barrier::wait_parity"
TRY_PHASE = "mbarrier.try_wait.parity"
"""A look whether a phase has ended, by its number modulo 2: the thread may have waited for it, or not."""
_TYPE = re.compile(r"cuda::barrier<\(?(?:cuda::)?(thread_scope_\w+)\)?>")
_CLASS = "cuda::barrier::"


class BarrierCall(Enum):
    """What a function does to a barrier in memory."""

    INIT = "says how many threads it expects"
    ARRIVE = "arrives without waiting"
    WAIT = "waits for those that have arrived"
    PHASE = "waits for the end of a phase, by its number modulo 2"
    MEET = "arrives and waits"


_FUNCTIONS = {
    "init": BarrierCall.INIT,
    INIT: BarrierCall.INIT,
    _CLASS + "arrive": BarrierCall.ARRIVE,
    _CLASS + "wait": BarrierCall.WAIT,
    WAIT_PHASE: BarrierCall.PHASE,
    _CLASS + "arrive_and_wait": BarrierCall.MEET,
}


def is_barrier(class_name: str) -> bool:
    """Whether a class of this name is one of barriers in memory."""
    return class_name.startswith("cuda::barrier<")


def is_token(class_name: str) -> bool:
    """Whether a class of this name is what an arrival at a barrier in memory gives."""
    return class_name.endswith("arrival_token")


def barrier_call(qualified: str, class_name: str) -> BarrierCall | None:
    """What a function of a library does to an object of this class.

    None of other functions and classes, and where the barrier runs code or orders no two threads.
    """
    known = _TYPE.fullmatch(class_name)
    scope = None if known is None else scope_of_object(known.groups())
    return _FUNCTIONS.get(qualified) if scope is not None and scope.covers(Level.INTRA_BLOCK) else None
