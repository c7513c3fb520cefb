"""Execution of host code: `main` runs as one thread, and hands its launches to whoever runs kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from hgrd.program import expressions as ir
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.simulate.execute import execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Extent3, RunOutcome
from hgrd.simulate.lockstep.arithmetic import DType, Value
from hgrd.simulate.lockstep.builder import CodeBuilder, Lowering, arguments_of, fails
from hgrd.simulate.lockstep.calls import call
from hgrd.simulate.lockstep.device.dispatch import library_object
from hgrd.simulate.lockstep.expressions import lower
from hgrd.simulate.lockstep.instructions import Activation, ActiveThreads, Closure, Invoke
from hgrd.simulate.lockstep.statements import code_of
from hgrd.simulate.program_run.host_calls import HostCalls, number

_DIM3 = 12  # bytes
_NAME = b"program\0"


class Start(Struct, frozen=True):
    """A kernel that host code launches, by its key; `stack` are the calls that lead there, outermost first."""

    kernel: str
    launch: ConcreteLaunch
    span: Span
    stack: tuple[Span, ...]


class HostExecution(Struct):
    """An execution of host code that calls `start` for every launch."""

    tables: Tables
    calls: HostCalls
    start: Callable[[Start], None]

    def run(self, main: Function, fuel: int) -> RunOutcome:
        """Runs `main`, without arguments, to its end or to what is not supported; raises what `start` raises."""
        lowering = Lowering(lower, call, code_of, self.calls.call, library_object, self._launch)
        executable = prepare(self.tables, main, lowering)
        arguments = (1, self._command_line(), 0)[: len(main.parameters)]
        launch = ConcreteLaunch((1, 1, 1), (1, 1, 1), arguments)
        return execute(executable, launch, self.calls.memory.memory, fuel=fuel)

    def _command_line(self) -> int:
        memory = self.calls.memory
        name, list_ = memory.allocate("name", len(_NAME)), memory.allocate("argv", 16)
        memory.put(name, _NAME)
        memory.put(list_, name.to_bytes(8, "little"))
        return list_

    def _launch(self, b: CodeBuilder, e: ir.Launch) -> Closure:
        kernel = self.tables.functions.get(e.kernel.function.key) if isinstance(e.kernel, ir.FunctionAddress) else None
        if kernel is None or kernel.body is None:
            return fails("a launch of a kernel that is not known", e.span)
        types = [b.unit.dtype(p.type) for p in kernel.parameters]
        dims = arguments_of(b, (e.grid, e.block))
        size = None if e.shared_bytes is None else b.lower(e.shared_bytes)
        values = arguments_of(b, e.arguments)
        key = kernel.ref.key

        def run(here: ActiveThreads) -> None:
            grid, block = (_extents(d(here)) for d in dims)
            given = tuple(_argument(v(here), t) for v, t in zip(values, types, strict=True))
            launch = ConcreteLaunch(grid, block, given, 0 if size is None else number(size(here)))
            self.start(Start(key, launch, e.span, _stack(here.frame)))

        return run


def _extents(value: Value) -> Extent3:
    x, y, z = np.ascontiguousarray(np.asarray(value).reshape(-1)[:_DIM3]).view(np.uint32).tolist()
    return x, y, z


def _argument(value: Value, dtype: DType | None) -> int | float | bytes:
    flat = np.asarray(value).reshape(-1)
    if dtype is not None and dtype.kind == "V":
        return flat.astype(np.uint8).tobytes()[: dtype.itemsize]
    return float(flat[0]) if flat.dtype.kind == "f" else int(flat[0])


def _stack(frame: Activation) -> tuple[Span, ...]:
    """The calls of functions that lead to an activation, outermost first."""
    found: list[Span] = []
    while frame.caller is not None:
        entered = frame.caller.code.instructions[frame.return_to - 1]
        if isinstance(entered, Invoke):
            found.append(entered.span)
        frame = frame.caller
    return tuple(reversed(found))
