"""Functions that the program calls where the call is not followed: their pointers may be what the program has."""

from tests.checking import verdicts

SHIFT = "y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1];"

SOURCE = """
#include <functional>
#include <memory>
#include <thread>
#include <vector>

// open: x and y: they may be the same memory
__global__ void in_thread(const float *x, float *y) { SHIFT }

// race: read held, write held; global; warp block grid
__global__ void kept(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // held
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // held

// open: this.x and this.y: they may be the same memory
__global__ void made(const float *x, float *y) { SHIFT }

// race: read same, write same; global; warp block grid
__global__ void pure(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // same
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // same

// safe: 1 of 1 pairs
__global__ void pure_apart(const float *x, float *y) { SHIFT }

// race: read friendly, write friendly; global; warp block grid
__global__ void of_friend(const float *x, float *y) {
  y[blockIdx.x * 64 + threadIdx.x] =  // friendly
      x[blockIdx.x * 64 + threadIdx.x + 1]; }  // friendly

// safe: 1 of 1 pairs
__global__ void exported(const float *x, float *y) { SHIFT }

void worker(float *x, float *y) { in_thread<<<16, 64>>>(x, y); }
void callback(float *x, float *y) { kept<<<16, 64>>>(x, y); }
void library(float *x, float *y) { exported<<<16, 64>>>(x, y); }

struct Made {
  float *x, *y;
  Made(float *x, float *y) : x(x), y(y) {}
  ~Made() { made<<<16, 64>>>(x, y); }
};

struct Step { virtual void go(float *x, float *y) = 0; };
struct Same : Step { void go(float *x, float *y) override { pure<<<16, 64>>>(x, y); } };
struct Apart : Step { void go(float *x, float *y) override { pure_apart<<<16, 64>>>(x, y); } };

struct Queue {
  float *p;
  friend Queue operator>>(Queue x, Queue y) { of_friend<<<16, 64>>>(x.p, y.p); return y; }
};

int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  Same same;
  Step *step = &same;
  step->go(a, a);
  Apart apart;
  step = &apart;
  step->go(a, b);
  Queue{a} >> Queue{a};
  std::thread thread(worker, a, a);
  thread.join();
  std::function<void(float *, float *)> function = callback;
  function(a, a);
  std::vector<Made> all;
  all.emplace_back(a, a);
}
""".replace("SHIFT", SHIFT)

test_kernel = verdicts(SOURCE)

MEMBERS = """
struct Pair { float *x, *y; };
struct Table { float *p[2]; };

// race: read filled, write filled; global; warp block grid
__global__ void filled_in_a_loop(Table s) {
  s.p[1][blockIdx.x * 64 + threadIdx.x] = s.p[0][blockIdx.x * 64 + threadIdx.x + 1]; }  // filled

// race: read chosen, write chosen; global; warp block grid
__global__ void chosen_in_a_loop(Pair s) {
  s.y[blockIdx.x * 64 + threadIdx.x] = s.x[blockIdx.x * 64 + threadIdx.x + 1]; }  // chosen

// safe: 1 of 1 pairs
__global__ void given(Pair s) {
  s.y[blockIdx.x * 64 + threadIdx.x] = s.x[blockIdx.x * 64 + threadIdx.x + 1]; }

int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  Table table{{a, b}};
  for (int j = 0; j < 2; ++j) table.p[j] = a;
  filled_in_a_loop<<<16, 64>>>(table);
  Pair pairs[2] = {{a, b}, {a, a}};
  for (int j = 0; j < 2; ++j) chosen_in_a_loop<<<16, 64>>>(pairs[j]);
  given<<<16, 64>>>(pairs[0]);
}
"""

test_members = verdicts(MEMBERS)
