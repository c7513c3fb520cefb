"""Candidate preconditions of a race, from weak to strong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product
from math import gcd
from typing import TypeAlias

from msgspec import Struct

from hgrd.cuda.limits import WARP_SIZE
from hgrd.protocol.model import Configuration
from hgrd.races.preconditions.divisors import divisors
from hgrd.races.preconditions.segments import NAME, bounds_in, of_one_index, of_runs, reads_in
from hgrd.solve.query import Party, Query
from hgrd.terms import (
    Op,
    Origin,
    Symbol,
    Term,
    bit_and,
    conj,
    const,
    disj,
    eq,
    le,
    lt,
    mod,
    mul,
    ne,
    show,
    sub,
    symbols_of,
    var,
)
from hgrd.terms.linear import difference, linear
from hgrd.terms.rewrite import bottom_up, unwrapped

_ITERATION = "#"  # ends the names of iteration counters of host loops
_MOST_PARAMETERS = 6
_MOST_LENGTHS = 4
_MOST_BOUNDS = 8

Named: TypeAlias = tuple[str, Term]
"""A number, and what the source calls it."""


class Candidate(Struct, frozen=True):
    """A candidate: its `text` as C, and its `term` in a query.

    `work`: the part of it under which two threads must still do what they race with; None: the whole.
    """

    text: str
    term: Callable[[Query], Term]
    work: Callable[[Query], Term] | None = None


def candidates(
    query: Query, configuration: Configuration, arguments: tuple[Named, ...], *, scatters: bool
) -> Iterator[Candidate]:
    """The candidates for a query; `arguments` are the kernel's parameters that are numbers.

    `scatters`: the accesses are writes to places that index arrays decide.
    """
    parameters = _parameters(query)
    yield from _of_one(parameters)
    for array in _row_starts(query):
        yield Candidate(f"monotone({array})", lambda query, array=array: _sorted(array, query))
    yield from (Candidate(text, says) for text, says in of_runs(query))
    yield from _of_lengths(query)
    yield from of_indexes(query, arguments)
    yield from _of_row_lengths(query, arguments)
    yield from _of_ranges(parameters, query)
    yield from _of_several(parameters, query, configuration)
    if scatters:
        for array in _index_arrays(query):
            elements = _elements(array, query)
            yield Candidate(f"distinct({elements})", lambda query, array=array: _without_repeats(array, query))
    given = _given(arguments, query)
    yield from _of_one(given)
    yield from _of_ranges(given, query)
    yield from _of_several(given, query, configuration)


def plain(text: str, term: Term) -> Candidate:
    """A condition on numbers, the same in all queries."""
    return Candidate(text, lambda _: term)


def _part(text: str, term: Term) -> str:
    return text if term.op in (Op.VAR, Op.CONST) or NAME.fullmatch(text) else f"({text})"


# ---------------------------------------------------------------- of numbers


def _of_one(parameters: list[Named]) -> Iterator[Candidate]:
    for text, p in parameters:
        yield plain(f"{text} != 0", ne(p, const(0)))
        yield plain(f"{text} >= 0", le(const(0), p))
        yield plain(f"{text} > 0", lt(const(0), p))
    if len(parameters) > 1:
        yield plain(
            " && ".join(f"{text} >= 0" for text, _ in parameters), conj(*(le(const(0), p) for _, p in parameters))
        )
        yield plain(
            " && ".join(f"{text} > 0" for text, _ in parameters), conj(*(lt(const(0), p) for _, p in parameters))
        )


def _of_lengths(query: Query) -> Iterator[Candidate]:
    lengths = _lengths(query)
    for some in (*((r,) for r in lengths), *([lengths] if len(lengths) > 1 else [])):
        yield plain(" && ".join(f"{show(r)} > 0" for r in some), conj(*(lt(const(0), r) for r in some)))


def _of_several(parameters: list[Named], query: Query, configuration: Configuration) -> Iterator[Candidate]:
    """Relations of parameters to each other and to the extents of the launch, and their forms (multiples, powers)."""
    extents = [(show(e), e) for e in _extents(configuration)] if parameters else []
    compared, summed = _compared(query)
    own = [p for p in parameters if p[1] not in compared]  # comparing indexes with p expects more threads than p
    fixed = [] if any(p in summed for _, p in parameters) else [e for e in extents if e[1].is_const]
    factors = [p for p in parameters if p[1] in compared and p[1] not in summed]
    ordered = [*permutations(parameters, 2), *product(extents, own), *product(fixed, factors)]
    pairs = [*permutations(parameters, 2), *product(own, extents)]
    for p, q in ordered:
        yield plain(f"{_part(*p)} <= {_part(*q)}", le(p[1], q[1]))
    for p, q in ordered:
        yield plain(f"{_part(*p)} < {_part(*q)}", lt(p[1], q[1]))
    for text, p in parameters:
        for width in divisors(p, (query.first, query.second)):
            yield plain(f"{text} % {width} == 0", eq(mod(p, const(width)), const(0)))
    for p, q in pairs:
        if not p[1].is_const:
            divisible = conj(lt(const(0), q[1]), eq(mod(p[1], q[1]), const(0)))
            yield plain(f"{_part(*p)} % {_part(*q)} == 0", divisible)
    for block in configuration.block:
        if not block.is_const:
            yield plain(f"{_part(show(block), block)} % {WARP_SIZE} == 0", eq(mod(block, const(WARP_SIZE)), const(0)))
    for text, p in (*parameters, *(e for e in extents if e[1].op is Op.VAR)):
        power = conj(lt(const(0), p), eq(bit_and(p, sub(p, const(1))), const(0)))
        yield plain(f"{text} > 0 && ({text} & ({text} - 1)) == 0", power)
    for p, q in pairs:
        yield plain(f"{_part(*p)} == {_part(*q)}", eq(p[1], q[1]))


def _of_ranges(parameters: list[Named], query: Query) -> Iterator[Candidate]:
    """The condition that a range between two parameters fits into a row, whose width is a factor in addresses."""
    widths = rows_of(parameters, query)
    for width in widths:
        for high, low in permutations((p for p in parameters if p not in widths), 2):
            extent = f"{_part(*high)} - {_part(*low)}"
            for text, holds in (("<=", le), ("<", lt)):
                term = holds(sub(high[1], low[1]), width[1])
                yield plain(f"{extent} {text} {_part(*width)}", term)


def rows_of(parameters: Sequence[Named], query: Query) -> list[Named]:
    """The numbers that are factors in addresses: the widths of rows."""
    factors = {unwrapped(f) for t in _products(query) for f in t.args}
    return [p for p in parameters if unwrapped(p[1]) in factors]


def numbers_of(query: Query, arguments: tuple[Named, ...]) -> list[Named]:
    """The numbers that the two accesses depend on: inputs, or the kernel's parameters."""
    return list(dict.fromkeys((*_parameters(query), *_given(arguments, query))))


