"""The rule on collectives of a block or a warp: temporary storage that is used again."""

from __future__ import annotations

from typing import Final

from hgrd.findings.rules.rule import Rule, Severity

STORAGE_REUSE: Final = Rule(
    code="HGRD010",
    title="reuse of a collective's temporary storage",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports temporary storage of a collective of CUB (`BlockReduce`, `BlockScan`, `BlockLoad`, `WarpReduce` and so on) that
threads use a second time without a barrier in between: for another collective, for the same one in the next iteration
of a loop, as a part of a `union` with other data, or for several warps at once. Such a race is shown as one of
[HGRD001](HGRD001.md), with this code and the two uses as its `cause`.
""",
    why="""
A collective returns to a thread as soon as that thread has its result. Others may still read from the storage then,
while the first one already writes to it for the next use. CUB therefore asks for a barrier before the storage is used
again: `__syncthreads()` after a collective of the block, `__syncwarp()` after one of a warp (CUB, "Block-wide
collectives" and "Warp-wide collectives", the notes on `temp_storage` at each method).
""",
    example="""
```cuda
using Scan = cub::BlockScan<int, 128>;
__shared__ typename Scan::TempStorage storage;
Scan(storage).ExclusiveSum(x, a);
Scan(storage).ExclusiveSum(y, b);   // some threads may still read the sums of x
```
""",
    fix="""
a barrier between the two uses, or storage for each.

```cuda
Scan(storage).ExclusiveSum(x, a);
__syncthreads();
Scan(storage).ExclusiveSum(y, b);
```
""",
    severities="""
As HGRD001: **error** for definite, confirmed and data-dependent races, **warning** for conditional ones.
""",
    known_problems="""
- This is CUB's contract. A collective that happens to use shuffles alone, such as `WarpReduce` over 32 lanes, touches
  no storage on today's devices, and is reported all the same.
- CUB's collectives are not simulated, so that such a race is not replayed.
""",
)
