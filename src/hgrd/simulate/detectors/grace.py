"""GRace's two table designs, as detectors over the same traces as the access model.

Zheng, Ravi, Qin and Agrawal, "GRace: A Low-Overhead Mechanism for Detecting Data Races in GPU Programs"
(PPoPP 2011).  Both look at shared memory between two barriers of a block, warp by warp in lock-step:

- *within a warp* (algorithm 2) the lanes of one write statement must write to different addresses;
- *between warps* GRace-stmt (algorithm 3) keeps a row for every statement that a warp has executed, with the
  address of each lane, and compares all rows of different warps at the barrier;
- GRace-addr (algorithm 4) keeps for every address how often each warp, and how often the block, has read and
  written it, and compares the counts at the barrier.

Both designs exclude: global memory and two blocks; atomics and fences; a statement's
reads, or two statements, within a warp; order made by `__syncwarp`; accesses of different sizes that overlap
without beginning in the same word.  GRace-addr reports addresses, not statements.

Both need traces in which a warp executes a statement at once; on those of the interleaving semantics, where
every thread acts alone, nothing is found within a warp.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.detectors.overlaps import Ints
from hgrd.simulate.trace import Arrive, Fenced, Touch

WORD = 4
_NOBODY = -1


class StatementRace(Struct, frozen=True):
    """Two statements (sites, first <= second) that have touched one word, and the level at which they met."""

    first: int
    second: int
    level: Level


class AddressRace(Struct, frozen=True, order=True):
    """A word of a block's shared memory with a race between two warps."""

    block: int
    memory: int
    word: int


class _WarpRows(Struct, frozen=True):
    """Words touched by each warp in an event: a row per warp, a word per lane (-1: the lane is not active)."""

    warps: Ints
    words: Ints

    @staticmethod
    def of(event: Touch, shape: LaunchShape) -> _WarpRows:
        warps, row = np.unique(shape.warp(event.threads), return_inverse=True)
        words = np.full((len(warps), WARP_SIZE), _NOBODY, np.int64)
        words[row, event.threads % shape.threads_per_block % WARP_SIZE] = event.offsets // WORD
        return _WarpRows(warps, words)

    def repeated(self) -> bool:
        """Whether two lanes of one warp touch one word."""
        ordered = np.sort(self.words, axis=1)
        return bool(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != _NOBODY)).any())


class _Grace:
    """Base of the two designs: which events count, the check within a warp, and when blocks are checked."""

    def __init__(self, shape: LaunchShape) -> None:
        self.races: set[StatementRace] = set()
        self.peak_bytes = 0
        self._shape = shape

    def touch(self, event: Touch, /) -> None:
        if event.space is not Space.SHARED or event.kind is AccessKind.ATOMIC:
            return
        rows = _WarpRows.of(event, self._shape)
        if event.kind is AccessKind.WRITE and rows.repeated():
            self.races.add(StatementRace(event.site, event.site, Level.INTRA_WARP))
        self._log(event, rows)
        self.peak_bytes = max(self.peak_bytes, self.bytes_held())

    def arrive(self, event: Arrive, /) -> None:
        if event.scope is Scope.WARP:
            return
        blocks: list[int] = np.unique(self._shape.block(event.threads)).tolist()
        for block in blocks:
            self._check(block)

    def fenced(self, event: Fenced, /) -> None:
        pass

    def finish(self) -> None:
        """The end of the kernel is the last barrier."""
        for block in range(self._shape.blocks):
            self._check(block)

    def bytes_held(self) -> int:
        raise NotImplementedError

    def _log(self, event: Touch, rows: _WarpRows) -> None:
        raise NotImplementedError

    def _check(self, block: int) -> None:
        raise NotImplementedError


class _BlockStatements(Struct):
    """BlkStmtTbl of a block: a row for each statement that a warp has executed since the last barrier."""

    rows: list[NDArray[np.int32]] = field(default_factory=list[NDArray[np.int32]])
    heads: list[tuple[int, int, bool, int]] = field(default_factory=list[tuple[int, int, bool, int]])


