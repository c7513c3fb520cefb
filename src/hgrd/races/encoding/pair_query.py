"""Queries of pairs of accesses: do the two race?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level
from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.barrier_bypass import SOME_THREADS
from hgrd.protocol.phases.parallelism import (
    Ahead,
    Apart,
    Differ,
    Fails,
    Holds,
    ParallelCase,
    Relation,
    Same,
    Side,
    Unnamed,
)
from hgrd.races.encoding.array_facts import instantiated, tables
from hgrd.races.encoding.bounds import companion_bounds, inside_query, own_bounds
from hgrd.races.encoding.float_to_int import integer_bounds
from hgrd.races.encoding.loop_exits import LoopExits, unbounded_counters
from hgrd.races.encoding.query_assembly import across, cone, query_of, split, with_extents
from hgrd.races.encoding.read_consistency import ReadConsistency
from hgrd.races.encoding.value_equality import Values, may_differ
from hgrd.races.encoding.warp_values import made_together
from hgrd.races.sync.synchronization import Synchronization
from hgrd.races.threads.two_threads import ThreadPair, abstract_floats
from hgrd.solve.query import Query, Table
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, symbols_of
from hgrd.terms.rewrite import arrays_of


class Pair(Struct, frozen=True):
    """Pair of accesses at a level (None: any level, where barriers play no role), and the ways they can meet."""

    first: Access
    second: Access
    level: Level | None
    orders: tuple[ParallelCase, ...]

    @property
    def sized(self) -> bool:
        """Whether the known extent of an array may tell the two apart."""
        return self.first.target.size is not None or bool(self.first.bounds or self.second.bounds)


class EncodedPair(Struct, frozen=True):
    """Query of a pair, with the facts whose terms are `Query.facts`, index by index, and what its answer depends on.

    `contents` are the facts from which `Query.between` has what it says of the elements of arrays.
    `data`: memory contents decide whether the accesses are reached or where they go.  `unknown`: names of the unknown
    values that do.  `passed` are tests of memory contents that were left out of the query, since some contents pass
    them whatever else holds.  `told`: conditions of the query that hold of its values anyway.  `aligned`: it
    says that both addresses are aligned.
    """

    first: Access
    second: Access
    query: Query
    facts: tuple[Fact, ...]
    threads: ThreadPair
    data: bool
    unknown: tuple[str, ...]
    contents: tuple[Fact, ...] = ()
    passed: tuple[Term, ...] = ()
    told: tuple[Term, ...] = ()
    aligned: bool = False

    @property
    def addresses(self) -> tuple[Term, Term]:
        """The offsets of the two accesses, each by the names of its own thread."""
        return self.query.first.address, self.query.second.address


class PairEncoder(Struct, frozen=True):
    """Encoder of the pairs of one protocol under `facts`; what several queries need is made once."""

    protocol: Protocol
    facts: tuple[Fact, ...]
    synchronization: Synchronization
    _loop_exits: LoopExits = field(default_factory=LoopExits)
    _thread_pairs: dict[tuple[bool, frozenset[str]], ThreadPair] = field(
        default_factory=dict[tuple[bool, frozenset[str]], ThreadPair]
    )
    _bounds: dict[int, tuple[Term, ...]] = field(default_factory=dict[int, tuple[Term, ...]])

    def encode(
        self,
        pair: Pair,
        consistency: ReadConsistency | None = None,
        *,
        bounded: bool,
        filled: bool = False,
        values: Values = (),
        by_two: bool = False,
    ) -> EncodedPair:
        """The query of a pair.

        `consistency`: nothing has raced before (None: that is not assumed).
        `bounded`: the threads stay within allocations of known size.
        `filled`: memory holds what the host has filled it with.
        `values`: the two leave different values of these in memory (see `Values`; (): whatever they leave).
        `by_two`: no third thread has ended a wait of one for the other.
        """
        threads = self._thread_pair(pair)
        a, b = pair.first, pair.second
        apart = self.synchronization.constraints(a, b, threads, pair.level)
        extra = (
            threads.order(pair.orders),
            *threads.distinct(pair.level),
            *apart,
            *(consistency.constraints(a, b, threads, values) if consistency is not None else ()),
            *across(self.protocol, threads),
            *(self.synchronization.without_third_party(a, b, threads, pair.level) if by_two else ()),
        )
        one, two = (
            threads.of((access.offset, *access.guards, *(self._companions(access) if bounded else ())), side)
            for side, access in ((Side.FIRST, a), (Side.SECOND, b))
        )
        if values:
            left = threads.of(tuple(one for one, _ in values), Side.FIRST)
            right = threads.of(tuple(two for _, two in values), Side.SECOND)
            pairs = tuple(zip(left, right, strict=True))
            extra = (*extra, may_differ(pairs, (one[0], two[0]), (a.size, b.size)))
        parts = ((Side.FIRST, a), (Side.SECOND, b))
        extra = (
            *extra,
            *(t for side, access in parts for t in threads.of(integer_bounds(self.protocol, access), side)),
        )
        extra = (*extra, *made_together(self.protocol, threads, (*one, *two, *extra)))
        endings = self._loop_exits.needed(a, b, threads, (*one, *two, *extra))
        read = (*one, *two, *extra, *endings[0], *endings[1])
        said, contents = instantiated(self.protocol.memory.contents if filled else (), read)
        own = consistency.own_tests(threads, read) if consistency is not None else ()
        known = tables(self.protocol.memory.contents) if filled else ()
        encoded = _encoded(pair, self.facts, threads, ((*extra, *said, *own), one, endings[0], two, endings[1]), known)
        return replace(encoded, contents=contents, data=encoded.data or bool(arrays_of(*apart)))

    def bounds(self, encoded: EncodedPair) -> frozenset[Term]:
        """The conditions of a query by which the accesses of its threads are not outside of allocations."""
        parts = ((Side.FIRST, encoded.first), (Side.SECOND, encoded.second))
        return frozenset(t for side, a in parts for t in encoded.threads.of(self._companions(a), side))

    def inside(self, access: Access) -> Query:
        """The query whether a thread can make an access so that what is `bounded` stays within allocations."""
        return inside_query(self.protocol, self.facts, access, self._companions(access))

    def made_under(self, access: Access, conditions: tuple[Term, ...]) -> Query:
        """The query whether a thread can make an access under conditions on what the kernel is given."""
        return inside_query(self.protocol, self.facts, access, conditions)

    def only_alone(self, access: Access) -> bool:
        """From now on, only the access itself is `bounded`, and no others of its thread; False: so it has been."""
        before, now = self._companions(access), own_bounds(access)
        self._bounds[access.number] = now
        return before != now

    def _companions(self, access: Access) -> tuple[Term, ...]:
        found = self._bounds.get(access.number)
        if found is None:
            found = self._bounds[access.number] = companion_bounds(self.protocol, access)
        return found

    def _thread_pair(self, pair: Pair) -> ThreadPair:
        same_block = pair.level not in (None, Level.INTER_BLOCK)
        broadcast: frozenset[str] = frozenset()
        if same_block and all(o.doubt != SOME_THREADS for o in pair.orders):
            uniform = self.protocol.uniform
            apart = {r.binder for o in pair.orders for r in o.relations if isinstance(r, Ahead)}
            alike = _in_common(pair.orders)
            broadcast = frozenset(n for n, loops in uniform.broadcast.items() if apart.isdisjoint(loops))
            found = {x.result.name for x in (pair.first, pair.second) if x.result is not None}  # by a race, perhaps
            found |= {s.name for s in self.protocol.symbols.first_tests}
            broadcast |= {n for n, loops in uniform.in_iteration.items() if alike.issuperset(loops)} - found
        threads = ThreadPair(self.protocol.symbols.private, self.protocol.configuration, same_block, broadcast)
        return self._thread_pairs.setdefault((same_block, broadcast), threads)


def _in_common(orders: Iterable[ParallelCase]) -> frozenset[Symbol]:
    """The loops in the same iterations of which both threads are, however they meet."""
    same = [frozenset(r.binder for r in order.relations if isinstance(r, Same)) for order in orders]
    return same[0].intersection(*same) if same else frozenset()


def _encoded(
    pair: Pair,
    facts: tuple[Fact, ...],
    threads: ThreadPair,
    groups: tuple[tuple[Term, ...], ...],
    known: tuple[Table, ...],
) -> EncodedPair:
    """The query of these groups: what holds between the two, then guards (after the address) and loop exits of each."""
    a, b = pair.first, pair.second
    between, one, endings_1, two, endings_2 = split(abstract_floats(tuple(chain(*groups))), map(len, groups))
    address_1, address_2, endings = one[0], two[0], (*endings_1, *endings_2)
    core = (address_1, address_2, *between)
    stated = (*one[1:], *endings_1), (*two[1:], *endings_2)
    guards_1, guards_2 = _relevant(*stated, core)
    passed = tuple(dict.fromkeys(g for g in chain(*stated) if g not in {TRUE, *guards_1, *guards_2}))
    everything = (address_1, address_2, *guards_1, *guards_2, *between)
    used = cone(facts, with_extents(threads, symbols_of(*everything)))
    query = query_of(threads, used, (address_1, guards_1, a.size), (address_2, guards_2, b.size), between)
    read = arrays_of(*everything)
    query = replace(query, tables=tuple(t for t in known if t.array in read))
    symbols = symbols_of(*everything)
    unknown = tuple(
        sorted({s.name for s in symbols if s.origin is Origin.UNKNOWN} | unbounded_counters(symbols, endings))
    )
    raw = (a.offset, *a.guards, b.offset, *b.guards, *_conditions(pair.orders))
    data = _of_data((*raw, *endings), {t.array for t in known})
    return EncodedPair(a, b, query, used, threads, data, unknown, passed=passed)


def _of_data(terms: tuple[Term, ...], known: Set[str]) -> bool:
    """Whether the terms mention contents of memory, but for those of arrays that are known."""
    symbols = symbols_of(*terms)
    return any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols) or not arrays_of(*terms) <= known


def _conditions(orders: Iterable[ParallelCase]) -> tuple[Term, ...]:
    """The terms of the program that decide whether the two meet in these ways."""
    return tuple(t for order in orders for relation in order.relations for t in _decides(relation))


def _decides(relation: Relation) -> tuple[Term, ...]:
    match relation:
        case Fails(guards=guards) | Holds(guards=guards):
            return guards
        case Unnamed(mask=term) | Apart(tile=term):
            return (term,)
        case Differ(first=first, second=second):
            return (*first, *second)
        case _:
            return ()


def exact(pair: Pair) -> Pair:
    """The pair with only those ways to meet in which nothing may order the two."""
    return replace(pair, orders=tuple(o for o in pair.orders if o.exact))


def certain(pair: Pair) -> Pair:
    """The pair with only those ways to meet that are certain: exact, and without unknown values."""
    orders = (o for o in exact(pair).orders if not _unknown(_conditions((o,))))
    return replace(pair, orders=tuple(orders))


def _unknown(terms: Iterable[Term]) -> bool:
    return any(s.origin is Origin.UNKNOWN for s in symbols_of(*terms))


def _relevant(
    first: tuple[Term, ...], second: tuple[Term, ...], core: tuple[Term, ...]
) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The guards of both without those that any two threads can meet, whatever the rest says.

    Those are tests of a symbol of memory contents that nothing else mentions.
    """
    first = tuple(dict.fromkeys(g for g in first if g is not TRUE))
    second = tuple(dict.fromkeys(g for g in second if g is not TRUE))
    while True:
        uses = Counter(s for t in {*first, *second, *core} for s in symbols_of(t))
        one = tuple(g for g in first if not _free_test(g, uses))
        two = tuple(g for g in second if not _free_test(g, uses))
        if len(one) == len(first) and len(two) == len(second):
            return one, two
        first, second = one, two


def _free_test(guard: Term, uses: Counter[Symbol]) -> bool:
    """Whether a guard tests an otherwise unused data symbol against a constant, so that some value passes."""
    core = guard.args[0] if guard.op is Op.NOT else guard
    if core.op not in (Op.EQ, Op.LE, Op.LT):
        return False
    sides = [t for t in core.args if not t.is_const]
    if len(sides) != 1 or sides[0].op is not Op.VAR:
        return False
    symbol = sides[0].symbol
    return symbol.origin in (Origin.DATA, Origin.COMPUTED) and uses[symbol] == 1 and symbol.low < symbol.high
