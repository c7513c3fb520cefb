"""Objects whose constructors keep their address, and pointers in the initialiser list of a container."""

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

// race: write base, write base; global; warp block
__global__ void base(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // base

// race: write listed, write listed; global; warp block
__global__ void listed(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // listed

// race: write passed, write passed; global; warp block
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


MOVED = """
#include <functional>
#include <map>
#include <string>
#include <vector>
struct Own { int step; int *self; Own(int s) : step(s) { self = &step; } Own(const Own &) = delete; };
struct Parser { int v; Parser(int argc, char **argv, int &step); };
struct Task { std::string name; int step; };
struct Held { std::string name; int *value; };
struct Guard { std::function<void()> end; };
static Own make() { return Own(1); }
static std::string name(int *p) { *p = 0; return "x"; }
unsigned *first(int *values);
void *behind(void *values);

// race: write built, write built; global; warp block (unless own.step != 0)
__global__ void built(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // built

// race: write listed, write listed; global; warp block (unless s != 0)
__global__ void listed(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // listed

// race: write parsed, write parsed; global; warp block (unless step != 0)
__global__ void parsed(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // parsed

// race: write part, write part; global; warp block
__global__ void part(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // part

// race: write hidden, write hidden; global; warp block
__global__ void hidden(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // hidden

// race: write called, write called; global; warp block
__global__ void called(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // called

// race: write mapped, write mapped; global; warp block (unless in_map != 0)
__global__ void mapped(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // mapped

// race: write without_sign, write without_sign; global; warp block (unless s != 0)
__global__ void without_sign(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // without_sign

// race: write without_type, write without_type; global; warp block (unless s != 0)
__global__ void without_type(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // without_type

// safe: 1 of 1 pairs
__global__ void untouched(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

int main(int argc, char **argv) {
  int *a, none = 1;
  cudaMalloc(&a, 1 << 20);

  Own own = make();
  *own.self = 0;
  built<<<1, 64>>>(a, own.step);
  Own owns[2] = {Own(1), Own(2)};
  *owns[1].self = 0;
  listed<<<1, 64>>>(a, owns[1].step);

  int step = 1;
  Parser parser(argc, argv, step);
  parsed<<<1, 64>>>(a, step);

  int in_part = 1;
  Task task{name(&in_part), 2};
  part<<<1, 64>>>(a, in_part);
  int in_record = 1;
  Held held{"x", &in_record};
  in_record = 1;
  *held.value = 0;
  hidden<<<1, 64>>>(a, in_record);
  int in_lambda = 1;
  Guard guard{[&] { in_lambda = 0; }};
  guard.end();
  called<<<1, 64>>>(a, in_lambda == 1);

  int in_map = 1;
  std::map<std::string, int *> options;
  options["-s"] = &in_map;
  *options[argv[1]] = 0;
  mapped<<<1, 64>>>(a, in_map);

  int values[1] = {1}, others[1] = {1};
  unsigned *number = first(values);
  values[0] = 1;
  *number = 0;
  without_sign<<<1, 64>>>(a, values[0]);
  int *other = (int *)behind(others);
  others[0] = 1;
  *other = 0;
  without_type<<<1, 64>>>(a, others[0]);
  untouched<<<1, 64>>>(a, none);
}
"""

test_moved = verdicts(MOVED)