class GraceStatements(_Grace):
    """GRace-stmt.  `races` is complete after `finish`; time grows with the square of the rows between barriers."""

    def __init__(self, shape: LaunchShape) -> None:
        super().__init__(shape)
        self._blocks: dict[int, _BlockStatements] = {}
        self._held = 0

    def bytes_held(self) -> int:
        return self._held * (WARP_SIZE * 4 + 12)  # addresses; warp, statement and kind

    def _log(self, event: Touch, rows: _WarpRows) -> None:
        writes = event.kind is AccessKind.WRITE
        for warp, words in zip(rows.warps.tolist(), rows.words.astype(np.int32), strict=True):
            table = self._blocks.setdefault(warp // self._shape.warps_per_block, _BlockStatements())
            table.rows.append(words)
            table.heads.append((warp, event.site, writes, event.memory))
        self._held += len(rows.warps)

    def _check(self, block: int) -> None:
        table = self._blocks.pop(block, None)
        if table is None:
            return
        self._held -= len(table.rows)
        words = np.array(table.rows)
        warps, sites, writes, memories = np.array(table.heads, np.int64).T
        for i in range(len(words) - 1):
            rest = slice(i + 1, None)
            able = (warps[rest] != warps[i]) & ((writes[rest] | writes[i]) > 0) & (memories[rest] == memories[i])
            candidates = np.flatnonzero(able) + i + 1
            own = words[i][words[i] != _NOBODY]
            met = candidates[np.isin(words[candidates], own).any(axis=1)]
            for site in np.unique(sites[met]).tolist():
                first, second = sorted((int(sites[i]), site))
                self.races.add(StatementRace(first, second, Level.INTRA_BLOCK))


class _BlockCounts(Struct):
    """Access counts of a shared object of a block: how often each warp (a row) read and wrote each word (a column)."""

    reads: NDArray[np.uint32]
    writes: NDArray[np.uint32]

    @staticmethod
    def of(warps: int, words: int) -> _BlockCounts:
        return _BlockCounts(np.zeros((warps, words), np.uint32), np.zeros((warps, words), np.uint32))

    def widened(self, words: int) -> _BlockCounts:
        more = ((0, 0), (0, words - self.reads.shape[1]))
        return _BlockCounts(np.pad(self.reads, more), np.pad(self.writes, more))

    def racing(self) -> NDArray[np.bool_]:
        """Racing words: algorithm 4 for all warps at once."""
        block_reads, block_writes = self.reads.sum(axis=0), self.writes.sum(axis=0)
        reads, writes = self.reads > 0, self.writes > 0
        others_write = self.writes < block_writes
        others_read = self.reads < block_reads
        return ((reads & others_write) | (writes & (others_write | others_read))).any(axis=0)


class GraceAddresses(_Grace):
    """GRace-addr.  `addresses` is complete after `finish`; `races` are those within warps only.

    Memory grows with the shared memory and the number of warps, not with the length of the run.
    """

    def __init__(self, shape: LaunchShape) -> None:
        super().__init__(shape)
        self.addresses: set[AddressRace] = set()
        self._tables: dict[tuple[int, int], _BlockCounts] = {}

    def bytes_held(self) -> int:
        """The tables of warps and those of blocks, which are as large as that of one warp."""
        warps = self._shape.warps_per_block
        return sum((t.reads.nbytes + t.writes.nbytes) * (warps + 1) // warps for t in self._tables.values())

    def _log(self, event: Touch, rows: _WarpRows) -> None:
        blocks, warps = np.divmod(rows.warps, self._shape.warps_per_block)
        words = int(rows.words.max(initial=0)) + 1
        present: list[int] = np.unique(blocks).tolist()
        for block in present:
            key = (block, event.memory)
            table = self._tables.get(key) or _BlockCounts.of(self._shape.warps_per_block, words)
            if table.reads.shape[1] < words:
                table = table.widened(words)
            self._tables[key] = table
            here = blocks == block
            row, lane = np.nonzero(rows.words[here] != _NOBODY)
            counts = table.writes if event.kind is AccessKind.WRITE else table.reads
            np.add.at(counts, (warps[here][row], rows.words[here][row, lane]), 1)

    def _check(self, block: int) -> None:
        for (owner, memory), table in self._tables.items():
            if owner != block:
                continue
            words: list[int] = np.flatnonzero(table.racing()).tolist()
            self.addresses.update(AddressRace(block, memory, word) for word in words)
            table.reads[:] = 0
            table.writes[:] = 0
