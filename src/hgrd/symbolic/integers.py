"""Integer operators and conversions of C on terms."""

from __future__ import annotations

from hgrd.program.expressions import BinaryOp
from hgrd.program.types import IntType, Type
from hgrd.terms import (
    Term,
    add,
    as_int,
    bit_and,
    bit_or,
    bit_xor,
    conj,
    const,
    disj,
    div,
    eq,
    le,
    lt,
    mod,
    mul,
    ne,
    shl,
    shr,
    sub,
    wrap,
)

_COMPARISONS = {BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE}
_INTEGER = {
    BinaryOp.ADD: add,
    BinaryOp.SUB: sub,
    BinaryOp.MUL: mul,
    BinaryOp.DIV: div,
    BinaryOp.REM: mod,
    BinaryOp.AND: bit_and,
    BinaryOp.OR: bit_or,
    BinaryOp.XOR: bit_xor,
    BinaryOp.SHL: shl,
    BinaryOp.SHR: shr,
}


def is_comparison(op: BinaryOp) -> bool:
    """Whether the result is a truth value."""
    return op in _COMPARISONS


def binary(op: BinaryOp, a: Term, b: Term, type_: Type) -> Term:
    """`a op b` on integers; comparisons give a Boolean term."""
    match op:
        case BinaryOp.EQ:
            return eq(a, b)
        case BinaryOp.NE:
            return ne(a, b)
        case BinaryOp.LT:
            return lt(as_int(a), as_int(b))
        case BinaryOp.LE:
            return le(as_int(a), as_int(b))
        case BinaryOp.GT:
            return lt(as_int(b), as_int(a))
        case BinaryOp.GE:
            return le(as_int(b), as_int(a))
        case BinaryOp.AND if a.is_bool and b.is_bool:
            return conj(a, b)
        case BinaryOp.OR if a.is_bool and b.is_bool:
            return disj(a, b)
        case _:
            return reduced(_INTEGER[op](as_int(a), as_int(b)), type_)


def reduced(term: Term, type_: Type) -> Term:
    """The result of arithmetic in `type_`: a correct program does not leave the type's range."""
    if isinstance(type_, IntType):
        return wrap(term, type_.bits, type_.signed, soft=True)
    return term


def narrow(term: Term, source: Type, target: IntType, *, explicit: bool) -> Term:
    """`(target) term`.

    An explicit cast of a signed value to unsigned, and anything that cuts below 32 bits, is part of the
    meaning of the program; elsewhere a correct program does not change the value.
    """
    changes_sign = explicit and not target.signed and isinstance(source, IntType) and source.signed
    return wrap(term, target.bits, target.signed, soft=not (changes_sign or target.bits < 32))


def complement(a: Term, type_: Type) -> Term:
    """`~a`: -1 - a, which for an unsigned type is its greatest value minus a."""
    if isinstance(type_, IntType) and not type_.signed:
        return sub(const((1 << type_.bits) - 1), a)
    return sub(const(-1), a)
