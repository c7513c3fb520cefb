"""Existential projection of path conditions to the symbols of a launch.

A symbol that occurs in one condition only, and not in the launch, can have any value that the condition needs:

    if (n > 64) assert(m == n / 2);        // nothing, where m is not used any more
    if (rows == given && n < 16) return;   // nothing: they may well differ

Long conditions, as they arise where two paths meet, also lose what they say of pointers of unknown origin: which one is
null, how far one is from another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Final

from msgspec.structs import replace

from hgrd.host.execution.run_state import Projections
from hgrd.host.kinds import FactKind
from hgrd.host.launches.relevant_facts import SIZE_LIMIT
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, conj, disj, substitute, symbols_of, var
from hgrd.terms.linear import difference, linear
from hgrd.terms.rewrite import bottom_up

_LONG: Final = 100  # nodes of a condition
_MOST_STEPS: Final = 2_000  # for one condition: each solved equation makes new terms, that no step has seen before


def projected(
    conditions: Sequence[Condition], roots: Iterable[Term], kinds: Mapping[Term, FactKind], known: Projections
) -> tuple[Sequence[Condition], Mapping[Term, FactKind]]:
    """The conditions as far as they matter to `roots`, and their classes.

    Each result follows from its original.
    """
    needed = symbols_of(*roots)
    shorter = [(c, _shorter(c.term, needed, known)) for c in conditions]
    users = Counter(s for _, term in shorter for s in symbols_of(term))
    alone = {s for s, count in users.items() if count == 1} - needed
    told = [(c, term if c.kind is ConditionKind.FIRST else _told(alone, term, known)) for c, term in shorter]
    classes = {**kinds, **{term: kinds[c.term] for c, term in told if c.term in kinds and term is not c.term}}
    return [c if term is c.term else replace(c, term=term) for c, term in told if term is not TRUE], classes


def _shorter(term: Term, needed: Set[Symbol], known: Projections) -> Term:
    """A long condition without what it says of pointers of unknown origin."""
    if not _LONG <= _size(term, known) < SIZE_LIMIT:
        return term
    loose = frozenset(_addresses(term) - needed)
    if (term, loose) not in known.shorter:
        known.shorter[term, loose] = _without(term, loose, {})
    return known.shorter[term, loose]


def _told(alone: Set[Symbol], term: Term, known: Projections) -> Term:
    """A disjunction without the symbols that occur in it alone, as far as its shape tells."""
    if term.op is not Op.OR or _size(term, known) >= SIZE_LIMIT:
        return term
    own = frozenset(alone & symbols_of(term))
    if (term, own) not in known.told:
        known.told[term, own] = _exists(own, term, {})
    return known.told[term, own]


def _size(term: Term, known: Projections) -> int:
    if term not in known.sizes:
        known.sizes[term] = sum(1 for _ in islice(bottom_up((term,)), SIZE_LIMIT))
    return known.sizes[term]


def _addresses(term: Term) -> set[Symbol]:
    return {s for s in symbols_of(term) if s.origin is Origin.ADDRESS}


def _without(term: Term, loose: Set[Symbol], done: dict[Term, Term]) -> Term:
    """A consequence of the term without the loose symbols."""
    if loose.isdisjoint(symbols_of(term)):
        return term
    if term.op not in (Op.AND, Op.OR):
        return TRUE
    if term not in done:
        join = conj if term.op is Op.AND else disj
        done[term] = join(*(_without(part, loose, done) for part in term.args))
    return done[term]


def _exists(own: Set[Symbol], term: Term, done: dict[tuple[Term, frozenset[Symbol]], Term]) -> Term:
    """A condition that some values of the own symbols make the term true, as far as its shape tells."""
    within = frozenset(own & symbols_of(term))
    if not within or len(done) >= _MOST_STEPS:
        return term  # which follows from itself
    if (term, within) not in done:
        done[term, within] = _exists_here(within, term, done)
    return done[term, within]


def _exists_here(own: frozenset[Symbol], term: Term, done: dict[tuple[Term, frozenset[Symbol]], Term]) -> Term:
    match term.op:
        case Op.OR:
            return disj(*(_exists(own, part, done) for part in term.args))
        case Op.AND:
            return _exist_together(own, term.args, done)
        case Op.EQ:
            return TRUE if _solved(own, term) is not None else term
        case Op.NOT:
            return TRUE if _varies(own, term.args[0]) else term
        case _:
            return term


def _exist_together(
    own: frozenset[Symbol], parts: Sequence[Term], done: dict[tuple[Term, frozenset[Symbol]], Term]
) -> Term:
    """The projection of a conjunction: equalities are solved first, then each part loses the symbols of its own."""
    for index, part in enumerate(parts):
        solved = _solved(own, part)
        if solved is not None:
            symbol, value = solved
            others = substitute((*parts[:index], *parts[index + 1 :]), {symbol: value})
            return _exists(own, conj(*others), done)
    users = Counter(s for part in parts for s in symbols_of(part))
    single = {s for s in own if users[s] == 1}
    return conj(*(_exists(single, part, done) for part in parts))


def _solved(own: Set[Symbol], part: Term) -> tuple[Symbol, Term] | None:
    """A symbol and its value, if the part is an equality that it can always satisfy; None: it is not."""
    if part.op is not Op.EQ:
        return None
    one, two = part.args
    for a, b in ((one, two), (two, one)):
        free = a.op is Op.VAR and a.symbol in own and a.symbol not in symbols_of(b)
        if free and a.low <= b.low and b.high <= a.high:
            return a.symbol, b
    return None


def _varies(own: Set[Symbol], equation: Term) -> bool:
    """Whether the two sides differ for some value of an own symbol, for any values of the others."""
    if equation.op is not Op.EQ:
        return False
    _, atoms = linear(difference(*equation.args))
    return any(var(s) in atoms and s.low < s.high and sum(s in symbols_of(a) for a in atoms) == 1 for s in own)
