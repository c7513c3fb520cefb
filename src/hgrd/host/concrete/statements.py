"""Statements of the concrete run."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.host.concrete.expressions import initialise, must_be_followed
from hgrd.host.concrete.library.containers import LOOKING
from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.memory import forget, forget_reachable, width_of
from hgrd.host.concrete.state.values import UNKNOWN, Object, Pointer, StoppedError, Value
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import BinaryOp, Storage
from hgrd.program.statements import Statement
from hgrd.program.types import BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType
from hgrd.program.walk import nodes


class Leave(Enum):
    BREAK = "break"
    CONTINUE = "continue"


class Returned(Struct, frozen=True):
    value: Value


Exit: TypeAlias = Leave | Returned | None
_TRIED: Final = 2  # iterations from which the length of a loop is foretold
_ORDERED: Final = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE, BinaryOp.NE)


def execute(machine: Machine, statement: Statement) -> Exit:
    """Runs a statement; the result says how it was left, None: at its end."""
    match statement:
        case st.Block(body=body):
            left = _sequence(machine, body)
            _end(machine, body)
            return left
        case st.Evaluate(expression=e):
            machine.evaluate(machine, e)
            return None
        case st.Declare():
            _declare(machine, statement)
            return None
        case st.If():
            return _if(machine, statement)
        case st.Loop() | st.DoWhile():
            return _loop(machine, statement)
        case st.Switch():
            return _switch(machine, statement)
        case st.Break():
            return Leave.BREAK
        case st.Continue():
            return Leave.CONTINUE
        case st.Return(value=value):
            return Returned(UNKNOWN if value is None else machine.evaluate(machine, value))
        case _:
            raise StoppedError


def _sequence(machine: Machine, body: tuple[Statement, ...]) -> Exit:
    for statement in body:
        left = execute(machine, statement)
        if left is not None:
            return left
    return None


def _end(machine: Machine, body: tuple[Statement, ...]) -> None:
    """The objects of a block end."""
    if machine.queue is not None and machine.queue.waiting is not None:
        for statement in body:
            if isinstance(statement, st.Declare):
                machine.queue.may_destroy(statement.variable.type, machine.records)


def _declare(machine: Machine, statement: st.Declare) -> None:
    variable = statement.variable
    if variable.storage not in (Storage.LOCAL, Storage.PARAMETER):
        return
    made = Object(variable.name, width_of(variable.type, machine.records))
    if statement.initial is not None:
        initialise(machine, Pointer(made, 0), statement.initial, variable.type, statement.span)
    machine.frame.variables[variable.key] = made


def _if(machine: Machine, statement: st.If) -> Exit:
    condition = machine.evaluate(machine, statement.condition)
    if condition is UNKNOWN:
        return _either(machine, statement)
    if condition:
        return execute(machine, statement.then)
    return None if statement.otherwise is None else execute(machine, statement.otherwise)


def _either(machine: Machine, statement: st.If) -> Exit:
    """Goes on where the program does not end, after either arm; what only one of them changes is unknown then."""
    then, otherwise = statement.then, statement.otherwise
    ends, other_ends = (arm is not None and _ends_program(machine, arm) for arm in (then, otherwise))
    if machine.queue is not None and (ends or other_ends):
        machine.queue.answer()
    if ends:
        return None if otherwise is None else execute(machine, otherwise)
    if other_ends:
        return execute(machine, then)
    arms = (then, *(() if otherwise is None else (otherwise,)))
    _forget_effects(machine, arms)
    return None


def _ends_program(machine: Machine, arm: Statement) -> bool:
    """Whether the program ends when an arm has been run."""
    match arm:
        case st.Block(body=body):
            return bool(body) and _ends_program(machine, body[-1])
        case st.Return():
            return len(machine.frames) == 1
        case st.Evaluate(expression=ir.Call(function=function)):
            declared = machine.functions.get(function.key)
            return declared is not None and declared.noreturn
        case _:
            return False


def _switch(machine: Machine, statement: st.Switch) -> Exit:
    value = machine.evaluate(machine, statement.operand)
    if not isinstance(value, int):
        raise StoppedError
    cases = statement.cases
    chosen = [i for i, c in enumerate(cases) if any(low <= value <= high for low, high in c.values)]
    chosen = chosen or [i for i, c in enumerate(cases) if c.default]
    for case in cases[chosen[0] :] if chosen else ():
        left = _sequence(machine, case.body)
        if left is Leave.BREAK:
            return None
        if left is not None:
            return left
    return None


def _loop(machine: Machine, loop: st.Loop | st.DoWhile) -> Exit:
    machine.loops += 1
    left = _iterations(machine, loop)
    machine.loops -= 1
    if machine.loops == 0:
        for launched in machine.seen.values():
            if launched is not None:
                launched.final = True
    return left


def _iterations(machine: Machine, loop: st.Loop | st.DoWhile) -> Exit:
    distances: list[int] = []
    begin = machine.steps
    first = isinstance(loop, st.DoWhile)
    while True:
        if not first and loop.condition is not None:
            value = machine.evaluate(machine, loop.condition)
            if value is UNKNOWN:
                raise StoppedError
            if not value:
                return None
        first = False
        left = execute(machine, loop.body)
        if left is Leave.BREAK:
            return None
        if isinstance(left, Returned):
            return left
        if isinstance(loop, st.Loop) and loop.step is not None:
            machine.evaluate(machine, loop.step)
        machine.step()
        if len(distances) < _TRIED:
            distances.append(_distance(machine, loop))
            left_over = machine.most_steps - machine.steps
            if len(distances) == _TRIED and _too_long(distances, machine.steps - begin, left_over):
                _forget_effects(machine, (loop,))
                return None


def _distance(machine: Machine, loop: st.Loop | st.DoWhile) -> int:
    """How far the two sides of a loop's test are from each other, in numbers or bytes; 0: not known."""
    test = loop.condition
    if not isinstance(test, ir.Binary) or test.op not in _ORDERED or machine.effects.of(test).calls:
        return 0
    match machine.evaluate(machine, test.left), machine.evaluate(machine, test.right):
        case int(a), int(b):
            return abs(a - b)
        case Pointer(offset=int(a)), Pointer(offset=int(b)):
            return abs(a - b)
        case _:
            return 0


