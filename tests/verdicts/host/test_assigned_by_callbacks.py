"""Pointers that the program's own code assigns where it is not followed: they may be what another pointer is."""

from tests.checking import verdicts

SHIFT = "y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1];"

SOURCE = """
#include <algorithm>
#include <functional>
#include <thread>

// open: p and b: they may be the same memory
__global__ void kept(const float *x, float *y) { SHIFT }

// open: p and d: they may be the same memory
__global__ void in_thread(const float *x, float *y) { SHIFT }

// open: p and f: they may be the same memory
__global__ void for_each(const float *x, float *y) { SHIFT }

// open: g and h: they may be the same memory
__global__ void by_pointer(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void reads(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void by_value(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void followed(const float *x, float *y) { SHIFT }

float *make() { float *p; cudaMalloc(&p, 4 << 20); return p; }

int main() {
  int some[3] = {1, 2, 3}, sum = 0;
  float *a = make(), *b = make(), *c = make(), *d = make(), *e = make(), *f = make(), *g = make(), *h = make();
  std::function<void()> set = [&] { b = a; };
  set();
  kept<<<16, 64>>>(a, b);
  std::thread thread([&] { d = c; });
  thread.join();
  in_thread<<<16, 64>>>(c, d);
  std::for_each(some, some + 3, [&](int) { f = e; });
  for_each<<<16, 64>>>(e, f);
  void (*twist)(float *&, float *&) = [](float *&x, float *&y) { y = x; };
  twist(g, h);
  by_pointer<<<16, 64>>>(g, h);

  float *i = make(), *j = make(), *k = make(), *l = make();
  std::for_each(some, some + 3, [&](int n) { sum += n + (i == j); });
  reads<<<16, 64>>>(i, j);
  std::for_each(some, some + 3, [=](int) mutable { k = l; });
  by_value<<<16, 64>>>(k, l);
  auto own = [&] { k = make(); };
  own();
  followed<<<16, 64>>>(k, l);
}
""".replace("SHIFT", SHIFT)

test_kernel = verdicts(SOURCE)
