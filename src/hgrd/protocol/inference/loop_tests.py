"""Loop tests that read back what their own thread has just stored.

    while (i < n) { ... }  // after `i = 0;` in shared memory

Without a race the test finds the stored value.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct, field

from hgrd.program.expressions import Call, Expression
from hgrd.program.walk import nodes
from hgrd.protocol.inference.recorder import Recorder, finds
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Pointer
from hgrd.terms import FALSE, Symbol, Term, const, disj, ne, var


class LoopTests(Struct):
    """Reads in the first test of a loop, or in the test with which it ends after `left` iterations.

    `found`: by the symbol of such a read, the condition that it gets the stored value.  `active`: in such a test.
    """

    recorder: Recorder
    found: dict[Symbol, Term] = field(default_factory=dict[Symbol, Term])
    active: bool = False
    left: Symbol | None = None

    @contextmanager
    def loop_test(self, machine: Machine, test: Expression, count: Symbol | None) -> Generator[None, None, None]:
        """Context in which `test` runs: its first run if `count` is None, else the one after `count` iterations."""
        self.active = not machine.speculative and not any(isinstance(n, Call) for n in nodes(test))
        self.left = count
        try:
            yield
        finally:
            self.active = False

    def read(self, state: State, pointer: Pointer, size: int, result: Symbol) -> None:
        """Notes a read that got `result`."""
        own = self.recorder.just_stored(pointer, size, state, self.left) if self.active else None
        if own is not None:
            later = FALSE if self.left is None else ne(var(self.left), const(0))
            self.found[result] = disj(later, finds(result, own))
