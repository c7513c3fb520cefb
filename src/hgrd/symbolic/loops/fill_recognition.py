"""Loops that fill arrays with a pattern: `for (i = lo; i < hi; i++) a[i] = f(i)`, and running sums.

One iteration is run on the state at its start: the iteration number, and symbols for values without a closed form.  If
it makes exactly one store to its place in each element, then the store of the next iteration is the same with these
symbols replaced by their values at the end.  The difference of the two gives the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.program.types import IntType
from hgrd.symbolic.array_patterns import Affine, ArrayPattern, Ascending, Between, Stored
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.loops.iteration import LoopShape, speculative_iteration, speculative_test
from hgrd.symbolic.loops.narrowing import Narrowing, narrowing_in
from hgrd.symbolic.loops.recurrences import LoopSummary, apply_recurrences
from hgrd.symbolic.loops.reordering import swapped_patterns
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.polynomials import (
    as_term,
    constant_difference,
    difference,
    divisible,
    overflows,
    polynomial,
    without_overflow,
)
from hgrd.symbolic.state import EMPTY, Region, State
from hgrd.symbolic.values import MemoryObject
from hgrd.terms import FALSE, TRUE, Op, Symbol, Term, add, as_int, const, div, mul, sub, substitute, symbols_of, var
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import arrays_of, bottom_up

_MOST_ELEMENTS: Final = (1 << 31) - 1
_MOST_STORES: Final = 16  # in one iteration, to one object


class _Iteration(Struct, frozen=True):
    """The step between iterations: by symbol, its value in the next and the first one, and its cell after the last."""

    binder: Symbol
    mark: int
    machine: Machine
    start: State
    end: State
    then: Mapping[Symbol, Term]
    first: Mapping[Symbol, Term]
    cells: Mapping[Symbol, tuple[str, int]]
    cuts: bool  # conversions to signed types may cut numbers

    def next(self, term: Term) -> Term:
        """The term in the next iteration."""
        return substitute((term,), self.then)[0]

    def at_first(self, term: Term) -> Term | None:
        """The term in the first iteration; None unless it is known before the loop."""
        found = substitute((term,), self.first)[0]
        return found if self.steady(found) else None

    def steady(self, term: Term) -> bool:
        """Whether a term has the same value in all iterations and after the loop."""
        return not self._new(term) and self.then.keys().isdisjoint(symbols_of(term))

    def follows(self, term: Term) -> bool:
        """Whether all parts of a term that may differ between iterations are known in the next one."""
        return not self._new(term) - {s.name for s in self.then}

    def reads(self, term: Term, stored: Stored) -> bool:
        """Whether a term is what the object of a store has held at some place when the iteration began."""
        region = self.start.store[stored.target.key]
        return term.array == self.machine.names.stable.get((stored.target.key, region.generation, stored.type))

    def _new(self, term: Term) -> set[str]:
        """Names that the iteration itself introduced: unknown values, and reads of objects that the loop changes."""
        index = self.machine.names.index
        used = {*(s.name for s in symbols_of(term)), *arrays_of(term)}
        return {name for name in used if index.get(name, -1) >= self.mark}


class FilledArrays(Struct, frozen=True):
    """The patterns that a loop fills objects with; `cells` say where the values of symbols are found after the loop."""

    objects: tuple[tuple[MemoryObject, tuple[ArrayPattern, ...]], ...] = ()
    cells: Mapping[Symbol, tuple[str, int]] = field(default_factory=dict[Symbol, tuple[str, int]])

    def at_exit(self, state: State) -> tuple[tuple[MemoryObject, tuple[ArrayPattern, ...]], ...]:
        """The patterns by object, in terms of `state`, the one after the loop."""
        return tuple((target, tuple(self._ended(state, f) for f in fills)) for target, fills in self.objects)

    def _ended(self, state: State, fill: ArrayPattern) -> ArrayPattern:
        match fill.pattern:
            case Ascending(after=Term() as after):
                key, offset = self.cells[after.symbol]
                cell = state.store.get(key, EMPTY).cells.get(offset)
                value = None if cell is None or not isinstance(cell.value, Term) else as_int(cell.value)
                return replace(fill, pattern=replace(fill.pattern, after=value))
            case _:
                return fill


def recognise_fills(
    machine: Machine, state: State, shape: LoopShape, summary: LoopSummary, binder: Symbol
) -> FilledArrays:
    """The array patterns that a loop leaves in memory; `state` is the one before the loop."""
    if not shape.test_first or shape.test is None or not _plain_end(summary.ends):
        return FilledArrays()
    kept = narrowing_in(machine.effects, machine.functions, shape.body, shape.step)
    if kept is Narrowing.ROUNDED:
        return FilledArrays()
    cleared: frozenset[str] = frozenset()
    while True:
        seen = _iterate(machine, state, shape, summary, binder, cleared, cuts=kept is Narrowing.CUT)
        if seen is None:
            return FilledArrays()
        iteration, count = seen
        stores = {key: _stores(iteration, key) for key in sorted(summary.changed)}
        scattered = {key for key, made in stores.items() if any(not s.offset.is_const for s in made)}
        if all(not iteration.start.store[key].cells for key in scattered):
            break
        cleared |= scattered  # single cells would hide that elements are read back
    found = (
        (
            stores[key][0].target,
            _of_object(iteration, stores[key], count, shape)
            or swapped_patterns(_kept_patterns(state, key), stores[key], iteration.reads),
        )
        for key in sorted(scattered)
    )
    return FilledArrays(tuple((target, fills) for target, fills in found if fills), iteration.cells)


def _kept_patterns(state: State, key: str) -> tuple[ArrayPattern, ...]:
    """The patterns of an object; those of the elements of a container that has changed since do not hold."""
    return tuple(fill for fill in state.store.get(key, EMPTY).patterns if _holds(state, fill))


def _holds(state: State, fill: ArrayPattern) -> bool:
    """Whether the owner of the elements, if there is one, has not changed since."""
    return fill.owner is None or any(fill.owner is region for region in state.store.values())


def _plain_end(ends: IterationExits) -> bool:
    return ends.after is not None and not ends.returns and not any(b.alive for b in ends.breaks)


def _stores(iteration: _Iteration, key: str) -> tuple[Stored, ...]:
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
) -> tuple[_Iteration, Term] | None:
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
        symbol = None if placeholder is None else _symbol(placeholder.value)
        if symbol is None or machine.names.older(symbol, mark):
            continue
        if last is not None and isinstance(last.value, Term) and isinstance(c.first, Term):
            then[symbol], first[symbol] = as_int(last.value), as_int(c.first)
            cells[symbol] = c.target.key, c.offset
    iteration = _Iteration(binder, mark, machine, start, ends.after, then, first, cells, cuts)
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


def _symbol(value: object) -> Symbol | None:
    return value.symbol if isinstance(value, Term) and value.op is Op.VAR else None


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


# ---------------------------------------------------------------- one object


def _of_object(
    iteration: _Iteration, stores: tuple[Stored, ...], count: Term, shape: LoopShape
) -> tuple[ArrayPattern, ...]:
    made = [_fill(iteration, s, count, shape) for s in stores]
    return tuple(
        fill
        for s, fill in zip(stores, made, strict=True)
        if fill is not None and all(o is s or _beside(fill, s, o) for o in stores)
    )


def _beside(fill: ArrayPattern, stored: Stored, other: Stored) -> bool:
    """Whether another store, in whatever iteration, touches no element of a fill."""
    width = abs(fill.stride)
    if other.size is None:
        return False
    lane = divisible(other.offset, stored.offset, width)
    return lane is not None and lane >= fill.size and lane + other.size <= width


def _fill(iteration: _Iteration, stored: Stored, count: Term, shape: LoopShape) -> ArrayPattern | None:
    type_, value = stored.type, stored.value
    stride = constant_difference(iteration.next(stored.offset), stored.offset)
    start = iteration.at_first(without_overflow(stored.offset))
    if not isinstance(type_, IntType) or not isinstance(value, Term) or stored.size is None:
        return None
    if stride is None or abs(stride) < stored.size or start is None or not iteration.follows(stored.offset):
        return None
    fill = ArrayPattern(
        start, stride, count, type_, stored.size, Between(type_.range[0], None), shape.span,
        iteration.binder.high, _may_overflow(as_int(value)),
    )  # fmt: skip
    pattern = _affine(iteration, as_int(value)) or _ascending(iteration, as_int(value), count)
    if pattern is not None:
        return replace(fill, pattern=pattern)
    if iteration.cuts:
        between = None if fill.assumes_no_overflow else _between(iteration, as_int(value), type_)
        return None if between is None else replace(fill, pattern=between)
    gap = _over_last(iteration, stored, as_int(value), stride, count)
    if gap is not None:  # the element before the first counts, too
        start = add(start, const(-stride))
        most = min(fill.most + 1, _MOST_ELEMENTS)
        return replace(fill, pattern=Ascending(gap), start=start, count=add(count, const(1)), most=most)
    between = _between(iteration, as_int(value), type_)
    return None if between is None else replace(fill, pattern=between)


def _may_overflow(term: Term) -> bool:
    return any(map(overflows, bottom_up((term,))))


def _affine(iteration: _Iteration, value: Term) -> Affine | None:
    wrap = None
    if value.op is Op.WRAP:
        wrap, value = None if overflows(value) and not iteration.cuts else value.wrap_to[:2], value.args[0]
    if iteration.cuts and _may_overflow(value):
        return None
    step = as_term(difference(iteration.next(value), value))
    first = iteration.at_first(value)
    if first is None or not iteration.steady(step) or not iteration.follows(value):
        return None
    return Affine(without_overflow(first), step, wrap)


def _ascending(iteration: _Iteration, value: Term, count: Term) -> Ascending | None:
    """The pattern of a running sum to which nothing negative is added."""
    if iteration.cuts:
        return None
    gap = _least(iteration, as_term(difference(iteration.next(value), value)), count)
    if not iteration.follows(value) or gap < 0:
        return None
    symbol = _symbol(without_overflow(value))
    return Ascending(gap, var(symbol) if symbol is not None and symbol in iteration.cells else None)


def _over_last(iteration: _Iteration, stored: Stored, value: Term, stride: int, count: Term) -> int | None:
    """The least difference of the value to the element of the iteration before; None: unknown."""
    region = iteration.start.store[stored.target.key]
    name = iteration.machine.names.stable.get((stored.target.key, region.generation, stored.type))
    for monomial, coefficient in polynomial(value).items():
        match monomial:
            case (Term(op=Op.READ) as before,) if coefficient == 1 and before.array == name and len(before.args) == 1:
                place = mul(before.args[0], const(stored.size or 1))
                if constant_difference(stored.offset, place) == stride:
                    gap = _least(iteration, as_term(difference(value, before)), count)
                    return gap if gap >= 0 else None
            case _:
                pass
    return None


def _least(iteration: _Iteration, term: Term, count: Term) -> int:
    """A lower bound of a term in all iterations, by what is known of the elements that it reads, one in each."""
    known = polynomial(term)
    floors = {m: low for m in known if (low := _floor(iteration, m, count)) is not None and known[m] > 0}
    rest = as_term({m: c for m, c in known.items() if m not in floors})
    return max(term.low, rest.low + sum(known[m] * low for m, low in floors.items()))


def _floor(iteration: _Iteration, monomial: tuple[Term, ...], count: Term) -> int | None:
    """The least value of the elements `a[first + step * k]` that iterations k < count read; None: unknown."""
    if len(monomial) != 1:
        return None
    *single, element = _choices(monomial[0])
    if element.op is not Op.READ or len(element.args) != 1:
        return None
    for region, fill in _patterns_of(iteration, element.array):
        place = add(fill.start, mul(var(iteration.binder), const(fill.stride)))
        covered = fill.count is count or (fill.count.is_const and count.high <= fill.count.value)
        same = constant_difference(mul(element.args[0], const(fill.size)), place) == 0
        held = {cell.value for cell in region.cells.values()}
        if covered and same and iteration.binder.high <= fill.most and held.issuperset(single):
            return fill.pattern.low if isinstance(fill.pattern, Between) else None
    return None


def _choices(term: Term) -> tuple[Term, ...]:
    """The terms that a term is one of: single elements, and last the one where no condition holds."""
    return (term.args[1], *_choices(term.args[2])) if term.op is Op.ITE else (term,)


def _patterns_of(iteration: _Iteration, array: str) -> Iterator[tuple[Region, ArrayPattern]]:
    """The patterns of a whole array that hold at the start of the iteration, whatever overflows."""
    for key, region in iteration.start.store.items():
        for fill in region.patterns:
            named = iteration.machine.names.stable.get((key, region.generation, fill.type)) == array
            if named and _holds(iteration.start, fill) and not (fill.ranges or fill.holes or fill.assumes_no_overflow):
                yield region, fill


def _between(iteration: _Iteration, value: Term, type_: IntType) -> Between | None:
    """Bounds of a remainder, or of a term with narrower bounds than its type."""
    plain = without_overflow(value)
    if plain.op is Op.MOD and plain.args[0].low >= 0 and iteration.steady(plain.args[1]):
        return Between(0, plain.args[1])
    if plain.low < 0 or (plain.low, plain.high) == type_.range:
        return None
    return Between(plain.low, const(plain.high + 1))
