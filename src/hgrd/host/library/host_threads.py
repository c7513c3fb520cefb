"""Threads of the host: what one puts on the device comes into the trace where it begins, and is complete when it ends.

    std::thread one(work, x), two(work, x);  one.join();  two.join();

What a thread does is followed for the order of work on the device alone: its launches are found with any arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hgrd.host.concurrency.trace import Begin, End, Held, Join
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.link import record_of
from hgrd.host.provenance.beginnings import ObjectBeginnings
from hgrd.program.expressions import Call, Deref, Load
from hgrd.program.program import Function
from hgrd.program.types import VOID, BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.execution.calls import run as run_function
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OPAQUE, Composite, FunctionValue, Pointer, Value
from hgrd.terms import Term, const, show

_MAKERS: Final = ("std::thread::thread", "std::jthread::jthread")
_THREADS: Final = ("std::thread", "std::jthread")
_ADDERS: Final = ("emplace_back", "emplace")
_JOINS: Final = ("join", "get", "wait", "~thread", "~jthread", "~future")
_OWNERS: Final = ("std::thread::", "std::jthread::", "std::future", "std::shared_future")
_DEPTH: Final = 6  # calls that lead to the beginning of a thread


def begins_thread(call: Call) -> bool:
    """Whether a call begins a thread of the host."""
    function = call.function
    owner = call.arguments[0].type if call.arguments else None
    list_ = owner.to if isinstance(owner, PointerType) else owner
    adds = function.name in _ADDERS and isinstance(list_, OpaqueType) and any(t in list_.name for t in _THREADS)
    makes = function.name in ("pthread_create", "async") or function.qualified.startswith(_MAKERS)
    return not function.user_code and (makes or adds)


def copied(machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]) -> tuple[Call, tuple[Value, ...]]:
    """The call that begins a thread with its arguments by value: it copies them (C++ [thread.thread.constr])."""
    values, expressions = list(arguments), list(call.arguments)
    for index, (argument, value) in enumerate(zip(call.arguments, arguments, strict=False)):
        match argument.type:
            case PointerType(to=PointerType() | IntType() | FloatType() | BoolType() as type_, reference=True):
                values[index] = load(machine, state, value, type_, argument.span)
                expressions[index] = Load(Deref(argument, type_, argument.span), type_, argument.span)
            case _:
                pass
    return replace(call, arguments=tuple(expressions)), tuple(values)


def follow_thread(call: LibraryCall, value: Value, before: State) -> None:
    """Adds what a thread does that a call begins; `value` is the result of the call, `before` the state before it."""
    if call.machine.speculative or not call.state.alive:
        return
    function = call.call.function
    if function.name == "pthread_create":
        given = call.arguments[0] if call.arguments else None
        type_ = given.target.element if isinstance(given, Pointer) else None
        value = load(call.machine, call.state, given, type_, call.span) if given is not None and type_ else OPAQUE
        _begin(call, value, before, 2)
    else:
        _begin(call, value, before, 0 if function.name == "async" and not isinstance(call.type_of(0), IntType) else 1)


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


def _begin(call: LibraryCall, handle: Value, before: State, index: int) -> None:
    """Follows a thread whose function is the argument of this index, and what it gets those after it."""
    found = _function(replace(call, state=before), index)
    if found is None or len(call.machine.frames) > _DEPTH:
        return
    function, first = found
    then = replace(call, state=before)
    given = tuple(v for i in range(index + 1, len(call.arguments)) if (v := then.argument(i)) is not None)
    run, trace = call.run, call.run.trace
    run.coverage.in_threads.add(function.ref.key)
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


def follow_held(call: LibraryCall) -> bool:
    """Follows functions that an object of the library holds where that is called; notes those that it is given.

    std::function<void()> f = [=] { kernel<<<…>>>(x); };  f();

    The result says whether it has followed any.  Where it is not known which one is called, all are.
    """
    qualified = call.call.function.qualified
    if not call.run.text.holds_functions or call.call.function.user_code or begins_thread(call.call):
        return False
    own = call.arguments[0] if call.arguments else None
    receiver = own.target.key if isinstance(own, Pointer) else ""
    if qualified == "std::function::operator()":
        known = [held for held in call.run.trace.held if held.receiver == receiver]
        followed = [_follow_held(call, held) for held in known or list(call.run.trace.held)]
        return any(followed)
    for index in range(len(call.arguments)):
        found = _function(call, index)
        if found is not None:
            values = tuple(load(call.machine, call.state, p, _pointee(p), call.span) for p in found[1])
            call.run.trace.held.append(Held(receiver, found[0], values))
    return False


def _pointee(value: Value) -> Type:
    return value.target.element or VOID if isinstance(value, Pointer) else VOID


def _follow_held(call: LibraryCall, held: Held) -> bool:
    given = tuple(v for i in range(1, len(call.arguments)) if (v := call.argument(i)) is not None)
    parameters = held.function.parameters
    if len(held.object) + len(given) != len(parameters) or len(call.machine.frames) > _DEPTH:
        return False
    run, state = call.run, call.state.copy()
    first: list[Value] = []
    for parameter, value in zip(parameters, held.object, strict=False):
        type_ = parameter.type.to if isinstance(parameter.type, PointerType) else parameter.type
        here = Pointer(call.machine.temporary("held", type_, call.span), const(0))
        store(call.machine, state, here, value, type_, call.span)
        first.append(here)
    outer = run.provenance.beginnings, run.launches.only_traced
    escaped, run.escapes.written_by_callbacks = run.escapes.written_by_callbacks, {}
    run.provenance.beginnings, run.launches.only_traced = ObjectBeginnings(whole=False), True
    try:
        run_function(call.machine, state, held.function, (*first, *given), call.span)
    finally:
        run.provenance.beginnings, run.launches.only_traced = outer
        run.escapes.written_by_callbacks = escaped
    return True


def _key(handle: Value) -> str:
    """What tells a thread from others; "": it is not known."""
    match handle:
        case Composite(origin=origin):
            return origin or ""
        case Term():
            return show(handle)
        case _:
            return ""


def _function(call: LibraryCall, index: int) -> tuple[Function, Sequence[Value]] | None:
    """The function of a thread, and the object that it belongs to, if it is a lambda or functor."""
    linked = call.run.linked
    given = call.arguments[index] if index < len(call.arguments) else None
    type_ = call.type_of(index)
    match given:
        case FunctionValue(function=function):
            keys, first = (function.key,), tuple[Value, ...]()
        case Pointer() | Composite():
            keys = linked.operators.get(record_of(type_) or "", ()) if type_ is not None else ()
            first = (_object(call, given, type_),) if isinstance(type_, RecordType | PointerType) else ()
        case _:
            return None
    found = linked.functions.get(keys[0]) if len(keys) == 1 else None
    if found is None or found.body is None or not linked.launches_below(found.ref.key):
        return None
    return found, first


def _object(call: LibraryCall, given: Pointer | Composite, type_: RecordType | PointerType) -> Value:
    """The address of a functor."""
    if isinstance(given, Pointer) or isinstance(type_, PointerType):
        return given
    here = Pointer(call.machine.temporary("thread", type_, call.span), const(0))
    store(call.machine, call.state, here, given, type_, call.span)
    return here
