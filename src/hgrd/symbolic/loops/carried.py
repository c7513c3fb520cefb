"""Loop-carried cells: which cells a loop changes from one iteration to the next, and how.

A speculative iteration on placeholders finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from functools import cached_property
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.analysis.effects import Effects
from hgrd.program.span import Span
from hgrd.program.types import BoolType, IntType
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.loops.changed_objects import lists_among, moved_pointers, objects_changed, reached_objects
from hgrd.symbolic.loops.invariants import Invariant, invariants, keeps
from hgrd.symbolic.loops.pointer_permutations import permutation_of
from hgrd.symbolic.loops.pointer_recurrences import PointerChange, pointer_at_exit, pointer_change
from hgrd.symbolic.loops.recurrences import UNCHANGED, CarriedCell, LoopSummary, Trailing, origin_of, type_range
from hgrd.symbolic.loops.rotations import Rotating, cycle_of, joint_cycle_of, rotation_of
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import read_at
from hgrd.symbolic.names import hidden, unnumbered
from hgrd.symbolic.state import EMPTY, Generation, Region, State, symbols_in
from hgrd.symbolic.values import Cell, Choice, FloatValue, MemoryObject, Pointer, PointerValue, Value
from hgrd.terms import (
    Op,
    Origin,
    Symbol,
    Term,
    as_int,
    const,
    substitute,
    symbols_of,
    var,
)
from hgrd.terms.interval import of_type
from hgrd.terms.linear import Drifting, Flipping, Progress, Scaling, Steady, congruent, progress
from hgrd.terms.rewrite import arrays_of

RunIteration: TypeAlias = Callable[[State], IterationExits]

_ATTEMPTS = 3
_MOST_FOLLOWED = 2  # cells that another one follows


def classify_carried(
    machine: Machine, state: State, effects: Effects, place: Span, iterate: RunIteration
) -> LoopSummary:
    """The cells that a loop changes, and how; the loop, at `place`, is entered in `state`.

    `iterate` runs one iteration speculatively from a given state.
    """
    objects = objects_changed(machine, state, effects)
    _fill(machine, state, objects)
    lists = lists_among(machine, state, objects)
    mark = machine.names.mark()
    before = machine.changed_besides.get(place, frozenset[str]())
    expected = frozenset(key for key in state.store if unnumbered(key) in before) if before else before
    tried = _first_iteration(machine, state, [o for o in objects if o.key not in lists], expected - lists, iterate)
    while not tried.others.isdisjoint(lists):
        lists -= tried.others
        tried = _first_iteration(machine, state, [o for o in objects if o.key not in lists], expected - lists, iterate)
    machine.changed_besides[place] = before | {unnumbered(key) for key in tried.others}
    cells, start, placeholders, ends, others = tried
    changed = _changed(start, ends) | others
    living = [i for i, (target, _, _) in enumerate(cells) if target.key in changed]
    classify = _Classifier(machine, cells, placeholders, ends, mark)
    writes = effects.through_pointers or effects.launches or bool(effects.calls)
    moved = moved_pointers(ends.after, classify.both(living)) if writes else ()
    others = reached_objects(ends.after, moved) & state.store.keys()
    living = [i for i in living if cells[i][0].key not in others]
    changed |= others
    steady = frozenset(key for key in changed - others if _only_cells(key, start, ends))
    uniform, uniform_at_exit = _uniform(machine, classify, living)
    computes = not effects.launches and all(_has_body(machine, key) for key in effects.calls)
    cells_found = (
        replace(
            c,
            uniform=uniform.get(i),
            uniform_at_exit=uniform_at_exit.get(i),
            invariants=classify.kept(i, state),
            origin=machine.semantics.made_by_loop(c.target) if computes and c.origin is Origin.UNKNOWN else c.origin,
        )
        for i in living
        for c in (classify.cell(i),)
    )
    return LoopSummary(tuple(cells_found), frozenset(changed), steady, ends, moved, computes, mark)


class _Tried(NamedTuple):
    """A speculative iteration: from `start`, in which `placeholders` stand in `cells`, to `ends`.

    `others` are keys of objects that it changes besides those of the cells.
    """

    cells: list[tuple[MemoryObject, int, Cell]]
    start: State
    placeholders: list[Value]
    ends: IterationExits
    others: set[str]


def _first_iteration(
    machine: Machine, state: State, objects: list[MemoryObject], expected: frozenset[str], iterate: RunIteration
) -> _Tried:
    """A speculative iteration, with placeholders in these objects, and nothing known of the others that it changes.

    `expected`: keys of others that the loop changed when it ran before, which mostly saves a further attempt.
    """
    cells = [(o, at, c) for o in objects for at, c in sorted(state.store.get(o.key, EMPTY).cells.items())]
    others = set(expected & state.store.keys() - {o.key for o in objects})
    for _ in range(_ATTEMPTS):
        start, placeholders = _start(machine, state, objects, cells, others)
        asked = len(machine.names.asked)
        ends = iterate(start.copy())
        missed = _changed(start, ends) & state.store.keys() - {o.key for o in objects} - others
        others |= missed
        if all(_is_blank(state.store[key]) for key in missed) and not machine.names.has_asked(missed, asked):
            break
    else:
        start, placeholders = _start(machine, state, objects, cells, others)
        ends = iterate(start.copy())
    return _Tried(cells, start, placeholders, ends, others - (expected - _changed(start, ends)))


def _is_blank(region: Region) -> bool:
    """Whether nothing is known of what an object holds, so that it matters only to those who ask for its contents."""
    return not (region.cells or region.zeroed or region.undefined) and region.stores is None


def _has_body(machine: Machine, function: str) -> bool:
    known = machine.functions.get(function)
    return known is not None and known.body is not None


# ---------------------------------------------------------------- before the speculative iteration


def _fill(machine: Machine, state: State, objects: Iterable[MemoryObject]) -> None:
    """Makes a cell for integer variables of unknown value, so that their progress is seen."""
    for target in objects:
        region = state.store[target.key]
        if not region.cells and isinstance(target.element, IntType | BoolType):
            value = read_at(machine, region, target, 0, target.element)
            known = region.with_cell(0, Cell(value, machine.size(target.element) or 1))
            state.store[target.key] = replace(known, patterns=region.patterns)


def _start(
    machine: Machine,
    state: State,
    objects: Iterable[MemoryObject],
    cells: list[tuple[MemoryObject, int, Cell]],
    others: Iterable[str],
) -> tuple[State, list[Value]]:
    """The state at the start of an arbitrary iteration, and the placeholders of the cells in it."""
    start = state.copy()
    for key in (*(o.key for o in objects), *others):  # array patterns stay, so that their loss is seen
        start.store[key] = Region({}, Generation(), patterns=state.store[key].patterns)
    placeholders: list[Value] = []
    for target, at, cell in cells:
        value = _placeholder(machine, target, cell.value)
        placeholders.append(value)
        for symbol in symbols_in(value):
            machine.semantics.mark_uniform(symbol, given=frozenset({symbol.name}))
        region = start.store[target.key]
        start.store[target.key] = replace(region, cells={**region.cells, at: Cell(value, cell.size)})
    return start, placeholders


def _placeholder(machine: Machine, target: MemoryObject, value: Value) -> Value:
    """A symbol that stands for the value of a cell at the start of an iteration."""
    name = hidden(target.name)
    match value:
        case Term():
            return var(machine.names.fresh(name, *type_range(target.element, value), Origin.UNKNOWN))
        case Pointer(target=pointee):
            return Pointer(pointee, var(machine.names.fresh(name, -(1 << 40), 1 << 40, Origin.UNKNOWN)))
        case FloatValue():
            return FloatValue(var(machine.names.fresh(name, *of_type(64, True), Origin.DATA)))
        case Choice(condition=condition, then=then, otherwise=otherwise):
            one, two = (_placeholder(machine, target, v) for v in (then, otherwise))
            assert isinstance(one, PointerValue)
            assert isinstance(two, PointerValue)
            return Choice(condition, one, two)
        case _:
            return value


# ---------------------------------------------------------------- after the speculative iteration


def _changed(start: State, ends: IterationExits) -> set[str]:
    """Keys of objects that differ at some exit of the iteration, new objects included."""
    return {key for end in ends.alive() for key, region in end.store.items() if region is not start.store.get(key)}


def _only_cells(key: str, start: State, ends: IterationExits) -> bool:
    before = start.store.get(key)
    after = [end.store.get(key) for end in ends.alive()]
    return before is not None and all(
        r is not None and r.generation == before.generation and r.cells.keys() <= before.cells.keys() for r in after
    )


class _Classifier(Struct, frozen=True, dict=True):
    """Compares the placeholders of cells with what the speculative iteration leaves in them."""

    machine: Machine
    cells: list[tuple[MemoryObject, int, Cell]]
    placeholders: list[Value]
    ends: IterationExits
    mark: int

    def cell(self, index: int) -> CarriedCell:
        """How one cell changes."""
        target, at, cell = self.cells[index]
        start, after = self.placeholders[index], self.ends.after
        bits = (target.element.bits, target.element.signed) if isinstance(target.element, IntType) else None
        breaks_changed = any(b.alive and self.at_end(b, index) != start for b in self.ends.breaks)
        at_break = self._left(index) if breaks_changed else None
        change, origin = UNCHANGED, Origin.UNKNOWN
        if after is not None:  # else there is no second iteration
            last = self.at_end(after, index)
            change = UNCHANGED if keeps(last, start, cell.value) else self._change(index, last)
            origin = origin_of(cell.value, last, lambda s: self.machine.names.older(s, self.mark))
        return CarriedCell(target, at, cell.size, cell.value, change, origin, bits, breaks_changed, at_break)

    def both(self, living: Iterable[int]) -> list[tuple[Value, Value | None]]:
        """Pairs of values of cells: at the start of an iteration, and at its end (None: unknown there)."""
        after = self.ends.after
        return [] if after is None else [(self.placeholders[i], self.at_end(after, i)) for i in living]

    def at_end(self, end: State, index: int) -> Value | None:
        target, at, _ = self.cells[index]
        cell = end.store.get(target.key, EMPTY).cells.get(at)
        return None if cell is None else cell.value

    def kept(self, index: int, before: State) -> tuple[Invariant, ...]:
        """Invariants of an integer cell; `before`: the state in which the loop is entered."""
        start, first, after = self.placeholders[index], self.cells[index][2].value, self.ends.after
        last = None if after is None else self.at_end(after, index)
        if after is None or not (isinstance(start, Term) and isinstance(first, Term) and isinstance(last, Term)):
            return ()
        ends = (as_int(first), before.path), (as_int(last), after.path)
        return invariants(*ends, start.symbol, lambda s: self._older(var(s)))

    def _change(self, index: int, last: Value | None) -> Progress | PointerChange | Rotating | Trailing:
        match self.placeholders[index], last:
            case Term() as start, Term():
                handed = self._rotation(index)
                if handed is not None:
                    return handed
                if start.args != ():
                    return None
                cycle = cycle_of(self.cells[index][2].value, as_int(last), start.symbol)
                known = cycle or self._joint_cycle(index) or self._progress(index, as_int(last), start.symbol)
                return known or self._trailing(index, last)
            case Pointer(target=s, offset=start), Pointer(target=t, offset=offset) if s == t:
                swapped = last in self.placeholders and permutation_of(index, *self._pointers(), self.mark)
                return swapped or self._same_for_all(progress(offset, start.symbol))
            case (Term() | FloatValue(), _):
                return None
            case _ if isinstance(self.cells[index][2].value, PointerValue):
                return pointer_change(index, *self._pointers(), self.mark)
            case _:
                return None

    def _pointers(self) -> tuple[list[Value], list[Value], list[Value | None]]:
        """The cells before the loop, their placeholders, and what the iteration leaves in them."""
        return self._firsts, self.placeholders, self._lasts

    @cached_property
    def _firsts(self) -> list[Value]:
        return [cell.value for _, _, cell in self.cells]

    @cached_property
    def _lasts(self) -> list[Value | None]:
        after = self.ends.after
        return [None if after is None else self.at_end(after, i) for i in range(len(self.cells))]

    def _rotation(self, index: int) -> Rotating | None:
        after = self.ends.after
        if after is None:
            return None
        return rotation_of(index, self._firsts, self.placeholders, self._lasts)

    def _joint_cycle(self, index: int) -> Rotating | None:
        after = self.ends.after
        if after is None:
            return None
        return joint_cycle_of(index, self._firsts, self.placeholders, self._lasts)

    def _trailing(self, index: int, last: Term) -> Trailing | None:
        """The change of an integer that keeps what an iteration makes of cells with closed forms."""
        kept = self.cells[index][0].element
        starts = {s: i for i, p in enumerate(self.placeholders) if isinstance(p, Term) for s in symbols_of(p)}
        used = {i: s for s, i in starts.items() if s in symbols_of(last)}
        if index in used or not isinstance(kept, IntType) or len(used) > _MOST_FOLLOWED or arrays_of(last):
            return None
        if not self._older(substitute((last,), {s: const(0) for s in used.values()})[0]):
            return None
        followed = {s: self.cell(i) for i, s in used.items()}
        if any(c.bits is None or not isinstance(c.progress, Steady | Scaling) for c in followed.values()):
            return None
        return Trailing(last, tuple(followed.items()))

    def _left(self, index: int) -> PointerChange | None:
        """What a pointer may be after a break; None: it is still in its first object."""
        if not isinstance(self.cells[index][2].value, PointerValue):
            return None
        firsts = [cell.value for _, _, cell in self.cells]
        after = self.ends.after
        again = self._all_at(after) if after is not None and after.alive else None
        breaks = [self._all_at(state) for state in self.ends.breaks if state.alive]
        return pointer_at_exit(index, firsts, self.placeholders, again, breaks, self.mark)

    def _all_at(self, end: State) -> list[Value | None]:
        return [self.at_end(end, i) for i in range(len(self.cells))]

    def _progress(self, index: int, last: Term, start: Symbol) -> Progress:
        change = self._same_for_all(progress(last, start))
        type_ = self.cells[index][0].element
        if isinstance(change, Steady | Scaling) or not isinstance(type_, IntType) or last.op is not Op.WRAP:
            return change
        if last.wrap_to[:2] != (type_.bits, type_.signed):
            return change
        # `short i; i += step` computes as int and is cut: what counts is the step modulo 2**16
        modular = self._same_for_all(progress(congruent(last, type_.bits), start))
        return modular if isinstance(modular, Steady) else change

    def _same_for_all(self, change: Progress) -> Progress:
        """Drops a change whose amount differs between iterations: symbols of the speculative iteration occur in it."""
        match change:
            case Steady(delta=delta) if not self._older(delta):
                return Drifting(delta.low, delta.high)
            case Flipping(total=total) if not self._older(total):
                return None
            case _:
                return change

    def _older(self, amount: Term) -> bool:
        names = self.machine.names
        return all(s.name not in names.index or names.older(s, self.mark) for s in symbols_of(amount))


def _uniform(
    machine: Machine, found: _Classifier, living: Iterable[int]
) -> tuple[dict[int, frozenset[str]], dict[int, frozenset[str]]]:
    """The cells that are uniform at the start of an iteration, and those that are also uniform where one breaks out.

    By induction: uniform before the loop, and after an iteration if the cells that the iteration reads are.  With the
    names of what must be uniform in the loops around for that, of which the induction speaks as well.
    """
    given = machine.semantics.uniform_given
    names = {s.name: i for i, p in enumerate(found.placeholders) for s in symbols_in(p)}

    def kept(index: int, end: State | None, same: Set[int]) -> frozenset[str] | None:
        if end is None:
            return frozenset()
        value = found.at_end(end, index)
        needed = None if value is None else given(value)
        return None if needed is None or any(names[n] not in same for n in needed & names.keys()) else needed

    same = {i: g for i in living if (g := given(found.cells[i][2].value)) is not None}
    while spoiled := [i for i in same if kept(i, found.ends.after, same.keys()) is None]:
        for i in spoiled:
            del same[i]
    breaks = [b for b in found.ends.breaks if b.alive]
    left = [i for i in same if all(kept(i, b, same.keys()) is not None for b in breaks)]
    ends = [e for e in (found.ends.after, *breaks) if e is not None]
    used = frozenset(n for i in same for e in ends for n in kept(i, e, same.keys()) or ())
    around = frozenset[str]().union(*same.values(), used - names.keys())
    return dict.fromkeys(same, around), dict.fromkeys(left, around)
