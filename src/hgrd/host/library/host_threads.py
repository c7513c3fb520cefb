"""Threads of the host: what one puts on the device comes into the trace where it begins, and is complete when it ends.

    std::thread one(work, x), two(work, x);  one.join();  two.join();

What a thread does is followed for the order of work on the device alone: its launches are found with any arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hgrd.host.concurrency.trace import Begin, End, Join
from hgrd.host.execution.held_functions import hide_passed
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.passed_functions import DEPTH, passed_function
from hgrd.host.linking.stream_flags import begins_thread
from hgrd.host.provenance.beginnings import ObjectBeginnings
from hgrd.program.expressions import Call, Convert, Deref, Load
from hgrd.program.program import Function
from hgrd.program.types import ArrayType, BoolType, FloatType, IntType, PointerType, RecordType
from hgrd.symbolic.execution.calls import run as run_function
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Composite, MemoryObject, Pointer, Value
from hgrd.terms import Term, const, show

_JOINS: Final = ("join", "get", "wait", "~thread", "~jthread", "~future")
_OWNERS: Final = ("std::thread::", "std::jthread::", "std::future", "std::shared_future")


def before_thread(state: State, call: Call) -> State | None:
    """A copy of the state before a call, if that begins a thread of the host."""
    return state.copy() if begins_thread(call) else None


def copied(machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> tuple[Call, tuple[Value, ...]]:
    """The call that begins a thread with its arguments by value: it copies them (C++ [thread.thread.constr])."""
    values, expressions = list(arguments), list(call.arguments)
    for index, (argument, value) in enumerate(zip(call.arguments, arguments, strict=False)):
        match argument.type:
            case PointerType(to=PointerType() | IntType() | FloatType() | BoolType() as type_, reference=True):
                values[index] = load(machine, state, value, type_, argument.span)
                expressions[index] = Load(Deref(argument, type_, argument.span), type_, argument.span)
            case PointerType(to=ArrayType(of=element), reference=True):  # which decays
                expressions[index] = Convert(argument, PointerType(element), argument.span)
            case _:
                pass
    return replace(call, arguments=tuple(expressions)), tuple(values)


def follow_thread(call: LibraryCall, value: Value, before: State) -> None:
    """Adds what a thread does that a call begins; `value` is the result of the call, `before` the state before it."""
    if call.machine.speculative or not call.state.alive:
        return
    if call.name == "pthread_create":
        given = call.arguments[0] if call.arguments else None
        type_ = given.target.element if isinstance(given, Pointer) else None
        value = load(call.machine, call.state, given, type_, call.span) if given is not None and type_ else OPAQUE
    _begin(call, value, before)


def is_followed(call: LibraryCall) -> bool:
    """Whether a call begins a thread that is followed: what it stores is recorded there."""
    return begins_thread(call.call) and _function(call) is not None


def gives_nothing_back(call: LibraryCall) -> bool:
    """Whether a call begins a thread that is followed, and no more: nobody gets from it what it is given."""
    return call.name not in ("async", "pthread_create") and is_followed(call)


def _index_of_function(call: LibraryCall) -> int:
    """Which argument a thread calls."""
    if call.name == "pthread_create":
        return 2
    return 0 if call.name == "async" and not isinstance(call.type_of(0), IntType) else 1


def _function(call: LibraryCall) -> tuple[Function, Sequence[Value]] | None:
    """The function of a thread, and the object that it belongs to; None: it is not followed.

    One that launches nothing matters where the host may use memory that kernels use.
    """
    if len(call.machine.frames) > DEPTH:
        return None
    return passed_function(call, _index_of_function(call), launching=not call.run.text.host_uses)


def join_thread(call: LibraryCall) -> bool:
    """Adds that the host waits for a thread, if a call does that."""
    function = call.call.function
    joins = function.name == "pthread_join" or (function.name in _JOINS and function.qualified.startswith(_OWNERS))
    if joins and not function.user_code:
        call.run.trace.add(Join(call.run.trace.threads.get(_key(_joined(call)), "")))
    return joins


def _joined(call: LibraryCall) -> Value:
    """The value that stands for the thread that a call waits for."""
    given = call.arguments[0]
    if isinstance(given, Pointer) and given.target.element is not None and call.name != "pthread_join":
        return load(call.machine, call.state, given, given.target.element, call.span)
    return given


def _begin(call: LibraryCall, handle: Value, before: State) -> None:
    """Follows a thread, which gets the arguments behind its function."""
    found = _function(replace(call, state=before))
    if found is None:
        hide_passed(call, begins_thread=True)
        return
    function, first = found
    then = replace(call, state=before)
    given = tuple(
        v for i in range(_index_of_function(call) + 1, len(call.arguments)) if (v := then.argument(i)) is not None
    )
    run, trace = call.run, call.run.trace
    places = run.coverage.in_threads.setdefault(function.ref.key, {})
    places.setdefault(call.span, []).append((*(_content(then, value) for value in first), *given))
    name = call.machine.names.unique("thread")
    outer = run.provenance.beginnings, trace.thread, trace.device, run.launches.only_traced
    escaped, run.escapes.written_by_callbacks = run.escapes.written_by_callbacks, {}
    run.provenance.beginnings, run.launches.only_traced = ObjectBeginnings(whole=False), True
    trace.thread, trace.device = name, const(0)
    trace.add(Begin(name))
    try:
        run_function(call.machine, before, function, (*first, *given), call.span)
    finally:
        trace.add(End(name))
        run.provenance.beginnings, trace.thread, trace.device, run.launches.only_traced = outer
        run.escapes.written_by_callbacks = escaped
    if _key(handle):
        trace.threads[_key(handle)] = name


def _content(call: LibraryCall, functor: Value) -> Value:
    """What a functor has captured: a thread has a copy of its own."""
    match functor:
        case Pointer(target=MemoryObject(element=RecordType() as type_)):
            return load(call.machine, call.state, functor, type_, call.span)
        case _:
            return functor


def _key(handle: Value) -> str:
    """What tells a thread from others; "": it is not known."""
    match handle:
        case Composite(origin=origin):
            return origin or ""
        case Term():
            return show(handle)
        case _:
            return ""