def _products(query: Query) -> list[Term]:
    """Products in the addresses whose two factors are not constant."""
    terms = bottom_up((query.first.address, query.second.address))
    return [t for t in terms if t.op is Op.MUL and sum(not a.is_const for a in t.args) > 1]


def _roots(query: Query) -> tuple[Term, ...]:
    return (query.first.address, *query.first.guards, query.second.address, *query.second.guards)


def _used(query: Query) -> frozenset[Symbol]:
    """Symbols that the two accesses use as numbers: not those that only choose among cases."""
    return frozenset(t.symbol for t in bottom_up(_roots(query), _but_choices) if t.op is Op.VAR)


def _parameters(query: Query) -> list[Named]:
    """The inputs that the two accesses depend on."""
    shared = set(query.shared)
    found = [s for s in _used(query) if s in shared and s.origin is Origin.INPUT and NAME.fullmatch(s.name)]
    return [(s.name, var(s)) for s in sorted(found, key=lambda s: s.name)[:_MOST_PARAMETERS]]


def _given(arguments: tuple[Named, ...], query: Query) -> list[Named]:
    """The kernel's parameters on which the accesses depend, if the host computes one of them from something unnamed.

    Without counters of host loops: the loop itself determines their values.
    """
    used, terms = _used(query), set(bottom_up(_roots(query)))
    steady = [(name, t) for name, t in arguments if not any(map(counts_iterations, bottom_up((t,), _but_reads)))]
    found = [(name, t) for name, t in steady if t in terms and (reads_in(t) or not symbols_of(t).isdisjoint(used))]
    unnamed = any(t.op is not Op.VAR or not NAME.fullmatch(t.symbol.name) for _, t in found)
    return found[:_MOST_PARAMETERS] if unnamed else []


def counts_iterations(term: Term) -> bool:
    """Whether a term is the number of an iteration of a loop of the host."""
    return term.op is Op.VAR and term.symbol.name.endswith(_ITERATION)


