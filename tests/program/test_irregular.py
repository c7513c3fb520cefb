"""Bodies with gotos against what becomes of them: random ones make the same calls in the same order."""

from __future__ import annotations

import random

import pytest

from hgrd.program.control_flow.blocks import graph_of
from hgrd.program.control_flow.cfg import irreducible, sort_order
from hgrd.program.control_flow.irregular import structured
from hgrd.program.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Call,
    Expression,
    FunctionRef,
    IntConst,
    Load,
    Storage,
    Variable,
    VariablePlace,
)
from hgrd.program.span import Span
from hgrd.program.statements import (
    Block,
    Break,
    Case,
    Continue,
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
from hgrd.program.types import BOOL, INT, VOID
from hgrd.program.walk import below, nodes
from tests.program.running import run

CALLS = 60  # that two runs are compared for


class Making:
    """Random bodies over some variables; every call says where it stands and what the variables are."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.line = 1
        self.labels = [f"L{i}" for i in range(self.random.randint(1, 4))]
        self.unplaced = list(self.labels)
        self.variables = [Variable(f"v{i}", f"v{i}", INT, Storage.LOCAL, self.span()) for i in range(3)]
        self.made = 0

    def span(self) -> Span:
        self.line += 1
        return Span("random", self.line, 1)

    def body(self) -> Block:
        found = self.statements(3, False, False)
        for label in self.unplaced:
            found.insert(self.random.randint(0, len(found)), Label(label, self.span()))
        return Block(tuple(found), self.span())

    def statements(self, depth: int, breaks: bool, continues: bool) -> list[Statement]:
        return [s for _ in range(self.random.randint(1, 4)) for s in self.statement(depth, breaks, continues)]

    def block(self, depth: int, breaks: bool, continues: bool) -> Block:
        return Block(tuple(self.statements(depth, breaks, continues)), self.span())

    def statement(self, depth: int, breaks: bool, continues: bool) -> list[Statement]:
        kinds = ["call", "call", "set", "goto", "label", "local"]
        kinds += ["if", "if", "while", "do", "switch", "return"] if depth else []
        kinds += ["break"] if breaks else []
        kinds += ["continue"] if continues else []
        span = self.span()
        match self.random.choice(kinds):
            case "call":
                return [self.call()]
            case "set":
                return [Evaluate(self.change(), span)]
            case "local":  # used right behind it, as scopes have it
                self.made += 1
                local = Variable(f"local{self.made}", "local", INT, Storage.LOCAL, span)
                guarded = If(self.test(), Goto(self.random.choice(self.labels), span), None, span)
                declared = Declare(local, self.load(self.random.choice(self.variables)), span)
                return [Block((declared, guarded, self.call(local)), span)]
            case "goto":
                jump = Goto(self.random.choice(self.labels), span)
                return [jump if self.random.random() < 0.2 else If(self.test(), jump, None, span)]
            case "label" if self.unplaced:
                label = self.unplaced.pop(self.random.randrange(len(self.unplaced)))
                return [Label(label, span), self.call()]
            case "if":
                other = self.block(depth - 1, breaks, continues) if self.random.random() < 0.5 else None
                return [If(self.test(), self.block(depth - 1, breaks, continues), other, span)]
            case "while":
                step = self.change() if self.random.random() < 0.7 else None
                test = self.test() if self.random.random() < 0.9 else None
                return [Loop(test, step, self.block(depth - 1, True, True), span)]
            case "do":
                return [DoWhile(self.block(depth - 1, True, True), self.test(), span)]
            case "switch":
                cases = [
                    Case(((i, i),), i == 2, tuple(self.statements(depth - 1, True, continues)), self.span())
                    for i in range(self.random.randint(1, 4))
                ]
                return [Switch(self.small(), tuple(cases), span)]
            case "return":
                return [If(self.test(), Return(None, span), None, span)]
            case "break":
                return [If(self.test(), Break(span), None, span)]
            case "continue":
                return [If(self.test(), Continue(span), None, span)]
            case _:
                return [self.call()]

    # ------------------------------------------------------------ expressions

    def load(self, variable: Variable) -> Expression:
        return Load(VariablePlace(variable, variable.span), INT, variable.span)

    def number(self, value: int) -> Expression:
        return IntConst(value, INT, self.span())

    def small(self) -> Expression:
        """A variable's last two bits."""
        return Binary(BinaryOp.AND, self.load(self.random.choice(self.variables)), self.number(3), INT, self.span())

    def test(self) -> Expression:
        op = self.random.choice([BinaryOp.LT, BinaryOp.EQ, BinaryOp.GE])
        return Binary(op, self.small(), self.number(self.random.randint(0, 3)), BOOL, self.span())

    def change(self) -> Expression:
        variable = self.random.choice(self.variables)
        value = Binary(BinaryOp.ADD, self.load(variable), self.number(self.random.randint(1, 3)), INT, self.span())
        return Assign(VariablePlace(variable, variable.span), value, INT, self.span())

    def call(self, *more: Variable) -> Statement:
        span = self.span()
        function = FunctionRef(f"f{span.line}", f"f{span.line}", "", VOID)
        return Evaluate(Call(function, tuple(map(self.load, (*self.variables, *more))), VOID, span), span)


def unsupported(body: Block) -> list[UnsupportedStatement]:
    return [s for s in below((body,)) if isinstance(s, UnsupportedStatement)]


@pytest.mark.parametrize("part", range(10))
def test_the_same_calls(part: int):
    done = 0
    for seed in range(60 * part, 60 * part + 60):
        making = Making(seed)
        body = making.body()
        found = structured(body, "f")
        assert not any(isinstance(n, Goto) for n in nodes(found)), seed
        if unsupported(found):
            continue
        done += 1
        for values in ((0, 0, 0), (1, 2, 3), (3, 0, 2), (2, 3, 1)):
            start = {v.key: value for v, value in zip(making.variables, values, strict=True)}
            expected = run(body, start, CALLS, 2000)
            assert run(found, start, len(expected), 40_000) == expected, seed
    assert done > 50  # the others are loops with too many entrances


@pytest.mark.parametrize("part", range(4))
def test_the_sort_order(part: int):
    """Edges lead forward but for those back to the head of a loop, and loops stand together."""
    from hgrd.program.control_flow.cfg import loops

    reducible = 0
    for seed in range(100 * part, 100 * part + 100):
        graph = graph_of((Making(seed).body(),), Span("random", 1, 1))
        if irreducible(graph):
            continue
        reducible += 1
        order = sort_order(graph)
        place = {block: i for i, block in enumerate(order)}
        assert sorted(order) == list(range(len(graph.blocks)))
        natural = loops(graph)
        for origin, following in graph.successors().items():
            for target in following:
                back = any(loop.head == target and origin in loop.nodes for loop in natural)
                assert back or place[origin] < place[target], seed
        for loop in natural:
            places = [place[node] for node in loop.nodes]
            between = [order[i] for i in range(min(places), max(places) + 1)]
            assert all(graph.successors()[block] == () for block in between if block not in loop.nodes), seed
    assert reducible > 50
