"""Statements as instructions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hgrd.cuda.atomics import is_atomic_object
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.analysis.effects import nodes
from hgrd.program.expressions import Expression, Storage, Variable
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.simulate.lockstep.arithmetic import I32
from hgrd.simulate.lockstep.builder import (
    CodeBuilder,
    LoopTargets,
    LoweredProgram,
    exposed_variables,
    fails,
    keep,
    kept,
    meets_widely,
    nothing,
)
from hgrd.simulate.lockstep.expressions import condition, lower
from hgrd.simulate.lockstep.instructions import ActiveThreads, Branch, Closure, Code, Do, Jump, Return
from hgrd.simulate.lockstep.lvalues import storer
from hgrd.simulate.lockstep.waits import LOOK, waiting

_LONG, _SHORT = 4096, 16  # iterations before threads that have left a loop continue: if it works, if it waits


def code_of(unit: LoweredProgram, function: Function) -> Code:
    """The code of a function; lowered when first asked for."""
    known = unit.codes.get(function.ref.key)
    if known is not None:
        return known
    assert function.body is not None
    code = unit.codes[function.ref.key] = Code()
    b = CodeBuilder(unit, code, exposed_variables(function.body))
    for parameter in function.parameters:
        b.parameter(parameter)
    statement(b, function.body)
    b.emit(Return(None, function.span, 0))
    _resolve(b, function)
    return code


def _resolve(b: CodeBuilder, function: Function) -> None:
    """Sets the targets of jumps to their labels."""
    for jump, label in b.gotos:
        at = b.code.instructions.index(jump)
        if label not in b.labels:  # in a body that compiles only in part
            b.code.instructions[at] = Do(fails(f"a jump to {label}, which is not there", jump.span), jump.span)
            continue
        jump.target = b.labels[label]
        if jump.target <= at:
            jump.patience = _patience(b, function.body, None)


def statement(b: CodeBuilder, s: st.Statement) -> None:
    """Emits the instructions of a statement."""
    match s:
        case st.Block(body=body):
            for inner in body:
                statement(b, inner)
        case st.Declare(variable=variable, initial=initial, span=span):
            _declare(b, variable, initial, span)
        case st.Evaluate(expression=e, span=span):
            _effect(b, e, span)
        case st.If():
            _if(b, s)
        case st.Loop():
            _loop(b, s)
        case st.DoWhile():
            _do_while(b, s)
        case st.Switch():
            _switch(b, s)
        case st.Break(span=span) if not b.loops:
            b.emit(Do(fails("a break outside of a loop", span), span))
        case st.Break(span=span):
            b.loops[-1].breaks.append(_jump(b, span))
        case st.Continue(span=span) if all(x.continues is None for x in b.loops):
            b.emit(Do(fails("a continue outside of a loop", span), span))
        case st.Continue(span=span):
            inner = next(x.continues for x in reversed(b.loops) if x.continues is not None)
            inner.append(_jump(b, span))
        case st.Label(name=name):
            b.labels[name] = b.here
        case st.Goto(target=target, span=span):
            b.gotos.append((_jump(b, span), target))
        case st.Return(value=value, span=span):
            b.emit(Return(None if value is None else lower(b, value), span))
        case st.Assembly(span=span):
            b.emit(Do(fails("inline assembly", span), span))
        case st.UnsupportedStatement(reason=reason, span=span):
            b.emit(Do(fails(reason, span), span))


def _declare(b: CodeBuilder, variable: Variable, initial: Expression | None, span: Span) -> None:
    if variable.storage is not Storage.LOCAL:
        return
    if b.bind(variable) is None:
        if initial is not None:
            b.emit(Do(fails(f"a variable of the type of {variable.name}", span), span))
        return
    if initial is not None:
        made = lower(b, initial)
        put = storer(b, ir.VariablePlace(variable, span), variable.type)
        b.emit(Do(lambda here: put(here, made(here)), span))


def _effect(b: CodeBuilder, e: Expression, span: Span) -> None:
    match e:
        case ir.Convert(operand=operand):  # a value that is not used
            _effect(b, operand, span)
        case ir.Comma(left=left, right=right):
            _effect(b, left, span)
            _effect(b, right, span)
        case ir.Call() if made := waiting(e):
            for part in made:
                statement(b, part)
        case _:
            made = lower(b, e)
            if made is not nothing:
                b.emit(Do(made, span))


def _jump(b: CodeBuilder, span: Span) -> Jump:
    made = Jump(-1, span)
    b.emit(made)
    return made


def _if(b: CodeBuilder, s: st.If) -> None:
    fork = Branch(condition(b, s.condition), -1, s.span)
    b.emit(fork)
    statement(b, s.then)
    if s.otherwise is None:
        fork.otherwise = b.here
        return
    over = _jump(b, s.span)
    fork.otherwise = b.here
    statement(b, s.otherwise)
    b.land([over])


def _loop(b: CodeBuilder, s: st.Loop) -> None:
    counter = _counter(b, s)
    head = b.here
    leave: Branch | None = None
    if s.condition is not None:
        leave = Branch(condition(b, s.condition), -1, s.span)
        b.emit(leave)
    loop = _body(b, s.body, counter)
    b.land(loop.continues or [])
    if s.step is not None:
        _effect(b, s.step, s.step.span)
    b.emit(Jump(head, s.span, _patience(b, s, s.condition)))
    if leave is not None:
        leave.otherwise = b.here
    b.land(loop.breaks)


def _do_while(b: CodeBuilder, s: st.DoWhile) -> None:
    counter = _counter(b, s)
    head = b.here
    loop = _body(b, s.body, counter)
    b.land(loop.continues or [])
    leave = Branch(condition(b, s.condition), -1, s.span)
    b.emit(leave)
    b.emit(Jump(head, s.span, _patience(b, s, s.condition)))
    leave.otherwise = b.here
    b.land(loop.breaks)


def _counter(b: CodeBuilder, loop: st.Loop | st.DoWhile) -> int | None:
    """A slot for the number of the iteration, if blocks or the grid may meet in the loop; else None."""
    if not _follows(b.unit, loop, _synchronises, set()):
        return None
    number = b.slot(I32)
    b.emit(Do(keep(number, lambda here: np.int32(0)), loop.span, 0))
    return number


def _body(b: CodeBuilder, body: st.Statement, counter: int | None) -> LoopTargets:
    loop = LoopTargets(continues=[], counter=counter)
    b.loops.append(loop)
    if counter is not None:
        count = kept(counter)
        b.emit(Do(keep(counter, lambda here: count(here) + np.int32(1)), body.span, 0))
    statement(b, body)
    b.loops.pop()
    return loop


def _switch(b: CodeBuilder, s: st.Switch) -> None:
    operand = b.spill(lower(b, s.operand), s.operand.type, s.span, 1)
    loop = LoopTargets()
    b.loops.append(loop)
    entries: list[Jump] = []
    for case in s.cases:
        fork = Branch(_matches(operand, case), -1, case.span, 0)
        if not case.values:
            entries.append(Jump(-1, case.span))
            continue
        b.emit(fork)
        entry = _jump(b, case.span)
        entries.append(entry)
        fork.otherwise = b.here
    otherwise = _jump(b, s.span)
    defaulted = False
    for case, entry in zip(s.cases, entries, strict=True):
        b.land([entry])
        if case.default:
            b.land([otherwise])
            defaulted = True
        for inner in case.body:
            statement(b, inner)
    b.loops.pop()
    b.land(loop.breaks if defaulted else [*loop.breaks, otherwise])


def _matches(operand: Closure, case: st.Case) -> Closure:
    ranges = case.values

    def run(here: ActiveThreads) -> object:
        value = operand(here)
        found = None
        for low, high in ranges:
            test = value == low if low == high else (value >= low) & (value <= high)
            found = test if found is None else found | test
        return found

    return run


# ---------------------------------------------------------------- loops that wait


def _patience(b: CodeBuilder, loop: object, test: Expression | None) -> int:
    """Iterations for which others wait for threads in a loop: few if the loop may wait for these others."""
    if _follows(b.unit, loop, _watches, set()):
        b.code.waits = True
        return _SHORT
    looks = test is None or any(isinstance(n, ir.Deref) for n in nodes(test))
    return _SHORT * _SHORT if looks else _LONG


def _follows(unit: LoweredProgram, part: object, test: Callable[[object], bool], seen: set[str]) -> bool:
    """Whether the test holds for a node of `part`, or of a function that it calls."""
    for node in nodes(part):
        if test(node):
            return True
        callee = unit.enters(node.function.key) if isinstance(node, ir.Call) else None
        if callee is not None and callee.ref.key not in seen:
            seen.add(callee.ref.key)
            if _follows(unit, callee.body, test, seen):
                return True
    return False


def _watches(node: object) -> bool:
    """Whether a node is a volatile read, or an atomic that may take a lock or read a flag."""
    match node:
        case ir.Load(volatile=True):
            return True
        case ir.Call(function=function):
            known = any(word in function.name for word in ("CAS", "Exch", "__nv_atomic", LOOK))
            return not function.user_code and (known or is_atomic_object(function.qualified))
        case _:
            return False


def _synchronises(node: object) -> bool:
    """Whether a node is a barrier of blocks or of the grid, or a call with an unknown target."""
    return isinstance(node, ir.IndirectCall) or (isinstance(node, ir.Call) and meets_widely(node))
