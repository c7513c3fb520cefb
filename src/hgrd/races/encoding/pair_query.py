"""From two accesses to the query that decides whether they race."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level
from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.barrier_bypass import SOME_THREADS
from hgrd.protocol.phases.parallelism import Ahead, Fails, Holds, Order, Relation, Unnamed
from hgrd.protocol.phases.parallelism import Party as Side
from hgrd.races.encoding.array_facts import said_of
from hgrd.races.encoding.bounds import companions
from hgrd.races.encoding.float_to_int import compared
from hgrd.races.encoding.loop_exits import LoopExits, loose
from hgrd.races.encoding.read_consistency import ReadConsistency
from hgrd.races.encoding.value_equality import Values, differ
from hgrd.races.sync.synchronization import Synchronization
from hgrd.races.threads.two_threads import SUFFIX, ThreadPair, abstract_floats, plain_name
from hgrd.solve.query import Axis, Party, Query
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, conj, disj, eq, ne, negate, symbols_of, var
from hgrd.terms.rewrite import arrays_of, substitute


class Pair(Struct, frozen=True):
    """Two accesses at a level (None: any level, where barriers play no role), and how they can meet."""

    first: Access
    second: Access
    level: Level | None
    orders: tuple[Order, ...]

    @property
    def sized(self) -> bool:
        """Whether the extent of an array is known that may tell them apart."""
        return self.first.target.size is not None or bool(self.first.bounds or self.second.bounds)


class EncodedPair(Struct, frozen=True):
    """A query with the facts behind `Query.facts`, index by index, and what its answer depends on.

    `contents` are the facts behind what is said in `Query.between` of the elements of arrays.
    `data`: memory contents decide whether the accesses are reached or where they go; `unknown`: values
    that the analysis does not know do.  `passed` are tests of memory contents that stand in no query, as some
    contents pass them whatever else is the case.
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


class PairEncoder(Struct, frozen=True):
    """Poses the queries of one protocol under `facts`; what several of them need is made once."""

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

        `bounded`: the threads stay within allocations of known size.  `consistency`: nothing has raced before.
        `filled`: memory holds what the host has filled it with.  `values`: what the first and the second leave in
        memory, in several words for it, makes a difference there.  `by_two`: no third thread has ended a wait of one
        for the other.
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
            extra = (*extra, differ(pairs, (one[0], two[0]), (a.size, b.size)))
        parts = ((Side.FIRST, a), (Side.SECOND, b))
        extra = (*extra, *(t for side, access in parts for t in threads.of(compared(self.protocol, access), side)))
        extra = (*extra, *made_together(self.protocol, threads, (*one, *two, *extra)))
        endings = self._loop_exits.needed(a, b, threads, (*one, *two, *extra))
        read = (*one, *two, *extra, *endings[0], *endings[1])
        said, contents = said_of(self.protocol.memory.contents if filled else (), read)
        own = consistency.own_tests(threads, read) if consistency is not None else ()
        encoded = _encoded(pair, self.facts, threads, ((*extra, *said, *own), one, endings[0], two, endings[1]))
        return replace(encoded, contents=contents, data=encoded.data or bool(arrays_of(*apart)))

    def _companions(self, access: Access) -> tuple[Term, ...]:
        found = self._bounds.get(access.number)
        if found is None:
            found = self._bounds[access.number] = companions(self.protocol, access)
        return found

    def _thread_pair(self, pair: Pair) -> ThreadPair:
        same_block = pair.level not in (None, Level.INTER_BLOCK)
        broadcast: frozenset[str] = frozenset()
        if same_block and all(o.doubt != SOME_THREADS for o in pair.orders):
            apart = {r.binder for o in pair.orders for r in o.relations if isinstance(r, Ahead)}
            broadcast = frozenset(n for n, loops in self.protocol.uniform.broadcast.items() if apart.isdisjoint(loops))
        threads = ThreadPair(self.protocol.symbols.private, self.protocol.configuration, same_block, broadcast)
        return self._thread_pairs.setdefault((same_block, broadcast), threads)


def _encoded(
    pair: Pair, facts: tuple[Fact, ...], threads: ThreadPair, groups: tuple[tuple[Term, ...], ...]
) -> EncodedPair:
    """The query of what holds between the two, and of the accesses (address first) and endings of each."""
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
    symbols = symbols_of(*everything)
    unknown = tuple(sorted({s.name for s in symbols if s.origin is Origin.UNKNOWN} | loose(symbols, endings)))
    raw = (a.offset, *a.guards, b.offset, *b.guards, *_conditions(pair.orders))
    return EncodedPair(a, b, query, used, threads, _of_data((*raw, *endings)), unknown, passed=passed)


def _of_data(terms: tuple[Term, ...]) -> bool:
    """Whether contents of memory stand in the terms."""
    symbols = symbols_of(*terms)
    return any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols) or bool(arrays_of(*terms))


def _conditions(orders: Iterable[Order]) -> tuple[Term, ...]:
    """Terms of the program that decide whether the orders are ways to meet."""
    return tuple(t for order in orders for relation in order.relations for t in _decides(relation))


def _decides(relation: Relation) -> tuple[Term, ...]:
    match relation:
        case Fails(guards=guards) | Holds(guards=guards):
            return guards
        case Unnamed(mask=mask):
            return (mask,)
        case _:
            return ()


