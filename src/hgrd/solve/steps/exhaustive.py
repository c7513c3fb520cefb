"""All accesses of a launch whose numbers are known: every pair of threads, with the contents of arrays as they are.

It is tried where a query has tables.  All symbols must have values that can be gone through: indexes of threads and
blocks by their extents, counters of loops by the tests that bound them.  Then an answer is exact either way.

Where the symbols of the two addresses have few values (threads of one block, bits of an index), all of these may show
that the two never overlap, whatever other symbols there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Final

import numpy as np
from msgspec.structs import replace

from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.problem import Problem, access_bit, confirm, pose
from hgrd.solve.query import Axis, Party, Query, Table
from hgrd.solve.steps.refute import Found, Outcome, Refuted, Stuck
from hgrd.solve.steps.vectors import Column, Columns
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, const, div, le, sub, symbols_of, var
from hgrd.terms.build import maximum
from hgrd.terms.interval import of_type
from hgrd.terms.linear import from_linear, linear
from hgrd.terms.rewrite import arrays_of, bottom_up

_MOST_ROWS: Final = 1 << 21
_MOST_PAIRS: Final = 1 << 23
_MOST_VALUES: Final = 1 << 18  # of the symbols of one address together
_AT_ONCE: Final = 1 << 20
_INT64: Final = 1 << 62
_GROUP: Final = Symbol("group of a row", 0, _MOST_ROWS, Origin.LOOP)
_NOT_ALL: Final = Stuck("not all accesses can be gone through")


class _TooManyError(Exception):
    """There are more accesses, or values that are not known, than can be gone through."""


class _Reader:
    """The elements of arrays in tables; one that is not known ends the search."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self._known = {t.array: np.array([v is not None for v in t.values] + [False]) for t in tables}
        self._values = {t.array: np.array([v or 0 for v in t.values] + [0], dtype=np.int64) for t in tables}

    def __call__(self, array: str, index: Sequence[Column]) -> Column:
        if array not in self._values or len(index) != 1:
            raise _TooManyError
        values = self._values[array]
        end = len(values) - 1
        at = np.where((index[0] >= 0) & (index[0] < end), index[0], end)
        if not self._known[array][at].all():
            raise _TooManyError
        return values[at]

    def element(self, array: str, index: tuple[int, ...]) -> int:
        """One element, as `confirm` asks for it."""
        return int(self._values[array][index[0]])


def go_through(problem: Problem, spans: Mapping[Symbol, Span]) -> Outcome:
    """The answer of a query whose accesses can all be gone through."""
    read = {t.array for t in bottom_up(problem.roots) if t.op is Op.READ}
    return _gone_through(problem, spans) if read & {t.array for t in problem.query.tables} else _NOT_ALL


def refute_by_addresses(problem: Problem, spans: Mapping[Symbol, Span]) -> Outcome:
    """Whether no values of the symbols of the two addresses, of which there are few, make the two overlap.

    Conditions on other symbols are left out, so that an overlap may be none.
    """
    own = symbols_of(*problem.addresses)
    if not own <= spans.keys() or arrays_of(*problem.addresses):
        return _NOT_ALL
    for foreign in (problem.query.first.private, problem.query.second.private):
        if prod(spans[s].high - spans[s].low + 1 for s in own.difference(foreign)) > _MOST_VALUES:
            return _NOT_ALL
    smaller = pose(_about(own, problem.query))
    if not isinstance(_gone_through(smaller, spans), Refuted):
        return _NOT_ALL
    return Refuted((1 << len(problem.query.facts)) - 1 | access_bit(problem.query))


