"""The rules on barriers that not all of their threads perform."""

from __future__ import annotations

from typing import Final

from hgrd.findings.rules.rule import Rule, Severity

BARRIER_DIVERGENCE: Final = Rule(
    code="HGRD002",
    title="barrier divergence",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a barrier that one thread performs and another thread that it waits for does not. A barrier waits for the
threads of the block (`__syncthreads()` and its variants), for all threads of the launch (`grid.sync()`), or for those
that a mask names (`__syncwarp(mask)` and the barriers of tiles). In a loop, they must meet in the same iteration. The
witness is two threads and the iteration in which they diverge; a note shows the condition or the loop where they do.
""",
    why="""
CUDA allows `__syncthreads()` in conditional code only if the condition is the same for the whole block (CUDA
Programming Guide, "Synchronization Functions"). Otherwise the threads that wait may wait forever, or continue at the
wrong time: with threads that are at the barrier in another iteration, or at another barrier of the source. What the
barrier was meant to order is then not ordered.
""",
    example="""
```cuda
__global__ void scan(int *sum) {
  int t = threadIdx.x;
  for (int offset = 1; offset <= t; offset *= 2) {  // thread 0 makes no iteration, thread 1 one, ...
    int left = sum[t - offset];
    __syncthreads();
    sum[t] += left;
    __syncthreads();
  }
}
```
""",
    fix="""
a loop that all threads run equally often, with the condition inside it and around no barrier.

```cuda
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    int left = offset <= t ? sum[t - offset] : 0;
    __syncthreads();
    sum[t] += left;
    __syncthreads();
  }
```
""",
    severities="""
**error**, also where it needs particular contents of arrays (*data-dependent*). The verdict of the kernel is about
races and does not change; the exit status is 1.
""",
    known_problems="""
- One mistake is reported at every barrier that it affects.
- Two barriers in the two branches of a condition are two barriers, whatever the hardware makes of them. (Barriers of
  a warp with the same mask may meet.)
- A barrier that depends on values unknown to hgrd is *not decided*; so is a barrier of a group whose members are
  unknown.
- Values read from one location of shared memory are taken to be the same for all threads of a block. Where they may
  differ there is a race on that location, which HGRD001 reports.
""",
)

BARRIER_AFTER_EXITS: Final = Rule(
    code="HGRD003",
    title="barrier after some threads have returned",
    severity=Severity.NOTE,
    strict_severity=Severity.ERROR,
    what="""
Reports a barrier of a block that some threads perform while others of the block have left the kernel before it.
""",
    why="""
Current hardware counts threads that have exited as arrived, so programs with such an early return run. The CUDA
Programming Guide does not promise that ("Synchronization Functions" requires every thread of the block at the
barrier), and code that is added after the return finds only a part of the block there: a tile that all threads of a
block should load then has holes.
""",
    example="""
```cuda
__global__ void smooth(const float *in, float *out, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;               // in the last block, some threads are missing from here on
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x ^ 1];
}
```
""",
    fix="""
a condition around the work, and none around the barrier.

```cuda
  if (i < n) tile[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x ^ 1];
```
""",
    severities="""
**note**; with `--strict` an **error**. A barrier of the grid waits for threads that have returned: that is HGRD002.
Warp barriers need only the threads that have not exited (CUDA Programming Guide, "Warp Synchronization"), so nothing
is reported there. But a warp barrier orders the memory accesses of the threads that perform it, and no others: what a
thread did before it returned may race with what other threads of its warp do after the barrier, and is then reported
as a race.
""",
    known_problems="""
- Returns of whole blocks (`if (blockIdx.x >= n) return;`) and aborts (`__trap()`) are not reported.
""",
)

WRONG_WARP_MASK: Final = Rule(
    code="HGRD004",
    title="wrong warp mask",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a call of `__syncwarp(mask)` by a thread that the mask does not name, and calls of one `__syncwarp(mask)` by two
threads that name each other in different masks.
""",
    why="""
Each caller must have its own bit set in the mask, and all threads that the mask names must call `__syncwarp` with the
same mask, or the result is undefined (CUDA Programming Guide, "Warp Synchronization").
""",
    example="""
```cuda
__global__ void pairs(int *a) {
  int lane = threadIdx.x % 32;
  if (lane < 17) {          // lane 16 is here, but not in the mask
    a[threadIdx.x] = lane;
    __syncwarp(0xffff);
  }
}
```
""",
    fix="""
the mask of the threads that get here, computed where all threads of the warp still run.

```cuda
  unsigned mask = __ballot_sync(0xffffffff, lane < 17);
  if (lane < 17) {
    a[threadIdx.x] = lane;
    __syncwarp(mask);
  }
```
""",
    severities="""
**error**.
""",
    known_problems="""
- Masks that come from votes or from memory are unknown to hgrd: such a barrier is *not decided*.
""",
)
