"""Integers made of floating-point numbers that the program has compared with integers.

int i = floorf(x);
if (x >= 0 && x < n) …  // 0 <= i && i < n
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from hgrd.protocol.model import Access, Protocol
from hgrd.terms import Op, Term, const, disj, eq, le, lt, maximum, symbols_of, var
from hgrd.terms.rewrite import bottom_up

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compared(protocol: Protocol, access: Access) -> tuple[Term, ...]:
    """What the comparisons on the way to an access say of the integers that it is computed from."""
    here = protocol.whole.keys() & symbols_of(access.offset, *access.guards)
    if not here:
        return ()
    tests = [t for t in bottom_up(access.guards) if t.op is Op.READ and t.array.removeprefix("float ") in _TURNED]
    found: list[Term] = []
    for symbol in sorted(here, key=lambda s: s.name):
        number, down = protocol.whole[symbol]
        known = [(test, sign, bound) for test in tests for sign, bound in _with(number, test)]
        found += (disj(eq(test, const(0)), _said(sign, var(symbol), n, down=down)) for test, sign, n in known)
        found += (
            disj(eq(x[0], const(0)), eq(y[0], const(0)), t) for x, y in permutations(known, 2) for t in _room(x, y)
        )
    return tuple(found)


def _room(one: tuple[Term, str, Term], other: tuple[Term, str, Term]) -> Iterator[Term]:
    """What two bounds on one number, a lower one and an upper one, say of each other."""
    (_, above, low), (_, below, high) = one, other
    if above in (">", ">=") and below in ("<", "<="):
        yield (le if (above, below) == (">=", "<=") else lt)(low, high)


def _with(number: Term, test: Term) -> Iterator[tuple[str, Term]]:
    """How a test compares the number with an integer, if it does."""
    sign = test.array.removeprefix("float ")
    for one, other, turned in ((*test.args, sign), (*reversed(test.args), _TURNED[sign])):
        bound = _integer(other)
        if one is number and bound is not None:
            yield turned, bound


def _integer(key: Term) -> Term | None:
    """The integer that a floating-point number has been made of, or that a constant is."""
    if key.op is not Op.READ:
        return None
    if key.array in ("float", "float32", "float64") and len(key.args) == 1:
        return key.args[0]
    try:
        value = float(key.array.removeprefix("float "))
    except ValueError:
        return None
    return const(int(value)) if not key.args and key.array.startswith("float ") and value.is_integer() else None


def _said(sign: str, whole: Term, bound: Term, *, down: bool) -> Term:
    """What holds of the number's integer part; `down`: where it is negative, too, that is not above the number."""
    least = bound if down else maximum(bound, const(1 if sign == "<" else 0))
    match sign:
        case "<":
            return lt(whole, least)
        case "<=":
            return le(whole, least)
        case _:
            return le(bound, whole)
