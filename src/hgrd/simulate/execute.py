"""Execution of a kernel at a concrete launch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from hgrd.program.expressions import Expression, FunctionAddress, Storage
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.span import NOWHERE
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Type
from hgrd.program.walk import nodes
from hgrd.simulate.launch import ConcreteLaunch, Finished, NotSupported, OutOfBounds, OutOfFuel, RunOutcome, Trapped
from hgrd.simulate.lockstep.access import BoundsError
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, LoweredProgram, Lowering
from hgrd.simulate.lockstep.calls import call
from hgrd.simulate.lockstep.device.dispatch import device_call, library_object
from hgrd.simulate.lockstep.expressions import launched_by_device, lower
from hgrd.simulate.lockstep.instructions import (
    Activation,
    ActiveThreads,
    BarrierWatch,
    Batch,
    Code,
    TrapError,
    UnsupportedError,
)
from hgrd.simulate.lockstep.lanes import Lanes, VariableSlot
from hgrd.simulate.lockstep.memory import Home, Memory
from hgrd.simulate.lockstep.scheduler import FuelError, Scheduler
from hgrd.simulate.lockstep.statements import code_of
from hgrd.simulate.trace import Observer, Sites

LOWERING = Lowering(lower, call, code_of, device_call, library_object, launched_by_device)
_BATCH = 1 << 16  # threads that run together, unless blocks have to run together
FUEL = 1 << 36


class Executable(Struct):
    """A kernel that is ready to run, any number of times.  `sites` are the accesses that events refer to."""

    unit: LoweredProgram
    function: Function
    code: Code

    @property
    def sites(self) -> Sites:
        return self.unit.sites


def prepare(tables: Tables, kernel: Function, lowering: Lowering = LOWERING) -> Executable:
    """Lowers a kernel and all functions that it calls.  Raises UnsupportedError if a parameter has no known size."""
    unit = LoweredProgram(tables, lowering)
    code = unit.code_of(kernel)
    lowered = 0
    while True:  # functions that are called through pointers, which variables may hold from the beginning
        held = (key for variable in list(unit.globals) for key in _held_functions(tables, variable))
        unit.pointed += [key for key in dict.fromkeys(held) if key not in unit.pointed]
        if lowered == len(unit.pointed):
            return Executable(unit, kernel, code)
        function = unit.enters(unit.pointed[lowered])
        if function is not None:
            unit.code_of(function)
        lowered += 1


def _held_functions(tables: Tables, variable: str) -> Iterator[str]:
    """The keys of the functions that a variable at namespace scope points to at the beginning."""
    declared = tables.globals.get(variable)
    if declared is not None and declared.initial is not None:
        yield from (n.function.key for n in nodes(declared.initial) if isinstance(n, FunctionAddress))


def execute(
    executable: Executable,
    launch: ConcreteLaunch,
    memory: Memory,
    observer: Observer | None = None,
    fuel: int = FUEL,
    *,
    together: bool | None = None,
    ahead: int | None = None,
    watch: BarrierWatch | None = None,
) -> RunOutcome:
    """Runs the launch; afterwards `memory` is as the kernel leaves it, also if it is stopped.

    Blocks run in batches of some 64 thousand threads, one batch after the other, unless the kernel may wait
    for other blocks; True or False for `together` overrides that.  In the first batch, thread `ahead` (None: no
    thread) runs before the others, as far as it gets without them: another of the schedules that CUDA allows.  With
    `watch`, threads that wait for ever at a barrier are released, one barrier after the other, and the outcome is
    never StuckAtBarrier.
    """
    size = launch.block_threads
    if size <= 0 or launch.blocks <= 0:
        return Finished(0)
    apart = not _waits(executable) if together is None else not together
    blocks = max(1, _BATCH // size) if apart else launch.blocks
    statements, standing = 0, frozenset(memory.objects)
    with np.errstate(all="ignore"):
        try:
            parameters = executable.function.parameters
            arguments = [_argument(p.type, a) for p, a in zip(parameters, launch.arguments, strict=True)]
            make_globals(executable.unit, memory)
            for first in range(0, launch.blocks, blocks):
                batch = _batch(executable.unit, launch, memory, first, min(blocks, launch.blocks - first))
                batch.observer, batch.watch = observer, watch
                scheduler = Scheduler(batch, fuel)
                try:
                    stuck = scheduler.run(executable.code, arguments, ahead if first == 0 else None)
                finally:
                    fuel = scheduler.fuel
                    statements += scheduler.statements
                    memory.forget_copies(standing)
                if stuck is not None:
                    return stuck
        except BoundsError as error:
            return OutOfBounds(error.span, error.thread, error.reason)
        except TrapError as error:
            return Trapped(error.span, error.thread, error.reason)
        except UnsupportedError as error:
            return NotSupported(error.span, error.reason)
        except FuelError as error:
            return OutOfFuel(error.span)
    return Finished(statements)


def _batch(unit: LoweredProgram, launch: ConcreteLaunch, memory: Memory, first: int, count: int) -> Batch:
    """`count` blocks from block `first` on, with their shared memory."""
    live = np.ones(count * launch.block_threads, np.bool_)
    shared = {
        key: memory.place_copies(key, Home.SHARED, size or launch.shared_bytes, count).number
        for key, (_, size) in unit.shared.items()
    }
    functions = tuple(unit.codes.get(key) for key in unit.pointed)
    return Batch(launch, memory, None, first, count, live, shared, functions)


def _waits(executable: Executable) -> bool:
    return any(code.waits for code in executable.unit.codes.values())


def _argument(type_: Type, given: float | bytes) -> object:
    """An argument converted to the parameter's type."""
    match type_, given:
        case (BoolType(), _):
            return np.bool_(given)
        case (IntType(bits=bits, signed=signed), int()):
            wrapped = np.array([given & ((1 << bits) - 1)], f"u{bits // 8}")
            return wrapped.view(f"{'i' if signed else 'u'}{bits // 8}")[0]
        case (FloatType(bits=bits), int() | float()):
            return np.dtype(f"f{bits // 8}").type(given)
        case (PointerType(), int()):
            return np.int64(given)
        case (_, bytes()):
            return np.frombuffer(given, np.uint8)[None, :]
        case _:
            raise UnsupportedError(f"an argument {given!r} of this type", NOWHERE)


