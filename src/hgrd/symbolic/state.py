"""States of symbolic paths: memory, and the conditions under which they are reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.program.span import NOWHERE, Span
from hgrd.symbolic.array_patterns import ArrayPattern, Stored
from hgrd.symbolic.values import (
    NULL,
    OPAQUE,
    Cell,
    Choice,
    Composite,
    FloatValue,
    MemoryObject,
    NullValue,
    Pointer,
    Value,
)
from hgrd.terms import FALSE, TRUE, Op, Symbol, Term, as_int, conj, const, disj, ite, negate, read, symbols_of


class ConditionKind(Enum):
    BRANCH = "branch"
    GUARD = "guard"  # the other way ends in exit, return or throw
    ASSERT = "assert"
    LOOP = "loop bound"
    ENDED = "loop end"  # the test of a loop that has ended
    VALUE = "value"  # what an operation guarantees of its result
    BOUNDS = "bounds"  # that a subscript made before was within its array
    FIRST = "first iteration"  # what a variable holds in the first iteration of a loop

    __hash__ = object.__hash__  # members are unique, and Enum's own hash is slow


_INCIDENTAL: Final = frozenset({ConditionKind.VALUE, ConditionKind.BOUNDS, ConditionKind.ENDED, ConditionKind.FIRST})


class Condition(Struct, frozen=True):
    """A term that holds on this path, and where it comes from."""

    term: Term
    kind: ConditionKind
    span: Span
    ended: bool = False  # threads for which it does not hold have ended
    lost: bool = False  # a join whose condition was too long to be kept

    @property
    def incidental(self) -> bool:
        """Whether it is no choice of the program: a fact of a value, or that a loop has ended."""
        return self.kind in _INCIDENTAL


class Generation(Struct, frozen=True):
    """Identifies, by its object identity, one overwriting of an object by unknown contents.

    `by_loop`: a loop of the program has written them, which was not followed to their values.
    """

    by_loop: bool = False

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


INITIAL: Final = Generation()


class Region(Struct, frozen=True):
    """The contents of one object: known cells by byte offset.

    What is not in a cell is what the object has held since `generation`.  `patterns` hold of many elements at once.
    `stores` are the stores since they began to be followed; None: they are not.
    """

    cells: Mapping[int, Cell] = field(default_factory=lambda: MappingProxyType({}))
    generation: Generation = INITIAL
    zeroed: bool = False  # what is not in a cell is zero
    undefined: bool = False  # what is not in a cell has never been given a value
    patterns: tuple[ArrayPattern, ...] = ()
    stores: tuple[Stored, ...] | None = None

    def with_cell(self, offset: int, cell: Cell) -> Region:
        """Stores a cell; cells that overlap it are forgotten (their bytes become unknown)."""
        end = offset + cell.size
        kept = {o: c for o, c in self.cells.items() if o + c.size <= offset or o >= end}
        partly = any(
            c.size > cell.size or o < offset or o + c.size > end for o, c in self.cells.items() if o not in kept
        )
        kept[offset] = cell
        if partly:
            return Region(kept, Generation(self.generation.by_loop))
        return Region(kept, self.generation, self.zeroed, self.undefined)

    def overlaps(self, offset: int, size: int) -> bool:
        """Whether a known cell has any of these bytes."""
        return any(o < offset + size and offset < o + c.size for o, c in self.cells.items())

    def followed(self, before: Region, stored: Stored) -> Region:
        """The region with what is left of the patterns of `before` after one store, and the store recorded."""
        fills = (fill.beside(stored) for fill in before.patterns)
        stores = None if before.stores is None else (*before.stores, stored)
        return replace(self, patterns=tuple(f for f in fills if f is not None), stores=stores)


EMPTY: Final = Region()
_JOIN_LIMIT: Final = 32  # parts of a condition that a join makes; a longer one says too little to be kept


class _Held(Struct, frozen=True):
    """The terms of `path`, so that a long one need not be searched for each condition."""

    path: tuple[Condition, ...]
    terms: set[Term]


class State(Struct):
    """A mutable state; `copy` before branching.  A state whose path contains false is dead.

    `elements` has where containers have their elements, by the key of the object with the container, and the offset
    there (None: anywhere).  That is so in all states, which share it.
    """

    store: dict[str, Region]
    path: tuple[Condition, ...]
    elements: dict[str, dict[int | None, MemoryObject]] = field(
        default_factory=dict[str, dict[int | None, MemoryObject]]
    )
    _held: _Held | None = None

    def copy(self) -> State:
        held = self._held and _Held(self._held.path, set(self._held.terms))
        return State(dict(self.store), self.path, self.elements, held)

    @property
    def alive(self) -> bool:
        return not self.path or self.path[-1].term is not FALSE

    def assume(self, term: Term, kind: ConditionKind, span: Span, *, ended: bool = False) -> None:
        """Adds a condition (a conjunction is added part by part)."""
        if not self.alive:
            return
        held = self._terms()
        for part in term.args if term.op is Op.AND else (term,):
            if part is TRUE or part in held:
                continue
            if part is FALSE or _excluded(part, held):
                self.kill(span)
                return
            self.path = (*self.path, Condition(part, kind, span, ended))
            held.add(part)
            self._held = _Held(self.path, held)

    def _terms(self) -> set[Term]:
        """The terms of the path."""
        if self._held is None or self._held.path is not self.path:
            self._held = _Held(self.path, {c.term for c in self.path})
        return self._held.terms

    def kill(self, span: Span) -> None:
        """Makes the state dead."""
        self.path = (*self.path, Condition(FALSE, ConditionKind.BRANCH, span))

    def guard(self) -> Term:
        """The conjunction of the path."""
        return conj(*(c.term for c in self.path))


def _excluded(term: Term, held: set[Term]) -> bool:
    """Whether the opposite is held (which no single condition is of a disjunction)."""
    return term.op is not Op.OR and negate(term) in held


def merge(states: Iterable[State], kind: ConditionKind = ConditionKind.BRANCH) -> State | None:
    """The join of states with a common history; None if none of them is alive."""
    result: State | None = None
    for state in states:
        if state.alive:
            result = state if result is None else _merge_two(result, state, kind)
    return result


def _merge_two(a: State, b: State, kind: ConditionKind) -> State:
    common = common_length(a, b)
    only_a, only_b = a.path[common:], b.path[common:]
    choices_a = tuple(c for c in only_a if not c.incidental)
    choices_b = tuple(c for c in only_b if not c.incidental)
    choose_a, choose_b = (conj(*(c.term for c in choices)) for choices in (choices_a, choices_b))
    selector = _selector(choices_a, choices_b, choose_a)
    store = dict(a.store)
    for key, y in b.store.items():
        x = a.store.get(key)
        if x is not y:
            store[key] = _merge_stored(selector, x, y)
    for key, x in a.store.items():
        if key not in b.store:
            store[key] = _merge_stored(selector, x, None)
    merged = State(store, a.path[:common], a.elements)
    last = (*a.path, *only_b)
    span = last[-1].span if last else NOWHERE
    if len(choices_a) + len(choices_b) <= _JOIN_LIMIT:
        merged.assume(disj(choose_a, choose_b), kind, span, ended=_rejoined(choices_a, choices_b))
    else:
        merged.path = (*merged.path, Condition(TRUE, kind, span, lost=True))
    for chosen, conditions in ((choose_a, only_a), (choose_b, only_b)):
        otherwise = negate(chosen)
        for c in conditions:
            if c.incidental:
                condition = disj(otherwise, c.term)
                if len(condition.args) <= _JOIN_LIMIT:
                    merged.assume(condition, c.kind, c.span)
    return merged


def _rejoined(choices_a: tuple[Condition, ...], choices_b: tuple[Condition, ...]) -> bool:
    """Whether all threads that have not ended are on one of the two paths."""
    going_on = (conj(*(c.term for c in choices if not c.ended)) for choices in (choices_a, choices_b))
    return disj(*going_on) is TRUE


def common_length(a: State, b: State) -> int:
    """The length of the common prefix of two paths."""
    count = 0
    for x, y in zip(a.path, b.path, strict=False):
        if x.term is not y.term:
            break
        count += 1
    return count


def _selector(only_a: tuple[Condition, ...], only_b: tuple[Condition, ...], choose_a: Term) -> Term:
    """A short condition that tells a from b: the first difference, where b starts with its negation."""
    if only_a and only_b and only_b[0].term is negate(only_a[0].term):
        return only_a[0].term
    return choose_a


def _merge_stored(condition: Term, a: Region | None, b: Region | None) -> Region:
    """Where one side lacks an object that the other one has just made, nothing can be read there."""
    for one, other in ((a, b), (b, a)):
        if one is not None and one.undefined and other is None:
            return one
    return _merge_regions(condition, a or EMPTY, b or EMPTY)


def _merge_regions(condition: Term, a: Region, b: Region) -> Region:
    """Where one side has never given a value, reading there has no meaning: the other side's value stands."""
    cells: dict[int, Cell] = {}
    lost = a.generation != b.generation or a.zeroed != b.zeroed
    for offset in a.cells.keys() | b.cells.keys():
        x, y = _cell(a, offset, b), _cell(b, offset, a)
        if x is not None and y is not None and x.size == y.size:
            cells[offset] = x if x is y else Cell(choose(condition, x.value, y.value), x.size)
        elif x is not None and y is None and b.undefined:
            cells[offset] = x
        elif y is not None and x is None and a.undefined:
            cells[offset] = y
        else:
            lost = True
    fills = tuple(f for f in a.patterns if f in b.patterns)
    stores = _merge_stores(condition, a.stores, b.stores)
    if lost:
        by_loop = a.generation.by_loop or b.generation.by_loop
        return Region(cells, Generation(by_loop), patterns=fills, stores=stores)
    return Region(cells, a.generation, a.zeroed and b.zeroed, a.undefined and b.undefined, fills, stores)


