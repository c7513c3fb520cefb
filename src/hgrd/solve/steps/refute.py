"""Refutation (step 3): the linear abstraction, with lemmas added where its model violates them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.builder import Application
from hgrd.solve.normal_form.formula import Claim, holds
from hgrd.solve.normal_form.lemmas import Lemmas, first_lemmas, last_lemmas, value_lemmas
from hgrd.solve.normal_form.linear import Linear
from hgrd.solve.normal_form.poly import Mono
from hgrd.solve.normal_form.prepare import Normal
from hgrd.solve.problem import Contents, Problem, confirm
from hgrd.solve.query import Model
from hgrd.solve.z3_process import Arithmetic, Solver
from hgrd.terms import Symbol

_LEMMAS_A_ROUND = 12
_BRANCHES = 40
_READABLE = (32, 1024)


class SearchLimit(Struct, frozen=True):
    """The limit of one search: at most `rounds` checks that share `units` of z3's resource count."""

    rounds: int
    units: int
    arithmetic: Arithmetic = Arithmetic.OLD


class Refuted(Struct, frozen=True):
    """No valuation meets the claims; `facts` (a bit set) are those used."""

    facts: int


class Found(Struct, frozen=True):
    model: Model


class Stuck(Struct, frozen=True):
    """No answer; `near` is a valuation of the symbols that meets the abstraction, None if none was found."""

    reason: str
    near: Mapping[Symbol, int] | None = None


Outcome: TypeAlias = Refuted | Found | Stuck


def search(problem: Problem, normal: Normal, solver: Solver, lemmas: Lemmas, effort: SearchLimit) -> Outcome:
    """Look for a model; each one that fails must violate a lemma, or the search is stuck."""
    linear = Linear(solver, normal.bounds, effort.units, effort.arithmetic)
    for a in range(len(normal.bounds.low)):
        linear.mention((a,))
    for claim in normal.claims:
        linear.add(claim)
    pool: list[Claim] = []
    stages = [first_lemmas, last_lemmas]
    branches = _BRANCHES
    for _ in range(effort.rounds):
        match linear.check():
            case "unsat":
                return Refuted(linear.core())
            case "sat":
                pass
            case _:
                return Stuck("linear arithmetic ran out of effort")
        value = linear.model()
        symbols = _symbols(normal, value)
        model = confirm(problem, symbols, contents(normal.applications, value))
        if model is not None:
            return Found(_smaller(model, problem, normal, linear))
        wraps = [c for c in normal.in_range if not holds(c.formula, value)]
        violated = [c for c in pool if not holds(c.formula, value)]
        while not violated and not wraps and stages:
            more = stages.pop(0)(normal, lemmas)
            violated = [c for c in more if not holds(c.formula, value)]
            pool += more
        if not violated and not wraps and branches:
            branches -= 1
            violated = value_lemmas(normal, lemmas, linear.monomials, value)
        if not violated and not wraps:
            return Stuck("no lemma excludes a false model", symbols)
        for claim in (*wraps, *violated[:_LEMMAS_A_ROUND]):
            linear.add(claim)
    return Stuck("too many rounds of lemmas")


def _symbols(normal: Normal, value: Callable[[Mono], int]) -> dict[Symbol, int]:
    return {s: value((a,)) for s, a in normal.symbols.items()}


def _smaller(model: Model, problem: Problem, normal: Normal, linear: Linear) -> Model:
    """A model with smaller values, which are easier to read, if the next attempts give one; else `model`."""
    for reach in _READABLE:
        if any(abs(v) > reach for v in model.values.values()) and linear.check_near_zero(reach) == "sat":
            value = linear.model()
            better = confirm(problem, _symbols(normal, value), contents(normal.applications, value))
            if better is not None:
                return better
    return model


def contents(applications: tuple[Application, ...], value: Callable[[Mono], int]) -> Contents:
    """Array contents by a model of the abstraction; 0 elsewhere."""
    known: dict[tuple[str, tuple[int, ...]], int] = {}
    for a in applications:
        index = tuple(poly.value_of(p, value) for p in a.arguments)
        known[a.name, index] = value((a.atom,))

    def lookup(array: str, index: tuple[int, ...]) -> int:
        return known.get(("[]" + array, index), 0)

    return lookup
