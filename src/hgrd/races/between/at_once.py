"""Races of a launch with other work that surely runs at once, or with the host: whether they meet in memory.

The host's code says which bytes each of the two uses; the solver decides whether some are the same, for inputs with
which the program comes to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Final

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.findings.model import Confidence, Finding, Site, ThreadWitness, Witness
from hgrd.findings.rules import UNORDERED_WORK
from hgrd.host.model import AtOnce, HostNote, LaunchSite, UsedBytes
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
    facts = tuple(_relevant(pair.told, used))
    numbers = {pair.own.number, pair.other.number}
    shared = sorted(symbols_of(*facts) | used - numbers, key=lambda s: s.name)
    return Query(tuple(shared), (), facts, _party(pair.own), _party(pair.other), (), scrutiny=Scrutiny.NONE)


def _party(used: UsedBytes) -> Party:
    return Party((used.number,), (), used.guards, used.address, used.size)


def _terms(used: UsedBytes) -> tuple[Term, ...]:
    return used.address, *used.guards, *(used.extents or ())


def _relevant(told: Iterable[Term], used: frozenset[Symbol]) -> Iterator[Term]:
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
    place = f"{PurePath(pair.shared.span.file).name}:{pair.shared.span.line}"
    cause = f"{pair.shared.text}, and nothing orders the two"
    return Finding(
        first=_site(own, pair.name),
        second=_site(other, pair.name),
        space=Space.GLOBAL,
        levels=(Level.INTER_BLOCK,),
        confidence=Confidence.DEFINITE,
        witness=Witness(
            block_dim=block,
            grid_dim=grid,
            inputs=tuple((s.name, model.values[s]) for s in sorted(inputs, key=lambda s: s.name)),
            contents=(),
            first=_thread(own, model, ""),
            second=_thread(other, model, f"{other.what} at {place}"),
        ),
        facts=(),
        rule=UNORDERED_WORK.code,
        cause=cause,
        method=answer.method,
    )


def _site(used: UsedBytes, name: str) -> Site:
    return Site(used.span, AccessKind.WRITE if used.stores else AccessKind.READ, name, name)


def _thread(used: UsedBytes, model: Model, whose: str) -> ThreadWitness:
    number, block, thread = model.values.get(used.number, 0), 0, 0
    if used.extents is not None:
        grid, size = (max(_value(x, model), 1) for x in used.extents)
        block, thread = number // size % grid, number % size
    return ThreadWitness((thread, 0, 0), (block, 0, 0), (), _value(used.address, model), used.size, whose)


def _value(term: Term, model: Model) -> int:
    try:
        return evaluate((term,), {s: model.values.get(s, max(s.low, min(s.high, 1))) for s in symbols_of(term)})[0]
    except EvaluationError:
        return 0
