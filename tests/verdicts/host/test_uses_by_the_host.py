"""The host uses memory itself that a kernel may still use: unknown, unless it waits, or uses visibly other elements."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <memory>
#include <numeric>
#include <thread>
#include <thrust/universal_vector.h>
#include <vector>
const int N = 4096;
struct Box { int n; float *data; };
struct Free { void operator()(float *p) const { cudaFree(p); } };
__managed__ float table[N];
__managed__ int total;
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void get(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + 1;
}
__global__ void fill(Box *b) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < b->n) b->data[i] = i; }
__global__ void by_name() { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) table[i] = i; }
__global__ void signal(float *x, volatile int *flag) {
  x[threadIdx.x] = 1;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
static float sum_of(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
static void work(float *x) {
  cudaStream_t s; cudaStreamCreate(&s); put<<<16, 256, 0, s>>>(x, N); cudaStreamSynchronize(s);
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), v = argc > 2;
  float *x, *y, *h, *m; int *flag;
  cudaMallocManaged(&x, 2 * N * sizeof(float)), cudaMallocManaged(&y, N * sizeof(float));
  cudaHostAlloc(&h, N * sizeof(float), cudaHostAllocMapped), cudaHostGetDevicePointer(&m, h, 0);
  cudaHostAlloc((void **)&flag, sizeof(int), cudaHostAllocMapped);
  cudaStream_t a, b, free_; cudaEvent_t e;
  cudaStreamCreate(&a), cudaStreamCreate(&b), cudaStreamCreateWithFlags(&free_, cudaStreamNonBlocking);
  cudaEventCreate(&e);
  float *cur = x, *next = y;
  Box *box; cudaMallocManaged(&box, sizeof(Box)); box->n = N; cudaMallocManaged(&box->data, N * sizeof(float));
  BODY
  cudaDeviceSynchronize();
}
"""
WAIT = "cudaDeviceSynchronize();"
TWINS = {  # a program, what leaves it without order, what orders it or makes the elements differ
    "a read": ("put<<<16, 256>>>(x, N); {} printf(\"%f\", x[3]);", "", WAIT),
    "a read in a function": ("put<<<16, 256>>>(x, N); {} printf(\"%f\", sum_of(x, N));", "", WAIT),
    "a write of what is read": ("get<<<16, 256>>>(x, y, N); {}[3] = 1;", "x", "x[2 * N - 9] = 1; cudaFree(flag); x"),
    "mapped memory": ("put<<<16, 256>>>(m, N); {} memset(h, 0, N * sizeof(float));", "", WAIT),
    "a variable": ("by_name<<<16, 256>>>(); {} printf(\"%f\", table[3]);", "", WAIT),
    "a variable that is not used": ("by_name<<<16, 256>>>(); printf(\"%f\", {});", "table[3]", "(float)total"),
    "memory of the system": (
        "float *z = (float *)malloc(N * 4); put<<<16, 256>>>(z, N); {} printf(\"%f\", z[3]);", "", WAIT
    ),
    "a vector": ("std::vector<float> z(N); put<<<16, 256>>>(z.data(), N); {} for (float f : z) v += f;", "", WAIT),
    "a vector in managed memory": (
        "thrust::universal_vector<float> z(N); put<<<16, 256>>>(thrust::raw_pointer_cast(z.data()), N); {} z[3] = 1;",
        "",
        WAIT,
    ),
    "all of a vector in managed memory": (
        "thrust::universal_vector<float> z(N); put<<<16, 256>>>(thrust::raw_pointer_cast(&z[0]), N); {}"
        "for (float f : z) v += f;",
        "",
        WAIT,
    ),
    "memory of an owner": (
        "std::unique_ptr<float[], Free> z(x); put<<<16, 256>>>(z.get(), N); {} z[3] = 1;", "", WAIT
    ),
    "memory of owners": (
        "std::shared_ptr<float> z(x, cudaFree); put<<<16, 256>>>(z.get(), N); {} z.get()[3] = 1;", "", WAIT
    ),
    "registered memory": (
        "float *z = new float[N]; cudaHostRegister(z, N * 4, 0); put<<<16, 256>>>(z, N); {} z[0] = 1;", "", WAIT
    ),
    "an algorithm": ("put<<<16, 256>>>(x, N); {} std::fill(x, x + N, 0.f);", "", WAIT),
    "an algorithm that reads": ("put<<<16, 256>>>(x, N); {} v = std::accumulate(x, x + N, 0.f);", "", WAIT),
    "the next iteration": (
        "for (int k = 0; k < 9; k++) {{ for (int i = 0; i < N; i++) x[i] = k; get<<<16, 256>>>(x, y, N); {} }}",
        "",
        WAIT,
    ),
    "another stream is waited for": ("put<<<16, 256, 0, a>>>(x, N); cudaStreamSynchronize({}); x[3] = 1;", "b", "a"),
    "an event": (
        "put<<<16, 256, 0, a>>>(x, N); cudaEventRecord(e, a); get<<<16, 256, 0, a>>>(x, y, N);"
        "cudaEventSynchronize(e); printf(\"%f\", {}[3]);",
        "y",
        "x",
    ),
    "under a condition": ("put<<<16, 256>>>(x, N); if (v) cudaDeviceSynchronize(); {} x[3] = 1;", "", "if (v)"),
    "every tenth iteration": (
        "for (int k = 0; k < 99; k++) {{ put<<<16, 256>>>(x, N); if (k % 10 == {}) {{ cudaDeviceSynchronize(); }}"
        "if (k % 10 == 1) x[3] = 1; }}",
        "0",
        "1",
    ),
    "two buffers": (
        "float *two[2] = {{x, y}}, *out = h; for (int k = 0; k < n; k++) {{ get<<<16, 256>>>(two[k % 2], out, N);"
        "for (int i = 0; i < N; i++) two[(k + {}) % 2][i] = k; cudaDeviceSynchronize(); }}",
        "2",
        "1",
    ),
    "swapped pointers": (
        "for (int k = 0; k < n; k++) {{ get<<<16, 256>>>(cur, h, N); for (int i = 0; i < N; i++) {}[i] = k;"
        "cudaDeviceSynchronize(); std::swap(cur, next); }}",
        "cur",
        "next",
    ),
    "other elements": ("put<<<16, 256>>>(x, N); for (int i = {}; i < 2 * N; i++) x[i] = i;", "N / 2", "N"),
    "other elements of a range": ("put<<<16, 256>>>(x, N); std::fill(x + {}, x + 2 * N, 0.f);", "N - 1", "N"),
    "other bytes": ("put<<<16, 256>>>(x + N, N); memset(x, 0, {} * sizeof(float));", "(N + 1)", "N"),
    "both read": ("get<<<16, 256>>>(x, y, N); printf(\"%f\", {}[3]);", "y", "x"),
    "a pointer in memory": ("fill<<<16, 256>>>(box); {} printf(\"%f\", box->data[3]);", "", WAIT),
    "a number beside a pointer": ("fill<<<16, 256>>>(box); {};", "box->n = 4", "fill<<<box->n / 256, 256>>>(box)"),
    "a thread": ("std::thread t(work, x); {} x[3] = 1; if (t.joinable()) t.join();", "", "t.join();"),
    "a graph": (
        "cudaGraph_t g; cudaGraphExec_t r; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);"
        "put<<<16, 256, 0, a>>>(x, N); cudaStreamEndCapture(a, &g); cudaGraphInstantiate(&r, g, 0);"
        "x[3] = 1; cudaGraphLaunch(r, a); {} x[4] = 1;",
        "",
        "cudaStreamSynchronize(a);",
    ),
    "no copy waits for a free stream": (
        "put<<<16, 256, 0, {}>>>(x, N); cudaMemset(y, 0, 4); cudaMemcpy(&n, flag, 4, cudaMemcpyHostToHost); x[3] = 1;",
        "free_",
        "a",
    ),
}  # fmt: skip


