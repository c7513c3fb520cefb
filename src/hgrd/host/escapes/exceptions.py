"""Exceptions: what is known after a body that may have been left by one."""

from __future__ import annotations

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.execution.symbol_copies import forget_constants
from hgrd.host.memory.array_contents import drop_all_patterns
from hgrd.host.memory.unknowns import forget_targets
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import Generation, Region, State
from hgrd.symbolic.values import Value


def left_by_throwing(run: HostRunState, machine: Machine, state: State, arguments: tuple[Value, ...]) -> None:
    """After an exception: all that the body may have changed, and all globals, hold unknown values."""
    here = machine.functions.get(machine.frame.function.key)
    effects = machine.effects.of(here.body if here is not None else None)
    globals_ = run.linked.globals.keys() & state.store.keys()
    in_globals = tuple(c.value for key in sorted(globals_) for c in state.store[key].cells.values())
    forget_targets(state, (*arguments, *in_globals), deep=True)
    for variable in effects.assigned | effects.exposed | effects.arrays:
        if variable.key in globals_ and not run.linked.globals[variable.key].constant:
            state.store[variable.key] = Region({}, Generation())
    drop_all_patterns(state)
    forget_constants(run, state, all_=True)
