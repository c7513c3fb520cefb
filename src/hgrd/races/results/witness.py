"""Witnesses: models of queries, written as launches that people can read."""

from __future__ import annotations

from hgrd.findings.model import BarrierThread, BarrierWitness, ThreadWitness, Witness
from hgrd.protocol.model import Access, Configuration
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.encoding.path_query import EncodedPath
from hgrd.races.threads.two_threads import SUFFIX, ThreadPair
from hgrd.solve.query import Model, Party
from hgrd.terms import EvaluationError, Origin, Symbol, Term, evaluate, symbols_of
from hgrd.terms.rewrite import bottom_up


def witness_of(encoded: EncodedPair, a: Access, b: Access, model: Model) -> Witness:
    threads = encoded.threads
    c = threads.configuration
    query = encoded.query
    used = symbols_of(*query.facts, *_parts(query.first), *_parts(query.second), *query.between)
    return Witness(
        block_dim=_extents(c.block, model),
        grid_dim=_extents(c.grid, model),
        inputs=_inputs(used, threads, model),
        contents=_contents(model),
        first=_thread(encoded, a, model, Side.FIRST, c),
        second=_thread(encoded, b, model, Side.SECOND, c),
    )


def barrier_witness(encoded: EncodedPath, binders: tuple[Symbol, ...], model: Model, *, alone: bool) -> BarrierWitness:
    """`binders` are those of the loops around the barrier; `alone`: there is no second thread."""
    threads, query = encoded.threads, encoded.query
    c = threads.configuration
    used = symbols_of(*query.facts, *query.first.guards, *query.second.guards, *query.between)
    return BarrierWitness(
        block_dim=_extents(c.block, model),
        grid_dim=_extents(c.grid, model),
        inputs=_inputs(used, threads, model),
        contents=_contents(model),
        iterations=tuple((_loop_name(b), model.values.get(b, 0)) for b in binders),
        first=_at_barrier(encoded, model, Side.FIRST),
        second=None if alone else _at_barrier(encoded, model, Side.SECOND),
    )


def _parts(party: Party) -> tuple[Term, ...]:
    return (party.address, *party.guards)


def _loop_name(binder: Symbol) -> str:
    """The counting variable of a loop; "iteration" if there is none."""
    return binder.name.split("#")[0].removesuffix(".iteration")


def _at_barrier(encoded: EncodedPath, model: Model, side: Side) -> BarrierThread:
    threads = encoded.threads
    c = threads.configuration
    guards = (encoded.query.first if side is Side.FIRST else encoded.query.second).guards
    indexes = {threads.rename(s, side) for s in (*c.thread, *c.block_index) if s is not None}
    own = [s for s in symbols_of(*guards) if s.name.endswith(SUFFIX[side]) and s not in indexes and s in model.values]
    locals_ = ((s.name.removesuffix(SUFFIX[side]).removesuffix("#"), model.values[s]) for s in own)
    return BarrierThread(
        _indexes(c.thread, threads, side, model), _indexes(c.block_index, threads, side, model), tuple(sorted(locals_))
    )


def _inputs(used: frozenset[Symbol], threads: ThreadPair, model: Model) -> tuple[tuple[str, int], ...]:
    inputs = {s for s in used if s.origin is Origin.INPUT and not threads.is_private(s) and s in model.values}
    return tuple((s.name, model.values[s]) for s in sorted(inputs, key=lambda s: s.name))


def _contents(model: Model) -> tuple[tuple[str, int], ...]:
    return tuple(
        (f"{array}[{', '.join(map(str, index))}]", value) for (array, index), value in sorted(model.reads.items())
    )


def _thread(encoded: EncodedPair, access: Access, model: Model, side: Side, c: Configuration) -> ThreadWitness:
    threads = encoded.threads
    query_side = encoded.query.first if side is Side.FIRST else encoded.query.second
    hidden = {s.name for s in (*c.thread, *c.block_index) if s is not None}
    values = {**_passing(encoded.passed), **model.values}
    local: list[tuple[str, int]] = []
    for symbol in sorted(symbols_of(access.offset, *access.guards), key=lambda s: s.name):
        renamed = threads.rename(symbol, side)
        its_own, read_alike = threads.is_private(symbol), symbol.name in threads.broadcast
        if symbol.name in hidden or not (its_own or read_alike) or renamed not in values:
            continue
        local.append((symbol.name.removesuffix("#"), values[renamed]))
    return ThreadWitness(
        thread=_indexes(c.thread, threads, side, model),
        block=_indexes(c.block_index, threads, side, model),
        locals=tuple(local),
        first_byte=_value(query_side.address, model),
        bytes=access.size,
    )


def _passing(tests: tuple[Term, ...]) -> dict[Symbol, int]:
    """Values that pass the tests, one for each symbol that a test compares with a constant."""
    found: dict[Symbol, int] = {}
    for test in tests:
        (symbol,) = symbols_of(test)
        limit = next(t.value for t in bottom_up((test,)) if t.is_const)
        for value in (limit, limit - 1, limit + 1):
            if symbol.low <= value <= symbol.high and evaluate((test,), {symbol: value})[0]:
                found.setdefault(symbol, value)
    return found


def _indexes(
    symbols: tuple[Symbol | None, Symbol | None, Symbol | None], threads: ThreadPair, side: Side, model: Model
) -> tuple[int, int, int]:
    x, y, z = (0 if s is None else model.values.get(threads.rename(s, side), 0) for s in symbols)
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
