"""Uniform symbols: those that all threads of a block, or of the grid, have one value of."""

from __future__ import annotations

from hgrd.cuda.memory_model import Level
from hgrd.protocol.model import Protocol
from hgrd.terms import Symbol


class UniformSymbols:
    """Uniformity test for the symbols of one protocol: called with a symbol and a level, as `phases` wants it."""

    def __init__(self, protocol: Protocol) -> None:
        c = protocol.configuration
        threads = {s.name for s in c.thread if s is not None}
        blocks = {s.name for s in c.block_index if s is not None}
        self._of_threads = (protocol.symbols.private - protocol.uniform.broadcast.keys()) | threads
        alike = protocol.uniform.broadcast.keys() & protocol.uniform.of_grid
        self._of_blocks = (protocol.symbols.private - alike) | threads | blocks

    def __call__(self, symbol: Symbol, level: Level) -> bool:
        """Whether two threads that meet at `level` have the same value of `symbol`."""
        return symbol.name not in (self._of_blocks if level is Level.INTER_BLOCK else self._of_threads)
