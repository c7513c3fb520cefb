"""Search after a near miss: with the shared symbols fixed to its values, the rest is nearly linear."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from hgrd.solve.normal_form.bounds import Infeasible
from hgrd.solve.normal_form.definitions import definitions
from hgrd.solve.normal_form.lemmas import Lemmas
from hgrd.solve.normal_form.prepare import normal_form, survey
from hgrd.solve.problem import Problem, confirm, pose
from hgrd.solve.query import Axis, Model, Party, Query
from hgrd.solve.steps.refute import Found, SearchLimit, search
from hgrd.solve.z3_process import Solver
from hgrd.terms import Symbol, Term, const, substitute

_ROUNDS = 10


def search_near(
    problem: Problem, near: Mapping[Symbol, int], solver: Solver, lemmas: Lemmas, effort: SearchLimit
) -> Model | None:
    """A model with the values in `near` for the shared symbols, except those that the facts define; None if none."""
    free = definitions(problem)
    fixed = {s: near[s] for s in problem.shared if s not in free and s in near}
    smaller = pose(_with_values(problem.query, {s: const(v) for s, v in fixed.items()}))
    try:
        normal = normal_form(smaller, survey(smaller))
    except Infeasible:
        return None
    outcome = search(smaller, normal, solver, lemmas, replace(effort, rounds=_ROUNDS))
    if not isinstance(outcome, Found):
        return None
    found = outcome.model
    return confirm(problem, {**found.values, **fixed}, lambda array, index: found.reads.get((array, index), 0))


def _with_values(query: Query, values: Mapping[Symbol, Term]) -> Query:
    def put(*terms: Term) -> tuple[Term, ...]:
        return substitute(terms, values)

    def axes(of: tuple[Axis, ...]) -> tuple[Axis, ...]:
        return tuple(replace(a, extent=put(a.extent)[0]) for a in of if a.symbol not in values)

    def party(of: Party) -> Party:
        return replace(of, axes=axes(of.axes), guards=put(*of.guards), address=put(of.address)[0])

    return replace(
        query,
        shared=tuple(s for s in query.shared if s not in values),
        axes=axes(query.axes),
        facts=put(*query.facts),
        first=party(query.first),
        second=party(query.second),
        between=put(*query.between),
    )
