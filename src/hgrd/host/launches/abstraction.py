"""Abstraction of a launch to what the kernel sees: host values are inputs, and host memory is global memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.symbolic.values import (
    Cell,
    Choice,
    Composite,
    FloatValue,
    MemoryObject,
    MemorySpace,
    Pointer,
    PointerValue,
    Value,
    pointed_to,
)
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, const, negate, substitute, symbols_of, var
from hgrd.terms.rewrite import bottom_up, rebuild

_MARKS = re.compile(r"'\d+|~")
_MOST_ALTERNATIVES: Final = 32
_MOST_TESTED: Final = 2
_TRIED: Final = (*range(-2, 18), 32, 64, 100, 128, 256, 512, 1000, 1024)
_ON_HOST = (MemorySpace.HOST, MemorySpace.LOCAL)


class LaunchAbstraction(Struct, frozen=True):
    """The mapping from host terms, and from keys of objects to names, to those of a launch."""

    terms: Mapping[Term, Term]
    objects: Mapping[str, str]

    def term(self, term: Term) -> Term:
        done: dict[Term, Term] = {}
        for t in bottom_up((term,)):
            known = self.terms.get(t)
            done[t] = known if known is not None else rebuild(t, tuple(done[a] for a in t.args)) if t.args else t
        return done[term]

    def place(self, target: MemoryObject) -> MemoryObject:
        size = None if target.size is None else self.term(target.size)
        space = MemorySpace.GLOBAL if target.space in _ON_HOST else target.space
        return replace(target, name=self.objects.get(target.key, target.name), size=size, space=space)

    def value(self, value: Value) -> Value:
        match value:
            case Term():
                return self.term(value)
            case FloatValue(key=key, exact=exact):
                return FloatValue(self.term(key), None if exact is None else (self.term(exact[0]), exact[1]))
            case Composite():
                return self.composite(value)
            case _:
                return self.pointer(value)

    def composite(self, value: Composite) -> Composite:
        return replace(value, cells={o: Cell(self.value(c.value), c.size) for o, c in value.cells.items()})

    def pointer(self, value: PointerValue) -> PointerValue:
        match value:
            case Pointer(target=target, offset=offset):
                return Pointer(self.place(target), self.term(offset))
            case Choice(condition=condition, then=a, otherwise=b):
                return Choice(self.term(condition), self.pointer(a), self.pointer(b))
            case _:
                return value


def abstraction_of(roots: Sequence[Term], conditions: Sequence[Term], values: Iterable[Value]) -> LaunchAbstraction:
    """The abstraction of a launch whose values have the terms `roots`, under `conditions`."""
    chosen = _free_choices(roots, conditions)
    symbols = symbols_of(*roots, *conditions)
    names = _short({s.name: s.name for s in symbols})
    terms = {var(s): _input(s, names[s.name]) for s in symbols}
    objects = {o.key: o.name for value in values for o in pointed_to(value)}
    return LaunchAbstraction({**terms, **{t: _input(s, names[s.name]) for t, s in chosen.items()}}, _short(objects))


def _input(symbol: Symbol, name: str) -> Term:
    """A value of the host as an input, with what decides among a few alternatives.

    What a loop has made of memory is one value, though not a known one, and so is a number that the analysis has lost.
    """
    lost = symbol.origin is Origin.UNKNOWN and symbol.high - symbol.low >= _MOST_ALTERNATIVES
    origin = symbol.origin if lost or symbol.origin is Origin.COMPUTED else Origin.INPUT
    return var(Symbol(name, symbol.low, symbol.high, origin))


def _short(names: Mapping[str, str]) -> dict[str, str]:
    """Names by key without the marks that make them unique, where they are unique without."""
    bases = {key: _MARKS.sub("", name) for key, name in names.items()}
    count = Counter(bases.values())
    return {key: base if count[base] == 1 else names[key] for key, base in bases.items()}


def _free_choices(roots: Sequence[Term], conditions: Sequence[Term]) -> dict[Term, Symbol]:
    """Choices that are inputs themselves, since one arm is an input that occurs nowhere else; each with that input.

    `n = argc > 1 ? atoi(argv[1]) : 100` can be any number.  A choice that tests its own arm (`cols > stride ? cols :
    stride`) cannot, nor one that tests what something else depends on, or what the program has computed.
    """
    found: dict[Term, Symbol] = {}
    for choice in [t for t in bottom_up(roots) if t.op is Op.ITE][::-1]:
        tested = symbols_of(*_tests(choice))
        if any(s.origin is Origin.COMPUTED for s in tested):
            continue
        closed = {*found, choice}
        for arm, when in _arms(choice):
            if arm.op is not Op.VAR or arm.low > choice.low or arm.high < choice.high or arm.symbol in tested:
                continue
            outside = _symbols_outside(roots, closed)
            if arm.symbol in outside or arm.symbol in _symbols_outside(conditions, closed) or tested & outside:
                continue
            if _can_hold(when, [c for c in conditions if tested & _symbols_outside((c,), closed)]):
                found[choice] = arm.symbol
                break
    return found


def _can_hold(tests: Sequence[Term], conditions: Sequence[Term]) -> bool:
    """Whether some values of the tested symbols satisfy both, for any values of other symbols."""
    symbols = sorted(symbols_of(*tests), key=lambda s: s.name)
    if len(symbols) > _MOST_TESTED:
        return False
    tried = [sorted({s.low, s.high, *(v for v in _TRIED if s.low <= v <= s.high)}) for s in symbols]
    rows = (dict(zip(symbols, map(const, row), strict=True)) for row in product(*tried))
    return any(all(t is TRUE for t in substitute((*tests, *conditions), row)) for row in rows)


def _tests(choice: Term) -> Iterator[Term]:
    condition, *arms = choice.args
    yield condition
    for arm in arms:
        if arm.op is Op.ITE:
            yield from _tests(arm)


def _arms(choice: Term, when: tuple[Term, ...] = ()) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    """The alternatives of a choice, each with the conditions under which it is taken."""
    condition, one, two = choice.args
    for arm, test in ((one, condition), (two, negate(condition))):
        if arm.op is Op.ITE:
            yield from _arms(arm, (*when, test))
        else:
            yield arm, (*when, test)


def _symbols_outside(terms: Iterable[Term], closed: set[Term]) -> set[Symbol]:
    """Symbols that occur in the terms, but not only inside the `closed` ones."""
    found: set[Symbol] = set()
    seen: set[Term] = set()
    todo = list(terms)
    while todo:
        term = todo.pop()
        if term in seen or term in closed:
            continue
        seen.add(term)
        if term.op is Op.VAR:
            found.add(term.symbol)
        todo.extend(term.args)
    return found
