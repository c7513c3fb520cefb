"""Runs bodies over local integers, gotos and all: what the analyses' forms of a body must agree with.

Statements are run as a list of instructions with a program counter, so that a goto is a jump of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hgrd.program.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Call,
    Convert,
    Expression,
    IntConst,
    Load,
    Logical,
    Unary,
    VariablePlace,
)
from hgrd.program.statements import (
    Block,
    Break,
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
)

UNDEFINED = object()


@dataclass
class Run:
    """The values of the variables, and the calls that were made."""

    values: dict[str, object]
    trace: list[tuple[object, ...]] = field(default_factory=list)

    def value(self, expression: Expression) -> int:
        match expression:
            case IntConst(value=value):
                return value
            case Load(place=VariablePlace(variable=variable)):
                value = self.values[variable.key]
                assert isinstance(value, int), f"{variable.key} is read without a value"
                return value
            case Assign(place=VariablePlace(variable=variable), value=value):
                self.values[variable.key] = self.value(value)
                return self.value(value)
            case Unary(operand=operand):
                return int(not self.value(operand))
            case Logical(conjunction=conjunction, left=left, right=right):
                return int(
                    self.value(left) and self.value(right) if conjunction else self.value(left) or self.value(right)
                )
            case Convert(operand=operand):
                return self.value(operand)
            case Binary(op=op, left=left, right=right):
                return int(_OPERATIONS[op](self.value(left), self.value(right)))
            case Call(function=function, arguments=arguments):
                self.trace.append((function.name, *map(self.value, arguments)))
                return 0
            case _:
                raise AssertionError(expression)


_OPERATIONS: Mapping[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: lambda a, b: a + b,
    BinaryOp.SUB: lambda a, b: a - b,
    BinaryOp.AND: lambda a, b: a & b,
    BinaryOp.EQ: lambda a, b: a == b,
    BinaryOp.LT: lambda a, b: a < b,
    BinaryOp.LE: lambda a, b: a <= b,
    BinaryOp.GT: lambda a, b: a > b,
    BinaryOp.GE: lambda a, b: a >= b,
}

Instruction = Callable[[Run], int | None]  # where to go on; None: behind it


@dataclass
class _Code:
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[object, int] = field(default_factory=dict)

    def emit(self, instruction: Instruction) -> None:
        self.instructions.append(instruction)

    def mark(self, label: object) -> None:
        self.labels[label] = len(self.instructions)

    def jump(self, label: object) -> None:
        self.emit(lambda _: self.labels[label])

    def unless(self, test: Expression, label: object) -> None:
        self.emit(lambda run: None if run.value(test) else self.labels[label])

    def add(self, s: Statement, after: object, again: object) -> None:
        match s:
            case Block(body=body):
                for part in body:
                    self.add(part, after, again)
            case Declare(variable=variable, initial=None):
                self.emit(lambda run: run.values.update({variable.key: UNDEFINED}))
            case Declare(variable=variable, initial=initial):
                self.emit(lambda run: run.values.update({variable.key: run.value(initial)}))
            case Evaluate(expression=expression):
                self.emit(lambda run: [run.value(expression), None][1])
            case If(condition=condition, then=then, otherwise=otherwise):
                other, end = object(), object()
                self.unless(condition, other)
                self.add(then, after, again)
                self.jump(end)
                self.mark(other)
                if otherwise is not None:
                    self.add(otherwise, after, again)
                self.mark(end)
            case Loop(condition=condition, step=step, body=body):
                head, next_, end = object(), object(), object()
                self.mark(head)
                if condition is not None:
                    self.unless(condition, end)
                self.add(body, end, next_)
                self.mark(next_)
                if step is not None:
                    self.emit(lambda run: [run.value(step), None][1])
                self.jump(head)
                self.mark(end)
            case DoWhile(body=body, condition=condition):
                head, test, end = object(), object(), object()
                self.mark(head)
                self.add(body, end, test)
                self.mark(test)
                self.unless(condition, end)
                self.jump(head)
                self.mark(end)
            case Switch():
                self.switch(s, again)
            case Break():
                self.jump(after)
            case Continue():
                self.jump(again)
            case Label(name=name):
                self.mark(name)
            case Goto(target=target):
                self.jump(target)
            case Return():
                self.jump("return")
            case _:
                raise AssertionError(s)

    def switch(self, s: Switch, again: object) -> None:
        bodies, end = [object() for _ in s.cases], object()
        default = next((b for b, case in zip(bodies, s.cases, strict=True) if case.default), end)

        def choose(run: Run) -> int:
            value = run.value(s.operand)
            for body, case in zip(bodies, s.cases, strict=True):
                if any(low <= value <= high for low, high in case.values):
                    return self.labels[body]
            return self.labels[default]

        self.emit(choose)
        for body, case in zip(bodies, s.cases, strict=True):
            self.mark(body)
            self.add(Block(case.body, s.span), end, again)
        self.mark(end)


def run(body: Statement, values: Mapping[str, int], calls: int, steps: int) -> list[tuple[object, ...]]:
    """The first calls of a run, with the values they are given; the last is ("end",) if the run ends before."""
    code = _Code()
    code.add(body, "return", "return")
    code.mark("return")
    state = Run(dict(values))
    at = 0
    for _ in range(steps):
        if at == len(code.instructions):
            state.trace.append(("end",))
        if at == len(code.instructions) or len(state.trace) >= calls:
            break
        onward = code.instructions[at](state)
        at = at + 1 if onward is None else onward
    return state.trace[:calls]
