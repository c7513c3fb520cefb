"""Elements that the iterations of a loop fill with a pattern: what one store to an object leaves of all of them.

The store of the next iteration is the same as that of one iteration, with the symbols for values without a closed form
replaced by their values at its end.  The difference of the two gives the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.types import IntType, PointerType
from hgrd.symbolic.addresses import address_of
from hgrd.symbolic.array_patterns import Affine, Apart, ArrayPattern, Ascending, Between, Distinct, Run, Stored
from hgrd.symbolic.loops.iteration import LoopShape
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.polynomials import (
    as_term,
    constant_difference,
    difference,
    divided,
    divisible,
    overflows,
    polynomial,
    without_overflow,
)
from hgrd.symbolic.state import EMPTY, Region, State
from hgrd.symbolic.values import MemoryObject, Pointer, Value, pointed_to
from hgrd.terms import TRUE, Op, Symbol, Term, add, as_int, const, mul, negate, sub, substitute, symbols_of, var
from hgrd.terms.linear import Drifting, Steady, progress
from hgrd.terms.rewrite import arrays_of, bottom_up, rebuild

_MOST_ELEMENTS: Final = (1 << 31) - 1
_MOST_STORES: Final = 16  # in one iteration, to one object


class Step(Struct, frozen=True):
    """The step between iterations: by symbol, its value in the next and the first one, and its cell after the last."""

    binder: Symbol
    mark: int
    machine: Machine
    before: State  # the loop
    start: State
    end: State
    then: Mapping[Symbol, Term]
    first: Mapping[Symbol, Term]
    cells: Mapping[Symbol, tuple[str, int]]
    cuts: bool  # conversions to signed types may cut numbers

    def next(self, term: Term) -> Term:
        """The term in the next iteration."""
        return substitute((term,), self.then)[0]

    def following(self, term: Term) -> Term | None:
        """The term in the next iteration, with its own unknown values; None where it reads memory that changes."""
        unknown = self._new(term) - {s.name for s in self.then}
        others = {s: var(s.renamed("'")) for s in symbols_of(term) if s.name in unknown}
        known = unknown == {s.name for s in others}
        return substitute((term,), {**self.then, **others})[0] if known else None

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

    def makes(self, target: MemoryObject) -> bool:
        """Whether each iteration makes an object of its own under this name."""
        return self.machine.names.index.get(target.key, -1) >= self.mark

    def reads(self, term: Term, stored: Stored) -> bool:
        """Whether a term is what the object of a store has held at some place when the iteration began."""
        region = self.start.store[stored.target.key]
        return term.array == self.machine.names.stable.get((stored.target.key, region.generation, stored.type))

    def _new(self, term: Term) -> set[str]:
        """Names that the iteration itself introduced: unknown values, and reads of objects that the loop changes."""
        index = self.machine.names.index
        used = {*(s.name for s in symbols_of(term)), *arrays_of(term)}
        return {name for name in used if index.get(name, -1) >= self.mark}


def symbol_in(value: object) -> Symbol | None:
    """The symbol that a value consists of; None: it is another value."""
    return value.symbol if isinstance(value, Term) and value.op is Op.VAR else None


def holds(state: State, fill: ArrayPattern) -> bool:
    """Whether the owner of the elements, if there is one, has not changed since."""
    return fill.owner is None or any(fill.owner is region for region in state.store.values())


# ---------------------------------------------------------------- one object


def pattern_of(run: Run, start: Term, shape: LoopShape) -> ArrayPattern | None:
    """The pattern of a run that begins at an offset; None where it does not consist of whole elements."""
    count = divided(sub(run.end, start), run.size)
    if count is None:
        return None
    ascending = Ascending(run.gap)
    return ArrayPattern(
        start, run.size, count, run.type, run.size, ascending, shape.span, assumes_no_overflow=run.assumes_no_overflow
    )


def elements_filled(
    iteration: Step, stores: tuple[Stored, ...], count: Term, shape: LoopShape
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


def _fill(iteration: Step, stored: Stored, count: Term, shape: LoopShape) -> ArrayPattern | None:
    type_, value = stored.type, _as_number(iteration, stored.value)
    stride = constant_difference(iteration.next(stored.offset), stored.offset)
    start = iteration.at_first(without_overflow(stored.offset))
    if not isinstance(type_, IntType | PointerType) or stored.size is None or stored.when is not TRUE:
        return None
    if stride is None or abs(stride) < stored.size or start is None or not iteration.follows(stored.offset):
        return None
    fill = ArrayPattern(
        start, stride, count, type_, stored.size, Distinct(), shape.span,
        iteration.binder.high, value is not None and _may_overflow(as_int(value)),
    )  # fmt: skip
    if (apart := _apart(iteration, stored.value)) is not None:
        return replace(fill, pattern=apart, assumes_no_overflow=_may_overflow(apart.by))
    if value is None:
        return None
    pattern = _affine(iteration, as_int(value)) or _ascending(iteration, as_int(value), count)
    if pattern is not None:
        return _with_one_before(iteration, stored, replace(fill, pattern=pattern), as_int(value))
    if isinstance(type_, PointerType):
        return None
    if iteration.cuts:
        between = None if fill.assumes_no_overflow else _between(iteration, as_int(value), type_)
        return None if between is None else replace(fill, pattern=between)
    gap = _over_last(iteration, stored, as_int(value), stride, count)
    if gap is not None:  # the element before the first counts, too
        return replace(_longer(fill), pattern=Ascending(gap))
    between = _between(iteration, as_int(value), type_)
    return None if between is None else replace(fill, pattern=between)


def _as_number(iteration: Step, value: Value) -> Term | None:
    """A value as a number, a pointer to what was there before as an address; None: it is neither, or not known."""
    if isinstance(value, Term):
        return value
    return None if any(iteration.makes(target) for target in pointed_to(value)) else address_of(value)


def _apart(iteration: Step, value: Value) -> Apart | None:
    """The distance of what the iterations store: addresses of objects that each of them makes."""
    match value:
        case Pointer(target=MemoryObject(size=Term() as size, external=False) as made, offset=offset):
            kept = iteration.steady(size) and iteration.steady(offset)
            return Apart(without_overflow(size)) if iteration.makes(made) and kept else None
        case _:
            return None


def _longer(fill: ArrayPattern) -> ArrayPattern:
    """The elements of a pattern, and the one before the first."""
    start, most = add(fill.start, const(-fill.stride)), min(fill.most + 1, _MOST_ELEMENTS)
    return replace(fill, start=start, count=add(fill.count, const(1)), most=most)


def _with_one_before(iteration: Step, stored: Stored, fill: ArrayPattern, value: Term) -> ArrayPattern:
    """The pattern, also of the element before the first where that is known to fit: `a[0] = 0` before the sums."""
    place = add(fill.start, const(-fill.stride))
    held = iteration.before.store.get(stored.target.key, EMPTY).cells
    cell = held.get(place.value) if place.is_const else None
    if cell is None or cell.size != fill.size or not isinstance(cell.value, Term) or cell.value.is_bool:
        return fill
    before = cell.value
    if before.low < fill.range[0] or before.high > fill.range[1]:
        return fill
    match fill.pattern:
        case Affine(first=first, step=step) if constant_difference(sub(first, step), before) == 0:
            return replace(_longer(fill), pattern=replace(fill.pattern, first=sub(first, step)))
        case Ascending(gap=gap):
            least = as_term(difference(substitute((value,), iteration.first)[0], before)).low
            return fill if least < 0 else replace(_longer(fill), pattern=replace(fill.pattern, gap=min(gap, least)))
        case _:
            return fill


def _may_overflow(term: Term) -> bool:
    return any(map(overflows, bottom_up((term,))))


def _affine(iteration: Step, value: Term) -> Affine | None:
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


def _ascending(iteration: Step, value: Term, count: Term) -> Ascending | None:
    """The pattern of a running sum to which nothing negative is added."""
    if iteration.cuts:
        return None
    following = iteration.following(value)
    gap = -1 if following is None else _least(iteration, as_term(difference(following, value)), count)
    gap = max(gap, _growth(iteration, value))
    if gap < 0:
        return None
    symbol = symbol_in(without_overflow(value))
    return Ascending(gap, var(symbol) if symbol is not None and symbol in iteration.cells else None)


def _growth(iteration: Step, value: Term) -> int:
    """The least growth of a value that is what the iteration leaves in a carried cell, through choices; -1: unknown."""
    for symbol, last in iteration.then.items():
        if symbol in iteration.cells and constant_difference(value, last) is not None:
            match progress(last, symbol):
                case Steady(delta=delta):
                    return delta.low
                case Drifting(low=low):
                    return low
                case _:
                    pass
    return -1


def _over_last(iteration: Step, stored: Stored, value: Term, stride: int, count: Term) -> int | None:
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


def _least(iteration: Step, term: Term, count: Term) -> int:
    """A lower bound of a term in all iterations, by what is known of the elements that it reads, one in each."""
    known = polynomial(term)
    floors = {m: low for m in known if (low := _floor(iteration, m, count)) is not None and known[m] > 0}
    rest = as_term({m: c for m, c in known.items() if m not in floors})
    return max(term.low, rest.low + sum(known[m] * low for m, low in floors.items()))


def _floor(iteration: Step, monomial: tuple[Term, ...], count: Term) -> int | None:
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


def _patterns_of(iteration: Step, array: str) -> Iterator[tuple[Region, ArrayPattern]]:
    """The patterns of a whole array that hold at the start of the iteration, whatever overflows."""
    for key, region in iteration.start.store.items():
        for fill in region.patterns:
            named = iteration.machine.names.stable.get((key, region.generation, fill.type)) == array
            if named and holds(iteration.start, fill) and not (fill.ranges or fill.holes or fill.assumes_no_overflow):
                yield region, fill


def _between(iteration: Step, value: Term, type_: IntType) -> Between | None:
    """Bounds of a remainder, or of a term with narrower bounds than its type."""
    plain = without_overflow(value)
    if plain.op is Op.MOD and plain.args[0].low >= 0 and iteration.steady(plain.args[1]):
        return Between(0, plain.args[1])
    if plain.low < 0 or (plain.low, plain.high) == type_.range:
        return None
    return Between(plain.low, const(plain.high + 1))


# ---------------------------------------------------------------- elements one after the other


def run_of(iteration: Step, stored: Stored, count: Term) -> Run | None:
    """The run that all iterations make of the one that each of them appends, with its `end` in the last iteration.

    An iteration appends where the last one has ended, or nothing; all that it appends is above what there is.
    """
    part = _own_run(iteration, stored)
    if part is None or part.low is None or part.high is None or iteration.at_first(stored.offset) is None:
        return None
    if not iteration.follows(stored.offset) or not _joins(iteration.next(stored.offset), stored, part.end):
        return None
    low, high = iteration.following(part.low), iteration.following(part.high)
    if low is None or high is None:
        return None
    gap, *rises = (
        _least(iteration, as_term(difference(*pair)), count)
        for pair in ((low, part.high), (low, part.low), (high, part.high))
    )
    times = None if stored.when is not TRUE else part.times
    as_often = times is not None and all(map(iteration.steady, times))  # all iterations append something, or none
    if gap < 0 or (min(rises) < 0 and not as_often):
        return None
    (last,) = substitute((part.high,), {iteration.binder: sub(count, const(1))})
    return replace(
        part,
        end=stored.offset,
        gap=min(gap, part.gap),
        low=iteration.at_first(part.low),
        high=last if iteration.steady(last) else None,
        times=(*times, count) if times is not None and as_often else None,
    )


def _own_run(iteration: Step, stored: Stored) -> Run | None:
    """What one iteration appends: an element, or what a loop in it has appended."""
    if stored.run is not None:
        return stored.run
    if not isinstance(stored.type, IntType) or not isinstance(stored.value, Term) or stored.size is None:
        return None
    value, end = as_int(stored.value), add(stored.offset, const(stored.size))
    overflow = _may_overflow(value)
    if iteration.cuts and overflow:
        return None
    plain = without_overflow(value)
    return Run(end, stored.type, stored.size, _MOST_ELEMENTS, plain, plain, (), overflow)


def _joins(then: Term, stored: Stored, end: Term) -> bool:
    """Whether the next iteration appends at the end of this one; where this one appends nothing, at the same place."""
    made: set[Term] = set()
    for part in () if stored.when is TRUE else stored.when.args if stored.when.op is Op.AND else (stored.when,):
        if constant_difference(_assuming(then, {*made, negate(part)}), stored.offset) != 0:
            return False
        made.add(part)
    return constant_difference(_assuming(then, made), end) == 0


def _assuming(term: Term, held: Set[Term]) -> Term:
    """The term where conditions hold: with one arm of each choice by them."""
    done: dict[Term, Term] = {}
    for t in bottom_up((term,)):
        truth = _truth(t.args[0], held) if t.op is Op.ITE else None
        if truth is not None:
            done[t] = done[t.args[1 if truth else 2]]
        else:
            done[t] = rebuild(t, tuple(done[a] for a in t.args)) if t.args else t
    return done[term]


def _truth(condition: Term, held: Set[Term]) -> bool | None:
    """Whether a condition holds; None: unknown."""
    if condition in held or negate(condition) in held:
        return condition in held
    if condition.op not in (Op.AND, Op.OR):
        return None
    parts = {_truth(part, held) for part in condition.args}
    decisive = condition.op is Op.OR
    return decisive if decisive in parts else None if None in parts else not decisive
