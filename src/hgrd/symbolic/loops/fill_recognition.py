"""Loops that fill arrays with a pattern: `for (i = lo; i < hi; i++) a[i] = f(i)`, and running sums.

One iteration is run on the state at its start: the iteration number, and symbols for values without a closed form.  It
must make exactly one store to its place in each element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.symbolic.array_patterns import ArrayPattern, Ascending, Stored
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.loops.filled_elements import Step, elements_filled, holds, pattern_of, run_of, symbol_in
from hgrd.symbolic.loops.iteration import LoopShape, speculative_iteration, speculative_test
from hgrd.symbolic.loops.narrowing import Narrowing, narrowing_in
from hgrd.symbolic.loops.recurrences import LoopSummary, apply_recurrences
from hgrd.symbolic.loops.reordering import swapped_patterns
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.polynomials import (
    without_overflow,
)
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import OPAQUE, MemoryObject
from hgrd.terms import FALSE, TRUE, Op, Symbol, Term, add, as_int, const, div, mul, sub, substitute, symbols_of, var
from hgrd.terms.linear import linear

_MOST_STORES: Final = 16  # in one iteration, to one object


class FilledArrays(Struct, frozen=True):
    """The patterns that a loop fills objects with, and what it appends to objects.

    `cells` say where the values of symbols are found after the loop.
    """

    binder: Symbol
    objects: tuple[tuple[MemoryObject, tuple[ArrayPattern, ...]], ...] = ()
    appended: tuple[tuple[Term, Stored], ...] = ()  # runs, and where they begin
    cells: Mapping[Symbol, tuple[str, int]] = field(default_factory=dict[Symbol, tuple[str, int]])

    def at_exit(
        self, state: State, count: Term, shape: LoopShape
    ) -> Iterator[tuple[MemoryObject, tuple[ArrayPattern, ...]]]:
        """The patterns by object, in terms of `state`, the one after `count` iterations of the loop."""
        for target, fills in self.objects:
            yield target, tuple(self._ended(state, f) for f in fills)
        filled = [target for target, _ in self.objects]
        for made in self.runs(state, count):
            pattern = None if made.run is None or made.target in filled else pattern_of(made.run, made.offset, shape)
            if pattern is not None:
                yield made.target, (pattern,)

    def _ended(self, state: State, fill: ArrayPattern) -> ArrayPattern:
        match fill.pattern:
            case Ascending(after=Term() as after):
                return replace(fill, pattern=replace(fill.pattern, after=self._held(state, after.symbol)))
            case _:
                return fill

    def _held(self, state: State, symbol: Symbol) -> Term | None:
        key, offset = self.cells[symbol]
        cell = state.store.get(key, EMPTY).cells.get(offset)
        return None if cell is None or not isinstance(cell.value, Term) else as_int(cell.value)

    def runs(self, state: State, count: Term) -> tuple[Stored, ...]:
        """What the loop has appended in `count` iterations, as one store each, in terms of the state after it."""
        found: list[Stored] = []
        for start, made in self.appended:
            assert made.run is not None
            used = symbols_of(made.run.end)
            ends = {s: self._held(state, s) for s in self.cells if s in used} | {self.binder: count}
            known = {s: end for s, end in ends.items() if end is not None}
            if len(known) == len(ends):
                (end,) = substitute((made.run.end,), known)
                found.append(replace(made, offset=start, run=replace(made.run, end=end)))
        return tuple(found)


def recognise_fills(
    machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, binder: Symbol
) -> FilledArrays:
    """The array patterns that a loop leaves in memory; `state` is the one before the loop."""
    if not shape.test_first or shape.test is None or not _plain_end(summary.ends):
        return FilledArrays(binder)
    kept = narrowing_in(machine.effects, machine.functions, shape.body, shape.step)
    if kept is Narrowing.ROUNDED:
        return FilledArrays(binder)
    cleared: frozenset[str] = frozenset()
    while True:
        seen = _iterate(machine, state, shape, summary, binder, cleared, cuts=kept is Narrowing.CUT)
        if seen is None:
            return FilledArrays(binder)
        iteration, count = seen
        stores = {key: _stores(iteration, key) for key in sorted(summary.changed)}
        scattered = {key for key, made in stores.items() if any(not s.offset.is_const for s in made)}
        if all(not iteration.start.store[key].cells for key in scattered):
            break
        cleared |= scattered  # single cells would hide that elements are read back
    found = (
        (
            stores[key][0].target,
            elements_filled(iteration, stores[key], count, shape)
            or swapped_patterns(_kept_patterns(state, key), stores[key], iteration.reads),
        )
        for key in sorted(scattered)
    )
    appended = (_appended(iteration, stores[key][0], count) for key in sorted(scattered) if len(stores[key]) == 1)
    objects = tuple((target, fills) for target, fills in found if fills)
    return FilledArrays(binder, objects, tuple(a for a in appended if a is not None), iteration.cells)


def _appended(iteration: Step, stored: Stored, count: Term) -> tuple[Term, Stored] | None:
    """What the loop appends by one store in each iteration, and where that begins; None: nothing that is known."""
    run, start = run_of(iteration, stored, count), iteration.at_first(stored.offset)
    if run is None or start is None:
        return None
    return start, replace(stored, value=OPAQUE, size=None, when=TRUE, run=run)


def _kept_patterns(state: State, key: str) -> tuple[ArrayPattern, ...]:
    """The patterns of an object; those of the elements of a container that has changed since do not hold."""
    return tuple(fill for fill in state.store.get(key, EMPTY).patterns if holds(state, fill))


def _plain_end(ends: IterationExits) -> bool:
    return ends.after is not None and not ends.returns and not any(b.alive for b in ends.breaks)


def _stores(iteration: Step, key: str) -> tuple[Stored, ...]:
    """The stores of the iteration to an object; () if it changed the object in any other way."""
    stores = iteration.end.store.get(key, EMPTY).stores
    return stores if stores is not None and len(stores) <= _MOST_STORES else ()


def _iterate(
    machine: Machine,
    state: State,
    shape: LoopShape,
    summary: LoopSummary,
    binder: Symbol,
    cleared: Iterable[str],
    *,
    cuts: bool,
) -> tuple[Step, Term] | None:
    """A speculative iteration, and the number of iterations (where it is not below 0); None if either is unknown."""
    mark = machine.names.mark()
    start = state.copy()
    apply_recurrences(machine, start, summary, var(binder), speculative=True)
    for key in summary.changed:
        region = start.store[key]
        start.store[key] = replace(region, cells={} if key in cleared else region.cells, patterns=(), stores=())
    test = _test(machine, start, shape)
    always = test is TRUE
    count = _constant_count(machine, state, shape, summary, binder) if always else _count(test, binder)
    ends = speculative_iteration(machine, start.copy(), shape)
    if ends.after is None or not ends.after.alive or not _plain_end(ends):
        return None
    then: dict[Symbol, Term] = {binder: add(var(binder), const(1))}
    first: dict[Symbol, Term] = {binder: const(0)}
    cells: dict[Symbol, tuple[str, int]] = {}
    for c in summary.cells:
        placeholder, last = (s.store.get(c.target.key, EMPTY).cells.get(c.offset) for s in (start, ends.after))
        symbol = None if placeholder is None else symbol_in(placeholder.value)
        if symbol is None or machine.names.older(symbol, mark):
            continue
        if last is not None and isinstance(last.value, Term) and isinstance(c.first, Term):
            then[symbol], first[symbol] = as_int(last.value), as_int(c.first)
            cells[symbol] = c.target.key, c.offset
    iteration = Step(binder, mark, machine, state, start, ends.after, then, first, cells, cuts)
    return None if count is None or not iteration.steady(count) else (iteration, count)


def _test(machine: Machine, start: State, shape: LoopShape) -> Term:
    assert shape.test is not None
    return speculative_test(machine, start.copy(), shape.test)


def _constant_count(
    machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, binder: Symbol
) -> Term | None:
    """The number of iterations of a loop whose test holds for all values of the binder; None if unknown."""
    after = state.copy()
    apply_recurrences(machine, after, summary, const(binder.high + 1), speculative=True)
    return const(binder.high + 1) if _test(machine, after, shape) is FALSE else None


def _count(test: Term, binder: Symbol) -> Term | None:
    """The number of iterations for which a linear test holds (for k if and only if k < count); None if unknown."""
    if test.op is Op.NOT and test.args[0].op is Op.EQ:
        return _until_equal(test.args[0], binder)
    if test.op not in (Op.LT, Op.LE):
        return None
    constant, atoms = linear(without_overflow(sub(test.args[1], test.args[0])))
    slope = -atoms.pop(var(binder), 0)
    room = add(const(constant - (test.op is Op.LT)), *(mul(t, const(c)) for t, c in atoms.items()))
    if slope <= 0 or binder in symbols_of(room):
        return None
    return add(room, const(1)) if slope == 1 else div(add(room, const(slope)), const(slope))


def _until_equal(end: Term, binder: Symbol) -> Term | None:
    """The number of iterations until the two sides of an equation meet, which they do as the loop ends."""
    constant, atoms = linear(without_overflow(sub(*end.args)))
    slope = -atoms.pop(var(binder), 0)
    if not slope or any(c % slope for c in (constant, *atoms.values())) or binder in symbols_of(*atoms):
        return None
    return add(const(constant // slope), *(mul(t, const(c // slope)) for t, c in atoms.items()))
