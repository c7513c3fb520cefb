"""Small concrete launches, all their threads at once, joined on the address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.problem import Problem, confirm
from hgrd.solve.query import Model, Party
from hgrd.solve.steps.invented_arrays import PATTERNS, column_reads, scalar_reads
from hgrd.solve.steps.sampling import Sampler
from hgrd.solve.steps.vectors import Column, ColumnReads, Columns
from hgrd.terms import Origin, Symbol, Term, symbols_of

_DRAWN_PER_LAUNCH: Final = 40
_SERIAL_VALUES: Final = (16, 16, 6, 4, 3)  # of a loop counter or an unknown, for 0, 1, 2, ... of them
_MANY_SERIALS: Final = 2
_MOST_BLOCKS: Final = 6  # along one axis


class Tried(Struct, frozen=True):
    """Result of `launches` launches: `model` is a conflict found in one of them, or None."""

    launches: int
    model: Model | None


class _Rows(NamedTuple):
    """Accesses of a party in a launch: private values and addresses, one row per access."""

    symbols: dict[Symbol, Column]
    addresses: Column

    def take(self, at: Column) -> dict[Symbol, Column]:
        return {symbol: column[at] for symbol, column in self.symbols.items()}


def try_launches(problem: Problem, spans: Mapping[Symbol, Span], *, launches: int, rows: int, seed: int) -> Tried:
    """Enumerate at most `launches` launches of at most `rows` accesses a party."""
    first, second = _Side(problem, problem.query.first), _Side(problem, problem.query.second)
    if first.sees(problem.query.second.address) or second.sees(problem.query.first.address):
        return Tried(0, None)
    cross = Columns([c.term for c in problem.conditions if first.sees(c.term) and second.sees(c.term)])
    sampler = Sampler(problem, spans)
    arrays = {array: number for number, array in enumerate(problem.ranges)}
    patterns = range(PATTERNS if problem.ranges else 1)
    tried = 0
    for pattern in patterns:
        share = -(-launches // len(patterns))
        reads, contents = column_reads(pattern, arrays), scalar_reads(pattern, arrays)
        drawn = sampler.draw(share * _DRAWN_PER_LAUNCH, seed + pattern, reads)
        for values in _each(drawn, share):
            tried += 1
            left = first.rows(values, spans, reads, rows)
            right = second.rows(values, spans, reads, rows)
            for candidate in _meetings(left, right, values, problem, cross, reads):
                model = confirm(problem, candidate, contents)
                if model is not None:
                    return Tried(tried, model)
    return Tried(tried, None)


def _each(drawn: Mapping[Symbol, Column], most: int) -> Iterator[dict[Symbol, int]]:
    """Distinct launches."""
    if not drawn:
        yield from [{}][:most]
        return
    table = np.stack(list(drawn.values()), axis=1)
    seen: set[tuple[int, ...]] = set()
    for line in table.tolist():
        if len(seen) == most:
            return
        if (launch := tuple(line)) not in seen:
            seen.add(launch)
            yield dict(zip(drawn, launch, strict=True))


class _Side:
    """A party with the conditions on it alone, compiled."""

    def __init__(self, problem: Problem, party: Party) -> None:
        other = problem.query.second if party is problem.query.first else problem.query.first
        self._private = frozenset(party.private)
        self._axes = {axis.symbol: axis for axis in party.axes}
        used = set(problem.symbols)
        self._symbols = [s for s in party.private if s in used]
        serials = sum(s not in self._axes for s in self._symbols)
        self._serial_values = _SERIAL_VALUES[serials] if serials < len(_SERIAL_VALUES) else _MANY_SERIALS
        foreign = frozenset(other.private)
        own = [c.term for c in problem.conditions if self.sees(c.term) and not symbols_of(c.term) & foreign]
        self._program = Columns([*own, party.address])
        self._extents = Columns([axis.extent for axis in self._axes.values()])

    def sees(self, term: Term) -> bool:
        return bool(symbols_of(term) & self._private)

    def rows(self, launch: Mapping[Symbol, int], spans: Mapping[Symbol, Span], reads: ColumnReads, most: int) -> _Rows:
        """The accesses that meet the party's own conditions."""
        shared: dict[Symbol, Column] = {s: np.asarray(v, dtype=np.int64) for s, v in launch.items()}
        extents = dict(zip(self._axes, self._extents.run(shared, reads), strict=True))
        ranges = [self._range(s, extents, spans, most) for s in self._symbols]
        _shorten(ranges, most)
        total = prod(map(len, ranges))
        private = dict(zip(self._symbols, _product(ranges, total), strict=True))
        *truths, addresses = self._program.run({**shared, **private}, reads)
        good = np.ones(total, dtype=np.bool_)
        for truth in truths:
            good &= truth
        at = np.nonzero(good)[0]
        return _Rows({s: column[at] for s, column in private.items()}, np.broadcast_to(addresses, (total,))[at])

    def _range(
        self, symbol: Symbol, extents: Mapping[Symbol, Column], spans: Mapping[Symbol, Span], most: int
    ) -> Column:
        """Values to try for a private symbol, at most `most`; of a loop counter or an unknown, those next to 0."""
        if symbol in extents:
            extent = int(extents[symbol])
            return np.arange(min(extent, _MOST_BLOCKS if symbol.origin is Origin.BLOCK else most))
        low, high, _ = spans.get(symbol, Span(symbol.low, symbol.high))
        if high < 0:
            return np.arange(max(low, high - self._serial_values + 1), high + 1)
        low = max(low, -self._serial_values // 4)
        return np.arange(low, min(high, max(low, 0) + self._serial_values - 1) + 1)


def _product(ranges: list[Column], total: int) -> list[Column]:
    """All `total` ways to take one value of each, the last varying fastest (numpy has no arrays of 33 dimensions)."""
    columns: list[Column] = []
    times = 1
    for values in ranges if total else ():
        columns.append(np.tile(np.repeat(values, total // (times * len(values))), times))
        times *= len(values)
    return columns or [values[:0] for values in ranges]


def _shorten(ranges: list[Column], most: int) -> None:
    """Halve the longest range until the product is at most `most`."""
    while ranges and np.prod([float(len(r)) for r in ranges]) > most:
        longest = max(range(len(ranges)), key=lambda i: len(ranges[i]))
        ranges[longest] = ranges[longest][: len(ranges[longest]) // 2]


def _meetings(
    left: _Rows,
    right: _Rows,
    launch: Mapping[Symbol, int],
    problem: Problem,
    cross: Columns,
    reads: ColumnReads,
) -> Iterator[dict[Symbol, int]]:
    """Valuations where the bytes overlap and the conditions on both parties hold: one per way of pairing."""
    if not len(left.addresses) or not len(right.addresses):
        return
    order = np.argsort(left.addresses, kind="stable")
    sorted_left = left.addresses[order]
    low = np.searchsorted(sorted_left, right.addresses - problem.query.first.size, "right")
    high = np.searchsorted(sorted_left, right.addresses + problem.query.second.size, "left")
    meeting = np.nonzero(high > low)[0]
    if not len(meeting):
        return
    low, high = low[meeting], high[meeting]
    shared: dict[Symbol, Column] = {s: np.asarray(v, dtype=np.int64) for s, v in launch.items()}
    partner = right.take(meeting)
    for pick in (low, high - 1, (low + high) // 2):
        columns = {**shared, **left.take(order[pick]), **partner}
        good = np.ones(len(meeting), dtype=np.bool_)
        for truth in cross.run(columns, reads):
            good &= truth
        at = np.nonzero(good)[0]
        if len(at):
            yield {s: int(column[at[0]]) if column.ndim else int(column) for s, column in columns.items()}
