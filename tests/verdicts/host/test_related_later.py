"""Pointers that something relates only after a launch, or in a call of the function in which it is not made."""

from tests.checking import verdicts

SHIFT = "y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1];"

LIBRARY = """
struct Buffer { float *data; };
void host_copy(Buffer *to, const Buffer *from);  // elsewhere: it may store from->data in to->data

// safe: 1 of 1 pairs
__global__ void other_arm(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void afterwards(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void before(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void in_loop(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void in_recursion(const float *x, float *y) { SHIFT }

// open: last and now: they may be the same memory
__global__ void kept_for_the_next_call(const float *x, float *y) { SHIFT }

// open: steps.last and now: they may be the same memory
__global__ void kept_in_a_member(const float *x, float *y) { SHIFT }

// open: saved.data and now.data: they may be the same memory
__global__ void kept_object(const float *x, float *y) { SHIFT }

// open: whole.part.data and now.part.data: they may be the same memory
__global__ void kept_object_of_objects(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void kept_object_not_given(const float *x, float *y) { SHIFT }

static Buffer *saved;
void step_of_object(Buffer *now) {
  if (saved) kept_object<<<16, 64>>>(saved->data, now->data);
  saved = now;
}
struct Whole { Buffer *part; };
static Whole *whole;
void step_of_objects(Whole *now) {
  if (whole) kept_object_of_objects<<<16, 64>>>(whole->part->data, now->part->data);
  whole = now;
}
static Buffer *kept;
void step_beside(Buffer *now, float *given) {
  if (kept) kept_object_not_given<<<16, 64>>>(kept->data, given);
  kept = now;
}
static float *last;
void step(float *now) {
  if (last) kept_for_the_next_call<<<16, 64>>>(last, now);
  last = now;
}
struct Steps {
  float *last;
  void step(float *now) {
    kept_in_a_member<<<16, 64>>>(last, now);
    last = now;
  }
};
void step_of(Steps *steps, float *now) { steps->step(now); }

void copy(Buffer *to, Buffer *from, bool gpu) {
  if (gpu) other_arm<<<16, 64>>>(from->data, to->data);
  else host_copy(to, from);
}
void copy_later(Buffer *to, Buffer *from) {
  afterwards<<<16, 64>>>(from->data, to->data);
  host_copy(to, from);
}
void copy_first(Buffer *to, Buffer *from) {
  host_copy(to, from);
  before<<<16, 64>>>(from->data, to->data);
}
void copy_often(Buffer *to, Buffer *from, int n) {
  for (int i = 0; i < n; i++) {
    in_loop<<<16, 64>>>(from->data, to->data);
    host_copy(to, from);
  }
}
void copy_deep(Buffer *to, Buffer *from, int n) {
  in_recursion<<<16, 64>>>(from->data, to->data);
  host_copy(to, from);
  if (n > 0) copy_deep(to, from, n - 1);
}
""".replace("SHIFT", SHIFT)

THREADS = """
#include <thread>
struct Buffer { float *data; };
void host_copy(Buffer *to, const Buffer *from);

// open: from.data and to.data: they may be the same memory
__global__ void beside_copy(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void after_store(const float *x, float *y) { SHIFT }

// open: x and y: they may be the same memory
__global__ void same(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void apart(const float *x, float *y) { SHIFT }

void work(Buffer *to, Buffer *from) { beside_copy<<<16, 64>>>(from->data, to->data); }
void copy(Buffer *to, Buffer *from) {
  std::thread other(work, to, from);
  host_copy(to, from);
  other.join();
}
void work_stored(Buffer *to, Buffer *from) { after_store<<<16, 64>>>(from->data, to->data); }
void store(Buffer *to, Buffer *from) {
  to->data = from->data;
  std::thread other(work_stored, to, from);
  other.join();
}
void work_same(float *y, const float *x) { same<<<16, 64>>>(x, y); }
void give_twice(float *to) {
  std::thread other(work_same, to, to);
  other.join();
}
void work_apart(float *y, const float *x) { apart<<<16, 64>>>(x, y); }
void leave(float *to, float *from) {
  std::thread other(work_apart, to, from);
  other.join();
}
""".replace("SHIFT", SHIFT)

test_in_library = verdicts(LIBRARY)
test_with_threads = verdicts(THREADS)
