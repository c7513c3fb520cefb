"""What the conditions on the way to a launch say of it, without what they say of things that are nothing to it.

What a condition alone speaks of can have any value that it needs:

    if (n > 64) assert(m == n / 2);        // nothing, where m is not used any more
    if (rows == given && n < 16) return;   // nothing: they may well differ

Where pointers from outside lead (which is null, how far it is from another) is let go of in long conditions, too, such
as two ways leave behind that meet again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hgrd.host.kinds import FactKind
from hgrd.symbolic.linear import difference, linear
from hgrd.symbolic.state import Condition
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, conj, disj, substitute, symbols_of, var
from hgrd.terms.rewrite import bottom_up

_LONG: Final = 100  # nodes of a condition


def projected(
    conditions: Sequence[Condition], roots: Iterable[Term], kinds: Mapping[Term, FactKind]
) -> tuple[Sequence[Condition], Mapping[Term, FactKind]]:
    """The conditions as far as they matter to `roots`, and of which class they are.

    What is left of one holds wherever it held itself.
    """
    needed = symbols_of(*roots)
    shorter = [(c, _without(c.term, _addresses(c.term) - needed) if _is_long(c.term) else c.term) for c in conditions]
    users = Counter(s for _, term in shorter for s in symbols_of(term))
    alone = {s for s, count in users.items() if count == 1} - needed
    told = [(c, _exists(alone, term) if term.op is Op.OR else term) for c, term in shorter]
    classes = {**kinds, **{term: kinds[c.term] for c, term in told if c.term in kinds and term is not c.term}}
    return [c if term is c.term else replace(c, term=term) for c, term in told if term is not TRUE], classes


def _addresses(term: Term) -> set[Symbol]:
    return {s for s in symbols_of(term) if s.origin is Origin.ADDRESS}


def _is_long(term: Term) -> bool:
    return any(count >= _LONG for count, _ in enumerate(bottom_up((term,))))


def _without(term: Term, loose: set[Symbol]) -> Term:
    """What follows from the term of other symbols than the loose ones."""
    if loose.isdisjoint(symbols_of(term)):
        return term
    if term.op not in (Op.AND, Op.OR):
        return TRUE
    join = conj if term.op is Op.AND else disj
    return join(*(_without(part, loose) for part in term.args))


def _exists(own: set[Symbol], term: Term) -> Term:
    """That the term holds for some values of its own symbols, as far as its shape says for which."""
    if own.isdisjoint(symbols_of(term)):
        return term
    match term.op:
        case Op.OR:
            return disj(*(_exists(own, part) for part in term.args))
        case Op.AND:
            return _exist_together(own, term.args)
        case Op.EQ:
            return TRUE if _solved(own, term) is not None else term
        case Op.NOT:
            return TRUE if _varies(own, term.args[0]) else term
        case _:
            return term


def _exist_together(own: set[Symbol], parts: Sequence[Term]) -> Term:
    """Where one part says what a symbol is, it is that in the others; a symbol of one part alone is that one's."""
    for index, part in enumerate(parts):
        solved = _solved(own, part)
        if solved is not None:
            symbol, value = solved
            others = substitute((*parts[:index], *parts[index + 1 :]), {symbol: value})
            return _exists(own, conj(*others))
    users = Counter(s for part in parts for s in symbols_of(part))
    single = {s for s in own if users[s] == 1}
    return conj(*(_exists(single, part) for part in parts))


def _solved(own: set[Symbol], part: Term) -> tuple[Symbol, Term] | None:
    """A symbol that the part says to be equal to a value of others, which is always one that it can have."""
    if part.op is not Op.EQ:
        return None
    one, two = part.args
    for a, b in ((one, two), (two, one)):
        free = a.op is Op.VAR and a.symbol in own and a.symbol not in symbols_of(b)
        if free and a.low <= b.low and b.high <= a.high:
            return a.symbol, b
    return None


def _varies(own: set[Symbol], equation: Term) -> bool:
    """Whether the two sides differ for some value of an own symbol, whatever the others are."""
    if equation.op is not Op.EQ:
        return False
    _, atoms = linear(difference(*equation.args))
    return any(var(s) in atoms and s.low < s.high and sum(s in symbols_of(a) for a in atoms) == 1 for s in own)
