"""The concrete run of a program from `main`, and what its launches find in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from math import inf

from msgspec import Struct, field

from hgrd.host.concrete.calls import prepare_call
from hgrd.host.concrete.expressions import code_of
from hgrd.host.concrete.places import initialisation
from hgrd.host.concrete.state.machine import EndedError, Frame, Launched, Machine, Place
from hgrd.host.concrete.state.memory import store, width_of
from hgrd.host.concrete.state.values import UNKNOWN, Object, Pointer, StoppedError, Value
from hgrd.host.concrete.statements import execution
from hgrd.host.linking.kernel_effects import ModSets
from hgrd.host.linking.link import Linked
from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import EffectTable
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.walk import nodes
from hgrd.symbolic.limits import TimeLimitError, until


class ConcreteRun(Struct, frozen=True):
    """What launches find in memory: each time, and the first time that they are made."""

    always: Mapping[Place, Launched] = field(default_factory=dict[Place, Launched])
    first: Mapping[Place, Launched] = field(default_factory=dict[Place, Launched])


def run_concretely(linked: Linked, mod_sets: ModSets, deadline: float = inf) -> ConcreteRun:
    """What the launches of a program find in memory, with any input.

    The run stops where the input decides how the program goes on, where it takes too many steps, and at
    `deadline`, a value of perf_counter().
    """
    main = linked.functions.get("main")
    if main is None or main.body is None:
        return ConcreteRun()
    tables = Tables(linked.functions, linked.records, linked.globals)
    machine = begin(tables, linked.operators, mod_sets, deadline)
    ended = False
    with suppress(TimeLimitError), until(deadline):
        ended = run_main(machine, main, (UNKNOWN,) * len(main.parameters))
    seen = ((place, found) for place, found in machine.seen.items() if found is not None)
    return ConcreteRun({place: found for place, found in seen if ended or found.final}, machine.first)


def begin(tables: Tables, functors: Collection[str], mod_sets: ModSets, deadline: float) -> Machine:
    """A machine for a program; `functors` are the keys of records that can be called."""
    return Machine(
        tables.functions,
        tables.records,
        tables.globals,
        functors,
        EffectTable(tables.functions, {}),
        mod_sets,
        code_of,
        prepare_call,
        initialisation,
        deadline=deadline,
    )


def run_main(machine: Machine, main: Function, arguments: tuple[Value, ...]) -> bool:
    """Runs `main`, up to what the run does not know; whether the program comes to its end."""
    if main.body is None:
        return False
    frame = Frame(main.ref, None)
    for parameter, argument in zip(main.parameters, arguments, strict=False):
        made = Object(parameter.name, width_of(parameter.type, machine.records))
        store(Pointer(made, 0), argument, parameter.type, machine.records, parameter.span)
        frame.variables[parameter.key] = made
    machine.enter(frame)
    try:
        execution(machine, main.body)()
    except EndedError:
        return True
    except (StoppedError, RecursionError, LookupError, TypeError, ValueError, ArithmeticError):
        return False  # an odd program is not followed further; what was found before holds
    return True


def takes_input(main: Function) -> bool:
    """Whether `main` looks at its arguments."""
    keys = {p.key for p in main.parameters}
    places = (n for n in nodes(main.body) if isinstance(n, ir.VariablePlace)) if main.body is not None else ()
    return any(place.variable.key in keys for place in places)
