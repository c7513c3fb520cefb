"""Concrete runs of host code with a device: what they know of the C++ library, the runtime, and the order of work."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>
__global__ void put(int *p, int at) { p[at + threadIdx.x] = at; }
struct Part { int *p; int at; };  // with padding at its end
__global__ void put_part(Part part) { part.p[part.at + threadIdx.x] = part.at; }
struct Stream {
  cudaStream_t s;
  Stream() { cudaStreamCreate(&s); }
  Stream(unsigned flags) { cudaStreamCreateWithFlags(&s, flags); }
  cudaStream_t get() const { return s; }
};
struct Waiting {
  cudaStream_t s = 0;
  ~Waiting() { cudaDeviceSynchronize(); }
};
int main(int argc, char **argv) {
  int *p;
  cudaMalloc(&p, 1 << 20);
  cudaStream_t s, t, legacy = 0;
  cudaStreamCreate(&s), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEvent_t e;
  cudaEventCreate(&e);
  BODY
}
"""
FIRST, SECOND = "put<<<1, 32, 0, s>>>(p, 0);", "put<<<1, 32, 0, t>>>(p, 16);"


def _races(folder: Path, body: str) -> int:
    tables = link((parse(folder, PROGRAM.replace("BODY", body)),))
    return len(run_beside_launches(tables, tables.functions["main"], inf).races)


@pytest.mark.parametrize(
    ("body", "races"),
    [
        (f"{FIRST} {SECOND}", 1),
        (f"{FIRST} put<<<1, 32, 0, t>>>(p, 32);", 0),
        (f"{FIRST} put<<<1, 32, 0, s>>>(p, 16);", 0),
        (f"{FIRST} cudaStreamSynchronize(s); {SECOND}", 0),
        (f"{FIRST} cudaStreamSynchronize(t); {SECOND}", 1),
        (f"{FIRST} cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0); {SECOND}", 0),
        (f"cudaEventRecord(e, s); {FIRST} cudaStreamWaitEvent(t, e, 0); {SECOND}", 1),
        (f"{FIRST} cudaEventRecord(e, s); cudaEventSynchronize(e); {SECOND}", 0),
        (f"{FIRST} put<<<1, 32>>>(p, 16);", 0),  # the legacy default stream waits for others
        ("put<<<1, 32>>>(p, 0); " + SECOND, 1),  # but not for one that is non-blocking
        (f"{FIRST} cudaFree(0); {SECOND}", 0),
        (f"{FIRST} cudaGetLastError(); {SECOND}", 1),
        (f"{FIRST} cudaMemsetAsync(p, 0, 128, t);", 1),
        ("cudaMemsetAsync(p, 0, 128, s); cudaMemsetAsync(p, 0, 128, t);", 0),  # the same bytes
    ],
)
def test_order_of_streams_and_events(tmp_path: Path, body: str, races: int) -> None:
    assert _races(tmp_path, body) == races


@pytest.mark.parametrize(
    ("body", "races"),
    [
        ("std::vector<std::unique_ptr<Stream>> a; for (int i = 0; i < 2; i++) a.push_back(std::make_unique<Stream>());"
         "put<<<1, 32, 0, a[0]->get()>>>(p, 0); put<<<1, 32, 0, a[1]->get()>>>(p, 16);", 1),
        ("std::vector<std::unique_ptr<Stream>> a; for (int i = 0; i < 2; i++) a.push_back(std::make_unique<Stream>());"
         "put<<<1, 32, 0, a[0]->get()>>>(p, 0); put<<<1, 32, 0, (*a[0]).get()>>>(p, 16);", 0),
        ("auto a = std::make_unique<Stream>(1u); std::unique_ptr<Stream> b(new Stream); if (b) std::swap(s, a->s);"
         f"{FIRST} put<<<1, 32>>>(p, 16);", 1),
        ("auto a = std::make_unique<Stream>(); auto b = std::move(a); if (a) cudaDeviceSynchronize();"
         f"put<<<1, 32, 0, b->get()>>>(p, 0); {SECOND}", 1),
        ("std::vector<Stream> a; a.emplace_back(1u); a.emplace_back(1u);"
         "put<<<1, 32, 0, a[0].get()>>>(p, 0); put<<<1, 32, 0, a[1].get()>>>(p, 16);", 1),
        ("for (int at : {0, 16}) put<<<1, 32, 0, at ? s : t>>>(p, at);", 1),
        ("for (int at : {0, 32}) put<<<1, 32, 0, at ? s : t>>>(p, at);", 0),
        ("std::swap(s, t); cudaStream_t u = std::exchange(s, t);"
         "put<<<1, 32, 0, u>>>(p, 0); put<<<1, 32, 0, s>>>(p, 16);", 1),
        ("int at = 16; void *given[] = {&p, &at};"
         f"cudaLaunchKernel((void *)put, dim3(1), dim3(32), given, 0, t); {FIRST}", 1),
        ("int at = 32; void *given[] = {&p, &at};"
         f"cudaLaunchKernel((void *)put, dim3(1), dim3(32), given, 0, t); {FIRST}", 0),
        ("int sms = 0; cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);"
         f"if (sms > 1) put<<<1, 32, 0, t>>>(p, 16); {FIRST}", 1),
        ("cudaDeviceProp d; cudaGetDeviceProperties(&d, 0); put<<<1, d.warpSize, 0, t>>>(p, 31);" + FIRST, 1),
        ("std::vector<int> h(5000000); for (int i = 0; i < 5000000; i++) h[i] = i * 2;"
         f"if (h.size() == 5000000) {FIRST} {SECOND}", 1),  # too long to be followed, but it keeps the size
        (f"{FIRST} {{ std::vector<std::unique_ptr<Waiting>> held; }} {SECOND}", 0),  # may destroy what waits
        (f"{FIRST} {{ std::vector<std::unique_ptr<Stream>> held; }} {SECOND}", 1),
        (f"{FIRST} if (argc > 1) cudaDeviceSynchronize(); {SECOND}", 1),
        (f"{FIRST} if (rand() % 2) cudaDeviceSynchronize(); {SECOND}", 0),  # it is not known
        (f"Part part{{p, 0}}; put_part<<<1, 32, 0, s>>>(part); {SECOND}", 1),
    ],
)  # fmt: skip
def test_host_code_of_the_library(tmp_path: Path, body: str, races: int) -> None:
    assert _races(tmp_path, body) == races


def test_host_accesses_of_locked_memory(tmp_path: Path) -> None:
    made = "int *h; cudaMallocHost(&h, 128); cudaMemcpyAsync(h, p, 128, cudaMemcpyDeviceToHost, s);"
    assert _races(tmp_path, f"{made} return h[0];") == 1
    assert _races(tmp_path, f"{made} cudaStreamSynchronize(s); return h[0];") == 0
    assert _races(tmp_path, f"{made} return h[40];") == 0
    assert _races(tmp_path, made.replace("DeviceToHost", "HostToDevice").replace("h, p", "p, h") + " return h[0];") == 0
    assert _races(tmp_path, made.replace("h, p", "p, h").replace("DeviceToHost", "HostToDevice") + " h[0] = 1;") == 1
    pageable = made.replace("cudaMallocHost(&h, 128)", "h = new int[32]")
    assert _races(tmp_path, f"{pageable} return h[0];") == 0
