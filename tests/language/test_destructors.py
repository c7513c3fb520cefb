"""Destructors run where objects end: what they write counts, on the device and on the host."""

from tests.checking import verdicts

DEVICE = """
struct Put { int *to; int what; __device__ ~Put() { *to = what; } };
struct Halve { int &number; __device__ explicit Halve(int &n) : number(n) {} __device__ ~Halve() { number /= 2; } };
struct Holds { Put put; };
struct Is : Put { __device__ Is(int *a, int v) : Put{a, v} {} };

struct Passed {
  int *to; int what;
  __device__ Passed(int *a, int v) : to(a), what(v) {}
  __device__ Passed(const Passed &p) : to(p.to), what(p.what) {}
  __device__ ~Passed() { *to = what; }
};
__device__ int take(Passed p) { return p.what; }
__device__ Put made(int *a, int v) { Put p{a, v}; return p; }

// race: write 2, write 2; global; warp block grid
__global__ void local(int *a) { Put p{a, (int)threadIdx.x}; }

// safe: 1 of 1 pairs
__global__ void apart(int *a) { Put p{a + blockIdx.x * blockDim.x + threadIdx.x, 1}; }

// race: write halved, write halved; global; warp grid
__global__ void before(int *a) {
  int i = threadIdx.x;
  { Halve h(i); }
  a[i] = threadIdx.x;  // halved
}

// safe: 1 of 1 pairs
__global__ void after(int *a) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  Halve h(i);
  a[i] = threadIdx.x;
}

// race: write 2, write 2; global; warp block grid
__global__ void temporary(int *a) { Put{a, (int)threadIdx.x}; }

// race: write 2, write 2; global; warp block grid
__global__ void argument(int *a) { int v = made(a, threadIdx.x).what; }

// race: write 2, write 2; global; warp block grid
__global__ void bound(int *a) { const Put &p = made(a, threadIdx.x); }

// race: write 2, write 2; global; warp block grid
__global__ void result(int *a) { Put p = made(a, threadIdx.x); }

// race: write 2, write 2; global; warp block grid
__global__ void member(int *a) { Holds h{{a, (int)threadIdx.x}}; }

// race: write 2, write 2; global; warp block grid
__global__ void base(int *a) { Is h(a, threadIdx.x); }

// race: write 2, write 2; global; warp block grid
__global__ void element(int *a) { Put h[2] = {{a, (int)threadIdx.x}, {a, 7}}; }

// race: write 11, write 11; global; warp block grid
__global__ void passed(int *a) { take(Passed(a, threadIdx.x)); }

// race: write 2, write 2; global; block grid
__global__ void returning(int *a) {
  Put p{a, (int)threadIdx.x};
  if (threadIdx.x % 32) { p.to = a + 1 + threadIdx.x + blockIdx.x * blockDim.x; return; }
}

// race: write 2, write 2; global; warp block grid
__global__ void continuing(int *a) {
  for (int i = 0; i < 2; ++i) {
    Put p{a, (int)threadIdx.x};
    if (i == 0) continue;
    p.to = a + 1 + threadIdx.x + blockIdx.x * blockDim.x;
  }
}

int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  local<<<9, 64>>>(a); apart<<<9, 64>>>(a); before<<<9, 64>>>(a); after<<<9, 64>>>(a); temporary<<<9, 64>>>(a);
  argument<<<9, 64>>>(a); bound<<<9, 64>>>(a); result<<<9, 64>>>(a); member<<<9, 64>>>(a); base<<<9, 64>>>(a);
  element<<<9, 64>>>(a); passed<<<9, 64>>>(a); returning<<<9, 64>>>(a); continuing<<<9, 64>>>(a);
}
"""

HOST = """
struct Clear { int *number; explicit Clear(int &n) : number(&n) {} ~Clear() { *number = 0; } };
struct Base { virtual ~Base() {} };
struct Derived : Base { int *number; explicit Derived(int *n) : number(n) {} ~Derived() { *number = 0; } };
int step = 1;
struct Global { ~Global() { step = 0; } };
void leave(int &n, int argc) { Clear c(n); if (argc > 3) return; n = 1; }

// race: write here, write here; global; warp block
__global__ void scope(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // here

// safe: 1 of 1 pairs
__global__ void alive(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write left, write left; global; warp block
__global__ void left(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // left

// race: write gone, write gone; global; warp block
__global__ void gone(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // gone

// race: write any, write any; global; warp block
__global__ void overridden(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // any

// race: write global, write global; global; warp block
__global__ void variable(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // global

// race: write rounds, write rounds; global; warp block
__global__ void rounds(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // rounds

int main(int argc, char **argv) {
  int *a, n = 1, m = 1, o = 1, p = 1, q = 1;
  cudaMalloc(&a, 1 << 20);
  { Clear c(n); alive<<<1, 64>>>(a, n); }
  scope<<<1, 64>>>(a, n);
  leave(m, argc);
  left<<<1, 64>>>(a, m);
  Clear *c = new Clear(o);
  delete c;
  gone<<<1, 64>>>(a, o);
  Base *b = new Derived(&p);
  delete b;
  overridden<<<1, 64>>>(a, p);
  { Global g; }
  variable<<<1, 64>>>(a, step);
  for (int i = 0; i < argc; ++i) { Clear last(q); rounds<<<1, 64>>>(a, q); }
}
"""

test_device = verdicts(DEVICE)
test_host = verdicts(HOST)
