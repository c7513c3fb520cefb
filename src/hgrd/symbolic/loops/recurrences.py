"""The start of an iteration: what the loop changes, in terms of how many iterations have been made.

Cells that change by the same amount (or the same shift) every iteration are written with that number; others are
unknown, of origin COMPUTED if memory contents went into them (DATA if they are read from memory as they stand).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from hgrd.program.types import BoolType, IntType, Type
from hgrd.symbolic.exits import IterationExits
from hgrd.symbolic.loops.invariants import Invariant
from hgrd.symbolic.loops.pointer_permutations import Shuffled
from hgrd.symbolic.loops.pointer_recurrences import Moves, OneOf
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.names import hidden
from hgrd.symbolic.state import EMPTY, ConditionKind, Generation, Region, State, symbols_in
from hgrd.symbolic.values import OPAQUE, Cell, FloatValue, MemoryObject, Pointer, Value
from hgrd.terms import (
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
    var,
    wrap,
)
from hgrd.terms.interval import of_type
from hgrd.terms.linear import Drifting, Flipping, Progress, Scaling, Steady

UNCHANGED: Final = Steady(const(0))
_LEFT: Final = const(-1)  # no iteration's number: the loop is over


class Carried(Struct, frozen=True):
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
    left: Moves | None = None  # what a pointer may be where a break has left the loop, if that changes its object
    agreed: bool = False
    agreed_behind: bool = False
    invariants: tuple[Invariant, ...] = ()

    @property
    def changes(self) -> bool:
        return self.progress != UNCHANGED


class Plan(Struct, frozen=True):
    """`cells` of the objects that an iteration changes; what else these objects hold is lost.

    But not in those of `steady`: there nothing changes outside of the cells.  `led` are pointers that an iteration
    sets to another object than the first one finds in them: the next one may write there.
    """

    cells: tuple[Carried, ...]
    changed: frozenset[str]
    steady: frozenset[str]
    ends: IterationExits
    led: tuple[Value, ...] = ()


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
        machine.semantics.note_pointer_targets(state, found.led)
    for key in found.changed:
        old = state.store.get(key, EMPTY)
        state.store[key] = Region({}, old.generation, old.zeroed) if key in found.steady else Region({}, Generation())
    for c in found.cells:
        value = _at(machine, state, c, count, silent=silent, lost=behind and c.broken)
        if together and (c.agreed_behind if behind else c.agreed):
            for symbol in symbols_in(value):
                machine.semantics.mark_uniform(symbol, count)
        region = state.store[c.target.key]
        cells = {**region.cells, c.offset: Cell(value, c.size)}
        state.store[c.target.key] = Region(cells, region.generation, region.zeroed)


# ---------------------------------------------------------------- values by iteration


def _at(machine: Machine, state: State, c: Carried, count: Term, *, silent: bool, lost: bool) -> Value:
    match c.first, c.progress:
        case first, _ if lost and c.left is not None:
            return c.left.at(machine, hidden(c.target.name) if silent else c.target.name, first, _LEFT)
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
        case first, (Shuffled() | OneOf()) as moves:
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
        name = hidden(c.target.name) if silent or machine.speculative else c.target.name
        return machine.names.fresh(name, low, high, origin)

    match first:
        case Term():
            value: Value = var(fresh(*type_range(c.target.element, first), c.origin))
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


def type_range(type_: Type | None, value: Term) -> tuple[int, int]:
    """What a variable of a type can hold; without one, what is possible for a value."""
    match type_:
        case IntType(bits=bits, signed=signed):
            return of_type(bits, signed)
        case BoolType():
            return 0, 1
        case _:
            return min(value.low, -(1 << 63)), max(value.high, (1 << 63) - 1)
