"""What the host has filled arrays with, said of the elements that two accesses look at.

A kernel's reads of memory that it does not write are terms, functions of the index.  What is known of all elements
is said of each of them: `idx[e] == a * e + b` where e is an index that it holds for; of an ascending row, of each two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from msgspec import Struct

from hgrd.host.model import Fact, Holding
from hgrd.protocol.inference.read_only_memory import element
from hgrd.symbolic.array_patterns import Affine, Ascending, Between, Distinct
from hgrd.symbolic.polynomials import as_term, polynomial
from hgrd.terms import Op, Term, add, conj, const, disj, div, eq, le, lt, mod, mul, ne, negate, sub, wrap
from hgrd.terms.rewrite import bottom_up

_MOST = 12  # elements of an array that are looked at; more than two ascend in many ways


class Looked(Struct, frozen=True):
    """An element that is looked at: `value` is what stands there, `k` its number where `filled` holds."""

    value: Term
    k: Term
    filled: Term


def said_of(contents: Iterable[Holding], terms: Iterable[Term]) -> tuple[tuple[Term, ...], tuple[Fact, ...]]:
    """What the contents say of what the terms read, and the facts that say it."""
    found: dict[Term, None] = {}
    facts: dict[Fact, None] = {}
    reads = [t for t in bottom_up(tuple(terms)) if t.op is Op.READ and len(t.args) == 1]
    for holding in contents:
        looked = [look for r in reads if (look := _look(holding, r)) is not None][:_MOST]
        said = list(_said(holding, looked))
        found |= dict.fromkeys(said)
        facts |= dict.fromkeys((holding.fact,) if said else ())
    return tuple(found), tuple(facts)


def _look(holding: Holding, read: Term) -> Looked | None:
    """An element as a fill sees it; None: it is in another array, or of another type."""
    fill = holding.fill
    name, _ = element(holding.target, const(0), fill.type, fill.size)
    if read.array != name or (read.low, read.high) != fill.type.range:
        return None
    place = mul(read.args[0], const(fill.size))
    apart = polynomial(sub(place, fill.start))
    if all(c % fill.stride == 0 for c in apart.values()):
        k, met = as_term({m: c // fill.stride for m, c in apart.items()}), ()
    else:
        distance, step = as_term(apart), const(abs(fill.stride))
        distance = distance if fill.stride > 0 else sub(const(0), distance)
        k, met = div(distance, step), (le(const(0), distance), eq(mod(distance, step), const(0)))
    end = add(place, const(fill.size))
    filled = conj(
        le(const(0), k),
        lt(k, fill.count),
        le(k, const(fill.most)),
        *met,
        *(conj(le(low, place), le(end, high)) for low, high in fill.ranges),
        *(disj(le(end, hole), le(add(hole, const(size)), place)) for hole, size in fill.holes),
    )
    return Looked(read, k, filled)


def _said(holding: Holding, looked: list[Looked]) -> Iterator[Term]:
    match holding.fill.pattern:
        case Affine(first=first, step=step, wrap=cut):
            for look in looked:
                value = add(first, mul(step, look.k))
                yield _where(look.filled, eq(look.value, value if cut is None else wrap(value, *cut, soft=False)))
        case Between(low=low, below=below):
            for look in looked:
                bounded = [] if below is None else [disj(le(below, const(0)), lt(look.value, below))]
                yield _where(look.filled, conj(le(const(low), look.value), *bounded))
        case Distinct():
            for a, b in combinations(looked, 2):
                yield _where(conj(a.filled, b.filled, ne(a.k, b.k)), ne(a.value, b.value))
        case Ascending(gap=gap):
            for a, b in combinations(looked, 2):
                for one, two in ((a, b), (b, a)):
                    risen = le(add(one.value, mul(const(gap), sub(two.k, one.k))), two.value)
                    yield _where(conj(a.filled, b.filled, lt(one.k, two.k)), risen)


def _where(condition: Term, said: Term) -> Term:
    return disj(negate(condition), said)
