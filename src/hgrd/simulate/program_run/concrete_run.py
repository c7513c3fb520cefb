"""Concrete run of a program without arguments: its host code step by step, its kernels on the simulator."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from msgspec import Struct

from hgrd.findings.asked_pair import AskedPair
from hgrd.findings.model import Confidence, Finding
from hgrd.host.concrete.run import begin, run_main, takes_input
from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.queue import Queue
from hgrd.host.concrete.state.values import NULL, Cell, Object, Pointer, StoppedError
from hgrd.host.concurrency.unseen_destructors import destroys_unseen
from hgrd.host.linking.kernel_effects import ModSets
from hgrd.host.linking.link import call_operators, opaque_records
from hgrd.host.linking.stream_flags import names_of_waiting, orders_threads, polling_calls
from hgrd.host.model import LaunchSite
from hgrd.program.expressions import Storage
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import CHAR, PointerType
from hgrd.simulate.program_run.host_races import HostRace, host_races, nothing_meets
from hgrd.simulate.program_run.kernel_runs import KernelRuns, WatchedLaunch
from hgrd.simulate.program_run.threads_apart import are_threads_apart
from hgrd.simulate.replay.barrier_watch import SeenError
from hgrd.symbolic.limits import TimeLimitError

_STEPS, _STEPS_WATCHED = 400_000, 4_000_000  # contents matter where a launch is watched
_ELEMENTS: Final = 1 << 22
_SECONDS, _SECONDS_WATCHED = 6.0, 10.0  # of kernels
_POINTER: Final = 8  # bytes


def races_in_concrete_run(
    tables: Tables, main: Function, launch: LaunchSite, asked: tuple[AskedPair, ...], deadline: float
) -> dict[AskedPair, Finding]:
    """The pairs of accesses of a kernel that race at a launch; those that the run has shown by its end."""
    watched = WatchedLaunch((launch.stack, launch.span, launch.kernel.key), asked)
    _run(tables, main, KernelRuns(tables, _SECONDS_WATCHED, watched), _STEPS_WATCHED, deadline)
    unsure = Confidence.DATA_DEPENDENT
    return {pair: race for pair, race in watched.found.items() if not (pair.computed and race.confidence is unsure)}


class RunBeside(Struct, frozen=True):
    """What a run shows beside launches: races of work on the device with other work, and with the host.

    `apart` are the lines from which work is put on the device, and where the host uses its memory, if the run stands
    for all runs, and nothing that is not ordered uses the same bytes.  `alike` are the places and kernels of launches
    that get some memory twice then, or memory with pointers, `mixed` those whose threads use what others store.
    """

    races: tuple[HostRace, ...] = ()
    apart: frozenset[tuple[str, int]] = frozenset()
    alike: frozenset[tuple[Span, str]] = frozenset()
    mixed: frozenset[tuple[Span, str]] = frozenset()


def run_beside_launches(tables: Tables, main: Function, deadline: float) -> RunBeside:
    """What the run has shown by its end.

    Nothing where the program may order its work by means that the run does not follow.
    """
    if orders_threads(tables.functions):
        return RunBeside()
    kernels = KernelRuns(tables, _SECONDS)
    queue, ended = _run(tables, main, kernels, _STEPS, deadline)
    races = host_races(queue, kernels.uses)
    closed = ended and not races and not takes_input(main) and not destroys_unseen(tables.functions)
    if not closed or not nothing_meets(queue, kernels.uses, kernels.reach):
        return RunBeside(races)
    spans = {span for work in queue.works for span in (work.span, *(used.span for used in work.uses))}
    places = frozenset((span.file, span.line) for span in spans) | queue.used
    launches = [((w.span, w.kernel), w.number) for w in queue.works if w.kernel]
    alike = frozenset(place for place, number in launches if not kernels.gets_distinct(number))
    exact = {number: uses for number, uses in kernels.uses.items() if uses.exact}
    mixed = frozenset(place for place, n in launches if n not in exact or not are_threads_apart(exact[n].touches))
    return RunBeside((), places, alike, mixed)


def _run(tables: Tables, main: Function, kernels: KernelRuns, steps: int, deadline: float) -> tuple[Queue, bool]:
    """Runs a program: the queue of its work, and whether the program comes to its end."""
    functions = tables.functions
    hosts = [f for f in functions.values() if f.user_code and f.body is not None]
    tables = Tables(functions, {**opaque_records(hosts), **tables.records}, tables.globals)
    machine = begin(tables, call_operators(hosts), ModSets(functions, tables.records), deadline)
    queue = machine.queue = Queue(waiting=names_of_waiting(functions), polled=polling_calls(functions))
    machine.device, machine.most_steps, machine.most_elements = kernels, steps, _ELEMENTS
    ended = False
    with suppress(SeenError, TimeLimitError, StoppedError, MemoryError):
        _make_variables(machine)
        ended = run_main(machine, main, (1, _command_line())[: len(main.parameters)])
    return queue, ended


def _make_variables(machine: Machine) -> None:
    """Makes the variables of the device, which kernels may use before the host has to do with them."""
    for item in machine.globals.values():
        if item.variable.storage is Storage.DEVICE:
            machine.object_of(item.variable)


def _command_line() -> Pointer:
    text = PointerType(CHAR)
    name = Object("name", 8, {i: Cell(c, CHAR, 1) for i, c in enumerate(b"program\0")})
    cells = {0: Cell(Pointer(name, 0), text, _POINTER), _POINTER: Cell(NULL, text, _POINTER)}
    return Pointer(Object("argv", 2 * _POINTER, cells), 0)
