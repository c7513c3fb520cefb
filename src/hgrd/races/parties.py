"""Two copies of a thread: private symbols renamed, shared ones common, floats abstracted."""

from __future__ import annotations

from dataclasses import dataclass, field

from hgrd.program.memory import Level
from hgrd.protocol.model import Configuration
from hgrd.protocol.phases import At, Last, Next, Order, Party, Relation, Same, Skipped, Without
from hgrd.terms import (
    Op,
    Origin,
    Symbol,
    Term,
    add,
    conj,
    const,
    disj,
    div,
    eq,
    mul,
    ne,
    negate,
    var,
)
from hgrd.terms.rewrite import bottom_up, rebuild

SUFFIX = {Party.FIRST: "@1", Party.SECOND: "@2"}
WARP_SIZE = 32


@dataclass(frozen=True, slots=True)
class Naming:
    """Which symbols each thread has for itself.

    `same_block`: block indexes are common to both.  `broadcast`: private symbols that are equal here.
    What was renamed before is kept.
    """

    private: frozenset[str]
    configuration: Configuration
    same_block: bool
    broadcast: frozenset[str] = frozenset()
    _copies: dict[Party, dict[Term, Term]] = field(
        default_factory=lambda: {party: {} for party in Party}, repr=False, compare=False
    )

    def is_private(self, symbol: Symbol) -> bool:
        if symbol in self.configuration.block_index:
            return not self.same_block
        if symbol.name in self.broadcast:
            return False
        return symbol.name in self.private or symbol in self.configuration.thread

    def rename(self, symbol: Symbol, party: Party) -> Symbol:
        return symbol.renamed(SUFFIX[party]) if self.is_private(symbol) else symbol

    def of(self, terms: tuple[Term, ...], party: Party) -> tuple[Term, ...]:
        """The terms as `party` sees them."""
        copies = self._copies[party]
        for t in bottom_up([t for t in terms if t not in copies], lambda t: () if t in copies else t.args):
            if t not in copies:
                copies[t] = (
                    self._copy(t.symbol, party) if t.op is Op.VAR else rebuild(t, tuple(copies[a] for a in t.args))
                )
        return tuple(copies[t] for t in terms)

    # ------------------------------------------------------------ constraints between the two

    def order(self, orders: tuple[Order, ...]) -> Term:
        return disj(*(conj(*map(self._relation, o.relations)) for o in orders))

    def _relation(self, relation: Relation) -> Term:
        match relation:
            case Same(binder=k):
                return eq(self._copy(k, Party.FIRST), self._copy(k, Party.SECOND))
            case Next(binder=k, later=later):
                return eq(self._copy(k, later), add(self._copy(k, _other(later)), const(1)))
            case At(binder=k, party=party):
                return eq(self._copy(k, party), const(0))
            case Last(binder=k, count=count, party=party):
                return eq(add(self._copy(k, party), const(1)), self._copy(count, _other(party)))
            case Skipped(count=count, party=party):
                return eq(self._copy(count, party), const(0))
            case Without(guards=guards):
                return negate(conj(*self.of(guards, Party.FIRST)))

    def _copy(self, symbol: Symbol, party: Party) -> Term:
        return var(self.rename(symbol, party))

    def distinct(self, level: Level | None) -> tuple[Term, ...]:
        """The two are different threads at `level`; None: different threads at any level."""
        threads = disj(*self._differences(self.configuration.thread))
        blocks = disj(*self._differences(self.configuration.block_index))
        match level:
            case Level.INTER_BLOCK:
                return (blocks,)
            case None:
                return (disj(threads, blocks),)
            case Level.INTRA_WARP:
                return (threads, eq(self._warp(Party.FIRST), self._warp(Party.SECOND)))
            case Level.INTRA_BLOCK:
                return (threads, ne(self._warp(Party.FIRST), self._warp(Party.SECOND)))

    def threads_differ(self) -> Term:
        """They are different threads of a block (if they are of one)."""
        return disj(*self._differences(self.configuration.thread))

    def _differences(self, symbols: tuple[Symbol | None, ...]) -> list[Term]:
        return [ne(self._copy(s, Party.FIRST), self._copy(s, Party.SECOND)) for s in symbols if s is not None]

    def _warp(self, party: Party) -> Term:
        """The warp of a thread in its block (CUDA Programming Guide, "Thread Hierarchy")."""
        x, y, z = (const(0) if s is None else self._copy(s, party) for s in self.configuration.thread)
        bx, by, _ = self.configuration.block
        if bx.is_const and bx.value % WARP_SIZE == 0:
            rows = add(y, mul(by, z))
            return add(div(x, const(WARP_SIZE)), mul(rows, const(bx.value // WARP_SIZE)))
        return div(add(x, mul(bx, add(y, mul(by, z)))), const(WARP_SIZE))


def _other(party: Party) -> Party:
    return Party.SECOND if party is Party.FIRST else Party.FIRST


def abstract_floats(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Replaces what is computed in floating point by symbols: equal computations by equal symbols."""
    done: dict[Term, Term] = {}
    names: dict[Term, Term] = {}
    for term in bottom_up(t for t in terms if _computes_floats(t)):
        if term.op is Op.READ and term.array.startswith("float"):
            if term not in names:
                symbol = Symbol(f"{term.array}%{len(names)}", term.low, term.high, Origin.DATA)
                names[term] = var(symbol)
            done[term] = names[term]
        elif term.args:
            done[term] = rebuild(term, tuple(done[a] for a in term.args))
        else:
            done[term] = term
    return tuple(done.get(t, t) for t in terms)


def _computes_floats(term: Term) -> bool:
    return any(array.startswith("float") for array in term.arrays)
