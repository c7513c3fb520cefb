"""Statements of the concrete run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.host.concrete.expressions import must_be_followed
from hgrd.host.concrete.library.cpp.containers import LOOKING
from hgrd.host.concrete.places import initialisation, stop
from hgrd.host.concrete.state.machine import Code, Machine
from hgrd.host.concrete.state.memory import NumberKind, forget, forget_reachable, number_kind, width_of
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Object, Pointer, StoppedError, Value
from hgrd.host.concrete.translated_loops import TranslatedLoop, lines_of_accesses
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.analysis.effects import Effects
from hgrd.program.expressions import BinaryOp, Storage
from hgrd.program.statements import Statement
from hgrd.program.types import BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType
from hgrd.program.walk import inside, nodes


class Leave(Enum):
    BREAK = "break"
    CONTINUE = "continue"


class Returned(Struct, frozen=True):
    value: Value


Exit: TypeAlias = Leave | Returned | None
"""How a statement was left; None: at its end."""
Execution: TypeAlias = Callable[[], Exit]
"""A statement made ready to be run, in the frame that is the innermost one then."""
_TRIED: Final = 2  # iterations from which the length of a loop is foretold
_WORTH_IT: Final = 30  # iterations for which a loop is translated
_ORDERED: Final = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE, BinaryOp.NE)
_NUMBERS: Final = (IntType, FloatType, BoolType)
_SCALARS: Final = (IntType, FloatType, BoolType, PointerType)


def execution(machine: Machine, statement: Statement) -> Execution:
    """The code of a statement."""
    match statement:
        case st.Block(body=body):
            return _block(machine, body)
        case st.Evaluate(expression=e):
            return _effect(machine.code_of(e))
        case st.Declare():
            return _declaration(machine, statement)
        case st.If():
            return _if(machine, statement)
        case st.Loop() | st.DoWhile():
            return _loop(machine, statement)
        case st.Switch():
            return _switch(machine, statement)
        case st.Break():
            return lambda: Leave.BREAK
        case st.Continue():
            return lambda: Leave.CONTINUE
        case st.Return(value=value):
            return _return(None if value is None else machine.code_of(value))
        case _:
            return stop


def _effect(code: Code) -> Execution:
    def run() -> Exit:
        code()
        return None

    return run


def _return(code: Code | None) -> Execution:
    return lambda: Returned(UNKNOWN if code is None else code())


def _sequence(machine: Machine, body: tuple[Statement, ...]) -> Execution:
    codes = [execution(machine, statement) for statement in body]

    def run() -> Exit:
        for code in codes:
            left = code()
            if left is not None:
                return left
        return None

    return run


def _block(machine: Machine, body: tuple[Statement, ...]) -> Execution:
    run = _sequence(machine, body)
    queue, types = machine.queue, [s.variable.type for s in body if isinstance(s, st.Declare)]
    if queue is None or queue.waiting is None or not types:
        return run

    def run_and_end() -> Exit:
        left = run()
        for type_ in types:
            queue.may_destroy(type_, machine.records)
        return left

    return run_and_end


def _declaration(machine: Machine, statement: st.Declare) -> Execution:
    variable, initial, span = statement.variable, statement.initial, statement.span
    name, key, type_, size = variable.name, variable.key, variable.type, width_of(variable.type, machine.records)
    if variable.storage not in (Storage.LOCAL, Storage.PARAMETER):
        return lambda: None
    if initial is not None and size is not None and isinstance(type_, _SCALARS):
        return _number(machine, statement, machine.code_of(initial), size)
    begin = None if initial is None else initialisation(machine, initial, type_, span)

    def declare() -> Exit:
        made = machine.variables[key] = Object(name, size)
        if begin is not None:
            begin(Pointer(made, 0))
        return None

    return declare


def _number(machine: Machine, statement: st.Declare, code: Code, size: int) -> Execution:
    """The declaration of a variable that is a number, or a pointer."""
    name, key, type_, span = statement.variable.name, statement.variable.key, statement.variable.type, statement.span

    def declare() -> Exit:
        made = Object(name, size, {0: Cell(code(), type_, size)}, written=span)
        machine.variables[key] = made
        return None

    return declare


def _if(machine: Machine, statement: st.If) -> Execution:
    condition, then = machine.code_of(statement.condition), execution(machine, statement.then)
    otherwise = None if statement.otherwise is None else execution(machine, statement.otherwise)

    def choose() -> Exit:
        value = condition()
        if value is UNKNOWN:
            return _either(machine, statement, then, otherwise)
        if value:
            return then()
        return None if otherwise is None else otherwise()

    return choose


def _either(machine: Machine, statement: st.If, then: Execution, otherwise: Execution | None) -> Exit:
    """Goes on where the program does not end, after either arm; what only one of them changes is unknown then."""
    arms = inside(statement)
    ends, *other_ends = (_ends_program(machine, arm) for arm in arms)
    if machine.queue is not None and (ends or any(other_ends)):
        machine.queue.answer()
    if ends:
        return None if otherwise is None else otherwise()
    if any(other_ends):
        return then()
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


def _switch(machine: Machine, statement: st.Switch) -> Execution:
    operand, cases = machine.code_of(statement.operand), statement.cases
    bodies = [_sequence(machine, case.body) for case in cases]

    def choose() -> Exit:
        value = operand()
        if not isinstance(value, int):
            raise StoppedError
        chosen = [i for i, c in enumerate(cases) if any(low <= value <= high for low, high in c.values)]
        chosen = chosen or [i for i, c in enumerate(cases) if c.default]
        for body in bodies[chosen[0] :] if chosen else ():
            left = body()
            if left is Leave.BREAK:
                return None
            if left is not None:
                return left
        return None

    return choose


def _loop(machine: Machine, loop: st.Loop | st.DoWhile) -> Execution:
    iterate = _iterations(machine, loop)

    def run() -> Exit:
        machine.loops += 1
        left = iterate()
        machine.loops -= 1
        if machine.loops == 0:
            for launched in machine.seen.values():
                if launched is not None:
                    launched.final = True
        return left

    return run


def _iterations(machine: Machine, loop: st.Loop | st.DoWhile) -> Execution:
    body, ahead = execution(machine, loop.body), isinstance(loop, st.Loop)
    condition = None if loop.condition is None else machine.code_of(loop.condition)
    step = machine.code_of(loop.step) if isinstance(loop, st.Loop) and loop.step is not None else None
    cost = cost_of(loop)
    fast = TranslatedLoop(machine, loop) if isinstance(loop, st.Loop) else None

    def iterate() -> Exit:
        distances: list[int] = []
        begin, tests = machine.steps, ahead
        while True:
            if tests and condition is not None:
                value = condition()
                if value is UNKNOWN:
                    raise StoppedError
                if not value:
                    return None
            tests = True
            left = body()
            if left is not None and left is not Leave.CONTINUE:
                return None if left is Leave.BREAK else left
            if step is not None:
                step()
            machine.step(cost)
            if len(distances) < _TRIED:
                distances.append(_distance(machine, loop))
                if len(distances) < _TRIED:
                    continue
                if fast is not None and _left(distances) > _WORTH_IT and fast.run():
                    return None
                if _left(distances) * ((machine.steps - begin) // _TRIED) > machine.steps_left():
                    _forget_effects(machine, (loop,))
                    return None

    return iterate


def cost_of(statement: Statement) -> int:
    """The steps that a statement takes, a loop for each iteration: the statements in it, but those of loops in it."""
    return 1 + sum(cost_of(part) for part in inside(statement) if not isinstance(part, st.Loop | st.DoWhile))


def _distance(machine: Machine, loop: st.Loop | st.DoWhile) -> int:
    """How far the two sides of a loop's test are from each other, in numbers or bytes; 0: not known."""
    test = loop.condition
    if not isinstance(test, ir.Binary) or test.op not in _ORDERED:
        return 0
    if not all(_only_looks(node) for node in nodes(test)):
        return 0
    match machine.evaluate(test.left), machine.evaluate(test.right):
        case int(a), int(b):
            return abs(a - b)
        case Pointer(offset=int(a)), Pointer(offset=int(b)):
            return abs(a - b)
        case _:
            return 0


