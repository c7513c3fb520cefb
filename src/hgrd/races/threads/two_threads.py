"""The two-thread reduction (GPUVerify): two threads stand for any two.

Private symbols are renamed for each of them, shared ones are common, floating point is abstracted.
"""

from __future__ import annotations

from msgspec import Struct, field

from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.cuda.memory_model import Level
from hgrd.protocol.model import Configuration
from hgrd.protocol.phases.parallelism import (
    Ahead,
    Apart,
    At,
    Count,
    Differ,
    Fails,
    Holds,
    Last,
    ParallelCase,
    Relation,
    Same,
    Side,
    Unnamed,
)
from hgrd.terms import (
    Op,
    Origin,
    Symbol,
    Term,
    add,
    bit_and,
    conj,
    const,
    disj,
    div,
    eq,
    le,
    lt,
    mod,
    mul,
    ne,
    negate,
    shr,
    substitute,
    symbols_of,
    var,
)
from hgrd.terms.rewrite import bottom_up, rebuild

SUFFIX = {Side.FIRST: "@1", Side.SECOND: "@2"}


def plain_name(symbol: Symbol) -> str:
    """The name of a symbol as the kernel has it, whichever thread's copy it is."""
    return symbol.name.removesuffix(SUFFIX[Side.FIRST]).removesuffix(SUFFIX[Side.SECOND])


