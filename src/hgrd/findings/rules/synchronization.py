"""The rules on synchronisation that programs build themselves: locks, flags, counters, two-level barriers."""

from __future__ import annotations

from typing import Final

from hgrd.findings.rules.rule import Rule, Severity

_AS_OF_RACES: Final = """
As HGRD001: **error** for definite, confirmed and data-dependent races, **warning** for conditional ones.
"""

MISSING_FENCE: Final = Rule(
    code="HGRD005",
    title="synchronisation without a fence",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a data race between two accesses that a lock, a flag or a counter of arrivals would order if there were a
fence: after taking the lock or after the wait, or before releasing the lock, writing the flag or counting. Such a
race is shown as one of [HGRD001](HGRD001.md), with this code and the place of the missing fence as its `cause`.
""",
    why="""
Atomic operations of CUDA are relaxed: they order nothing but themselves. Without a fence, the compiler and the memory
system may make a thread's writes visible only after the lock is free, or perform its reads before the lock is taken.
The race then happens although the lock works (CUDA Programming Guide, "Memory Fence Functions").
""",
    example="""
```cuda
while (atomicCAS(&lock, 0, 1) != 0) {}
*sum += n;                    // may be performed before the lock is taken
atomicExch(&lock, 0);         // may be seen before the new sum
```
""",
    fix="""
a fence after taking the lock, and one before releasing it.

```cuda
while (atomicCAS(&lock, 0, 1) != 0) {}
__threadfence();
*sum += n;
__threadfence();
atomicExch(&lock, 0);
```
""",
    severities=_AS_OF_RACES,
    known_problems="""
- A barrier of the block counts as a fence of block scope.
- Where the second access is volatile, a wait for a flag or a counter needs no fence before that access.
""",
)

NARROW_SCOPE: Final = Rule(
    code="HGRD006",
    title="synchronisation of too narrow a scope",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a data race between threads of two blocks that a lock, a flag or a counter would order if its atomics and
fences were not of block scope only (`atomicCAS_block`, `__threadfence_block`). Such a race is shown as one of
[HGRD001](HGRD001.md), with this code and the place as its `cause`.
""",
    why="""
An atomic of block scope is atomic among the threads of one block; two threads of different blocks can take the same
lock at once. A fence of block scope makes nothing visible to other blocks. The mistake goes unnoticed as long as both
blocks run on one multiprocessor.
""",
    example="""
```cuda
while (atomicCAS(&lock, 0, 1) != 0) {}
__threadfence_block();        // orders nothing between blocks
*sum += n;
__threadfence();
atomicExch(&lock, 0);
```
""",
    fix="""
a fence of device scope.

```cuda
while (atomicCAS(&lock, 0, 1) != 0) {}
__threadfence();
*sum += n;
__threadfence();
atomicExch(&lock, 0);
```
""",
    severities=_AS_OF_RACES,
    known_problems="""
- Where only a barrier of the block follows an acquire, this rule is named and not HGRD005: the barrier is a fence of
  block scope.
""",
)

PLAIN_LOCK_ACCESS: Final = Rule(
    code="HGRD007",
    title="plain access to a lock",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a data race between an atomic operation that takes or releases a lock, and a plain read or write of the same
word. Such a race is shown as one of [HGRD001](HGRD001.md), with this code as its rule.
""",
    why="""
The compiler may split, move or merge a plain write, and the write can overwrite the lock while a thread holds it: then
two threads are in the critical section at once. A plain read may be performed once and its value kept in a register
for ever.
""",
    example="""
```cuda
lock = 0;                     // every thread does it, at any time
while (atomicCAS(&lock, 0, 1) != 0) {}
```
""",
    fix="""
one thread that initialises the lock, and a barrier after it.

```cuda
if (threadIdx.x == 0) lock = 0;
__syncthreads();
while (atomicCAS(&lock, 0, 1) != 0) {}
```
""",
    severities=_AS_OF_RACES,
    known_problems="""
- A lock is recognised by an `atomicCAS` or `atomicExch` on the word.
""",
)

SPIN_LIVELOCK: Final = Rule(
    code="HGRD008",
    title="threads of a warp spin on a lock",
    severity=Severity.NOTE,
    strict_severity=Severity.ERROR,
    what="""
Reports a loop that takes a lock and does nothing else, where two threads of one warp can want the same lock and the
lock is released only after the loop.
""",
    why="""
Before Volta, the threads of a warp share one program counter: threads that leave a loop wait after it until the others
leave it, too. The thread that has the lock waits for those that want it, and none of them ever continues. Since Volta,
each thread makes progress by itself (CUDA Programming Guide, "Independent Thread Scheduling"), unless the code is
compiled for an older architecture (`-gencode arch=compute_60,code=sm_70`).
""",
    example="""
```cuda
while (atomicCAS(&lock, 0, 1) != 0) {}   // the winner waits here for the rest of its warp
__threadfence();
*sum += n;
__threadfence();
atomicExch(&lock, 0);
```
""",
    fix="""
a loop that releases the lock inside,

```cuda
for (bool done = false; !done;) {
  if (atomicCAS(&lock, 0, 1) == 0) {
    __threadfence();
    *sum += n;
    __threadfence();
    atomicExch(&lock, 0);
    done = true;
  }
}
```

or let one thread of each warp take the lock, or one lane after the other
(`for (int lane = 0; lane < 32; ++lane) if (lane == threadIdx.x % 32) { … }`).
""",
    severities="""
**note**; with `--strict` an **error**. It does not change the verdict, which is about races.
""",
    known_problems="""
- A lock is one that [verdicts.md](../verdicts.md) describes: `atomicCAS` or `atomicExch`, with a test of its result.
- Whether threads wait after a loop that is left by `break` from within the critical section is up to the compiler; such
  loops are not reported.
""",
)

UNGUARDED_DELEGATE: Final = Rule(
    code="HGRD009",
    title="two-level barrier that threads bypass",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a data race between two blocks around a barrier of the grid that the program makes itself: one thread of each
block, its delegate, arrives at a counter and waits for all the others. The barrier would order the two accesses if the
other threads of the block took part in it, by a barrier of the block before their delegate arrives and another one
after its wait. Such a race is shown as one of [HGRD001](HGRD001.md), with this code and the place of the missing
barrier as its `cause`.
""",
    why="""
The delegate speaks for its block, but nothing makes it wait for the other threads, or them for it. Without the first
barrier it arrives while they are still at work; without the second one they continue while it still waits. There may
be no race on the counter, and still the barrier synchronises nothing but the delegates.
""",
    example="""
```cuda
a[i] = f(i);
if (threadIdx.x == 0) {       // arrives when the others may not have written
  __threadfence();
  atomicAdd(&count, 1);
  while (atomicAdd(&count, 0) < gridDim.x) {}
  __threadfence();
}                             // the others do not wait here
b[i] = a[n - 1 - i];
```
""",
    fix="""
a barrier of the block on both sides,

```cuda
__syncthreads();
if (threadIdx.x == 0) { /* as above */ }
__syncthreads();
```

or the barrier of the grid of cooperative groups, `this_grid().sync()`.
""",
    severities=_AS_OF_RACES,
    known_problems="""
- The barrier must be one that [verdicts.md](../verdicts.md) describes under *Arrivals*: each block counts once.
  Barriers with a reversing sense (`while (sense != mine) {}`) are not: pairs after such a wait are `unknown`, and races
  are reported where a missing barrier of the block, or a wait that the old sense already ends, lets threads continue.
""",
)
