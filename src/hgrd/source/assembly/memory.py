"""Instructions that touch memory or order accesses to it, as CUDA's loads, stores, atomics, fences and copies.

PTX ISA, "Data Movement and Conversion Instructions", "Parallel Synchronization and Communication Instructions",
"Memory Consistency Model".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.atomics import ORDERS_AND_SCOPES
from hgrd.cuda.ptx.syntax import Address, Instruction, Number, Operand, Register, Vector
from hgrd.program.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Convert,
    Deref,
    Expression,
    Load,
    PointerAdd,
)
from hgrd.program.statements import Block, Evaluate, If, Statement
from hgrd.program.types import BOOL, CHAR, INT, UINT, ULONG, VOID, FloatType, IntType, PointerType, Type
from hgrd.source.assembly.forms import Handler, operands_of
from hgrd.source.assembly.registers import TYPES, NotModelledError, Registers, bits_of

_CACHING = frozenset(("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L2::cache_hint"))
_SPACES = frozenset(("global", "shared", "shared::cta", "const"))
_ORDERS = {"relaxed": "RELAXED", "acquire": "ACQUIRE", "release": "RELEASE", "acq_rel": "ACQ_REL", "sc": "SEQ_CST"}
_SCOPES = {"cta": "BLOCK", "gpu": "DEVICE", "sys": "SYSTEM"}
_LEVELS = {"cta": "cta", "gl": "gpu", "sys": "sys"}
_SUFFIXES = {"cta": "_block", "gpu": "", "sys": "_system"}
_FETCHES = frozenset(("add", "min", "max", "and", "or", "xor"))
_OPERATIONS = _FETCHES | {"inc", "dec", "cas", "exch"}


class _Access(Struct, frozen=True):
    """What the modifiers of an access say: `order` and `scope` are "" where they say nothing of these."""

    type: Type = VOID
    count: int = 1
    space: str = ""
    order: str = ""
    scope: str = ""
    volatile: bool = False
    operation: str = ""


def _access(i: Instruction) -> _Access:
    """The modifiers of an access; raises NotModelledError for those that have no meaning here."""
    found = _Access()
    for m in i.modifiers:
        found = _with_modifier(found, m)
    if found.type == VOID or bool(found.operation) != (i.opcode in ("atom", "red")):
        raise NotModelledError
    return found


def _with_modifier(found: _Access, modifier: str) -> _Access:
    match modifier:
        case _ if modifier in TYPES and modifier != "pred" and found.type == VOID:
            return replace(found, type=TYPES[modifier])
        case "v2" | "v4" | "v8":
            return replace(found, count=int(modifier[1:]))
        case _ if modifier in _SPACES and not found.space:
            return replace(found, space=modifier.partition("::")[0])
        case "relaxed" | "acquire" | "release" | "acq_rel":
            return replace(found, order=modifier)
        case "cta" | "gpu" | "sys":
            return replace(found, scope=modifier)
        case "volatile" | "mmio":
            return replace(found, volatile=True)
        case _ if modifier in _OPERATIONS:
            return replace(found, operation=modifier)
        case "weak" | "noftz":
            return found
        case _ if modifier in _CACHING or modifier.startswith(("L1::", "L2::", "level::")):
            return found
        case _:
            raise NotModelledError


# ---------------------------------------------------------------- addresses


def address_of(to: Registers, operand: Operand, space: str, type_: Type, ahead: int = 0) -> Expression:
    """The generic pointer to a value of `type_` at an address in a space, `ahead` bytes behind it.

    Addresses of shared memory are numbers: offsets in the window of the block (PTX ISA, "cvta").
    """
    match operand:
        case Address(base=base, offset=offset) if base is not None and not isinstance(base, Number):
            value = to.plain(base)
        case _:
            raise NotModelledError
    if space == "shared":
        if not isinstance(value.type, IntType):
            raise NotModelledError
        generic = to.call("__cvta_shared_to_generic", (to.converted(value, ULONG),), PointerType(VOID))
    elif isinstance(value.type, PointerType) or bits_of(value.type) == ULONG.bits:
        generic = to.as_bits(value, PointerType(VOID))
    else:
        raise NotModelledError
    if offset + ahead:
        distance = to.number(offset + ahead, IntType(64, True))
        bytes_ = Convert(generic, PointerType(CHAR), to.span, explicit=True)
        generic = PointerAdd(bytes_, distance, 1, PointerType(CHAR), to.span)
    return Convert(generic, PointerType(type_), to.span, explicit=True)


def _held_as(to: Registers, operand: Operand, type_: Type) -> Type:
    """The type of what is accessed: that of the register, where it has as many bits."""
    try:
        own = to.plain(operand).type if operand != Register("_") else type_
    except NotModelledError:
        return type_
    same = isinstance(own, IntType | FloatType) and bits_of(own) == bits_of(type_)
    return own if same else type_


def _parts(operand: Operand, count: int) -> tuple[Operand, ...]:
    parts = operand.parts if isinstance(operand, Vector) else (operand,)
    if len(parts) != count:
        raise NotModelledError
    return parts


# ---------------------------------------------------------------- loads and stores


def _load(to: Registers, i: Instruction) -> list[Statement]:
    access = _access(i)
    target, address, *_ = operands_of(i, 2, 3)
    found: list[Statement] = []
    for number, part in enumerate(_parts(target, access.count)):
        type_ = _held_as(to, part, access.type)
        pointer = address_of(to, address, access.space, type_, number * bits_of(type_) // 8)
        value = (
            to.call("__nv_atomic_load_n", (pointer, *_ordered(to, access)), type_)
            if access.order and not access.volatile
            else Load(Deref(pointer, type_, to.span), type_, to.span, access.volatile)
        )
        found.append(to.put(part, value))
    return found


def _store(to: Registers, i: Instruction) -> list[Statement]:
    access = _access(i)
    address, source, *_ = operands_of(i, 2, 3)
    found: list[Statement] = []
    for number, part in enumerate(_parts(source, access.count)):
        type_ = _held_as(to, part, access.type)
        pointer = address_of(to, address, access.space, type_, number * bits_of(type_) // 8)
        value = to.read(part, type_)
        if access.order and not access.volatile:
            call = to.call("__nv_atomic_store_n", (pointer, value, *_ordered(to, access)), VOID)
            found.append(Evaluate(call, to.span))
        else:
            place = Deref(pointer, type_, to.span)
            found.append(Evaluate(Assign(place, value, type_, to.span, volatile=access.volatile), to.span))
    return found


def _ordered(to: Registers, access: _Access) -> tuple[Expression, Expression]:
    """The memory order and scope of an access as arguments."""
    order, scope = ORDERS_AND_SCOPES[f"__NV_ATOMIC_{_ORDERS[access.order]}"], _scope_number(access.scope)
    return to.number(order, INT), to.number(scope, INT)


def _scope_number(scope: str) -> int:
    if scope not in _SCOPES:
        raise NotModelledError
    return ORDERS_AND_SCOPES[f"__NV_THREAD_SCOPE_{_SCOPES[scope]}"]


# ---------------------------------------------------------------- atomics and fences


def _atomic(to: Registers, i: Instruction) -> list[Statement]:
    """atom, and red, which is the same without a result; relaxed and of the device unless it says otherwise."""
    access = _access(i)
    gives = i.opcode == "atom"
    count = 2 if access.operation == "cas" else 1
    if access.count != 1 or access.volatile:
        raise NotModelledError
    operands = operands_of(i, *(gives + 1 + count + more for more in (0, 1)))
    target, address, *given = operands if gives else (Register("_"), *operands)
    bits = access.type in (TYPES["b32"], TYPES["b64"])
    type_ = _held_as(to, given[0], access.type) if bits and not isinstance(given[0], Number) else access.type
    pointer = address_of(to, address, access.space, type_)
    values = tuple(to.read(x, type_) for x in given[:count])
    order, scope = access.order or "relaxed", access.scope or "gpu"
    number = _scope_number(scope)
    if order != "relaxed" and access.operation in (*_FETCHES, "exch"):
        name = "exchange_n" if access.operation == "exch" else f"fetch_{access.operation}"
        said = (to.number(ORDERS_AND_SCOPES[f"__NV_ATOMIC_{_ORDERS[order]}"], INT), to.number(number, INT))
        return [to.put(target, to.call(f"__nv_atomic_{name}", (pointer, *values, *said), type_))]
    name = "CAS" if access.operation == "cas" else access.operation.capitalize()
    call = to.put(target, to.call(f"atomic{name}{_SUFFIXES[scope]}", (pointer, *values), type_))
    before = [_fenced(to, "release", scope)] if order in ("release", "acq_rel") else []
    after = [_fenced(to, "acquire", scope)] if order in ("acquire", "acq_rel") else []
    return [*before, call, *after]


def _fenced(to: Registers, order: str, scope: str) -> Statement:
    """A fence of an order and a scope (ISO C++, [atomics.fences])."""
    said = to.number(ORDERS_AND_SCOPES[f"__NV_ATOMIC_{_ORDERS[order]}"], INT), to.number(_scope_number(scope), INT)
    return Evaluate(to.call("__nv_atomic_thread_fence", said, VOID), to.span)


def _membar(to: Registers, i: Instruction) -> list[Statement]:
    match i.modifiers:
        case (level,) if level in _LEVELS and not i.operands:
            return [_fenced(to, "sc", _LEVELS[level])]
        case ("proxy", *_):
            return []
        case _:
            raise NotModelledError


def _fence(to: Registers, i: Instruction) -> list[Statement]:
    """fence: sequentially consistent or acquire and release; between proxies it orders no threads."""
    match i.modifiers:
        case ("sc" | "acq_rel" as order, scope) if not i.operands:
            return [_fenced(to, order, scope)]
        case (scope,) if scope in _SCOPES and not i.operands:
            return [_fenced(to, "acq_rel", scope)]
        case ("proxy", kind) if not kind.startswith("tensormap"):
            return []
        case _:
            raise NotModelledError


# ---------------------------------------------------------------- copies, matrices


def _copy(to: Registers, i: Instruction) -> list[Statement]:
    """cp.async: copies of 4, 8 or 16 bytes to shared memory that end later, and waits for them."""
    match i.modifiers:
        case ("async", "commit_group"):
            return [Evaluate(to.call("__pipeline_commit", (), VOID), to.span)]
        case ("async", "wait_group"):
            (count,) = operands_of(i, 1)
            return [Evaluate(to.call("__pipeline_wait_prior", (to.read(count, ULONG),), VOID), to.span)]
        case ("async", "wait_all"):
            none = to.number(0, ULONG)
            return [
                Evaluate(to.call("__pipeline_commit", (), VOID), to.span),
                Evaluate(to.call("__pipeline_wait_prior", (none,), VOID), to.span),
            ]
        case ("async", "ca" | "cg", "shared" | "shared::cta", "global", *hints) if all(
            h.startswith("L2::") for h in hints
        ):
            return [_copied(to, i, with_policy="L2::cache_hint" in hints)]
        case _:
            raise NotModelledError


def _copied(to: Registers, i: Instruction, *, with_policy: bool) -> Statement:
    target, source, size, *more = operands_of(i, 3, 4, 5)
    more = more[: len(more) - with_policy]
    if len(more) > 1:
        raise NotModelledError
    given = to.read(size, ULONG)
    pointers = address_of(to, target, "shared", VOID), address_of(to, source, "global", VOID)
    filled: tuple[Expression, ...] = ()
    if more:
        taken = to.converted(to.read(more[0], UINT), ULONG)
        filled = (Binary(BinaryOp.SUB, given, taken, ULONG, to.span),)
    return Evaluate(to.call("__pipeline_memcpy_async", (*pointers, given, *filled), VOID), to.span)


def _matrix_rows(to: Registers, i: Instruction) -> tuple[Expression, Expression, tuple[Operand, ...]]:
    """The lanes whose addresses count, the row of 16 bytes there, and the fragments (PTX ISA, "ldmatrix")."""
    count = {"x1": 1, "x2": 2, "x4": 4}
    known = {"sync", "aligned", "m8n8", "shared", "shared::cta", "b16", "trans"}
    numbers = [count[m] for m in i.modifiers if m in count]
    if len(numbers) != 1 or set(i.modifiers) - known - set(count) or "m8n8" not in i.modifiers:
        raise NotModelledError
    one, two = operands_of(i, 2)
    fragments, address = (one, two) if i.opcode == "ldmatrix" else (two, one)
    space = "shared" if {"shared", "shared::cta"} & set(i.modifiers) else ""
    row = IntType(128, False)
    lane = to.call("__lane_id", (), UINT)
    counts = Binary(BinaryOp.LT, lane, to.number(8 * numbers[0], UINT), BOOL, to.span)
    return counts, address_of(to, address, space, row), _parts(fragments, numbers[0])


def _load_matrix(to: Registers, i: Instruction) -> list[Statement]:
    """ldmatrix: lanes read the rows that they give the addresses of; what a lane gets comes from several of these."""
    counts, pointer, fragments = _matrix_rows(to, i)
    row = IntType(128, False)
    read = Evaluate(Load(Deref(pointer, row, to.span), row, to.span), to.span)
    own = [to.put(f, to.call(f"ptx.own.{i.name}", (), UINT)) for f in fragments]
    return [If(counts, Block((read,), to.span), None, to.span), *own]


def _store_matrix(to: Registers, i: Instruction) -> list[Statement]:
    counts, pointer, _ = _matrix_rows(to, i)
    row = IntType(128, False)
    stored = Assign(Deref(pointer, row, to.span), to.call(f"ptx.own.{i.name}", (), row), row, to.span)
    return [If(counts, Block((Evaluate(stored, to.span),), to.span), None, to.span)]


MEMORY: Final[Mapping[str, Handler]] = {
    "ld": _load,
    "st": _store,
    "atom": _atomic,
    "red": _atomic,
    "membar": _membar,
    "fence": _fence,
    "cp": _copy,
    "ldmatrix": _load_matrix,
    "stmatrix": _store_matrix,
}
"""Instructions that touch memory, by opcode; they raise NotModelledError for forms without a meaning here."""
