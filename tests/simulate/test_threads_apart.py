"""Threads apart: which accesses of a launch show that no thread uses what another one stores."""

import numpy as np
import pytest

from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.simulate.program_run.threads_apart import are_threads_apart
from hgrd.simulate.trace import MemoryOrder, Touch

READ, WRITE, ATOMIC = AccessKind.READ, AccessKind.WRITE, AccessKind.ATOMIC


def _touch(
    kind: AccessKind, offsets: list[int], *, size: int = 4, memory: int = 1, scope: Scope | None = None
) -> Touch:
    threads = np.arange(len(offsets), dtype=np.int64)
    scope = Scope.DEVICE if kind is ATOMIC and scope is None else scope
    places = np.array(offsets, dtype=np.int64)
    return Touch(0, memory, Space.GLOBAL, threads, places, size, kind, scope, MemoryOrder.PLAIN, None)


@pytest.mark.parametrize(
    ("touches", "apart"),
    [
        ([], True),
        ([_touch(WRITE, [0, 4, 8])], True),
        ([_touch(WRITE, [0, 4, 4])], False),
        ([_touch(WRITE, [0, 4, 8]), _touch(READ, [0, 4, 8])], True),
        ([_touch(READ, [4, 0, 8]), _touch(WRITE, [0, 4, 8])], False),
        ([_touch(READ, [4, 4, 4]), _touch(WRITE, [0, 8, 12])], True),
        ([_touch(WRITE, [0, 4, 8]), _touch(WRITE, [0, 4, 8])], True),
        ([_touch(WRITE, [0, 4, 8]), _touch(WRITE, [4, 0, 8])], False),
        ([_touch(WRITE, [0, 4, 8]), _touch(READ, [4, 0, 8], memory=2)], True),
        ([_touch(ATOMIC, [0, 0, 0])], True),
        ([_touch(ATOMIC, [0, 0, 0], scope=Scope.BLOCK)], False),
        ([_touch(ATOMIC, [0, 4, 8], scope=Scope.BLOCK)], True),
        ([_touch(ATOMIC, [0, 0, 4]), _touch(READ, [8, 8, 8])], True),
        ([_touch(ATOMIC, [0, 0, 4]), _touch(READ, [8, 8, 0])], False),
        ([_touch(ATOMIC, [0, 4, 8]), _touch(READ, [0, 4, 8])], True),
        ([_touch(ATOMIC, [0, 4, 8]), _touch(WRITE, [4, 0, 8])], False),
        ([_touch(WRITE, [0, 16, 32], size=16), _touch(READ, [12, 28, 44])], True),
        ([_touch(WRITE, [0, 16, 32], size=16), _touch(READ, [16, 28, 44])], False),
        ([_touch(WRITE, [0, 2, 4], size=2), _touch(READ, [1, 3, 5], size=1)], True),
        ([_touch(WRITE, [0, 2, 4], size=2), _touch(READ, [1, 4, 5], size=1)], False),
    ],
)
def test_threads_are_apart(touches: list[Touch], apart: bool) -> None:
    assert are_threads_apart(touches) is apart
