"""Computed values: which contents of memory a data-dependent race may assume.

An array of the program's input may hold anything, and so may a copy of it.  Values that the kernel itself has
computed and stored, or that a loop computes from memory contents (a rank, a position found by a search), take
only some values, and it is unknown which: an address that depends on them shows no race.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.host.model import ProgramMade
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import Phases
from hgrd.races.atomic_updates.laws import amount_of
from hgrd.races.encoding.array_facts import array_of
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.results.sites import listed
from hgrd.races.threads.two_threads import plain_name
from hgrd.solve.query import Answer, Conflict, Proved, Query
from hgrd.symbolic.array_patterns import Affine, ArrayPattern, Listed
from hgrd.terms import Op, Origin, Symbol, Term, const, disj, eq, le, lt, mul, symbols_of, var
from hgrd.terms.linear import difference
from hgrd.terms.rewrite import arrays_of, bottom_up, unwrapped

FIRST_FEW: Final = 33  # the highest index of the threads (of two warps) that every bound is assumed to admit
MANY: Final = 1024  # assumed number of increments of a counter where nothing bounds it
_DOWN: Final = ("sub", "dec")
_COUNTING: Final = ("add", "inc", *_DOWN)
_AROUND: Final = ("inc", "dec")  # to 0, and from 0


class Made(Struct, frozen=True):
    """`objects`, by their keys, that the program filled with computed values before the launch.

    The elements of the arrays in `known` are known one by one (`races.encoding.array_facts.array_of`).
    """

    objects: Mapping[str, ProgramMade] = field(default_factory=dict[str, ProgramMade])
    known: frozenset[str] = frozenset()

    def holds(self, array: str) -> bool:
        """Whether an array is in one of the objects, and its elements are not known."""
        names = (m.target.name for m in self.objects.values())
        return array not in self.known and any(array == name or array.startswith(f"{name}.") for name in names)


_NOTHING: Final = Made()


def made_by(protocol: Protocol) -> Made:
    """The objects that the program fills with values that are not all known element by element."""
    known = [h for h in protocol.memory.contents if _each_is_known(h.fill)]
    whole = {h.target.key for h in known if abs(h.fill.stride) == h.fill.size and not _has_gaps(h.fill)}
    arrays = (array_of(h) for h in known)
    return Made({m.target.key: m for m in protocol.memory.made if m.target.key not in whole}, frozenset(arrays))


def _each_is_known(fill: ArrayPattern) -> bool:
    match fill.pattern:
        case Affine():
            return True
        case Listed(values=values):
            return None not in values
        case _:
            return False


def _has_gaps(fill: ArrayPattern) -> bool:
    """Whether a whole part of a filled array was overwritten."""
    return any(size > fill.size for _, size in fill.holes)


class Drawn(Struct, frozen=True):
    """Result of an addition to a counter: the key of its object, and the `least` and `most` that is assumed of it.

    `wraps`: it may begin again, so that it is drawn more than once by threads that are far enough apart.
    """

    counter: str
    least: int
    most: int
    wraps: bool = False


class ComputedValues(Struct, frozen=True):
    """`computed`: names of the symbols of reads that may find what the kernel has computed.

    `drawn`: the results of additions to counters by their names.
    `reads`: the reads by the names in `computed`.  `exchanged`: names of the values that threads make together.
    """

    computed: frozenset[str]
    drawn: Mapping[str, Drawn] = field(default_factory=dict[str, Drawn])
    reads: Mapping[str, Access] = field(default_factory=dict[str, Access])
    exchanged: frozenset[str] = frozenset()

    def doubt(self, encoded: EncodedPair, decide: Callable[[Query], Answer]) -> str | None:
        """Why a conflict may need values that the kernel never computes; None if it does not."""
        for found in (self.bearing_on(encoded.query), self.choosing(encoded.query)):
            if found and not self._from_one_counter(found, encoded, decide):
                return f"it depends on values that the kernel computes: {listed(found)}"
        bounding, modest = self.modest(encoded.query)
        if bounding and not isinstance(decide(modest), Conflict):
            return f"it depends on values that the kernel computes: {listed(bounding)}"
        sums, ordered = self.in_order(encoded)
        if sums and isinstance(decide(ordered), Proved):
            return f"it depends on whether what the kernel computes is sorted: {listed(sums)}"
        return None

    def bearing_on(self, query: Query) -> tuple[str, ...]:
        """Names of the computed values that decide whether the two addresses of a query are the same."""
        return self.computed_in(difference(query.first.address, query.second.address))

    def choosing(self, query: Query) -> tuple[str, ...]:
        """Names of the computed values that must equal an index of a thread for the thread to make its access.

        Truth values that must be equal (`(a > b) == ascending`) choose no single thread.
        """
        guards = (*query.first.guards, *query.second.guards)
        equal = [g for g in guards if g.op is Op.EQ and not all(map(_is_truth_value, g.args))]
        return self.computed_in(*(g for g in equal if any(s.origin is Origin.THREAD for s in symbols_of(g))))

    def _from_one_counter(
        self, names: tuple[str, ...], encoded: EncodedPair, decide: Callable[[Query], Answer]
    ) -> bool:
        """Whether the threads also meet if both draw from one counter, which begins at the same value for both."""
        read = self.reads.get(names[0])
        if len(names) > 1 or read is None or read.kind is not AccessKind.ATOMIC:
            return False
        if read.space is Space.SHARED and not encoded.threads.same_block:
            return False
        places = [encoded.threads.of((read.offset,), party)[0] for party in Side]
        return isinstance(decide(replace(encoded.query, between=(*encoded.query.between, eq(*places)))), Conflict)

    def never_given(self, encoded: EncodedPair) -> tuple[str, ...]:
        """Names of values that a conflict depends on and that no input can hold.

        Computed values in guards, of shared memory or computed by loops, values that threads make together, and numbers
        of two counters, or of one that begins again, if these decide whether two places are the same: threads that draw
        from one do not from both, nor from one so often.
        """
        query = encoded.query
        conditions = (*query.first.guards, *query.second.guards, *query.between, *encoded.passed)
        computed = (n for n in self.computed_in(*conditions) if n not in self.reads or self._is_shared(n))
        used = symbols_of(*conditions, query.first.address, query.second.address)
        apart = difference(query.first.address, query.second.address)
        counted = {n for n in map(plain_name, _outside_reads(apart)) if n in self.drawn}
        again = any(self.drawn[n].wraps for n in counted)
        several = counted if again or len({self.drawn[n].counter for n in counted}) > 1 else ()
        together = self.exchanged & set(map(plain_name, used))
        return tuple(sorted({_in_words(name) for name in (*computed, *several, *together)}))

    def _is_shared(self, name: str) -> bool:
        return self.reads[name].space is Space.SHARED

    def modest(self, query: Query) -> tuple[tuple[str, ...], Query]:
        """Names of the computed values that bound indexes in the addresses of a query, and a query with small bounds.

        How many threads pass `i < count` is unknown if `count` is computed: a race counts only if two of the first
        few threads, in the first iteration, meet as well.  The number of increments of a counter is unknown, too: if
        a counter's value is an offset in an address (`a[n * block + slot]`), only values that few threads reach count.
        """
        apart = difference(query.first.address, query.second.address)
        own = symbols_of(apart)
        indexes = {s for s in own if s.origin in (Origin.THREAD, Origin.LOOP)}
        guards = (*query.first.guards, *query.second.guards)
        bounds = [g for g in guards if g.op in (Op.LE, Op.LT) and not indexes.isdisjoint(symbols_of(g))]
        bounds = [g for g in bounds if self.computed_in(g)]
        bounded = sorted(indexes & symbols_of(*bounds), key=lambda s: s.name)
        few = tuple(le(var(s), const(FIRST_FEW if s.origin is Origin.THREAD else 0)) for s in bounded)
        drawn = sorted((s for s in _outside_reads(apart) if plain_name(s) in self.drawn), key=lambda s: s.name)
        values = [(var(s), self.drawn[plain_name(s)]) for s in drawn]
        seldom = [t for s, v in values for t in (le(const(v.least), s), le(s, const(v.most)))]
        names = {*self.computed_in(*bounds), *map(plain_name, drawn)}
        return tuple(sorted(names)), replace(query, between=(*query.between, *few, *seldom))

    def in_order(self, encoded: EncodedPair) -> tuple[tuple[str, ...], Query]:
        """Names of objects in which both threads read neighbouring computed values, and a query with these sorted.

        In running sums, `sum[i - 1] < k && k <= sum[i]` holds for one `i`; running sums are not recognised as such.
        """
        accesses = {Side.FIRST: encoded.first, Side.SECOND: encoded.second}
        looked_up = {party: self._neighbours(access) for party, access in accesses.items()}
        common = {r.target.key for r in looked_up[Side.FIRST]} & {r.target.key for r in looked_up[Side.SECOND]}
        seen = {
            party: [(r.target.key, encoded.threads.of(_found(r), party)) for r in reads if r.target.key in common]
            for party, reads in looked_up.items()
        }
        ordered = [
            disj(lt(j, i), le(v, w))
            for (k, one), (m, two) in product(seen[Side.FIRST], seen[Side.SECOND])
            if k == m
            for (i, v), (j, w) in ((one, two), (two, one))
        ]
        names = {r.target.name for r in looked_up[Side.FIRST] if r.target.key in common}
        return tuple(sorted(names)), replace(encoded.query, between=(*encoded.query.between, *ordered))

    def _neighbours(self, access: Access) -> list[Access]:
        """The computed reads that an access depends on, of objects in which it reads two neighbouring elements."""
        names = sorted({s.name for s in symbols_of(*access.guards)} & self.reads.keys())
        reads = [self.reads[name] for name in names]
        beside = {
            r.target.key
            for r, s in product(reads, reads)
            if r.target.key == s.target.key and difference(r.offset, s.offset) is const(r.size)
        }
        return [r for r in reads if r.target.key in beside]

    def functions_in(self, query: Query) -> tuple[str, ...]:
        """Functions of arguments other than data that decide whether the addresses are equal: their values are fixed.

        A witness that makes `__brev(0)` equal to `__brev(1)` shows nothing; `__popc(a[i])` depends on contents.
        """
        apart = difference(query.first.address, query.second.address)
        reads = (t for t in bottom_up((apart,)) if t.op is Op.READ and t.array.endswith("()"))
        return tuple(sorted({t.array for t in reads if not _from_data(t.args)}))

    def computed_in(self, *terms: Term) -> tuple[str, ...]:
        """Names of the computed values in the terms (of either thread)."""
        return tuple(sorted({plain_name(s) for t in terms for s in _outside_reads(t) if self._is_computed(s)}))

    def _is_computed(self, symbol: Symbol) -> bool:
        return symbol.origin is Origin.COMPUTED or plain_name(symbol) in self.computed


def _is_truth_value(term: Term) -> bool:
    return term.is_bool or (term.op is Op.ITE and term.low >= 0 and term.high <= 1)


def _in_words(name: str) -> str:
    """The name of a value; of one that is computed in floating point (`abstract_floats`) the operation."""
    operation, computed, _ = name.partition("%")
    return f"{operation.partition(' ')[2]} in floating point" if computed else name


def _found(read: Access) -> tuple[Term, Term]:
    """The place of a read, and its result."""
    assert read.result is not None
    return read.offset, var(read.result)


def _from_data(terms: tuple[Term, ...]) -> bool:
    """Whether contents of memory go into the terms."""
    own = any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols_of(*terms))
    return own or any(not array.endswith("()") for array in arrays_of(*terms))


def _outside_reads(term: Term) -> set[Symbol]:
    """The symbols of a term, without those in indexes of input arrays, whose contents are free anyway."""
    found: set[Symbol] = set()
    todo, seen = [term], {term}
    while todo:
        current = todo.pop()
        if current.op is Op.VAR:
            found.add(current.symbol)
        elif current.op is not Op.READ:
            todo += [a for a in current.args if a not in seen]
            seen.update(current.args)
    return found


def _drawn(protocol: Protocol, relation: Phases) -> dict[str, Drawn]:
    """The values assumed of counters: drawn from as often as there are threads, if each draws once at each place.

    A counter begins at a constant that the kernel stores there, or at 0.
    """
    everything = accesses(protocol.items)
    counting = [a for a in everything if a.kind is AccessKind.ATOMIC and a.operation in _COUNTING]
    found: dict[str, Drawn] = {}
    c = protocol.configuration
    for a in counting:
        if a.result is not None:
            threads = mul(*c.block) if a.space is Space.SHARED else mul(*c.block, *c.grid)
            alike = [x for x in counting if x.target.key == a.target.key]
            once = all(amount_of(x) is const(1) and not relation.repeated(x) for x in alike)
            more = (min(threads.high * len(alike), MANY) if once else MANY) - 1
            stored = (w.value for w in everything if w.kind is AccessKind.WRITE and w.target.key == a.target.key)
            starts = [v.value for v in stored if v is not None and v.is_const] or [0]
            down = a.operation in _DOWN
            ends = (min(starts) - more, max(starts)) if down else (min(starts), max(starts) + more)
            found[a.result.name] = Drawn(a.target.key, *ends, wraps=a.operation in _AROUND)
    return found


def computed_values(protocol: Protocol, relation: Phases, made: Made = _NOTHING) -> ComputedValues:
    """The computed values of a kernel; `made`: objects that hold computed values before the launch."""
    everything = accesses(protocol.items)
    results = {a.result.name: a for a in everything if a.result is not None}
    computed = {name for name, r in results.items() if r.target.key in made.objects}
    while True:
        more = {
            name for name, r in results.items() if any(_computes(w, r, computed, made, relation) for w in everything)
        }
        if more <= computed:
            reads = {name: results[name] for name in computed}
            drawn = _drawn(protocol, relation)
            return ComputedValues(frozenset(computed), drawn, reads, protocol.symbols.exchanged)
        computed |= more


def _sets(write: Access) -> bool:
    """Whether a write decides the result of the next atomic there: not if it sets a counter to a constant."""
    return write.kind is AccessKind.WRITE and not (write.value is not None and write.value.is_const)


def _computes(write: Access, read: Access, computed: set[str], made: Made, relation: Phases) -> bool:
    """Whether the read may find the value of the write, and that value is not a copy of something."""
    if not write.changes or write.target.key != read.target.key:
        return False
    if read.kind is AccessKind.ATOMIC and not _sets(write):
        return False
    if write.number > read.number and not relation.repeated(write):
        return False
    return write.kind is AccessKind.ATOMIC or write.value is None or not _copy(write.value, computed, made)


def _copy(value: Term, computed: set[str], made: Made) -> bool:
    kept = unwrapped(value)
    match kept.op:
        case Op.READ:
            return not made.holds(kept.array)
        case Op.VAR:
            return kept.symbol.origin is Origin.DATA and kept.symbol.name not in computed
        case _:
            return False
