"""Constructors that `using Base::Base` inherits run the base's own, with what they are given."""

from tests.checking import verdicts

SOURCE = """
#include <string>

struct Base {
  int kept;
  template <class T, class S> Base(T *n, S &m, int by) : kept(by) { *n = 0; m = by; }
};
struct Middle : Base { using Base::Base; };
struct Last : Middle { using Middle::Middle; int more = 3; };
struct Named { std::string name; int *at; Named(int &n) : at(&n) {} };
struct Again : Named { using Named::Named; void clear() { *at = 0; } };
struct Cell { int *at; __host__ __device__ Cell(int *a, int i) : at(a + i) {} };
struct Slot : Cell { using Cell::Cell; };

// race: write pointed, write pointed; global; warp block
__global__ void pointed(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // pointed

// safe: 1 of 1 pairs
__global__ void referred(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write member, write member; global; warp block
__global__ void member(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // member

// safe: 1 of 1 pairs
__global__ void own(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// safe: 1 of 1 pairs
__global__ void before(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write behind, write behind; global; warp block
__global__ void behind(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // behind

// race: write slot, write slot; global; warp
__global__ void slots(int *a) { Slot slot(a, threadIdx.x / 2); *slot.at = threadIdx.x; }  // slot

// safe: 1 of 1 pairs
__global__ void places(int *a) { Slot slot(a, threadIdx.x); *slot.at = threadIdx.x; }

int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  int n = 1, m = 1, o = 1;
  Last last(&n, m, 2);
  pointed<<<1, 64>>>(a, n);
  referred<<<1, 64>>>(a, m);
  member<<<1, 64>>>(a, last.kept - 2);
  own<<<1, 64>>>(a, last.more);
  Again again(o);
  before<<<1, 64>>>(a, o);
  again.clear();
  behind<<<1, 64>>>(a, o);
  slots<<<1, 64>>>(a);
  places<<<1, 64>>>(a);
}
"""

test_verdict = verdicts(SOURCE)
