"""The printed forms of phases and queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hgrd.cuda.memory_model import Level
from hgrd.findings.options import AnalysisOptions
from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.parallelism import (
    Ahead,
    Apart,
    At,
    Count,
    Differ,
    Fails,
    Holds,
    Last,
    ParallelCase,
    Relation,
    Same,
    Side,
    Unnamed,
)
from hgrd.protocol.phases.phases import Phases, phases
from hgrd.races.encoding.handed_on import gives_tickets
from hgrd.races.encoding.pair_query import EncodedPair, Pair, PairEncoder
from hgrd.races.pairs.candidates import candidates, levels_of, pairs_to_ask
from hgrd.races.pairs.synchronization_proofs import infer_synchronization
from hgrd.races.sync.work_queues import inline_work_items
from hgrd.races.threads.uniformity import UniformSymbols
from hgrd.solve.decide import decide
from hgrd.solve.query import Axis, Party
from hgrd.terms import TRUE, Term, conj, show

_NAMES: Final[Mapping[Side, str]] = {Side.FIRST: "the first", Side.SECOND: "the second"}


def print_phases(protocol: Protocol, options: AnalysisOptions) -> str:
    """Phases of every pair of accesses that may conflict: the levels at which no barrier separates them, and when."""
    relation = phases(protocol, UniformSymbols(protocol))
    lines = [f"kernel {protocol.kernel} at {protocol.span}"]
    for a, b in candidates(protocol):
        lines.append(f"  {_access(a)} against {_access(b)}")
        lines += [f"    {_orders(relation, a, b, x)}" for x in levels_of(a, b, protocol.configuration, options)]
    return "\n".join(lines) + "\n"


def print_queries(protocol: Protocol, facts: tuple[Fact, ...], options: AnalysisOptions) -> str:
    """The query of every pair, as it is put to the solver first."""
    everything = (*facts, *protocol.configuration.facts)
    protocol, relation, tickets = inline_work_items(protocol, gives_tickets(protocol, everything, decide))
    encoder = PairEncoder(protocol, everything, infer_synchronization(protocol, everything, relation, decide, tickets))
    lines = [f"kernel {protocol.kernel} at {protocol.span}"]
    for a, b in candidates(protocol):
        for pair in pairs_to_ask(a, b, levels_of(a, b, protocol.configuration, options), relation):
            lines += _query(pair, encoder.encode(pair, bounded=False))
    return "\n".join(lines) + "\n"


def _orders(relation: Phases, a: Access, b: Access, level: Level) -> str:
    ways = [order_in_words(order) for order in relation.may_happen_in_parallel(a, b, level)]
    return f"{level.value}: {'; or '.join(ways) or 'ordered by barriers'}"


def order_in_words(order: ParallelCase, names: Mapping[Side, str] = _NAMES) -> str:
    """One way to meet, the two accesses being called by `names`."""
    relations = ", ".join(_relation(r, names) for r in order.relations) or "unordered"
    return f"{relations} ({order.doubt})" if order.doubt else relations


def _relation(relation: Relation, names: Mapping[Side, str]) -> str:
    match relation:
        case Same(binder):
            return f"same {binder.name}"
        case Ahead(binder, later, by, more):
            return f"{binder.name} of {names[later]} {by}{_more(more)} ahead"
        case At(binder, party, iteration, more):
            return f"{binder.name} of {names[party]} is {iteration}{_more(more)}"
        case Last(binder, _, party, 1, False):
            return f"{binder.name} of {names[party]} is the last"
        case Last(binder, count, party, by, more):
            return f"{binder.name} of {names[party]} is {by}{_more(more)} before {count.name}"
        case Count(count, party, iterations):
            return f"{count.name} of {names[party]} is {iterations}"
        case Fails(guards, party, at):
            where = "" if at is party else f" in the iterations of {names[at]}"
            return f"not {show(conj(*guards))} for {names[party]}{where}"
        case Holds(guards, party):
            return f"{show(conj(*guards))} for {names[party]}"
        case Unnamed(mask, holder):
            return f"the mask {show(mask)} of {names[holder]} leaves out the other"
        case Apart(tile):
            return f"different {show(tile)}"
        case Differ(first, second):
            return f"not ({', '.join(map(show, first))}) == ({', '.join(map(show, second))})"


def _more(or_more: bool) -> str:
    return " or more" if or_more else ""


def _query(pair: Pair, encoded: EncodedPair) -> Iterator[str]:
    query = encoded.query
    level = pair.level.value if pair.level is not None else "all levels"
    yield f"  {_access(pair.first)} against {_access(pair.second)}, {level}"
    yield from _axes("shared", query.axes)
    yield from _terms("fact", query.facts)
    for name, party in (("first", query.first), ("second", query.second)):
        yield from _party(name, party)
    yield from _terms("between", query.between)


def _party(name: str, party: Party) -> Iterator[str]:
    yield from _axes(name, party.axes)
    yield from _terms(f"{name} when", party.guards)
    yield f"    {name} touches {party.size} bytes at {show(party.address)}"


def _axes(name: str, axes: tuple[Axis, ...]) -> Iterator[str]:
    yield from (f"    {name} {axis.symbol.name} < {show(axis.extent)}" for axis in axes)


def _terms(name: str, terms: tuple[Term, ...]) -> Iterator[str]:
    yield from (f"    {name} {show(term)}" for term in terms if term is not TRUE)


def _access(access: Access) -> str:
    return f"{access.kind.value} {access.text} ({access.span.line}:{access.span.column})"