def _only_looks(node: object) -> bool:
    """Whether a part of a test changes nothing: it may look at a container."""
    match node:
        case ir.Call(function=function):
            return not function.user_code and function.name in LOOKING
        case ir.Assign() | ir.Update() | ir.IndirectCall() | ir.Construct():
            return False
        case _:
            return True


def _left(distances: list[int]) -> int:
    """How many more times a loop is run that comes to its end evenly; 0: not known."""
    before, now = distances
    return now // (before - now) if before > now > 0 else 0


def _forget_effects(machine: Machine, parts: tuple[Statement, ...]) -> None:
    """What these statements may change is not known from now on; the run stops if they may do more than that."""
    effects = machine.effects.of(*parts)
    if effects.launches or any(_is_unseen(machine, key) for key in effects.calls):
        raise StoppedError
    must_be_followed(machine, effects)
    if machine.queue is not None:
        machine.queue.pass_over(lines_of_accesses(parts))
    if any(isinstance(node, st.Return | st.Goto | st.UnsupportedStatement | ir.Unsupported) for node in nodes(parts)):
        raise StoppedError
    sizes = not _may_resize(parts)
    stored = None if _calls_may_store(machine, parts, effects) else _stored_numbers(machine, parts, effects)
    if effects.through_pointers or _calls_may_store(machine, parts, effects):
        forget_reachable(list(_mentioned(machine, parts)), sizes=sizes, stored=stored)
    if any(machine.functions[key].user_code for key in effects.calls & machine.functions.keys()):
        machine.forget_globals()
    for variable in effects.assigned | effects.exposed | effects.arrays:
        if variable.storage not in (Storage.LOCAL, Storage.PARAMETER) or variable.key in machine.variables:
            named = variable in effects.assigned
            forget(machine.object_of(variable), sizes=sizes, stored=None if named else stored)


