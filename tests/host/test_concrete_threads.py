"""Threads of the host in concrete runs with a device: what they use until the program waits for them."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <future>
#include <mutex>
#include <thread>
#include <vector>
__global__ void put(int *p, int at) { p[at + threadIdx.x] = at; }
int look(const int *p, int at) { return p[at]; }
struct Place { int *p; int at; };
void look_at(const Place &place) { if (place.p[place.at] == 7) abort(); }
void change(Place &place, int by) { place.at -= by; look_at(place); }
int main() {
  int *p, *q;
  cudaMallocManaged(&p, 4096), cudaMallocManaged(&q, 4096);
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  BODY
  cudaDeviceSynchronize();
}
"""
PUT = "put<<<1, 32, 0, s>>>(p, 0);"
TWO = "std::vector<std::thread> all; for (int i = 0; i < 2; i++) all.emplace_back([=] {"
JOINED = "for (auto &one : all) one.join();"


def _races(folder: Path, body: str) -> int:
    tables = link((parse(folder, PROGRAM.replace("BODY", body)),))
    return len(run_beside_launches(tables, tables.functions["main"], inf).races)


@pytest.mark.parametrize(
    ("body", "races"),
    [
        (f"auto f = std::async(std::launch::async, look, p, 3); {PUT} f.get();", 1),
        (f"auto f = std::async(std::launch::async, look, p, 3); f.get(); {PUT}", 0),
        (f"auto f = std::async(std::launch::async, look, p, 3); f.wait(); {PUT}", 0),
        (f"auto f = std::async(std::launch::async, look, p, 40); {PUT} f.get();", 0),
        (f"auto f = std::async(std::launch::async, look, q, 3); {PUT} f.get();", 0),
        (f"auto f = std::async(std::launch::deferred, look, p, 3); {PUT} cudaDeviceSynchronize(); f.get();", 0),
        (f"std::future<int> f[2]; if (!f[0].valid()) f[0] = std::async(look, p, 3); {PUT} f[0].get();", 1),
        (f"std::future<int> f[2]; f[0] = std::async(look, p, 3); if (f[0].valid()) f[0].get(); {PUT}", 0),
        (f"Place at{{p, 3}}; std::thread a(look_at, std::cref(at)); {PUT} a.join();", 1),
        (f"Place at{{p, 3}}; std::thread a(look_at, std::cref(at)); a.join(); {PUT}", 0),
        (f"Place at{{p, 40}}; std::thread a(change, std::ref(at), 37); {PUT} a.join();", 1),
        (f"Place at{{p, 3}}; std::thread a(change, std::ref(at), -37); {PUT} a.join();", 0),
        (f"std::thread a([&] {{ p[3] = 1; }}); {PUT} a.join();", 1),
        (f"std::thread a([&] {{ p[3] = 1; }}); a.join(); {PUT}", 0),
        (f"{PUT} std::thread a([&] {{ p[3] = 1; }}); a.join();", 1),
        (f"{PUT} std::thread a([&] {{ cudaStreamSynchronize(s); p[3] = 1; }}); a.join();", 0),
        (f"std::thread a([&] {{ {PUT} cudaStreamSynchronize(s); }}); put<<<1, 32, 0, t>>>(p, 16); a.join();", 1),
        (f"std::thread a([&] {{ {PUT} cudaStreamSynchronize(s); }}); a.join(); put<<<1, 32, 0, t>>>(p, 16);", 0),
        (f"std::thread a([&] {{ {PUT} }}); a.join(); put<<<1, 32, 0, t>>>(p, 16);", 1),
        (f"{TWO} put<<<1, 32, 0, i ? s : t>>>(p, 16 * i); }}); {JOINED}", 1),
        (f"{TWO} put<<<1, 32, 0, i ? s : t>>>(p, 32 * i); }}); {JOINED}", 0),
        (f"std::mutex m; std::thread a([&] {{ std::lock_guard<std::mutex> l(m); p[3] = 1; }}); {PUT} a.join();", 0),
    ],
)  # fmt: skip
def test_threads(tmp_path: Path, body: str, races: int) -> None:
    """Where threads may order each other by other means than their ends, nothing is said."""
    assert _races(tmp_path, body) == races
