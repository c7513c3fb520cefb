"""Callbacks: unknown code may call the functions that it gets, at once or later; what they write is unknown then.

Where the program itself calls what a `std::function` holds, a run of the host code knows what that writes.
"""

from tests.checking import verdicts

SOURCE = """
#include <algorithm>
#include <functional>
#include <thread>
#include <vector>
int step = 1;
struct Clears { int *number; void operator()() const { *number = 0; } };
void clear() { step = 0; }
void run(const std::function<void()> &f) { f(); }

// race: write kept, write kept; global; warp block
__global__ void kept(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // kept

// race: write later, write later; global; warp block
__global__ void later(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // later

// race: write converted, write converted; global; warp block
__global__ void converted(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // converted

// race: write functor, write functor; global; warp block
__global__ void functor(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // functor

// race: write each, write each; global; warp block (unless e != 0)
__global__ void each(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // each

// race: write referred, write referred; global; warp block (unless r != 0)
__global__ void referred(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // referred

// race: write looped, write looped; global; warp block (unless o != 0)
__global__ void looped(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // looped

// safe: 1 of 1 pairs
__global__ void read_only(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// safe: 1 of 1 pairs
__global__ void by_value(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

// race: write global, write global; global; warp block (unless step != 0)
__global__ void variable(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // global

int main(int argc, char **argv) {
  int *a, k = 1, l = 1, c = 1, f = 1, e = 1, r = 1, o = 1, seen = 1, copied = 1, sum = 0;
  std::vector<int> v(argc);
  cudaMalloc(&a, 1 << 20);
  std::function<void(int)> set = [&k](int x) { k = x; };
  set(0);
  kept<<<1, 64>>>(a, k);
  std::function<void()> reset = [&l] { l = 0; };
  l = 1;
  reset();
  later<<<1, 64>>>(a, l);
  run([&] { c = 0; });
  converted<<<1, 64>>>(a, c);
  std::function<void()> clears = Clears{&f};
  clears();
  functor<<<1, 64>>>(a, f);
  std::for_each(v.begin(), v.end(), [&](int x) { e = x; });
  each<<<1, 64>>>(a, e);
  auto bound = std::bind([](int &x) { x = 0; }, std::ref(r));
  r = 1;
  bound();
  referred<<<1, 64>>>(a, r);
  std::function<void()> ending = [&o] { o = 0; };
  o = 1;
  for (int i = 0; i < argc; ++i) { looped<<<1, 64>>>(a, o); ending(); }
  std::for_each(v.begin(), v.end(), [&](int x) { sum += x * seen; });
  read_only<<<1, 64>>>(a, seen);
  std::for_each(v.begin(), v.end(), [&, copied](int x) mutable { copied = 0; sum += x * copied; });
  by_value<<<1, 64>>>(a, copied);
  std::thread t(clear);
  t.join();
  variable<<<1, 64>>>(a, step);
}
"""

test_kernel = verdicts(SOURCE)
