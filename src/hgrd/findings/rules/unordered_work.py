"""The rule on work that runs at once."""

from __future__ import annotations

from typing import Final

from hgrd.findings.rules.rule import Rule, Severity

UNORDERED_WORK: Final = Rule(
    code="HGRD012",
    title="work without order",
    severity=Severity.ERROR,
    strict_severity=Severity.ERROR,
    what="""
Reports a kernel and other work (another kernel, another launch of it, a copy, a fill), or a use of memory by the host,
that use the same elements, one of them writing, where nothing orders the two: no stream, no event, no wait of the host.
Such a race is shown as one of [HGRD001](HGRD001.md), with this code and the other work as its `cause`. Two copies, or a
copy and a use by the host, are shown `beside` the kernels that use the same memory.
""",
    why="""
Work in different streams may run at the same time or in any order, and the host goes on when it has launched a kernel
(CUDA Programming Guide, "Asynchronous Concurrent Execution"). Whether the one has written what the other reads depends
on how busy the device is; a profiler or a debugger that serialises launches hides the mistake.
""",
    example="""
```cuda
produce<<<blocks, 256, 0, a>>>(x, n);
consume<<<blocks, 256, 0, b>>>(x, y, n);   // another stream: may run before, or beside
```
""",
    fix="""
an event (or one stream for both, or a wait of the host).

```cuda
produce<<<blocks, 256, 0, a>>>(x, n);
cudaEventRecord(done, a);
cudaStreamWaitEvent(b, done);
consume<<<blocks, 256, 0, b>>>(x, y, n);
```
""",
    severities="""
**error**: the two surely use the same elements, for inputs that the witness shows. Where that, or that nothing orders
them, is not sure, the program is run without arguments, and shows it or not; if not, the kernel is `unknown`.
""",
    known_problems="""
- Two writes are a race here only where they are different accesses, and not both of constants: they could be of the
  same value.
- Work in graphs stays `unknown`, unless the program makes one graph and surely launches it; so does work in other
  threads of the host, by kernels that may wait for each other (by flags), and beside callbacks that the run of the
  program does not come to.
""",
)
