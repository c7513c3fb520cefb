"""Arms that constants rule out and that lead to launches: a run keeps them, to be followed when it is over.

`if (false) kernel<<<1, 32>>>(x);`
"""

from __future__ import annotations

from typing import Final

from hgrd.host.execution.run_state import HostRunState, RuledOut
from hgrd.host.provenance.beginnings import ObjectBeginnings
from hgrd.program.statements import Statement
from hgrd.symbolic.machine import Exits, Frame, Machine
from hgrd.symbolic.state import State

_MOST: Final = 256  # that a run keeps


def leaves_out(run: HostRunState, machine: Machine, state: State, arm: Statement) -> bool:
    """Whether an arm that is never entered is left out here; it is kept, if it leads to launches."""
    launches = run.launches
    if launches.overlooked:
        return launches.overlooked.isdisjoint(run.linked.launches_in(arm))
    if not machine.speculative and len(launches.ruled_out) < _MOST and run.linked.launches_in(arm):
        frames = (Frame(f.number, f.function, f.call_site, f.arguments) for f in machine.frames)
        launches.ruled_out.append(RuledOut(arm, state.copy(), tuple(frames), tuple(launches.enclosing)))
    return True


def enter(run: HostRunState, machine: Machine, kept: RuledOut) -> None:
    """Runs an arm, and nothing behind it; what objects begin with there is not known any more."""
    machine.frames[:] = kept.frames
    run.launches.enclosing[:] = kept.loops
    run.provenance.beginnings = ObjectBeginnings()
    machine.execute(kept.state, kept.arm, Exits())
