"""A problem as plain terms for z3's own theories: no reads, and no wraps that a proof may assume away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from msgspec import Struct

from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.normal_form.prepare import Known
from hgrd.solve.problem import Condition, Contents, Problem, access_bit
from hgrd.terms import Op, Origin, Symbol, Term, conj, const, disj, eq, ge, le, negate, sub, var
from hgrd.terms import interval as intervals
from hgrd.terms.rewrite import bottom_up, rebuild


class Look(Struct, frozen=True):
    """A read of an array: `symbol` stands for array[index]."""

    array: str
    index: tuple[Term, ...]
    symbol: Symbol


class Reading(Struct, frozen=True):
    """Conditions (the overlap among them) over symbols alone; the wraps in `assumed` are assumed to be in range.

    `symbols` maps a symbol of the query to the one with tighter bounds that stands for it here, and to
    the facts that those bounds rest on.
    """

    conditions: tuple[Condition, ...]
    assumed: tuple[Term, ...]
    symbols: Mapping[Symbol, tuple[Symbol, int]]
    looks: tuple[Look, ...]


def read_plainly(problem: Problem, known: Known) -> Reading:
    """The problem with known bounds; reads become symbols that are equal where their indexes are equal."""
    tight = {s: _tight(s, known.spans.get(s)) for s in problem.symbols}
    plain = known.loose & problem.strict
    looks: list[Look] = []
    in_range: list[Term] = []
    done: dict[Term, Term] = {}
    for t in bottom_up(problem.roots):
        args = tuple(done[a] for a in t.args)
        if t.op is Op.VAR:
            done[t] = var(tight[t.symbol][0])
        elif t.op is Op.READ:
            done[t] = _look(t, args, looks)
        elif t in plain:
            done[t] = args[0]
            low, high = intervals.of_type(*t.wrap_to[:2])
            in_range += [ge(args[0], const(low)), le(args[0], const(high))]
        else:
            done[t] = rebuild(t, args) if args else t
    first, second = (done[a] for a in problem.addresses)
    gap = sub(first, second)
    overlap = (le(const(1 - problem.query.first.size), gap), le(gap, const(problem.query.second.size - 1)))
    conditions = (
        *(Condition(done[c.term], c.facts) for c in problem.conditions),
        *(Condition(t, access_bit(problem.query)) for t in (*in_range, *overlap)),
        *(Condition(t, 0) for t in _congruence(looks)),
    )
    return Reading(conditions, tuple(t for t in done if t in plain), tight, tuple(looks))


def _tight(symbol: Symbol, span: Span | None) -> tuple[Symbol, int]:
    if span is None or (span.low, span.high) == (symbol.low, symbol.high):
        return symbol, 0
    return Symbol(symbol.name, span.low, span.high, symbol.origin), span.facts


def _look(t: Term, index: tuple[Term, ...], looks: list[Look]) -> Term:
    for look in looks:
        if look.array == t.array and look.index == index:
            return var(look.symbol)
    looks.append(Look(t.array, index, Symbol(f"{t.array}[{len(looks)}]", t.low, t.high, Origin.DATA)))
    return var(looks[-1].symbol)


def _congruence(looks: Iterable[Look]) -> Iterable[Term]:
    for a, b in combinations(looks, 2):
        if a.array == b.array and len(a.index) == len(b.index):
            same = conj(*(eq(x, y) for x, y in zip(a.index, b.index, strict=True)))
            yield disj(negate(same), eq(var(a.symbol), var(b.symbol)))


def look_up(looks: Mapping[tuple[str, tuple[int, ...]], int]) -> Contents:
    """Array contents as a model of a reading gives them; 0 elsewhere."""
    return lambda array, index: looks.get((array, index), 0)
