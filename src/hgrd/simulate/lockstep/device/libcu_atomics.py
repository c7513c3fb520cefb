"""libcu++ for groups of threads: cuda::atomic, cuda::atomic_ref, cuda::atomic_flag and their fence.

CUDA C++ Core Libraries, "Extended API: Synchronization Primitives".  Loads read and stores write, as for one
thread (`atomic_members`).  An object holds its value, a reference the address of it.
"""

from __future__ import annotations

import re

import numpy as np

from hgrd.cuda.memory_model import Scope
from hgrd.program import expressions as ir
from hgrd.program.expressions import Expression
from hgrd.program.types import BOOL, INT, PointerType, Type, VoidType
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, fails, is_atomic_object, nothing
from hgrd.simulate.lockstep.device.atomics import constant, lowered, perform
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.thread_numbers import launch_threads
from hgrd.simulate.trace import Fenced, MemoryOrder

_MEMBER = re.compile(r"^(?:cuda::)?(?:std::)?(?:__\w+::)*atomic(_ref|_flag)?(?:<.*>)?::")
_SCOPES = {"device": Scope.DEVICE, "block": Scope.BLOCK, "thread": Scope.WARP}
_NUMBERS = (Scope.SYSTEM, Scope.DEVICE, Scope.BLOCK, Scope.WARP)
_ORDERS = (
    MemoryOrder.RELAXED,
    MemoryOrder.ACQUIRE,
    MemoryOrder.ACQUIRE,
    MemoryOrder.RELEASE,
    MemoryOrder.ACQ_REL,
    MemoryOrder.ACQ_REL,
)
_OPERATORS = {"++": "add", "--": "sub", "+=": "add", "-=": "sub", "&=": "and", "|=": "or", "^=": "xor"}
_FETCHES = ("add", "sub", "and", "or", "xor", "min", "max")
_OPERANDS = {"load": 0, "test": 0, "test_and_set": 0, "clear": 0}  # before the memory order; of others 1


def atomic_member(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """A member function or a fence; None for anything else."""
    name = e.function.name
    if name == "atomic_thread_fence":
        return _fence(e)
    match = _MEMBER.match(e.function.qualified)
    if match is None or not e.arguments:
        return None
    if name in ("notify_one", "notify_all"):
        return nothing
    order = _order(e)
    if order is None:
        return fails("a memory order that is not constant", e.span)
    type_ = value_type(e)
    address = e.arguments[0]
    if match[1] == "_ref":
        pointer = PointerType(type_)
        address = ir.Load(ir.Deref(address, pointer, e.span), pointer, e.span)
    return _member(b, e, address, type_, order)


def object_of(b: CodeBuilder, e: ir.Construct) -> Closure | None:
    """The bytes of a new object or reference; None for other classes."""
    size = b.unit.size(e.type)
    if size is None or not is_atomic_object(e.type):
        return None
    from hgrd.simulate.lockstep.calls import packed

    return packed(b, e.arguments[-1:], size, e.span)


def _fence(e: ir.Call) -> Closure:
    order, scope = (constant(x) for x in (*e.arguments, None, None)[:2])
    if order == 0:
        return nothing
    wide = Scope.SYSTEM if scope is None else _NUMBERS[scope]

    def run(here: ActiveThreads) -> None:
        if here.batch.observer is not None:
            here.batch.observer.fenced(Fenced(wide, launch_threads(here), e.span))

    return run


def _member(b: CodeBuilder, e: ir.Call, address: Expression, type_: Type, order: MemoryOrder) -> Closure:
    name, scope = e.function.name, _scope(e)
    if name in ("load", "test") or (name.startswith("operator ") and len(e.arguments) == 1):
        return lowered(b, e, address, type_, "load", (), scope, order)
    if name in ("store", "clear", "operator="):
        operand = e.arguments[1] if name != "clear" else ir.IntConst(0, type_, e.span)
        return lowered(b, e, address, type_, "store", (operand,), scope, order, after=True)
    if name.startswith("compare_exchange"):
        return _compare_exchange(b, e, address, type_, order)
    step = name in ("operator++", "operator--")
    operation = "exch" if name in ("exchange", "test_and_set") else name.removeprefix("fetch_")
    operation = _OPERATORS.get(name.removeprefix("operator"), operation)
    if operation != "exch" and operation not in _FETCHES:
        return fails(f"{name} of an atomic object", e.span)
    operand = ir.IntConst(1, INT, e.span) if step or name == "test_and_set" else e.arguments[1]
    after = name.startswith("operator") and not (step and len(e.arguments) > 1)
    return lowered(b, e, address, type_, operation, (operand,), scope, order, after=after)


def _compare_exchange(b: CodeBuilder, e: ir.Call, address: Expression, type_: Type, order: MemoryOrder) -> Closure:
    """`expected` becomes what was found."""
    from hgrd.simulate.lockstep.expressions import lower
    from hgrd.simulate.lockstep.lvalues import storer, target

    dtype, place = b.unit.dtype(type_), ir.Deref(e.arguments[1], type_, e.span)
    if dtype is None or dtype.kind == "V" or any(map(b.controls, (address, *e.arguments[1:3]))):
        return fails(f"{e.function.name} of such operands", e.span)
    expected, desired = lower(b, ir.Load(place, type_, e.span)), lower(b, ir.Convert(e.arguments[2], type_, e.span))
    where, put = target(b, address), storer(b, place, type_)
    access = b.unit.atomic_access(e.function.name, dtype, "cas", e.span, order, _scope(e))

    def run(here: ActiveThreads) -> Value:
        hoped = expected(here)
        found = perform(here, where(here), access, "cas", [hoped, desired(here)])
        put(here, found)
        return np.equal(found, hoped)

    return run


def value_type(e: ir.Call) -> Type:
    """The type of the value in the atomic object whose member is called."""
    name = e.function.name
    if name in ("test", "test_and_set", "clear"):
        return BOOL
    if name.startswith("compare_exchange"):
        return e.arguments[2].type
    if name in ("store", "operator=") or isinstance(e.type, VoidType):
        return e.arguments[1].type
    return e.type


def _order(e: ir.Call) -> MemoryOrder | None:
    """The memory order behind the operands; operators, and calls without one, are sequentially consistent."""
    name = e.function.name
    operands = 2 if name.startswith("compare_exchange") else _OPERANDS.get(name, 1)
    if name.startswith("operator") or len(e.arguments) <= operands + 1:
        return MemoryOrder.ACQ_REL
    number = constant(e.arguments[operands + 1])
    return None if number is None else _ORDERS[number]


def _scope(e: ir.Call) -> Scope:
    """The last template argument of the class."""
    last = e.function.template_args[-1] if e.function.template_args else 0
    if isinstance(last, int):
        return _NUMBERS[last] if 0 <= last < len(_NUMBERS) else Scope.SYSTEM
    return _SCOPES.get(last.rpartition("_")[2], Scope.SYSTEM)
