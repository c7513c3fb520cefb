"""Which of the conditions on the way to a launch matter for it, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from hgrd.host.model import Fact, FactKind
from hgrd.host.wording import say
from hgrd.program.expressions import Variable
from hgrd.program.span import Span
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.symbolic.values import Value
from hgrd.terms import TRUE, Origin, Symbol, Term, as_int, symbols_of
from hgrd.terms.rewrite import arrays_of, bottom_up

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
    """The conditions that speak, directly or through others, of what is in `roots`.

    What is said of the number of iterations of a finished loop only matters where the number itself does.
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
            elif _fits(term):
                kept.add(term)
                reached |= names
                grown = True
        waiting = apart
    return [c for c in conditions if c.term in kept]


def _names(term: Term) -> frozenset[Name]:
    """What connects a condition with others: its symbols, or else the arrays it reads."""
    symbols = symbols_of(term)
    return frozenset[Name](symbols or arrays_of(term))


def _counts(names: Iterable[Name]) -> set[Name]:
    return {n for n in names if isinstance(n, Symbol) and n.origin is Origin.COUNT}


def _fits(term: Term) -> bool:
    return all(count < SIZE_LIMIT for count, _ in enumerate(bottom_up((term,))))


def fact(condition: Condition, term: Term, kinds: Mapping[Term, FactKind]) -> Fact:
    """A condition of the path as a fact; `term` says it in the words of the launch."""
    return Fact(
        term, kinds.get(condition.term, _KINDS.get(condition.kind, FactKind.LOOP_BOUND)), say(term), condition.span
    )


def argument_facts(
    parameters: Sequence[Variable], arguments: Sequence[Value], others: Iterable[Term], span: Span
) -> tuple[Fact, ...]:
    """Constant arguments, and arguments that are computed from what other parts of the launch use.

    `others` are those that are no arguments: extents, and what constant memory holds.
    Their terms are true: the values stand in the launch itself.
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
