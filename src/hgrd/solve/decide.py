"""The decision procedure: from a query to an answer, cheap means first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from hgrd.solve.bounds import Infeasible
from hgrd.solve.launches import try_launches
from hgrd.solve.lemmas import Lemmas
from hgrd.solve.prepare import normal_form, survey
from hgrd.solve.problem import pose
from hgrd.solve.query import Answer, Conflict, Proved, Query, Undecided
from hgrd.solve.refute import Found, Refuted, Stuck, search
from hgrd.solve.repl import Solver, fact_indexes


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of each step, in counts that do not depend on the machine.

    `effort` is in z3 resource units (some ten million a second).
    """

    launches: int = 6
    launch_rows: int = 8192
    more_launches: int = 150
    more_rows: int = 60_000
    rounds: int = 150
    effort: int = 10_000_000
    lemmas: Lemmas = field(default_factory=Lemmas)


DEFAULT: Final = Budget()


def decide(query: Query, budget: Budget = DEFAULT) -> Answer:
    solver = Solver()
    return _decide(query, budget, solver)


def _decide(query: Query, budget: Budget, solver: Solver) -> Answer:
    problem = pose(query)
    try:
        known = survey(problem)
    except Infeasible as contradiction:
        return Proved(frozenset(fact_indexes(contradiction.facts)), "bounds")
    tried = try_launches(problem, known.spans, launches=budget.launches, rows=budget.launch_rows, seed=1)
    if tried.model is not None:
        return Conflict(tried.model, "launch")
    try:
        normal = normal_form(problem, known, wrapping=False)
    except Infeasible as contradiction:
        return Proved(frozenset(fact_indexes(contradiction.facts)), "bounds")
    outcome = search(problem, normal, solver, budget.lemmas, budget.rounds, budget.effort)
    match outcome:
        case Refuted(facts):
            return Proved(frozenset(fact_indexes(facts)), "lemmas")
        case Found(model):
            return Conflict(model, "lemmas")
        case Stuck(reason):
            return Undecided(reason, tried.launches)
