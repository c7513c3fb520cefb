"""Recurrences of a loop: its state at the start of iteration k, as terms in k.

Cells that change by the same amount (or the same shift) every iteration have closed forms; others are unknown, of
origin COMPUTED if memory contents went into them (DATA if they are read from memory without further computation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.types import BoolType, IntType, Type
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.loops.invariants import Invariant
from hgrd.symbolic.loops.pointer_permutations import Permuted
from hgrd.symbolic.loops.pointer_recurrences import OneOf, PointerChange
from hgrd.symbolic.loops.rotations import Rotating
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.names import hidden
from hgrd.symbolic.state import EMPTY, ConditionKind, Generation, Region, State, symbols_in
from hgrd.symbolic.values import OPAQUE, Cell, Composite, FloatValue, MemoryObject, Pointer, Value
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
    maximum,
    mod,
    mul,
    negate,
    shl,
    shr,
    sub,
    substitute,
    var,
    wrap,
)
from hgrd.terms.interval import of_type
from hgrd.terms.linear import Drifting, Flipping, Progress, Scaling, Steady
from hgrd.terms.rewrite import arrays_of

_FROM_MEMORY: Final = frozenset({Origin.DATA, Origin.COMPUTED})
UNCHANGED: Final = Steady(const(0))
_LEFT: Final = const(-1)  # the loop is over: not the number of any iteration


class CarriedCell(Struct, frozen=True):
    """A cell that lives from one iteration to the next: its first value and its recurrence (None: unknown).

    `bits` are width and signedness of an integer variable (None for others).  `breaks_changed`: an iteration that
    breaks out changes it before the break; `at_break` is then what a pointer may be after the loop (None: it stays in
    its object).  `uniform`: all threads that run the loop have the same value at the start of the same iteration, if
    those of these names are uniform (None: they may not); `uniform_at_exit`: also after the loop.  `invariants` hold of
    it at the start of every iteration and after the loop.
    """

    target: MemoryObject
    offset: int
    size: int
    first: Value
    progress: Progress | PointerChange | Rotating | Trailing
    origin: Origin
    bits: tuple[int, bool] | None
    breaks_changed: bool
    at_break: PointerChange | None = None
    uniform: frozenset[str] | None = None
    uniform_at_exit: frozenset[str] | None = None
    invariants: tuple[Invariant, ...] = ()

    @property
    def changes(self) -> bool:
        return self.progress != UNCHANGED


class Trailing(Struct, frozen=True):
    """The change of an integer that each iteration sets to `last`, whatever it was: `previous = stride`.

    That is a term over the values of other cells, which are `followed`, at the start of the iteration.
    """

    last: Term
    followed: tuple[tuple[Symbol, CarriedCell], ...]


class LoopSummary(Struct, frozen=True):
    """A loop as its recurrences: `cells` of the objects that an iteration changes, and how the iteration `ends`.

    What else the objects `changed` (by key) hold is lost, but for those in `steady`: there nothing changes outside of
    the cells.  `moved` are pointers that an iteration sets to another object than they have at its start: the next
    iteration may write there.  `computes`: it calls no unknown function, so what it writes is no input.  `begun` marks
    the names that are older than the loop.
    """

    cells: tuple[CarriedCell, ...]
    changed: frozenset[str]
    steady: frozenset[str]
    ends: IterationExits
    moved: tuple[Value, ...] = ()
    computes: bool = False
    begun: int = 0


def apply_recurrences(
    machine: Machine,
    state: State,
    found: LoopSummary,
    count: Term,
    *,
    speculative: bool = False,
    at_exit: bool = False,
    in_step: frozenset[str] | None = frozenset(),
) -> None:
    """Sets everything that the loop changes to its value at the start of iteration `count`.

    `speculative`: nothing is assumed or recorded of it.  `at_exit`: the loop is over, perhaps by a break in that
    iteration.  `in_step`: all threads that run the loop are in, or have left it in, the same iteration, if the symbols
    of these names are uniform (None: they may not).
    """
    if found.moved:
        machine.semantics.note_pointer_targets(state, found.moved)
    for key in found.changed:
        old = state.store.get(key, EMPTY)
        steady = key in found.steady
        state.store[key] = Region({}, old.generation, old.zeroed) if steady else Region({}, Generation(found.computes))
    for c in found.cells:
        value = _at(machine, state, c, count, speculative=speculative, lost=at_exit and c.breaks_changed)
        given = c.uniform_at_exit if at_exit else c.uniform
        if in_step is not None and given is not None:
            for symbol in symbols_in(value):
                machine.semantics.mark_uniform(symbol, count, in_step | given)
        region = state.store[c.target.key]
        cells = {**region.cells, c.offset: Cell(value, c.size)}
        state.store[c.target.key] = Region(cells, region.generation, region.zeroed)


def computed_from(machine: Machine, state: State, found: LoopSummary) -> Iterator[tuple[Symbol, frozenset[Symbol]]]:
    """The numbers that are not known in `state`, after the loop, and what it has computed each of them from.

    But for those that an iteration makes of input that it gets itself.
    """
    lost = [c for c in found.cells if c.changes and c.origin is Origin.UNKNOWN and isinstance(c.first, Term)]
    used = {id(c): symbols_in(c.first) | _left_by_iteration(c, found.ends) for c in lost}

    def is_old(symbol: Symbol) -> bool:
        return machine.names.older(symbol, found.begun)

    computed = [c for c in lost if not any(s.origin is Origin.INPUT and not is_old(s) for s in used[id(c)])]
    given = frozenset(s for c in computed for s in used[id(c)] if is_old(s))
    for c in computed if given else ():
        cell = state.store.get(c.target.key, EMPTY).cells.get(c.offset)
        made = symbols_in(cell.value) if cell is not None else frozenset[Symbol]()
        yield from ((s, given) for s in made if s.origin is Origin.UNKNOWN and not is_old(s))


def _left_by_iteration(c: CarriedCell, ends: IterationExits) -> frozenset[Symbol]:
    cells = (end.store.get(c.target.key, EMPTY).cells.get(c.offset) for end in ends.alive())
    return frozenset[Symbol]().union(*(symbols_in(cell.value) for cell in cells if cell is not None))


# ---------------------------------------------------------------- values by iteration


def _at(machine: Machine, state: State, c: CarriedCell, count: Term, *, speculative: bool, lost: bool) -> Value:
    match c.first, c.progress:
        case first, _ if lost and c.at_break is not None:
            return c.at_break.at(machine, hidden(c.target.name) if speculative else c.target.name, first, _LEFT)
        case first, _ if lost:
            return _unknown_at(machine, state, c, first, None, speculative=speculative)
        case first, _ if count.high <= 0 or not c.changes:  # a single iteration starts with the state before the loop
            return first
        case Term() as first, Steady(delta=delta):
            return _typed(add(as_int(first), mul(delta, count)), c.bits)
        case Term() as first, Scaling(bits, truncates) if not truncates or _not_negative(state, as_int(first)):
            power = mul(count, const(abs(bits)))
            return _typed((shl if bits > 0 else shr)(as_int(first), power), c.bits)
        case Term() as first, Flipping(total=total):
            even = eq(mod(count, const(2)), const(0))
            return _typed(ite(even, as_int(first), sub(total, as_int(first))), c.bits)
        case Term(), Rotating() as handed:
            return _typed(handed.at(count), c.bits)
        case Term() as first, Trailing() as kept if all(_has_closed_form(state, cell) for _, cell in kept.followed):
            before = add(count, const(-1))
            at = {
                s: as_int(_number_at(machine, state, cell, before, speculative=speculative))
                for s, cell in kept.followed
            }
            return _kept_at(as_int(kept.last), as_int(first), count, at)
        case Pointer(target=target, offset=offset), Steady(delta=delta):
            return Pointer(target, add(offset, mul(delta, count)))
        case ((Term() | FloatValue()), _):
            value = _unknown_at(machine, state, c, c.first, c.progress, speculative=speculative)
            if not speculative and isinstance(value, Term) and isinstance(c.first, Term):
                first = disj(negate(eq(count, const(0))), eq(as_int(value), as_int(c.first)))
                state.assume(first, ConditionKind.FIRST, c.target.span)
            if not speculative and isinstance(value, Term):
                for kept in c.invariants:
                    state.assume(kept.of(as_int(value)), ConditionKind.VALUE, kept.span)
            return value
        case first, (Permuted() | OneOf()) as moves:
            return moves.at(machine, hidden(c.target.name) if speculative else c.target.name, first, count)
        case first, change:
            return _unknown_at(machine, state, c, first, change, speculative=speculative)


def _kept_at(last: Term, first: Term, count: Term, before: Mapping[Symbol, Term]) -> Term:
    """What is kept at the start of iteration `count`: of the values `before`, and at first what it was."""
    (kept,) = substitute((last,), before)
    return ite(eq(count, const(0)), first, kept)


def _has_closed_form(state: State, c: CarriedCell) -> bool:
    """Whether a cell that adds or shifts is a term over its first value."""
    first = c.first
    if not isinstance(first, Term):
        return False
    return not isinstance(c.progress, Scaling) or not c.progress.truncates or _not_negative(state, as_int(first))


def _number_at(machine: Machine, state: State, c: CarriedCell, count: Term, *, speculative: bool) -> Term:
    """The value of a cell with a closed form at the start of iteration `count`; what it is below 0 does not matter."""
    from_zero = maximum(count, const(0)) if isinstance(c.progress, Scaling) else count  # no shift by negative amounts
    value = _at(machine, state, c, from_zero, speculative=speculative, lost=False)
    assert isinstance(value, Term)
    return value


def _not_negative(state: State, term: Term) -> bool:
    """Non-negative by type or by a condition of the path: shifting and dividing then agree."""
    return term.low >= 0 or any(c.term in (lt(const(0), term), le(const(0), term)) for c in state.path)


def _typed(term: Term, bits: tuple[int, bool] | None) -> Term:
    return term if bits is None else wrap(term, bits[0], bits[1], soft=True)


def _unknown_at(
    machine: Machine,
    state: State,
    c: CarriedCell,
    first: Value,
    change: Progress | PointerChange | Rotating | Trailing,
    *,
    speculative: bool,
) -> Value:
    def fresh(low: int, high: int, origin: Origin) -> Symbol:
        name = hidden(c.target.name) if speculative or machine.speculative else c.target.name
        return machine.names.fresh(name, low, high, origin)

    match first:
        case Term():
            low, high = type_range(c.target.element, first)
            counts = isinstance(change, Drifting) and change.low >= 0 and as_int(first).low >= 0
            value: Value = var(fresh(max(low, 0) if counts else low, high, c.origin))
            term, start = value, as_int(first)
        case Pointer(target=target, offset=offset):
            term, start = var(fresh(-(1 << 40), 1 << 40, c.origin)), offset
            value = Pointer(target, term)
        case FloatValue():
            return FloatValue(var(fresh(*of_type(64, True), Origin.DATA)))
        case Composite(cells=cells, size=size) if sum(cell.size for cell in cells.values()) == size:
            parts = {
                offset: replace(cell, value=_unknown_at(machine, state, c, cell.value, None, speculative=speculative))
                for offset, cell in cells.items()
            }
            return Composite(parts, size)
        case _:
            return OPAQUE
    if isinstance(change, Drifting) and not speculative:
        if change.low >= 0:
            state.assume(le(start, term), ConditionKind.VALUE, c.target.span)
        if change.high <= 0:
            state.assume(le(term, start), ConditionKind.VALUE, c.target.span)
    return value


def type_range(type_: Type | None, value: Term) -> tuple[int, int]:
    """The range of a variable of a type; for other types, the range of its value."""
    match type_:
        case IntType(bits=bits, signed=signed):
            return of_type(bits, signed)
        case BoolType():
            return 0, 1
        case _:
            return min(value.low, -(1 << 63)), max(value.high, (1 << 63) - 1)


# ---------------------------------------------------------------- where values come from


def origin_of(first: Value, last: Value | None, is_older: Callable[[Symbol], bool]) -> Origin:
    """The origin of a value without a closed form, by what it is before the loop and after an iteration.

    `is_older`: whether a symbol is older than the loop; each iteration gets the same value of such an input.
    """
    if isinstance(first, FloatValue) or last is None:
        return Origin.DATA if isinstance(first, FloatValue) else Origin.UNKNOWN
    if isinstance(last, Term) and any(_is_input(leaf) and not is_older(leaf.symbol) for leaf in _leaves(last)):
        return Origin.INPUT
    touched = symbols_in(last) | symbols_in(first)
    reads = isinstance(last, Term) and bool(arrays_of(last))
    if not reads and all(s.origin not in _FROM_MEMORY for s in touched):
        return Origin.UNKNOWN
    return Origin.DATA if _plain(last) else Origin.COMPUTED


def _leaves(term: Term) -> Iterator[Term]:
    """The numbers that a term chooses among."""
    if term.op is Op.ITE:
        yield from _leaves(term.args[1])
        yield from _leaves(term.args[2])
    else:
        yield term


def _is_input(term: Term) -> bool:
    """Whether a term is a number from outside: an iteration that gets one, and ends with it, may leave any."""
    return term.op is Op.VAR and term.symbol.origin is Origin.INPUT


def _plain(value: Value) -> bool:
    """Whether a value is read from memory without further computation."""
    term = value.offset if isinstance(value, Pointer) else value
    if not isinstance(term, Term):
        return False
    return term.op is Op.READ or (term.op is Op.VAR and term.symbol.origin is Origin.DATA)