class ThreadPair(Struct, frozen=True):
    """Two threads, and the symbols that each of them has for itself.

    `private`: names of the symbols that differ between threads.  `same_block`: block indexes are common to both.
    `broadcast`: names of private symbols that are equal for both nevertheless.  Renamed terms are kept.
    """

    private: frozenset[str]
    configuration: Configuration
    same_block: bool
    broadcast: frozenset[str] = frozenset()
    _copies: dict[Side, dict[Term, Term]] = field(default_factory=lambda: {party: {} for party in Side})

    def is_private(self, symbol: Symbol) -> bool:
        """Whether each of the two has a value of its own for the symbol."""
        if symbol in self.configuration.block_index:
            return not self.same_block
        if symbol.name in self.broadcast:
            return False
        return symbol.name in self.private or symbol in self.configuration.thread

    def rename(self, symbol: Symbol, party: Side) -> Symbol:
        """The symbol as `party` has it."""
        return symbol.renamed(SUFFIX[party]) if self.is_private(symbol) else symbol

    def of(self, terms: tuple[Term, ...], party: Side) -> tuple[Term, ...]:
        """The terms as `party` sees them."""
        copies = self._copies[party]
        for t in bottom_up([t for t in terms if t not in copies], lambda t: () if t in copies else t.args):
            if t not in copies:
                copies[t] = (
                    self._copy(t.symbol, party) if t.op is Op.VAR else rebuild(t, tuple(copies[a] for a in t.args))
                )
        return tuple(copies[t] for t in terms)

    # ------------------------------------------------------------ constraints between the two

    def order(self, orders: tuple[ParallelCase, ...]) -> Term:
        """The two are unordered in one of these ways."""
        return disj(*(conj(*map(self._relation, o.relations)) for o in orders))

    def _relation(self, relation: Relation) -> Term:
        match relation:
            case Same(binder=k):
                return eq(self._copy(k, Side.FIRST), self._copy(k, Side.SECOND))
            case Ahead(binder=k, later=later, by=by, or_more=more):
                return _equal(self._copy(k, later), add(self._copy(k, later.other), const(by)), more)
            case At(binder=k, party=party, iteration=iteration, or_more=more):
                return _equal(self._copy(k, party), const(iteration), more)
            case Last(binder=k, count=count, party=party, by=by, or_more=more):
                return _equal(self._copy(count, party.other), add(self._copy(k, party), const(by)), more)
            case Count(count=count, party=party, iterations=iterations):
                return eq(self._copy(count, party), const(iterations))
            case Fails(guards=guards, party=party, at=at):
                return negate(conj(*self._seen(guards, party, at)))
            case Holds(guards=guards, party=party):
                return conj(*self.of(guards, party))
            case Unnamed(mask=mask, holder=holder):
                (seen,) = self.of((mask,), holder)
                return negate(_in_mask(seen, mod(self.number(holder.other), const(WARP_SIZE))))
            case Differ(first=first, second=second):
                pairs = zip(self.of(first, Side.FIRST), self.of(second, Side.SECOND), strict=True)
                return disj(*(ne(one, two) for one, two in pairs))
            case Apart(tile=tile):
                return ne(*(self.of((tile,), party)[0] for party in Side))

    def _seen(self, guards: tuple[Term, ...], party: Side, at: Side) -> tuple[Term, ...]:
        """The terms for the thread `party`, in the iterations that `at` is in."""
        owner = {s: at if s.origin is Origin.LOOP else party for s in symbols_of(*guards)}
        return substitute(guards, {s: var(self.rename(s, p)) for s, p in owner.items() if self.is_private(s)})

    def _copy(self, symbol: Symbol, party: Side) -> Term:
        return var(self.rename(symbol, party))

    def distinct(self, level: Level | None) -> tuple[Term, ...]:
        """The conditions for two different threads that meet at `level`; None: at any level."""
        threads = disj(*self._differences(self.configuration.thread))
        blocks = disj(*self._differences(self.configuration.block_index))
        match level:
            case Level.INTER_BLOCK:
                return (blocks,)
            case None:
                return (disj(threads, blocks),)
            case Level.INTRA_WARP:
                return (threads, eq(self._warp(Side.FIRST), self._warp(Side.SECOND)))
            case Level.INTRA_BLOCK:
                return (threads, ne(self._warp(Side.FIRST), self._warp(Side.SECOND)))

    def differs(self, symbol: Symbol) -> Term:
        """The two have different values of the symbol."""
        return ne(self._copy(symbol, Side.FIRST), self._copy(symbol, Side.SECOND))

    def threads_differ(self) -> Term:
        """The two are different threads of a block, given that they are of one block."""
        return disj(*self._differences(self.configuration.thread))

    def _differences(self, symbols: tuple[Symbol | None, ...]) -> list[Term]:
        return [self.differs(s) for s in symbols if s is not None]

    def _warp(self, party: Side) -> Term:
        """The number of a thread's warp in its block (CUDA Programming Guide, "Thread Hierarchy")."""
        x, y, z = (const(0) if s is None else self._copy(s, party) for s in self.configuration.thread)
        bx, by, _ = self.configuration.block
        if bx.is_const and bx.value % WARP_SIZE == 0:
            rows = add(y, mul(by, z))
            return add(div(x, const(WARP_SIZE)), mul(rows, const(bx.value // WARP_SIZE)))
        return div(self.number(party), const(WARP_SIZE))

    def number(self, party: Side) -> Term:
        """The number of a thread in its block (CUDA Programming Guide, "Thread Hierarchy")."""
        x, y, z = (const(0) if s is None else self._copy(s, party) for s in self.configuration.thread)
        bx, by, _ = self.configuration.block
        return add(x, mul(bx, add(y, mul(by, z))))


def _equal(term: Term, to: Term, or_more: bool) -> Term:
    return le(to, term) if or_more else eq(term, to)


def _in_mask(mask: Term, lane: Term) -> Term:
    """Whether the bit of a lane is set in a warp mask."""
    if mask.is_const:
        bits = mask.value & ALL_LANES
        low, high = (bits & -bits).bit_length() - 1, bits.bit_length()
        if bits and bits == (1 << high) - (1 << low):
            return conj(le(const(low), lane), lt(lane, const(high)))
    return ne(bit_and(shr(mask, lane), const(1)), const(0))


def abstract_floats(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms with symbols for all that is computed in floating point: equal computations get equal symbols.

    What is computed from contents of memory may have any value, as these may; what is not has one that is not known.
    """
    done: dict[Term, Term] = {}
    names: dict[Term, Term] = {}
    for term in bottom_up(t for t in terms if _computes_floats(t)):
        if term.op is Op.READ and term.array.startswith("float"):
            if term not in names:
                origin = Origin.DATA if _from_memory(term) else Origin.COMPUTED
                symbol = Symbol(f"{term.array}%{len(names)}", term.low, term.high, origin)
                names[term] = var(symbol)
            done[term] = names[term]
        elif term.args:
            done[term] = rebuild(term, tuple(done[a] for a in term.args))
        else:
            done[term] = term
    return tuple(done.get(t, t) for t in terms)


def _from_memory(term: Term) -> bool:
    """Whether contents of memory go into a computation, or a value that is not known at all."""
    own = any(s.origin in (Origin.DATA, Origin.COMPUTED, Origin.UNKNOWN) for s in symbols_of(term))
    return own or any(not array.startswith("float") and not array.endswith("()") for array in term.arrays)


def _computes_floats(term: Term) -> bool:
    return any(array.startswith("float") for array in term.arrays)
