"""Which of the conditions on the way to a launch matter for it, and how they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from hgrd.host.model import Fact, FactKind
from hgrd.host.wording import say
from hgrd.program.expressions import Variable
from hgrd.program.span import Span
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.symbolic.values import Cell, Choice, Composite, FloatValue, MemoryObject, Pointer, PointerValue, Value
from hgrd.terms import TRUE, Origin, Symbol, Term, as_int, substitute, symbols_of, var
from hgrd.terms.rewrite import arrays_of, bottom_up

SIZE_LIMIT = 400  # nodes of a fact; a longer one is of no help to the solver
_KINDS = {
    ConditionKind.ASSERT: FactKind.ASSERT,
    ConditionKind.GUARD: FactKind.GUARD,
    ConditionKind.BRANCH: FactKind.GUARD,
    ConditionKind.LOOP: FactKind.LOOP_BOUND,
    ConditionKind.VALUE: FactKind.LOOP_BOUND,
}
Name: TypeAlias = Symbol | str


def facts_of(path: Iterable[Condition], kinds: Mapping[Term, FactKind], roots: Iterable[Term]) -> tuple[Fact, ...]:
    """The conditions that speak, directly or through others, of what is in `roots`."""
    open_ = [(c, _names(c.term)) for c in path if _fits(c.term)]
    reached = set(frozenset[Name]().union(*(_names(t) for t in roots)))
    kept: set[Term] = set()
    grown = True
    while grown:
        grown = False
        for condition, names in open_:
            if condition.term not in kept and names & reached:
                kept.add(condition.term)
                reached |= names
                grown = True
    return tuple(
        Fact(c.term, kinds.get(c.term, _KINDS[c.kind]), say(c.term), c.span) for c, _ in open_ if c.term in kept
    )


def _names(term: Term) -> frozenset[Name]:
    return frozenset[Name]((*symbols_of(term), *arrays_of(term)))


def _fits(term: Term) -> bool:
    return all(count < SIZE_LIMIT for count, _ in enumerate(bottom_up((term,))))


def argument_facts(
    parameters: Sequence[Variable], arguments: Sequence[Value], extents: Iterable[Term], span: Span
) -> tuple[Fact, ...]:
    """Constant arguments, and arguments that are computed from what other parts of the launch use.

    Their terms are true: the values stand in the launch itself.
    """
    numbers = [(p.name, as_int(a)) for p, a in zip(parameters, arguments, strict=False) if isinstance(a, Term)]
    extent_symbols = symbols_of(*extents)
    found: list[Fact] = []
    for index, (name, number) in enumerate(numbers):
        others = extent_symbols.union(*(symbols_of(n) for i, (_, n) in enumerate(numbers) if i != index))
        if number.is_const:
            found.append(Fact(TRUE, FactKind.CONSTANT, f"{name} == {number.value}", span))
        elif symbols_of(number) & others:
            found.append(Fact(TRUE, FactKind.RELATION, f"{name} == {say(number)}", span))
    return tuple(found)


# ---------------------------------------------------------------- all terms of a value


def terms_in(value: Value) -> list[Term]:
    """The integer terms of a value, and of the sizes of the objects it points to."""
    match value:
        case Term():
            return [value]
        case FloatValue(key=key, exact=exact):
            return [key] if exact is None else [key, exact[0]]
        case Pointer(target=target, offset=offset):
            return [offset] if target.size is None else [offset, target.size]
        case Choice(condition=condition, then=a, otherwise=b):
            return [condition, *terms_in(a), *terms_in(b)]
        case Composite(cells=cells):
            return [t for cell in cells.values() for t in terms_in(cell.value)]
        case _:
            return []


def map_terms(value: Value, change: Callable[[Term], Term], place: Callable[[MemoryObject], MemoryObject]) -> Value:
    """The value with its terms and objects replaced."""
    match value:
        case Term():
            return change(value)
        case FloatValue(key=key, exact=exact):
            return FloatValue(change(key), None if exact is None else (change(exact[0]), exact[1]))
        case Composite(cells=cells):
            return replace(value, cells={o: Cell(map_terms(c.value, change, place), c.size) for o, c in cells.items()})
        case _:
            return _map_pointer(value, change, place)


def _map_pointer(
    value: PointerValue, change: Callable[[Term], Term], place: Callable[[MemoryObject], MemoryObject]
) -> PointerValue:
    match value:
        case Pointer(target=target, offset=offset):
            return Pointer(place(target), change(offset))
        case Choice(condition=condition, then=a, otherwise=b):
            return Choice(change(condition), _map_pointer(a, change, place), _map_pointer(b, change, place))
        case _:
            return value


def as_inputs(terms: Iterable[Term]) -> Callable[[Term], Term]:
    """To the kernel, whatever the host computes is an input: its loop counters, too."""
    values = {
        s: var(Symbol(s.name, s.low, s.high, Origin.INPUT)) for s in symbols_of(*terms) if s.origin is not Origin.INPUT
    }
    return lambda term: substitute((term,), values)[0] if values else term
