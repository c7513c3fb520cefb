"""Elements of arrays that are known, told to the solver one by one where its model has others."""

from __future__ import annotations

from typing import Final

from hgrd.solve.problem import pose
from hgrd.solve.query import Model, Query
from hgrd.terms import Op, Origin, Term, const, disj, eq, ne, symbols_of
from hgrd.terms.rewrite import arrays_of, bottom_up

_WITHIN: Final = {Origin.THREAD, Origin.BLOCK, Origin.LOOP, Origin.COUNT}  # a launch


def contradicted(query: Query, model: Model) -> tuple[Term, ...]:
    """What a model must meet of the tables of its query, and does not; () if it agrees with them."""
    if not query.tables:
        return ()
    tables = {t.array: t for t in query.tables}
    wrong: dict[str, dict[int, int]] = {}
    for (array, index), value in model.reads.items():
        table = tables.get(array)
        if table is None or len(index) != 1 or not 0 <= index[0] < len(table.values):
            continue
        known = table.values[index[0]]
        if known is not None and known != value:
            wrong.setdefault(array, {})[index[0]] = known
    reads = [t for t in bottom_up(pose(query).roots) if t.op is Op.READ and t.array in wrong] if wrong else []
    return tuple(
        disj(ne(t.args[0], const(index)), eq(t, const(value))) for t in reads for index, value in wrong[t.array].items()
    )


def needs_no_input(query: Query) -> bool:
    """Whether a query that reads arrays reads only those that it has tables of, and depends on no other value."""
    parties = (query.first, query.second)
    terms = (*(t for p in parties for t in (p.address, *p.guards)), *query.between)
    read = arrays_of(*terms)
    extents = (a.extent for p in (query, *parties) for a in p.axes)
    origins = {s.origin for s in symbols_of(*terms, *extents)}
    return bool(read) and read <= {t.array for t in query.tables} and origins <= _WITHIN
