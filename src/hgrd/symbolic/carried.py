"""What a loop carries from one iteration to the next: which cells it changes, and how.

A trial iteration on placeholders finds out.  Cells that change by the same amount (or the same shift)
every iteration are written with the iteration number; others are unknown at the start of an iteration,
of origin COMPUTED if memory contents went into them (DATA if they are read from memory as they stand).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from hgrd.program.types import BoolType, IntType, Type
from hgrd.symbolic.effects import Effects
from hgrd.symbolic.ends import Ends
from hgrd.symbolic.invariants import Invariant, invariants, keeps
from hgrd.symbolic.leading import led, reached
from hgrd.symbolic.linear import Drifting, Flipping, Progress, Scaling, Steady, congruent, progress
from hgrd.symbolic.naming import hidden
from hgrd.symbolic.places import SHARED_SPACES, read_at
from hgrd.symbolic.pointers import Moves, OneOf, Swapped, pointer_change
from hgrd.symbolic.state import EMPTY, ConditionKind, Generation, Region, State, symbols_in
from hgrd.symbolic.values import OPAQUE, Cell, Choice, FloatValue, MemoryObject, Pointer, PointerValue, Value
from hgrd.terms import (
    Op,
    Origin,
    Symbol,
    Term,
    add,
    as_int,
    const,
    disj,
    eq,
    ite,
    le,
    lt,
    mod,
    mul,
    negate,
    shl,
    shr,
    sub,
    symbols_of,
    var,
    wrap,
)
from hgrd.terms.interval import of_type
from hgrd.terms.rewrite import arrays_of

if TYPE_CHECKING:
    from hgrd.symbolic.machine import Machine


Trial: TypeAlias = Callable[[State], Ends]

_TRIALS = 3
_FROM_MEMORY = frozenset({Origin.DATA, Origin.COMPUTED})
_UNCHANGED = Steady(const(0))


@dataclass(frozen=True, slots=True)
class Carried:
    """A cell that lives from one iteration to the next: its first value and its way of changing.

    `broken`: an iteration that breaks out has changed it before.  `agreed`: all who run the loop have the
    same value at the start of the same iteration; `agreed_behind`: also at the end of it.  `invariants` hold of it at
    the start of every iteration, and behind the loop.
    """

    target: MemoryObject
    offset: int
    size: int
    first: Value
    progress: Progress | Moves
    origin: Origin
    bits: tuple[int, bool] | None  # integer type
    broken: bool
    agreed: bool = False
    agreed_behind: bool = False
    invariants: tuple[Invariant, ...] = ()

    @property
    def changes(self) -> bool:
        return self.progress != _UNCHANGED


@dataclass(frozen=True, slots=True)
class Plan:
    """`cells` of the objects that an iteration changes; what else these objects hold is lost.

    But not in those of `steady`: there nothing changes outside of the cells.  `led` are pointers that an iteration
    sets to another object than the first one finds in them: the next one may write there.
    """

    cells: tuple[Carried, ...]
    changed: frozenset[str]
    steady: frozenset[str]
    ends: Ends
    led: tuple[Value, ...] = ()


def plan(machine: Machine, state: State, effects: Effects, trial: Trial) -> Plan:
    """What one iteration from `state` changes of what was there before."""
    objects = _objects(machine, state, effects)
    _fill(machine, state, objects)
    cells = [(o, at, c) for o in objects for at, c in sorted(state.store.get(o.key, EMPTY).cells.items())]
    others: set[str] = set()
    mark = machine.names.mark()
    start, placeholders = _start(machine, state, objects, cells, others)
    ends = trial(start.copy())
    for _ in range(_TRIALS):
        missed = _changed(start, ends) & state.store.keys() - {o.key for o in objects} - others
        if not missed:
            break
        others |= missed
        start, placeholders = _start(machine, state, objects, cells, others)
        ends = trial(start.copy())
    changed = _changed(start, ends) | others
    living = [i for i, (target, _, _) in enumerate(cells) if target.key in changed]
    classify = _Classifier(machine, cells, placeholders, ends, mark)
    writes = effects.through_pointers or effects.launches or bool(effects.calls)
    moved = led(ends.after, classify.both(living)) if writes else ()
    others = reached(ends.after, moved) & state.store.keys()
    living = [i for i in living if cells[i][0].key not in others]
    changed |= others
    steady = frozenset(key for key in changed - others if _only_cells(key, start, ends))
    agreed = _agreed(machine, classify, living)
    carried = (
        replace(
            classify.cell(i), agreed=i in agreed[0], agreed_behind=i in agreed[1], invariants=classify.kept(i, state)
        )
        for i in living
    )
    return Plan(tuple(carried), frozenset(changed), steady, ends, moved)


def enter(
    machine: Machine,
    state: State,
    found: Plan,
    count: Term,
    *,
    silent: bool = False,
    behind: bool = False,
    together: bool = True,
) -> None:
    """Sets everything that the loop changes to what it is at the start of iteration `count`.

    `silent`: only to look at it.  `behind`: the loop is over, perhaps by a break in that iteration.
    `together`: all who run the loop are in, or have ended with, the same iteration.
    """
    if found.led:
        machine.semantics.led(state, found.led)
    for key in found.changed:
        old = state.store.get(key, EMPTY)
        state.store[key] = Region({}, old.generation, old.zeroed) if key in found.steady else Region({}, Generation())
    for c in found.cells:
        value = _at(machine, state, c, count, silent=silent, lost=behind and c.broken)
        if together and (c.agreed_behind if behind else c.agreed):
            for symbol in symbols_in(value):
                machine.semantics.agree(symbol, count)
        region = state.store[c.target.key]
        cells = {**region.cells, c.offset: Cell(value, c.size)}
        state.store[c.target.key] = Region(cells, region.generation, region.zeroed)


# ---------------------------------------------------------------- before the trial


def _objects(machine: Machine, state: State, effects: Effects) -> list[MemoryObject]:
    """Objects of this thread that the loop may change and that exist before it."""
    found: dict[str, MemoryObject] = {}
    for variable in sorted(effects.assigned | effects.exposed | effects.arrays, key=lambda v: v.key):
        target = machine.object_of(variable)
        if target.key in state.store and target.space not in SHARED_SPACES:
            found[target.key] = target
    if effects.through_pointers:
        for target in _pointed_to(state):
            if target.key in state.store and target.space not in SHARED_SPACES:
                found[target.key] = target
    return list(found.values())


def _pointed_to(state: State) -> list[MemoryObject]:
    from hgrd.symbolic.calls import reachable

    values = tuple(c.value for r in state.store.values() for c in r.cells.values())
    return reachable(state, tuple(v for v in values if not isinstance(v, Term | FloatValue)))


def _fill(machine: Machine, state: State, objects: Iterable[MemoryObject]) -> None:
    """Gives integer variables of unknown value a cell, so that their progress is seen."""
    for target in objects:
        region = state.store[target.key]
        if not region.cells and isinstance(target.element, IntType | BoolType):
            value = read_at(machine, region, target, 0, target.element)
            known = region.with_cell(0, Cell(value, machine.size(target.element) or 1))
            state.store[target.key] = replace(known, fills=region.fills)


def _start(
    machine: Machine,
    state: State,
    objects: Iterable[MemoryObject],
    cells: list[tuple[MemoryObject, int, Cell]],
    others: Iterable[str],
) -> tuple[State, list[Value]]:
    """The state at the start of any iteration, with the placeholders of the cells in it."""
    start = state.copy()
    for key in (*(o.key for o in objects), *others):  # fills stay, so that it is seen who loses them
        start.store[key] = Region({}, Generation(), fills=state.store[key].fills)
    placeholders: list[Value] = []
    for target, at, cell in cells:
        value = _placeholder(machine, target, cell.value)
        placeholders.append(value)
        region = start.store[target.key]
        start.store[target.key] = replace(region, cells={**region.cells, at: Cell(value, cell.size)})
    return start, placeholders


def _placeholder(machine: Machine, target: MemoryObject, value: Value) -> Value:
    """A symbol in place of the value at the start of an iteration."""
    name = hidden(target.name)
    match value:
        case Term():
            return var(machine.names.fresh(name, *_type_range(target.element, value), Origin.UNKNOWN))
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


def _type_range(type_: Type | None, value: Term) -> tuple[int, int]:
    match type_:
        case IntType(bits=bits, signed=signed):
            return of_type(bits, signed)
        case BoolType():
            return 0, 1
        case _:
            return min(value.low, -(1 << 63)), max(value.high, (1 << 63) - 1)


# ---------------------------------------------------------------- after the trial


def _changed(start: State, ends: Ends) -> set[str]:
    """Keys of objects that differ at some end of the iteration (also those that it has made)."""
    return {key for end in ends.alive() for key, region in end.store.items() if region is not start.store.get(key)}


def _only_cells(key: str, start: State, ends: Ends) -> bool:
    before = start.store.get(key)
    after = [end.store.get(key) for end in ends.alive()]
    return before is not None and all(
        r is not None and r.generation == before.generation and r.cells.keys() <= before.cells.keys() for r in after
    )


@dataclass(frozen=True, slots=True)
class _Classifier:
    machine: Machine
    cells: list[tuple[MemoryObject, int, Cell]]
    placeholders: list[Value]
    ends: Ends
    mark: int

    def cell(self, index: int) -> Carried:
        target, at, cell = self.cells[index]
        start = self.placeholders[index]
        bits = (target.element.bits, target.element.signed) if isinstance(target.element, IntType) else None
        after = self.ends.after
        broken = any(b.alive and self.at_end(b, index) != start for b in self.ends.breaks)
        if after is None:  # there is no second iteration
            return Carried(target, at, cell.size, cell.value, _UNCHANGED, Origin.UNKNOWN, bits, broken)
        last = self.at_end(after, index)
        change = _UNCHANGED if keeps(last, start, cell.value) else self._change(index, last)
        return Carried(target, at, cell.size, cell.value, change, self._origin(cell.value, last), bits, broken)

    def both(self, living: Iterable[int]) -> list[tuple[Value, Value | None]]:
        """What cells hold at the start of an iteration, and at its end."""
        after = self.ends.after
        return [] if after is None else [(self.placeholders[i], self.at_end(after, i)) for i in living]

    def at_end(self, end: State, index: int) -> Value | None:
        target, at, _ = self.cells[index]
        cell = end.store.get(target.key, EMPTY).cells.get(at)
        return None if cell is None else cell.value

    def kept(self, index: int, before: State) -> tuple[Invariant, ...]:
        """What all iterations leave true of an integer; `before`: the state in which the loop is entered."""
        start, first, after = self.placeholders[index], self.cells[index][2].value, self.ends.after
        last = None if after is None else self.at_end(after, index)
        if after is None or not (isinstance(start, Term) and isinstance(first, Term) and isinstance(last, Term)):
            return ()
        ends = (as_int(first), before.path), (as_int(last), after.path)
        return invariants(*ends, start.symbol, lambda s: self._older(var(s)))

    def _origin(self, first: Value, last: Value | None) -> Origin:
        if isinstance(first, FloatValue) or last is None:
            return Origin.DATA if isinstance(first, FloatValue) else Origin.UNKNOWN
        touched = symbols_in(last) | symbols_in(first)
        reads = isinstance(last, Term) and bool(arrays_of(last))
        if not reads and all(s.origin not in _FROM_MEMORY for s in touched):
            return Origin.UNKNOWN
        return Origin.DATA if _plain(last) else Origin.COMPUTED

    def _change(self, index: int, last: Value | None) -> Progress | Moves:
        match self.placeholders[index], last:
            case Term() as start, Term():
                return self._progress(index, as_int(last), start.symbol) if start.args == () else None
            case Pointer(target=s, offset=start), Pointer(target=t, offset=offset) if s == t:
                return self._same_for_all(progress(offset, start.symbol))
            case (Term() | FloatValue(), _):
                return None
            case _:
                after = self.ends.after
                lasts = [None if after is None else self.at_end(after, i) for i in range(len(self.cells))]
                firsts = [cell.value for _, _, cell in self.cells]
                return pointer_change(index, firsts, self.placeholders, lasts)

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
        """An amount with symbols of the trial in it is another one in another iteration."""
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


def _plain(value: Value) -> bool:
    """Whether it is read from memory as it stands."""
    term = value.offset if isinstance(value, Pointer) else value
    if not isinstance(term, Term):
        return False
    return term.op is Op.READ or (term.op is Op.VAR and term.symbol.origin is Origin.DATA)


def _agreed(machine: Machine, found: _Classifier, living: Iterable[int]) -> tuple[frozenset[int], frozenset[int]]:
    """The cells whose value is the same for all at the start of an iteration, and also where one breaks out.

    That is: at first, and after an iteration, if those that the iteration looks at are.
    """
    names = {s.name: i for i, p in enumerate(found.placeholders) for s in symbols_in(p)}

    def kept(index: int, end: State | None) -> bool:
        value = None if end is None else found.at_end(end, index)
        if value is None:
            return end is None
        own = {names[s.name] for s in symbols_in(value) if s.name in names}
        return own <= same and machine.semantics.agrees(value, frozenset(names))

    same = {i for i in living if machine.semantics.agrees(found.cells[i][2].value, frozenset())}
    while spoiled := {i for i in same if not kept(i, found.ends.after)}:
        same -= spoiled
    breaks = [b for b in found.ends.breaks if b.alive]
    return frozenset(same), frozenset(i for i in same if all(kept(i, b) for b in breaks))


# ---------------------------------------------------------------- values by iteration


def _at(machine: Machine, state: State, c: Carried, count: Term, *, silent: bool, lost: bool) -> Value:
    match c.first, c.progress:
        case first, _ if lost:
            return _unknown_at(machine, state, c, first, None, silent=silent)
        case first, _ if count.high <= 0 or not c.changes:  # of a single iteration all is as before the loop
            return first
        case Term() as first, Steady(delta=delta):
            return _typed(add(as_int(first), mul(delta, count)), c.bits)
        case Term() as first, Scaling(bits, truncates) if not truncates or _not_negative(state, as_int(first)):
            power = mul(count, const(abs(bits)))
            return _typed((shl if bits > 0 else shr)(as_int(first), power), c.bits)
        case Term() as first, Flipping(total=total):
            even = eq(mod(count, const(2)), const(0))
            return _typed(ite(even, as_int(first), sub(total, as_int(first))), c.bits)
        case Pointer(target=target, offset=offset), Steady(delta=delta):
            return Pointer(target, add(offset, mul(delta, count)))
        case ((Term() | FloatValue()), _):
            value = _unknown_at(machine, state, c, c.first, c.progress, silent=silent)
            if not silent and isinstance(value, Term) and isinstance(c.first, Term):
                first = disj(negate(eq(count, const(0))), eq(as_int(value), as_int(c.first)))
                state.assume(first, ConditionKind.FIRST, c.target.span)
            if not silent and isinstance(value, Term):
                for kept in c.invariants:
                    state.assume(kept.of(as_int(value)), ConditionKind.VALUE, kept.span)
            return value
        case first, (Swapped() | OneOf()) as moves:
            return moves.at(machine, hidden(c.target.name) if silent else c.target.name, first, count)
        case first, change:
            return _unknown_at(machine, state, c, first, change, silent=silent)


def _not_negative(state: State, term: Term) -> bool:
    """By its type or by a condition of the path: then shifting and dividing are the same."""
    return term.low >= 0 or any(c.term in (lt(const(0), term), le(const(0), term)) for c in state.path)


def _typed(term: Term, bits: tuple[int, bool] | None) -> Term:
    return term if bits is None else wrap(term, bits[0], bits[1], soft=True)


def _unknown_at(
    machine: Machine, state: State, c: Carried, first: Value, change: Progress | Moves, *, silent: bool
) -> Value:
    def fresh(low: int, high: int, origin: Origin) -> Symbol:
        name = hidden(c.target.name) if silent or machine.probing else c.target.name
        return machine.names.fresh(name, low, high, origin)

    match first:
        case Term():
            value: Value = var(fresh(*_type_range(c.target.element, first), c.origin))
            term, start = value, as_int(first)
        case Pointer(target=target, offset=offset):
            term, start = var(fresh(-(1 << 40), 1 << 40, c.origin)), offset
            value = Pointer(target, term)
        case FloatValue():
            return FloatValue(var(fresh(*of_type(64, True), Origin.DATA)))
        case _:
            return OPAQUE
    if isinstance(change, Drifting) and not silent:
        if change.low >= 0:
            state.assume(le(start, term), ConditionKind.VALUE, c.target.span)
        if change.high <= 0:
            state.assume(le(term, start), ConditionKind.VALUE, c.target.span)
    return value
