"""Integers made of floating-point numbers that the program has compared with integers.

int i = floorf(x);
if (x >= 0 && x < n) …  // 0 <= i && i < n
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from msgspec import Struct

from hgrd.protocol.model import Access, Protocol
from hgrd.terms import FALSE, Op, Symbol, Term, conj, const, disj, eq, le, lt, maximum, minimum, symbols_of, var
from hgrd.terms.rewrite import bottom_up

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DIGITS: Final = {"float": 0, "float32 of int": 24, "float64 of int": 53}


class _Bound(Struct, frozen=True):
    """A test that compares a number with an integer: `sign` as if the number stood on its left.

    The integer has been rounded to `digits` binary digits; 0: the type has it for certain.
    """

    test: Term
    sign: str
    whole: Term
    digits: int

    def rounded(self, digits: int) -> Term:
        """That it may not be what it was, in a type of so many digits."""
        return disj(le(self.whole, const(-1 << digits)), le(const(1 << digits), self.whole)) if digits else FALSE


def compared(protocol: Protocol, access: Access) -> tuple[Term, ...]:
    """What the comparisons on the way to an access say of the integers that it is computed from."""
    here = protocol.symbols.converted.keys() & symbols_of(access.offset, *access.guards)
    if not here:
        return ()
    tests = [t for t in bottom_up(access.guards) if t.op is Op.READ and t.array.removeprefix("float ") in _TURNED]
    found: list[Term] = []
    for symbol in sorted(here, key=lambda s: s.name):
        number, down = protocol.symbols.converted[symbol]
        known = [bound for test in tests for bound in _with(number, test)]
        found += (disj(eq(b.test, const(0)), _said(b, symbol, down=down)) for b in known)
        found += (
            disj(eq(x.test, const(0)), eq(y.test, const(0)), t) for x, y in permutations(known, 2) for t in _room(x, y)
        )
    return tuple(found)


def _room(low: _Bound, high: _Bound) -> Iterator[Term]:
    """What two bounds on one number, a lower one and an upper one, say of each other.

    Of two integers that are rounded alike, the lower one is not above the other one afterwards, and below it only if it
    was so before; the two are equal only if they were, or if both were changed.
    """
    if low.sign not in (">", ">=") or high.sign not in ("<", "<="):
        return
    digits = min(low.digits or high.digits, high.digits or low.digits)
    unlike = (b.rounded(digits) for b in (low, high) if b.digits != digits)
    if (low.sign, high.sign) == (">=", "<="):
        yield disj(*unlike, conj(low.rounded(digits), high.rounded(digits)), le(low.whole, high.whole))
    else:
        yield disj(*unlike, lt(low.whole, high.whole))


def _with(number: Term, test: Term) -> Iterator[_Bound]:
    """How a test compares the number with an integer, if it does."""
    sign = test.array.removeprefix("float ")
    for one, other, turned in ((*test.args, sign), (*reversed(test.args), _TURNED[sign])):
        bound = _integer(other)
        if one is number and bound is not None:
            yield _Bound(test, turned, *bound)


def _integer(key: Term) -> tuple[Term, int] | None:
    """The integer that a floating-point number has been made of, or that a constant is, and to how many digits."""
    if key.op is not Op.READ:
        return None
    if key.array in _DIGITS and len(key.args) == 1:
        return key.args[0], _DIGITS[key.array]
    try:
        value = float(key.array.removeprefix("float "))
    except ValueError:
        return None
    if key.args or not key.array.startswith("float ") or not value.is_integer():
        return None
    return const(int(value)), 0 if abs(value) <= 1 << 24 else 24  # a literal without a point, perhaps


def _said(bound: _Bound, made: Symbol, *, down: bool) -> Term:
    """What holds of the number's integer part, which is the least or greatest of its type where that has no such.

    `down`: where it is negative, too, that is not above the number.  A number that has been rounded as the integer was
    is below the integer if it is below what that was rounded to.
    """
    strict = bound.sign in ("<", ">")
    whole = var(made)
    if bound.sign in (">", ">="):
        said = le(minimum(bound.whole, const(made.high)), whole)
    else:
        least = maximum(bound.whole, const(made.low + strict))
        least = least if down else maximum(least, const(int(strict)))
        said = (lt if strict else le)(whole, least)
    return said if strict else disj(bound.rounded(bound.digits), said)
