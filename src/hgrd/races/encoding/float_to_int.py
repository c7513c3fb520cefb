"""Integer bounds from comparisons of floating-point numbers with integers.

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

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DIGITS: Final = {"float": 0, "float32 of int": 24, "float64 of int": 53}


class _Bound(Struct, frozen=True):
    """Test that compares a number with the integer `whole`, with `sign` as if the number stood on its left.

    The integer has been rounded to `digits` binary digits; 0: its type holds it exactly.
    """

    test: Term
    sign: str
    whole: Term
    digits: int

    def rounded(self, digits: int) -> Term:
        """Whether rounding to so many digits may have changed the integer."""
        return disj(le(self.whole, const(-1 << digits)), le(const(1 << digits), self.whole)) if digits else FALSE


def integer_bounds(protocol: Protocol, access: Access) -> tuple[Term, ...]:
    """The bounds that comparisons on the way to an access imply for the integers that it is computed from."""
    here = protocol.symbols.converted.keys() & symbols_of(access.offset, *access.guards)
    if not here:
        return ()
    tests = [t for t in bottom_up(access.guards) if t.op is Op.READ and t.array.removeprefix("float ") in _MIRRORED]
    found: list[Term] = []
    for symbol in sorted(here, key=lambda s: s.name):
        number, down = protocol.symbols.converted[symbol]
        known = [bound for test in tests for bound in _comparisons(number, test)]
        found += (disj(eq(b.test, const(0)), _bound_on(b, symbol, down=down)) for b in known)
        found += (
            disj(eq(x.test, const(0)), eq(y.test, const(0)), t)
            for x, y in permutations(known, 2)
            for t in _ordered(x, y)
        )
    return tuple(found)


def _ordered(low: _Bound, high: _Bound) -> Iterator[Term]:
    """Conditions that relate a lower and an upper bound on one number.

    Of two integers rounded equally, the lower one is not above the other one afterwards, and below it only if it
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


def _comparisons(number: Term, test: Term) -> Iterator[_Bound]:
    """The comparisons of the number with an integer in a test."""
    sign = test.array.removeprefix("float ")
    for one, other, turned in ((*test.args, sign), (*reversed(test.args), _MIRRORED[sign])):
        bound = _integer(other)
        if one is number and bound is not None:
            yield _Bound(test, turned, *bound)


def _integer(key: Term) -> tuple[Term, int] | None:
    """The integer that was converted to a floating-point number, or that a constant is, and to how many digits.

    None for any other number.
    """
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


def _bound_on(bound: _Bound, made: Symbol, *, down: bool) -> Term:
    """The bound on the number's integer part, which is the least or greatest value of its type if it does not fit.

    `down`: the integer part of a negative number is not above the number either.  A number that has been rounded as the
    integer was is below the integer if it is below what that was rounded to.
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
