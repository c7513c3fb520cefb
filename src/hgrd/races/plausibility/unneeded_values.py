"""Unneeded values: symbols of unknown value that a query mentions and a conflict of it does not rest on.

`i == 0 ? previous : stride` needs no `previous` in a later iteration: whatever that is, the two threads meet.  And what
the host computes in a loop is known in its first iteration, by the facts.
"""

from __future__ import annotations

from collections.abc import Set

from hgrd.solve.query import Model, Query
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, conj, const, le, negate, sub, symbols_of
from hgrd.terms.rewrite import bottom_up, rebuild


def meets_without(
    query: Query, model: Model, symbols: Set[Symbol], bounds: Set[Term], told: tuple[Term, ...] = ()
) -> bool:
    """Whether the model is a conflict for every value of the symbols that the facts admit beside its other values.

    All conditions hold, and the bytes overlap.  The `bounds` of accesses need not: no access leaves its object.  `told`
    are facts among the conditions.
    """
    first, second = query.first, query.second
    gap = sub(first.address, second.address)
    overlap = (le(const(1 - first.size), gap), le(gap, const(second.size - 1)))
    conditions = [t for t in (*query.between, *first.guards, *second.guards) if t not in bounds]
    open_ = symbols - _determined((*query.facts, *told), model, symbols)
    return all(t is TRUE for t in _folded((*conditions, *overlap), model, open_))


def values_told(query: Query) -> tuple[Term, ...]:
    """The conditions under which facts give values that are not known otherwise: `round != 0 || active == 1`."""
    cases = [f.args for f in query.facts if f.op is Op.OR]
    return tuple(dict.fromkeys(conj(*map(negate, _besides(c))) for c in cases if any(map(_gives_unknown, c))))


def values_settled(query: Query) -> frozenset[Symbol]:
    """The symbols whose values facts give in the cases that the query is limited to."""
    held = {part for t in query.between for part in (t.args if t.op is Op.AND else (t,))}
    cases = [f.args if f.op is Op.OR else (f,) for f in query.facts]
    told = [t for c in cases if held.issuperset(map(negate, _besides(c))) for t in c if _gives_unknown(t)]
    return frozenset(s for t in told for s in symbols_of(t) if s.origin is Origin.UNKNOWN)


def _besides(case: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(t for t in case if not _gives_unknown(t))


def _gives_unknown(fact: Term) -> bool:
    """Whether a fact says that a value that is not known is one that is: a number, or an input of the program."""
    sides = fact.args if fact.op is Op.EQ else ()
    lost = [t.op is Op.VAR and t.symbol.origin is Origin.UNKNOWN for t in sides]
    rest = symbols_of(*(t for t, is_lost in zip(sides, lost, strict=True) if not is_lost))
    return sum(lost) == 1 and all(s.origin is Origin.INPUT for s in rest)


def _determined(facts: tuple[Term, ...], model: Model, symbols: Set[Symbol]) -> frozenset[Symbol]:
    """Those of the symbols that have one value by the facts, beside the other values of the model."""
    found: frozenset[Symbol] = frozenset()
    while True:
        told = _folded(facts, model, symbols - found)
        known = {_named(t) for f in told for t in (f.args if f.op is Op.AND else (f,))} & symbols
        if known <= found:
            return found
        found |= {s for s in known if s is not None}


def _named(fact: Term) -> Symbol | None:
    """The symbol of which a fact gives the value."""
    sides = fact.args if fact.op is Op.EQ else ()
    own = [t for t in sides if t.op is Op.VAR]
    return own[0].symbol if len(own) == 1 and any(t.is_const for t in sides) else None


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
