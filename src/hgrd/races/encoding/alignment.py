"""Alignment of accesses: two addresses of one object that are multiples of what their types require.

A kernel that reads `float4` at `x + row * width` requires of its callers that rows are of whole vectors: at any other
address the access is an error by itself, and the device stops (CUDA Programming Guide, "Size and Alignment
Requirement"; ISO C++, [basic.align]).  Inputs and contents of arrays are supposed to be so.  An address that is not
aligned whatever the inputs are, as in `x + threadIdx.x`, is not supposed away.  Where the object begins does not
matter: the distance between two such addresses is a multiple, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from hgrd.protocol.model import Access
from hgrd.terms import TRUE, Op, Origin, Term, const, eq, mod, mul, symbols_of
from hgrd.terms.linear import difference, linear

_GIVEN = frozenset((Origin.INPUT, Origin.DATA))


def both_aligned(first: Access, second: Access, addresses: tuple[Term, Term]) -> Term:
    """That the two addresses are as far apart as the types of the accesses allow; TRUE where that says nothing."""
    unit = gcd(first.alignment, second.alignment)
    between = difference(*addresses)
    constant, atoms = linear(between)
    uneven = [atom for atom, factor in atoms.items() if factor % unit]
    if not uneven or constant % unit or not all(map(_depends_on_inputs, uneven)):
        return TRUE
    if first.size == second.size == unit:
        return eq(*addresses)
    return eq(mod(between, const(unit)), const(0))


def inputs_that_align(first: Access, second: Access, addresses: tuple[Term, Term]) -> tuple[Term, ...]:
    """What inputs have to be multiples of, so that the two addresses are aligned in every thread."""
    unit = gcd(first.alignment, second.alignment)
    _, atoms = linear(difference(*addresses))
    parts = ((factor, part) for atom, factor in atoms.items() if factor % unit for part in _inputs_of(atom))
    return tuple(dict.fromkeys(eq(mod(mul(const(factor), part), const(unit)), const(0)) for factor, part in parts))


def said_of_alignment(first: Access, second: Access) -> str:
    """The assumption that a proof makes which uses `both_aligned`."""
    unit = gcd(first.alignment, second.alignment)
    sizes = " and ".join(str(size) for size in dict.fromkeys((first.size, second.size)))
    return f"accesses of {sizes} bytes are at multiples of {unit}, as their types require (else they are an error)"


def _depends_on_inputs(atom: Term) -> bool:
    """Whether an atom depends on what the kernel is given: its inputs or the contents of arrays."""
    return any(symbol.origin in _GIVEN for symbol in symbols_of(atom))


def _inputs_of(atom: Term) -> Iterator[Term]:
    """The factors of an atom that are made of inputs alone."""
    for part in atom.args if atom.op is Op.MUL else (atom,):
        symbols = symbols_of(part)
        if symbols and all(symbol.origin is Origin.INPUT for symbol in symbols):
            yield part
