"""Narrow atomics: those that are atomic for the threads of a block, a cluster or one thread alone.

CUDA C++ Programming Guide, "Atomic Functions": atomicAdd_block() is atomic for the threads of the same block only; the
updates of other blocks conflict with it as plain accesses do.
"""

from __future__ import annotations

import re
from typing import Final

from hgrd.cuda.atomics import atomic_function, atomic_member, nv_thread_scope, scope_of_object
from hgrd.cuda.memory_model import Scope
from hgrd.program.expressions import Call, Construct, Convert, Expression, IntConst
from hgrd.program.types import OpaqueType

_REFERENCE: Final = re.compile(r"cuda::(?:\w+::)*atomic_ref<")
_WIDE: Final = (Scope.DEVICE, Scope.SYSTEM)


def narrow_atomics(node: object) -> tuple[Expression, ...]:
    """The pointers through which a node updates memory in that way, or makes an object that does."""
    match node:
        case Call(function=function, arguments=(pointer, *_)) if not function.user_code and _is_narrow(node):
            return (pointer,)
        case Construct(type=OpaqueType(name=name), arguments=(pointer, *_)) if _REFERENCE.match(name):
            return (pointer,) if scope_of_object(_template_arguments(name)) not in _WIDE else ()
        case _:
            return ()


def _template_arguments(name: str) -> tuple[str, ...]:
    """The last argument of `cuda::atomic_ref<int, cuda::thread_scope_block>`, behind as many as there are."""
    return tuple(argument.strip() for argument in name.partition("<")[2].removesuffix(">").split(","))


def _is_narrow(call: Call) -> bool:
    function, arguments = call.function, call.arguments
    known = atomic_function(function.name)
    if known is not None and known.operation != "load":
        numbers = [_constant(argument) for argument in arguments[known.orders_at + 1 :]]
        said = next((n for n in reversed(numbers) if n is not None), None)
        return (known.scope or (nv_thread_scope(said) if said is not None else Scope.SYSTEM)) not in _WIDE
    member = atomic_member(function.qualified, function.name, len(arguments))
    changes = member is not None and member.operation not in ("", "load")
    return changes and scope_of_object(function.template_args) not in _WIDE


def _constant(value: Expression) -> int | None:
    match value:
        case IntConst(value=number):
            return number
        case Convert(operand=operand):
            return _constant(operand)
        case _:
            return None
