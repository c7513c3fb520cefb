"""Annotations of GPUVerify and Faial in the source, which are taken as facts.

GPUVerify documentation, "Advanced Features"; a specification that is not understood is ignored.
"""

from __future__ import annotations

import re

from hgrd.cuda.builtins import Kind, kind_of
from hgrd.host.model import Fact, FactKind
from hgrd.program.expressions import Call
from hgrd.program.program import Function
from hgrd.program.types import Type
from hgrd.protocol.inference.recorder import guards_of
from hgrd.protocol.inference.semantics import DeviceSemantics, Handler
from hgrd.protocol.model import AcrossThreads
from hgrd.symbolic import arithmetic
from hgrd.symbolic.execution.calls import run
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, Choice, Pointer, Value
from hgrd.terms import TRUE, Origin, Term, as_int, disj, eq, ite, negate, show, symbols_of

_ASSERTS = {"__hgrd_assert", "__requires", "__assume", "__assert", "__global_requires", "__builtin_assume"}
_AXIOM = "__hgrd_axiom_"
_OF_ANOTHER = re.compile(r"(other\(.*?\))~(?:'\d+)?")


def assume_axioms(device: DeviceSemantics, machine: Machine, state: State, kernel: Function) -> None:
    """Assumes the axioms of a kernel's file: `__axiom(e)` at namespace scope holds in every kernel there."""
    for function in machine.functions.values():
        if not function.ref.name.startswith(_AXIOM) or function.body is None:
            continue
        if function.span.file == kernel.span.file:
            term = arithmetic.truth_of(run(machine, state, function, (), None))
            if term is not None and term is not TRUE:
                state.assume(term, ConditionKind.ASSERT, function.span)
                device.assumptions.facts.append(Fact(term, FactKind.ASSERT, f"axiom {show(term)}", function.span))


def is_specification(name: str) -> bool:
    """Whether a call only serves to specify; an assert is a part of the program, and reads what it mentions."""
    return kind_of(name) is Kind.SPECIFICATION


def _assume(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    if not arguments or (call.function.name == "__hgrd_assert" and not device.assumptions.asserts):
        return OPAQUE
    term = arithmetic.truth_of(arguments[0])
    if term is None:
        return OPAQUE
    others = tuple(
        (s, device.assumptions.others[s]) for s in sorted(symbols_of(term), key=str) if s in device.assumptions.others
    )
    if not others:
        state.assume(term, ConditionKind.ASSERT, call.span)
    if not machine.speculative and term is not TRUE:
        text = _OF_ANOTHER.sub(r"\1", show(term))
        device.assumptions.facts.append(Fact(term, FactKind.ASSERT, f"assert({text})", call.span))
        if others:
            loops = tuple(loop.binder for loop in device.recorder.loops)
            device.assumptions.across.append(AcrossThreads(term, others, guards_of(state), loops))
    return OPAQUE


def _other(machine: Machine, device: DeviceSemantics, value: Value, type_: Type) -> Value:
    """Value of a term in another thread."""
    named = machine.unknown(f"other({show(value)})" if isinstance(value, Term) else "other()", type_, Origin.UNKNOWN)
    if isinstance(named, Term) and isinstance(value, Term):
        device.assumptions.others.update(dict.fromkeys(symbols_of(named), as_int(value)))
    return named


def _of_another_thread(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """GPUVerify's `__other_int(x)`: the value of x in the other thread of a pair."""
    return _other(machine, device, arguments[0], call.type)


def _compared(distinct: bool) -> Handler:
    """`__distinct_int(x)` and `__uniform_int(x)`: how x compares with that of another thread."""

    def handler(
        device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
    ) -> Value | None:
        other = _other(machine, device, arguments[0], call.arguments[0].type)
        if not isinstance(arguments[0], Term) or not isinstance(other, Term):
            return None
        same = eq(as_int(arguments[0]), as_int(other))
        return negate(same) if distinct else same

    return handler


def _enabled(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`__enabled()`: whether the thread gets here."""
    return TRUE


def _implies(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    a, b = (arithmetic.truth_of(v) for v in arguments[:2])
    return None if a is None or b is None else disj(negate(a), b)


def _pointer_offset(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """`__ptr_offset_bytes(p)`: the offset of p from the start of its object, in bytes."""
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


SPECIFICATIONS: dict[str, Handler] = {
    **dict.fromkeys(_ASSERTS, _assume),
    **dict.fromkeys(("__other_int", "__other_bool", "__other_int64"), _of_another_thread),
    **dict.fromkeys(("__distinct_int", "__distinct_bool"), _compared(True)),
    **dict.fromkeys(("__uniform_int", "__uniform_bool"), _compared(False)),
    "__enabled": _enabled,
    "__implies": _implies,
    "__ptr_offset_bytes": _pointer_offset,
}
