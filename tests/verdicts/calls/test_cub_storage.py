"""Temporary storage of CUB's collectives: used again behind a barrier, or without one."""

from pathlib import Path

from hgrd.findings.rules import STORAGE_REUSE
from tests.checking import check, verdicts

SOURCE = """
#include <cub/cub.cuh>
using Scan = cub::BlockScan<int, 64>;
using Reduce = cub::BlockReduce<int, 64>;
using WarpSum = cub::WarpReduce<int>;
using HalfSum = cub::WarpReduce<int, 16>;

// race: read scan, write again; shared; warp block
__global__ void twice(int *a, int x, int y) {
  __shared__ typename Scan::TempStorage storage;
  int i = threadIdx.x, p, q;
  Scan(storage).ExclusiveSum(x + i, p);  // scan
  Scan(storage).ExclusiveSum(y + i, q);  // again
  a[blockIdx.x * 64 + i] = p + q;
}

// safe: 8 of 8 pairs
__global__ void twice_with_a_barrier(int *a, int x, int y) {
  __shared__ typename Scan::TempStorage storage;
  int i = threadIdx.x, p, q;
  Scan(storage).ExclusiveSum(x + i, p);
  __syncthreads();
  Scan(storage).ExclusiveSum(y + i, q);
  a[blockIdx.x * 64 + i] = p + q;
}

// safe: 5 of 5 pairs
__global__ void storage_for_each(int *a, int x, int y) {
  __shared__ struct { typename Scan::TempStorage one; } first;
  __shared__ struct { typename Reduce::TempStorage two; } second;
  int i = threadIdx.x, p;
  Scan scan(first.one);
  scan.ExclusiveSum(x + i, p);
  int total = Reduce(second.two).Sum(y);
  a[blockIdx.x * 64 + i] = p + total;
}

// race: read turn, write turn; shared; warp block
__global__ void in_a_loop(int *a, int n) {
  __shared__ typename Reduce::TempStorage storage;
  int sum = 0;
  for (int k = 0; k < n; k++) sum += Reduce(storage).Sum(k);  // turn
  a[blockIdx.x * 64 + threadIdx.x] = sum;
}

// safe: 3 of 3 pairs
__global__ void in_a_loop_with_a_barrier(int *a, int n) {
  __shared__ typename Reduce::TempStorage storage;
  int sum = 0;
  for (int k = 0; k < n; k++) {
    sum += Reduce(storage).Sum(k);
    __syncthreads();
  }
  a[blockIdx.x * 64 + threadIdx.x] = sum;
}

// race: write exchange, write exchange; shared; warp block
__global__ void exchanged_in_a_loop(int *a, int n) {
  using Exchange = cub::BlockExchange<int, 64, 2>;
  __shared__ typename Exchange::TempStorage storage;
  int items[2] = {0, 1};
  for (int k = 0; k < n; k++) Exchange(storage).StripedToBlocked(items);  // exchange
  a[blockIdx.x * 64 + threadIdx.x] = items[0];
}

// safe: 2 of 2 pairs
__global__ void exchanged_once(int *a) {
  using Exchange = cub::BlockExchange<int, 64, 2>;
  __shared__ typename Exchange::TempStorage storage;
  int items[2] = {0, 1};
  Exchange(storage).StripedToBlocked(items);
  a[blockIdx.x * 64 + threadIdx.x] = items[0];
}

// race: read summed, write kept; shared; warp block
__global__ void part_of_a_union(int *a, int x) {
  __shared__ union { typename Reduce::TempStorage storage; int kept[64]; } u;
  int sum = Reduce(u.storage).Sum(x);  // summed
  u.kept[threadIdx.x] = sum;  // kept
  a[blockIdx.x * 64 + threadIdx.x] = u.kept[threadIdx.x];
}

// safe: 8 of 8 pairs
__global__ void part_of_a_union_with_a_barrier(int *a, int x) {
  __shared__ union { typename Reduce::TempStorage storage; int kept[64]; } u;
  int sum = Reduce(u.storage).Sum(x);
  __syncthreads();
  u.kept[threadIdx.x] = sum;
  a[blockIdx.x * 64 + threadIdx.x] = u.kept[threadIdx.x];
}

// race: write all, write all; shared; block
__global__ void one_for_all_warps(int *a, int x) {
  __shared__ typename WarpSum::TempStorage storage;
  a[blockIdx.x * 64 + threadIdx.x] = WarpSum(storage).Sum(x);  // all
}

// safe: 2 of 2 pairs
__global__ void one_for_each_warp(int *a, int x) {
  __shared__ typename WarpSum::TempStorage storage[2];
  a[blockIdx.x * 64 + threadIdx.x] = WarpSum(storage[threadIdx.x / 32]).Sum(x);
}

// race: write halves, write halves; shared; warp
__global__ void one_for_two_half_warps(int *a, int x) {
  __shared__ typename HalfSum::TempStorage storage[2];
  a[blockIdx.x * 64 + threadIdx.x] = HalfSum(storage[threadIdx.x / 32]).Sum(x);  // halves
}

// race: write former, write latter; shared; warp
__global__ void twice_in_a_warp(int *a, int x, int y) {
  __shared__ typename WarpSum::TempStorage storage[2];
  int sum = WarpSum(storage[threadIdx.x / 32]).Sum(x);  // former
  sum += WarpSum(storage[threadIdx.x / 32]).Sum(y);  // latter
  a[blockIdx.x * 64 + threadIdx.x] = sum;
}

// safe: 4 of 4 pairs
__global__ void twice_in_a_warp_with_a_barrier(int *a, int x, int y) {
  __shared__ typename WarpSum::TempStorage storage[2];
  int sum = WarpSum(storage[threadIdx.x / 32]).Sum(x);
  __syncwarp();
  sum += WarpSum(storage[threadIdx.x / 32]).Sum(y);
  a[blockIdx.x * 64 + threadIdx.x] = sum;
}

// race: read mine, write yours; shared; warp block
__global__ void storage_of_their_own(int *a, int x, int y) {
  int sum = Reduce().Sum(x);  // mine
  sum += Reduce().Sum(y);  // yours
  a[blockIdx.x * 64 + threadIdx.x] = sum;
}

// open: what Histogram() of a collective does to counts
__global__ void into_shared_memory(int *a, int x) {
  using Histogram = cub::BlockHistogram<unsigned char, 64, 1, 16>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ unsigned counts[16];
  unsigned char items[1] = {(unsigned char)(x % 16)};
  Histogram(storage).Histogram(items, counts);
  __syncthreads();
  a[blockIdx.x * 64 + threadIdx.x] = counts[threadIdx.x % 16];
}

int main() {
  int *a;
  cudaMalloc(&a, 4096 * 4);
  twice<<<8, 64>>>(a, 1, 2);
  twice_with_a_barrier<<<8, 64>>>(a, 1, 2);
  storage_for_each<<<8, 64>>>(a, 1, 2);
  in_a_loop<<<8, 64>>>(a, 9);
  in_a_loop_with_a_barrier<<<8, 64>>>(a, 9);
  exchanged_in_a_loop<<<8, 64>>>(a, 9);
  exchanged_once<<<8, 64>>>(a);
  part_of_a_union<<<8, 64>>>(a, 1);
  part_of_a_union_with_a_barrier<<<8, 64>>>(a, 1);
  one_for_all_warps<<<8, 64>>>(a, 1);
  one_for_each_warp<<<8, 64>>>(a, 1);
  one_for_two_half_warps<<<8, 64>>>(a, 1);
  twice_in_a_warp<<<8, 64>>>(a, 1, 2);
  twice_in_a_warp_with_a_barrier<<<8, 64>>>(a, 1, 2);
  storage_of_their_own<<<8, 64>>>(a, 1, 2);
  into_shared_memory<<<8, 64>>>(a, 1);
}
"""

test_kernel = verdicts(SOURCE)


def test_the_finding_says_what_is_wrong(tmp_path: Path):
    (kernel,) = [k for k in check(tmp_path, SOURCE).kernels if k.kernel == "twice"]
    (finding,) = kernel.findings
    assert finding.rule == STORAGE_REUSE.code
    lines = [n for n, line in enumerate(SOURCE.splitlines(), 1) if line.endswith(("// scan", "// again"))]
    what = f"the collectives in lines {lines[0]} and {lines[1]} use the same temporary storage"
    assert finding.cause == f"{what}, and no barrier stands between"
