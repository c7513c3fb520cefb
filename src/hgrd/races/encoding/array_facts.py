"""Facts about arrays that the host has filled, instantiated at the elements that two accesses read.

A kernel's reads of memory that it does not write are terms, functions of the index.  A fact about all elements
is stated for each of them: `idx[e] == a * e + b` for each index e for which it holds; of an ascending row, for each
two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from msgspec import Struct

from hgrd.host.model import Fact, Holding
from hgrd.program.types import ArrayType, PointerType
from hgrd.protocol.inference.read_only_memory import element
from hgrd.solve.query import Table
from hgrd.symbolic.array_patterns import Affine, Apart, Ascending, Between, Distinct, Listed
from hgrd.symbolic.polynomials import as_term, polynomial
from hgrd.terms import Op, Term, add, conj, const, disj, div, eq, le, lt, mod, mul, ne, negate, sub, wrap
from hgrd.terms.rewrite import bottom_up

_MOST = 12  # elements of an array that are considered; more than two ascend in many ways


class ReadElement(Struct, frozen=True):
    """Element that is read: `value` is its content, and `k` its number in the fill where `filled` holds."""

    value: Term
    k: Term
    filled: Term


def instantiated(contents: Iterable[Holding], terms: Iterable[Term]) -> tuple[tuple[Term, ...], tuple[Fact, ...]]:
    """Conditions on the elements that the terms read, from the contents of arrays, and the facts that give them."""
    found: dict[Term, None] = {}
    facts: dict[Fact, None] = {}
    reads = [t for t in bottom_up(tuple(terms)) if t.op is Op.READ and len(t.args) == 1]
    for holding in contents:
        elements = [e for r in reads if (e := _element_of(holding, r)) is not None][:_MOST]
        said = list(_instances(holding, elements))
        found |= dict.fromkeys(said)
        facts |= dict.fromkeys((holding.fact,) if said or _is_known(holding, elements) else ())
    return tuple(found), tuple(facts)


def array_of(holding: Holding) -> str:
    """The name of the array of which a fill tells the elements: where pointers are declared, that of such pointers."""
    declared, type_ = holding.target.element, holding.fill.type
    while isinstance(declared, ArrayType):
        declared = declared.of
    if isinstance(type_, PointerType) and isinstance(declared, PointerType):
        type_ = declared
    return element(holding.target, const(0), type_, holding.fill.size)[0]


def _element_of(holding: Holding, read: Term) -> ReadElement | None:
    """The element that a term reads, as one of a fill; None if it is in another array, or of another type."""
    fill = holding.fill
    name = array_of(holding)
    if read.array != name or (read.low, read.high) != fill.range:
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
    return ReadElement(read, k, filled)


def _instances(holding: Holding, elements: list[ReadElement]) -> Iterator[Term]:
    match holding.fill.pattern:
        case Affine(first=first, step=step, wrap=cut):
            for e in elements:
                value = add(first, mul(step, e.k))
                yield _implied(e.filled, eq(e.value, value if cut is None else wrap(value, *cut, soft=False)))
        case Between(low=low, below=below):
            for e in elements:
                bounded = [] if below is None else [disj(le(below, const(0)), lt(e.value, below))]
                yield _implied(e.filled, conj(le(const(low), e.value), *bounded))
        case Distinct():
            for a, b in combinations(elements, 2):
                yield _implied(conj(a.filled, b.filled, ne(a.k, b.k)), ne(a.value, b.value))
        case Apart(by=by):
            for a, b in combinations(elements, 2):
                apart = disj(le(add(a.value, by), b.value), le(add(b.value, by), a.value))
                yield _implied(conj(a.filled, b.filled, ne(a.k, b.k)), apart)
        case Listed():
            yield from _of_list(holding.fill.pattern, elements)
        case Ascending(gap=gap):
            for a, b in combinations(elements, 2):
                yield from _ascending(gap, a, b)


def _is_known(holding: Holding, elements: list[ReadElement]) -> bool:
    """Whether elements are read of an array that is known one by one."""
    return bool(elements) and isinstance(holding.fill.pattern, Listed)


def _of_list(pattern: Listed, elements: list[ReadElement]) -> Iterator[Term]:
    """What follows from the values of all elements, as far as it can be said in a few words."""
    for e in elements:
        at = e.k.value if e.k.is_const else -1
        value = pattern.values[at] if 0 <= at < len(pattern.values) else None
        if value is not None:
            yield _implied(e.filled, eq(e.value, const(value)))
        if pattern.low is not None and pattern.high is not None:
            yield _implied(e.filled, conj(le(const(pattern.low), e.value), le(e.value, const(pattern.high))))
    for a, b in combinations(elements, 2):
        if pattern.distinct:
            yield _implied(conj(a.filled, b.filled, ne(a.k, b.k)), ne(a.value, b.value))
        if pattern.gap is not None:
            yield from _ascending(pattern.gap, a, b)


def _ascending(gap: int, a: ReadElement, b: ReadElement) -> Iterator[Term]:
    for one, two in ((a, b), (b, a)):
        risen = le(add(one.value, mul(const(gap), sub(two.k, one.k))), two.value)
        yield _implied(conj(a.filled, b.filled, lt(one.k, two.k)), risen)


def tables(contents: Iterable[Holding]) -> tuple[Table, ...]:
    """The arrays whose elements are known one by one."""
    found: list[Table] = []
    for holding in contents:
        fill = holding.fill
        if isinstance(fill.pattern, Listed) and fill.start is const(0) and fill.stride == fill.size and not fill.holes:
            found.append(Table(array_of(holding), fill.pattern.values, fill.range))
    return tuple(found)


def _implied(condition: Term, said: Term) -> Term:
    return disj(negate(condition), said)
