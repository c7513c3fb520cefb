"""Places that pointers were found at, of iterations of loops: whether two of them may be one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import gcd
from typing import Final

from hgrd.host.concurrency.addresses import Address, Place, places
from hgrd.host.concurrency.trace import THREAD_NUMBER
from hgrd.terms import Op, Origin, Symbol, Term, const
from hgrd.terms.linear import Linear, difference, linear
from hgrd.terms.rewrite import bottom_up

APART: Final = 1 << 20  # bytes between what is under one key of a map and under the next one
_ELEMENT: Final = re.compile(r"std::\w*map::\S+?\((?P<map>[^,()]+),(?P<key>\s*(?:'[^']*')?)\)(?P<rest>.*)$")
TWO: Final = ("one", "another")  # iterations of which nothing is known but their order


def meets(one: Place, other: Place, holders: Mapping[str, str], offsets: Mapping[str, tuple[Term, int]]) -> bool:
    """Whether two addresses may be, or lead to, one object, by where they were found."""
    if one.key == other.key or one.key not in holders or holders[one.key] != holders.get(other.key):
        return one.key == other.key
    (a, since), (b, then) = offsets[one.key], offsets[other.key]
    return since != then or not other_places(a, b)


def are_other_elements(one: Address, other: Address) -> bool:
    """Whether two handles are different elements of one object, which may hold one handle twice all the same."""
    pairs = [(p, q) for p in places(one) for q in places(other)]
    return all(p.key == q.key and other_places(p.offset, q.offset) for p, q in pairs)


def other_places(one: Term, other: Term) -> bool:
    """Whether two offsets differ for all that is known."""
    if other_parts(one, other) or (one.symbols and other.symbols and _of_other_iterations(one, other)):
        return True
    constant, atoms = _between(one, other)
    ends = [sorted((factor * atom.low, factor * atom.high)) for atom, factor in atoms.items()]
    return constant + sum(low for low, _ in ends) > 0 or constant + sum(high for _, high in ends) < 0


def other_members(one: Term, other: Term) -> bool:
    """Whether two offsets are of different members of elements, whichever elements these are."""
    constant, atoms = _between(one, other)
    return constant % APART != 0 and all(factor % APART == 0 for factor in atoms.values())


def other_parts(one: Term, other: Term) -> bool:
    """Whether two offsets are of different parts of elements, whichever they are, or of two known elements."""
    constant, atoms = _between(one, other)
    step = gcd(*atoms.values())
    return constant % step != 0 if step else constant != 0


def _of_other_iterations(one: Term, other: Term) -> bool:
    """Whether two offsets differ since one is in another iteration than the other, and grows from one to the next."""
    constant, atoms = _between(one, other)
    if constant or len(atoms) != 2:
        return False
    (a, c), (b, d) = atoms.items()
    names = {name for t in (a, b) if t.op is Op.VAR and (name := _numbered(t.symbol.name))}
    return c == -d and len(names) == 1


def is_numbered(symbol: Symbol) -> bool:
    """Whether a symbol numbers an iteration of a loop, or a thread."""
    return bool(_numbered(symbol.name)) or symbol.origin is Origin.LOOP


def any_numbers(atoms: Iterable[Term]) -> bool:
    """Whether terms are numbers that the program computes anew each time, in a way that is not known, and no others."""
    symbols = {s for term in atoms for s in term.symbols}
    read = any(term.op is Op.READ for term in bottom_up(tuple(atoms)))
    return bool(symbols) and not read and all(s.origin is Origin.COMPUTED and not is_numbered(s) for s in symbols)


@lru_cache(maxsize=1 << 14)  # the offsets are few, for all the pairs that there are
def _between(one: Term, other: Term) -> Linear:
    return linear(difference(one, other))


def _numbered(name: str) -> str:
    """What a symbol numbers, an iteration or a thread, of which another one has another number; "": neither."""
    number, _, which = name.rpartition(" ")
    if name.startswith(THREAD_NUMBER):
        return THREAD_NUMBER
    return number if which in TWO else ""


def of_other_keys(one: Place, other: Place) -> bool:
    """Whether two streams are elements of one map, by constant keys that differ."""
    a, b = _ELEMENT.match(one.key), _ELEMENT.match(other.key)
    if a is None or b is None or a["map"] != b["map"] or not (one.offset.is_const and other.offset.is_const):
        return False
    return a["rest"] == b["rest"] and (a["key"], one.offset) != (b["key"], other.offset)


def other_keys(one: str, other: str) -> bool:
    """Whether two names are of elements of one map by different keys."""
    return one != other and of_other_keys(Place(one, const(0)), Place(other, const(0)))
