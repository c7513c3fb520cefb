"""Smart constructors: fold constants, use intervals, keep Booleans in negation normal form.

Every rule here is an integer identity; nothing here knows about threads or solvers.
"""

from __future__ import annotations

from typing import Final

from hgrd.terms import interval
from hgrd.terms.multiples import is_multiple, without_multiple
from hgrd.terms.term import Op, Symbol, Term, intern

TRUE: Final = intern(Op.TRUE, None, (), 1, 1)
FALSE: Final = intern(Op.FALSE, None, (), 0, 0)
_MOST_CHOICES: Final = 16  # constants that a choice may be between for a comparison with it to be a condition


def const(value: int) -> Term:
    return intern(Op.CONST, int(value), (), value, value)


def var(symbol: Symbol) -> Term:
    if symbol.low == symbol.high:
        return const(symbol.low)
    return intern(Op.VAR, symbol, (), symbol.low, symbol.high)


def read(array: str, *index: Term) -> Term:
    """The contents of `array` at `index`: the same index gives the same value."""
    return intern(Op.READ, array, index, *interval.ANY)


def read_between(array: str, index: tuple[Term, ...], low: int, high: int) -> Term:
    """`read`, knowing the range of the element type."""
    return intern(Op.READ, array, index, low, high)


def _binary(op: Op, a: Term, b: Term) -> Term:
    low, high = interval.of_binary(op, (a.low, a.high), (b.low, b.high))
    if low == high:
        return const(low)
    return intern(op, None, (a, b), low, high)


def add(*terms: Term) -> Term:
    total = const(0)
    for t in terms:
        total = _add(total, t)
    return total


