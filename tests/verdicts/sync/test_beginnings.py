"""What flags and counters hold when a kernel begins: an order by them rests on it."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

FLAG = """
#include <cuda_runtime.h>
__device__ int named;
__device__ int preset = 1;
__managed__ int managed;
__global__ void fill(int *flag, int v) { flag[threadIdx.x] = v; }
__global__ void set_and_clear(int *flag) { atomicExch(flag, 0); atomicExch(flag, 1); }
__global__ void clear_and_clear(int *flag) { atomicExch(flag, 2); atomicExch(flag, 0); }
__global__ void k(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data += 3;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) != 1) {}
    __threadfence();
    *out = *data;
    BACK
  }
}
__global__ void by_name(int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) { *data += 3; __threadfence(); atomicExch(&NAME, 1); }
  else { while (atomicAdd(&NAME, 0) != 1) {} __threadfence(); *out = *data; }
}
int main(int argc, char **argv) {
  int *d, *f, *o;
  cudaMalloc(&d, 4), cudaMalloc(&f, 4), cudaMalloc(&o, 4);
  HOST
}
"""
LAUNCH, BY_NAME = "k<<<2, 32>>>(d, f, o);", "by_name<<<2, 32>>>(d, o);"
COPY = "int v = NUMBER; cudaMemcpy(f, &v, sizeof v, cudaMemcpyHostToDevice);"
TO_SYMBOL = "int v = NUMBER; cudaMemcpyToSymbol(named, &v, sizeof v);"


def outcome(folder: Path, host: str, back: str = "", name: str = "named") -> Outcome:
    text = FLAG.replace("HOST", host).replace("BACK", back).replace("NAME", name)
    kernel = "by_name" if BY_NAME in host else "k"
    (found,) = (k for k in check(folder, text).kernels if k.kernel == kernel)
    return found.outcome


@pytest.mark.parametrize(
    "host",
    [
        LAUNCH,
        f"cudaMemset(f, 0, 4); {LAUNCH}",
        f"cudaMemset(f, 0xff, 4); {LAUNCH}",
        f"{COPY.replace('NUMBER', '0')} {LAUNCH}",
        f"{COPY.replace('NUMBER', 'argc')} {LAUNCH}",
        f"fill<<<1, 1>>>(f, 0); {LAUNCH}",
        f"for (int i = 0; i < 10; i++) {{ cudaMemset(f, 0, 4); {LAUNCH} }}",
        f"for (int i = 0; i < 10; i++) {{ fill<<<1, 1>>>(f, 0); {LAUNCH} }}",
        f"cudaMemset(f, 0, 4); if (argc > 1) {LAUNCH} else {LAUNCH}",
        f"{TO_SYMBOL.replace('NUMBER', '2')} {BY_NAME}",
        f"managed = 0; {BY_NAME}",
    ],
)
def test_flags_that_are_not_set(tmp_path: Path, host: str) -> None:
    assert outcome(tmp_path, host, name="managed" if "managed" in host else "named") is Outcome.SAFE


@pytest.mark.parametrize(
    "host",
    [
        f"cudaMemset(f, 1, 4); {COPY.replace('NUMBER', '1')} {LAUNCH}",
        f"{COPY.replace('NUMBER', '1')} {LAUNCH}",
        f"fill<<<1, 1>>>(f, 1); {LAUNCH}",
        f"cudaMemset(f, 0, 4); for (int i = 0; i < 10; i++) {LAUNCH}",
        f"cudaMemset(f, 0, 4); {LAUNCH} {LAUNCH}",
        f"cudaMemset(f, 0, 4); if (argc > 1) {LAUNCH} {LAUNCH}",
        f"{TO_SYMBOL.replace('NUMBER', '1')} {BY_NAME}",
        f"managed = 1; {BY_NAME}",
        f"{BY_NAME} {BY_NAME}",
    ],
)
def test_flags_that_may_be_set_before(tmp_path: Path, host: str) -> None:
    assert outcome(tmp_path, host, name="managed" if "managed" in host else "named") is Outcome.RACE


@pytest.mark.parametrize(("before", "safe"), [("set_and_clear", False), ("clear_and_clear", True)])
def test_a_kernel_that_stores_only_other_values_clears_the_flag(tmp_path: Path, before: str, safe: bool) -> None:
    assert (outcome(tmp_path, f"{before}<<<1, 1>>>(f); {LAUNCH}") is Outcome.SAFE) is safe


def test_what_the_host_puts_there_is_what_the_variable_holds(tmp_path: Path) -> None:
    assert outcome(tmp_path, BY_NAME, name="preset") is Outcome.RACE
    reset = TO_SYMBOL.replace("NUMBER", "0").replace("named", "preset")
    assert outcome(tmp_path, f"{reset} {BY_NAME}", name="preset") is Outcome.SAFE


def test_who_has_waited_takes_the_flag_back(tmp_path: Path) -> None:
    again = f"cudaMemset(f, 0, 4); for (int i = 0; i < 10; i++) {LAUNCH}"
    assert outcome(tmp_path, again, back="atomicExch(flag, 0);") is Outcome.SAFE
    assert outcome(tmp_path, again) is Outcome.RACE


COUNTER = """
#include <cuda_runtime.h>
__device__ unsigned named;
__device__ unsigned preset = 3;
__global__ void k(const float *x, float *part, float *sum, unsigned *count) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (ARRIVE == gridDim.x - 1) {
    __threadfence();
    float s = 0;
    for (int b = 0; b < gridDim.x; b++) s += part[b];
    *sum = s;
    BACK
  }
}
int main() {
  float *x, *p, *s; unsigned *c;
  cudaMalloc(&x, 256), cudaMalloc(&p, 256), cudaMalloc(&s, 4), cudaMalloc(&c, 4);
  HOST
}
"""
COUNT = "k<<<64, 32>>>(x, p, s, c);"


def counted(folder: Path, host: str, arrive: str = "atomicAdd(count, 1u)", back: str = "") -> Outcome:
    text = COUNTER.replace("HOST", host).replace("ARRIVE", arrive).replace("BACK", back)
    (kernel,) = check(folder, text).kernels
    return kernel.outcome


def test_counters_that_begin_at_zero(tmp_path: Path) -> None:
    again = f"cudaMemset(c, 0, 4); for (int i = 0; i < 10; i++) {COUNT}"
    assert counted(tmp_path, f"cudaMemset(c, 0, 4); {COUNT}") is Outcome.SAFE
    assert counted(tmp_path, f"for (int i = 0; i < 10; i++) {{ cudaMemset(c, 0, 4); {COUNT} }}") is Outcome.SAFE
    assert counted(tmp_path, again, back="*count = 0;") is Outcome.SAFE
    assert counted(tmp_path, again, "atomicInc(count, gridDim.x - 1)") is Outcome.SAFE
    assert counted(tmp_path, COUNT, "atomicAdd(&named, 1u)") is Outcome.SAFE


def test_counters_that_do_not(tmp_path: Path) -> None:
    again = f"cudaMemset(c, 0, 4); for (int i = 0; i < 10; i++) {COUNT}"
    assert counted(tmp_path, f"cudaMemset(c, 1, 4); {COUNT}") is Outcome.RACE
    assert counted(tmp_path, again) is Outcome.RACE
    assert counted(tmp_path, again, "atomicInc(count, gridDim.x)") is Outcome.RACE
    assert counted(tmp_path, f"{COUNT} {COUNT}", "atomicAdd(&named, 1u)") is Outcome.RACE
    assert counted(tmp_path, COUNT, "atomicAdd(&preset, 1u)") is Outcome.RACE


def test_counters_in_managed_memory_that_functions_of_the_host_set(tmp_path: Path) -> None:
    made = "cudaMallocManaged(&c, 4); cudaMemset(c, 0, 4);"
    assert counted(tmp_path, f"{made} memset(c, 0, 4); {COUNT}") is Outcome.SAFE
    assert counted(tmp_path, f"{made} memset(c, 1, 4); {COUNT}") is Outcome.RACE
    assert counted(tmp_path, f"{made} unsigned v = 0; memcpy(c, &v, 4); {COUNT}") is Outcome.SAFE
    assert counted(tmp_path, f"{made} unsigned v = 1; memcpy(c, &v, 4); {COUNT}") is Outcome.RACE


AGAIN = "for (int i = 0; i < argc; i++)"
HOST = """
#include <cuda_runtime.h>
__global__ void k(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) { FIRST *data += 3; __threadfence(); atomicExch(flag, 1); }
  else { while (atomicAdd(flag, 0) != 1) {} __threadfence(); *out = *data; }
}
__global__ void to(int n, int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) { *data += 3; __threadfence(); atomicExch(flag, n); }
  else { while (atomicAdd(flag, 0) != n) {} __threadfence(); *out = *data; }
}
__global__ void sets(int *data, int *flag) { *data = 1; __threadfence(); atomicExch(flag, 1); }
__global__ void clears(int *flag) { atomicExch(flag, 0); }
__global__ void clears_two(int *flag) { flag[0] = 0; flag[1] = 0; }
__global__ void one(int *flag) { flag[0] = 1; }
void check(cudaError_t e);
int main(int argc, char **argv) {
  int *d, *f, *o, *m, zero = 0, ones[64];
  cudaMalloc(&d, 4), cudaMalloc(&f, 256), cudaMalloc(&o, 4), cudaMallocManaged(&m, 256);
  BODY
}
"""
MANAGED = "k<<<2, 32>>>(d, m, o);"


def on_host(folder: Path, body: str, first: str = "") -> Outcome:
    found = check(folder, HOST.replace("BODY", body).replace("FIRST", first)).kernels
    kernel = "to" if "to<<<" in body else "k"
    return next(k.outcome for k in found if k.kernel == kernel)


@pytest.mark.parametrize(
    "body",
    [
        f"{AGAIN} {{ {LAUNCH} cudaMemset(f, 0, 256); }}",
        f"{AGAIN} {{ {LAUNCH} clears<<<1, 1>>>(f); }}",
        f"{AGAIN} {{ if (i % 3 == 0) continue; {LAUNCH} cudaMemset(f, 0, 256); }}",
        f"for (;;) {{ if (argc-- < 0) break; {LAUNCH} cudaMemset(f, 0, 256); }}",
        f"{AGAIN} {{ {LAUNCH} clears_two<<<1, 1>>>(f); }}",
        f"{AGAIN} {{ check(cudaMemset(f, 0, 256)); {LAUNCH} }}",
        f"{AGAIN} for (int j = 0; j < 3; j++) {{ cudaMemset(f, 0, 4); {LAUNCH} }}",
        f"{AGAIN} {{ for (int j = 0; j < 64; j++) m[j] = 0; {MANAGED} cudaDeviceSynchronize(); }}",
        f"cudaMemset(f, 0xff, 256); cudaMemcpy(f, &zero, 4, cudaMemcpyHostToDevice); {LAUNCH}",
        f"cudaMemset(f, 0, 256); one<<<1, 1>>>(f + 1); {LAUNCH}",
        f"cudaMemset(f, 0, 4); {AGAIN} to<<<2, 32>>>(i + 1, d, f, o);",
        "cudaMemset(f, 0, 256); for (int i = 0; i < 64; i++) k<<<2, 32>>>(d, f + i, o);",
    ],
)
def test_what_comes_before_a_launch_clears_the_flag(tmp_path: Path, body: str) -> None:
    assert on_host(tmp_path, body) is Outcome.SAFE


@pytest.mark.parametrize(
    "body",
    [
        f"{AGAIN} {{ if (i == 0) cudaMemset(f, 0, 256); {LAUNCH} }}",
        f"for (;;) {{ if (argc-- < 0) break; {LAUNCH} if (argc % 3 == 0) cudaMemset(f, 0, 256); }}",
        f"cudaMemset(f, 0, 256); {LAUNCH} if (argc > 1) cudaMemset(f, 0, 256); {LAUNCH}",
        f"cudaMemset(f, 1, 256); one<<<1, 1>>>(f); {AGAIN} {{ {LAUNCH} cudaMemset(f, 0, 256); }}",
        f"{AGAIN} {{ cudaMemset(f, 0, 4); for (int j = 0; j < argc; j++) {LAUNCH} }}",
        f"cudaMemset(f, 0, 4); sets<<<1, 1>>>(d, f); {LAUNCH}",
        f"for (int j = 0; j < 64; j++) ones[j] = 1; cudaMemcpy(f, ones, 256, cudaMemcpyHostToDevice); {LAUNCH}",
        f"zero = argc > 1 ? 1 : 0; cudaMemcpy(f, &zero, 4, cudaMemcpyHostToDevice); {LAUNCH}",
        f"one<<<1, 1>>>(o); cudaMemcpy(f, o, 4, cudaMemcpyDeviceToDevice); {LAUNCH}",
        f"for (int j = 0; j < 64; j++) m[j] = 1; {MANAGED}",
        f"m[0] = 1; {MANAGED}",
        f"cudaMemset(f, 0, 4); {AGAIN} to<<<2, 32>>>(7, d, f, o);",
        f"cudaMemset(f, 0, 4); {AGAIN} to<<<2, 32>>>(argc, d, f, o);",
    ],
)
def test_or_it_may_leave_it_set(tmp_path: Path, body: str) -> None:
    assert on_host(tmp_path, body) is not Outcome.SAFE


def test_a_thread_that_clears_the_flag_first_does_not_take_it_back(tmp_path: Path) -> None:
    again = f"cudaMemset(f, 0, 4); {AGAIN} {LAUNCH}"
    assert on_host(tmp_path, again, "atomicExch(flag, 0);") is not Outcome.SAFE


DECLARED = """
struct Control { int flag, other; };
__device__ Control control = CONTROL;
__device__ int flags[4] = FLAGS;
__global__ void k(int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) { *data += 3; __threadfence(); atomicExch(&FLAG, 1); }
  else { while (atomicAdd(&FLAG, 0) != 1) {} __threadfence(); *out = *data; }
}
int main() {
  int *d, *o;
  cudaMalloc(&d, 4), cudaMalloc(&o, 4);
  k<<<2, 32>>>(d, o);
}
"""


@pytest.mark.parametrize(
    ("flag", "control", "flags", "safe"),
    [
        ("control.flag", "{0, 1}", "{}", True),
        ("control.flag", "{1, 0}", "{}", False),
        ("flags[2]", "{}", "{1, 1, 0, 1}", True),
        ("flags[2]", "{}", "{0, 0, 1, 0}", False),
    ],
)
def test_variables_are_declared_with_what_they_hold(
    tmp_path: Path, flag: str, control: str, flags: str, safe: bool
) -> None:
    text = DECLARED.replace("FLAGS", flags).replace("FLAG", flag).replace("CONTROL", control)
    (kernel,) = check(tmp_path, text).kernels
    assert (kernel.outcome is Outcome.SAFE) == safe


def test_counters_that_others_change(tmp_path: Path) -> None:
    def found(other: str, reset: str) -> Outcome:
        text = COUNTER.replace("ARRIVE", "atomicAdd(&named, 1u)").replace("BACK", reset)
        text = text.replace("int main", f"__global__ void other() {{ {other} }}\nint main")
        kernels = check(tmp_path, text.replace("HOST", f"for (int i = 0; i < 9; i++) {{ {COUNT} other<<<1, 1>>>(); }}"))
        return next(k.outcome for k in kernels.kernels if k.kernel == "k")

    assert found("named = 0;", "") is Outcome.SAFE
    assert found("atomicExch(&named, 0u);", "") is Outcome.SAFE
    assert found("preset = 0;", "") is not Outcome.SAFE
    assert found("preset = 0;", "named = 0;") is Outcome.SAFE
    assert found("preset = 0;", "named = 5;") is not Outcome.SAFE
    assert found("atomicAdd(&named, 1u);", "named = 0;") is not Outcome.SAFE


SHARED = """
#include <cuda_runtime.h>
__global__ void never_cleared(int *out) {
  __shared__ int flag, data;
  __syncthreads();
  if (threadIdx.x == 0) { data = 5; __threadfence_block(); atomicExch(&flag, 1); }
  if (threadIdx.x == 32) { while (atomicAdd(&flag, 0) != 1) {} __threadfence_block(); out[blockIdx.x] = data; }
}
"""


def test_flags_in_shared_memory_begin_with_anything(tmp_path: Path) -> None:
    def found(clear: str) -> Outcome:
        text = SHARED.replace("__syncthreads();", f"{clear} __syncthreads();")
        (kernel,) = check(
            tmp_path, text + "int main() { int *o; cudaMalloc(&o, 256); never_cleared<<<64, 64>>>(o); }"
        ).kernels
        return kernel.outcome

    assert found("if (threadIdx.x == 0) flag = 0;") is Outcome.SAFE
    assert found("") is Outcome.RACE


@pytest.mark.parametrize(
    ("back", "safe"),
    [
        ("*count = 0;", True),
        ("if (threadIdx.x == 0) *count = 0;", True),
        ("if (s > 0) *count = 0;", False),
        ("if (blockIdx.x == 0) *count = 0;", False),
        ("for (int i = 0; i < s; i++) *count = 0;", False),
        ("if (s > 0) return; *count = 0;", False),
        ("for (int i = 0; i < 9; i++) if (part[i] > s) return; *count = 0;", False),
    ],
)
def test_counters_are_set_back_on_every_way(tmp_path: Path, back: str, safe: bool) -> None:
    again = f"cudaMemset(c, 0, 4); for (int i = 0; i < 10; i++) {COUNT}"
    assert counted(tmp_path, again, back=back) is (Outcome.SAFE if safe else Outcome.RACE)
    assert counted(tmp_path, f"cudaMemset(c, 0, 4); {COUNT}", back=back) is Outcome.SAFE


LAST_BLOCK = """
#include <cuda_runtime.h>
__global__ void k(const float *x, float *part, float *sum, unsigned *count, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = x[blockIdx.x];
    __threadfence();
    last = atomicAdd(count, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    __threadfence();
    if (threadIdx.x == 0) for (int b = 0; b < gridDim.x; b++) *sum += part[b];
    BACK
  }
}
int main(int argc, char **argv) {
  float *x, *p, *s; unsigned *c;
  cudaMalloc(&x, 256), cudaMalloc(&p, 256), cudaMalloc(&s, 4), cudaMalloc(&c, 4);
  cudaMemset(c, 0, 4);
  for (int i = 0; i < 10; i++) k<<<64, 32>>>(x, p, s, c, argc);
}
"""


@pytest.mark.parametrize(
    ("back", "outcome"),
    [
        ("if (threadIdx.x == 0) *count = 0;", Outcome.SAFE),
        ("if (threadIdx.x == 7) *count = 0;", Outcome.SAFE),
        ("if (threadIdx.x == 77) *count = 0;", Outcome.RACE),
        ("if (threadIdx.x == 0 && n > 3) *count = 0;", Outcome.UNKNOWN),
    ],
)
def test_some_thread_of_the_last_block_sets_it_back(tmp_path: Path, back: str, outcome: Outcome) -> None:
    (kernel,) = check(tmp_path, LAST_BLOCK.replace("BACK", back)).kernels
    assert kernel.outcome is outcome


TAKEN_BACK = """
#include <cuda_runtime.h>
__global__ void k(int *data, int *flag, int *out, int n) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) { *data += 3; __threadfence(); atomicExch(flag, 1); }
  } else {
    if (threadIdx.x == 0) { BEFORE while (atomicAdd(flag, 0) != 1) {} __threadfence(); *out = *data; BACK }
    AFTER
  }
}
int main(int argc, char **argv) {
  int *d, *f, *o;
  cudaMalloc(&d, 4), cudaMalloc(&f, 4), cudaMalloc(&o, 4);
  cudaMemset(f, 0, 4);
  for (int i = 0; i < 10; i++) k<<<2, 64>>>(d, f, o, argc);
}
"""


@pytest.mark.parametrize(
    ("before", "back", "after", "safe"),
    [
        ("", "atomicExch(flag, 0);", "", True),
        ("", "", "__syncthreads(); if (threadIdx.x == 5) atomicExch(flag, 0);", True),
        ("", "", "if (threadIdx.x == 5) atomicExch(flag, 0);", False),
        ("", "", "__syncthreads(); if (threadIdx.x == 99) atomicExch(flag, 0);", False),
        ("", "if (n > 3) atomicExch(flag, 0);", "", False),
        ("", "if (*out > 3) atomicExch(flag, 0);", "", False),
        ("if (n > 3) return;", "atomicExch(flag, 0);", "", False),
    ],
)
def test_flags_are_taken_back_on_every_way(tmp_path: Path, before: str, back: str, after: str, safe: bool) -> None:
    text = TAKEN_BACK.replace("BEFORE", before).replace("BACK", back).replace("AFTER", after)
    (kernel,) = check(tmp_path, text).kernels
    assert kernel.outcome is (Outcome.SAFE if safe else Outcome.RACE)


GRAPH = """
#include <cuda_runtime.h>
__global__ void k(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) { *data += 3; __threadfence(); atomicExch(flag, 1); }
  else { while (atomicAdd(flag, 0) != 1) {} __threadfence(); *out = *data; }
}
int main(int argc, char **argv) {
  int *d, *f, *o;
  cudaMalloc(&d, 4), cudaMalloc(&f, 4), cudaMalloc(&o, 4);
  cudaMemset(f, 0, 4);
  cudaStream_t s; cudaGraph_t g, h; cudaGraphExec_t run = NULL, other; cudaGraphNode_t node;
  cudaStreamCreate(&s);
  void *arguments[] = {&d, &f, &o};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)k; kernel.gridDim = dim3(2); kernel.blockDim = dim3(32); kernel.kernelParams = arguments;
  cudaMemsetParams clear = {};
  clear.dst = f; clear.value = 0; clear.elementSize = 4; clear.width = 1; clear.height = 1;
  bool some = argc > 3;
  BODY
}
"""
BEGIN = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"
CLEAR, IN_STREAM = "cudaMemsetAsync(f, 0, 4, s);", "k<<<2, 32, 0, s>>>(d, f, o);"
MADE = "cudaGraphInstantiate(&run, g, NULL, NULL, 0);"
END = f"cudaStreamEndCapture(s, &g); {MADE}"
OTHER = "cudaStreamEndCapture(s, &h); cudaGraphInstantiate(&other, h, NULL, NULL, 0);"
RUN, RUN_OTHER = "cudaGraphLaunch(run, s);", "cudaGraphLaunch(other, s);"
NODE, CLEAR_NODE = "cudaGraphAddKernelNode(&node, g, 0, 0, &kernel);", "cudaGraphAddMemsetNode(&node, g, 0, 0, &clear);"


def in_graph(folder: Path, body: str) -> Outcome:
    (kernel,) = check(folder, GRAPH.replace("BODY", body)).kernels
    return kernel.outcome


@pytest.mark.parametrize(
    "body",
    [
        f"{BEGIN} {IN_STREAM} {END} {RUN}",
        f"{BEGIN} {CLEAR} {IN_STREAM} {END} {AGAIN} {RUN}",
        f"{BEGIN} {IN_STREAM} {CLEAR} {END} {AGAIN} {RUN}",
        f"{BEGIN} {IN_STREAM} {END} {AGAIN} {{ {CLEAR} {RUN} }}",
        f"{BEGIN} {IN_STREAM} {END} {IN_STREAM}",
        f"{AGAIN} {{ if (!run) {{ {BEGIN} {CLEAR} {IN_STREAM} {END} }} {RUN} }}",
        f"if (some) {BEGIN} {IN_STREAM} if (some) {{ {END} {RUN} }}",
        f"{BEGIN} {CLEAR} {IN_STREAM} {END} {BEGIN} {CLEAR} {IN_STREAM} {OTHER} {AGAIN} {{ {RUN} {RUN_OTHER} }}",
        f"cudaGraphCreate(&g, 0); {NODE} {MADE} {RUN}",
        f"cudaGraphCreate(&g, 0); {CLEAR_NODE} {NODE} {MADE} {AGAIN} {RUN}",
    ],
)
def test_graphs_that_clear_the_flag_each_time(tmp_path: Path, body: str) -> None:
    assert in_graph(tmp_path, body) is Outcome.SAFE


@pytest.mark.parametrize(
    "body",
    [
        f"{BEGIN} {IN_STREAM} {END} {RUN} {RUN}",
        f"{BEGIN} {IN_STREAM} {END} {AGAIN} {RUN}",
        f"{BEGIN} {IN_STREAM} {END} {AGAIN} {{ if (i % 2) {CLEAR} {RUN} }}",
        f"{BEGIN} if (some) {CLEAR} {IN_STREAM} {END} {AGAIN} {RUN}",
        f"{BEGIN} {IN_STREAM} {IN_STREAM} {END} {RUN}",
        f"{IN_STREAM} {BEGIN} {IN_STREAM} {END} {RUN}",
        f"{BEGIN} {IN_STREAM} {END} {RUN} {IN_STREAM}",
        f"{AGAIN} {{ if (!run) {{ {BEGIN} {IN_STREAM} {END} }} {RUN} }}",
        f"if (some) {BEGIN} {IN_STREAM} if (some) {{ {END} {RUN} {RUN} }}",
        f"{BEGIN} {CLEAR} {IN_STREAM} {END} {BEGIN} {IN_STREAM} {OTHER} {AGAIN} {{ {RUN} {RUN_OTHER} }}",
        f"cudaGraphCreate(&g, 0); {NODE} {MADE} {AGAIN} {RUN}",
    ],
)
def test_graphs_that_find_what_an_earlier_launch_left(tmp_path: Path, body: str) -> None:
    assert in_graph(tmp_path, body) is Outcome.RACE


CONTAINERS = "#include <algorithm>\n#include <array>\n#include <numeric>\n#include <vector>\n#include <cstdlib>\n"
TO = "cudaMemcpy(f, h.data(), 16, cudaMemcpyHostToDevice);"
TO_F = "cudaMemcpy(f, p, 16, cudaMemcpyHostToDevice);"


def from_host(folder: Path, body: str) -> Outcome:
    found = check(folder, CONTAINERS + HOST.replace("BODY", body).replace("FIRST", "")).kernels
    return next(k.outcome for k in found if k.kernel == "k")


FILLS = [
    f"std::vector<int> h(64, NUMBER); {TO} {LAUNCH}",
    f"std::vector<int> h(argc, NUMBER); {TO} {LAUNCH}",
    f"std::vector<int> h(64, NUMBER), q = h; h[0] = 5; cudaMemcpy(f, q.data(), 16, cudaMemcpyHostToDevice); {LAUNCH}",
    f"std::vector<int> h(64, NUMBER), q(h.begin(), h.end()); cudaMemcpy(f, q.data(), 16, cudaMemcpyDefault); {LAUNCH}",
    f"std::vector<int> h{{NUMBER, 1}}; {TO} {LAUNCH}",
    f"std::vector<int> h; h.assign(64, NUMBER); {TO} {LAUNCH}",
    f"std::vector<int> h; h.resize(64, NUMBER); {TO} {LAUNCH}",
    f"std::vector<int> h; for (int i = 0; i < 64; i++) h.push_back(NUMBER); {TO} {LAUNCH}",
    f"std::vector<int> h(64, 7); std::fill(h.begin(), h.end(), NUMBER); {TO} {LAUNCH}",
    f"std::vector<int> h(64, 7); for (int i = 0; i < 64; i++) h[i] = NUMBER; {TO} {LAUNCH}",
    f"std::array<int, 4> h; h.fill(NUMBER); {TO} {LAUNCH}",
    f"std::array<int, 4> h{{NUMBER, 1, 1, 1}}; {TO} {LAUNCH}",
    f"int *p = new int[4]{{NUMBER, 1, 1, 1}}; {TO_F} {LAUNCH}",
    f"int *p = new int[64]; std::fill_n(p, 64, NUMBER); {TO_F} {LAUNCH}",
    f"int *p = (int *)malloc(4 * argc); for (int i = 0; i < argc; i++) p[i] = NUMBER; {TO_F} {LAUNCH}",
    f"std::vector<int> h(64, NUMBER); cudaMemcpyAsync(f, h.data(), 16, cudaMemcpyHostToDevice, 0); {LAUNCH}",
    f"std::fill(m, m + 64, NUMBER); {MANAGED}",
    f"std::vector<int> h(64, NUMBER); std::copy(h.begin(), h.end(), m); {MANAGED}",
    f"std::iota(m, m + 64, NUMBER); {MANAGED}",
    f"m[0] = NUMBER; for (int i = 1; i < 64; i++) m[i] = 0; {MANAGED}",
]


@pytest.mark.parametrize("body", FILLS)
def test_what_the_host_fills_arrays_with(tmp_path: Path, body: str) -> None:
    assert from_host(tmp_path, body.replace("NUMBER", "0")) is Outcome.SAFE
    assert from_host(tmp_path, body.replace("NUMBER", "1")) is Outcome.RACE


@pytest.mark.parametrize(
    "body",
    [
        f"std::generate(m, m + 64, [] {{ return 1; }}); {MANAGED}",
        f"std::transform(m, m + 64, m, [](int v) {{ return v + 1; }}); {MANAGED}",
        f"std::vector<int> h(64); for (int i = 0; i < 64; i++) h[i] = (i + 1) % 7; {TO} {LAUNCH}",
    ],
)
def test_what_it_computes_there_may_be_anything(tmp_path: Path, body: str) -> None:
    assert from_host(tmp_path, body) is not Outcome.SAFE


CALLED_BACK = """
#include <cuda_runtime.h>
#include <cstdlib>
__managed__ int named;
__global__ void k(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) { *data += 3; __threadfence(); atomicExch(flag, 1); }
  else { while (atomicAdd(flag, 0) != 1) {} __threadfence(); *out = *data; }
}
__global__ void by_name(int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) { *data += 3; __threadfence(); atomicExch(&named, 1); }
  else { while (atomicAdd(&named, 0) != 1) {} __threadfence(); *out = *data; }
}
struct User { int other; int *flag; };
void CUDART_CB sets(void *p) { *(int *)p = 1; }
void CUDART_CB sets_inside(void *p) { *((User *)p)->flag = 1; }
void CUDART_CB sets_named(void *) { named = 1; }
void CUDART_CB reads(void *p) { if (*(int *)p) abort(); }
void unseen(void (*f)(void *), void *p);
void run_later();
int main(int argc, char **argv) {
  int *d, *f, *o; cudaStream_t s;
  cudaMalloc(&d, 4), cudaMallocManaged(&f, 4), cudaMalloc(&o, 4), cudaStreamCreate(&s);
  *f = 0;
  User user = {2, f};
  BODY
  if (argc > 7) by_name<<<2, 32>>>(d, o); else k<<<2, 32>>>(d, f, o);
}
"""


@pytest.mark.parametrize(
    ("body", "kernel", "safe"),
    [
        ("", "k", True),
        ("unseen(reads, f);", "k", True),
        ("int other; unseen(sets, &other);", "k", True),
        ("cudaLaunchHostFunc(s, sets, f); cudaStreamSynchronize(s);", "k", False),
        ("cudaLaunchHostFunc(s, sets_inside, &user); cudaStreamSynchronize(s);", "k", False),
        ("unseen(sets, f);", "k", False),
        ("unseen(sets_inside, &user);", "k", False),
        ("unseen(sets, f); *f = 0; run_later();", "k", False),
        ("unseen(sets, f); for (int i = 0; i < argc; i++) { *f = 0; run_later(); }", "k", False),
        ("unseen(reads, f);", "by_name", True),
        ("unseen(sets_named, 0);", "by_name", False),
    ],
)
def test_functions_that_are_called_back_may_set_flags(tmp_path: Path, body: str, kernel: str, safe: bool) -> None:
    found = check(tmp_path, CALLED_BACK.replace("BODY", body)).kernels
    (outcome,) = (k.outcome for k in found if k.kernel == kernel)
    assert outcome is (Outcome.SAFE if safe else Outcome.RACE)