UNSURE = ("memory of owners", "under a condition", "a pointer in memory", "a thread", "no copy waits for a free stream")
"""The programs of which it is not sure that both use the same elements, or that nothing orders the two.

A copy in the default stream that no manual says to wait for a stream which does not may wait for it all the same.
"""


def told(folder: Path, body: str) -> tuple[set[Outcome], list[str], list[str]]:
    """The verdicts of the kernels that are launched, why they are open, and what they assume of the host."""
    launched = [
        n for k in check(folder, PROGRAM.replace("BODY", body)).kernels for n in k.launches if n.launch_span is not None
    ]
    reasons = [pair.reason for n in launched for pair in n.open_pairs]
    reasons += [finding.cause for n in launched for finding in n.findings if finding.cause]
    assumed = [f.text for n in launched for f in n.assumptions if "is done with" in f.text]
    return {n.outcome for n in launched}, reasons, assumed


@pytest.mark.parametrize("name", TWINS)
def test_twins(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    outcomes, reasons, assumed = told(tmp_path, body.format(without))
    assert outcomes - {Outcome.SAFE} == {Outcome.UNKNOWN if name in UNSURE else Outcome.RACE}
    assert any("while this kernel may run, which" in reason for reason in reasons)
    outcomes, reasons, assumed = told(tmp_path, body.format(ordered))
    assert (outcomes, reasons) == ({Outcome.SAFE}, [])
    assert not assumed or name == "a thread"


def test_a_reason_names_both_places(tmp_path: Path) -> None:
    _, reasons, _ = told(tmp_path, "put<<<16, 256>>>(x, N);\n  x[3] = 1;")
    assert reasons == [
        "the host writes 'x' at program.cu:46 while this kernel may run, which writes it, and nothing orders the two"
    ]


def test_order_by_communication_is_not_followed(tmp_path: Path) -> None:
    """The host waits for a flag, which it reads while the kernel runs: whether that orders what comes is not known."""
    body = '*flag = 0; signal<<<1, 256>>>(x, flag);\n  while (*(volatile int *)flag == 0);\n  printf("%f", x[3]);'
    outcomes, reasons, assumed = told(tmp_path, body)
    assert (outcomes, assumed) == ({Outcome.SAFE, Outcome.UNKNOWN}, [])
    assert reasons == [
        "the host reads 'flag' at program.cu:46 while this kernel may run, which writes it",
        "the host reads 'x' at program.cu:47 while this kernel may run, which writes it",
    ]


def test_a_poll_of_the_stream_may_be_a_wait(tmp_path: Path) -> None:
    outcomes, reasons, assumed = told(
        tmp_path, "put<<<16, 256, 0, a>>>(x, N);\n  while (cudaStreamQuery(a) == cudaErrorNotReady);\n  x[3] = 1;"
    )
    assert (outcomes, reasons) == ({Outcome.SAFE}, [])
    assert assumed == ["is done with 'x' before the host writes 'x' at program.cu:47"]


POLLS = {  # a program that polls, with what does not cover the kernel, and with what does
    "a poll of a stream": (
        "put<<<16, 256, 0, a>>>(x, N); while (cudaStreamQuery({}) == cudaErrorNotReady) std::this_thread::yield();"
        ' printf("%f", x[3]);',
        "b",
        "a",
    ),
    "a poll of an event": (
        "put<<<16, 256, 0, a>>>(x, N); cudaEventRecord(e, {}); while (cudaEventQuery(e) != cudaSuccess) ;"
        ' printf("%f", x[3]);',
        "b",
        "a",
    ),
    "an event recorded before": (
        'cudaEventRecord(e, a); put<<<16, 256, 0, a>>>(x, N); {} while (cudaEventQuery(e)) ; printf("%f", x[3]);',
        "",
        "cudaEventRecord(e, a);",
    ),
}


@pytest.mark.parametrize("name", POLLS)
def test_a_poll_is_of_what_it_looks_at(tmp_path: Path, name: str) -> None:
    body, without, ordered = POLLS[name]
    outcomes, reasons, assumed = told(tmp_path, body.format(without))
    assert (outcomes, assumed) == ({Outcome.SAFE, Outcome.RACE}, [])  # the other kernels are not launched
    assert reasons == [
        "the host reads 'x' at program.cu:45 while this kernel may run, which writes it, and nothing orders the two"
    ]
    outcomes, reasons, assumed = told(tmp_path, body.format(ordered))
    assert (outcomes, reasons) == ({Outcome.SAFE}, [])
    assert assumed == ["is done with 'x' before the host reads 'x' at program.cu:45"]


def test_a_function_whose_callers_are_not_seen(tmp_path: Path) -> None:
    source = PROGRAM.partition("int main")[0]
    both = "void run(float *x) { put<<<16, 256>>>(x, N); %s x[3] = 1; }"
    for wait, outcome in (("", Outcome.RACE), (WAIT, Outcome.SAFE)):
        found = {k.kernel: k.outcome for k in check(tmp_path, source + both % wait).kernels}
        assert found["put"] is outcome
