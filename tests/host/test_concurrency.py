"""Launches that may run at the same time, by streams, events and what the host waits for, and what they share.

Each program that orders its work comes with its twin that does not.
"""

from pathlib import Path

import pytest

from tests.host.programs import host

KERNELS = """
#include <cuda_runtime.h>
#include <thread>
#include <vector>
__global__ void put(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}
__global__ void get(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
__global__ void part(float *x, int first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[first + i] = i;
}
__global__ void count(int *sum) { atomicAdd(sum, 1); }
"""
MEMORY = """
  float *x, *y; int *sum;
  cudaMalloc(&x, 4096), cudaMalloc(&y, 4096), cudaMalloc(&sum, 4);
"""
TWO = """
  cudaStream_t a, b; cudaEvent_t e;
  cudaStreamCreate(&a), cudaStreamCreate(&b), cudaEventCreate(&e);
"""
FREE = """
  cudaStream_t a; cudaEvent_t e;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaEventCreate(&e);
"""
FOUR = "cudaStream_t s[4]; for (auto &one : s) cudaStreamCreate(&one);"
MANY = "std::vector<cudaStream_t> s(m); for (auto &one : s) cudaStreamCreate(&one);"


def told(folder: Path, body: str) -> tuple[list[str], list[str]]:
    """What the launches of a program assume of others, and what they share with them, without the places."""
    source = f"{KERNELS}\nint main(int m, char **) {{\n{MEMORY}\n{body}\n}}"
    run = host(folder, source)
    assert run.launches

    def without_place(text: str) -> str:
        before, at, rest = text.partition(" at a.cu:")
        return before + rest.lstrip("0123456789") if at else text

    assumed = [without_place(f.text) for site in run.launches for f in site.beside]
    shared = [without_place(n.text) for site in run.launches for n in site.shared]
    return assumed, shared


