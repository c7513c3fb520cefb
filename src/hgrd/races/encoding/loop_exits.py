"""Loop exits: conditions on the iteration counts of finished loops, as far as a query depends on them.

(Loops are assumed to end: those that nothing depends on need no condition.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from hgrd.protocol.model import Access
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.threads.two_threads import SUFFIX, ThreadPair
from hgrd.terms import Op, Origin, Symbol, Term, symbols_of


class LoopExits(Struct, frozen=True):
    """Exit conditions (`Access.endings`) by the counts that they mention; long lists are gone through once."""

    _by_count: dict[int, Mapping[str, list[int]]] = field(default_factory=dict[int, Mapping[str, list[int]]])

    def needed(
        self, a: Access, b: Access, threads: ThreadPair, core: Iterable[Term]
    ) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """The exit conditions of both that bear on `core`, directly or through other counts, as each has them."""
        sides = ((Side.FIRST, a, dict[int, Term]()), (Side.SECOND, b, dict[int, Term]()))
        seen = _counts(core)
        waiting = list(seen)
        while waiting:
            count = waiting.pop()
            for party, access, chosen in sides:
                for index in self._mentioning(access, count.removesuffix(SUFFIX[party])):
                    if index not in chosen:
                        chosen[index] = threads.of((access.endings[index],), party)[0]
                        more = _counts((chosen[index],)) - seen
                        seen |= more
                        waiting += more
        first, second = (tuple(chosen[index] for index in sorted(chosen)) for _, _, chosen in sides)
        return first, second

    def _mentioning(self, access: Access, count: str) -> list[int]:
        known = self._by_count.get(access.number)
        if known is None:
            places: defaultdict[str, list[int]] = defaultdict(list)
            for index, ending in enumerate(access.endings):
                for name in _counts((ending,)):
                    places[name].append(index)
            known = self._by_count[access.number] = dict(places)
        return known.get(count, [])


def _counts(terms: Iterable[Term]) -> frozenset[str]:
    """The names of the iteration counts in the terms."""
    return frozenset(s.name for s in symbols_of(*terms) if s.origin is Origin.COUNT)


def unbounded_counters(symbols: Iterable[Symbol], endings: Iterable[Term]) -> set[str]:
    """The counters of those counts among the symbols of which exit conditions give at most a lower bound.

    The conditions come in the order in which loops end: of several counts that none has mentioned before, a condition
    is the exit of one alone, and those of the others do not mention their counts.  Of a loop that is reached in several
    ways, `not reached or left` tells nothing of the counts that decide whether it is.
    """
    counts = {s.name for s in symbols if s.origin is Origin.COUNT}
    told, seen, exits = set[str](), frozenset[str](), set[Term]()
    for ending in endings if counts else ():
        parts = ending.args if ending.op is Op.OR else (ending,)
        if exits.isdisjoint(parts) and not (_is_lower_bound(ending) or any(map(_is_entered, parts))):
            mentioned = _counts((ending,))
            new = mentioned - seen
            told |= new if len(new) == 1 else frozenset()
            seen |= mentioned
            exits |= {part for part in parts if new & _counts((part,))}
    return {name.partition("#")[0] for name in counts - told}


def _is_lower_bound(ending: Term) -> bool:
    return ending.op is Op.LE and ending.args[0].is_const and ending.args[1].op is Op.VAR


def _is_entered(part: Term) -> bool:
    """Whether a condition is that a loop which tests last runs once, at least."""
    return _is_lower_bound(part) and part.args[0].value == 1
