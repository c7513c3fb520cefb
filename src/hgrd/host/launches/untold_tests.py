"""Tests on the way to a launch whose outcome is not known: of what the program computes by steps that are not followed.

    if (!valid(n, stride)) return 1;   // whose body is not given

What `valid` says is no input: nobody knows for which n and stride it lets the launch through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.launches.abstraction import LaunchAbstraction
from hgrd.host.launches.projection import projected
from hgrd.host.launches.relevant_facts import connected, relevant
from hgrd.host.model import UntoldTest
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.terms import Origin, Symbol, Term, symbols_of, var

_TESTS: Final = frozenset((ConditionKind.BRANCH, ConditionKind.GUARD, ConditionKind.ASSERT))


def untold_tests(
    run: HostRunState, machine: Machine, path: Sequence[Condition], roots: Sequence[Term], seen: LaunchAbstraction
) -> Iterator[UntoldTest]:
    """The tests whose outcome is not known for the numbers of a launch, which are those in `roots`."""
    within = {loop.binder for loop in run.launches.enclosing}
    tested = {s for c in path if c.kind in _TESTS for s in symbols_of(c.term)}
    untold = {s for s in tested if s in run.computed or (s.origin is Origin.LOOP and s not in within)}
    if not untold:
        return
    starts = (*roots, *map(var, untold))
    conditions, _ = projected(connected(path, starts), starts, run.launches.fact_kinds, run.launches.projections)
    used = symbols_of(*roots, *(c.term for c in relevant(conditions, roots)))
    for c in conditions:
        given = _given(c.term, untold, run, machine) & used if c.kind in _TESTS else frozenset[Symbol]()
        if given:
            yield UntoldTest(symbols_of(*(seen.term(var(s)) for s in given)), c.span)


def _given(test: Term, untold: Set[Symbol], run: HostRunState, machine: Machine) -> frozenset[Symbol]:
    """The numbers that decide about a test; none if an iteration gets input that may decide it either way."""
    age, tested = machine.names.index, symbols_of(test)
    given: frozenset[Symbol] = frozenset()
    for s in tested & untold:
        if s in run.computed:
            given |= run.computed[s]
        elif not any(t.origin is Origin.INPUT and age.get(t.name, -1) > age.get(s.name, -1) for t in tested):
            given |= tested - untold
    inner = given & run.computed.keys()
    return given.union(*(run.computed[s] for s in inner)) - inner
