"""Objects whose address their constructors keep, and pointers that stand in the list that a container begins with."""

from tests.checking import verdicts

SOURCE = """
#include <initializer_list>
#include <vector>
struct Knob;
Knob *last;
std::vector<Knob *> all;
struct Base { Base() { all.push_back((Knob *)this); } };
struct Knob { int step; Knob() : step(1) { last = this; } };
struct Plain { int step; Plain() : step(1) {} };
struct Pushed : Base { int step = 1; };
struct Outer { Knob knob; };
Knob general;
static void clear(std::initializer_list<int *> these) { for (int *p : these) *p = 0; }

// race: write local, write local; global; warp block
__global__ void local(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // local

// safe: 1 of 1 pairs
__global__ void unregistered(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write made, write made; global; warp block
__global__ void made(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // made

// race: write inner, write inner; global; warp block
__global__ void inner(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // inner

// race: write base, write base; global; warp block (unless s != 0)
__global__ void base(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // base

// race: write listed, write listed; global; warp block (unless in_vector != 0)
__global__ void listed(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // listed

// race: write passed, write passed; global; warp block (unless in_list != 0)
__global__ void passed(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // passed

// safe: 1 of 1 pairs
__global__ void unlisted(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

int main(int argc, char **argv) {
  int *a, in_vector = 1, in_list = 1, in_none = 1;
  cudaMalloc(&a, 1 << 20);

  Knob knob;
  last->step = 0;
  local<<<1, 64>>>(a, knob.step);
  Plain plain;
  last->step = 0;
  unregistered<<<1, 64>>>(a, plain.step);
  Knob *heap = new Knob();
  last->step = 0;
  made<<<1, 64>>>(a, heap->step);
  Outer outer;
  last->step = 0;
  inner<<<1, 64>>>(a, outer.knob.step);
  Pushed pushed;
  all[0]->step = 0;
  base<<<1, 64>>>(a, pushed.step);

  std::vector<int *> pointers{&in_vector};
  *pointers[0] = 0;
  listed<<<1, 64>>>(a, in_vector);
  clear({&in_list});
  passed<<<1, 64>>>(a, in_list);
  unlisted<<<1, 64>>>(a, in_none);
}
"""

test_kernel = verdicts(SOURCE)
