"""Observations of atomics and volatile reads, and the tests of them that the program makes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind
from hgrd.protocol.model import Access, Observation, Protocol
from hgrd.races.acquire_release.program_order import Position, ProgramOrder, precedes
from hgrd.terms import Op, Origin, Symbol, Term, conj, negate, symbols_of


class Observations(Struct, frozen=True):
    """The values of one protocol that atomics and volatile reads have found, by the symbols that stand for them."""

    protocol: Protocol
    order: ProgramOrder

    def of(self, symbol: Symbol) -> Observation:
        """The observation that a symbol stands for."""
        return self.protocol.symbols.observed[symbol.name]

    def symbols_in(self, term: Term) -> tuple[Symbol, ...]:
        """The symbols in a term that stand for observed values, by name."""
        return tuple(
            s for s in sorted(symbols_of(term), key=lambda s: s.name) if s.name in self.protocol.symbols.observed
        )

    def tests(self, condition: Term) -> Iterator[tuple[Symbol, Term, Term]]:
        """A condition as a test of one observed value: the value's symbol, the test, and when the test must hold.

        Nothing if the condition is no such test, or one of several observed values.
        """
        parts = condition.args if condition.op is Op.OR else (condition,)
        tested = [(p, self.symbols_in(p)) for p in parts]
        tests = [(p, symbols) for p, symbols in tested if symbols]
        if len(tests) == 1 and len(tests[0][1]) == 1:
            test, (symbol,) = tests[0]
            yield symbol, test, conj(*(negate(p) for p, symbols in tested if not symbols))

    def made_at(self, symbol: Symbol, here: Position) -> Position | None:
        """The last position before `here` where the value of `symbol` may have been observed; None if there is none."""
        seen = self.of(symbol)
        before = [
            p
            for p in self.order.positions
            if isinstance(p.item, Access)
            and (p.item.span, p.item.stack, p.item.target.key) == (seen.span, seen.stack, seen.target.key)
            and precedes(p, here)
        ]
        return before[-1] if before else None

    def polls(self, access: Access) -> bool:
        """Whether an access is a volatile read whose only use is to repeat a loop until another thread has written."""
        if access.kind is not AccessKind.READ or not access.volatile:
            return False
        loops = self.order.of(access).around
        if not loops or not all(isinstance(i, Access) and i.kind is AccessKind.READ for i in loops[-1].items):
            return False
        loop = loops[-1]
        tested = (self.of(s) for t in loop.tests for s in self.symbols_in(t))
        if any((seen.span, seen.stack) == (access.span, access.stack) for seen in tested):
            return True
        made = (s for s in symbols_of(*loop.tests) if s.name in loop.local and s.origin is Origin.DATA)
        return len(loop.items) == 1 and any(
            made
        )  # `do x = flag; while (x < 0);`: the value that the last iteration read
