"""Kernels on different streams: where nothing waits in between and one changes what both use, neither is safe."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <vector>
struct Part { int *a; int n; };
__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}

__global__ void use(const int *a, int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[n - 1 - i];
}

__global__ void count(const int *a, int *sum) { atomicAdd(sum, a[threadIdx.x]); }

int main(int argc, char **argv) {
  const int n = 4096;
  int *a, *b, *c;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&c, n * sizeof(int));
  cudaStream_t s, t, many[4];
  cudaStreamCreateWithFlags(&s, FLAGS);
  cudaStreamCreateWithFlags(&t, FLAGS);
  for (int i = 0; i < 4; i++) cudaStreamCreateWithFlags(&many[i], FLAGS);
  std::vector<Part> p(100);
  for (auto &part : p) cudaMalloc(&part.a, n * sizeof(int));
  cudaEvent_t done, other;
  cudaEventCreate(&done);
  cudaEventCreate(&other);
  BODY
  cudaDeviceSynchronize();
}
"""

FILL = "fill<<<16, 256, 0, s>>>(a, n);"
USE = "use<<<16, 256, 0, t>>>(a, b, n);"
ALONE = [
    "for (int i = 0; i < 100; i++) fill<<<1, 256, 0, i % 2 ? s : t>>>(i % 2 ? a : c, n);",
    "for (int i = 0; i < 100; i++) { fill<<<16, 256, 0, many[i % 4]>>>(p[i].a, n);"
    "use<<<16, 256, 0, many[i % 4]>>>(p[i].a, b, n); cudaDeviceSynchronize(); }",
    f"{FILL} use<<<16, 256, 0, s>>>(a, b, n);",
    f"{FILL} cudaEventRecord(done, s); cudaStreamWaitEvent(t, done, 0); {USE}",
    f"{FILL} cudaStreamSynchronize(s); {USE}",
    f"{FILL} cudaDeviceSynchronize(); {USE}",
    f"{FILL} cudaEventRecord(done, s); cudaEventSynchronize(done); {USE}",
    "fill<<<16, 256, 0, s>>>(c, n); use<<<16, 256, 0, t>>>(a, b, n);",
    "use<<<16, 256, 0, s>>>(a, b, n); use<<<16, 256, 0, t>>>(a, c, n);",
    f"if (argc > 1) {{ {FILL} }} else {{ {USE} }}",
    # what a stream has waited for another one's wait holds, too
    f"{FILL} cudaEventRecord(done, s); cudaStreamWaitEvent(many[1], done, 0); cudaEventRecord(other, many[1]);"
    f"cudaStreamWaitEvent(t, other, 0); {USE}",
    "count<<<1, 64, 0, s>>>(a, c); count<<<1, 64, 0, t>>>(a, c);",
    "for (int i = 0; i < 100; i++) fill<<<1, 256, 0, many[i % 4]>>>(a + i % 4 * 1024, 1024);",
    "for (int i = 0; i < 100; i++) { cudaStreamWaitEvent(s, other, 0); fill<<<16, 256, 0, s>>>(a, n);"
    "cudaEventRecord(done, s); cudaStreamWaitEvent(t, done, 0); use<<<16, 256, 0, t>>>(a, b, n);"
    "cudaEventRecord(other, t); }",
    "for (int i = 0; i < 4; i++) { fill<<<16, 256, 0, many[i]>>>(a, n); cudaStreamSynchronize(many[i]); }",
    f"{FILL} for (int i = 0; i < argc; i++) cudaStreamSynchronize(s); {USE}",
]
TOGETHER = [
    "for (int i = 0; i < 100; i++) fill<<<1, 256, 0, i % 2 ? s : t>>>(a, n);",
    "for (int i = 0; i < 100; i++) { fill<<<16, 256, 0, many[i % 4]>>>(p[i].a, n);"
    "use<<<16, 256, 0, many[(i + 1) % 4]>>>(p[i].a, b, n); cudaDeviceSynchronize(); }",
    f"{FILL} {USE}",
    f"{FILL} cudaEventRecord(done, s); cudaStreamWaitEvent(s, done, 0); {USE}",
    f"cudaEventRecord(done, s); {FILL} cudaStreamWaitEvent(t, done, 0); {USE}",
    f"{FILL} cudaEventRecord(other, s); cudaStreamWaitEvent(t, done, 0); {USE}",
    f"{FILL} cudaStreamSynchronize(t); {USE}",
    f"{FILL} {USE} cudaDeviceSynchronize();",
    f"if (argc > 1) {{ {FILL} }} {USE}",
    "for (int i = 0; i < 100; i++) fill<<<1, 256, 0, many[i % 4]>>>(a + i % 3 * 1024, 1024);",
    "for (int i = 0; i < 100; i++) { fill<<<16, 256, 0, s>>>(a, n); cudaEventRecord(done, s);"
    "cudaStreamWaitEvent(t, done, 0); use<<<16, 256, 0, t>>>(a, b, n); cudaEventRecord(other, t); }",
    "for (int i = 0; i < 4; i++) { cudaSetDevice(i); fill<<<16, 256>>>(a, n); }",
]
MAY_WAIT = [
    "int *d; cudaMalloc(&d, 4);",
    "void wait_for_all(); wait_for_all();",
    "std::atomic<int> turn{0}; turn.fetch_add(1);",
    "std::mutex m; { std::lock_guard<std::mutex> lock(m); }",
]
CANNOT_WAIT = ['printf("%d", n);', "std::vector<int> v(4);", "int m = std::max(n, 4); (void)m;"]
UNDECIDED = (0, 9, 11)  # of TOGETHER: it is not sure that the two runs are at the same time, or of the same elements


