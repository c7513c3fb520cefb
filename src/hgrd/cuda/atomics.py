"""Atomic operations by the names of the functions that do them, with their scopes and memory orders.

CUDA C++ Programming Guide, "Atomic Functions"; CUDA C++ Core Libraries, "Extended API: Synchronization Primitives";
ISO C++, [atomics.types.operations].
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Final

from msgspec import Struct

from hgrd.cuda.memory_model import Scope


class StdMemoryOrder(Enum):
    """What an atomic or fence orders; the values are those of std::memory_order and __NV_ATOMIC_…."""

    RELAXED = 0
    CONSUME = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQ_REL = 4
    SEQ_CST = 5

    @property
    def acquires(self) -> bool:
        return self in (StdMemoryOrder.CONSUME, StdMemoryOrder.ACQUIRE, StdMemoryOrder.ACQ_REL, StdMemoryOrder.SEQ_CST)

    @property
    def releases(self) -> bool:
        return self in (StdMemoryOrder.RELEASE, StdMemoryOrder.ACQ_REL, StdMemoryOrder.SEQ_CST)


class AtomicFunction(Struct, frozen=True):
    """An atomic function of a pointer and operands.

    `operation` is one of load, store, exch, cas, add, sub, min, max, inc, dec, and, or, xor.  `scope` is None where an
    argument says it: the one after the memory orders, which follow the `operands`.  `by_pointer`: the operand is where
    an argument points to; `stores_result`: so is the result, which a pointer behind the operands says.  A
    compare-and-swap with a memory order finds what it expects behind a pointer, writes there what it has found, and has
    a flag and two orders.
    """

    operation: str
    scope: Scope | None
    operands: int
    by_pointer: bool = False
    stores_result: bool = False

    @property
    def exchanges(self) -> bool:
        """Whether it is a compare-and-swap whose expected value is behind a pointer."""
        return self.scope is None and self.operation == "cas"

    @property
    def orders_at(self) -> int:
        """The number of the argument that is the first memory order, where arguments say that."""
        return 1 + self.operands + (self.stores_result or self.exchanges)


class AtomicMember(Struct, frozen=True):
    """A member function of cuda::atomic, cuda::atomic_ref or cuda::atomic_flag, of an object and operands.

    `operation`: as of an AtomicFunction; "" of what does not touch the value (`notify_one`, constructors).  `operands`
    come before the memory order.  `gives_new`: the result is the new value, not the old one.  `implied` is the operand
    that is not written (1 of `++`); None: there is none.  `of_flag`: the value is a bool; otherwise it has the type of
    the argument number `typed_by`, or, where that is None, of the result.
    """

    name: str
    operation: str
    operands: int
    by_reference: bool
    gives_new: bool = False
    implied: int | None = None
    of_flag: bool = False
    typed_by: int | None = None

    @property
    def constructs(self) -> bool:
        return self.name in _CLASSES

    @property
    def takes_order(self) -> bool:
        """Whether a memory order can follow the operands; operators have the strongest one."""
        return not self.name.startswith("operator")


_FUNCTION = re.compile(
    r"^(?:__)?(?:i|u|f|ll|ull)?atomic(Add|Sub|Exch|Min|Max|Inc|Dec|And|Or|Xor|CAS)(_block|_system)?$"
)
_SUFFIXES = {None: Scope.DEVICE, "_block": Scope.BLOCK, "_system": Scope.SYSTEM}
_NV = re.compile(
    r"^__nv_atomic_(?:(load|store|exchange|compare_exchange)(_n)?|(?:fetch_)?(add|sub|min|max|and|or|xor))$"
)
_NV_OPERATIONS = {"load": ("load", 0), "store": ("store", 1), "exchange": ("exch", 1), "compare_exchange": ("cas", 2)}
_CLASS = r"^(?:cuda::)?(?:std::)?(?:__\w+::)*atomic(_ref|_flag)?(?:<.*>)?::"
_MEMBER = re.compile(_CLASS)
_FENCE = re.compile(r"^(?:cuda::)?(?:std::)?(?:__\w+::)*atomic_thread_fence$")
_CLASSES = ("atomic", "atomic_ref", "atomic_flag")
_FETCHES = ("add", "sub", "and", "or", "xor", "min", "max")
_ASSIGNMENTS = {"+=": "add", "-=": "sub", "&=": "and", "|=": "or", "^=": "xor"}
_STEPS = {"++": "add", "--": "sub"}
_SCOPES = (Scope.SYSTEM, Scope.DEVICE, Scope.BLOCK, Scope.THREAD)  # of the enumeration cuda::thread_scope
_SCOPE_NAMES = {f"thread_scope_{scope.value}": scope for scope in _SCOPES}
# of the enumeration of __NV_THREAD_SCOPE_…; None: a cluster, which is none of the scopes that are known
_NV_SCOPES = (Scope.THREAD, Scope.BLOCK, None, Scope.DEVICE, Scope.SYSTEM)
_NV_SCOPE_NAMES = ("THREAD", "BLOCK", "CLUSTER", "DEVICE", "SYSTEM")

ORDERS_AND_SCOPES: dict[str, int] = {
    **{f"memory_order_{order.name.lower()}": order.value for order in StdMemoryOrder},
    **{f"__NV_ATOMIC_{order.name}": order.value for order in StdMemoryOrder},
    **{f"thread_scope_{scope.value}": number for number, scope in enumerate(_SCOPES)},
    **{f"__NV_THREAD_SCOPE_{name}": number for number, name in enumerate(_NV_SCOPE_NAMES)},
}
"""The numbers of memory orders and scopes, by the names of their enumerators."""

_OF_NUMBER: Final = re.compile(r"(?:cuda::std|cuda|std)::atomic<([\w ]+)")
_BYTES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("bool", "char", "signed char", "unsigned char"), 1),
    **dict.fromkeys(("short", "unsigned short"), 2),
    **dict.fromkeys(("int", "unsigned int", "unsigned", "float"), 4),
    **dict.fromkeys(("long", "unsigned long", "long long", "unsigned long long", "double"), 8),
}


@cache
def atomic_function(name: str) -> AtomicFunction | None:
    """What `atomicAdd`, `atomicCAS_block`, `__nv_atomic_fetch_add` and the like do; None of other functions."""
    match = _FUNCTION.match(name)
    if match is not None:
        operation = match[1].lower()
        return AtomicFunction(operation, _SUFFIXES[match[2]], 2 if operation == "cas" else 1)
    match = _NV.match(name)
    if match is None:
        return None
    if match[3]:
        return AtomicFunction(match[3], None, 1)
    operation, operands = _NV_OPERATIONS[match[1]]
    by_pointer = match[2] is None
    return AtomicFunction(operation, None, operands, by_pointer, by_pointer and operation in ("load", "exch"))


def is_atomic_object(qualified: str) -> bool:
    """Whether this names a class of atomic objects, or a member of one."""
    return _MEMBER.match(qualified) is not None or _MEMBER.match(f"{qualified}::") is not None


def atomic_object_size(type_: str) -> int | None:
    """The bytes of an atomic object of a number, as `cuda::atomic<int, …>`; None: of another class.

    It has the representation of the number (libcu++, "cuda::atomic").
    """
    match = _OF_NUMBER.match(type_)
    return None if match is None else _BYTES.get(match[1].strip())


def is_wait(qualified: str, name: str) -> bool:
    """Whether this is a member of an atomic object that waits until it has another value than the argument."""
    return name == "wait" and is_atomic_object(qualified)


def is_thread_fence(qualified: str) -> bool:
    """Whether this is `cuda::atomic_thread_fence(order, scope)`."""
    return _FENCE.match(qualified) is not None


@cache
def atomic_member(qualified: str, name: str, arguments: int) -> AtomicMember | None:
    """What a member of an atomic object does; None of anything else, and of members that are not known.

    `arguments` counts the object, too.
    """
    match = _MEMBER.match(qualified)
    if match is None:
        return None
    made = _known_member(name, arguments, by_reference=match[1] == "_ref")
    return made if arguments or made is None else None


def _known_member(name: str, arguments: int, *, by_reference: bool) -> AtomicMember | None:
    operator = name.removeprefix("operator")
    match name:
        case "atomic" | "atomic_ref" | "atomic_flag" | "notify_one" | "notify_all":
            return AtomicMember(name, "", 0, by_reference)
        case "test":
            return AtomicMember(name, "load", 0, by_reference, of_flag=True)
        case "test_and_set":
            return AtomicMember(name, "exch", 0, by_reference, implied=1, of_flag=True)
        case "clear":
            return AtomicMember(name, "store", 0, by_reference, implied=0, of_flag=True)
        case "load":
            return AtomicMember(name, "load", 0, by_reference)
        case "wait":
            return AtomicMember(name, "load", 1, by_reference, typed_by=1)
        case "store" | "operator=":
            return AtomicMember(name, "store", 1, by_reference, gives_new=name != "store", typed_by=1)
        case "exchange":
            return AtomicMember(name, "exch", 1, by_reference)
        case "compare_exchange_weak" | "compare_exchange_strong":
            return AtomicMember(name, "cas", 2, by_reference, typed_by=2)
        case _ if name.startswith("operator ") and arguments == 1:
            return AtomicMember(name, "load", 0, by_reference)
        case _ if name.removeprefix("fetch_") in _FETCHES and name.startswith("fetch_"):
            return AtomicMember(name, name.removeprefix("fetch_"), 1, by_reference)
        case _ if name.startswith("operator") and operator in _STEPS:
            return AtomicMember(name, _STEPS[operator], 0, by_reference, arguments == 1, implied=1)
        case _ if name.startswith("operator") and operator in _ASSIGNMENTS:
            return AtomicMember(name, _ASSIGNMENTS[operator], 1, by_reference, gives_new=True)
        case _:
            return None


def memory_order(number: int | None) -> StdMemoryOrder | None:
    """The order with this number; None where it is not known or not one."""
    return StdMemoryOrder(number) if number is not None and 0 <= number <= 5 else None


def failure_order(success: StdMemoryOrder) -> StdMemoryOrder:
    """The order of a compare-and-swap that fails, where one order is given for both (ISO C++, [atomics.types])."""
    match success:
        case StdMemoryOrder.ACQ_REL:
            return StdMemoryOrder.ACQUIRE
        case StdMemoryOrder.RELEASE:
            return StdMemoryOrder.RELAXED
        case _:
            return success


def thread_scope(number: int | None) -> Scope | None:
    """The scope with this number in cuda::thread_scope; None where it is not known or not one."""
    return _SCOPES[number] if number is not None and 0 <= number < len(_SCOPES) else None


def nv_thread_scope(number: int | None) -> Scope | None:
    """The scope with this number among the __NV_THREAD_SCOPE_…; None where it is not known or not one."""
    return _NV_SCOPES[number] if number is not None and 0 <= number < len(_NV_SCOPES) else None


def scope_of_object(template_arguments: Sequence[int | str]) -> Scope | None:
    """The scope of an atomic object: the argument of its class that says so; None: it is not known.

    An object of a class that says nothing but the type of its value is of the system.
    """
    last = template_arguments[-1] if template_arguments else 0
    if not isinstance(last, str):
        return thread_scope(last)
    default = Scope.SYSTEM if len(template_arguments) == 1 else None
    return _SCOPE_NAMES.get(last.rpartition("::")[2], default)