def _but_reads(term: Term) -> tuple[Term, ...]:
    """The parts of a term, without its reads of memory and its choices, which are input of the program."""
    match term.op:
        case Op.READ:
            return ()
        case Op.ITE:
            return term.args[1:]
        case _:
            return term.args


def _but_choices(term: Term) -> tuple[Term, ...]:
    """The parts of a term, without symbols that are compared with a constant."""
    return () if term.op is Op.EQ and any(a.is_const for a in term.args) else term.args


def _lengths(query: Query) -> tuple[Term, ...]:
    """Lengths that all threads read from one place in memory, to compute where something begins."""
    shared = set(query.shared)
    reads = {r for party in (query.first, query.second) for r in reads_in(party.address)}
    found = [r for r in reads if symbols_of(r) <= shared and NAME.fullmatch(r.array)]
    return tuple(sorted(found, key=show)[:_MOST_LENGTHS])


def compared_in(query: Query) -> set[Term]:
    """Numbers that are part of what the accesses compare."""
    return _compared(query)[0]


def _compared(query: Query) -> tuple[set[Term], set[Term]]:
    """Numbers that are part of what the accesses compare, and those of them that stand alone or in a sum there."""
    tests = [t for t in bottom_up(_roots(query)) if t.op in (Op.EQ, Op.LE, Op.LT)]
    summed = {atom for t in tests for side in t.args for atom in linear(side)[1]}
    return {var(s) for t in tests for s in symbols_of(t)}, summed


def _extents(configuration: Configuration) -> list[Term]:
    """Extents of the launch along the axes that have any, and the number of threads along x."""
    found = [e for e in (*configuration.block, *configuration.grid) if e is not const(1)]
    x = mul(configuration.block[0], configuration.grid[0])
    return list(dict.fromkeys((*found, x)))


# ---------------------------------------------------------------- of arrays


def _index_arrays(query: Query) -> list[str]:
    """Index arrays: arrays of integers whose elements are in the addresses of both accesses."""
    first, second = ({t.array for t in reads_in(p.address)} for p in (query.first, query.second))
    return sorted(a for a in first & second if NAME.fullmatch(a))


def _elements(array: str, query: Query) -> str:
    """The array in words, or every n-th element of it if only these are indexes (a member of records)."""
    places = [linear(t.args[0]) for p in (query.first, query.second) for t in reads_in(p.address) if t.array == array]
    step = gcd(*(c for _, atoms in places for c in atoms.values()))
    starts = {constant % step for constant, _ in places} if step > 1 else set[int]()
    if len(starts) != 1 or any(len(t.args) > 1 for p in (query.first, query.second) for t in reads_in(p.address)):
        return array
    start = starts.pop()
    return f"{array}[{step} * i + {start}]" if start else f"{array}[{step} * i]"


def _without_repeats(array: str, query: Query) -> Term:
    """The condition that elements of the array at two places, one of each thread, differ."""
    first, second = ([t for t in reads_in(p.address) if t.array == array] for p in (query.first, query.second))
    return conj(
        *(
            disj(conj(*(eq(i, j) for i, j in zip(r.args, s.args, strict=True))), ne(r, s))
            for r, s in product(first, second)
            if len(r.args) == len(s.args)
        )
    )


def of_indexes(query: Query, arguments: tuple[Named, ...]) -> Iterator[Candidate]:
    """The condition that all indexes read from memory are below the number of columns, so that rows stay apart."""
    arrays = sorted({name for name, _ in _data(query)})
    if not arrays or not all(arrays) or len(arrays) > _MOST_LENGTHS:
        return
    for text, bound in _columns(query, arguments)[:_MOST_BOUNDS]:
        said = " && ".join(f"within({array}, {text})" for array in arrays)
        yield Candidate(said, lambda query, bound=bound: _within(bound, query))


def _of_row_lengths(query: Query, arguments: tuple[Named, ...]) -> Iterator[Candidate]:
    """The condition that row lengths read from memory are at most the number of columns of a row."""
    arrays = sorted({r.array for party in (query.first, query.second) for r in bounds_in(party)})
    for array in (a for a in arrays[:_MOST_LENGTHS] if NAME.fullmatch(a)):
        for text, most in _columns(query, arguments)[:_MOST_BOUNDS]:
            yield Candidate(
                f"atmost({array}, {text})", lambda query, array=array, most=most: _at_most(array, most, query)
            )


def _at_most(array: str, most: Term, query: Query) -> Term:
    lengths = (r for party in (query.first, query.second) for r in bounds_in(party) if r.array == array)
    return conj(*(le(r, most) for r in lengths))


