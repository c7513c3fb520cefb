"""The rule on data races."""

from __future__ import annotations

from typing import Final

from hgrd.findings.rules.rule import Rule, Severity

DATA_RACE: Final = Rule(
    code="HGRD001",
    title="data race",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports two accesses to global or shared memory, at least one of them a write, that two threads of a kernel can
perform on the same bytes with nothing to order them.
""",
    why="""
What a racing read returns, and what racing writes leave in memory, depends on timing: on the device, on the number
of blocks that run at once, on the compiler. Results are then wrong once in a while, and seldom on the machine of the
person who looks for the cause. In the memory model of C++ and CUDA a data race is undefined behaviour, so the
compiler may also keep a value in a register although another thread has changed it in memory.
""",
    example="""
```cuda
__global__ void reduce(const int *in, int *out) {
  __shared__ int tile[256];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 256 + t];
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) tile[t] += tile[t + s];   // reads what thread t + s may not have stored yet
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
```
""",
    fix="""
a barrier between the stores and the first step.

```cuda
  tile[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
```
""",
    severities="""
- **error**: definite, confirmed, and data-dependent races;
- **warning**: conditional races, which one simple condition on the parameters excludes. If it always holds, state
  it: `assert(n <= m);` in the host code before the launch, or `--assume 'n <= m'`;
- **note**: two writes of the same value. Many programs do this on purpose (several threads set one flag). The memory
  model still calls it a race, and so does `--strict`.
""",
    known_problems="""
- Atomic operations of block scope (`atomicAdd_block`) on memory that several blocks use are races of this rule.
- Threads of a warp are not assumed to run in lockstep. Code written for lockstep (`volatile` shared memory without
  `__syncwarp()`) is reported; `--warp-lockstep` analyses it as its authors meant it.
""",
)
