"""Calls: a known meaning first, then the body, else the effects that an unknown function may have."""

from __future__ import annotations

from collections.abc import Callable

from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import Type, VoidType
from hgrd.symbolic.execution.virtual_calls import Overrider, overriders
from hgrd.symbolic.machine import Exits, Frame, Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, reachable, store
from hgrd.symbolic.state import ConditionKind, State, choose, common_length, merge
from hgrd.symbolic.values import (
    OPAQUE,
    Choice,
    FunctionValue,
    NullValue,
    Pointer,
    Value,
)
from hgrd.terms import TRUE, Origin, Symbol, Term, conj, const, disj, eq, negate, read, substitute, var

_FOLLOWED = 2  # activations of a recursive function, whatever its arguments
_MOST_COUNTED = 64  # further activations in one run that an argument counts


def call(machine: Machine, state: State, e: ir.Call) -> Value:
    """The value of a call by name."""
    silent = machine.semantics.is_annotation(e)
    machine.speculative += silent
    try:
        arguments = tuple(machine.evaluate(state, a) for a in e.arguments)
    finally:
        machine.speculative -= silent
    return _called(machine, state, e, arguments)


def _called(machine: Machine, state: State, e: ir.Call, arguments: tuple[Value, ...]) -> Value:
    if not state.alive:
        return OPAQUE
    known = machine.semantics.call(machine, state, e, arguments)
    if known is not None:
        return known
    function = machine.functions.get(e.function.key)
    if function is not None and function.body is not None and may_enter(machine, function, arguments):
        return run(machine, state, function, arguments, e.span)
    return unknown_call(machine, state, e.function, arguments, e.type, e.span)


def indirect_call(machine: Machine, state: State, e: ir.IndirectCall) -> Value:
    """The value of a call through a pointer, or of a virtual function."""
    callee = machine.evaluate(state, e.callee)
    arguments = tuple(machine.evaluate(state, a) for a in e.arguments)
    if isinstance(e.callee, ir.FunctionAddress) and e.callee.virtual:
        return _virtual(machine, state, e.callee.function, e, arguments)
    return _through(machine, state, callee, e, arguments)


def _virtual(
    machine: Machine, state: State, method: ir.FunctionRef, e: ir.IndirectCall, arguments: tuple[Value, ...]
) -> Value:
    """Calls any of the functions that override `method`, by the class of the object."""
    object_, *others = arguments
    if not state.alive:
        return OPAQUE
    if isinstance(object_, Choice):
        return _either(
            state,
            object_.condition,
            e.span,
            lambda branch: _virtual(machine, branch, method, e, (object_.then, *others)),
            lambda branch: _virtual(machine, branch, method, e, (object_.otherwise, *others)),
        )
    reached = overriders(machine, method, object_) or (Overrider(method, object_, ()),)

    def first(state: State, left: tuple[Overrider, ...]) -> Value:
        one, *rest = left
        if not rest:
            if len(reached) > 1:
                _assume_class(machine, state, object_, one.classes, e.span)
            return _through(machine, state, FunctionValue(one.function), e, (one.this, *others))
        return _either(
            state,
            _has_class(machine, object_, method.qualified, one.classes),
            e.span,
            lambda branch: first(branch, (one,)),
            lambda branch: first(branch, tuple(rest)),
        )

    return first(state, reached)


def _through(machine: Machine, state: State, callee: Value, e: ir.IndirectCall, arguments: tuple[Value, ...]) -> Value:
    """Calls the function that a pointer points to, each under its condition; a call of null ends the path."""
    if not state.alive:
        return OPAQUE
    match callee:
        case FunctionValue(function=function):
            return _called(machine, state, ir.Call(function, e.arguments, e.type, e.span), arguments)
        case NullValue():
            state.kill(e.span)
            return OPAQUE
        case Choice(condition=condition, then=a, otherwise=b):
            return _either(
                state,
                condition,
                e.span,
                lambda branch: _through(machine, branch, a, e, arguments),
                lambda branch: _through(machine, branch, b, e, arguments),
            )
        case _:
            machine.semantics.through_pointer(machine, state, e, arguments)
            machine.semantics.unsupported(machine, state, "a call through a pointer", e.span)
            _clobber(machine, state, arguments)
            return machine.unknown("result", e.type, Origin.UNKNOWN)


def _has_class(machine: Machine, object_: Value, method: str, classes: tuple[int, ...]) -> Term:
    """Whether an object is of one of these classes."""
    test = _class_test(machine, object_, classes)
    return machine.unknown_truth(f"{method}?", machine.semantics.class_origin) if test is None else test


def _assume_class(machine: Machine, state: State, object_: Value, classes: tuple[int, ...], span: Span) -> None:
    """An object is of one of these classes, or the path is not taken, for what is known of its class there."""
    test = _class_test(machine, object_, classes)
    if test is None or machine.semantics.class_origin is Origin.DATA:
        return
    state.assume(test, ConditionKind.BRANCH, span)
    told = tuple(c.term for c in state.path if c.term.symbols == test.symbols)
    for class_ in test.symbols:
        if not any(all(t is TRUE for t in substitute(told, {class_: const(number)})) for number in classes):
            state.kill(span)