def _columns(query: Query, arguments: tuple[Named, ...]) -> list[Named]:
    """Factors of an index in an address, and inputs that the host compares with one of them.

    The latter give the width of rows that are only known not to be shorter (`cudaMallocPitch`).
    """
    products = _products(query)
    strides = symbols_of(*products)
    compared = [f for f in query.facts if f.op in (Op.LE, Op.LT) and len(symbols_of(f)) == 2]
    related = symbols_of(*(f for f in compared if not symbols_of(f).isdisjoint(strides)))
    inputs = {s for s in strides | related if s.origin is Origin.INPUT and NAME.fullmatch(s.name)}
    factors = {unwrapped(a) for t in products for a in t.args}
    named = [(s.name, var(s)) for s in sorted(inputs, key=lambda s: s.name)]
    factors |= {t for f in query.facts if not symbols_of(f).isdisjoint(strides) for t in _bounded(f, strides)}
    given = [(name, t) for name, t in arguments if unwrapped(t) in factors and t not in {n for _, n in named}]
    return [*named, *given, *_one_more(arguments, factors), *((str(width), const(width)) for width in _widths(query))]


def _one_more(arguments: tuple[Named, ...], factors: set[Term]) -> list[Named]:
    """Factors that are a constant more or less than one of the kernel's parameters (rows of `n + 1`)."""
    apart = [(name, f, difference(f, t)) for f in factors if not f.is_const for name, t in arguments if not t.is_const]
    found = [(name, f, d.value) for name, f, d in apart if d.is_const and d.value]
    return sorted(((f"{name} {'-' if d < 0 else '+'} {abs(d)}", f) for name, f, d in found), key=lambda n: n[0])


def _bounded(fact: Term, strides: frozenset[Symbol]) -> set[Term]:
    """The terms of which a stride is at least a constant multiple, if the fact says that."""
    if fact.op is not Op.LE:
        return set()
    apart = linear(sub(fact.args[1], fact.args[0]))[1]
    above = any(t.op is Op.VAR and t.symbol in strides and c > 0 for t, c in apart.items())
    return {unwrapped(t) for t, c in apart.items() if c < 0} if above else set()


def _widths(query: Query) -> list[int]:
    """Row widths that are constant: how many values an index read from memory may have."""
    data = {t for _, t in _data(query)}
    found: set[int] = set()
    for address in (query.first.address, query.second.address):
        atoms = linear(address)[1]
        units = {abs(c) for t, c in atoms.items() if unwrapped(t) in data}
        found |= {abs(c) // u for t, c in atoms.items() if unwrapped(t) not in data for u in units if c % u == 0}
    return sorted(w for w in found if w > 1)


def _but_lookups(term: Term) -> tuple[Term, ...]:
    """The parts of a term, without its reads of arrays."""
    return () if term.op is Op.READ else term.args


def _within(bound: Term, query: Query) -> Term:
    return conj(*(conj(le(const(0), value), lt(value, bound)) for _, value in _data(query)))


def _data(query: Query) -> list[Named]:
    """Values read from memory from which the addresses are computed, by the name of their array."""
    found: list[Named] = []
    for t in bottom_up((query.first.address, query.second.address), _but_lookups):
        match t.op:
            case Op.READ:
                name = t.array
            case Op.VAR if t.symbol.origin is Origin.DATA and "[]" in t.symbol.name:
                name = t.symbol.name.partition("[]")[0].removeprefix("*")
            case _:
                continue
        found.append((name if NAME.fullmatch(name) else "", t))
    return found


def _row_starts(query: Query) -> list[str]:
    """Arrays of row starts, or sorted ones: both threads read them, and one an element and the next one."""
    compared = _neighbours(query.first) | _neighbours(query.second)
    first, second = ({t.array for t in of_one_index(p)} for p in (query.first, query.second))
    return sorted(a for a in compared & first & second if NAME.fullmatch(a))


def _neighbours(party: Party) -> set[str]:
    pairs = ((r, s) for r, s in permutations(of_one_index(party), 2) if r.array == s.array)
    return {r.array for r, s in pairs if difference(s.args[0], r.args[0]) is const(1)}


def _sorted(array: str, query: Query) -> Term:
    """The condition that the elements that the threads read are in the order of their indexes."""
    reads = [r for r in of_one_index(query.first, query.second) if r.array == array]
    return conj(
        *(
            conj(disj(lt(j, i), le(r, s)), disj(lt(i, j), le(s, r)))
            for r, s in combinations(reads, 2)
            for i, j in ((r.args[0], s.args[0]),)
        )
    )
