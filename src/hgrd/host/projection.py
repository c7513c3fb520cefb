"""What the conditions on the way to a launch say of it, without what they say of things that are nothing to it.

Where pointers from outside lead (which is null, how far it is from another) is nothing to a launch that does not
depend on it itself, but for what that leaves of the rest:

    if (rows == NULL || n < 16) return;      // n >= 16
    if (rows == given && n % 4 != 0) return; // nothing: they may well differ

Of two ways that met again, what only one of them speaks of can have any value that it needs there:

    if (n > 64) assert(m == n / 2);          // nothing, where m is not used any more
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hgrd.host.kinds import FactKind
from hgrd.symbolic.state import Condition
from hgrd.terms import FALSE, TRUE, Op, Origin, Symbol, Term, conj, disj, negate, substitute, symbols_of


def projected(
    conditions: Sequence[Condition], roots: Iterable[Term], kinds: dict[Term, FactKind]
) -> Sequence[Condition]:
    """The conditions as far as they matter to `roots`; `kinds` learns of which class they are.

    What is left of one holds wherever it held itself.
    """
    needed = symbols_of(*roots)
    known = {c.term for c in conditions}
    found: list[Condition] = []
    for condition in conditions:
        loose = {s for s in symbols_of(condition.term) if s.origin is Origin.ADDRESS} - needed
        term = _without(condition.term, loose, known - {condition.term}) if loose else condition.term
        found += _with(condition, term, kinds)
    users = Counter(s for c in found for s in symbols_of(c.term))
    kept: list[Condition] = []
    for condition in found:
        own = {s for s in symbols_of(condition.term) if users[s] == 1} - needed
        term = _exists(own, condition.term) if own and condition.term.op is Op.OR else condition.term
        kept += _with(condition, term, kinds)
    return kept


def _with(condition: Condition, term: Term, kinds: dict[Term, FactKind]) -> list[Condition]:
    """The condition with another term, of the same class; none where that says nothing."""
    if term is condition.term:
        return [condition]
    if condition.term in kinds:
        kinds.setdefault(term, kinds[condition.term])
    return [] if term is TRUE else [replace(condition, term=term)]


def _without(term: Term, loose: set[Symbol], known: set[Term]) -> Term:
    """What follows from the term of other symbols than the loose ones, where all that is `known` holds."""
    if loose.isdisjoint(symbols_of(term)):
        return term
    match term.op:
        case Op.AND | Op.OR:
            join = conj if term.op is Op.AND else disj
            return join(*(_without(part, loose, known) for part in term.args))
        case _:
            return FALSE if negate(term) in known else TRUE


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
            return TRUE if any(_free(own, a, b) and a.low < a.high for a, b in _sides(term.args[0])) else term
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
    for a, b in _sides(part):
        if _free(own, a, b) and a.low <= b.low and b.high <= a.high:
            return a.symbol, b
    return None


def _sides(term: Term) -> tuple[tuple[Term, Term], ...]:
    """Both ways to read an equation."""
    if term.op is not Op.EQ:
        return ()
    one, two = term.args
    return (one, two), (two, one)


def _free(own: set[Symbol], a: Term, b: Term) -> bool:
    return a.op is Op.VAR and a.symbol in own and a.symbol not in symbols_of(b)
