"""The precondition that a race leans on: one simple condition on parameters under which it cannot happen.

Host code often does not say how parameters relate (`stride >= cols`, `n <= m`, a power of two, an index
array without repeats).  A race that such a condition excludes, while two threads still do what they race
with, is a conditional one (DESIGN.md section 2).  Candidates are tried from weak to strong,
and each must have been violated by every witness before a proof is attempted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from time import perf_counter, process_time

from hgrd.program.memory import AccessKind
from hgrd.protocol.configuration import WARP_SIZE
from hgrd.protocol.model import Access, Configuration, Protocol, accesses
from hgrd.races.queries import Posed
from hgrd.solve.query import Answer, Conflict, Model, Proved, Query
from hgrd.terms import (
    EvaluationError,
    Op,
    Origin,
    Symbol,
    Term,
    bit_and,
    conj,
    const,
    disj,
    eq,
    evaluate,
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
from hgrd.terms.rewrite import bottom_up

_NAME = re.compile(r"[A-Za-z_][\w.]*")
_MOST_PARAMETERS = 6
_MOST_LENGTHS = 4
_MOST_QUERIES = 24
_SECONDS = 2.0  # of the processor, so that other processes do not decide what is found


@dataclass(frozen=True, slots=True)
class Suspect:
    """All queries that one finding stands for, and the conflicts that were found in some of them.

    `scatters`: the accesses are writes to places that nobody reads by way of the same index arrays
    (who counts in a table expects some entries twice).
    """

    queries: tuple[Posed, ...]
    conflicts: tuple[tuple[Posed, Model], ...]
    scatters: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """`text` as C; `term` is what it says in a query."""

    text: str
    term: Callable[[Query], Term]


def precondition(suspect: Suspect, decide: Callable[[Query], Answer], deadline: float) -> str:
    """The weakest candidate that excludes the finding, as C; "" if none does in the time there is.

    `deadline` is a value of perf_counter().
    """
    if not suspect.conflicts or len(suspect.queries) > _MOST_QUERIES:
        return ""
    enough = process_time() + _SECONDS
    conflicts = list(suspect.conflicts)
    for candidate in _candidates(suspect):
        if perf_counter() > deadline or process_time() > enough:
            return ""
        if all(_violates(candidate, posed.query, model) for posed, model in conflicts):
            excluded = all(_excludes(candidate, posed, decide, conflicts) for posed in suspect.queries)
            if excluded and all(_leaves_work(candidate, p.query, decide) for p, _ in suspect.conflicts):
                return candidate.text
    return ""


def _excludes(
    candidate: _Candidate, posed: Posed, decide: Callable[[Query], Answer], conflicts: list[tuple[Posed, Model]]
) -> bool:
    """Whether it rules the query's conflict out; if not, later candidates must be violated where it was not."""
    answer = decide(_under(candidate, posed.query))
    if isinstance(answer, Conflict):
        conflicts.append((posed, answer.model))
    return isinstance(answer, Proved)


def scatters(a: Access, b: Access, protocol: Protocol) -> bool:
    """Whether both are writes whose places index arrays decide, of an object that is not read like that."""

    def read_alike(other: Access) -> bool:
        return other.kind is not AccessKind.WRITE and other.target.key == a.target.key and bool(_reads(other.offset))

    writes = a.kind is AccessKind.WRITE and b.kind is AccessKind.WRITE
    return writes and not any(map(read_alike, accesses(protocol.items)))


def _violates(candidate: _Candidate, query: Query, model: Model) -> bool:
    """Whether the condition is false in the model; where the model leaves a value open, that it may be."""
    try:
        (holds,) = evaluate(
            (candidate.term(query),), model.values, lambda array, index: model.reads.get((array, index), 0)
        )
    except (EvaluationError, KeyError):
        return True
    return not holds


def _under(candidate: _Candidate, query: Query) -> Query:
    return replace(query, between=(*query.between, candidate.term(query)))


def _leaves_work(candidate: _Candidate, query: Query, decide: Callable[[Query], Answer]) -> bool:
    """Whether two threads can still make the two accesses, wherever these go."""
    anywhere = [replace(party, address=const(0)) for party in (query.first, query.second)]
    free = replace(_under(candidate, query), first=anywhere[0], second=anywhere[1])
    return isinstance(decide(free), Conflict)


# ---------------------------------------------------------------- candidates


