"""Static methods that are defined outside of their class, where `static` is not said again: no object is passed."""

from pathlib import Path

from hgrd.host.run import run_host
from tests.checking import parse, verdicts

test_static_methods = verdicts("""
struct Cells {
  int unused;
  static __device__ void own(int *a, int i);
  static __device__ void first(int *a, int i);
};
__device__ void Cells::own(int *a, int i) { a[i] = i; }
__device__ void Cells::first(int *a, int i) { a[0] = i; }  // first

// safe: 1 of 1 pairs
__global__ void each_its_own(int *a) { Cells::own(a, blockIdx.x * blockDim.x + threadIdx.x); }

// race: write first, write first; global; warp block grid
__global__ void all_the_first(int *a) { Cells::first(a, blockIdx.x * blockDim.x + threadIdx.x); }
""")


def test_a_static_method_of_the_host_gets_its_arguments(tmp_path: Path):
    program = parse(
        tmp_path,
        """
__global__ void fill(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
struct Rows {
  static void round_up(int &n, int to);
};
void Rows::round_up(int &n, int to) { n = (n + to - 1) / to; }
void run(int *a, int n) {
  dim3 block(64, 1, 1);
  int rows = 100;
  Rows::round_up(rows, 32);
  fill<<<rows, block>>>(a);
}
""",
    )
    (launch,) = run_host((program,)).launches
    assert launch.configuration == "<<<4, 64>>>"
