"""libcu++ for groups of threads: cuda::atomic, cuda::atomic_ref, cuda::atomic_flag and their fence.

CUDA C++ Core Libraries, "Extended API: Synchronization Primitives".  Loads read and stores write, as for one
thread (`atomic_members`).  An object holds its value, a reference the address of it.
"""

from __future__ import annotations

from hgrd.cuda.atomics import (
    AtomicMember,
    StdMemoryOrder,
    atomic_member,
    is_atomic_object,
    is_thread_fence,
    memory_order,
    scope_of_object,
    thread_scope,
)
from hgrd.cuda.memory_model import Scope
from hgrd.program import expressions as ir
from hgrd.program.span import Span
from hgrd.program.types import BOOL, INT, PointerType, Type
from hgrd.simulate.lockstep.builder import CodeBuilder, fails, nothing
from hgrd.simulate.lockstep.builder import is_atomic_object as is_atomic_type
from hgrd.simulate.lockstep.device.atomics import ORDERS, AtomicOperation, compare_exchange, constant, lowered
from hgrd.simulate.lockstep.expressions import packed
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.thread_numbers import launch_threads
from hgrd.simulate.trace import Fenced, MemoryOrder

UNKNOWN_FENCE = "a fence whose memory order or scope is not constant"


def atomic_object_call(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """A member function of an atomic object, or a fence; None of anything else."""
    name = e.function.name
    if is_thread_fence(e.function.qualified):
        return _fence(e)
    if not is_atomic_object(e.function.qualified) or not e.arguments:
        return None
    member = atomic_member(e.function.qualified, name, len(e.arguments))
    if member is None or member.name == "wait" or member.constructs:
        return fails(f"{name} of an atomic object", e.span)
    if not member.operation:
        return nothing
    order, scope = _order(e, member), scope_of_object(e.function.template_args)
    if order is None or scope is None:
        return fails("an atomic whose memory order or scope is not constant", e.span)
    type_ = _value_type(e, member)
    address = e.arguments[0]
    if member.by_reference:
        pointer = PointerType(type_)
        address = ir.Load(ir.Deref(address, pointer, e.span), pointer, e.span)
    operation = AtomicOperation(member.operation, type_, scope, order, member.gives_new)
    if member.operation == "cas":
        return compare_exchange(b, e, address, operation, e.arguments[1:3])
    operands = e.arguments[1 : 1 + member.operands]
    if member.implied is not None:
        operands = (ir.IntConst(member.implied, type_ if member.operation == "store" else INT, e.span),)
    return lowered(b, e, address, operation, operands)


def object_of(b: CodeBuilder, e: ir.Construct) -> Closure | None:
    """The bytes of a new object or reference; None for other classes."""
    size = b.unit.size(e.type)
    if size is None or not is_atomic_type(e.type):
        return None
    return packed(b, e.arguments[-1:], size, e.span)


def _fence(e: ir.Call) -> Closure:
    order = memory_order(constant(e.arguments[0])) if e.arguments else None
    scope = thread_scope(constant(e.arguments[1])) if len(e.arguments) > 1 else Scope.SYSTEM
    return fails(UNKNOWN_FENCE, e.span) if order is None or scope is None else fence(order, scope, e.span)


def fence(order: StdMemoryOrder, scope: Scope, span: Span) -> Closure:
    """Tells who observes the run of a fence; a relaxed one does nothing (ISO C++, [atomics.fences])."""
    if order is StdMemoryOrder.RELAXED:
        return nothing

    def run(here: ActiveThreads) -> None:
        if here.batch.observer is not None:
            here.batch.observer.fenced(Fenced(scope, launch_threads(here), span, order))

    return run


def _value_type(e: ir.Call, member: AtomicMember) -> Type:
    """The type of the value in the atomic object whose member is called."""
    if member.of_flag:
        return BOOL
    return e.type if member.typed_by is None else e.arguments[member.typed_by].type


def _order(e: ir.Call, member: AtomicMember) -> MemoryOrder | None:
    """The memory order that follows the operands, or the strongest; None: it is not constant."""
    if not member.takes_order or len(e.arguments) <= member.operands + 1:
        return MemoryOrder.ACQ_REL
    order = memory_order(constant(e.arguments[member.operands + 1]))
    return None if order is None else ORDERS[order]
