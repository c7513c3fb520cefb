"""Races of a launch with other work that surely runs at once, or with the host: whether they meet in memory.

The host's code says which bytes each of the two uses; the solver decides whether some are the same, for inputs with
which the program comes to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import Finding
from hgrd.host.model import AtOnce, HostNote, LaunchSite, UsedBytes
from hgrd.races.between.finding import Accessor, race_of
from hgrd.solve.decide import Decider
from hgrd.solve.query import Conflict, Model, Party, Query, Scrutiny
from hgrd.terms import EvaluationError, Origin, Symbol, Term, evaluate, symbols_of

_MOST: Final = 16  # pairs of accesses that are decided for one launch
_ENOUGH: Final = 4  # races that are shown of one launch


def races_at_once(launch: LaunchSite, decide: Decider) -> dict[HostNote, Finding]:
    """The races of a launch with what surely runs beside it, by the notes that they stand for; the first of each."""
    found: dict[HostNote, Finding] = {}
    for pair in launch.at_once[:_MOST]:
        answer = None if pair.shared in found or len(found) >= _ENOUGH else decide(_query(pair))
        if isinstance(answer, Conflict):
            found[pair.shared] = _finding(launch, pair, answer)
    return found


def _query(pair: AtOnce) -> Query:
    used = symbols_of(*_terms(pair.own), *_terms(pair.other))
    facts = tuple(relevant(pair.told, used))
    numbers = {pair.own.number, pair.other.number}
    shared = sorted(symbols_of(*facts) | used - numbers, key=lambda s: s.name)
    return Query(tuple(shared), (), facts, _party(pair.own), _party(pair.other), (), scrutiny=Scrutiny.NONE)


def _party(used: UsedBytes) -> Party:
    return Party((used.number,), (), used.guards, used.address, used.size)


def _terms(used: UsedBytes) -> tuple[Term, ...]:
    return used.address, *used.guards, *(used.extents or ())


def relevant(told: Iterable[Term], used: frozenset[Symbol]) -> Iterator[Term]:
    """The conditions on these symbols, and on those that they depend on."""
    left = sorted(told, key=str)
    known = set(used)
    while reached := [t for t in left if not known.isdisjoint(t.symbols)]:
        yield from reached
        left = [t for t in left if t not in reached]
        known.update(s for t in reached for s in t.symbols)


def _finding(launch: LaunchSite, pair: AtOnce, answer: Conflict) -> Finding:
    own, other, model = pair.own, pair.other, answer.model
    inputs = {s for s in model.values if s.origin is Origin.INPUT and s not in (own.number, other.number)}
    grid, block = ((_value(x, model), 1, 1) for x in own.extents or (launch.grid[0], launch.block[0]))
    named = ((s.name, model.values[s]) for s in inputs)
    accessors = _accessor(own, model), _accessor(other, model)
    return race_of(pair.name, pair.shared, *accessors, (grid, block), named, answer.method)


def _accessor(used: UsedBytes, model: Model) -> Accessor:
    number, block, thread = model.values.get(used.number, 0), 0, 0
    if used.extents is not None:
        grid, size = (max(_value(x, model), 1) for x in used.extents)
        block, thread = number // size % grid, number % size
    kind = AccessKind.WRITE if used.stores else AccessKind.READ
    address = _value(used.address, model)
    launched = used.extents is not None
    return Accessor(used.what, used.span, kind, (thread, 0, 0), (block, 0, 0), address, used.size, launched)


def _value(term: Term, model: Model) -> int:
    try:
        return evaluate((term,), {s: model.values.get(s, max(s.low, min(s.high, 1))) for s in symbols_of(term)})[0]
    except EvaluationError:
        return 0
