"""Inductive invariants of variables that a loop gives new values.

    for (int i = 1; i < argc; ++i)
      if (…) { n = atoi(argv[i + 1]); if (n % 32) exit(1); }

A test that a new value has passed holds of the variable in every iteration if its first value passes it, and all other
values that an iteration can leave in it: an induction over the iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from msgspec import Struct

from hgrd.program.span import Span
from hgrd.symbolic.state import Condition
from hgrd.terms import TRUE, Op, Symbol, Term, negate, substitute, symbols_of
from hgrd.terms.rewrite import arrays_of, bottom_up

_MOST_VALUES = 8  # that one iteration may leave in a variable
_MOST_CONDITIONS = 256


class Invariant(Struct, frozen=True):
    """`term` holds of the value that `hole` stands for; the program tests it at `span`."""

    term: Term
    hole: Symbol
    span: Span

    def of(self, value: Term) -> Term:
        """The invariant of a value."""
        (term,) = substitute((self.term,), {self.hole: value})
        return term


class _IterationEnd(Struct, frozen=True):
    """A value that an iteration can leave in a variable, and the conditions under which it does."""

    value: Term
    known: dict[Term, None]


def invariants(
    first: tuple[Term, tuple[Condition, ...]],
    last: tuple[Term, tuple[Condition, ...]],
    start: Symbol,
    stable: Callable[[Symbol], bool],
) -> tuple[Invariant, ...]:
    """Conditions that hold of a variable at the start of every iteration.

    `first` and `last` are its value before the loop, and at the end of an iteration at whose start it was `start`, each
    with the path there.  `stable` says which symbols have the same value in every iteration.
    """
    value, path = last
    tests = tuple(c for c in path if not c.incidental)
    values = list(islice(_cases(value), _MOST_VALUES + 1))
    if not tests or len(values) > _MOST_VALUES or len(path) > _MOST_CONDITIONS:
        return ()
    ends = [_IterationEnd(v, _known((*(c.term for c in tests), *when))) for v, when in values]
    ends = [e for e in ends if e.value.op is not Op.VAR or e.value.symbol != start]
    ends.append(_IterationEnd(first[0], _known(tuple(c.term for c in first[1] if not c.incidental))))
    return tuple(dict.fromkeys(i for i in _tested(ends, tests, stable) if all(_holds(i, e) for e in ends)))


def keeps(last: object, start: object, first: object) -> bool:
    """Whether an iteration leaves a value as it was at its start, or as it was before the loop."""
    if last == start or not isinstance(last, Term) or not isinstance(start, Term):
        return last == start
    chosen = (t for t in bottom_up((last,), _alternatives) if not _alternatives(t))
    return all(value is start or value is first for value in chosen)


def _alternatives(value: Term) -> tuple[Term, ...]:
    return value.args[1:] if value.op is Op.ITE else ()


def _cases(value: Term) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    """The values that a term chooses among, each with the conditions under which it is chosen."""
    waiting: list[tuple[Term, tuple[Term, ...]]] = [(value, ())]
    while waiting:
        value, when = waiting.pop()
        if value.op is Op.ITE:
            condition, one, two = value.args
            waiting += [(two, (*when, negate(condition))), (one, (*when, condition))]
        else:
            yield value, when


def _known(terms: tuple[Term, ...]) -> dict[Term, None]:
    """The terms, and what follows from them when alternatives are removed whose opposite is known (unit resolution)."""
    known = dict.fromkeys(p for term in terms for p in _parts(term))
    size = 0
    while size < len(known):
        size = len(known)
        for term in tuple(known):
            known |= dict.fromkeys(_parts(_left(term, known)))
    return known


def _left(term: Term, known: dict[Term, None]) -> Term:
    """The only alternative of a disjunction that is not excluded; TRUE if there are several."""
    if term.op is not Op.OR:
        return term
    left = [t for t in term.args if negate(t) not in known and not any(negate(p) in known for p in _parts(t))]
    return left[0] if len(left) == 1 else TRUE


def _parts(term: Term) -> tuple[Term, ...]:
    return term.args if term.op is Op.AND else () if term is TRUE else (term,)


def _tested(
    ends: list[_IterationEnd], tests: tuple[Condition, ...], stable: Callable[[Symbol], bool]
) -> Iterator[Invariant]:
    """Candidate invariants: conditions on new values whose other symbols are the same in every iteration."""
    for end in ends:
        if end.value.op is not Op.VAR or stable(end.value.symbol):
            continue
        own = end.value.symbol
        for term in end.known:
            others = symbols_of(term) - {own}
            if own in symbols_of(term) and all(map(stable, others)) and not arrays_of(term):
                span = next((c.span for c in tests if own in symbols_of(c.term)), tests[0].span)
                yield Invariant(term, own, span)


def _holds(invariant: Invariant, end: _IterationEnd) -> bool:
    term = invariant.of(end.value)
    return all(p in end.known for p in _parts(term))
