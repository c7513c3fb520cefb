"""Races between a kernel and other work, or the host: found where both surely run at once and use the same elements."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome
from tests.checking import check, launched_in

PROGRAM = """
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <memory>
#include <thread>
__global__ void put(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void get(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
__global__ void add(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&x[i], 1.0f);
}
__global__ void zero(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0; }
__global__ void pick(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i < n - 1 ? x[i + 1] : 0;
}
__global__ void steps(float *x, int n, int step) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) x[i] += 1;
}
__global__ void produce(float *x, int *flag) {
  x[threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 1);
}
__global__ void consume(const float *x, float *y, int *flag) {
  if (threadIdx.x == 0) while (atomicAdd(flag, 0) == 0);
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
}
#define CHECK(e) do { cudaError_t err_ = (e); if (err_ != cudaSuccess) exit(1); } while (0)
struct Stream {
  cudaStream_t s;
  Stream() { cudaStreamCreate(&s); }
  ~Stream() { cudaStreamSynchronize(s), cudaStreamDestroy(s); }
};
struct Event { cudaEvent_t e; Event() { cudaEventCreate(&e); } ~Event() { cudaEventDestroy(e); } };
struct Owner { float *p; Owner() { cudaMalloc(&p, 4); } ~Owner() { cudaFree(p); } };
struct Owned { cudaStream_t s; explicit Owned(unsigned f) { cudaStreamCreateWithFlags(&s, f); } };
static volatile bool done = false;
static void mark(void *) { done = true; }
static bool is_done(cudaStream_t s) { return cudaStreamQuery(s) == cudaSuccess; }
static void work(float *x, cudaStream_t s) { put<<<4, 256, 0, s>>>(x, 1024); }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), h = n / 2; if (n < 1) return 1;
  float *x, *y, *d, *m; int *flag; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096), cudaMalloc(&d, n * sizeof(float));
  cudaMallocManaged(&m, 4096), cudaMalloc(&flag, 4), cudaMemset(flag, 0, 4);
  cudaStream_t a, b, free_, s[2]; cudaStreamCreate(&a), cudaStreamCreate(&b);
  cudaStreamCreateWithFlags(&free_, cudaStreamNonBlocking); for (auto &one : s) cudaStreamCreate(&one);
  cudaEvent_t e; cudaEventCreate(&e);
  cudaDeviceSynchronize();
  BODY
  cudaDeviceSynchronize();
}
"""
PUT, GET = "put<<<4, 256, 0, a>>>(x, 1024);", "get<<<4, 256, 0, b>>>(x, y, 1024);"
TWINS = {  # what leaves two pieces of work without order, what orders them or keeps them apart
    "two streams": (f"{PUT} {{}} {GET}", "", "cudaStreamSynchronize(a);"),
    "an event": (f"{PUT} cudaEventRecord(e, a); {{}} {GET}", "", "cudaStreamWaitEvent(b, e);"),
    "an event of before": (
        f"{{}} cudaStreamWaitEvent(b, e); {GET}",
        f"cudaEventRecord(e, a); {PUT}",
        f"{PUT} cudaEventRecord(e, a);",
    ),
    "the default stream": ("put<<<4, 256>>>(x, 1024); get<<<4, 256, 0, {}>>>(x, y, 1024);", "free_", "a"),
    "work on the default stream between": (
        "put<<<4, 256, 0, {}>>>(x, 1024); zero<<<1, 1>>>(d, 1); get<<<4, 256, 0, b>>>(x, y, 1024);",
        "free_",
        "a",
    ),
    "flags that a function gets": (
        "put<<<4, 256>>>(x, 1024); Owned own({}); get<<<4, 256, 0, own.s>>>(x, y, 1024);",
        "cudaStreamNonBlocking",
        "cudaStreamDefault",
    ),
    "halves": ("put<<<4, 256, 0, a>>>(x, 512); get<<<4, 256, 0, b>>>(x + {}, y, 512);", "511", "512"),
    "checked calls": (
        f"{PUT} CHECK(cudaGetLastError()); CHECK({{}}); {GET} CHECK(cudaGetLastError());",
        "cudaSuccess",
        "cudaStreamSynchronize(a)",
    ),
    "the next iteration": (
        "for (int k = 0; k < 5; k++) {{ put<<<4, 256, 0, a>>>(x, 1024); cudaEventRecord(e, a);"
        "cudaStreamWaitEvent(b, e); get<<<4, 256, 0, b>>>(x, y, 1024); {} }}",
        "",
        "cudaEventRecord(e, b); cudaStreamWaitEvent(a, e);",
    ),
    "streams in turn": ("for (int k = 0; k < 2; k++) steps<<<4, 256, 0, s[{}]>>>(x, 1024, 1024);", "k", "0"),
    "a copy": (f"{PUT} cudaMemcpyAsync(y, x, 4096, cudaMemcpyDeviceToDevice, {{}});", "b", "a"),
    "the host reads": ('put<<<4, 256>>>(m, 1024); {} printf("%f", m[3]);', "", "cudaDeviceSynchronize();"),
    "the host fills": ("put<<<4, 256>>>(m, 512); for (int i = {}; i < 1024; i++) m[i] = 2;", "511", "512"),
    "atomics and a fill": ("add<<<4, 256, 0, a>>>(m, 1024); cudaMemsetAsync(m + {}, 0, 64, b);", "1023", "1024"),
    "atomics and the host": ('add<<<4, 256, 0, a>>>(m, 1024); {} printf("%f", m[3]);', "", "cudaStreamSynchronize(a);"),
    "events that the library destroys": (
        f"std::array<Event, 2> own; {PUT} cudaEventRecord(own[1].e, a); {{}} {GET}",
        "",
        "cudaStreamWaitEvent(b, own[1].e);",
    ),
    "a function of the program": (f"work({{}}, a); {GET}", "x", "d"),
}
NOT_SURE = {  # both may run at once, but something may order them, or keep them apart
    "a poll in a function": f"{PUT} for (int k = 0; k < n; k++) {{ if (is_done(a)) break; }} {GET}",
    "one look": f"{PUT} if (cudaStreamQuery(a) != cudaSuccess) cudaStreamSynchronize(a); {GET}",
    "a callback": f"{PUT} cudaLaunchHostFunc(a, mark, nullptr); while (!done); {GET}",
    "a flag": "produce<<<1, 256, 0, a>>>(x, flag); consume<<<1, 256, 0, b>>>(x, y, flag);",
    "an owner that waits": f"{{ auto s = std::make_unique<Stream>(); put<<<4, 256, 0, s->s>>>(x, 1024); }} {GET}",
    "a stream that may be the same": f"cudaStream_t t = n > 5 ? a : b; put<<<4, 256, 0, t>>>(x, 1024); {GET}",
    "under a condition": f'{PUT} if (getenv("SYNC")) cudaStreamSynchronize(a); {GET}',
    "an arm that may not be taken": "pick<<<4, 256, 0, a>>>(x, y, 512); zero<<<2, 256, 0, b>>>(x + 512, 512);",
    "longer steps": "steps<<<1, 256, 0, a>>>(x, 1024, 2048); zero<<<2, 256, 0, b>>>(x + 512, 512);",
    "the same access": "put<<<4, 256, 0, a>>>(x, 1024); put<<<4, 256, 0, b>>>(x, 1024);",
    "a held function": f"std::function<void(cudaStream_t)> f = [=](cudaStream_t t) {{ work(x, t); }}; f(a); {GET}",
    "atomics of a kernel": f"add<<<4, 256, 0, a>>>(x, 1024); {GET}",
    "atomics and a poll": "add<<<1, 1, 0, a>>>(m, 1); while (*(volatile float *)m == 0);",
    "buffers that the library destroys": f"{{ std::array<Owner, 2> own; put<<<4, 256, 0, a>>>(x, 1024); }} {GET}",
    "a thread": f"std::thread t(work, x, a); {GET} t.join();",
    "a loop that is left": (
        'for (int k = 0; k < 2; k++) { steps<<<4, 256, 0, s[k]>>>(x, 1024, 1024); if (getenv("ONE")) break; }'
    ),
}


def launched(folder: Path, body: str) -> tuple[set[Outcome], list[str], set[Confidence]]:
    """The verdicts of the kernels that are launched, the causes of their races, and how sure these are."""
    report = check(folder, PROGRAM.replace("BODY", body), kernels=launched_in(body))
    found = [n for k in report.kernels for n in k.launches if n.launch_span is not None]
    races = [f for n in found for f in n.findings]
    return {n.outcome for n in found}, [f.cause for f in races], {f.confidence for f in races}


@pytest.mark.parametrize("name", TWINS)
def test_twins(tmp_path: Path, name: str) -> None:
    body, without, ordered = TWINS[name]
    outcomes, causes, sure = launched(tmp_path, body.format(without))
    assert Outcome.RACE in outcomes
    assert all(cause.endswith("and nothing orders the two") for cause in causes)
    assert sure == {Confidence.DEFINITE}
    assert launched(tmp_path, body.format(ordered)) == ({Outcome.SAFE}, [], set())


@pytest.mark.parametrize("name", NOT_SURE)
def test_what_is_not_sure_is_no_race(tmp_path: Path, name: str) -> None:
    outcomes, causes, _ = launched(tmp_path, NOT_SURE[name])
    assert Outcome.RACE not in outcomes
    assert causes == []


def test_a_race_has_both_places_and_a_witness(tmp_path: Path) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", f"{PUT}\n  {GET}"))
    (finding,) = next(k for k in report.kernels if k.kernel == "put").findings
    assert (finding.rule, finding.first.span.line, finding.second.span.line) == ("HGRD012", 9, 12)
    assert finding.cause == (
        "kernel 'get' at program.cu:58 may run at the same time and reads 'x', which this kernel writes, "
        "and nothing orders the two"
    )
    witness = finding.witness
    assert (witness.first.of, witness.second.of) == ("", "kernel 'get' at program.cu:58")
    assert witness.first.first_byte == witness.second.first_byte
    own, other = (256 * t.block[0] + t.thread[0] for t in (witness.first, witness.second))
    assert own == 1023 - other
