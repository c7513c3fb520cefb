"""Nested rows: rows within slices within batches, each with a stride of its own.

Of `out[b * batch_stride + h * head_stride + i]` with `i < n` and `h < heads`, callers make sure that a row fits into
its stride and all rows of a slice into that of the slice: `n <= head_stride && heads * head_stride <= batch_stride`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import gcd
from typing import Final

from msgspec import Struct

from hgrd.races.preconditions.candidates import Candidate, Named, compared_in, numbers_of, plain
from hgrd.races.preconditions.segments import NAME
from hgrd.solve.query import Party, Query
from hgrd.terms import Op, Term, const, le, mul, show
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import unwrapped

_MOST_LEVELS: Final = 3
_MOST_COUNTS: Final = 4
_MOST_BOUNDS: Final = 4


class _Level(Struct, frozen=True):
    """A stride, how many bytes one of it counts for, and what an index that it is multiplied with may be below."""

    stride: Named
    bytes: int
    counts: tuple[Named, ...]


def nested(queries: Sequence[Query], arguments: tuple[Named, ...]) -> Iterator[tuple[Candidate, ...]]:
    """Conditions that keep nested rows apart, those for one order of the strides together, the innermost first.

    One helper may store to several arrays, each with strides of its own: they are nested in the same order.
    `arguments`: the kernel's parameters, by whose names extents are called.
    """
    found = {tuple(_texts(nests)): nests for query in queries if (nests := tuple(_nests(query, arguments)))}
    for nests in zip(*found.values(), strict=False):
        yield tuple({part.text: part for nest in nests for part in nest}.values())


def _texts(nests: Sequence[Sequence[Candidate]]) -> Iterator[str]:
    return (part.text for nest in nests for part in nest)


def _nests(query: Query, arguments: tuple[Named, ...]) -> Iterator[tuple[Candidate, ...]]:
    numbers = numbers_of(query, arguments)
    levels, unit = _levels(query.first, numbers, query, arguments)
    if not 2 <= len(levels) <= _MOST_LEVELS or unit == 0:
        return
    strides = {level.stride for level in levels}
    bounds = [n for n in numbers if n[1] in compared_in(query) and n not in strides][:_MOST_BOUNDS]
    rows = sorted(((bound, _step(bound[1], query.first, unit)) for bound in bounds), key=lambda row: row[1])
    for order in permutations(reversed(levels)):  # what the source adds last is most often the innermost
        for (bound, step), counts in product(rows, tuple(product(*(level.counts for level in order[:-1])))):
            pairs = zip(counts, order, order[1:], strict=False)
            outer = (_fits((count, low.stride), low.bytes, high) for count, low, high in pairs)
            yield _fits((bound,), step, order[0]), *outer


def _step(bound: Term, party: Party, unit: int) -> int:
    """The bytes that one of what is below a bound counts for in the address: those of a loop's step, or `unit`."""
    _, steps = linear(party.address)
    below = [g.args[0] for g in party.guards if g.op is Op.LT and g.args[1] is bound and g.args[0] in steps]
    return abs(steps[below[0]]) if below else unit


def _fits(factors: tuple[Named, ...], size: int, into: _Level) -> Candidate:
    """The condition that the product of the factors, each of so many bytes, fits into a stride."""
    common = gcd(size, into.bytes)
    texts = [text for text, _ in factors] + [str(size // common)] * (size != common)
    low, high = const(size // common), const(into.bytes // common)
    for _, factor in factors:
        low = mul(low, factor)
    stride = [into.stride[0]] + [str(into.bytes // common)] * (into.bytes != common)
    return plain(f"{' * '.join(texts)} <= {' * '.join(stride)}", le(low, mul(high, into.stride[1])))


def _levels(
    party: Party, numbers: Sequence[Named], query: Query, arguments: Sequence[Named]
) -> tuple[list[_Level], int]:
    """The strides in an address, and the bytes of one step within a row (0: there are no rows)."""
    found: list[_Level] = []
    steps: list[int] = []
    for atom, size in linear(party.address)[1].items():
        factors = [unwrapped(f) for f in atom.args] if atom.op is Op.MUL else [atom]
        strides = [n for n in numbers if unwrapped(n[1]) in factors]
        if not strides or len(factors) != 2:
            steps.append(abs(size))
            continue
        index = factors[1] if unwrapped(strides[0][1]) is factors[0] else factors[0]
        times, single = _multiple(index)
        counts = _counts(unwrapped(single), party, numbers, query, arguments)
        found.append(_Level(strides[0], abs(size * times), counts))
    return found, min(steps, default=0)


def _multiple(index: Term) -> tuple[int, Term]:
    """An index that is a constant times something, as these two."""
    constant, parts = linear(index)
    if constant != 0 or len(parts) != 1:
        return 1, index
    ((single, times),) = parts.items()
    return times, single


def _counts(
    index: Term, party: Party, numbers: Sequence[Named], query: Query, arguments: Sequence[Named]
) -> tuple[Named, ...]:
    """What an index is below: its extent, by the name of a parameter if it is one, else what the accesses compare."""
    for axis in party.axes:
        if index.op is Op.VAR and index.symbol == axis.symbol:
            equal = {axis.extent, *(t for fact in query.facts for t in _equal(axis.extent, fact))}
            called = [n for n in arguments if unwrapped(n[1]) in equal]
            return tuple(called[:1]) or ((show(axis.extent), axis.extent),)
    compared = compared_in(query)
    return tuple(n for n in numbers if n[1] in compared and NAME.fullmatch(n[0]))[:_MOST_COUNTS]


def _equal(term: Term, fact: Term) -> tuple[Term, ...]:
    """What a fact says that a term equals."""
    return tuple(unwrapped(t) for t in fact.args) if fact.op is Op.EQ and term in fact.args else ()
