"""Irregular control flow: bodies with `goto` are rewritten as structured ones.

Only the smallest list of statements around a label and all that jumps there is rewritten, so that the rest
of the code keeps its shape.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.program.control_flow.blocks import graph_of
from hgrd.program.control_flow.cfg import Graph, irreducible
from hgrd.program.control_flow.predicate import predicated
from hgrd.program.control_flow.split import split
from hgrd.program.expressions import Assign, Load, Storage, Variable, VariablePlace
from hgrd.program.span import Span
from hgrd.program.statements import (
    Block,
    Declare,
    DoWhile,
    Evaluate,
    Goto,
    If,
    Label,
    Loop,
    Return,
    Statement,
    Switch,
    UnsupportedStatement,
)
from hgrd.program.types import Type
from hgrd.program.walk import below, escapes, jumps, mapped, nodes


def structured(body: Block, key: str) -> Block:
    """The body of function `key` without gotos; the body itself if there are none.

    Where a loop is entered at so many places that it cannot be written down in a sensible size, an
    UnsupportedStatement names it.  A goto without its label stays (in code that compiles only in part).
    """
    gotos: defaultdict[str, set[Span]] = defaultdict(set)
    for statement in below((body,)):
        if isinstance(statement, Goto):
            gotos[statement.target].add(statement.span)
    return Block(_Making(key, gotos).all(body.body), body.span) if gotos else body


class _Making(Struct):
    key: str
    gotos: dict[str, set[Span]]  # where they stand, by label
    made: int = 0
    locals: list[Variable] = field(default_factory=list[Variable])

    def all(self, statements: Iterable[Statement]) -> tuple[Statement, ...]:
        """A list of statements: first what can be done further inside, then the gotos that are closed in it."""
        done = [self.within(s) for s in statements if not (isinstance(s, Label) and s.name not in self.gotos)]
        for first, last in reversed(_merged(self.regions(done))):
            if self.closed(done[first : last + 1]):
                old = tuple(done[first : last + 1])
                done[first : last + 1] = new = self.region(old)
                self.forget(old, new)
        return tuple(done)

    def within(self, statement: Statement) -> Statement:
        if not jumps(statement):
            return statement
        match statement:
            case Block(body=body, span=span):
                return Block(self.all(body), span)
            case If(then=then, otherwise=otherwise):
                other = None if otherwise is None else self.one(otherwise)
                return replace(statement, then=self.one(then), otherwise=other)
            case Loop(body=body) | DoWhile(body=body):
                return replace(statement, body=self.one(body))
            case Switch(cases=cases):
                return replace(statement, cases=tuple(replace(case, body=self.all(case.body)) for case in cases))
            case _:
                return statement

    def one(self, statement: Statement) -> Statement:
        if isinstance(statement, Block):
            return self.within(statement)
        found = self.all((statement,))
        return found[0] if len(found) == 1 else Block(found, statement.span)

    def forget(self, old: Iterable[Statement], new: Iterable[Statement]) -> None:
        """Forgets gotos that are gone (also those that were never reached)."""
        kept = {s.span for s in below(new) if isinstance(s, Goto)}
        for s in below(old):
            if isinstance(s, Goto) and s.span not in kept:
                self.gotos[s.target].discard(s.span)

    # ------------------------------------------------------------ regions

    def regions(self, statements: list[Statement]) -> Iterator[tuple[int, int]]:
        """From the first to the last statement that has to do with a label of the list, for each label."""
        where: defaultdict[str, list[int]] = defaultdict(list)
        labels: set[str] = set()
        for i, statement in enumerate(statements):
            for s in below((statement,)):
                if isinstance(s, Label):
                    labels.add(s.name)
                    where[s.name].append(i)
                elif isinstance(s, Goto):
                    where[s.target].append(i)
        for label in labels:
            if label in self.gotos:
                yield min(where[label]), max(where[label])

    def closed(self, statements: list[Statement]) -> bool:
        """Whether no jump leads in from outside."""
        found: defaultdict[str, set[Span]] = defaultdict(set)
        labels: set[str] = set()
        for s in below(statements):
            if isinstance(s, Goto):
                found[s.target].add(s.span)
            elif isinstance(s, Label):
                labels.add(s.name)
        return all(self.gotos[label] <= found[label] for label in labels if label in self.gotos)

    def region(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        span = statements[0].span
        graph = graph_of(statements, span, _whole)
        reducible = split(graph)
        if reducible is None:
            return (UnsupportedStatement(_named(graph), (), span), Return(None, span))
        self.locals = []
        found = _without_unread(predicated(reducible, self.fresh), self.locals)
        declared = [s.variable for b in graph.blocks for s in b.statements if isinstance(s, Declare)]
        return (*_hoisted(found, {*declared, *self.locals}), *found)

    def fresh(self, name: str, type_: Type, span: Span) -> Variable:
        self.made += 1
        made = Variable(f"{self.key}::{name}#{self.made}", name, type_, Storage.LOCAL, span)
        self.locals.append(made)
        return made


def _merged(regions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Regions in order, overlapping ones merged."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(regions):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def _whole(statement: Statement) -> bool:
    return not jumps(statement) and not escapes(statement)


def _named(graph: Graph) -> str:
    line = min(graph.blocks[block].span.line for block in irreducible(graph)[0])
    return f"a loop that gotos enter at too many places (line {line})"


# ---------------------------------------------------------------- variables


def _without_unread(statements: tuple[Statement, ...], made: Iterable[Variable]) -> tuple[Statement, ...]:
    """Statements without the predication variables that are never read."""
    read = {n.place.variable for n in nodes(statements) if isinstance(n, Load) and isinstance(n.place, VariablePlace)}
    unread = {v for v in made if v not in read}

    def drop(statement: Statement) -> Statement | None:
        match statement:
            case Declare(variable=v, span=span) if v in unread:
                return Block((), span)
            case Evaluate(expression=Assign(place=VariablePlace(variable=v)), span=span) if v in unread:
                return Block((), span)
            case Block(body=body, span=span):
                return Block(tuple(s for s in (mapped(s, drop) for s in body) if s != Block((), s.span)), span)
            case _:
                return None

    block = drop(Block(statements, statements[0].span)) if statements and unread else None
    return block.body if isinstance(block, Block) else statements


def _hoisted(statements: tuple[Statement, ...], declared: set[Variable]) -> tuple[Statement, ...]:
    """Declarations at the start for variables that are used where their own one may not have been executed."""
    outside: dict[Variable, None] = {}
    _visit(statements, frozenset(), outside)
    return tuple(Declare(v, None, v.span) for v in outside if v in declared and v.storage is Storage.LOCAL)


def _visit(
    statements: Iterable[Statement], visible: frozenset[Variable], outside: dict[Variable, None]
) -> frozenset[Variable]:
    """Variables declared after the statements; `outside` gets the variables that are used elsewhere."""

    def use(part: object) -> None:
        used = (n.variable for n in nodes(part) if isinstance(n, VariablePlace))
        outside.update(dict.fromkeys(v for v in used if v not in visible))

    for s in statements:
        match s:
            case Block(body=body):
                visible = _visit(body, visible, outside)
            case If(condition=condition, then=then, otherwise=otherwise):
                use(condition)
                _visit((then,), visible, outside)
                _visit(() if otherwise is None else (otherwise,), visible, outside)
            case Loop(condition=condition, step=step, body=body):
                use(condition)
                use(step)
                _visit((body,), visible, outside)
            case DoWhile(body=body, condition=condition):
                visible = _visit((body,), visible, outside)
                use(condition)
            case Declare(variable=variable, initial=initial):
                use(initial)
                visible |= {variable}
            case _:
                use(s)
    return visible
