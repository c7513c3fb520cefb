"""Execution of statements."""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.program import statements as ir
from hgrd.program.expressions import Call, Construct, IndirectCall, Launch, Storage, Variable
from hgrd.program.span import Span
from hgrd.program.statements import Statement
from hgrd.program.walk import nodes
from hgrd.symbolic.execution.construction import initialise
from hgrd.symbolic.execution.expressions import branches, evaluate, integer
from hgrd.symbolic.execution.short_circuits import changes_between, ways
from hgrd.symbolic.limits import StepLimitError
from hgrd.symbolic.loops.loop import do_while, loop
from hgrd.symbolic.machine import Exits, Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, name_contents, reachable
from hgrd.symbolic.state import ConditionKind, Generation, Region, State, merge
from hgrd.symbolic.values import Pointer
from hgrd.terms import FALSE, TRUE, Origin, Term, conj, const, disj, eq, le, negate


def execute(machine: Machine, state: State, statement: Statement, exits: Exits) -> State:
    """The state after `statement`; states that leave it otherwise go into `exits` or the frame."""
    machine.step()
    match statement:
        case ir.Block(body=body):
            return sequence(machine, state, body, exits)
        case ir.Evaluate(expression=expression):
            evaluate(machine, state, expression)
            return state
        case ir.Declare():
            _declare(machine, state, statement)
            return state
        case ir.If():
            return _if(machine, state, statement, exits)
        case ir.Loop():
            return loop(machine, state, statement)
        case ir.DoWhile():
            return do_while(machine, state, statement)
        case ir.Return(value=value, span=span):
            result = None if value is None else evaluate(machine, state, value)
            machine.frame.returns.append((state.copy(), result))
            machine.semantics.leave_function(machine, state, span)
            state.kill(span)
            return state
        case ir.Break(span=span):
            exits.breaks.append(state.copy())
            state.kill(span)
            return state
        case ir.Continue(span=span):
            exits.continues.append(state.copy())
            state.kill(span)
            return state
        case ir.Switch():
            return _switch(machine, state, statement, exits)
        case ir.Assembly():
            _assembly(machine, state, statement)
            return state
        case ir.Label():
            return state
        case ir.Goto(span=span):
            machine.semantics.unsupported(machine, state, "goto", span)
            return state
        case ir.UnsupportedStatement(reason=reason, parts=parts, span=span):
            machine.semantics.unsupported(machine, state, reason, span)
            return sequence(machine, state, parts, exits)


def sequence(machine: Machine, state: State, body: tuple[Statement, ...], exits: Exits) -> State:
    for index, statement in enumerate(body):
        if not state.alive:
            break
        try:
            state = execute(machine, state, statement, exits)
        except StepLimitError as limit:
            if not (limit.noted and _continues_inside(machine, statement)):
                limit.left.append(statement)
            limit.left += body[index + 1 :]
            limit.noted = True
            raise
    return state


def _continues_inside(machine: Machine, statement: Statement) -> bool:
    """Whether the rest of a statement is the rest of the sequence of statements that it has entered."""
    match statement:
        case ir.Block():
            return True
        case ir.Evaluate() | ir.Declare() | ir.Return():
            return sum(_does_more(machine, node) for node in nodes(statement)) <= 1
        case _:
            return False


def _does_more(machine: Machine, node: object) -> bool:
    """Whether an expression runs code of the program."""
    match node:
        case Call(function=called):
            function = machine.functions.get(called.key)
            return function is not None and function.body is not None
        case _:
            return isinstance(node, IndirectCall | Construct | Launch)


def _declare(machine: Machine, state: State, statement: ir.Declare) -> None:
    variable = statement.variable
    target = machine.object_of(variable)
    if target.space in SHARED_SPACES or _keeps_value(variable, target.key, state):
        return
    state.store[target.key] = Region({}, Generation(), undefined=statement.initial is None)
    if statement.initial is not None:
        initialise(machine, state, Pointer(target, const(0)), statement.initial, variable.type, statement.span)


def _keeps_value(variable: Variable, key: str, state: State) -> bool:
    return variable.storage is Storage.STATIC and key in state.store


