"""Which contents of memory a data-dependent race may suppose.

An array of the program's input may hold anything, and so may a copy of it.  What the kernel itself has
computed and stored, or a loop has made of memory contents (a rank, a position found by a search), takes
some values only, and which is not known: an address that depends on it shows no race.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hgrd.program.memory import AccessKind
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.orders import Party
from hgrd.protocol.phases import Phases
from hgrd.races.parties import SUFFIX
from hgrd.solve.query import Query
from hgrd.symbolic.linear import difference
from hgrd.terms import Op, Origin, Symbol, Term, const, le, symbols_of, var
from hgrd.terms.rewrite import arrays_of, bottom_up

FIRST_FEW: Final = 33  # the highest index of the threads (of two warps) that any bound is taken to let in


@dataclass(frozen=True, slots=True)
class Contents:
    """`computed`: names of the symbols of reads that may find what the kernel has computed."""

    computed: frozenset[str]

    def bearing_on(self, query: Query) -> tuple[str, ...]:
        """Names of the computed values that decide whether the two addresses of a query are the same."""
        return self.computed_in(difference(query.first.address, query.second.address))

    def choosing(self, query: Query) -> tuple[str, ...]:
        """Names of the computed values that must be the number of a thread for it to make its access at all."""
        guards = (*query.first.guards, *query.second.guards)
        equal = [g for g in guards if g.op is Op.EQ and any(s.origin is Origin.THREAD for s in symbols_of(g))]
        return self.computed_in(*equal)

    def modest(self, query: Query) -> tuple[tuple[str, ...], Query]:
        """Names of the computed values that bound indexes in the addresses of a query, and a query that asks little.

        How far `i < count` lets threads go is not known where `count` is computed: a race counts only if two of
        the first few, in the first iteration, meet as well.
        """
        own = symbols_of(difference(query.first.address, query.second.address))
        indexes = {s for s in own if s.origin in (Origin.THREAD, Origin.LOOP)}
        guards = (*query.first.guards, *query.second.guards)
        bounds = [g for g in guards if g.op in (Op.LE, Op.LT) and not indexes.isdisjoint(symbols_of(g))]
        bounds = [g for g in bounds if self.computed_in(g)]
        bounded = sorted(indexes & symbols_of(*bounds), key=lambda s: s.name)
        few = tuple(le(var(s), const(FIRST_FEW if s.origin is Origin.THREAD else 0)) for s in bounded)
        return self.computed_in(*bounds), replace(query, between=(*query.between, *few))

    def functions_in(self, query: Query) -> tuple[str, ...]:
        """Functions whose values decide whether the addresses are the same, of what is no data: they are what they are.

        A witness that makes `__brev(0)` equal to `__brev(1)` shows nothing; with `__popc(a[i])` the contents do.
        """
        apart = difference(query.first.address, query.second.address)
        reads = (t for t in bottom_up((apart,)) if t.op is Op.READ and t.array.endswith("()"))
        return tuple(sorted({t.array for t in reads if not _from_data(t.args)}))

    def computed_in(self, *terms: Term) -> tuple[str, ...]:
        """Names of the computed values in the terms (of either thread)."""
        return tuple(sorted({_plain_name(s) for t in terms for s in _outside_reads(t) if self._is_computed(s)}))

    def _is_computed(self, symbol: Symbol) -> bool:
        return symbol.origin is Origin.COMPUTED or _plain_name(symbol) in self.computed


def _from_data(terms: tuple[Term, ...]) -> bool:
    """Whether contents of memory go into the terms."""
    own = any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols_of(*terms))
    return own or any(not array.endswith("()") for array in arrays_of(*terms))


def _outside_reads(term: Term) -> set[Symbol]:
    """The symbols of a term, but for indexes of arrays of the input: what these hold is free anyway."""
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


def _plain_name(symbol: Symbol) -> str:
    return symbol.name.removesuffix(SUFFIX[Party.FIRST]).removesuffix(SUFFIX[Party.SECOND])


def contents(protocol: Protocol, relation: Phases) -> Contents:
    everything = accesses(protocol.items)
    results = {a.result.name: a for a in everything if a.result is not None and a.kind is AccessKind.READ}
    computed: set[str] = set()
    while True:
        more = {name for name, r in results.items() if any(_computes(w, r, computed, relation) for w in everything)}
        if more <= computed:
            return Contents(frozenset(computed))
        computed |= more


def _computes(write: Access, read: Access, computed: set[str], relation: Phases) -> bool:
    """Whether the read may find what the write has stored, and that is not a copy of something."""
    if not write.changes or write.target.key != read.target.key:
        return False
    if write.number > read.number and not relation.repeated(write):
        return False
    return write.kind is AccessKind.ATOMIC or write.value is None or not _copy(write.value, computed)


def _copy(value: Term, computed: set[str]) -> bool:
    while value.op is Op.WRAP:
        value = value.args[0]
    match value.op:
        case Op.READ:
            return True
        case Op.VAR:
            return value.symbol.origin is Origin.DATA and value.symbol.name not in computed
        case _:
            return False
