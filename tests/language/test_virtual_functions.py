"""Virtual functions: a call reaches what overrides them."""

from tests.checking import verdicts

SOURCE = """
using real = float;
struct Plain {
  __device__ virtual void put(int *a, const int *from) const { a[0] = from[threadIdx.x]; }  // plain
  __device__ virtual void more(int *a, const int *from) const { a[1] = from[threadIdx.x]; }  // more
  __device__ virtual void most(int *a, const int n, real x) const { a[2] = threadIdx.x; }
};
struct Atomic : Plain {
  __device__ void put(int *a, const int *from) { atomicAdd(&a[0], from[threadIdx.x]); }  // not const
  __device__ void more(int *a, int *from) const { atomicAdd(&a[1], from[threadIdx.x]); }  // int, not const int
  __device__ void most(int *const a, int n, float x) const { a[threadIdx.x] = n; }
};

// race: write plain, write plain; global; warp block
__global__ void hidden_by_a_method_without_const(int *a, const int *from) {
  Atomic atomic;
  const Plain &plain = atomic;
  if (blockIdx.x == 0) plain.put(a, from);
}

// race: write more, write more; global; warp block
__global__ void hidden_by_a_method_of_other_pointers(int *a, const int *from) {
  Atomic atomic;
  const Plain &plain = atomic;
  if (blockIdx.x == 0) plain.more(a, from);
}

// safe: 1 of 1 pairs
__global__ void overridden_in_other_words(int *a) {
  Atomic atomic;
  const Plain &plain = atomic;
  if (blockIdx.x == 0) plain.most(a, 1, 2.0f);
}

struct Rule { __device__ virtual int at(int i) const { return i; } };
struct Half : Rule { __device__ int at(int i) const override { return i / 2; } };
struct Named : Half { int more; };

struct Shape { int id; __device__ virtual int side() const = 0; };
struct Square : Shape { __device__ int side() const { return 1; } };

struct Left { int l; __device__ virtual int first(int i) { return i; } };
struct Right { int r; __device__ virtual int second(int i) { return i; } };
struct Both : Left, Right { __device__ int second(int i) override { return i + l; } };

// race: write here, write here; global; warp (data-dependent)
__global__ void any_rule(int *a, const Rule *rule) {
  if (blockIdx.x == 0) a[rule->at(threadIdx.x)] = threadIdx.x;  // here
}

// race: write here, write here; global; warp block (data-dependent)
__global__ void each_thread_a_rule(int *a, const Rule *rules) {
  if (blockIdx.x == 0) a[rules[threadIdx.x].at(threadIdx.x)] = threadIdx.x;  // here
}

struct Twice : Rule { __device__ int at(int i) const override { return Rule::at(i) + Rule::at(i); } };

// safe: 1 of 1 pairs
__global__ void the_function_of_the_base(int *a) {
  Twice rule;
  const Rule *p = &rule;
  if (blockIdx.x == 0) a[p->at(threadIdx.x)] = threadIdx.x;
}

// safe: 1 of 1 pairs
__global__ void a_rule_of_ones_own(int *a) {
  Rule rule;
  const Rule *p = &rule;
  if (blockIdx.x == 0) a[p->at(threadIdx.x)] = threadIdx.x;
}

// race: write here, write here; global; warp
__global__ void another_rule_of_ones_own(int *a) {
  Half rule;
  const Rule *p = &rule;
  if (blockIdx.x == 0) a[p->at(threadIdx.x)] = threadIdx.x;  // here
}

// race: write here, write here; global; warp
__global__ void what_a_base_class_overrides(int *a) {
  Named rule;
  const Rule *p = &rule;
  if (blockIdx.x == 0) a[p->at(threadIdx.x)] = threadIdx.x;  // here
}

// safe: 1 of 1 pairs
__global__ void a_pure_function(int *a, const Shape *shape) {
  if (blockIdx.x == 0) a[shape->side() * threadIdx.x] = threadIdx.x;
}

// race: write here, write here; global; warp block
__global__ void the_object_of_a_second_base(int *a) {
  Both both;
  both.l = -(int)threadIdx.x;
  both.r = 0;
  Right *p = &both;
  if (blockIdx.x == 0) a[p->second(threadIdx.x)] = threadIdx.x;  // here
}

struct Walk { int id; __device__ virtual int step() const = 0; __device__ virtual int goes() const { return 0; } };
struct Stays : Walk {
  __device__ int step() const override { return 0; }
  __device__ int goes() const override { return 1; }
};
struct Rests : Walk { __device__ int step() const override { return 1; } };
struct Waits : Walk {
  __device__ int step() const override { return 1; }
  __device__ int goes() const override { return 0; }
};

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void two_functions_of_one_class(int *a, const Walk *walk) {
  if (walk->goes() == 1) a[walk->step() * (blockDim.x * blockIdx.x + threadIdx.x)] = threadIdx.x;  // here
}

struct Ahead : Walk {
  __device__ int step() const override { return 1; }
  __device__ int goes() const override { return 2; }
};

// safe: 1 of 1 pairs
__global__ void two_functions_of_another_class(int *a, const Walk *walk) {
  if (walk->goes() == 2) a[walk->step() * (blockDim.x * blockIdx.x + threadIdx.x)] = threadIdx.x;
}
"""

test_kernel = verdicts(SOURCE)