def _merge_stores(
    condition: Term, a: tuple[Stored, ...] | None, b: tuple[Stored, ...] | None
) -> tuple[Stored, ...] | None:
    """What both sides have stored, and what one of them has, under the condition that tells them apart."""
    if a is None or b is None:
        return None
    common = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x is not y), min(len(a), len(b)))
    only_a, only_b = (s.under(condition) for s in a[common:]), (s.under(negate(condition)) for s in b[common:])
    return (*a[:common], *only_a, *only_b)


def _cell(region: Region, offset: int, other: Region) -> Cell | None:
    """What a region holds where it or another one has a cell: zero, too, where nothing has been stored into zeros."""
    held, theirs = region.cells.get(offset), other.cells.get(offset)
    if held is not None or theirs is None or not region.zeroed:
        return held
    if region.overlaps(offset, theirs.size):
        return None
    match theirs.value:
        case Term() as value:
            return Cell(FALSE if value.is_bool else const(0), theirs.size)
        case Pointer() | Choice() | NullValue():
            return Cell(NULL, theirs.size)
        case _:
            return None


def choose(condition: Term, a: Value, b: Value) -> Value:
    """`condition ? a : b`."""
    if a is b or a == b:
        return a
    match a, b:
        case Term(), Term():
            return ite(condition, a, b)
        case FloatValue(key=x), FloatValue(key=y):
            return FloatValue(read("float ?:", as_int(condition), x, y))
        case Composite(), Composite() if a.size == b.size and a.origin == b.origin:
            merged = _merge_regions(condition, Region(a.cells), Region(b.cells))
            return replace(a, cells=merged.cells)
        case Pointer(target=s, offset=x), Pointer(target=t, offset=y) if s == t:
            return Pointer(s, ite(condition, x, y))
        case (Term() | FloatValue() | Composite(), _) | (_, Term() | FloatValue() | Composite()):
            return OPAQUE
        case _:
            return Choice(condition, a, b)


def symbols_in(value: Value) -> frozenset[Symbol]:
    """Symbols of the integer parts of a value."""
    match value:
        case Term():
            return symbols_of(value)
        case FloatValue(key=key):
            return symbols_of(key)
        case Pointer(offset=offset):
            return symbols_of(offset)
        case Choice(condition=c, then=a, otherwise=b):
            return symbols_of(c) | symbols_in(a) | symbols_in(b)
        case Composite(cells=cells):
            return frozenset[Symbol]().union(*(symbols_in(c.value) for c in cells.values()))
        case _:
            return frozenset()
