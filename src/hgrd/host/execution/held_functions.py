"""Functions that are called through pointers or objects of the library: what they put on the device is compared, too.

    std::function<void()> f = [=] { kernel<<<…>>>(x); };  f();
    auto g = std::bind(work, x, std::placeholders::_1);   g(stream);
    table[name](x, stream);

Their launches are found with any arguments.  Where it is not known which one is called, all are followed.  What is not
followed may put any work on the device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hgrd.cuda.spelling import cuda_name
from hgrd.host.concurrency.addresses import ANYWHERE, UNKNOWN, Place
from hgrd.host.concurrency.trace import Held, Touch, Work, choices_of
from hgrd.host.execution.host_uses import record_handed
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.execution.passed_functions import Entering, passed_function
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.external_callers import launchers_by_pointer, launchers_passed
from hgrd.host.memory.unknowns import unknown
from hgrd.host.model import HostNote
from hgrd.program import expressions as ir
from hgrd.program.program import Function
from hgrd.program.signatures import callable_as
from hgrd.program.span import Span
from hgrd.program.types import VOID, FunctionType, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, Pointer, Value
from hgrd.terms import const, negate

_MOST: Final = 16  # functions that one call may be a call of
_PLACEHOLDER: Final = re.compile(r"std::placeholders::__ph<(\d+)>|std::_Placeholder<(\d+)>")
_CALLS: Final = re.compile(  # objects of the library that call what they have been given
    r"std::(\w+::)*(function|move_only_function|packaged_task|reference_wrapper|__?\w*[bB]ind\w*|_?_?[mM]em_fn"
    r"|__?not_fn\w*|__perfect_forward\w*)::operator\(\)"
)
_SIGNATURE: Final = re.compile(r"std::(?:\w+::)*(?:move_only_)?function<[^()]*\((.*)\)[^()]*>")
_BINDING: Final = ("bind", "bind_front", "mem_fn")
_BY_POINTERS: Final = ("qsort", "bsearch")
_AT_ONCE: Final = ("invoke", "invoke_r", "apply", "call_once", "visit")
_KEEPING: Final = re.compile(
    r"push_\w+|emplace\w*|try_emplace|insert\w*|assign|resize|operator=|operator\[\]|make_\w+|bind\w*|mem_fn|move|forward"
    r"|c?ref|swap|exchange|function|pair|tuple|vector|array|list|map|set|deque|unordered_map|optional|any|variant"
    r"|reference_wrapper|initializer_list|begin|end|size|at|data|get|find|packaged_task|operator bool|~\w+"
)


def binds(call: ir.Call) -> bool:
    """Whether a call makes an object that calls its first argument, with copies of the others ([func.bind.bind])."""
    return call.function.name in _BINDING and not call.function.user_code


def calls_held(function: ir.FunctionRef) -> bool:
    """Whether a function of the library calls what it, or an object, has been given."""
    return not function.user_code and (bool(_CALLS.match(function.qualified)) or function.name in _AT_ONCE)


def forwards(run: HostRunState, call: ir.Call) -> bool:
    """Whether a call hands its arguments on to functions of the program, all of which take numbers by value."""
    if not calls_held(call.function):
        return binds(call)
    if _takes_references(call):
        return False
    known = (run.linked.functions[key] for key in run.linked.taken & run.linked.uses.keys())
    return not any(_is_reference(p.type) for f in known for p in f.parameters)


def _takes_references(call: ir.Call) -> bool:
    """Whether a call is one of a `std::function` that takes a reference, by its signature."""
    own = call.arguments[0].type if call.arguments else None
    own = own.to if isinstance(own, PointerType) else own
    signature = _SIGNATURE.fullmatch(own.name) if isinstance(own, OpaqueType) else None
    return signature is not None and "&" in signature[1]


def _is_reference(type_: Type) -> bool:
    return isinstance(type_, PointerType) and type_.reference and not isinstance(type_.to, RecordType | OpaqueType)


def follow_held(call: LibraryCall) -> bool:
    """Follows functions that an object of the library holds where that is called; notes those that it is given.

    The result says whether it has followed any that launches kernels.
    """
    function = call.call.function
    if not call.run.text.holds_functions or function.user_code:
        return False
    if _CALLS.match(function.qualified):
        own = _receiver(call)
        known = [held for held in call.run.trace.held if held.receiver == own]
        given = [v for i in range(1, len(call.arguments)) if (v := call.argument(i)) is not None]
        followed = [held for held in known or list(call.run.trace.held) if _follow(call, held, given)]
        return any(call.run.linked.launches_below(held.function.ref.key) for held in followed)
    _note(call)
    return False


def follow_given(call: LibraryCall) -> None:
    """Follows functions that a call of the library may run at once, as algorithms do, for the memory that they use.

    Those that put work on the device, or wait for it, are not followed.
    """
    run, function = call.run, call.call.function
    keeps = bool(_KEEPING.fullmatch(function.name)) or cuda_name(function.name).startswith("cu")
    if function.user_code or not run.text.host_uses or keeps or function.name in _BY_POINTERS:
        return
    for index in range(len(call.arguments)):
        found = passed_function(call, index, launching=False)
        if found is not None and not any(map(_is_of_device, run_by(found[0].ref.key, run.linked.functions))):
            rest = found[0].parameters[len(found[1]) :]
            _enter(call).trace(found[0], (*found[1], *(_any_argument(call.machine, p) for p in rest)))


def _is_of_device(function: Function) -> bool:
    return any(
        isinstance(n, ir.Launch) or (isinstance(n, ir.Call) and cuda_name(n.function.name).startswith("cu"))
        for n in nodes(function.body)
    )


def _any_argument(machine: Machine, parameter: ir.Variable) -> Value:
    type_ = parameter.type
    if isinstance(type_, PointerType) and type_.reference:
        type_ = type_.to
    return unknown(machine, parameter.name, type_, parameter.span)


def invoked(call: LibraryCall) -> tuple[Function, tuple[Value, ...]] | None:
    """The launching function of the program that `std::invoke` calls, if it is known, and its arguments."""
    if call.name != "invoke" or call.call.function.user_code:
        return None
    found = passed_function(call, 0)
    if found is None:
        return None
    function, first = found
    parameters = dict(enumerate(function.parameters[len(first) :], 1))
    if len(parameters) + 1 != len(call.arguments):
        return None
    rest = (call.arguments[i] if _as_it_is(p, call, i) else call.argument(i) for i, p in parameters.items())
    return function, (*first, *(OPAQUE if v is None else v for v in rest))


def _as_it_is(parameter: ir.Variable, call: LibraryCall, index: int) -> bool:
    """Whether a parameter takes the address of an argument: by reference, or that of an object for its method."""
    type_, given = parameter.type, call.type_of(index)
    whole = isinstance(given, PointerType) and isinstance(given.to, RecordType | OpaqueType)
    return isinstance(type_, PointerType) and (type_.reference or whole)


def _enter(call: LibraryCall) -> Entering:
    return Entering(call.run, call.machine, call.state, call.span)


def _receiver(call: LibraryCall) -> str:
    own = call.arguments[0] if call.arguments else None
    return own.target.key if isinstance(own, Pointer) else ""


def _note(call: LibraryCall) -> None:
    """Notes the functions that a call is given, with what `std::bind` adds to the first one."""
    for index in range(len(call.arguments)):
        found = passed_function(call, index, launching=not call.run.text.host_uses)
        if found is not None:
            values = tuple(load(call.machine, call.state, p, _pointee(p), call.span) for p in found[1])
            bound = tuple(_bound(call, 1)) if binds(call.call) and index == 0 and call.name != "mem_fn" else None
            receiver = "" if binds(call.call) else _receiver(call)
            call.run.trace.held.append(Held(receiver, found[0], values, bound, rest=call.name == "bind_front"))


def _bound(call: LibraryCall, first: int) -> Iterator[Value | int]:
    """The arguments that a function gets, or the numbers of those that it gets when it is called."""
    for index, value in enumerate(_given(call, first), first):
        type_ = call.type_of(index)
        found = _PLACEHOLDER.search(str(type_.to if isinstance(type_, PointerType) else type_))
        yield int(found[1] or found[2]) if found else value


def _given(call: LibraryCall, first: int) -> Iterator[Value]:
    for index in range(first, len(call.arguments)):
        value = call.argument(index)
        yield OPAQUE if value is None else value


def _pointee(value: Value) -> Type:
    return value.target.element or VOID if isinstance(value, Pointer) else VOID


def _follow(call: LibraryCall, held: Held, given: Sequence[Value]) -> bool:
    bound = () if held.bound is None else held.bound
    if any(isinstance(b, int) and b > len(given) for b in bound):
        return False
    values = [given[b - 1] if isinstance(b, int) else b for b in bound]
    rest = given if held.bound is None or held.rest else ()
    return _enter(call).trace(held.function, (*held.object, *values, *rest))


def follow_pointed(
    run: HostRunState, machine: Machine, state: State, call: ir.IndirectCall, arguments: tuple[Value, ...]
) -> None:
    """Follows the functions that a pointer of unknown value may point to, of which one is called."""
    if machine.speculative or not state.alive:
        return
    callee = call.callee.type
    type_ = callee.to if isinstance(callee, PointerType) else callee
    able = [run.linked.functions[key] for key in sorted(launchers_by_pointer(run.linked))]
    fitting = [f for f in able if not isinstance(type_, FunctionType) or callable_as(f, type_)]
    found = [f for f in fitting if len(f.parameters) == len(arguments)]
    followed = len(found) <= _MOST
    branch = state.copy()
    for function in found if followed else ():
        test = machine.unknown_truth(f"calls {function.ref.name}")
        chosen = branch.copy()
        chosen.assume(test, ConditionKind.BRANCH, call.span)
        branch.assume(negate(test), ConditionKind.BRANCH, call.span)
        followed = Entering(run, machine, chosen, call.span).trace(function, arguments) and followed
    if not followed:
        _hide(run, state, found, "a call through a pointer", call.span)
    record_handed(run, machine, state, zip(arguments, (a.type for a in call.arguments), strict=False), call.span)


def hide_passed(call: LibraryCall, *, begins_thread: bool = False) -> None:
    """Adds that code of a library, or a thread, may run functions that launch kernels, which is not followed."""
    run, function = call.run, call.call.function
    if function.user_code or not (run.text.ordering or run.text.host_uses):
        return
    passed = launchers_passed(run.linked, call.state, call.call, call.arguments)
    unknown = begins_thread or function.name in _AT_ONCE
    if _CALLS.match(function.qualified) or (unknown and not passed):
        passed = frozenset(run.coverage.passed_out) | launchers_by_pointer(run.linked)
    elif _KEEPING.fullmatch(function.name) and not begins_thread:
        return
    if passed:
        found = [run.linked.functions[key] for key in sorted(passed)]
        what = "a thread" if begins_thread else f"a call of {function.name}"
        _hide(run, call.state, found, what, call.span)


def _hide(run: HostRunState, state: State, functions: Sequence[Function], what: str, span: Span) -> None:
    """Adds work of which nothing is known, on a stream of which nothing is known; and says so of its kernels."""
    run.trace.unknown += 1
    anywhere = Place(f"{ANYWHERE}memory", const(0))
    run.trace.names[anywhere.key] = "memory"
    run.trace.add(
        Work(
            f"what {what} may launch",
            "",
            span,
            Place(f"{UNKNOWN} {run.trace.unknown}", const(0)),
            run.trace.device,
            (Touch(anywhere, writes=True),),
            (),
            choices_of(state),
        )
    )
    places = frozenset(place for f in functions for place in run.linked.launches_below(f.ref.key))
    for place in places:
        note = HostNote(span, f"{what} may launch it beside other work, which is not followed")
        run.beside.shared.setdefault((place.span, place.kernel), {})[note] = None
