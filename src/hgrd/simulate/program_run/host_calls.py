"""Library functions that host code calls: what they do to memory.

CUDA Runtime API, "Memory Management"; C and C++ library.  What prints is not looked at, streams and events order work
that a run does at once.  A call of anything else without a body ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from msgspec import Struct, field

from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import nodes
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails
from hgrd.simulate.lockstep.device.dispatch import device_call
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, UnsupportedError
from hgrd.simulate.program_run.host_memory import HostMemory, HostMemoryError

_MOST_DRAWN = (1 << 31) - 1  # RAND_MAX of the usual C libraries


class HostCalls(Struct):
    """Library functions of one run.  `drawn`: the program has drawn numbers at random, which may be others."""

    memory: HostMemory
    numbers: Random = field(default_factory=lambda: Random(1))
    drawn: bool = False

    def call(self, b: CodeBuilder, e: ir.Call) -> Closure:
        """A call of a function without a body."""
        name = e.function.library_name
        if name in _PRINTING or name in _SILENT:
            return _without(b, e)
        meaning = _MEANINGS.get(name)
        if meaning is None:
            return device_call(b, e)
        return self._called(b, e, meaning)

    def _called(self, b: CodeBuilder, e: ir.Call, meaning: Meaning) -> Closure:
        values, dtype = arguments_of(b, e.arguments), b.unit.dtype(e.type)

        def run(here: ActiveThreads) -> Value:
            given = tuple(number(value(here)) for value in values)
            try:
                result = meaning(self, given)
            except HostMemoryError as error:
                raise UnsupportedError(str(error), e.span) from None
            return None if dtype is None else np.array([result]).astype(dtype)[0]

        return run

    def random(self) -> int:
        """A number drawn at random, the same in every run."""
        self.drawn = True
        return self.numbers.randint(0, _MOST_DRAWN)


Meaning = Callable[[HostCalls, tuple[int, ...]], int]
"""What a function does with its arguments; its result."""


def number(value: Value) -> int:
    """The one number of the one thread of the host."""
    return int(np.asarray(value).reshape(-1)[0])


def _without(b: CodeBuilder, e: ir.Call) -> Closure:
    """A function that does nothing that kernels see; its arguments are not evaluated, so they must do nothing, too."""
    for argument in e.arguments:
        for node in nodes(argument):
            if isinstance(node, ir.Assign | ir.Update | ir.Launch) or (isinstance(node, ir.Call) and _acts(b, node)):
                return fails(f"a call of {e.function.name} with arguments that have effects", e.span)
    dtype = b.unit.dtype(e.type)
    return lambda here: None if dtype is None or dtype.kind == "V" else dtype.type(0)


def _acts(b: CodeBuilder, call: ir.Call) -> bool:
    name = call.function.library_name
    return b.unit.enters(call.function.key) is not None or name in _MEANINGS


def _made(name: str, *, bare: bool) -> Meaning:
    def meaning(calls: HostCalls, given: tuple[int, ...]) -> int:
        address = calls.memory.allocate(name, given[1], bare=bare)
        calls.memory.put(given[0], address.to_bytes(8, "little"))
        return 0

    return meaning


def _copied(calls: HostCalls, given: tuple[int, ...]) -> int:
    calls.memory.copy(given[0], given[1], given[2])
    return 0


def _to_symbol(calls: HostCalls, given: tuple[int, ...]) -> int:
    calls.memory.copy(given[0] + given[3], given[1], given[2])
    return 0


def _from_symbol(calls: HostCalls, given: tuple[int, ...]) -> int:
    calls.memory.copy(given[0], given[1] + given[3], given[2])
    return 0


def _filled(calls: HostCalls, given: tuple[int, ...]) -> int:
    calls.memory.fill(given[0], given[1], given[2])
    return 0


def _symbol_address(calls: HostCalls, given: tuple[int, ...]) -> int:
    calls.memory.put(given[0], given[1].to_bytes(8, "little"))
    return 0


def _moved(calls: HostCalls, given: tuple[int, ...]) -> int:
    calls.memory.copy(given[0], given[1], given[2])
    return given[0]


def _set(calls: HostCalls, given: tuple[int, ...]) -> int:
    calls.memory.fill(given[0], given[1], given[2])
    return given[0]


_MEANINGS: dict[str, Meaning] = {
    **dict.fromkeys(("cudaMalloc", "cudaMallocAsync"), _made("cudaMalloc", bare=True)),
    **dict.fromkeys(("cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc"), _made("host", bare=False)),
    **dict.fromkeys(("cudaMemcpy", "cudaMemcpyAsync"), _copied),
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"), _to_symbol),
    **dict.fromkeys(("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"), _from_symbol),
    **dict.fromkeys(("cudaMemset", "cudaMemsetAsync"), _filled),
    "cudaGetSymbolAddress": _symbol_address,
    **dict.fromkeys(("memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"), _moved),
    **dict.fromkeys(("memset", "__builtin_memset"), _set),
    "malloc": lambda calls, given: calls.memory.allocate("malloc", given[0]),
    "calloc": lambda calls, given: calls.memory.allocate("calloc", given[0] * given[1]),
    **dict.fromkeys(("rand", "random", "lrand48"), lambda calls, given: calls.random()),
}
"""What the library functions that change memory do."""
_PRINTING = frozenset({"printf", "fprintf", "puts", "fputs", "putchar", "fflush", "perror", "setbuf", "setvbuf"})
_SILENT = frozenset(
    {
        *("free", "operator delete", "operator delete[]", "srand", "srandom", "srand48"),
        *("cudaFree", "cudaFreeHost", "cudaFreeAsync", "cudaDeviceSynchronize", "cudaThreadSynchronize"),
        *("cudaStreamSynchronize", "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamDestroy"),
        *("cudaStreamWaitEvent", "cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventRecord", "cudaEventDestroy"),
        *("cudaEventSynchronize", "cudaEventElapsedTime", "cudaGetLastError", "cudaPeekAtLastError", "cudaSetDevice"),
        *("cudaGetErrorString", "cudaGetErrorName", "cudaDeviceReset", "cudaFuncSetAttribute"),
        *("cudaFuncSetCacheConfig", "cudaMemPrefetchAsync", "cudaMemAdvise", "cudaDeviceSetCacheConfig"),
        *("cudaDeviceSetLimit", "cudaProfilerStart", "cudaProfilerStop"),
    }
)
"""Functions that do nothing that a kernel of the run can see: there is one stream, and nothing fails."""