def _candidates(suspect: Suspect) -> Iterator[_Candidate]:
    """From weak to strong."""
    posed = suspect.conflicts[0][0]
    parameters = _parameters(posed.query)
    extents = _extents(posed.naming.configuration)
    for p in parameters:
        yield _plain(f"{show(p)} != 0", ne(p, const(0)))
        yield _plain(f"{show(p)} >= 0", le(const(0), p))
        yield _plain(f"{show(p)} > 0", lt(const(0), p))
    lengths = _lengths(posed.query)
    for some in (*((r,) for r in lengths), *([lengths] if len(lengths) > 1 else [])):
        yield _plain(" && ".join(f"{show(r)} > 0" for r in some), conj(*(lt(const(0), r) for r in some)))
    compared = _compared(posed.query)
    own = [p for p in parameters if p not in compared]  # who compares indexes with p expects more threads than p
    ordered = [*permutations(parameters, 2), *product(extents, own)]
    pairs = [*permutations(parameters, 2), *product(own, extents)]
    for p, q in ordered:
        yield _plain(f"{_part(p)} <= {_part(q)}", le(p, q))
    for p, q in ordered:
        yield _plain(f"{_part(p)} < {_part(q)}", lt(p, q))
    for p, q in pairs:
        if not p.is_const:
            divisible = eq(mod(p, q), const(0))
            yield _plain(f"{_part(p)} % {_part(q)} == 0", conj(lt(const(0), q), divisible))
    for block in posed.naming.configuration.block:
        if not block.is_const:
            yield _plain(f"{_part(block)} % {WARP_SIZE} == 0", eq(mod(block, const(WARP_SIZE)), const(0)))
    for p in (*parameters, *(e for e in extents if e.op is Op.VAR)):
        power = conj(lt(const(0), p), eq(bit_and(p, sub(p, const(1))), const(0)))
        yield _plain(f"{show(p)} > 0 && ({show(p)} & ({show(p)} - 1)) == 0", power)
    for p, q in pairs:
        yield _plain(f"{_part(p)} == {_part(q)}", eq(p, q))
    if suspect.scatters:
        for array in _index_arrays(posed.query):
            yield _Candidate(f"distinct({array})", lambda query, array=array: _without_repeats(array, query))


def _plain(text: str, term: Term) -> _Candidate:
    return _Candidate(text, lambda _: term)


def _part(term: Term) -> str:
    return show(term) if term.op in (Op.VAR, Op.CONST) else f"({show(term)})"


def _parameters(query: Query) -> list[Term]:
    """The parameters that the two accesses depend on as numbers: not those that only choose among cases."""
    used: set[Symbol] = set()
    roots = (query.first.address, *query.first.guards, query.second.address, *query.second.guards)
    for t in bottom_up(roots, _but_choices):
        if t.op is Op.VAR:
            used.add(t.symbol)
    shared = set(query.shared)
    found = [s for s in used if s in shared and s.origin is Origin.INPUT and _NAME.fullmatch(s.name)]
    return [var(s) for s in sorted(found, key=_by_name)[:_MOST_PARAMETERS]]


def _lengths(query: Query) -> tuple[Term, ...]:
    """Numbers that all threads read at one place to know where something begins: parameters, too, but in memory."""
    shared = set(query.shared)
    reads = {r for party in (query.first, query.second) for r in _reads(party.address)}
    found = [r for r in reads if symbols_of(r) <= shared and _NAME.fullmatch(r.array)]
    return tuple(sorted(found, key=show)[:_MOST_LENGTHS])


def _but_choices(term: Term) -> tuple[Term, ...]:
    """The parts of a term, but for a symbol that is compared with a constant."""
    return () if term.op is Op.EQ and any(a.is_const for a in term.args) else term.args


def _compared(query: Query) -> set[Term]:
    """Symbols that the accesses compare something with."""
    roots = (query.first.address, *query.first.guards, query.second.address, *query.second.guards)
    tests = [t for t in bottom_up(roots) if t.op in (Op.EQ, Op.LE, Op.LT)]
    return {var(s) for t in tests for s in symbols_of(t)}


def _by_name(symbol: Symbol) -> str:
    return symbol.name


def _extents(configuration: Configuration) -> list[Term]:
    """Extents of the launch along the axes that have any, and the number of threads along x."""
    found = [e for e in (*configuration.block, *configuration.grid) if e is not const(1)]
    x = mul(configuration.block[0], configuration.grid[0])
    return list(dict.fromkeys((*found, x)))


def _index_arrays(query: Query) -> list[str]:
    """Arrays of integers whose elements decide where both accesses go."""
    first, second = ({t.array for t in _reads(p.address)} for p in (query.first, query.second))
    return sorted(a for a in first & second if _NAME.fullmatch(a))


def _reads(term: Term) -> list[Term]:
    return [t for t in bottom_up((term,)) if t.op is Op.READ]


def _without_repeats(array: str, query: Query) -> Term:
    """Elements of the array at two places, one of each thread's, differ."""
    first, second = ([t for t in _reads(p.address) if t.array == array] for p in (query.first, query.second))
    return conj(
        *(
            disj(conj(*(eq(i, j) for i, j in zip(r.args, s.args, strict=True))), ne(r, s))
            for r, s in product(first, second)
            if len(r.args) == len(s.args)
        )
    )