def make_globals(unit: LoweredProgram, memory: Memory) -> None:
    """Makes the variables at namespace scope that memory does not have yet, with their initial values."""
    for key in [key for key in unit.globals if key not in memory.symbols]:
        if key in memory.symbols:  # by now: another one begins with its value
            continue
        variable, size = unit.globals[key]
        declared = unit.tables.globals.get(key)
        of_host = variable.storage in (Storage.GLOBAL, Storage.STATIC) and not (declared and declared.constant)
        home = Home.GLOBAL if of_host or variable.storage is Storage.DEVICE else Home.CONSTANT
        memory.define(key, variable.name, np.zeros(size, np.uint8), home)
        if declared is not None and declared.initial is not None:
            value = _initial(unit, declared.initial, memory)
            bytes_ = np.ascontiguousarray(np.atleast_1d(value)).view(np.uint8).reshape(-1)[:size]
            memory.contents(key, np.uint8)[:size] = bytes_


def _initial(unit: LoweredProgram, e: Expression, memory: Memory) -> Value:
    """The value of a constant expression; variables that it refers to are made first."""
    code = Code()
    b = CodeBuilder(unit, code, frozenset())
    made = b.lower(e)
    make_globals(unit, memory)
    launch = ConcreteLaunch((1, 1, 1), (1, 1, 1))
    batch = Batch(launch, memory, None, 0, 1, np.ones(1, np.bool_))
    lanes = Lanes(None, 1, np.zeros(1, np.int64))
    objects = [memory.place_copies(name, Home.LOCAL, size, 1).number for name, size in code.objects]
    frame = Activation(code, lanes, [VariableSlot(k.dtype, 1, k.width) for k in code.slots], objects)
    return made(ActiveThreads(batch, frame, lanes))
