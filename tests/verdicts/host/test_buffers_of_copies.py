"""Page-locked memory that the host fills or reads while an asynchronous copy may use it."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
const int N = 1024;
__global__ void twice(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void other(float *x) { x[threadIdx.x] = 1; }
struct Slot { float *host; cudaEvent_t done; };
struct Job { float *host; float sum; };
static void total(void *given) { Job *job = (Job *)given; for (int i = 0; i < N; i++) job->sum += job->host[i]; }
int main(int argc, char **argv) {
  float *h, *d, *y, *two[2], *to[2];
  cudaMallocHost(&h, 2 * N * sizeof(float)), cudaMalloc(&d, 2 * N * sizeof(float)), cudaMalloc(&y, 4096);
  cudaStream_t a, b; cudaStreamCreate(&a), cudaStreamCreate(&b);
  cudaEvent_t e, done[2]; cudaEventCreate(&e);
  for (int k = 0; k < 2; k++) {
    cudaHostAlloc(&two[k], 4096, 0), cudaMalloc(&to[k], 4096), cudaEventCreate(&done[k]);
  }
  BODY
  cudaDeviceSynchronize();
}
"""
WAIT = "cudaStreamSynchronize(a);"
UP = "cudaMemcpyAsync(d, h, N * sizeof(float), cudaMemcpyHostToDevice, a);"
DOWN = "cudaMemcpyAsync(h, d, N * sizeof(float), cudaMemcpyDeviceToHost, a);"
USE = "twice<<<4, 256, 0, a>>>(d);"
TWINS = {  # a program, what leaves it without order, what orders it or makes the elements differ
    "refilled": (f"{UP} {USE} {{}} h[3] = 1;", "", WAIT),
    "refilled in the next iteration": (
        f"for (int k = 0; k < 9; k++) {{{{ for (int i = 0; i < N; i++) h[i] = k; {UP} {USE} {{}} }}}}",
        "",
        WAIT,
    ),
    "read too soon": (f'{USE} {DOWN} {{}} printf("%f", h[3]);', "", WAIT),
    "sorted too soon": (f"{USE} {DOWN} {{}} std::sort(h, h + N);", "cudaStreamSynchronize(b);", WAIT),
    "an event before the copy": (
        f'{USE} {{}} cudaEventSynchronize(e); printf("%f", h[3]);',
        f"cudaEventRecord(e, a); {DOWN}",
        f"{DOWN} cudaEventRecord(e, a);",
    ),
    "two buffers": (
        "for (int k = 0; k < 9; k++) {{ int n = k % 2; {}"
        "for (int i = 0; i < N; i++) two[n][i] = k;"
        "cudaMemcpyAsync(to[n], two[n], 4096, cudaMemcpyHostToDevice, a); cudaEventRecord(done[n], a);"
        "twice<<<4, 256, 0, a>>>(to[n]); }}",
        "cudaEventSynchronize(e);",
        "cudaEventSynchronize(done[n]);",
    ),
    "2 slots": (
        f"Slot slots[2]; for (auto &s : slots) {{{{ cudaHostAlloc(&s.host, 4096, 0); cudaEventCreate(&s.done); }}}}"
        f"for (int k = 0; k < 90; k++) {{{{ Slot &s = slots[k % 2]; {{}}"
        f"for (int i = 0; i < N; i++) s.host[i] = k;"
        f"cudaMemcpyAsync(d, s.host, 4096, cudaMemcpyHostToDevice, a); cudaEventRecord(s.done, a); {USE} }}}}",
        "cudaEventSynchronize(e);",
        "cudaEventSynchronize(s.done);",
    ),
    "a callback on another stream": (
        f"{USE} {DOWN} Job job{{{{h, 0}}}}; cudaLaunchHostFunc({{}}, total, &job);",
        "b",
        "a",
    ),
    "other elements": (f"{UP} {USE} for (int i = {{}}; i < 2 * N; i++) h[i] = i;", "N - 1", "N"),
    "both read": (f"{UP} {USE} {{}};", "h[3] = 1", 'printf("%f", h[3])'),
    "memory that is not locked": (
        f'h = {{}} {UP} h[3] = 1; {USE} {DOWN} printf("%f", h[3]);',
        "new float[N]; cudaHostRegister(h, N * sizeof(float), 0);",
        "new float[N];",
    ),
    "a copy that waits": (
        f"{USE} cudaMemcpy{{}}(h, d, N * sizeof(float), cudaMemcpyDeviceToHost); h[3] = 1;",
        "Async",
        "",
    ),
}


def launched(folder: Path, body: str) -> dict[str, tuple[Outcome, list[str]]]:
    """The verdicts of the kernels that are launched, with their causes, or why they are open."""
    report = check(folder, PROGRAM.replace("BODY", body))
    return {
        kernel.kernel: (
            kernel.outcome,
            [f.cause for f in kernel.findings] + [p.reason for n in kernel.launches for p in n.open_pairs],
        )
        for kernel in report.kernels
        if any(n.launch_span is not None for n in kernel.launches)
    }


@pytest.mark.parametrize("name", TWINS)
def test_twins(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    outcome, reasons = launched(tmp_path, body.format(without))["twice"]
    assert outcome is (Outcome.UNKNOWN if "callback" in name else Outcome.RACE)  # which the host may wait for
    assert any("may go on, which" in reason for reason in reasons)
    assert launched(tmp_path, body.format(ordered))["twice"] == (Outcome.SAFE, [])


def test_kernels_that_do_not_get_what_is_copied_are_as_they_were(tmp_path: Path) -> None:
    found = launched(tmp_path, f"{UP} {USE} h[3] = 1; other<<<1, 256, 0, a>>>(y);")
    assert found["other"] == (Outcome.SAFE, [])
    assert found["twice"] == (
        Outcome.RACE,
        [
            "the host writes 'h' at program.cu:20 while the copy at program.cu:20 may go on, which reads it, "
            "and nothing orders the two"
        ],
    )


def test_where_no_kernel_gets_it_all_are_told(tmp_path: Path) -> None:
    found = launched(tmp_path, f"{UP} h[3] = 1; other<<<1, 256, 0, a>>>(y);")
    assert found["other"][0] is Outcome.RACE