def _about(symbols: Collection[Symbol], query: Query) -> Query:
    """The query with what it says of these symbols alone."""

    def told(terms: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(t for t in terms if symbols_of(t) <= set(symbols) and not arrays_of(t))

    def axes(given: Iterable[Axis]) -> tuple[Axis, ...]:
        return tuple(a for a in given if a.symbol in symbols and told((a.extent,)))

    def of(party: Party) -> Party:
        private = tuple(s for s in party.private if s in symbols)
        return replace(party, private=private, axes=axes(party.axes), guards=told(party.guards))

    return replace(
        query,
        shared=tuple(s for s in query.shared if s in symbols),
        axes=axes(query.axes),
        facts=told(query.facts),
        first=of(query.first),
        second=of(query.second),
        between=told(query.between),
    )


def _gone_through(problem: Problem, spans: Mapping[Symbol, Span]) -> Outcome:
    query = problem.query
    if not all(map(_fits, bottom_up(problem.roots))):
        return _NOT_ALL
    reader = _Reader(query.tables)
    try:
        shared = _Rows({}, 1)
        common = [s for s in problem.symbols if s not in {*query.first.private, *query.second.private}]
        rest = [c.term for c in problem.conditions]
        shared, rest = _grown(shared, common, {a.symbol: a.extent for a in query.axes}, spans, rest, reader)
        first, rest = _of_party(problem, query.first, query.second, shared, spans, rest, reader)
        second, rest = _of_party(problem, query.second, query.first, shared, spans, rest, reader)
        return _joined(problem, first, second, Columns(rest), reader)
    except _TooManyError:
        return _NOT_ALL


def _fits(term: Term) -> bool:
    """Whether numpy computes a term exactly."""
    return term.is_bool or (term.low >= -_INT64 and term.high <= _INT64)


class _Rows:
    """Values of symbols, one row for each way to give them values; `group` is the row of the shared symbols."""

    def __init__(self, columns: Mapping[Symbol, Column], count: int) -> None:
        self.columns, self.count = dict(columns), count

    def where(self, good: Column) -> _Rows:
        at = np.nonzero(good)[0]
        return _Rows({s: c[at] for s, c in self.columns.items()}, len(at))

    def times(self, symbol: Symbol, low: int, counts: Column) -> _Rows:
        """Each row as often as the symbol has values there, from `low` on."""
        counts = np.maximum(np.broadcast_to(counts, (self.count,)), 0)
        total = int(counts.sum())
        if total > _MOST_ROWS:
            raise _TooManyError
        at = np.repeat(np.arange(self.count), counts)
        begins = np.repeat(np.cumsum(counts) - counts, counts)
        columns = {s: c[at] for s, c in self.columns.items()}
        return _Rows({**columns, symbol: low + np.arange(total) - begins}, total)

    def column(self, value: Column) -> Column:
        return np.broadcast_to(value, (self.count,))


def _of_party(
    problem: Problem,
    party: Party,
    other: Party,
    shared: _Rows,
    spans: Mapping[Symbol, Span],
    rest: list[Term],
    reader: _Reader,
) -> tuple[_Rows, list[Term]]:
    foreign = frozenset(other.private)
    own = [t for t in rest if not symbols_of(t) & foreign]
    left = [t for t in rest if symbols_of(t) & foreign]
    used = set(problem.symbols)
    symbols = [s for s in party.private if s in used]
    grouped = _Rows({**shared.columns, _GROUP: np.arange(shared.count)}, shared.count)
    rows, open_ = _grown(grouped, symbols, {a.symbol: a.extent for a in party.axes}, spans, own, reader)
    return rows, [*left, *open_]


def _grown(
    rows: _Rows,
    symbols: Sequence[Symbol],
    extents: Mapping[Symbol, Term],
    spans: Mapping[Symbol, Span],
    conditions: list[Term],
    reader: _Reader,
) -> tuple[_Rows, list[Term]]:
    """The rows with values of more symbols, where the conditions hold; and the conditions that are still open."""
    waiting = sorted(symbols, key=lambda s: s not in extents)
    rows, conditions = _filtered(rows, conditions, reader)
    while waiting:
        for symbol in waiting:
            counts = _values(rows, symbol, extents.get(symbol), spans, conditions, reader)
            if counts is not None:
                break
        else:
            raise _TooManyError
        waiting.remove(symbol)
        rows = rows.times(symbol, spans[symbol].low if symbol in spans else symbol.low, counts)
        rows, conditions = _filtered(rows, conditions, reader)
    return rows, conditions


def _filtered(rows: _Rows, conditions: list[Term], reader: _Reader) -> tuple[_Rows, list[Term]]:
    """The rows where the conditions on their symbols hold, those without arrays first; and the other conditions."""
    ready = [t for t in conditions if symbols_of(t) <= rows.columns.keys()]
    for term in sorted(ready, key=lambda t: any(part.op is Op.READ for part in bottom_up((t,)))):
        (truth,) = Columns([term]).run(rows.columns, reader)
        rows = rows.where(rows.column(truth))
    return rows, [t for t in conditions if t not in set(ready)]


def _values(
    rows: _Rows,
    symbol: Symbol,
    extent: Term | None,
    spans: Mapping[Symbol, Span],
    conditions: Iterable[Term],
    reader: _Reader,
) -> Column | None:
    """How many values a symbol has in each row, from its lowest one on; None: that is not known yet."""
    low, high = (spans[symbol].low, spans[symbol].high) if symbol in spans else (symbol.low, symbol.high)
    found = [np.asarray(high - low + 1)] if high - low < _MOST_ROWS else []
    bounds = [] if extent is None else [extent]
    within = {c for t in conditions for c in (t.args if t.op is Op.AND else (t,))}
    bounds += [b for t in within if (b := _bound(t, symbol, within)) is not None]
    known = [sub(b, const(low)) for b in bounds if symbols_of(b) <= rows.columns.keys()]
    found += Columns(known).run(rows.columns, reader)
    if not found:
        return None
    least = found[0]
    for one in found[1:]:
        least = np.minimum(least, one)
    return least


def _bound(test: Term, symbol: Symbol, within: Collection[Term]) -> Term | None:
    """What a test says that a symbol is below; None: it says nothing like that."""
    if test.op not in (Op.LT, Op.LE):
        return None
    room = sub(*(_plain(side, symbol, within) for side in reversed(test.args)))
    constant, atoms = linear(room)
    slope = -atoms.pop(var(symbol), 0)
    if slope <= 0 or symbol in symbols_of(*atoms):
        return None
    rest = from_linear((constant + slope - (test.op is Op.LT), atoms))  # slope * k <= rest - slope
    return div(maximum(rest, const(0)), const(slope))


def _plain(term: Term, symbol: Symbol, within: Collection[Term]) -> Term:
    """The term without a wrap that the conditions rule out."""
    if term.op is not Op.WRAP or symbol not in symbols_of(term):
        return term
    low, high = of_type(*term.wrap_to[:2])
    value = term.args[0]
    fits = all(c is TRUE or c in within for c in (le(const(low), value), le(value, const(high))))
    return value if fits else term


def _joined(problem: Problem, first: _Rows, second: _Rows, cross: Columns, reader: _Reader) -> Outcome:
    """The answer from the accesses of both parties: those that overlap must not meet all other conditions."""
    query = problem.query
    if not first.count or not second.count:
        return Refuted((1 << len(query.facts)) - 1 | access_bit(query))
    left, right = (
        np.asarray(rows.column(Columns([party.address]).run(rows.columns, reader)[0]))
        for rows, party in ((first, query.first), (second, query.second))
    )
    lowest = min(int(left.min()), int(right.min()))
    room = max(int(left.max()), int(right.max())) - lowest + query.first.size + query.second.size + 1
    if room * (int(first.columns[_GROUP].max()) + 2) > _INT64:
        return _NOT_ALL
    keys = left - lowest + room * first.columns[_GROUP]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    wanted = right - lowest + room * second.columns[_GROUP]
    begins = np.searchsorted(keys, wanted - query.first.size, "right")
    counts = np.searchsorted(keys, wanted + query.second.size, "left") - begins
    if int(counts.sum()) > _MOST_PAIRS:
        return _NOT_ALL
    for chunk in _chunks(counts):
        at = np.repeat(chunk, counts[chunk])
        number = np.arange(len(at)) - np.repeat(np.cumsum(counts[chunk]) - counts[chunk], counts[chunk])
        partner = order[begins[at] + number]
        columns = {
            **{s: c[at] for s, c in second.columns.items()},
            **{s: c[partner] for s, c in first.columns.items()},
        }
        good = np.ones(len(at), dtype=np.bool_)
        for truth in cross.run(columns, reader):
            good &= truth
        for row in np.nonzero(good)[0][:1]:
            values = {s: int(c[row]) for s, c in columns.items() if s is not _GROUP}
            model = confirm(problem, values, reader.element)
            return _NOT_ALL if model is None else Found(model)
    return Refuted((1 << len(query.facts)) - 1 | access_bit(query))


def _chunks(counts: Column) -> Iterator[Column]:
    """Rows in parts that have a limited number of pairs each."""
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        before = int(ends[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(ends, before + _AT_ONCE, "right")), begin + 1)
        yield np.arange(begin, end)
        begin = end
