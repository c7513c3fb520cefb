"""Addresses as integers: pointers that a program converts to numbers and back.

The address of an object is a symbol, the same for all threads; arithmetic on it may end in a pointer again, as in
`(T *)((uintptr_t)p + 16)`, and as offsets into the window of shared memory do in inline assembly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.symbolic.values import Choice, MemoryObject, MemorySpace, NullValue, Pointer, PointerValue, Value
from hgrd.terms import Op, Origin, Symbol, Term, add, const, ite, var
from hgrd.terms.linear import congruent, from_linear, linear

ADDRESSES: Final = 1 << 48  # above all numbers that are addresses
_PREFIX: Final = "address of "
_HIGHEST: Final = {MemorySpace.SHARED: 1 << 18, MemorySpace.GLOBAL: 1 << 47}
_NARROWEST: Final = 32  # bits of an address in the window of shared memory (PTX ISA, "cvta")


def symbol_of_address(target: MemoryObject) -> Symbol | None:
    """The symbol for where an object begins; None of objects of one thread, and of what was found in memory."""
    if target.space not in _HIGHEST or target.key.startswith("*"):
        return None
    return Symbol(f"{_PREFIX}{target.key}", 0, _HIGHEST[target.space], Origin.ADDRESS)


def address_of(value: Value) -> Term | None:
    """The address that a pointer is, as a number; None where it is not known."""
    match value:
        case NullValue():
            return const(0)
        case Pointer(target=target, offset=offset):
            symbol = symbol_of_address(target)
            return None if symbol is None else add(var(symbol), offset)
        case Choice(condition=condition, then=a, otherwise=b):
            one, two = address_of(a), address_of(b)
            return None if one is None or two is None else ite(condition, one, two)
        case _:
            return None


def pointer_at(address: Term, objects: Mapping[Symbol, MemoryObject]) -> PointerValue | None:
    """The pointer that an address is made from; None where it is not one object's address and an offset.

    `objects` are those whose addresses were taken.  Wraps to 32 bits and more are read through: an address fits.
    """
    plain = congruent(address, _NARROWEST)
    if plain.op is Op.ITE:
        condition, then, otherwise = plain.args
        one, two = pointer_at(then, objects), pointer_at(otherwise, objects)
        return None if one is None or two is None else Choice(condition, one, two)
    constant, atoms = linear(plain)
    bases = [a for a in atoms if a.op is Op.VAR and a.symbol in objects]
    if len(bases) != 1 or atoms[bases[0]] != 1:
        return None
    rest = {atom: factor for atom, factor in atoms.items() if atom is not bases[0]}
    return Pointer(objects[bases[0].symbol], from_linear((constant, rest)))