def certain(pair: Pair) -> Pair:
    """With the orders alone that are no matter of doubt, nor of values that the analysis does not know."""
    orders = (o for o in pair.orders if o.exact and not _unknown(_conditions((o,))))
    return replace(pair, orders=tuple(orders))


def _unknown(terms: Iterable[Term]) -> bool:
    return any(s.origin is Origin.UNKNOWN for s in symbols_of(*terms))


def split(terms: tuple[Term, ...], lengths: Iterable[int]) -> list[tuple[Term, ...]]:
    """Consecutive parts of the given lengths."""
    rest = iter(terms)
    return [tuple(islice(rest, length)) for length in lengths]


def across(protocol: Protocol, threads: ThreadPair) -> tuple[Term, ...]:
    """What the program says of any two threads, for these two."""
    found: dict[Term, None] = {}
    for item in protocol.across:
        reached = conj(*item.guards)
        for side in Side:
            here, condition = threads.of((reached, item.condition), side)
            there, *values = threads.of((reached, *(value for _, value in item.others)), side.other)
            known = {threads.rename(s, side): v for (s, _), v in zip(item.others, values, strict=True)}
            apart = [ne(*(var(threads.rename(k, party)) for party in Side)) for k in item.loops]
            found[disj(negate(here), negate(there), *apart, *substitute((condition,), known))] = None
    return tuple(found)


def made_together(protocol: Protocol, threads: ThreadPair, terms: Iterable[Term]) -> tuple[Term, ...]:
    """That values in the terms which the threads of a warp or tile make together are the same for both of one."""
    if not threads.same_block or not protocol.uniform.groups:
        return ()
    here = {s.name: s for s in symbols_of(*terms)}
    found: list[Term] = []
    for symbol, alike in protocol.uniform.groups.items():
        one, two = (here.get(symbol.name + SUFFIX[party]) for party in Side)
        if one is not None and two is not None:
            pairs = zip(*(threads.of((*alike.terms, *map(var, alike.loops)), party) for party in Side), strict=True)
            found.append(disj(*(ne(x, y) for x, y in pairs), eq(var(one), var(two))))
    return tuple(found)


def _relevant(
    first: tuple[Term, ...], second: tuple[Term, ...], core: tuple[Term, ...]
) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Drops guards that every pair of threads can meet whatever the rest says.

    That is: tests of a symbol of memory contents that nothing else mentions.
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
    """A test of one otherwise unused data symbol against a constant, which some value passes."""
    core = guard.args[0] if guard.op is Op.NOT else guard
    if core.op not in (Op.EQ, Op.LE, Op.LT):
        return False
    sides = [t for t in core.args if not t.is_const]
    if len(sides) != 1 or sides[0].op is not Op.VAR:
        return False
    symbol = sides[0].symbol
    return symbol.origin in (Origin.DATA, Origin.COMPUTED) and uses[symbol] == 1 and symbol.low < symbol.high


def with_extents(threads: ThreadPair, symbols: frozenset[Symbol]) -> frozenset[Symbol]:
    """The symbols, and those that bound the indexes among them."""
    names = set(map(plain_name, symbols))
    return symbols | symbols_of(*(extent for s, extent in _axes(threads) if s.name in names))


def _axes(threads: ThreadPair) -> list[tuple[Symbol, Term]]:
    """Index symbols with their extents."""
    c = threads.configuration
    indexes, extents = (*c.thread, *c.block_index), (*c.block, *c.grid)
    return [(s, extent) for s, extent in zip(indexes, extents, strict=True) if s is not None]


def cone(facts: tuple[Fact, ...], symbols: frozenset[Symbol]) -> tuple[Fact, ...]:
    """Facts that are connected to the symbols, directly or through other facts."""
    chosen: list[int] = []
    reach = set(symbols)
    free = {i: symbols_of(f.term) for i, f in enumerate(facts)}
    changed = True
    while changed:
        changed = False
        for i, mentioned in list(free.items()):
            if mentioned & reach:
                chosen.append(i)
                reach |= mentioned
                del free[i]
                changed = True
    return tuple(facts[i] for i in sorted(chosen))


def query_of(
    threads: ThreadPair,
    facts: tuple[Fact, ...],
    first: tuple[Term, tuple[Term, ...], int],
    second: tuple[Term, tuple[Term, ...], int],
    between: tuple[Term, ...],
) -> Query:
    everything = symbols_of(first[0], *first[1], second[0], *second[1], *between, *(f.term for f in facts))
    axes = _axes(threads)
    everything |= symbols_of(*(e for _, e in axes))
    shared_axes = tuple(Axis(s, e) for s, e in axes if not threads.is_private(s))
    parties: list[Party] = []
    taken: set[Symbol] = set()
    for side, (address, guards, size) in ((Side.FIRST, first), (Side.SECOND, second)):
        own = tuple(Axis(threads.rename(s, side), e) for s, e in axes if threads.is_private(s))
        names = {a.symbol for a in own} | {s for s in everything if s.name.endswith(SUFFIX[side])}
        taken |= names
        parties.append(Party(tuple(sorted(names, key=lambda s: s.name)), own, guards, address, size))
    shared = (everything | {a.symbol for a in shared_axes}) - taken
    ordered = tuple(sorted(shared, key=lambda s: s.name))
    return Query(ordered, shared_axes, tuple(f.term for f in facts), parties[0], parties[1], between)
