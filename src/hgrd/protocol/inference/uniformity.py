"""Uniform values, the same for the threads of a block: of one read, one vote, one warp, or computed from these."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.protocol.alike import LaneMask, LaneScan, UniformGroup
from hgrd.protocol.inference.recorder import Recorder
from hgrd.protocol.model import Item, ProtocolLoop
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import symbols_in
from hgrd.symbolic.values import FloatValue, OpaqueValue, Value
from hgrd.terms import Op, Origin, Symbol, Term, symbols_of, var


class UniformityTracker(Struct):
    """Uniform symbols found in one run of a kernel; the tables are those of `Uniformity` and `SymbolInfo`.

    `common` are symbols that a block's threads share from the start.  `supposed`: by name, symbols that are uniform if
    those of the given names are.
    """

    recorder: Recorder
    common: frozenset[str] = frozenset()
    broadcast: dict[str, tuple[Symbol, ...]] = field(default_factory=dict[str, tuple[Symbol, ...]])
    in_iteration: dict[str, tuple[Symbol, ...]] = field(default_factory=dict[str, tuple[Symbol, ...]])
    supposed: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    groups: dict[Symbol, UniformGroup] = field(default_factory=dict[Symbol, UniformGroup])
    masks: dict[Symbol, LaneMask] = field(default_factory=dict[Symbol, LaneMask])
    scans: dict[Symbol, LaneScan] = field(default_factory=dict[Symbol, LaneScan])
    told: dict[Symbol, tuple[Term, ...]] = field(default_factory=dict[Symbol, tuple[Term, ...]])
    converted: dict[Symbol, tuple[Term, bool]] = field(default_factory=dict[Symbol, tuple[Term, bool]])
    exchanged: set[str] = field(default_factory=set[str])

    def exchange(self, value: Value) -> None:
        """Records a value that several threads make together, as by a vote, a shuffle or a scan."""
        self.exchanged.update(s.name for s in symbols_in(value))

    def spread(self, machine: Machine, value: Value, more: tuple[Symbol, ...] = ()) -> None:
        """Records that all threads of a block get the same value here (in the same iterations of the loops around)."""
        for symbol in symbols_in(value):
            self.agree(symbol)
        if not machine.speculative:
            loops = dict.fromkeys((*(loop.binder for loop in self.recorder.loops), *more))
            self.broadcast.update({s.name: tuple(loops) for s in symbols_in(value)})

    def read(self, machine: Machine, value: Value, offset: Term) -> None:
        """Records a read of memory that is not written: the value is the same for threads that read at one place."""
        if self.same_for_block(offset):
            self.spread(machine, value)
        else:  # perhaps one place in each iteration
            self._agree_as(offset, value)

    def made_of(self, machine: Machine, value: Value, given: FloatValue) -> None:
        """Records a `value` that is a function of `given`.

        Where the threads of a block have the same `given`, it is as after `spread`, also in each iteration of the loops
        in which `given` was read.  Else it is the same for threads that computed `given` from equal symbols.
        """
        if isinstance(value, Term) and value.op is Op.VAR and value.symbol.high > 1:  # no truth value
            down = given.key.op is Op.READ and given.key.array == "floor of"
            self.converted[value.symbol] = (given.key.args[0] if down else given.key, down)
        if self.same_for_block(given.key):
            loops = [k for s in symbols_of(given.key) for k in self.broadcast.get(s.name, ())]
            self.spread(machine, value, tuple(loops))
            return
        made_of = sorted((s for s in symbols_of(given.key) if s.name not in self.common), key=lambda s: s.name)
        self.alike_for(machine, value, UniformGroup(tuple(map(var, made_of)), ()), everywhen=True)
        self._agree_as(given, value)

    def alike_for(self, machine: Machine, value: Value, group: UniformGroup, *, everywhen: bool = False) -> None:
        """Records that the threads of a group get the same value here.

        In the same iterations of the loops around; `everywhen`: also in different ones.
        """
        if not machine.speculative:
            group = replace(group, loops=() if everywhen else self._loops())
            self.groups.update(dict.fromkeys(symbols_in(value), group))

    def mask_of_lanes(self, machine: Machine, symbol: Symbol, mask: LaneMask) -> None:
        """Records what the bits of a mask say that the lanes of a warp have made here."""
        if not machine.speculative:
            self.masks[symbol] = replace(mask, loops=self._loops())

    def scan_of_lanes(self, machine: Machine, symbol: Symbol, scan: LaneScan) -> None:
        """Records that a value is a running sum over the lanes of a group."""
        if not machine.speculative:
            self.scans[symbol] = replace(scan, loops=self._loops())

    def tell(self, machine: Machine, symbol: Symbol, conditions: tuple[Term, ...]) -> None:
        """Records conditions on a value that each thread knows to hold."""
        if conditions and not machine.speculative:
            self.told[symbol] = conditions

    def _loops(self) -> tuple[Symbol, ...]:
        return tuple(loop.binder for loop in self.recorder.loops)

    def agrees(self, value: Value) -> bool:
        """Whether all threads of a block share the value in the same iterations."""
        return self.agrees_given(value) == frozenset()

    def agrees_given(self, value: Value) -> frozenset[str] | None:
        """Names of the symbols that a block must share for its threads to share the value; None: they may not."""
        if isinstance(value, OpaqueValue):
            return None
        own = [s for s in symbols_in(value) if s.origin is not Origin.LOOP and not self._is_agreed(s)]
        if any(s.name not in self.supposed for s in own):
            return None
        return frozenset[str]().union(*(self.supposed[s.name] for s in own))

    def _is_agreed(self, symbol: Symbol) -> bool:
        return symbol.name in self.common or symbol.name in self.in_iteration

    def agree(self, symbol: Symbol, iteration: Term | None = None, given: frozenset[str] = frozenset()) -> None:
        """Records that a symbol is shared in the same iterations, if those of the names `given` are."""
        if given:
            self.supposed[symbol.name] = given
            return
        around = [loop.binder for loop in self.recorder.loops]
        if iteration is not None:
            around += [s for s in symbols_of(iteration) if s.origin is Origin.LOOP and s not in around]
        self.in_iteration[symbol.name] = tuple(around)

    def _agree_as(self, given: Value, made: Value) -> None:
        """Records that what is made of a given value is shared where this is."""
        names = self.agrees_given(given)
        for symbol in symbols_in(made) if names is not None else ():
            self.agree(symbol, given=names or frozenset())

    def same_for_block(self, term: Term) -> bool:
        return all(s.name in self.common or s.name in self.broadcast for s in symbols_of(term))

    def by_iterations(self, items: tuple[Item, ...]) -> dict[str, tuple[Symbol, ...]]:
        """The symbols that are shared in the same iterations, of the loops around and of all that make them anew.

        The test of a loop is run before the loop is entered.
        """
        found = dict(self.in_iteration)
        for loop in _loops(items):
            for name in loop.local & found.keys():
                found[name] = tuple(dict.fromkeys((*found[name], loop.binder)))
        return found


def _loops(items: tuple[Item, ...]) -> Iterator[ProtocolLoop]:
    for item in items:
        if isinstance(item, ProtocolLoop):
            yield item
            yield from _loops(item.items)