READ_AND_WRITTEN = [
    "kernel 'get' may run at the same time and reads 'x', which this kernel writes",
    "kernel 'put' may run at the same time and writes 'x', which this kernel reads",
]
ORDERED = {
    "one stream": TWO + "put<<<4, 256, 0, a>>>(x, 999); get<<<4, 256, 0, a>>>(x, y, 999);",
    "the default stream": "put<<<4, 256>>>(x, 999); get<<<4, 256>>>(x, y, 999);",
    "a stream that waits for the default one": TWO + "put<<<4, 256>>>(x, 999); get<<<4, 256, 0, a>>>(x, y, 999);",
    "the default stream waits": TWO + "put<<<4, 256, 0, a>>>(x, 999); get<<<4, 256>>>(x, y, 999);",
    "through the default stream": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); count<<<1, 1>>>(sum); get<<<4, 256, 0, b>>>(x, y, 999);",
    "the host waits for the device": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); cudaDeviceSynchronize(); get<<<4, 256, 0, b>>>(x, y, 999);",
    "the host waits for the stream": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); cudaStreamSynchronize(a); get<<<4, 256, 0, b>>>(x, y, 999);",
    "the host waits for an event": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); cudaEventRecord(e, a); cudaEventSynchronize(e); "
    + "get<<<4, 256, 0, b>>>(x, y, 999);",
    "the stream waits for an event": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0); "
    + "get<<<4, 256, 0, b>>>(x, y, 999);",
    "the host waits in either arm": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); if (m > 1) cudaStreamSynchronize(a); else cudaDeviceSynchronize(); "
    + "get<<<4, 256, 0, b>>>(x, y, 999);",
    "the host waits where it launches": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); if (m > 1) { cudaStreamSynchronize(a); get<<<4, 256, 0, b>>>(x, y, 999); }",
    "the host waits for the device before": FREE
    + "put<<<4, 256>>>(x, 999); cudaDeviceSynchronize(); cudaSetDevice(1); get<<<4, 256>>>(x, y, 999);",
    "a copy in between": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); float h; cudaMemcpy(&h, y, 4, cudaMemcpyDeviceToHost); "
    + "get<<<4, 256, 0, b>>>(x, y, 999);",
    "other memory": TWO + "put<<<4, 256, 0, a>>>(x, 999); put<<<4, 256, 0, b>>>(y, 999);",
    "only atomic additions to other memory": TWO + "count<<<4, 256, 0, a>>>(sum); put<<<4, 256, 0, b>>>(y, 999);",
    "captured in one stream": TWO
    + "cudaGraph_t g; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); put<<<4, 256, 0, a>>>(x, 999); "
    + "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0); get<<<4, 256, 0, b>>>(x, y, 999);",
    "each iteration in its stream": FOUR + "for (int i = 0; i < 8; i++) put<<<4, 256, 0, s[i % 4]>>>(x + i * 0, 9),"
    " cudaStreamSynchronize(s[i % 4]);",
    "all streams are waited for": MANY
    + "for (int i = 0; i < m; i++) part<<<4, 256, 0, s[i]>>>(y, i, 1); "
    + "for (int i = 0; i < m; i++) cudaStreamSynchronize(s[i]); put<<<4, 256, 0, s[0]>>>(y, 999);",
}
UNORDERED = {
    "waited for under a condition": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); if (m > 1) cudaStreamSynchronize(a); get<<<4, 256, 0, b>>>(x, y, 999);",
    "the event is recorded again in another stream": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); cudaEventRecord(e, a); cudaEventRecord(e, b); cudaStreamWaitEvent(b, e, 0); "
    + "get<<<4, 256, 0, b>>>(x, y, 999);",
    "the host waits for another device": FREE
    + "put<<<4, 256>>>(x, 999); cudaSetDevice(1); cudaDeviceSynchronize(); get<<<4, 256>>>(x, y, 999);",
    "two streams": TWO + "put<<<4, 256, 0, a>>>(x, 999); get<<<4, 256, 0, b>>>(x, y, 999);",
    "a stream that does not wait for the default one": FREE
    + "put<<<4, 256>>>(x, 999); get<<<4, 256, 0, a>>>(x, y, 999);",
    "the default stream does not wait": FREE + "put<<<4, 256, 0, a>>>(x, 999); get<<<4, 256>>>(x, y, 999);",
    "the host waits for the other stream": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); cudaStreamSynchronize(b); get<<<4, 256, 0, b>>>(x, y, 999);",
    "the event is recorded before": TWO
    + "cudaEventRecord(e, a); put<<<4, 256, 0, a>>>(x, 999); cudaStreamWaitEvent(b, e, 0); "
    + "get<<<4, 256, 0, b>>>(x, y, 999);",
    "the wrong stream waits for the event": TWO
    + "put<<<4, 256, 0, a>>>(x, 999); cudaEventRecord(e, a); cudaStreamWaitEvent(a, e, 0); "
    + "get<<<4, 256, 0, b>>>(x, y, 999);",
    "captured in two streams": TWO
    + "cudaGraph_t g; cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal); cudaEventRecord(e, a); "
    + "cudaStreamWaitEvent(b, e, 0); put<<<4, 256, 0, a>>>(x, 999); get<<<4, 256, 0, b>>>(x, y, 999);",
}


@pytest.mark.parametrize("name", ORDERED)
def test_ordered_work_is_told_nothing(tmp_path: Path, name: str) -> None:
    assumed, shared = told(tmp_path, ORDERED[name])
    own = "touches other elements of 'y' than another run of this launch, which may run at the same time"
    assert (assumed, shared) == ([own] if name == "all streams are waited for" else [], [])


@pytest.mark.parametrize("name", UNORDERED)
def test_the_same_memory_without_order_is_named(tmp_path: Path, name: str) -> None:
    assert told(tmp_path, UNORDERED[name]) == ([], READ_AND_WRITTEN)


def test_the_same_buffer_in_two_iterations_is_named(tmp_path: Path) -> None:
    body = FOUR + "for (int i = 0; i < 8; i++) put<<<4, 256, 0, s[i % 4]>>>(x, 9);"
    assert told(tmp_path, body) == ([], ["another run of this launch may run at the same time and writes 'x', too"])


