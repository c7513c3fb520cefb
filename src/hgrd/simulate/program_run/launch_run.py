"""Launch runs: a launch is run on the memory that it finds, where no input of the program decides about that.

A race that the run shows is one of the program.  Where the kernel's accesses follow from what it finds (`determined`),
and the run has no race, no other run has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Finding
from hgrd.host.memory_image import LaunchImage
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Finished, RunOutcome
from hgrd.simulate.lockstep.instructions import UnsupportedError
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.program_run.determined import floats_decide, is_determined
from hgrd.simulate.program_run.launch_memory import KnownData, launch_memory
from hgrd.simulate.program_run.program_run import collect
from hgrd.simulate.replay.barrier_watch import LateError
from hgrd.simulate.trace import Arrive, Fenced, Touch

_WORK: Final = 1 << 26
_TOUCH, _TOUCH_OF_THREAD = 1 << 12, 1 << 4  # the work for an access, and for each of its threads
_ATOMIC_OF_THREAD, _FENCE = 1 << 12, 1 << 7  # for each thread of an atomic; of a fence, and each block


class LaunchRun(Struct, frozen=True):
    """What the run of a launch shows: the pairs that were asked for and race, and whether no two accesses ever do."""

    found: Mapping[AskedPair, Finding] = field(default_factory=dict[AskedPair, Finding])
    apart: bool = False


def run_launch(tables: Tables, kernel: Function, image: LaunchImage, asked: tuple[AskedPair, ...]) -> LaunchRun:
    """The run of a kernel on the memory that it finds; nothing where it cannot be run."""
    try:
        executable = prepare(tables, kernel)
        found = launch_memory(kernel, image)
        launch, data = ConcreteLaunch(image.grid, image.block, found.arguments, image.shared_bytes), found.data
        model = AccessModel(LaunchShape(launch.block_threads, launch.blocks))
        outcome = _run(executable, launch, found.memory, Watched(model, data))
    except (UnsupportedError, MemoryError):
        return LaunchRun()
    races = model.races()
    shown: dict[AskedPair, Finding] = {}
    supposed = data.guessed or (data.guessed_floats and floats_decide(tables, executable))
    collect(shown, asked, races, executable, launch, supposed=supposed)
    ended = isinstance(outcome, Finished) and image.always
    return LaunchRun(shown, ended and not races and _stands_for_all(tables, executable, model, data))


def _run(executable: Executable, launch: ConcreteLaunch, memory: Memory, watched: Watched) -> RunOutcome | None:
    """How a run ends; None where its work is used up before."""
    try:
        return execute(executable, launch, memory, watched, _WORK)
    except LateError:
        return None


def _stands_for_all(tables: Tables, executable: Executable, model: AccessModel, data: KnownData) -> bool:
    """Whether a run without races says that no run has any."""
    plain = not (data.vague or model.divergences or model.ordered_by_clocks())
    return plain and is_determined(tables, executable) and not floats_decide(tables, executable)


class Watched(Struct):
    """An observer of all accesses, which raises LateError when its `work` is used up.

    Once there are fences, what others have released is passed on at each atomic operation, one by one.
    """

    model: AccessModel
    data: KnownData
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
