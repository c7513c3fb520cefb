"""Models as launches that people can read."""

from __future__ import annotations

from hgrd.protocol.model import Access, Configuration
from hgrd.protocol.phases import Party
from hgrd.races.findings import ThreadWitness, Witness
from hgrd.races.parties import Naming
from hgrd.races.queries import Posed
from hgrd.solve.query import Model
from hgrd.terms import EvaluationError, Origin, Symbol, Term, evaluate, symbols_of


def witness_of(posed: Posed, a: Access, b: Access, model: Model) -> Witness:
    naming = posed.naming
    c = naming.configuration
    used = symbols_of(*posed.query.facts, a.offset, *a.guards, b.offset, *b.guards)
    inputs = {s for s in used if s.origin is Origin.INPUT and not naming.is_private(s) and s in model.values}
    return Witness(
        block_dim=_extents(c.block, model),
        grid_dim=_extents(c.grid, model),
        inputs=tuple((s.name, model.values[s]) for s in sorted(inputs, key=lambda s: s.name)),
        contents=tuple(
            (f"{array}[{', '.join(map(str, index))}]", value) for (array, index), value in sorted(model.reads.items())
        ),
        first=_thread(posed, a, model, Party.FIRST, c),
        second=_thread(posed, b, model, Party.SECOND, c),
    )


def _thread(posed: Posed, access: Access, model: Model, party: Party, c: Configuration) -> ThreadWitness:
    naming = posed.naming
    query_side = posed.query.first if party is Party.FIRST else posed.query.second
    hidden = {s.name for s in (*c.thread, *c.block_index) if s is not None}
    local: list[tuple[str, int]] = []
    for symbol in sorted(symbols_of(access.offset, *access.guards), key=lambda s: s.name):
        renamed = naming.rename(symbol, party)
        if symbol.name in hidden or not naming.is_private(symbol) or renamed not in model.values:
            continue
        local.append((symbol.name.removesuffix("#"), model.values[renamed]))
    return ThreadWitness(
        thread=_indexes(c.thread, naming, party, model),
        block=_indexes(c.block_index, naming, party, model),
        locals=tuple(local),
        first_byte=_value(query_side.address, model),
        bytes=access.size,
    )


def _indexes(
    symbols: tuple[Symbol | None, Symbol | None, Symbol | None], naming: Naming, party: Party, model: Model
) -> tuple[int, int, int]:
    x, y, z = (0 if s is None else model.values.get(naming.rename(s, party), 0) for s in symbols)
    return x, y, z


def _extents(terms: tuple[Term, Term, Term], model: Model) -> tuple[int, int, int]:
    x, y, z = (_value(t, model) for t in terms)
    return x, y, z


def _value(term: Term, model: Model) -> int:
    def contents(array: str, index: tuple[int, ...]) -> int:
        return model.reads.get((array, index), 0)

    values = {s: model.values.get(s, max(s.low, min(s.high, 1))) for s in symbols_of(term)}
    try:
        return evaluate((term,), values, contents)[0]
    except EvaluationError:
        return 0
