"""The greatest common divisor as a term."""

from __future__ import annotations

from math import gcd

from hgrd.terms.build import const
from hgrd.terms.term import Op, Term, intern


def greatest_common_divisor(a: Term, b: Term) -> Term:
    """The greatest number that divides both, whatever their signs; 0 if both are 0."""
    if a.is_const and b.is_const:
        return const(gcd(a.value, b.value))
    for one, other in ((a, b), (b, a)):
        if one.is_const and abs(one.value) == 1:
            return const(1)
        if other.low >= 0 and (one is const(0) or one is other):
            return other
    reach = [max(abs(t.low), abs(t.high)) for t in (a, b)]
    nonzero = [most for t, most in zip((a, b), reach, strict=True) if not t.low <= 0 <= t.high]
    return intern(Op.GCD, None, (a, b), 1 if nonzero else 0, min(nonzero) if nonzero else max(reach))
