"""What the source says of itself in the words of GPUVerify and Faial: facts, for us.

GPUVerify documentation, "Advanced Features"; a specification that is not understood says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from hgrd.host.model import Fact, FactKind
from hgrd.program.expressions import Call
from hgrd.program.program import Function
from hgrd.protocol.model import AcrossThreads
from hgrd.protocol.recorder import guards_of
from hgrd.symbolic import arithmetic
from hgrd.symbolic.calls import run
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, Choice, Pointer, Value
from hgrd.terms import TRUE, Origin, Term, as_int, const, disj, ite, negate, show

if TYPE_CHECKING:
    from hgrd.protocol.device import DeviceSemantics

_Handler: TypeAlias = Callable[["DeviceSemantics", Machine, State, Call, tuple[Value, ...]], Value | None]

_ASSERTS = {"__hgrd_assert", "__requires", "__assume", "__assert", "__global_requires", "__builtin_assume"}
_ANNOTATION = re.compile(
    r"^__(global_)?(invariant|ensures|candidate|requires_fresh_array|no_read|no_write|read|write|reads_from|writes_to"
    r"|array_snapshot|barrier_invariant|function_wide|enabled|return_val|old|other|non_temporal|axiom)"
)
_AXIOM = "__hgrd_axiom_"


def is_annotation(name: str) -> bool:
    """Whether a function only serves to specify."""
    return _ANNOTATION.match(name) is not None


def assume_axioms(device: DeviceSemantics, machine: Machine, state: State, kernel: Function) -> None:
    """`__axiom(e)` at namespace scope holds in every kernel of its file."""
    for function in machine.functions.values():
        if not function.ref.name.startswith(_AXIOM) or function.body is None:
            continue
        if function.span.file == kernel.span.file:
            term = arithmetic.truth_of(run(machine, state, function, (), None))
            if term is not None and term is not TRUE:
                state.assume(term, ConditionKind.ASSERT, function.span)
                device.assumed.append(Fact(term, FactKind.ASSERT, f"axiom {show(term)}", function.span))


def _assume(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    if not arguments or (call.function.name == "__hgrd_assert" and not device.asserts):
        return OPAQUE
    term = arithmetic.truth_of(arguments[0])
    if term is not None:
        state.assume(term, ConditionKind.ASSERT, call.span)
        if not machine.probing and term is not TRUE:
            device.assumed.append(Fact(term, FactKind.ASSERT, f"assert({show(term)})", call.span))
    return OPAQUE


def _across(distinct: bool) -> _Handler:
    """Faial's `__distinct_int(x)` and `__uniform_int(x)`: a condition on the values of all threads."""

    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
    ) -> Value | None:
        value = arguments[0] if arguments else OPAQUE
        if isinstance(value, Term) and not machine.probing:
            device.across.append(AcrossThreads(as_int(value), distinct, guards_of(state), call.span))
        return const(1)

    return handler


def _implies(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    a, b = (arithmetic.truth_of(v) for v in arguments[:2])
    return None if a is None or b is None else disj(negate(a), b)


def _pointer_offset(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`__ptr_offset_bytes(p)`: how far p stands behind the beginning of what it points into."""
    offset = _offset(arguments[0]) if arguments else None
    return machine.unknown(call.function.name, call.type, Origin.UNKNOWN) if offset is None else offset


def _offset(value: Value) -> Term | None:
    match value:
        case Pointer(offset=offset):
            return offset
        case Choice(condition=condition, then=a, otherwise=b):
            x, y = _offset(a), _offset(b)
            return None if x is None or y is None else ite(condition, x, y)
        case _:
            return None


SPECIFICATIONS: dict[str, _Handler] = {
    **dict.fromkeys(_ASSERTS, _assume),
    "__distinct_int": _across(True),
    "__uniform_int": _across(False),
    "__uniform_bool": _across(False),
    "__distinct_bool": _across(True),
    "__implies": _implies,
    "__ptr_offset_bytes": _pointer_offset,
}
