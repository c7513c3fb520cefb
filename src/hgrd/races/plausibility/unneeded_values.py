"""Unneeded values: symbols of unknown value that a query mentions and a conflict of it does not rest on.

`i == 0 ? previous : stride` needs no `previous` in a later iteration: whatever that is, the two threads meet.
"""

from __future__ import annotations

from collections.abc import Set

from hgrd.solve.query import Model, Query
from hgrd.terms import TRUE, Op, Symbol, Term, const, le, sub
from hgrd.terms.rewrite import bottom_up, rebuild


def meets_without(query: Query, model: Model, symbols: Set[Symbol]) -> bool:
    """Whether the model is a conflict for every value of the symbols: all conditions hold, and the bytes overlap."""
    first, second = query.first, query.second
    gap = sub(first.address, second.address)
    overlap = (le(const(1 - first.size), gap), le(gap, const(second.size - 1)))
    conditions = (*query.facts, *query.between, *first.guards, *second.guards, *overlap)
    return all(t is TRUE for t in _folded(conditions, model, symbols))


def _folded(terms: tuple[Term, ...], model: Model, but: Set[Symbol]) -> tuple[Term, ...]:
    """The terms with the values of the model, but for those of some symbols."""
    done: dict[Term, Term] = {}
    for t in bottom_up(terms):
        args = tuple(done[a] for a in t.args)
        if t.op is Op.VAR:
            known = t.symbol in model.values and t.symbol not in but
            done[t] = const(model.values[t.symbol]) if known else t
        elif t.op is Op.READ and all(a.is_const for a in args):
            value = model.reads.get((t.array, tuple(a.value for a in args)))
            done[t] = rebuild(t, args) if value is None else const(value)
        else:
            done[t] = rebuild(t, args) if args else t
    return tuple(done[t] for t in terms)
