"""The printed forms of phases and queries."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.host.model import Fact
from hgrd.program.memory import Level
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases import At, Last, Next, Order, Phases, Relation, Same, Skipped, Without, phases
from hgrd.races.apart import communication
from hgrd.races.options import AnalysisOptions
from hgrd.races.pairs import Uniform, candidates, levels_of, posed_pairs
from hgrd.races.queries import Pair, Posed, Poser
from hgrd.solve.decide import decide
from hgrd.solve.query import Axis, Party
from hgrd.terms import TRUE, Term, conj, show


def print_phases(protocol: Protocol, options: AnalysisOptions) -> str:
    """For every pair of accesses that may conflict: the levels at which no barrier separates them, and when."""
    relation = phases(protocol, Uniform(protocol))
    lines = [f"kernel {protocol.kernel} at {protocol.span}"]
    for a, b in candidates(protocol):
        lines.append(f"  {_access(a)} against {_access(b)}")
        lines += [f"    {_orders(relation, a, b, x)}" for x in levels_of(a, b, protocol.configuration, options)]
    return "\n".join(lines) + "\n"


def print_queries(protocol: Protocol, facts: tuple[Fact, ...], options: AnalysisOptions) -> str:
    """The query of every pair, as it is put to the solver first."""
    relation = phases(protocol, Uniform(protocol))
    everything = (*facts, *protocol.configuration.facts)
    poser = Poser(protocol, everything, communication(protocol, everything, relation, decide))
    lines = [f"kernel {protocol.kernel} at {protocol.span}"]
    for a, b in candidates(protocol):
        for pair in posed_pairs(a, b, levels_of(a, b, protocol.configuration, options), relation):
            lines += _query(pair, poser.pose(pair, bounded=False))
    return "\n".join(lines) + "\n"


def _orders(relation: Phases, a: Access, b: Access, level: Level) -> str:
    ways = [_order(order) for order in relation.unordered(a, b, level)]
    return f"{level.value}: {'; or '.join(ways) or 'ordered by barriers'}"


def _order(order: Order) -> str:
    relations = ", ".join(map(_relation, order.relations)) or "unordered"
    return relations if order.exact else f"{relations} (a barrier under a condition left out of account)"


def _relation(relation: Relation) -> str:
    match relation:
        case Same(binder):
            return f"same {binder.name}"
        case Next(binder, later):
            return f"{binder.name} of the {later.name.lower()} one ahead"
        case At(binder, party):
            return f"{binder.name} of the {party.name.lower()} is 0"
        case Last(binder, _, party):
            return f"{binder.name} of the {party.name.lower()} is the last"
        case Skipped(count, party):
            return f"{count.name} of the {party.name.lower()} is 0"
        case Without(guards):
            return f"not ({show(conj(*guards))})"


def _query(pair: Pair, posed: Posed) -> Iterator[str]:
    query = posed.query
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
