"""Unknown functions, device functions without a body: what they may do, and their results."""

from __future__ import annotations

import re

from hgrd.cuda.builtins import builtin
from hgrd.cuda.cub import is_cub, is_of_values, uses_storage
from hgrd.cuda.groups import waits_for_group
from hgrd.host.model import Fact, FactKind
from hgrd.program.expressions import Call
from hgrd.program.types import PointerType, VoidType
from hgrd.protocol.device_calls.cub_collectives import collective
from hgrd.protocol.device_calls.number_functions import function_value, unknown_result
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, reachable
from hgrd.symbolic.state import State
from hgrd.symbolic.values import OpaqueValue, Value
from hgrd.terms import TRUE

_POINTING = re.compile(r"thrust::(\w+::)*\w*(ptr|pointer|reference|iterator|vector|span)::")
"""Pointer-like classes: methods may write the memory that these point to, or read what other threads write there."""


def foreign(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value | None:
    """Value of a function without a body; None if it may reach memory that threads share.

    A library function changes at most the thread's own objects that it is given the addresses of, and without any
    of these its result is a function of its arguments.  One that neither gives nor is given anything is not understood.
    One of the program is assumed to do no more than that, where neither its arguments nor variables of the program lead
    to memory that threads share.
    """
    targets = [t for t in reachable(state, arguments) if t.space not in SHARED_SPACES]
    users = call.function.user_code
    if not users and waits_for_group(call.function.name):
        return None  # the type of its group is not known
    if not users and _POINTING.match(call.function.qualified):
        return None
    if not users and uses_storage(call.function.qualified):
        return collective(device, machine, state, call, arguments)
    if not users and is_cub(call.function.qualified) and not is_of_values(call.function.qualified):
        return None
    if len(targets) < len(reachable(state, arguments)) or _anywhere(call, arguments):
        return None
    declared = machine.functions.get(call.function.key)
    if declared is not None and declared.noreturn:
        return None
    if users and device.memory.has_device_variables:
        return None
    if not users and not targets and isinstance(call.type, VoidType) and builtin(call.function.name) is None:
        return None  # whatever it does, it does to others
    if users and not machine.speculative:
        text = f"{call.function.name}, whose body is not known, touches no memory of other threads"
        device.assumptions.facts.append(Fact(TRUE, FactKind.ASSUMPTION, text, call.span))
    for target in targets:
        forget(state, target)
    known = None if users or targets else function_value(call.function.name, call.type, arguments)
    return known if known is not None else unknown_result(machine, call)


def _anywhere(call: Call, arguments: tuple[Value, ...]) -> bool:
    """Whether a pointer of unknown target is among the arguments."""
    return any(
        isinstance(e.type, PointerType) and isinstance(a, OpaqueValue)
        for e, a in zip(call.arguments, arguments, strict=False)
    )
