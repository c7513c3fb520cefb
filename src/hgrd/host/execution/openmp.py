"""Threads of OpenMP in the trace, from the calls that mark where they begin and end.

What a team of threads does stands once in the trace, in a loop over the threads.  Iterations of loops that they share
are threads that begin in it.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hgrd.host.concurrency.trace import THREAD_NUMBER, Begin, End, Join, Loop, Team, Trace
from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.execution.run_state import HostRunState
from hgrd.program.expressions import Call, IntConst
from hgrd.program.openmp import PREFIX
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.names import hidden
from hgrd.symbolic.values import OPAQUE, Value
from hgrd.terms import Origin, var

_MOST: Final = 1023  # the number of the last thread of a team


def is_mark(call: Call) -> bool:
    """Whether a call marks where threads begin or end."""
    return call.function.name.startswith(PREFIX)


def mark_threads(run: HostRunState, machine: Machine, call: Call) -> Value:
    """Adds to the trace what a mark says."""
    if not machine.speculative:
        _note(run.trace, machine, call.function.name.removeprefix(PREFIX), _count(call))
    return OPAQUE


def _count(call: Call) -> int:
    """How many threads a team has; 0: that is not known."""
    return next((a.value for a in call.arguments if isinstance(a, IntConst)), 0)


def _note(trace: Trace, machine: Machine, mark: str, count: int) -> None:
    match mark:
        case "region":
            _open(trace, machine, _loop(machine, count - 1 if count else _MOST, threads=True))
        case "one":
            _open(trace, machine, _loop(machine, 0, threads=False), shared=True)
        case "thread" | "iteration":
            team = trace.teams[-1].loop if trace.teams else None
            shared = mark == "iteration" and team is not None and team.threads and trace.inside[-1] is not team
            trace.teams.append(Team(None, (trace.thread, trace.device)))
            _begin(trace, machine, shared=shared)
        case "end_region" | "end_one" | "end_thread" if trace.teams:
            _close(trace)
            if mark == "end_region":
                _join(trace)
        case "join":
            _wait(trace, machine)
        case "may_join":
            trace.add(Join(""))
        case _:
            pass


def _loop(machine: Machine, last: int, *, threads: bool) -> Loop:
    binder = machine.names.fresh(hidden(THREAD_NUMBER), 0, last, Origin.INPUT)
    return Loop(binder, machine.names.index[binder.name], [], threads=threads, activation=machine.activations)


def _open(trace: Trace, machine: Machine, loop: Loop, *, shared: bool = False) -> None:
    trace.open(loop)
    trace.teams.append(Team(loop, (trace.thread, trace.device)))
    _begin(trace, machine, shared=shared)


def _begin(trace: Trace, machine: Machine, *, shared: bool = False) -> None:
    name = machine.names.unique("OpenMP thread")
    trace.begun[name] = None
    trace.thread = name
    trace.add(Begin(name, shared))


def _close(trace: Trace) -> None:
    team = trace.teams.pop()
    trace.add(End(trace.thread))
    trace.thread, trace.device = team.outer
    if team.loop is not None:
        trace.leave(team.loop.binder)


def _wait(trace: Trace, machine: Machine) -> None:
    """All threads have come here; in a team, each goes on after that."""
    loop = trace.teams[-1].loop if trace.teams else None
    if loop is None or not loop.threads or not trace.inside or trace.inside[-1] is not loop:
        _join(trace)
        return
    _close(trace)
    _join(trace)
    _open(trace, machine, replace(loop, body=[]))


def _join(trace: Trace) -> None:
    for name in trace.begun:
        trace.add(Join(name, every=True))
    trace.begun.clear()


def thread_model(name: str) -> LibraryModel | None:
    """The model of a function of OpenMP; None: it has no model."""
    return _thread_number if name == "omp_get_thread_num" else None


def _thread_number(call: LibraryCall) -> Value | None:
    """omp_get_thread_num(): other threads have another one."""
    teams = reversed(call.run.trace.teams)
    number = next((t.loop.binder for t in teams if t.loop is not None and t.loop.threads), None)
    return var(number or call.machine.names.fresh(THREAD_NUMBER, 0, _MOST, Origin.INPUT))
