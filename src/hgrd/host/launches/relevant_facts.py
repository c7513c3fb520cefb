"""Relevant facts of a launch: the path conditions that matter for it, and their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from hgrd.host.model import Fact, FactKind, Holding
from hgrd.host.wording import plain, say
from hgrd.program.expressions import Variable
from hgrd.program.span import Span
from hgrd.symbolic.array_patterns import Affine, Apart, ArrayPattern, Ascending, Between, Distinct, Listed
from hgrd.symbolic.polynomials import as_term, constant_difference, divisible, polynomial
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.symbolic.values import MemoryObject, MemorySpace, Value
from hgrd.terms import TRUE, Origin, Symbol, Term, add, as_int, const, mul, sub, symbols_of, var
from hgrd.terms.rewrite import arrays_of, bottom_up

_SHOWN = 4  # elements of an array that is known one by one
SIZE_LIMIT = 400  # nodes of a fact; a longer one is of no help to the solver
_KINDS = {
    ConditionKind.ASSERT: FactKind.ASSERT,
    ConditionKind.GUARD: FactKind.GUARD,
    ConditionKind.BRANCH: FactKind.GUARD,
    ConditionKind.ENDED: FactKind.LOOP_BOUND,
    ConditionKind.BOUNDS: FactKind.ASSUMPTION,
}
Name: TypeAlias = Symbol | str
C = TypeVar("C", Condition, Fact)


def relevant(conditions: Sequence[C], roots: Iterable[Term]) -> list[C]:
    """The conditions that share symbols with `roots`, directly or through others.

    A condition on the number of iterations of a finished loop is relevant only where that number is.
    """
    waiting = [(c.term, _names(c.term)) for c in conditions if c.term is not TRUE]
    reached = set(frozenset[Name]().union(*(symbols_of(t) | arrays_of(t) for t in roots)))
    kept: set[Term] = set()
    grown = True
    while grown:
        grown = False
        apart: list[tuple[Term, frozenset[Name]]] = []
        for term, names in waiting:
            if not names & reached or not _counts(names) <= reached:
                apart.append((term, names))
            elif fits(term):
                kept.add(term)
                reached |= names
                grown = True
        waiting = apart
    return [c for c in conditions if c.term in kept]


def connected(conditions: Sequence[Condition], roots: Iterable[Term]) -> list[Condition]:
    """The conditions that share symbols with `roots`, directly or through others: no other one can be relevant."""
    users: dict[Name, list[int]] = {}
    for number, c in enumerate(conditions):
        for name in _names(c.term):
            users.setdefault(name, []).append(number)
    waiting: list[Name] = [name for t in roots for name in symbols_of(t) | arrays_of(t)]
    reached, kept = set(waiting), set[int]()
    while waiting:
        for number in users.pop(waiting.pop(), ()):
            if number not in kept:
                kept.add(number)
                new = _names(conditions[number].term) - reached
                reached |= new
                waiting += new
    return [conditions[number] for number in sorted(kept)]


def _names(term: Term) -> frozenset[Name]:
    """The symbols of a condition or, if it has none, the arrays it reads: they connect it with others."""
    symbols = symbols_of(term)
    return frozenset[Name](symbols or arrays_of(term))


def _counts(names: Iterable[Name]) -> set[Name]:
    return {n for n in names if isinstance(n, Symbol) and n.origin is Origin.COUNT}


def fits(term: Term) -> bool:
    return all(count < SIZE_LIMIT for count, _ in enumerate(bottom_up((term,))))


def fact(condition: Condition, term: Term, kinds: Mapping[Term, FactKind]) -> Fact:
    """A path condition as a fact; `term` is its abstraction at the launch."""
    return Fact(
        term, kinds.get(condition.term, _KINDS.get(condition.kind, FactKind.LOOP_BOUND)), say(term), condition.span
    )


def argument_facts(
    parameters: Sequence[Variable], arguments: Sequence[Value], others: Iterable[Term], span: Span
) -> tuple[Fact, ...]:
    """Facts of constant arguments, and of arguments that share symbols with other parts of the launch.

    `others` are the parts that are no arguments: extents, and contents of constant memory.  The terms of the facts are
    true, since the values stand in the launch itself.
    """
    numbers = [(p.name, as_int(a)) for p, a in zip(parameters, arguments, strict=False) if isinstance(a, Term)]
    symbols_elsewhere = symbols_of(*others)
    found: list[Fact] = []
    for index, (name, number) in enumerate(numbers):
        shared = symbols_elsewhere.union(*(symbols_of(n) for i, (_, n) in enumerate(numbers) if i != index))
        if number.is_const:
            found.append(Fact(TRUE, FactKind.CONSTANT, f"{name} == {number.value}", span))
        elif symbols_of(number) & shared and say(number) != name:
            found.append(Fact(TRUE, FactKind.RELATION, f"{name} == {say(number)}", span))
    return tuple(found)


def holding(target: MemoryObject, fill: ArrayPattern) -> Holding:
    """An array pattern as known contents at a launch, with its fact."""
    kind = FactKind.CONSTANT_MEMORY if target.space is MemorySpace.CONSTANT else FactKind.CONTENTS
    return Holding(target, fill, Fact(TRUE, kind, _said(target.name, fill), fill.span))


def _said(name: str, fill: ArrayPattern) -> str:
    """The text of an array pattern: `idx[k] == 4 * k for 0 <= k < n`, k counting the elements that the loop filled."""
    k = var(Symbol("k", 0, 1 << 62, Origin.LOOP))
    element = _place(name, fill, k)
    match fill.pattern:
        case Affine(first=first, step=step):
            text = f"{element} == {say(add(first, mul(step, k)))}"
        case Ascending(gap=gap):
            text = f"{element}{f' + {gap}' if gap else ''} <= {_place(name, fill, add(k, const(1)))}"
        case Distinct():
            text = f"{element} is nowhere else"
        case Apart(by=by):
            text = f"{element} is {say(by)} bytes or more from the other ones"
        case Listed(values=values):
            some = [str(v) for v in values[:_SHOWN] if v is not None]
            text = f"{element} is known ({', '.join(some)}{', …' if len(values) > _SHOWN else ''})"
        case Between(low=least, below=below):
            text = f"{least} <= {element}" + ("" if below is None else f" < {say(below)}")
    last = sub(fill.count, const(1)) if isinstance(fill.pattern, Ascending) else fill.count
    where = [f"for 0 <= k < {say(last)}"]
    where += [f"in bytes {say(a)} to {say(b)}" for a, b in fill.ranges if not _all(fill, a, b)]
    where += ["if nothing signed overflows there"] if fill.assumes_no_overflow else []
    where += [f"but in {size} bytes at {say(o)}" for o, size in fill.holes]
    return ", ".join((f"{text} {where[0]}", *where[1:]))


def _all(fill: ArrayPattern, low: Term, high: Term) -> bool:
    """Whether a range of bytes contains all elements, as far as constant differences tell."""
    ends = (fill.start, fill.at(fill.count)) if fill.stride > 0 else (fill.at(fill.count), fill.start)
    first, last = ends if fill.stride > 0 else tuple(add(end, const(fill.size)) for end in ends)
    before, after = (constant_difference(plain(a), plain(b)) for a, b in ((first, low), (high, last)))
    return before is not None and before >= 0 and after is not None and after >= 0


def _place(name: str, fill: ArrayPattern, k: Term) -> str:
    """The text of an element: by its index, and in records also by its offset in bytes."""
    whole = abs(fill.stride)
    lane = divisible(fill.start, const(0), whole)
    if lane is None:
        return f"{name}+{say(fill.at(k))}"
    index = say(as_term({m: c // whole for m, c in polynomial(sub(fill.at(k), const(lane))).items()}))
    return f"{name}[{index}]" + (f"+{lane}" if whole != fill.size else "")
