"""State across queries: z3, and the answers already given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.solve.effort import Effort
from hgrd.solve.query import Answer, Conflict, Model, Party, Proved, Query
from hgrd.solve.z3_process import Solver
from hgrd.terms import Op, Symbol, Term
from hgrd.terms.rewrite import bottom_up

Shape: TypeAlias = tuple[object, ...]


class _Kept(Struct, frozen=True):
    """A stored answer, with the names that its query used and the units of z3's resource count that it took."""

    answer: Answer
    names: _Names
    units: int


class _Names(Struct, frozen=True):
    """Terms, symbols and arrays of a query in an order that depends on its shape alone."""

    terms: tuple[Term, ...]
    symbols: tuple[Symbol, ...]
    arrays: tuple[str, ...]


class Session:
    """Holds the solver and remembers answers; queries that differ only in names share one.

    A context manager; `close` frees z3.  `conflicts` counts those found: after one, more are expected.
    `spent` is the effort of all answers; a remembered answer counts as if it had been computed again, so that the
    effort of a part of the analysis does not depend on what ran before it.
    """

    def __init__(self) -> None:
        self.solver = Solver()
        self.conflicts = 0
        self.spent = Effort()
        self._known: dict[Shape, _Kept] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.solver.close()
        self._known.clear()

    def remember(self, query: Query, key: object, decide: Callable[[], Answer]) -> Answer:
        """The answer to a query of this shape (under the same `key`), or a new one."""
        shape, names = _canonical(query)
        shape = (key, *shape)
        kept = self._known.get(shape)
        if kept is None:
            before = self.solver.spent
            answer = decide()
            kept = self._known[shape] = _Kept(answer, names, self.solver.spent - before)
        self.spent = Effort(self.spent.queries + 1, self.spent.units + kept.units)
        return _renamed(kept, names)


def _canonical(query: Query) -> tuple[Shape, _Names]:
    """The query's shape without names, and the names."""
    roots = list(_roots(query))
    terms = tuple(bottom_up(roots))
    position = {t: i for i, t in enumerate(terms)}
    symbols: dict[Symbol, int] = {}
    arrays: dict[str, int] = {}
    nodes: list[object] = []
    for t in terms:
        payload: object = t.payload
        if t.op is Op.VAR:
            s = t.symbol
            payload = (symbols.setdefault(s, len(symbols)), s.low, s.high, s.origin)
        elif t.op is Op.READ:
            payload = (arrays.setdefault(t.array, len(arrays)), t.low, t.high)
        nodes.append((t.op, payload, *(position[a] for a in t.args)))
    groups = tuple(
        tuple((symbols.setdefault(s, len(symbols)), s.low, s.high, s.origin) for s in group)
        for group in (query.shared, query.first.private, query.second.private)
    )
    axes = tuple(
        tuple((symbols.setdefault(a.symbol, len(symbols)), position[a.extent]) for a in group)
        for group in (query.axes, query.first.axes, query.second.axes)
    )
    layout = [len(part) for party in (query.first, query.second) for part in (party.guards, party.axes)]
    sizes = (query.first.size, query.second.size, len(query.facts), len(query.between), *layout)
    tables = tuple((arrays[t.array], t.values) for t in query.tables if t.array in arrays)
    shape = (tuple(nodes), tuple(position[r] for r in roots), groups, axes, sizes, query.scrutiny, tables)
    return shape, _Names(terms, tuple(symbols), tuple(arrays))


def _roots(query: Query) -> Sequence[Term]:
    def party(p: Party) -> tuple[Term, ...]:
        return (*(a.extent for a in p.axes), *p.guards, p.address)

    return (*query.facts, *(a.extent for a in query.axes), *party(query.first), *party(query.second), *query.between)


def _renamed(kept: _Kept, names: _Names) -> Answer:
    if kept.names == names:
        return kept.answer
    symbols = dict(zip(kept.names.symbols, names.symbols, strict=True))
    arrays = dict(zip(kept.names.arrays, names.arrays, strict=True))

    def model(m: Model) -> Model:
        values = {symbols[s]: v for s, v in m.values.items()}
        return Model(values, {(arrays[array], index): v for (array, index), v in m.reads.items()})

    match kept.answer:
        case Proved(no_wrap=terms, wraps_at=example):
            places = dict(zip(kept.names.terms, names.terms, strict=True))
            return replace(
                kept.answer,
                no_wrap=tuple(places[t] for t in terms),
                wraps_at=model(example) if example is not None else None,
            )
        case Conflict(found):
            return replace(kept.answer, model=model(found))
        case _:
            return kept.answer