def _class_test(machine: Machine, object_: Value, classes: tuple[int, ...]) -> Term | None:
    """Whether an object is of one of these classes: all that look at one object see the same class; None: not known."""
    if not isinstance(object_, Pointer) or not classes:
        return None
    target, offset, origin = object_.target, object_.offset, machine.semantics.class_origin
    if origin is not Origin.DATA:
        name = machine.names.of((target.key, "class", offset), f"{target.name}.class")
        class_ = var(Symbol(name, 0, len(machine.records), origin))
    elif target.space in SHARED_SPACES:
        class_ = read(f"{target.name}.class", offset)
    else:
        return None
    return disj(*(eq(class_, const(number)) for number in classes))


def _either(
    state: State, condition: Term, span: Span, then: Callable[[State], Value], otherwise: Callable[[State], Value]
) -> Value:
    """Runs both, each under its condition; `state` becomes the state after them."""
    ends: list[tuple[State, Value]] = []
    for action, test in ((then, condition), (otherwise, negate(condition))):
        branch = state.copy()
        branch.assume(test, ConditionKind.BRANCH, span)
        value = action(branch)
        if branch.alive:
            ends.append((branch, value))
    joined = merge(end for end, _ in ends)
    if joined is None:
        state.kill(span)
        return OPAQUE
    state.store, state.path = joined.store, joined.path
    values = [value for _, value in ends]
    return values[0] if len(values) == 1 else choose(condition, *values)


def may_enter(machine: Machine, function: Function, arguments: tuple[Value, ...]) -> bool:
    """Recursion is followed once, and as long as it computes with constants, or an argument counts it."""
    if len(machine.frames) >= machine.max_depth:
        return False
    active = [frame.arguments for frame in machine.frames if frame.function.key == function.ref.key]
    if len(active) < _FOLLOWED or (bool(arguments) and all(isinstance(a, Term) and a.is_const for a in arguments)):
        return True
    counted = machine.counted_down < _MOST_COUNTED and any(map(_counts, zip(*active, arguments, strict=False)))
    machine.counted_down += counted
    return counted


def _counts(values: tuple[Value, ...]) -> bool:
    """Whether what an argument is in one activation after the other are numbers that go one way: `f(s, n / 2)`."""
    numbers = [v.value for v in values if isinstance(v, Term) and v.is_const]
    ordered = sorted(set(numbers))
    return len(numbers) == len(values) and numbers in (ordered, ordered[::-1])


def run(
    machine: Machine, state: State, function: Function, arguments: tuple[Value, ...], call_site: Span | None
) -> Value:
    """Runs a function's body; `state` becomes the state after it."""
    assert function.body is not None
    machine.activations += 1
    machine.entered.add(function.ref.key)
    frame = Frame(machine.activations, function.ref, call_site, arguments)
    machine.frames.append(frame)
    try:
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            here = Pointer(machine.local_object(parameter), const(0))
            store(machine, state, here, argument, parameter.type, parameter.span)
        end = machine.execute(state, function.body, Exits())
    finally:
        machine.frames.pop()
    value = _leave(machine, state, end, frame, function.returns, function.span)
    _drop_locals(state, frame.number)
    return value


def _drop_locals(state: State, activation: int) -> None:
    """Removes the local variables of a function that has returned."""
    mark = f"@{activation}"
    state.store = {key: region for key, region in state.store.items() if not key.endswith(mark)}


def _leave(machine: Machine, state: State, end: State, frame: Frame, returns: Type, span: Span) -> Value:
    """Joins the exits of a function into `state`; the value of the call."""
    exits = [(s, v) for s, v in frame.returns if s.alive]
    if end.alive:
        exits.append((end, None))
    if not exits:
        state.store, state.path = end.store, end.path
        state.kill(span)
        return OPAQUE
    result, value = exits[0]
    for other, other_value in exits[1:]:
        common = common_length(result, other)
        selector = conj(*(c.term for c in result.path[common:] if not c.incidental))
        joined = merge((result, other))
        assert joined is not None
        if value is not None and other_value is not None:
            value = choose(selector, value, other_value)
        else:
            value = value if value is not None else other_value
        result = joined
    state.store, state.path = result.store, result.path
    if value is None:
        return OPAQUE if isinstance(returns, VoidType) else machine.unknown("result", returns, Origin.UNKNOWN)
    return value


def unknown_call(
    machine: Machine, state: State, function: ir.FunctionRef, arguments: tuple[Value, ...], returns: Type, span: Span
) -> Value:
    """A function that is not entered: it may write whatever its pointer arguments reach."""
    declared = machine.functions.get(function.key)
    if declared is not None and declared.noreturn:
        machine.semantics.abort(machine, state, span)
        state.kill(span)
        return OPAQUE
    known = declared is not None and declared.body is not None
    why = "which calls itself too often" if known else "whose body is not known"
    machine.semantics.unsupported(machine, state, f"a call of {function.name}, {why}", span)
    _clobber(machine, state, arguments)
    return machine.unknown(f"{function.name}()", returns, Origin.UNKNOWN)


def _clobber(machine: Machine, state: State, arguments: tuple[Value, ...]) -> None:
    changed = [target for target in reachable(state, arguments) if target.space not in SHARED_SPACES]
    machine.semantics.note_unknown_stores(state, changed, arguments)
    for target in changed:
        forget(state, target)