def _add(a: Term, b: Term) -> Term:
    if a.is_const and b.is_const:
        return const(a.value + b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const:
        if b.value == 0:
            return a
        if a.op is Op.ADD and a.args[1].is_const:
            return _add(a.args[0], const(a.args[1].value + b.value))
    return _binary(Op.ADD, a, b)


def sub(a: Term, b: Term) -> Term:
    if a is b:
        return const(0)
    if b.is_const:
        return _add(a, const(-b.value))
    return _binary(Op.SUB, a, b)


def neg(a: Term) -> Term:
    return sub(const(0), a)


def mul(*terms: Term) -> Term:
    total = const(1)
    for t in terms:
        total = _mul(total, t)
    return total


def _mul(a: Term, b: Term) -> Term:
    if a.is_const and b.is_const:
        return const(a.value * b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const:
        if b.value == 1:
            return a
        if b.value == 0:
            return b
        if a.op is Op.MUL and a.args[1].is_const:
            return _mul(a.args[0], const(a.args[1].value * b.value))
    return _binary(Op.MUL, a, b)


def div(a: Term, b: Term) -> Term:
    """C division.  The divisor is not 0 on executed paths (anything else is undefined)."""
    if b.is_const:
        if b.value == 1:
            return a
        if a.is_const and b.value != 0:
            return const(interval.truncated_div(a.value, b.value))
        if a.op is Op.MUL and a.args[1].is_const and b.value != 0 and a.args[1].value % b.value == 0:
            return _mul(a.args[0], const(a.args[1].value // b.value))
    return _binary(Op.DIV, a, b)


def mod(a: Term, b: Term) -> Term:
    """C remainder."""
    if b.is_const and b.value != 0:
        if a.is_const:
            return const(interval.truncated_mod(a.value, b.value))
        if a.low >= 0 and a.high < abs(b.value):
            return a
        if is_multiple(a, b.value):
            return const(0)
        rest = without_multiple(a, b.value)
        if rest is not None and a.low >= 0 and rest.low >= 0:
            return mod(rest, b)
    return _binary(Op.MOD, a, b)


def bit_and(a: Term, b: Term) -> Term:
    if a.is_const and b.is_const:
        return const(a.value & b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const:
        mask = b.value
        if mask == 0:
            return b
        if mask == -1 or (mask > 0 and mask & (mask + 1) == 0 and a.low >= 0 and a.high <= mask):
            return a
        if mask > 0 and mask & (mask + 1) == 0:
            if is_multiple(a, mask + 1):
                return const(0)
            rest = without_multiple(a, mask + 1)
            if rest is not None:
                return bit_and(rest, b)
    return a if a is b else _binary(Op.AND_BITS, a, b)


def bit_or(a: Term, b: Term) -> Term:
    if a.is_const and b.is_const:
        return const(a.value | b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const and b.value == 0:
        return a
    return a if a is b else _binary(Op.OR_BITS, a, b)


def bit_xor(a: Term, b: Term) -> Term:
    if a.is_const and b.is_const:
        return const(a.value ^ b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const:
        if b.value == 0:
            return a
        if b.value == -1 or (a.low >= 0 and a.high <= b.value and not b.value & (b.value + 1)):
            return sub(b, a)  # all the bits that there are turned round
    return const(0) if a is b else _binary(Op.XOR_BITS, a, b)


def shl(a: Term, b: Term) -> Term:
    if b.is_const and 0 <= b.value < 4096:
        return _mul(a, const(1 << b.value))
    return _binary(Op.SHL, a, b)


def shr(a: Term, b: Term) -> Term:
    """Arithmetic shift; of a non-negative value by a constant it is a division."""
    if b.is_const and b.value >= 0:
        if b.value == 0:
            return a
        if a.is_const:
            return const(a.value >> b.value)
        if a.low >= 0 and b.value < 4096:
            return div(a, const(1 << b.value))
    return _binary(Op.SHR, a, b)


def minimum(a: Term, b: Term) -> Term:
    if a.high <= b.low or a is b:
        return a
    return b if b.high <= a.low else _binary(Op.MIN, a, b)


def maximum(a: Term, b: Term) -> Term:
    if a.low >= b.high or a is b:
        return a
    return b if b.low >= a.high else _binary(Op.MAX, a, b)


def ite(condition: Term, a: Term, b: Term) -> Term:
    if condition is TRUE or a is b:
        return a
    if condition is FALSE:
        return b
    if a.is_bool or b.is_bool:
        a, b = as_bool(a), as_bool(b)
        return disj(conj(condition, a), conj(negate(condition), b))
    return intern(Op.ITE, None, (condition, a, b), min(a.low, b.low), max(a.high, b.high))


def wrap(a: Term, bits: int, signed: bool, *, soft: bool) -> Term:
    """`a` reduced to a C integer type (two's complement).

    `soft` marks points where a correct program does not wrap (arithmetic in the type itself, and
    unsigned -> signed of the same width); the main query assumes so and a second one checks it.
    Narrowing and other conversions are not soft: they are part of the meaning.
    """
    low, high = interval.of_type(bits, signed)
    if low <= a.low and a.high <= high:
        return a
    if a.is_const:
        return const(interval.wrapped(a.value, bits, signed))
    if a.op is Op.ITE and any(arm.is_const and not low <= arm.value <= high for arm in a.args[1:]):  # that surely wraps
        return ite(a.args[0], *(wrap(arm, bits, signed, soft=soft) for arm in a.args[1:]))
    return intern(Op.WRAP, (bits, signed, soft), (a,), low, high)


# ---------------------------------------------------------------- Booleans


def eq(a: Term, b: Term) -> Term:
    if a is b:
        return TRUE
    if a.is_bool or b.is_bool:
        p, q = as_bool(a), as_bool(b)
        return disj(conj(p, q), conj(negate(p), negate(q)))
    if a.high < b.low or b.high < a.low:
        return FALSE
    if a.is_const and b.is_const:
        return TRUE
    if a.is_const:
        a, b = b, a
    if b.is_const and a.op is Op.ITE:
        return _compare_choice(a, b)
    if b.is_const and a.op is Op.ADD and a.args[1].is_const:
        return eq(a.args[0], const(b.value - a.args[1].value))
    if b.is_const and b.value == 0 and a.op is Op.WRAP and _within_a_turn(a.args[0], a.wrap_to[0]):
        return eq(a.args[0], b)
    if a.op is Op.MUL and b.op is Op.MUL and a.args[1].is_const and a.args[1] is b.args[1]:
        return eq(a.args[0], b.args[0])
    return intern(Op.EQ, None, (a, b), 0, 1)


def _within_a_turn(a: Term, bits: int) -> bool:
    """Whether 0 is all that wraps to 0."""
    return -(1 << bits) < a.low and a.high < 1 << bits


def ne(a: Term, b: Term) -> Term:
    return negate(eq(a, b))


def le(a: Term, b: Term) -> Term:
    if a is b or a.high <= b.low:
        return TRUE
    if a.low > b.high:
        return FALSE
    return intern(Op.LE, None, (a, b), 0, 1)


def lt(a: Term, b: Term) -> Term:
    if a is b or a.low >= b.high:
        return FALSE
    if a.high < b.low:
        return TRUE
    return intern(Op.LT, None, (a, b), 0, 1)


def ge(a: Term, b: Term) -> Term:
    return le(b, a)


def gt(a: Term, b: Term) -> Term:
    return lt(b, a)


def _compare_choice(a: Term, b: Term) -> Term:
    """eq(ite(c, x, constant), constant): a condition on c, and on x at most once; or a choice of constants."""
    condition, x, y = a.args
    if x.is_const or y.is_const or _constants(a, _MOST_CHOICES) is not None:
        return ite(condition, eq(x, b), eq(y, b))
    return intern(Op.EQ, None, (a, b), 0, 1)


def _constants(t: Term, most: int) -> int | None:
    """How many leaves a choice between constants has, up to `most`; None: it has more, or others."""
    if t.is_const:
        return 1 if most > 0 else None
    if t.op is not Op.ITE:
        return None
    then = _constants(t.args[1], most)
    otherwise = None if then is None else _constants(t.args[2], most - then)
    return None if then is None or otherwise is None else then + otherwise


def negate(p: Term) -> Term:
    match p.op:
        case Op.TRUE:
            return FALSE
        case Op.FALSE:
            return TRUE
        case Op.NOT:
            return p.args[0]
        case Op.LE:
            return lt(p.args[1], p.args[0])
        case Op.LT:
            return le(p.args[1], p.args[0])
        case Op.AND | Op.OR:
            if p.opposite is None:
                p.opposite = (disj if p.op is Op.AND else conj)(*map(negate, p.args))
            return p.opposite
        case Op.EQ:
            return intern(Op.NOT, None, (p,), 0, 1)
        case _:
            return negate(as_bool(p))


def conj(*parts: Term) -> Term:
    return _join(Op.AND, TRUE, FALSE, parts)


def disj(*parts: Term) -> Term:
    return _join(Op.OR, FALSE, TRUE, parts)


def _join(op: Op, neutral: Term, absorbing: Term, parts: tuple[Term, ...]) -> Term:
    """Flattened, without duplicates; `p op not p` is the absorbing element.

    Inside a part of the other operator, what the single parts decide is left out: `p or (not p and q)`
    is `p or q`, and `p or (p and q)` is `p`.
    """
    seen = _flat(op, parts, neutral, absorbing)
    if seen is None:
        return absorbing
    other = Op.OR if op is Op.AND else Op.AND
    changed = any(q.op is other for q in seen)
    while changed:
        changed = False
        single = {q for q in seen if q.op is not other}
        denied = {negate(q) for q in single}
        for q in [q for q in seen if q.op is other]:
            kept = tuple(x for x in q.args if x not in denied)
            if any(x in single for x in kept):
                del seen[q]
            elif len(kept) < len(q.args):
                del seen[q]
                again = _flat(op, (*seen, _join(other, absorbing, neutral, kept)), neutral, absorbing)
                if again is None:
                    return absorbing
                seen, changed = again, True
                break
    items = tuple(seen)
    if not items:
        return neutral
    return items[0] if len(items) == 1 else intern(op, None, items, 0, 1)


def _flat(op: Op, parts: tuple[Term, ...], neutral: Term, absorbing: Term) -> dict[Term, None] | None:
    """The distinct parts in order; None if they come to the absorbing element."""
    seen: dict[Term, None] = {}
    for part in parts:
        p = as_bool(part)
        for q in p.args if p.op is op else (p,):
            if q is absorbing:
                return None
            if q is not neutral:
                seen[q] = None
    for q in seen:
        if q.op is not Op.AND and q.op is not Op.OR and negate(q) in seen:
            return None
    return seen


def as_bool(t: Term) -> Term:
    """An integer as a C condition."""
    if t.is_bool:
        return t
    if t.op is Op.ITE and t.args[1].is_const and t.args[2].is_const:
        return ite(t.args[0], as_bool(t.args[1]), as_bool(t.args[2]))
    if t.is_const:
        return TRUE if t.value else FALSE
    return ne(t, const(0))


def as_int(p: Term) -> Term:
    """A condition as C's 0 or 1."""
    if not p.is_bool:
        return p
    return ite(p, const(1), const(0))