def _if(machine: Machine, state: State, statement: ir.If, exits: Exits) -> State:
    if changes_between(machine, statement.condition):
        depth = len(state.path)
        then, otherwise = ways(machine, state, statement.condition)
        if then.alive and otherwise.alive:
            return _arms(machine, then, otherwise, depth, statement, exits)
        state, test = (then, TRUE) if then.alive else (otherwise, FALSE)
    else:
        test = machine.condition(state, statement.condition)
    if not state.alive:
        return state
    dead = statement.otherwise if test is TRUE else statement.then if test is FALSE else None
    if dead is not None and not machine.semantics.skips_dead_arm(machine, state, dead):
        test = machine.unknown_truth("condition", Origin.INPUT)
    if test is TRUE:
        return execute(machine, state, statement.then, exits)
    if test is FALSE:
        return state if statement.otherwise is None else execute(machine, state, statement.otherwise, exits)
    for variable in sorted(machine.effects.of(statement).assigned, key=lambda v: v.key):
        name_contents(machine, state, variable)
    then, otherwise = branches(state, test, statement.condition.span)
    return _arms(machine, then, otherwise, len(state.path), statement, exits)


def _arms(machine: Machine, then: State, otherwise: State, depth: int, statement: ir.If, exits: Exits) -> State:
    """The state after both arms; the paths from `depth` on are the tests that lead to them."""
    left = _ways_out(machine, exits)
    tests = range(depth, len(then.path)), range(depth, len(otherwise.path))
    then = _after_arm(machine, then, statement.then, exits)
    otherwise = _after_arm(machine, otherwise, statement.otherwise, exits)
    if then.alive and otherwise.alive:
        return merge((then, otherwise)) or then
    stays, tested = (then, tests[0]) if then.alive else (otherwise, tests[1])
    return _as_guard(stays, depth, tested if _ways_out(machine, exits) == left else range(0))


def _after_arm(machine: Machine, state: State, arm: Statement | None, exits: Exits) -> State:
    if arm is None or not state.alive:
        return state
    return _dead(state, arm.span) if machine.semantics.ends_program(arm) else execute(machine, state, arm, exits)


def _ways_out(machine: Machine, exits: Exits) -> int:
    """The number of exits so far that do not end the thread."""
    returns = len(machine.frame.returns) if len(machine.frames) > 1 else 0
    return len(exits.breaks) + len(exits.continues) + returns


def _as_guard(state: State, depth: int, ended: range) -> State:
    """Marks what one arm of an `if` assumed as a guard: the other arm has left.

    `ended`: the indexes of the test in the path, if the threads of the other arm have ended (else empty).
    """
    if state.alive:
        state.path = tuple(
            replace(c, kind=ConditionKind.GUARD, ended=c.ended or i in ended)
            if i >= depth and c.kind is ConditionKind.BRANCH
            else c
            for i, c in enumerate(state.path)
        )
    return state


def _switch(machine: Machine, state: State, statement: ir.Switch, exits: Exits) -> State:
    operand = integer(machine, evaluate(machine, state, statement.operand), "switch", statement.operand.type)
    inner = Exits([], exits.continues)
    tests = [_matches(operand, case) for case in statement.cases]
    listed = disj(*tests)
    tests = [disj(t, negate(listed)) if c.default else t for t, c in zip(tests, statement.cases, strict=True)]
    tests = [_unless_dead(machine, state, t, c) for t, c in zip(tests, statement.cases, strict=True)]
    falling: State | None = None
    for case, test in zip(statement.cases, tests, strict=True):
        entered = state.copy()
        entered.assume(test, ConditionKind.BRANCH, case.span)
        current = merge([s for s in (falling, entered) if s is not None])
        falling = None if current is None else sequence(machine, current, case.body, inner)
    missed: list[State] = []
    if not any(case.default for case in statement.cases):
        none = state.copy()
        none.assume(negate(listed), ConditionKind.BRANCH, statement.span)
        missed.append(none)
    after = merge([*inner.breaks, *missed, *([falling] if falling is not None else [])])
    return after if after is not None else _dead(state, statement.span)


def _unless_dead(machine: Machine, state: State, test: Term, case: ir.Case) -> Term:
    """The test of a case; an unknown one, if the case is never entered and is looked at nevertheless."""
    dead = test is FALSE and not machine.semantics.skips_dead_arm(machine, state, ir.Block(case.body, case.span))
    return machine.unknown_truth("condition", Origin.INPUT) if dead else test


def _matches(operand: Term, case: ir.Case) -> Term:
    return disj(
        *(
            eq(operand, const(low)) if low == high else conj(le(const(low), operand), le(operand, const(high)))
            for low, high in case.values
        )
    )


def _dead(state: State, span: Span) -> State:
    state.kill(span)
    return state


def _assembly(machine: Machine, state: State, statement: ir.Assembly) -> None:
    outputs = tuple(evaluate(machine, state, e) for e in statement.outputs)
    arguments = tuple(evaluate(machine, state, e) for e in statement.inputs)
    for target in reachable(state, outputs):
        if target.space not in SHARED_SPACES:
            forget(state, target)
    machine.semantics.assembly(machine, state, statement, arguments)
