"""Launch runs: a launch is run on the memory that it finds, where no input of the program decides about that.

A race that the run shows is one of the program.  Where the kernel's accesses follow from what it finds (`determined`),
and the run has no race, no other run has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Finding
from hgrd.host.memory_image import LaunchImage, ObjectImage
from hgrd.program.expressions import Variable
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.types import BoolType, FloatType, IntType, PointerType
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Finished, RunOutcome
from hgrd.simulate.lockstep.instructions import UnsupportedError
from hgrd.simulate.lockstep.memory import SHIFT, Memory
from hgrd.simulate.program_run.determined import floats_decide, is_determined
from hgrd.simulate.program_run.program_run import collect
from hgrd.simulate.replay.barrier_watch import LateError
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Touch

_WORK: Final = 1 << 26
_TOUCH, _TOUCH_OF_THREAD = 1 << 12, 1 << 4  # the work for an access, and for each of its threads
_ATOMIC_OF_THREAD, _FENCE = 1 << 12, 1 << 7  # for each thread of an atomic; of a fence, and each block
_MOST_SHARED: Final = 1 << 26  # bytes of shared memory of all blocks

Mask = NDArray[np.bool_]


class LaunchRun(Struct, frozen=True):
    """What the run of a launch shows: the pairs that were asked for and race, and whether no two accesses ever do."""

    found: Mapping[AskedPair, Finding] = field(default_factory=dict[AskedPair, Finding])
    apart: bool = False


def run_launch(tables: Tables, kernel: Function, image: LaunchImage, asked: tuple[AskedPair, ...]) -> LaunchRun:
    """The run of a kernel on the memory that it finds; nothing where it cannot be run."""
    try:
        executable = prepare(tables, kernel)
        memory, data, arguments = _made(kernel, image)
        launch = ConcreteLaunch(image.grid, image.block, arguments, image.shared_bytes)
        model = AccessModel(LaunchShape(launch.block_threads, launch.blocks))
        outcome = _run(executable, launch, memory, _Watched(model, data))
    except (UnsupportedError, MemoryError):
        return LaunchRun()
    races = model.races()
    found: dict[AskedPair, Finding] = {}
    supposed = data.guessed or (data.guessed_floats and floats_decide(tables, executable))
    collect(found, asked, races, executable, launch, supposed=supposed)
    ended = isinstance(outcome, Finished) and image.always
    return LaunchRun(found, ended and not races and _stands_for_all(tables, executable, model, data))


def _run(executable: Executable, launch: ConcreteLaunch, memory: Memory, watched: _Watched) -> RunOutcome | None:
    """How a run ends; None where its work is used up before."""
    try:
        return execute(executable, launch, memory, watched, _WORK)
    except LateError:
        return None


def _stands_for_all(tables: Tables, executable: Executable, model: AccessModel, data: _Data) -> bool:
    """Whether a run without races says that no run has any."""
    plain = not (data.vague or model.divergences or model.ordered_by_clocks())
    return plain and is_determined(tables, executable) and not floats_decide(tables, executable)


# ---------------------------------------------------------------- memory


def _made(kernel: Function, image: LaunchImage) -> tuple[Memory, _Data, tuple[int | float | bytes, ...]]:
    """Memory as an image has it, what is known of it, and the arguments."""
    memory = Memory()
    data = _Data(memory, prod(image.block), prod(image.grid))
    keys = {number: key for key, number in image.variables}
    addresses: list[int] = []
    for number, part in enumerate(image.objects):
        address = int(memory.allocate(part.name, part.size))
        if number in keys:
            memory.symbols[keys[number]] = address >> SHIFT
        known = np.full(part.size, part.zero)
        known[: len(part.known)] = np.frombuffer(part.known, np.bool_)
        data.given[address >> SHIFT, 0], data.exact[address >> SHIFT, 0] = known, known.copy()
        addresses.append(address)
    for address, part in zip(addresses, image.objects, strict=True):
        memory.objects[address >> SHIFT].data[: len(part.data)] = np.frombuffer(_bytes(part, addresses), np.uint8)
    arguments = (_argument(p, _bytes(a, addresses)) for p, a in zip(kernel.parameters, image.arguments, strict=True))
    return memory, data, tuple(arguments)


def _bytes(part: ObjectImage, addresses: list[int]) -> bytes:
    """The data of an object, with the pointers in it."""
    data = bytearray(part.data)
    for at, number, offset in part.pointers:
        data[at : at + 8] = (addresses[number] + offset).to_bytes(8, "little")
    return bytes(data)


def _argument(parameter: Variable, data: bytes) -> int | float | bytes:
    match parameter.type:
        case IntType() | BoolType() | PointerType():
            return int.from_bytes(data, "little")
        case FloatType(bits=bits):
            return float(np.frombuffer(data, f"<f{bits // 8}")[0])
        case _:
            return data


class _Data(Struct):
    """What is known of memory, by object and block: bytes that were given contents, and those that have exact ones.

    Floating-point numbers and what atomic operations leave are not exact.  `guessed`: bytes were read that nobody had
    given contents (`guessed_floats`: as floating-point numbers); `vague`: bytes that are not exact were read as
    anything else, or accesses may be ordered by their outcome.  A shared variable goes by its number and size: another
    batch of blocks may give the number to another one, and each batch has blocks of its own.
    """

    memory: Memory
    threads_per_block: int
    blocks: int
    given: dict[tuple[int, int], Mask] = field(default_factory=dict["tuple[int, int]", Mask])
    exact: dict[tuple[int, int], Mask] = field(default_factory=dict["tuple[int, int]", Mask])
    guessed: bool = False
    guessed_floats: bool = False
    vague: bool = False

    def touch(self, event: Touch) -> None:
        """Notes an access."""
        float_ = event.values is not None and event.values.dtype.kind == "f"
        number = event.values is not None and event.values.dtype.kind in "iub"
        self.vague = self.vague or (event.order is not MemoryOrder.PLAIN and event.scope is None)
        given, exact, offsets = self._masks(event)
        places = (offsets[:, None] + np.arange(event.size)).reshape(-1)
        if event.kind is AccessKind.READ:
            missed = not given[places].all()
            self.guessed = self.guessed or (missed and not float_)
            self.guessed_floats = self.guessed_floats or (missed and float_)
            self.vague = self.vague or (not float_ and not exact[places].all())
        else:
            given[places] = True
            exact[places] = number and event.kind is AccessKind.WRITE

    def _masks(self, event: Touch) -> tuple[Mask, Mask, NDArray[np.int64]]:
        held = self.memory.objects[event.memory]
        if event.space is not Space.SHARED:
            key = event.memory, 0
            if key not in self.given:  # a variable that nobody has written yet
                self.given[key], self.exact[key] = np.ones(held.data.size, np.bool_), np.ones(held.data.size, np.bool_)
            return self.given[key], self.exact[key], event.offsets
        key = event.memory, 1 + held.size
        if key not in self.given:
            whole = held.size * self.blocks
            if whole > _MOST_SHARED:
                raise MemoryError
            self.given[key], self.exact[key] = np.zeros(whole, np.bool_), np.zeros(whole, np.bool_)
        blocks = event.threads // self.threads_per_block
        return self.given[key], self.exact[key], event.offsets + blocks * held.size


class _Watched(Struct):
    """An observer of all accesses, which raises LateError when its `work` is used up.

    Once there are fences, what others have released is passed on at each atomic operation, one by one.
    """

    model: AccessModel
    data: _Data
    work: int = _WORK
    fences: bool = False

    def touch(self, event: Touch, /) -> None:
        each = _ATOMIC_OF_THREAD if self.fences and event.scope is not None else _TOUCH_OF_THREAD
        self._spend(_TOUCH + each * len(event.threads))
        self.data.touch(event)
        self.model.touch(event)

    def arrive(self, event: Arrive, /) -> None:
        self.model.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        self.fences = True
        self._spend(_FENCE * self.data.blocks * len(event.threads))
        self.model.fenced(event)

    def _spend(self, work: int) -> None:
        self.work -= work
        if self.work < 0:
            raise LateError
