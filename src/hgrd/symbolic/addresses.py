"""Addresses as integers: pointers that a program converts to numbers and back.

The address of an object is a multiple, which a symbol stands for, of what it is aligned to, the same for all threads.
Arithmetic on it may end in a pointer again, as in `(T *)((uintptr_t)p + 16)`, and as offsets into the window of shared
memory do in inline assembly.

    unsigned *word = (unsigned *)((uintptr_t)p & ~3);   // the word that a byte is in
    unsigned shift = ((uintptr_t)p & 3) * 8;            // and where: p - word, in bits
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.program.types import POINTER_SIZE, FloatType, IntType, PointerType
from hgrd.symbolic.values import Choice, MemoryObject, MemorySpace, NullValue, Pointer, PointerValue, Value
from hgrd.terms import Op, Origin, Symbol, Term, add, bit_and, const, ite, mod, mul, sub, var
from hgrd.terms.linear import congruent, difference, linear

ADDRESSES: Final = 1 << 48  # above all numbers that are addresses
_PREFIX: Final = "address of "
_HIGHEST: Final = {MemorySpace.SHARED: 1 << 18, MemorySpace.GLOBAL: 1 << 47}
ALIGNED: Final = 16
"""Bytes: all memory that is allocated, and each variable in global memory, begins at a multiple of them.

It is 256 of most (Programming Guide, "Device Memory Accesses"), 16 of what kernels allocate ("Dynamic Global Memory").
"""
_WORD: Final = 4  # bytes, of which no type is less aligned than its size
_NARROWEST: Final = 32  # bits of an address in the window of shared memory (PTX ISA, "cvta")


def symbol_of_address(target: MemoryObject) -> Symbol | None:
    """The symbol for where an object begins, in what it is aligned to; None of objects that threads do not share.

    None, too, of objects that were found in memory.
    """
    if target.space not in _HIGHEST or target.key.startswith("*"):
        return None
    return Symbol(f"{_PREFIX}{target.key}", 0, _HIGHEST[target.space] // _alignment(target) - 1, Origin.ADDRESS)


def is_assumed_aligned(target: MemoryObject) -> bool:
    """Whether an object's alignment, to `ALIGNED` bytes, is an assumption: nothing says more of bytes and halves."""
    return not _is_allocated(target) and _size_of_element(target) < _WORD


def _alignment(target: MemoryObject) -> int:
    """What the address of an object is a multiple of, in bytes."""
    plain = _is_allocated(target) or is_assumed_aligned(target)
    return ALIGNED if plain else _size_of_element(target)


def _is_allocated(target: MemoryObject) -> bool:
    """Whether an object begins where memory that is allocated, or a variable, does."""
    return target.space is MemorySpace.GLOBAL and not target.external


def _size_of_element(target: MemoryObject) -> int:
    match target.element:
        case IntType(bits=bits) | FloatType(bits=bits):
            return bits // 8
        case PointerType():
            return POINTER_SIZE
        case _:
            return 0


def address_of(value: Value) -> Term | None:
    """The address that a pointer is, as a number; None where it is not known."""
    match value:
        case NullValue():
            return const(0)
        case Pointer(target=target, offset=offset):
            symbol = symbol_of_address(target)
            return None if symbol is None else add(mul(const(_alignment(target)), var(symbol)), offset)
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
    whole = _unmasked(plain)
    bases = [a for a in linear(whole)[1] if a.op is Op.VAR and a.symbol in objects]
    if len(bases) != 1:
        return None
    target = objects[bases[0].symbol]
    begin = address_of(Pointer(target, const(0)))
    offset = None if begin is None else difference(whole, begin)
    return None if offset is None or bases[0] in linear(offset)[1] else Pointer(target, offset)


def _unmasked(address: Term) -> Term:
    """An address without what clears its last bits: `a & ~3` and `a / 4 * 4` are `a - (a & 3)`."""
    constant, atoms = linear(address)
    return add(const(constant), *(_without_mask(atom, factor) for atom, factor in atoms.items()))


def _without_mask(atom: Term, factor: int) -> Term:
    match atom.op:
        case Op.AND_BITS if atom.args[1].is_const:
            cleared = ~atom.args[1].value & ((1 << _NARROWEST) - 1)
            if cleared & (cleared + 1) == 0:
                return mul(const(factor), sub(atom.args[0], bit_and(atom.args[0], const(cleared))))
        case Op.DIV if atom.args[1].is_const and atom.args[1].value > 0 and factor % atom.args[1].value == 0:
            whole = sub(atom.args[0], mod(*atom.args))
            return mul(const(factor // atom.args[1].value), whole)
        case _:
            pass
    return mul(const(factor), atom)
