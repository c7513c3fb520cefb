"""Construction of control-flow graphs from statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.program.control_flow.cfg import (
    BasicBlock,
    Branch,
    End,
    Graph,
    Jump,
    Leave,
    Select,
    Terminator,
    irreducible,
    sort_order,
    targets,
)
from hgrd.program.control_flow.dominance import postorder
from hgrd.program.expressions import Convert, Expression, IntConst
from hgrd.program.span import Span
from hgrd.program.statements import (
    Block,
    Break,
    Continue,
    DoWhile,
    Evaluate,
    Goto,
    If,
    Label,
    Loop,
    Return,
    Statement,
    Switch,
)
from hgrd.program.walk import below

_WHOLE: Final = (If, Loop, DoWhile, Switch, Block)


def graph_of(statements: Iterable[Statement], span: Span, whole: Callable[[Statement], bool] | None = None) -> Graph:
    """Control-flow graph of statements at `span`, its blocks in sort order where it has one.

    Statements that are `whole` stay together as one statement of a block; None: none do.  A goto to a label that
    does not exist leaves.
    """
    body = tuple(statements)
    labels = {s.name for s in below(body) if isinstance(s, Label)}
    making = _Making(whole or (lambda _: False), labels)
    making.open(span)
    making.all(body)
    making.close(End())
    return renumbered(making.finished())


class _Unfinished(Struct):
    span: Span
    statements: list[Statement] = field(default_factory=list[Statement])
    terminator: Terminator | None = None


class _Exits(Struct, frozen=True):
    """Blocks where `break` and `continue` lead; None: out of the graph."""

    after: int | None = None
    again: int | None = None


class _Making(Struct):
    whole: Callable[[Statement], bool]
    names: set[str]
    blocks: list[_Unfinished] = field(default_factory=list[_Unfinished])
    current: int = 0
    entered: dict[int, None] = field(default_factory=dict[int, None])  # blocks in the order of the source
    labels: dict[str, int] = field(default_factory=dict[str, int])
    exits: _Exits = _Exits()

    # ------------------------------------------------------------ blocks

    def new(self, span: Span) -> int:
        self.blocks.append(_Unfinished(span))
        return len(self.blocks) - 1

    def enter(self, block: int) -> None:
        self.current = block
        self.entered[block] = None

    def open(self, span: Span) -> None:
        self.enter(self.new(span))

    def close(self, terminator: Terminator) -> None:
        """Ends the current block, unless a jump has ended it."""
        block = self.blocks[self.current]
        block.terminator = block.terminator or terminator

    def go_on(self, block: int) -> None:
        """Goes on in `block`, also from the block before it."""
        self.close(Jump(block))
        self.enter(block)

    def label(self, name: str, span: Span) -> int:
        if name not in self.labels:
            self.labels[name] = self.new(span)
        return self.labels[name]

    def finished(self) -> Graph:
        blocks = tuple(BasicBlock(tuple(b.statements), b.terminator or End(), b.span) for b in self.blocks)
        return _in_order(Graph(blocks), dict.fromkeys((*self.entered, *range(len(blocks)))))

    # ------------------------------------------------------------ statements

    def all(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            self.add(statement)

    def add(self, statement: Statement) -> None:
        if self.blocks[self.current].terminator is not None:  # code after a jump is reached by labels only
            self.open(statement.span)
        if isinstance(statement, _WHOLE) and self.whole(statement):
            self.blocks[self.current].statements.append(statement)
            return
        match statement:
            case Block(body=body):
                self.all(body)
            case If():
                self.choice(statement)
            case Loop():
                self.loop(statement)
            case DoWhile():
                self.do_while(statement)
            case Switch():
                self.switch(statement)
            case Label(name=name, span=span):
                block = self.label(name, span)
                self.blocks[block].span = span
                self.go_on(block)
            case Goto(target=target, span=span) if target in self.names:
                self.close(Jump(self.label(target, span)))
            case Break():
                self.close(Leave(statement) if self.exits.after is None else Jump(self.exits.after))
            case Continue():
                self.close(Leave(statement) if self.exits.again is None else Jump(self.exits.again))
            case Goto() | Return():
                self.close(Leave(statement))
            case _:
                self.blocks[self.current].statements.append(statement)

    def body(self, statement: Statement, start: int, end: int, exits: _Exits) -> None:
        """`statement` in a block of its own that leads on to `end`."""
        outer, self.exits = self.exits, exits
        self.enter(start)
        self.add(statement)
        self.close(Jump(end))
        self.exits = outer

    def choice(self, statement: If) -> None:
        then, after = self.new(statement.then.span), self.new(statement.span)
        otherwise = after if statement.otherwise is None else self.new(statement.otherwise.span)
        self.close(_branch(statement.condition, then, otherwise))
        self.body(statement.then, then, after, self.exits)
        if statement.otherwise is not None:
            self.body(statement.otherwise, otherwise, after, self.exits)
        self.enter(after)

    def loop(self, statement: Loop) -> None:
        span = statement.span
        head, body, step, after = (self.new(span) for _ in range(4))
        self.go_on(head)
        self.close(Jump(body) if statement.condition is None else _branch(statement.condition, body, after))
        self.body(statement.body, body, step, _Exits(after, step))
        self.enter(step)
        if statement.step is not None:
            self.blocks[step].statements.append(Evaluate(statement.step, span))
        self.close(Jump(head))
        self.enter(after)

    def do_while(self, statement: DoWhile) -> None:
        head, test, after = (self.new(statement.span) for _ in range(3))
        self.go_on(head)
        self.body(statement.body, head, test, _Exits(after, test))
        self.enter(test)
        self.close(_branch(statement.condition, head, after))
        self.enter(after)

    def switch(self, statement: Switch) -> None:
        bodies = [self.new(case.span) for case in statement.cases]
        after = self.new(statement.span)
        default = next((b for b, case in zip(bodies, statement.cases, strict=True) if case.default), after)
        arms = tuple((c.values, b) for b, c in zip(bodies, statement.cases, strict=True) if c.values)
        self.close(Select(statement.operand, arms, default))
        for case, body, following in zip(statement.cases, bodies, [*bodies[1:], after], strict=False):
            self.body(Block(case.body, case.span), body, following, _Exits(after, self.exits.again))
        self.enter(after)


def _branch(condition: Expression, then: int, otherwise: int) -> Terminator:
    """Branch on a condition; a constant decides it at once (`do … while (0)`)."""
    match condition:
        case Convert(operand=IntConst(value=value)) | IntConst(value=value):
            return Jump(then if value else otherwise)
        case _:
            return Branch(condition, then, otherwise)


# ---------------------------------------------------------------- tidying


def renumbered(graph: Graph) -> Graph:
    """Without blocks that are not reached or only jump on, chains as one block, in sort order where there is one."""
    graph = _chained(_threaded(graph))
    order = tuple(reversed(postorder(graph.successors(), 0))) if irreducible(graph) else sort_order(graph)
    return _in_order(graph, order)


def _in_order(graph: Graph, order: Iterable[int]) -> Graph:
    kept = tuple(order)
    number = {block: i for i, block in enumerate(kept)}
    blocks = (graph.blocks[i] for i in kept)
    return Graph(tuple(replace(b, terminator=moved(b.terminator, number.__getitem__)) for b in blocks))


def moved(terminator: Terminator, to: Callable[[int], int]) -> Terminator:
    """Terminator with other block numbers."""
    match terminator:
        case Jump(target=target):
            return Jump(to(target))
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return Branch(condition, to(then), to(otherwise))
        case Select(operand=operand, arms=arms, default=default):
            return Select(operand, tuple((values, to(target)) for values, target in arms), to(default))
        case Leave() | End():
            return terminator


def _threaded(graph: Graph) -> Graph:
    """Graph with jumps led past blocks that only jump on, then without blocks that are not reached."""

    def onward(block: int) -> int:
        seen = {block}
        while True:
            match graph.blocks[block]:
                case BasicBlock(statements=(), terminator=Jump(target=target)) if target not in seen:
                    seen.add(target)
                    block = target
                case _:
                    return block

    threaded = Graph(tuple(replace(b, terminator=moved(b.terminator, onward)) for b in graph.blocks))
    start = onward(0)
    reached = sorted(postorder(threaded.successors(), start), key=lambda i: (i != start, i))
    return _in_order(threaded, reached)


def _chained(graph: Graph) -> Graph:
    """Graph with chains merged: a block joins its only predecessor if that leads nowhere else."""
    count = [0] * len(graph.blocks)
    for block in graph.blocks:
        for target in targets(block.terminator):
            count[target] += 1
    kept: dict[int, BasicBlock] = {}
    swallowed: set[int] = set()
    for number, block in enumerate(graph.blocks):
        chain = [number]
        while isinstance(block.terminator, Jump) and count[block.terminator.target] == 1:
            next_ = block.terminator.target
            if next_ == 0 or next_ in chain:
                break
            chain.append(next_)
            other = graph.blocks[next_]
            block = BasicBlock((*block.statements, *other.statements), other.terminator, block.span)
        swallowed.update(chain[1:])
        kept[number] = block
    order = [i for i in range(len(graph.blocks)) if i not in swallowed]
    return _in_order(Graph(tuple(kept[i] for i in range(len(graph.blocks)))), order)
