"""What kernels leave in memory, for what the program does next: numbers, vectors, records with pointers."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <vector>
struct Item { float4 where; int *data; int at; int more; };
__global__ void put(int *p, int at) { p[at + threadIdx.x] = at; }
__global__ void move(float4 *all) {
  float4 one = all[threadIdx.x];
  one.x = 16;
  all[threadIdx.x] = one;
}
__global__ void swap(Item *a, Item *b) {
  Item held = a[threadIdx.x];
  held.at += 16;
  b[threadIdx.x] = held;
}
__global__ void put_item(const Item *item) { item->data[item->at + threadIdx.x] = item->at; }
int main() {
  int *p, *unknown;
  cudaMalloc(&p, 1 << 20), cudaMalloc(&unknown, 64);
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  BODY
}
"""
VECTORS = (
    "float4 h[32]; for (int i = 0; i < 32; i++) h[i] = make_float4(i, 32, 3, 4); float4 *d; cudaMalloc(&d, sizeof h);"
    "cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); move<<<1, 32>>>(d);"
    "cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);"
)
RECORDS = (
    "Item h[4]; for (int i = 0; i < 4; i++) h[i] = Item{make_float4(0, 0, 0, 0), p, 8 * i, 0}; Item *a, *b;"
    "cudaMalloc(&a, sizeof h), cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);"
    "cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice); swap<<<1, 4>>>(a, b); cudaDeviceSynchronize();"
)


@pytest.mark.parametrize(
    ("body", "racy"),
    [
        (f"{VECTORS} put<<<1, 32, 0, s>>>(p, 0); put<<<1, 32, 0, t>>>(p, h[5].x);", True),
        (f"{VECTORS} put<<<1, 32, 0, s>>>(p, 0); put<<<1, 32, 0, t>>>(p, h[5].y);", False),
        (f"{RECORDS} put<<<1, 32, 0, s>>>(p, 0); put_item<<<1, 32, 0, t>>>(b + 1);", True),  # at 24
        (f"{RECORDS} put<<<1, 32, 0, s>>>(p, 0); put_item<<<1, 32, 0, t>>>(b + 2);", False),  # at 32
        (f"{RECORDS} put<<<1, 32, 0, s>>>(p, 0); put_item<<<1, 32, 0, t>>>(a + 2);", True),  # as the host has made it
    ],
)
def test_members_of_vectors_and_records(tmp_path: Path, body: str, racy: bool) -> None:
    tables = link((parse(tmp_path, PROGRAM.replace("BODY", body)),))
    assert bool(run_beside_launches(tables, tables.functions["main"], inf).races) is racy
