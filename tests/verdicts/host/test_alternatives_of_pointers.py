"""Alternatives of a pointer: it leads to one of them, so that two of them are never used at once."""

from tests.checking import verdicts

SOURCE = """
#include <vector>
struct Pool {
  std::vector<float *> idle;
  float *get() {
    float *p;
    if (idle.empty()) { cudaMalloc(&p, 4096); return p; }
    p = idle.back();
    idle.pop_back();
    return p;
  }
};

// safe: 4 of 4 pairs
__global__ void by_one(float *a) { a[threadIdx.x] += 1.f; }

// open: p and pool[…]'4: they may be the same memory
// open: pool[…]'3 and pool[…]'4: they may be the same memory
__global__ void by_two(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x + 1]; }

int main(int argc, char **argv) {
  Pool pool;
  for (int k = 0; k < argc; k++) {
    float *p = pool.get(), *q = pool.get();
    by_one<<<1, 64>>>(p);
    by_two<<<1, 64>>>(p, q);
    pool.idle.push_back(p);
  }
}
"""

test_kernel = verdicts(SOURCE)
