"""Asserts are facts also under NDEBUG; the side effects of their conditions do not happen then."""

from tests.checking import verdicts

SOURCE = """
#include <cassert>
#include <cstdlib>

VERDICT
__global__ void stated(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // stated

// safe: 1 of 1 pairs
__global__ void known(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

int main(int argc, char **argv) {
  int *a, done = 0, given = atoi(argv[1]);
  cudaMalloc(&a, 1 << 20);
  assert(++done);
  assert(given > 0 && given < 1000);
  stated<<<1, 64>>>(a, done);
  known<<<1, 64>>>(a, given);
}
"""

test_debug = verdicts(SOURCE.replace("VERDICT", "// safe: 1 of 1 pairs"))
test_no_debug = verdicts(
    "#define NDEBUG" + SOURCE.replace("VERDICT", "// race: write stated, write stated; global; warp block")
)
