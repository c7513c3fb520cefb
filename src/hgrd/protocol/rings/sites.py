"""Sites of barriers at which some threads arrive and others wait: which threads get there."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import product
from math import prod

from msgspec import Struct

from hgrd.cuda.limits import MAX_THREADS, WARP_SIZE
from hgrd.protocol.barrier_names import NamedBarrier
from hgrd.protocol.copies.conditions import limit_of
from hgrd.protocol.model import Arrival, Barrier, Configuration, Item, ProtocolLoop
from hgrd.symbolic.state import ConditionKind
from hgrd.terms import Op, Origin, Symbol, Term, conj, const, mul, negate, substitute, symbols_of, var
from hgrd.terms.evaluate import EvaluationError, evaluate
from hgrd.terms.linear import linear

OF_BLOCK = {Origin.INPUT, Origin.DIMENSION, Origin.BLOCK}


class Site(Struct, frozen=True, eq=False):
    """Place where threads arrive at a barrier or wait there.

    `top` and `inner` say where it stands: among all items, and among those of `loop` around it.  `threads`: the numbers
    of those that get there, in an iteration that they make; `ours` are the conditions that tell them apart, `chosen`
    those that are the same for the block.  `count`: for how many threads the barrier is made.
    """

    item: Arrival | Barrier
    named: NamedBarrier
    top: int
    inner: int
    loop: ProtocolLoop | None
    count: int
    threads: frozenset[int]
    ours: tuple[Term, ...]
    chosen: frozenset[Term]

    @property
    def arrives(self) -> bool:
        """Whether a thread arrives here: not if it waits for an arrival made before, or for a phase."""
        if isinstance(self.item, Arrival):
            return True
        return self.item.arrival is None and self.named.parity is None and self.named.turn is None

    @property
    def waits(self) -> bool:
        """Whether a thread waits here."""
        return isinstance(self.item, Barrier) and not self.named.arrives


class Unusable(Struct, frozen=True):
    """A place of which that is not known; it may be one of the barriers with these numbers."""

    low: int
    high: int


def sites_of(items: tuple[Item, ...], configuration: Configuration) -> Iterator[Site | Unusable]:
    """The places of all barriers that have numbers."""
    for top, item in enumerate(items):
        match item:
            case Arrival(named=named) | Barrier(named=named) if named is not None:
                yield _site(item, named, (top, -1), None, configuration)
            case ProtocolLoop():
                yield from _in_loop(item, top, configuration)
            case _:
                pass


def _in_loop(loop: ProtocolLoop, top: int, configuration: Configuration) -> Iterator[Site | Unusable]:
    for inner, item in enumerate(loop.items):
        match item:
            case Arrival(named=named) | Barrier(named=named) if named is not None:
                yield _site(item, named, (top, inner), loop, configuration)
            case ProtocolLoop():
                for site in _in_loop(item, top, configuration):
                    number = site.named.number if isinstance(site, Site) else site
                    yield Unusable(number.low, number.high)
            case _:
                pass


def _site(
    item: Arrival | Barrier,
    named: NamedBarrier,
    place: tuple[int, int],
    loop: ProtocolLoop | None,
    configuration: Configuration,
) -> Site | Unusable:
    unusable = Unusable(named.number.low, named.number.high)
    parts = _parts(item, loop, in_turn=named.turn is not None)
    count = _count(named, configuration)
    own = any(s.origin is Origin.THREAD for s in symbols_of(named.number))
    if parts is None or count is None or own:
        return unusable
    ours, chosen = parts
    try:
        threads = threads_where(conj(*ours), configuration)
    except EvaluationError:
        return unusable
    if not named.place and any(
        t // WARP_SIZE * WARP_SIZE + i not in threads for t in threads for i in range(WARP_SIZE)
    ):
        return unusable
    return Site(item, named, *place, loop, count, threads, ours, chosen)


def _count(named: NamedBarrier, configuration: Configuration) -> int | None:
    """For how many threads a barrier is made, in a block of constant extents; None: it is not known."""
    total = mul(*configuration.block)
    if not total.is_const or (named.count is None and not named.place):
        return None
    count = total if named.count is None else named.count
    return count.value if count.is_const else None


def _parts(
    item: Arrival | Barrier, loop: ProtocolLoop | None, *, in_turn: bool
) -> tuple[tuple[Term, ...], frozenset[Term]] | None:
    """The conditions of thread indexes, and those that are the same for the block; None: there are others.

    Among the latter are those that hold in some first iterations, of barriers that are taken `in_turn`.  Those for
    which a thread makes a further iteration, or leaves the loop, only end what it does there.
    """
    ours: dict[Term, None] = {}
    chosen: set[Term] = set()
    ends: set[Term] = set()
    if loop is not None:
        ends = {*loop.tests, *map(negate, loop.breaks), *_of_iterations(loop)}
    for condition in item.path:
        if condition.lost:
            return None
        if condition.incidental or condition.kind is ConditionKind.ASSERT:
            continue
        for term in condition.term.args if condition.term.op is Op.AND else (condition.term,):
            origins = {s.origin for s in symbols_of(term)}
            if term in ends or condition.term in ends:
                continue
            if origins <= {Origin.THREAD} and not term.arrays:
                ours[term] = None
            elif _is_chosen(term, loop if in_turn else None):
                chosen.add(term)
            else:
                return None
    return tuple(ours), frozenset(chosen)


def _is_chosen(condition: Term, loop: ProtocolLoop | None) -> bool:
    """Whether a condition is the same for the block, also one of the first iterations of a loop that is given."""
    if {s.origin for s in symbols_of(condition)} <= OF_BLOCK and not condition.arrays:
        return True
    return loop is not None and _holds_at_first(condition, loop.binder)


def _holds_at_first(condition: Term, binder: Symbol) -> bool:
    """Whether a condition is the same for a block, and holds in no iteration after one in which it does not."""
    others = {s.origin for s in symbols_of(condition) if s != binder}
    limit = limit_of(condition)
    if limit is None or condition.arrays or not others <= OF_BLOCK:
        return False
    _, atoms = linear(limit)
    slope = atoms.pop(var(binder), 0)
    return slope >= 0 and all(binder not in symbols_of(atom) for atom in atoms)


def _of_iterations(loop: ProtocolLoop) -> Iterator[Term]:
    """The conditions at entry that are tests of a do-while loop: those that mention its iterations."""
    return (g for g in loop.guards if loop.binder in symbols_of(g))


def threads_where(condition: Term, configuration: Configuration) -> frozenset[int]:
    """The numbers of the threads of a block, of constant extents, for which a condition of their indexes holds."""
    held = values_by_thread((condition,), configuration)
    return frozenset(number for number, (holds,) in enumerate(held) if holds)


def common_terms(terms: tuple[Term, ...], threads: Set[int], configuration: Configuration) -> tuple[Term, ...] | None:
    """What terms are for some threads of a block of constant extents, by their numbers; None: not the same for all.

    `blockIdx.x * 2 + threadIdx.x / 128 < n` is `blockIdx.x * 2 + 1 < n` for the threads from 128 to 255.
    """
    if not terms:
        return ()
    x, y, _ = (extent.value for extent in configuration.block)
    found: set[tuple[Term, ...]] = set()
    for thread in threads:
        indexes = zip(configuration.thread, (thread % x, thread // x % y, thread // (x * y)), strict=True)
        found.add(substitute(terms, {s: const(value) for s, value in indexes if s is not None}))
        if len(found) > 1:
            return None
    return next(iter(found))


def values_by_thread(terms: tuple[Term, ...], configuration: Configuration) -> Iterator[tuple[int, ...]]:
    """The values of terms for each thread of a block, of constant extents, in the order of their numbers.

    Raises EvaluationError where a term has no value, or the block more threads than a block can have.
    """
    extents = [extent.value for extent in configuration.block]
    if prod(extents) > MAX_THREADS:
        raise EvaluationError("a block of too many threads")
    for z, y, x in product(*(range(n) for n in reversed(extents))):
        indexes = zip(configuration.thread, (x, y, z), strict=True)
        values: dict[Symbol, int] = {s: value for s, value in indexes if s is not None}
        yield evaluate(terms, values)
