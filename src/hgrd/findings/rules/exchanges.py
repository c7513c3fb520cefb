"""The rule on votes and shuffles that are taken for memory barriers."""

from __future__ import annotations

from typing import Final

from hgrd.findings.rules.rule import Rule, Severity

EXCHANGE_IS_NO_BARRIER: Final = Rule(
    code="HGRD011",
    title="vote or shuffle in place of a barrier",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a data race between two threads of a warp where a vote, a shuffle, a match or a reduction of the warp stands
between the two accesses, and no `__syncwarp()`. Such a race is shown as one of [HGRD001](HGRD001.md), with this code
and the place of the call as its `cause`.
""",
    why="""
`__ballot_sync`, `__shfl_sync` and the like make the lanes of their mask meet, and hand values from lane to lane. They
do not imply a memory barrier (CUDA Programming Guide, "Warp Vote Functions" and "Warp Shuffle Functions"): what a lane
has written before may become visible to the others only later, and the compiler may move accesses past the call.
""",
    example="""
```cuda
tile[lane] = x;
unsigned some = __ballot_sync(0xffffffff, x > 0);   // the lanes meet, but memory is not ordered
y = tile[31 - lane];
```
""",
    fix="""
a barrier of the warp.

```cuda
tile[lane] = x;
unsigned some = __ballot_sync(0xffffffff, x > 0);
__syncwarp();
y = tile[31 - lane];
```
""",
    severities="""
As HGRD001: **error** for definite, confirmed and data-dependent races, **warning** for conditional ones.
""",
    known_problems="""
- Where threads of other warps race, too, `__syncwarp()` is not enough; the `levels` of the finding say so.
""",
)
