"""Uniform values, the same for the threads of a block: of one read, one vote, one warp, or computed from these."""

from __future__ import annotations

from msgspec import Struct, field

from hgrd.protocol.inference.recorder import Recorder
from hgrd.protocol.model import UniformGroup
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import symbols_in
from hgrd.symbolic.values import FloatValue, OpaqueValue, Value
from hgrd.terms import Op, Origin, Symbol, Term, symbols_of, var


class UniformityTracker(Struct):
    """Uniform symbols found in one run of a kernel; the tables are those of `Uniformity` and `SymbolInfo`.

    `common` are symbols that a block's threads share from the start.
    """

    recorder: Recorder
    common: frozenset[str] = frozenset()
    broadcast: dict[str, tuple[Symbol, ...]] = field(default_factory=dict[str, tuple[Symbol, ...]])
    in_iteration: dict[str, tuple[Symbol, ...]] = field(default_factory=dict[str, tuple[Symbol, ...]])
    groups: dict[Symbol, UniformGroup] = field(default_factory=dict[Symbol, UniformGroup])
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
        elif self.agrees(offset):  # one place in each iteration
            for symbol in symbols_in(value):
                self.agree(symbol)

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
        self.alike_for(machine, value, tuple(map(var, made_of)), everywhen=True)
        if self.agrees(given):
            for symbol in symbols_in(value):
                self.agree(symbol)

    def alike_for(
        self,
        machine: Machine,
        value: Value,
        terms: tuple[Term, ...] | None,
        source: Value | None = None,
        *,
        everywhen: bool = False,
    ) -> None:
        """Records that threads of a block with equal `terms` get the same value here; None: nothing is recorded.

        `source` is the argument of a shuffle.  `everywhen`: also in different iterations of the loops around.
        """
        if terms is not None and not machine.speculative:
            loops = () if everywhen else tuple(loop.binder for loop in self.recorder.loops)
            given = source if isinstance(source, Term) else None
            self.groups.update({s: UniformGroup(terms, loops, given) for s in symbols_in(value)})

    def agrees(self, value: Value, besides: frozenset[str] = frozenset()) -> bool:
        """Whether all threads of a block share the value in the same iterations; they share the symbols `besides`."""
        return not isinstance(value, OpaqueValue) and all(
            s.name in self.common or s.name in self.in_iteration or s.name in besides or s.origin is Origin.LOOP
            for s in symbols_in(value)
        )

    def agree(self, symbol: Symbol, iteration: Term | None = None) -> None:
        around = [loop.binder for loop in self.recorder.loops]
        if iteration is not None:
            around += [s for s in symbols_of(iteration) if s.origin is Origin.LOOP and s not in around]
        self.in_iteration[symbol.name] = tuple(around)

    def same_for_block(self, term: Term) -> bool:
        return all(s.name in self.common or s.name in self.broadcast for s in symbols_of(term))
