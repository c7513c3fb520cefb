"""Read-only memory: its contents are functions of the place, with names that are equal for equal contents."""

from __future__ import annotations

from hgrd.program.layout import scalars
from hgrd.program.types import (
    FLOAT,
    INT,
    ArrayType,
    BoolType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    Type,
)
from hgrd.protocol.inference.function_pointers import NUMBERS
from hgrd.symbolic.addresses import ADDRESSES
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.members import member_at
from hgrd.symbolic.values import OPAQUE, Cell, Composite, FloatValue, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Term, add, const, ne, read, var
from hgrd.terms.build import read_between
from hgrd.terms.linear import from_linear, linear


def pointee(owner: MemoryObject, key: str, name: str, type_: PointerType, offset: Term) -> Pointer:
    """Target of a pointer found in memory: an object of its own, at an address that the memory holds."""
    return Pointer(MemoryObject(key, name, MemorySpace.GLOBAL, type_.to, None, owner.span, True), offset)


def pointee_anywhere(machine: Machine, owner: MemoryObject, type_: PointerType, origin: Origin) -> Pointer:
    """Target of a pointer found in memory of which it is not known what it holds."""
    address = var(machine.names.fresh(f"{owner.name}[]", 0, ADDRESSES, origin))
    return pointee(owner, found_in(owner), f"*{owner.name}", type_, address)


def found_in(holder: MemoryObject) -> str:
    """Key of the target of pointers that are found in an object which the kernel writes."""
    return found_by_key(holder.key)


def found_by_key(key: str) -> str:
    """As `found_in`, for the object of a key."""
    return f"**{key}"


def value_of_read_only(machine: Machine, target: MemoryObject, offset: Term, type_: Type) -> Value:
    """Value in read-only memory: a function of the place."""
    size = machine.size(type_)
    if isinstance(type_, RecordType | ArrayType):
        members = scalars(type_, machine.records, 64)
        cells = {
            at: Cell(value_of_read_only(machine, target, add(offset, const(at)), t), machine.size(t) or 1)
            for at, t in members
        }
        return Composite(cells, size or 0)
    name, index = element(target, offset, type_, size or 1)
    match type_:
        case BoolType():
            return ne(read_between(name, (index,), 0, 1), const(0))
        case IntType():
            return read_between(name, (index,), *type_.range)
        case FloatType():
            return FloatValue(read(name, index))
        case PointerType(to=FunctionType() as to):
            number = read_between(name, (index,), *NUMBERS)
            return machine.semantics.pointer_to_function(machine, number, target.name, to, target.span)
        case PointerType():
            address = read_between(name, (index,), 0, ADDRESSES)
            member = _member(machine, target, offset, type_)
            return pointee(target, f"{found_in(target)}{member}", f"*{target.name}{member}", type_, address)
        case _:
            return OPAQUE


def _member(machine: Machine, target: MemoryObject, offset: Term, type_: PointerType) -> str:
    """Member of a record in memory, as text, at this place if it points to numbers; else "".

    Different members are assumed to point to different buffers, as different parameters are (pointers to records are
    links as a rule, and many lead to one record).
    """
    if not isinstance(type_.to, IntType | FloatType | BoolType):
        return ""
    member = member_at(machine.records, target.element, offset)
    return "" if member is None or member.type != type_ else f".{member.name}"


def element(target: MemoryObject, offset: Term, type_: Type, size: int) -> tuple[str, Term]:
    """Name of an array of elements of `type_` (`size` bytes) at `target`, and the index in it.

    Reads of other types have other names: they are functions of their own, with ranges of their own.
    """
    constant, atoms = linear(offset)
    suffix = "" if _is_usual(target.element, type_) else f".{_letter(type_)}{size}"
    if constant % size == 0 and all(c % size == 0 for c in atoms.values()):
        index = from_linear((constant // size, {t: c // size for t, c in atoms.items()}))
        return f"{target.name}{suffix}", index
    return f"{target.name}{suffix}.bytes", offset


def _is_usual(declared: Type | None, type_: Type) -> bool:
    """Whether an object is read by its declared type; a record, by int or float."""
    while isinstance(declared, ArrayType):
        declared = declared.of
    if isinstance(declared, BoolType | IntType | FloatType | PointerType):
        return type_ == declared
    return type_ in (INT, FLOAT)


def _letter(type_: Type) -> str:
    match type_:
        case IntType(signed=signed):
            return "i" if signed else "u"
        case FloatType():
            return "f"
        case _:
            return "b" if isinstance(type_, BoolType) else "p"
