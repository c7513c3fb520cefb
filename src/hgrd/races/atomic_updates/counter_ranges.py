"""Ranges of counters: how much is counted between two resets of a counter, and where that begins.

if (threadIdx.x == 0) n = 0;
__syncthreads();
at = atomicAdd(&n, 1);    // 0 <= at < blockDim.x
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.protocol.model import Access, Exit, Item, Protocol, ProtocolLoop
from hgrd.races.acquire_release.accesses import known_at
from hgrd.races.acquire_release.representatives import parts_of
from hgrd.races.atomic_updates.laws import amount_of
from hgrd.terms import TRUE, Op, Symbol, Term, add, conj, const, le, mul, sub, substitute, symbols_of

Around = Callable[[Access], list[ProtocolLoop]]
"""The loops around an access, outermost first."""


class Range(Struct, frozen=True):
    """Numbers that a counter can have: it begins between `least` and `most`, and at most `total` is counted, one way.

    `up`: which way.
    """

    least: int
    most: int
    total: Term
    up: bool

    def of(self, found: Term, amount: Term) -> Term:
        """What holds of a number found by an update that counts by `amount`."""
        if self.up:
            return conj(le(const(self.least), found), le(add(found, amount), add(const(self.most), self.total)))
        return conj(le(found, const(self.most)), le(sub(const(self.least), self.total), sub(found, amount)))

    def fits(self, update: Access) -> bool:
        """Whether all of them are numbers of the type of what an update finds."""
        found = update.result
        low, high = (0, self.total.high) if self.up else (-self.total.high, 0)
        return found is not None and found.low <= self.least + low and self.most + high <= found.high


class Counter(Struct, frozen=True):
    """Updates that count at the places of an object, all `up` or all down, and the `resets` between them."""

    protocol: Protocol
    up: bool
    updates: Sequence[Access]
    resets: Sequence[Access]
    around: Around

    def total(self) -> Term | None:
        """The most that is counted between two resets; None: not known.

        No thread makes an update twice then: it stands in no loop, or some thread of each block resets the counter in
        each iteration.
        """
        again = [*map(self.around, self.updates)]
        if any(again) and not any(self._in_each_iteration(r, again) for r in self.resets):
            return None
        return add(*(mul(const(amount_of(a).high), self._parties(a)) for a in self.updates))

    def range_of(self, update: Access) -> Range | None:
        """The numbers that the counter of an update can have; None: not known, or some of them wrap around."""
        total, begin = self.total(), self._begin(update)
        found = Range(*begin, total, self.up) if total is not None and begin is not None else None
        return found if found is not None and found.fits(update) else None

    def _begin(self, update: Access) -> tuple[int, int] | None:
        """The least and greatest number with which the counter of an update can begin; None: not known.

        Some thread of each block has reset it before the update, and a barrier stands between the two.
        """
        values = [r.value.value for r in self.resets if _sets(r, update) and r.value is not None and r.value.is_const]
        if len(values) < len(self.resets) or update.space is not Space.SHARED:
            return None
        before = (r for r in self.resets if r.number < update.number)
        if any(self._in_each_iteration(r, [self.around(update)]) and self._by_someone(r, update) for r in before):
            return min(values), max(values)
        return None

    def _in_each_iteration(self, reset: Access, loops: Iterable[list[ProtocolLoop]]) -> bool:
        """Whether a block makes the reset in every iteration of all loops around the updates."""
        mine = self.around(reset)
        if not all(len(mine) == len(others) and all(map(_same, mine, others)) for others in loops):
            return False
        return all(map(self._of_block, mine)) and (not mine or all(self._by_someone(reset, a) for a in self.updates))

    def _of_block(self, loop: ProtocolLoop) -> bool:
        """Whether all threads of a block make the same iterations of a loop."""
        if loop.breaks or loop.untold or any(isinstance(item, Exit) for item in _below(loop.items)):
            return False
        return not self._own(symbols_of(*loop.tests), (loop,))

    def _by_someone(self, reset: Access, update: Access) -> bool:
        """Whether each block with a thread that makes the update has one that makes the reset, in that iteration."""
        guards = [part for g in reset.guards for part in parts_of(g)]
        c = self.protocol.configuration
        index = {s: const(0) for s in c.thread if s is not None}
        extents = {s: extent for s, extent in zip(c.thread, c.block, strict=True) if s is not None}
        index |= {
            symbol: value
            for symbol, value in map(_pinned, guards)
            if symbol in extents and value is not None and value.is_const and 0 <= value.value < extents[symbol].low
        }
        rest = substitute(tuple(guards), index)
        common = known_at(update)
        loops = self.around(update)
        return all(g is TRUE or (g in common and not self._own(symbols_of(g), loops)) for g in rest)

    def _own(self, symbols: Iterable[Symbol], loops: Iterable[ProtocolLoop]) -> bool:
        """Whether threads of a block may have different values of one of the symbols, in the same iterations."""
        binders = {loop.binder.name for loop in loops}
        threads = {s.name for s in self.protocol.configuration.thread if s is not None}
        own = (self.protocol.symbols.private | threads) - binders
        return any(s.name in own for s in symbols)

    def _parties(self, update: Access) -> Term:
        """The greatest number of threads that make an update of one counter."""
        c = self.protocol.configuration
        extents = {s: extent for s, extent in zip(c.thread, c.block, strict=True) if s is not None}
        if update.space is not Space.SHARED:
            extents |= {s: extent for s, extent in zip(c.block_index, c.grid, strict=True) if s is not None}
        blocks = frozenset(s for s in c.block_index if s is not None)
        for symbol, value in map(_pinned, (part for g in update.guards for part in parts_of(g))):
            if symbol is None or value is None or not blocks.isdisjoint(symbols_of(value)):
                continue
            if not self._own(symbols_of(value), ()):
                extents.pop(symbol, None)
        return mul(const(1), *extents.values())


def _sets(reset: Access, update: Access) -> bool:
    """Whether a write sets exactly the counter of an update, whatever that has been."""
    whole = reset.kind is AccessKind.WRITE or reset.operation in ("exch", "store")
    return whole and reset.offset is update.offset and reset.offset.is_const and reset.size == update.size


def _same(one: ProtocolLoop, two: ProtocolLoop) -> bool:
    return one is two


def _pinned(guard: Term) -> tuple[Symbol | None, Term | None]:
    """The symbol and the value that a guard says it has; None: it says nothing of that kind."""
    if guard.op is Op.EQ:
        for side, other in (guard.args, guard.args[::-1]):
            if side.op is Op.VAR and side.symbol not in symbols_of(other):
                return side.symbol, other
    return None, None


def _below(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        if isinstance(item, ProtocolLoop):
            yield from _below(item.items)