OTHER_ELEMENTS = {
    "an offset": TWO + "put<<<4, 256, 0, a>>>(x, 9); put<<<4, 256, 0, b>>>(x + 9, 9);",
    "another first element": TWO + "part<<<4, 256, 0, a>>>(x, 0, 9); part<<<4, 256, 0, b>>>(x, 9, 9);",
    "atomic additions": TWO + "count<<<4, 256, 0, a>>>(sum); count<<<4, 256, 0, b>>>(sum);",
    "perhaps waited for": TWO + "put<<<4, 256, 0, a>>>(x, 9); while (cudaStreamQuery(a)); put<<<4, 256, 0, b>>>(x, 9);",
}


@pytest.mark.parametrize("name", OTHER_ELEMENTS)
def test_that_other_elements_are_used_is_an_assumption(tmp_path: Path, name: str) -> None:
    kernel, array = {"atomic additions": ("count", "sum"), "another first element": ("part", "x")}.get(
        name, ("put", "x")
    )
    text = f"touches other elements of '{array}' than kernel '{kernel}', which may run at the same time"
    assert told(tmp_path, OTHER_ELEMENTS[name]) == ([text, text], [])


def test_an_asynchronous_copy_on_another_stream(tmp_path: Path) -> None:
    copy = "float *h; cudaMallocHost(&h, 4096); put<<<4, 256, 0, a>>>(x, 999);"
    to_host = "cudaMemcpyAsync(h, x, 4096, cudaMemcpyDeviceToHost, {});"
    found = ["the copy may run at the same time and reads 'x', which this kernel writes"]
    assert told(tmp_path, TWO + copy + to_host.format("b")) == ([], found)
    assert told(tmp_path, TWO + copy + to_host.format("a")) == ([], [])


def test_devices(tmp_path: Path) -> None:
    body = "for (int d = 0; d < 4; d++) {{ {} part<<<4, 256>>>(x, d, 1); }}"
    own = "touches other elements of 'x' than another run of this launch, which may run at the same time"
    assert told(tmp_path, body.format("cudaSetDevice(d);")) == ([own], [])
    assert told(tmp_path, body.format("cudaSetDevice(0);")) == ([], [])


def test_threads_of_the_host(tmp_path: Path) -> None:
    source = """
    static void work(float *x) {
      cudaStream_t s; cudaStreamCreate(&s);
      put<<<4, 256, 0, %s>>>(x, 9);
      cudaStreamSynchronize(s);
    }
    int main() { float *x; cudaMalloc(&x, 36); std::thread one(work, x), two(work, x); one.join(); two.join(); }
    """
    own = "another run of this launch may run at the same time and writes 'x', too"
    (tmp_path / "s").mkdir()
    apart = host(tmp_path / "s", KERNELS + source % "s")
    assert [n.text for site in apart.launches for n in site.shared] == [own]
    default = host(tmp_path, KERNELS + source % "0")
    assert [f.text for site in default.launches for f in site.beside] == []


def test_nodes_of_a_graph(tmp_path: Path) -> None:
    body = """
      int n = 999; void *given[] = {{&x, &n}}, *taken[] = {{&x, &y, &n}};
      cudaKernelNodeParams p = {{}}, q = {{}};
      p.func = (void *)put; p.gridDim = dim3(4); p.blockDim = dim3(256); p.kernelParams = given;
      q.func = (void *)get; q.gridDim = dim3(4); q.blockDim = dim3(256); q.kernelParams = taken;
      cudaGraph_t g; cudaGraphCreate(&g, 0);
      cudaGraphNode_t one, two;
      cudaGraphAddKernelNode(&one, g, nullptr, 0, &p);
      cudaGraphAddKernelNode(&two, g, {}, &q);
    """
    assert told(tmp_path, body.format("&one, 1")) == ([], [])
    assert told(tmp_path, body.format("nullptr, 0")) == ([], READ_AND_WRITTEN)
