"""Predication: structured statements from a reducible graph, in its sort order.

Where blocks are reached from several places, the private variable `active` holds the number of the next
one, and each that is not the only one possible stands under `if (active == number)` (Collingbourne,
Donaldson, Ketema and Qadeer, ESOP 2013, section 4, table 2; `v_active` there).  Control that a choice
itself decides needs no such guard, so statements that were structured come out as they were: a block with
one way in stands in the arm of the choice that leads to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, field

from hgrd.program.control_flow.cfg import Branch, End, Graph, Jump, Leave, Nesting, Select, Terminator, targets
from hgrd.program.control_flow.dominance import NaturalLoop, immediate_dominators, predecessors
from hgrd.program.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Expression,
    IntConst,
    Load,
    Logical,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from hgrd.program.span import Span
from hgrd.program.statements import (
    Block,
    Break,
    Continue,
    Declare,
    DoWhile,
    Evaluate,
    If,
    Loop,
    Statement,
)
from hgrd.program.types import BOOL, INT, Type
from hgrd.program.walk import escapes

NewVariable = Callable[[str, Type, Span], Variable]


def predicated(graph: Graph, fresh: NewVariable) -> tuple[Statement, ...]:
    """Statements that do what a reducible graph does; `fresh` makes variables."""
    making = _Making(graph, Nesting.of(graph), fresh)
    level = making.level(None)
    code = level.code(0)
    return (*level.declared, *_without_last(code.statements, level.sets_next))


class _Code(Struct, frozen=True):
    """Statements, and the blocks of the level that may follow them."""

    statements: tuple[Statement, ...]
    next: frozenset[int]

    @property
    def goes_on(self) -> bool:
        return bool(self.next)


class _Making(Struct, frozen=True):
    graph: Graph
    nesting: Nesting
    fresh: NewVariable

    def level(self, loop: NaturalLoop | None) -> _Level:
        nodes = self.nesting.level(loop)
        successors = {node: tuple(self.nesting.onward(node, loop)) for node in nodes}
        above = immediate_dominators(successors, nodes[0])
        before = {node: len(found) for node, found in predecessors(successors).items()}
        below: dict[int, list[int]] = {node: [] for node in nodes}
        for node in sorted(nodes[1:], key=lambda n: (loop is None and self.is_end(n), nodes.index(n))):
            below[nodes[0] if loop is None and self.is_end(node) else above[node]].append(node)
        return _Level(self, loop, below, before, self.exits(loop))

    def is_end(self, node: int) -> bool:
        """The end is a place for what waits for it in all of the graph: it stands at its very end."""
        return isinstance(self.graph.blocks[node].terminator, End)

    def exits(self, loop: NaturalLoop | None) -> tuple[int, ...]:
        """The blocks that a loop leads out to."""
        inside = frozenset[int]() if loop is None else loop.nodes
        found = {t for b in inside for t in targets(self.graph.blocks[b].terminator) if t not in inside}
        return tuple(sorted(found))


class _Level(Struct):
    """The graph inside of a loop (None: outside of all), with a node for each loop further inside."""

    making: _Making
    loop: NaturalLoop | None
    below: dict[int, list[int]]  # immediate dominance, in topological order
    before: dict[int, int]  # how many nodes lead to one
    exits: tuple[int, ...]
    left: Variable | None = None  # which of the exits a loop took
    active: Variable | None = None
    declared: list[Statement] = field(default_factory=list[Statement])

    # ------------------------------------------------------------ blocks

    def code(self, node: int) -> _Code:
        """Code from a node on, up to nodes that it does not dominate."""
        merging = [n for n in self.below[node] if not self.single(n)]
        last = self.own(node)
        done: tuple[Statement, ...] = ()
        for target in merging:
            rest = last.next - {target}
            if target not in last.next:
                continue  # the node is reached from one of the others
            following = self.code(target)
            if rest:
                block = self.making.graph.blocks[target]
                test = self.is_next(target, block.span)
                done = (*done, *last.statements)
                guarded = If(test, Block(following.statements, block.span), None, block.span)
                last = _Code((guarded,), rest | following.next)
            else:
                done = (*done, *_without_last(last.statements, lambda s, n=target: self.sets_next(s, n)))
                last = following
        return _Code((*done, *last.statements), last.next)

    def single(self, node: int) -> bool:
        """Whether only one place leads to a node, which then stands there."""
        return self.before[node] == 1 and not self.making.is_end(node)

    def own(self, node: int) -> _Code:
        """Code of a node and the choice after it."""
        inner = self.making.nesting.headed(node, self.loop)
        if inner is not None:
            return self.inner_loop(inner)
        block = self.making.graph.blocks[node]
        code = self.choice(block.terminator, block.span)
        return _Code((*block.statements, *code.statements), code.next)

    def choice(self, terminator: Terminator, span: Span) -> _Code:
        match terminator:
            case Jump(target=target):
                return self.to(target, span)
            case Branch(condition=condition, then=then, otherwise=otherwise) if then == otherwise:
                code = self.to(then, condition.span)
                return _Code((Evaluate(condition, condition.span), *code.statements), code.next)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                span = condition.span
                return _if(condition, self.to(then, span), self.to(otherwise, span), span)
            case Select():
                return self.select(terminator, span)
            case Leave(statement=statement):
                return _Code((statement,), frozenset())
            case End():
                return _Code((), frozenset((-1,)))

    def select(self, terminator: Select, span: Span) -> _Code:
        operand = terminator.operand
        chosen = self.making.fresh("switch", operand.type, span)
        value = Load(VariablePlace(chosen, span), operand.type, span)
        ways: dict[int, list[Expression]] = {}
        for ranges, target in terminator.arms:
            if target != terminator.default:
                ways.setdefault(target, []).extend(_within(value, low, high) for low, high in ranges)
        code = self.to(terminator.default, span)
        for target, tests in reversed(ways.items()):
            code = _if(_any(tests), self.to(target, span), code, span)
        return _Code((Declare(chosen, operand, span), *code.statements), code.next)

    def to(self, target: int, span: Span) -> _Code:
        """Code of a jump from within the level."""
        if self.loop is not None and target == self.loop.head:
            return _Code((Continue(span),), frozenset())
        node = self.making.nesting.node(target, self.loop)
        if node is None:
            leaving = () if self.left is None else (_set(self.left, target, span),)
            return _Code((*leaving, Break(span)), frozenset())
        if self.single(node):
            return self.code(node)
        return _Code((_set(self.variable(span), node, span),), frozenset((node,)))

    # ------------------------------------------------------------ loops

    def inner_loop(self, loop: NaturalLoop) -> _Code:
        """Code of a loop, and of the choice between the ways out of it."""
        span = self.making.graph.blocks[loop.head].span
        level = self.making.level(loop)
        before: tuple[Statement, ...] = ()
        if len(level.exits) > 1:
            level.left = self.making.fresh("goto", INT, span)
            before = (Declare(level.left, None, span),)
        before = (*before, *level.shaped(level.code(loop.head).statements, span))
        after = self.ways_out(level, span)
        return _Code((*before, *after.statements), after.next)

    def shaped(self, body: tuple[Statement, ...], span: Span) -> tuple[Statement, ...]:
        """The loop with its test before or after its body where there is one, else without end of its own.

        Which way out the test takes may be chosen before the loop: the body changes it only to break.
        """
        match body:
            case (If(condition=test, then=Block(body=(*way, Break())), otherwise=None), *rest) if self.chosen(way):
                return (*way, Loop(negated(test), None, self.inside(rest, span), span))
            case (*rest, If(condition=test, then=Block(body=(*way, Break())), otherwise=None), Continue()) if (
                self.chosen(way) and not _again(rest)
            ):
                return (*way, DoWhile(self.inside(rest, span), negated(test), span))
            case (*rest, If(condition=test, then=Block(body=(Continue(),)), otherwise=None), Break()) if not _again(
                rest
            ):
                return (DoWhile(self.inside(rest, span), test, span),)
            case (*rest, If(condition=test, then=Block(body=(Continue(),)), otherwise=None), way, Break()) if (
                self.chosen((way,)) and not _again(rest)
            ):
                return (way, DoWhile(self.inside(rest, span), test, span))
            case _:
                return (Loop(None, None, self.inside(body, span), span),)

    def inside(self, body: Iterable[Statement], span: Span) -> Block:
        return Block((*self.declared, *_without_last(tuple(body), _continues)), span)

    def chosen(self, statements: Iterable[Statement]) -> bool:
        """Whether nothing but the way out is set."""
        return all(_sets(self.left, s) is not None for s in statements)

    def ways_out(self, level: _Level, span: Span) -> _Code:
        if not level.exits:
            return _Code((), frozenset())
        *others, last = level.exits
        code = self.to(last, span)
        for target in reversed(others):
            assert level.left is not None
            code = _if(_equal(level.left, target, span), self.to(target, span), code, span)
        return code

    # ------------------------------------------------------------ the next block

    def variable(self, span: Span) -> Variable:
        if self.active is None:
            self.active = self.making.fresh("goto", INT, span)
            self.declared.append(Declare(self.active, None, span))
        return self.active

    def is_next(self, node: int, span: Span) -> Expression:
        return _equal(self.variable(span), node, span)

    def sets_next(self, statement: Statement, node: int | None = None) -> bool:
        value = _sets(self.active, statement)
        return value is not None and node in (None, value)


# ---------------------------------------------------------------- shapes


def _if(condition: Expression, then: _Code, otherwise: _Code, span: Span) -> _Code:
    """A choice; after an arm that leaves, the other one needs no `else`."""
    next_ = then.next | otherwise.next
    if not then.goes_on and (otherwise.goes_on or len(then.statements) <= len(otherwise.statements)):
        return _Code((If(condition, Block(then.statements, span), None, span), *otherwise.statements), next_)
    if not otherwise.goes_on:
        inverse = negated(condition)
        return _Code((If(inverse, Block(otherwise.statements, span), None, span), *then.statements), next_)
    other = Block(otherwise.statements, span)
    return _Code((If(condition, Block(then.statements, span), other, span),), next_)


def _without_last(statements: tuple[Statement, ...], dropped: Callable[[Statement], bool]) -> tuple[Statement, ...]:
    """Statements without `dropped` ones at the end, also in the arms of a last `if`."""
    if not statements:
        return ()
    *first, last = statements
    if dropped(last):
        return _without_last(tuple(first), dropped)
    if not isinstance(last, If):
        return statements
    then = _without_last(_listed(last.then), dropped)
    otherwise = None if last.otherwise is None else _without_last(_listed(last.otherwise), dropped)
    return (*first, *_tidy(last, then, otherwise))


def _listed(statement: Statement) -> tuple[Statement, ...]:
    return statement.body if isinstance(statement, Block) else (statement,)


def _tidy(old: If, then: tuple[Statement, ...], otherwise: tuple[Statement, ...] | None) -> tuple[Statement, ...]:
    span = old.span
    if then or not otherwise:
        return (If(old.condition, Block(then, span), Block(otherwise, span) if otherwise else None, span),)
    return (If(negated(old.condition), Block(otherwise, span), None, span),)


def _continues(statement: Statement) -> bool:
    return isinstance(statement, Continue)


def _again(statements: Iterable[Statement]) -> bool:
    """Whether the body goes back to its start from within."""
    return any(escapes(s, breaks=False) for s in statements)


# ---------------------------------------------------------------- expressions


def negated(condition: Expression) -> Expression:
    match condition:
        case Unary(op=UnaryOp.NOT, operand=operand) if operand.type == BOOL:
            return operand
        case _:
            return Unary(UnaryOp.NOT, condition, BOOL, condition.span)


def _set(variable: Variable, value: int, span: Span) -> Statement:
    place = VariablePlace(variable, span)
    return Evaluate(Assign(place, IntConst(value, INT, span), INT, span), span)


def _sets(variable: Variable | None, statement: Statement) -> int | None:
    """The number that a statement sets the variable to; None: it does something else."""
    match statement:
        case Evaluate(expression=Assign(place=VariablePlace(variable=v), value=IntConst(value=value))):
            return value if variable is not None and v == variable else None
        case _:
            return None


def _equal(variable: Variable, value: int, span: Span) -> Expression:
    loaded = Load(VariablePlace(variable, span), INT, span)
    return Binary(BinaryOp.EQ, loaded, IntConst(value, INT, span), BOOL, span)


def _within(value: Expression, low: int, high: int) -> Expression:
    def compare(op: BinaryOp, bound: int) -> Expression:
        return Binary(op, value, IntConst(bound, value.type, value.span), BOOL, value.span)

    if low == high:
        return compare(BinaryOp.EQ, low)
    return Logical(True, compare(BinaryOp.GE, low), compare(BinaryOp.LE, high), BOOL, value.span)


def _any(tests: list[Expression]) -> Expression:
    found = tests[0]
    for test in tests[1:]:
        found = Logical(False, found, test, BOOL, test.span)
    return found
