"""Sampling of shared symbols: many launches at once, those that meet the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field

from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.normal_form.definitions import definitions, in_order
from hgrd.solve.problem import Problem
from hgrd.solve.steps.vectors import Column, ColumnReads, Columns
from hgrd.terms import Op, Origin, Symbol, symbols_of

_EXTENTS: Final = (1, 2, 3, 4, 8, 16, 32, 64)
_INDEXES: Final = (0, 1, 2, 3, 4)
_INPUTS: Final = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 20, 31, 32, 33, 48, 64, 100, 1000, 1024)
_BELOW: Final = (0, -1, -2, -3, -16, -17, -33, -64, -100)
_BEYOND: Final = (1 << 62) + 1  # values this far from 0 are not tried: columns have 64 bits
_FREE_SYMBOLS: Final = frozenset({Origin.BLOCK, Origin.THREAD, Origin.LOOP})


class Sampler(Struct, frozen=True):
    """Draws values of shared symbols; equalities among the facts are solved for a symbol, not guessed."""

    problem: Problem
    spans: Mapping[Symbol, Span]
    _defined: list[tuple[Symbol, Columns]] = field(default_factory=list[tuple[Symbol, Columns]])
    _choices: dict[Symbol, tuple[int, ...]] = field(default_factory=dict[Symbol, tuple[int, ...]])

    def draw(self, count: int, seed: int, reads: ColumnReads) -> dict[Symbol, Column]:
        """At most `count` distinct launches that meet every condition on shared symbols."""
        if not self._choices and not self._defined:
            self._plan()
        random = np.random.default_rng(seed)
        columns: dict[Symbol, Column] = {}
        for symbol, choices in self._choices.items():
            at = random.integers(0, len(choices), count)
            columns[symbol] = np.asarray([min(max(c, -_BEYOND), _BEYOND) for c in choices], dtype=np.int64)[at]
        for symbol, value in self._defined:
            columns[symbol] = np.broadcast_to(value.run(columns, reads)[0], (count,))
        good = np.ones(count, dtype=np.bool_)
        for symbol, column in columns.items():
            span = self._span(symbol)
            good &= (column >= max(span.low, 1 - _BEYOND)) & (column <= min(span.high, _BEYOND - 1))
        shared = [c.term for c in self.problem.conditions if symbols_of(c.term) <= self.problem.shared]
        for truth in Columns(shared).run(columns, reads):
            good &= truth
        return {symbol: column[good] for symbol, column in columns.items()}

    def _span(self, symbol: Symbol) -> Span:
        return self.spans.get(symbol, Span(symbol.low, symbol.high))

    def _plan(self) -> None:
        shared = [s for s in self.problem.symbols if s in self.problem.shared]
        defined = definitions(self.problem)
        fixed = _alternatives(self.problem)
        for symbol in shared:
            if symbol not in defined:
                self._choices[symbol] = fixed.get(symbol) or self._candidates(symbol)
        for symbol in in_order(defined):
            self._defined.append((symbol, Columns([defined[symbol]])))

    def _candidates(self, symbol: Symbol) -> tuple[int, ...]:
        low, high, _ = self._span(symbol)
        if symbol.origin is Origin.DIMENSION:
            wanted: Sequence[int] = _EXTENTS
        elif symbol.origin in _FREE_SYMBOLS:
            wanted = _INDEXES
        else:
            wanted = (*_INPUTS, *(_BELOW if low < 0 else _BELOW[:1]))
        fitting = tuple(v for v in wanted if low <= v <= high)
        return fitting or tuple(sorted({low, min(low + 1, high), low + (high - low) // 3, high}))


def _alternatives(problem: Problem) -> dict[Symbol, tuple[int, ...]]:
    """Conditions of the form x == 1 || x == 2 || ..."""
    found: dict[Symbol, tuple[int, ...]] = {}
    for condition in problem.conditions:
        t = condition.term
        if t.op is Op.OR and all(a.op is Op.EQ and a.args[0].op is Op.VAR and a.args[1].is_const for a in t.args):
            symbols = {a.args[0].symbol for a in t.args}
            if len(symbols) == 1:
                found[symbols.pop()] = tuple(a.args[1].value for a in t.args)
    return found