def _stored_numbers(machine: Machine, parts: tuple[Statement, ...], effects: Effects) -> Set[NumberKind] | None:
    """The kinds of numbers that statements store by pointers; None: they store other values, or bytes."""
    called = [machine.functions.get(key) for key in effects.calls]
    everything = nodes((parts, *(f.body for f in called if f is not None)))
    stores = (n for n in everything if isinstance(n, ir.Assign | ir.Update | ir.Construct))
    types = (n.type for n in stores if not isinstance(getattr(n, "place", None), ir.VariablePlace))
    kinds = {number_kind(type_) for type_ in types}
    return None if None in kinds or (False, 8) in kinds else {kind for kind in kinds if kind is not None}


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


def _calls_may_store(machine: Machine, parts: tuple[Statement, ...], effects: Effects) -> bool:
    """Whether functions without a body, other than those that look at something, get pointers."""
    called = [machine.functions.get(key) for key in effects.calls]
    bodies = [function.body for function in called if function is not None]
    return any(_may_store(machine, node) for node in nodes((parts, *bodies)))


def _may_store(machine: Machine, node: object) -> bool:
    match node:
        case (
            ir.Call(function=function, arguments=arguments)
            | ir.Construct(constructor=ir.FunctionRef() as function, arguments=arguments)
        ):
            declared = machine.functions.get(function.key)
            followed = declared is not None and declared.body is not None
            looks = not function.user_code and function.name in (*LOOKING, "min", "max", "operator->", "operator*")
            return not (followed or looks) and any(not isinstance(a.type, _NUMBERS) for a in arguments)
        case _:
            return isinstance(node, ir.IndirectCall)


def _is_unseen(machine: Machine, key: str) -> bool:
    function = machine.functions.get(key)
    return function is not None and function.user_code and function.body is None


def _mentioned(machine: Machine, parts: tuple[Statement, ...]) -> Iterator[Value]:
    """What variables that statements mention hold: they are changed by name, or where a pointer leads."""
    for node in nodes(parts):
        if isinstance(node, ir.VariablePlace) and not isinstance(node.variable.type, _NUMBERS):
            variable = node.variable
            if variable.storage not in (Storage.LOCAL, Storage.PARAMETER) or variable.key in machine.variables:
                yield from [cell.value for cell in machine.object_of(variable).held.values()]