def outcomes(folder: Path, body: str, flags: str = "cudaStreamNonBlocking") -> set[Outcome]:
    found = check(folder, PROGRAM.replace("FLAGS", flags).replace("BODY", body))
    return {launch.outcome for kernel in found.kernels for launch in kernel.launches if launch.launch_span is not None}


@pytest.mark.parametrize("body", ALONE, ids=range(len(ALONE)))
def test_kernels_in_an_order_or_apart_are_safe(tmp_path: Path, body: str) -> None:
    assert outcomes(tmp_path, body) == {Outcome.SAFE}


@pytest.mark.parametrize("number", range(len(TOGETHER)))
def test_kernels_that_share_memory_at_the_same_time_are_not(tmp_path: Path, number: int) -> None:
    outcome = Outcome.UNKNOWN if number in UNDECIDED else Outcome.RACE
    assert outcomes(tmp_path, TOGETHER[number]) == {outcome}


@pytest.mark.parametrize("between", MAY_WAIT)
def test_what_may_wait_orders_nothing_for_sure(tmp_path: Path, between: str) -> None:
    assert outcomes(tmp_path, f"{FILL} {between} {USE}") == {Outcome.UNKNOWN}


@pytest.mark.parametrize("between", CANNOT_WAIT)
def test_what_cannot_wait_leaves_a_race(tmp_path: Path, between: str) -> None:
    assert outcomes(tmp_path, f"{FILL} {between} {USE}") == {Outcome.RACE}


@pytest.mark.parametrize(
    ("flags", "outcome"), [("cudaStreamNonBlocking", Outcome.RACE), ("cudaStreamDefault", Outcome.SAFE)]
)
def test_the_default_stream_waits_for_others_that_wait_for_it(tmp_path: Path, flags: str, outcome: Outcome) -> None:
    assert outcomes(tmp_path, "fill<<<16, 256>>>(a, n); use<<<16, 256, 0, t>>>(a, b, n);", flags) == {outcome}
    between = f"{FILL} fill<<<16, 256>>>(c, n); {USE}"
    assert outcomes(tmp_path, between, flags) == ({Outcome.SAFE} | {outcome})


@pytest.mark.parametrize(
    ("flags", "outcome"),
    [("cudaStreamNonBlocking", Outcome.RACE), ("1", Outcome.RACE), ("cudaStreamDefault", Outcome.SAFE)],
)
def test_the_kind_of_a_stream_may_be_an_argument(tmp_path: Path, flags: str, outcome: Outcome) -> None:
    of_class = (
        "struct Stream { cudaStream_t s; explicit Stream(unsigned kind) { cudaStreamCreateWithFlags(&s, kind); }"
        f"operator cudaStream_t() const {{ return s; }} }}; Stream own({flags});"
    )
    body = f"{of_class} fill<<<16, 256>>>(a, n); use<<<16, 256, 0, own>>>(a, b, n);"
    assert outcomes(tmp_path, body) == {outcome}


def test_both_kernels_say_which_other_one(tmp_path: Path) -> None:
    found = check(tmp_path, PROGRAM.replace("FLAGS", "0").replace("BODY", f"{FILL} {USE}"))
    reasons = {k.kernel: [f.cause for f in k.findings] for k in found.kernels[:2]}
    place = {
        k.kernel: f"at program.cu:{n.launch_span.line}" for k in found.kernels[:2] for n in k.launches if n.launch_span
    }
    no_order = ", and nothing orders the two"
    assert reasons == {
        "fill": [
            f"kernel 'use' {place['use']} may run at the same time and reads 'a', which this kernel writes{no_order}"
        ],
        "use": [
            f"kernel 'fill' {place['fill']} may run at the same time and writes 'a', which this kernel reads{no_order}"
        ],
    }


@pytest.mark.parametrize(("offset", "assumed"), [("1024 * i", True), ("0 * i", False)])
def test_another_address_in_one_object_is_an_assumption(tmp_path: Path, offset: str, assumed: bool) -> None:
    body = f"for (int i = 0; i < 4; i++) fill<<<4, 256, 0, many[i]>>>(a + {offset}, 1024);"
    found = check(tmp_path, PROGRAM.replace("FLAGS", "0").replace("BODY", body)).kernels[0]
    text = "touches other elements of 'a' than another run of this launch, which may run at the same time"
    assert (found.outcome is Outcome.SAFE) is assumed
    assert any(a.text == text for n in found.launches for a in n.assumptions) is assumed


NODES = """
__global__ void fill(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }
__global__ void twice(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }

int main() {
  int *a, n = 4096;
  cudaMalloc(&a, n * sizeof(int));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  void *arguments[] = {&a, &n};
  cudaKernelNodeParams p = {}, q = {};
  p.func = (void *)fill;
  q.func = (void *)twice;
  p.gridDim = q.gridDim = dim3(16);
  p.blockDim = q.blockDim = dim3(256);
  p.kernelParams = q.kernelParams = arguments;
  cudaGraphNode_t first, second;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p);
  cudaGraphAddKernelNode(&second, graph, DEPENDENCIES, &q);
  LINK
}
"""


@pytest.mark.parametrize(
    ("dependencies", "link", "outcome"),
    [
        ("nullptr, 0", "", Outcome.UNKNOWN),
        ("&first, 1", "", Outcome.SAFE),
        ("nullptr, 0", "cudaGraphAddDependencies(graph, &first, &second, nullptr, 1);", Outcome.SAFE),
    ],
)
def test_nodes_of_a_graph(tmp_path: Path, dependencies: str, link: str, outcome: Outcome) -> None:
    found = check(tmp_path, NODES.replace("DEPENDENCIES", dependencies).replace("LINK", link))
    assert {k.outcome for k in found.kernels} == {outcome}