def _too_long(distances: list[int], taken: int, left: int) -> bool:
    """Whether a loop that comes to its end evenly takes more steps than there are left."""
    before, now = distances
    return before > now > 0 and now // (before - now) * (taken // _TRIED) > left


def _forget_effects(machine: Machine, parts: tuple[Statement, ...]) -> None:
    """What these statements may change is not known from now on; the run stops if they may do more than that."""
    effects = machine.effects.of(*parts)
    if effects.launches or any(_is_unseen(machine, key) for key in effects.calls):
        raise StoppedError
    must_be_followed(machine, effects)
    if any(isinstance(node, st.Return | st.Goto | st.UnsupportedStatement | ir.Unsupported) for node in nodes(parts)):
        raise StoppedError
    sizes = not _may_resize(parts)
    if effects.through_pointers or effects.calls:
        forget_reachable([Pointer(target, 0) for target in _mentioned(machine, parts)], sizes=sizes)
    if any(machine.functions[key].user_code for key in effects.calls & machine.functions.keys()):
        machine.forget_globals()
    for variable in effects.assigned | effects.exposed | effects.arrays:
        if variable.storage not in (Storage.LOCAL, Storage.PARAMETER) or variable.key in machine.frame.variables:
            forget(machine.object_of(variable), sizes=sizes)


def _may_resize(parts: tuple[Statement, ...]) -> bool:
    """Whether statements do more to containers than to look at them, and to assign to their elements."""
    return any(_resizes(node) for node in nodes(parts))


def _resizes(node: object) -> bool:
    match node:
        case ir.Call(function=function) if not function.user_code and function.name in LOOKING:
            return False
        case ir.Call(function=function) if function.user_code:
            return True
        case ir.Call(arguments=arguments) | ir.Construct(arguments=arguments):
            types = (a.type.to for a in arguments if isinstance(a.type, PointerType))
            return any(isinstance(t, OpaqueType | RecordType) for t in types)
        case ir.IndirectCall():
            return True
        case ir.Assign(type=OpaqueType() | RecordType()):
            return True
        case _:
            return False


def _is_unseen(machine: Machine, key: str) -> bool:
    function = machine.functions.get(key)
    return function is not None and function.user_code and function.body is None


def _mentioned(machine: Machine, parts: tuple[Statement, ...]) -> Iterator[Object]:
    for node in nodes(parts):
        if isinstance(node, ir.VariablePlace) and not isinstance(node.variable.type, IntType | FloatType | BoolType):
            variable = node.variable  # a number is changed by name, or where a pointer leads
            if variable.storage not in (Storage.LOCAL, Storage.PARAMETER) or variable.key in machine.frame.variables:
                yield machine.object_of(variable)
