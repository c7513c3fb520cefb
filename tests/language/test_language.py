"""What C++ lets people write between a thread and its memory."""

from tests.checking import verdicts

SOURCE = """
struct Grid { float *cells; int width; };
struct Particle { float x, y; int links[2]; };

// safe: 1 of 1 pairs
__global__ void struct_by_value(Grid g, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < g.width && y < height) g.cells[y * g.width + x] = 0;
}

// race: write cell, write cell; global; warp block grid (unless (blockDim.x * gridDim.x) <= g.width)
__global__ void struct_by_value_without_a_bound(Grid g, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < height) g.cells[y * g.width + x] = x;  // cell
}

// safe: 5 of 5 pairs
__global__ void members_of_ones_own(Particle *p) {
  Particle *mine = &p[blockIdx.x * blockDim.x + threadIdx.x];
  mine->x = mine->y;
  mine->links[1] = 0;
}

// race: read neighbour, write mine; global; warp block grid
__global__ void member_of_a_neighbour(Particle *p) {
  Particle *mine = p + blockIdx.x * blockDim.x + threadIdx.x;
  float x = mine[1].x;  // neighbour
  mine->x = x;  // mine
}

// safe: 2 of 2 pairs
__global__ void another_member_of_a_neighbour(Particle *p) {
  Particle *mine = p + blockIdx.x * blockDim.x + threadIdx.x;
  float y = mine[1].y;
  mine->x = y;
}

// safe: 3 of 3 pairs
__global__ void subscripts_stay_within_arrays(Particle *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].links[0] = 0;
  p[i].links[n] = i;
}

__device__ void put(float *place, float value) {
  *place = value;  // put
}
__device__ float &at(Grid &g, int x, int y) { return g.cells[y * g.width + x]; }
__device__ int clamped(int i, int n) {
  if (i < 0) return 0;
  if (i >= n) return n - 1;
  return i;
}

// safe: 1 of 1 pairs
__global__ void pointer_argument(float *a) { put(&a[blockIdx.x * blockDim.x + threadIdx.x], 1); }

// race: write put, write put; global; grid
__global__ void pointer_argument_too_short(float *a) { put(&a[blockIdx.x + threadIdx.x], threadIdx.x); }

// safe: 1 of 1 pairs
__global__ void reference_result(Grid g) {
  if (threadIdx.x < g.width && blockDim.x >= g.width) at(g, threadIdx.x, blockIdx.x) = 0;
}

// race: write edge, write edge; global; warp block grid
__global__ void several_returns(int *a, int n) {
  a[clamped(blockIdx.x * blockDim.x + threadIdx.x, n)] = threadIdx.x;  // edge
}

// safe: 1 of 1 pairs
__global__ void several_returns_within(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[clamped(i, n)] = threadIdx.x;
}

// safe: 1 of 1 pairs
__global__ void lambda(int *a) {
  int base = blockIdx.x * blockDim.x;
  auto store = [=](int i) { a[base + i] = i; };
  store(threadIdx.x);
}

// race: write caught, write caught; global; warp grid
__global__ void lambda_without_the_block(int *a) {
  auto store = [&](int i) { a[i] = i + blockIdx.x; };  // caught
  store(threadIdx.x / 2);
}

// safe: 3 of 3 pairs
__global__ void switch_with_one_case_each(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (i % 2) {
    case 0: a[i] = 0; break;
    default: a[i] = 1;
  }
}

// race: write even, write odd; global; warp block grid
__global__ void switch_with_a_neighbour(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (i % 2) {
    case 0: a[i] = 0; break;  // even
    case 1: a[i + 1] = 1; break;  // odd
  }
}

// race: write even, write even; global; warp block grid
__global__ void switch_that_falls_through(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, shift = 0;
  switch (i % 2) {
    case 1: shift = 1;
    case 0: a[i + shift] = shift;  // even
  }
}

// race: write chosen, write chosen; global; warp block grid
__global__ void conditional_index(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i < n ? i : 0] = i;  // chosen
}

// safe: 2 of 2 pairs
__global__ void conditional_pointer(int *a, int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *p = i % 2 ? a : b;
  p[i] = i;
}

// race: write advanced, write advanced; global; warp block grid
__global__ void conditional_pointer_that_overlaps(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *p = i % 2 ? a + 1 : a;
  p[i] = i;  // advanced
}

// safe: 2 of 2 pairs
__global__ void columns(int *out) {
  __shared__ int tile[32][33];
  for (int row = 0; row < 32; ++row)
    if (threadIdx.x < 33) tile[row][threadIdx.x] = row;
  out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

// race: write row, write row; shared; warp
__global__ void rows_that_overlap(int *out) {
  __shared__ int tile[32][33];
  if (threadIdx.x < 512) tile[threadIdx.x / 32][threadIdx.x % 32 / 2] = threadIdx.x;  // row
}

// safe: 1 of 1 pairs
__global__ void pointer_that_moves(int *a, int n) {
  int *p = a + blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) {
    *p = k;
    p += gridDim.x * blockDim.x;
  }
}

// race: write moving, write moving; global; warp block grid
__global__ void pointer_that_moves_by_one(int *a, int n) {
  int *p = a + blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) *p++ = k;  // moving
}

// safe: 1 of 1 pairs
__global__ void local_array(int *a) {
  int at[4];
  a += 4096ll * blockIdx.x;
  for (int k = 0; k < 4; ++k) at[k] = 4 * threadIdx.x + k;
  for (int k = 0; k < 4; ++k) a[at[k]] = k;
}

// race: write place, write place; global; warp block
__global__ void local_array_of_close_places(int *a) {
  int at[4];
  a += 4096ll * blockIdx.x;
  for (int k = 0; k < 4; ++k) at[k] = 3 * threadIdx.x + k;
  for (int k = 0; k < 4; ++k) a[at[k]] = k;  // place
}

// safe: 1 of 1 pairs
__global__ void local_array_of_large_places(int *a) {
  int at[2];
  for (int k = 0; k < 2; ++k) at[k] = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + k;
  for (int k = 0; k < 2; ++k) a[at[k]] = k;
}

// safe: 1 of 1 pairs
__global__ void unsigned_countdown(int *a, unsigned n) {
  for (unsigned k = n; k-- > 0;) a[(blockIdx.x * blockDim.x + threadIdx.x) * n + k] = k;
}

// safe: 1 of 1 pairs
__global__ void unsigned_rows(int *a, unsigned width) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i / width * width + i % width] = 0;
}

// race: write folded, write folded; global; block grid
__global__ void unsigned_char_folds(int *a) {
  unsigned char i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = blockIdx.x;  // folded
}

// safe: 1 of 1 pairs
__global__ void bits(int *a) {
  unsigned i = threadIdx.x;
  a[1024ull * blockIdx.x + ((i & ~31u) | (31 - (i & 31)))] = 0;
}

// race: write masked, write masked; global; warp
__global__ void bits_lost(int *a) {
  unsigned i = threadIdx.x;
  a[1024ull * blockIdx.x + (i & ~1u)] = i;  // masked
}

// safe: 1 of 1 pairs
template <int Stride> __global__ void strided(int *a) {
  a[(blockIdx.x * blockDim.x + threadIdx.x) * Stride] = threadIdx.x;
}
template __global__ void strided<2>(int *);

// safe: 1 of 1 pairs
__global__ void swapped(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = n - 1 - i;
  int t = i; i = j; j = t;
  a[i] = 0;
}

struct Mixed { int a, b; long c; };

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void members_of_two_sizes(int *a, const Mixed *m) {
  if (m->b != m->c) a[0] = threadIdx.x;  // here
}

// safe: 0 of 0 pairs
__global__ void unsigned_elements(int *a, const unsigned *chosen) {
  if (chosen[threadIdx.x] < 0) a[0] = threadIdx.x;
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void signed_elements_of_the_same_name(int *a, const int *chosen) {
  if (chosen[threadIdx.x] < 0) a[0] = threadIdx.x;  // here
}

// race: write here, write here; global; warp block grid (data-dependent)
__global__ void unsigned_elements_read_as_signed_ones(int *a, const unsigned *chosen) {
  int *same = (int *)chosen;
  if (chosen[threadIdx.x] > 0 && same[threadIdx.x] < 0) a[0] = threadIdx.x;  // here
}

enum Part { HEAD, BODY, TAIL };
enum Shift { BACK = -1, AHEAD = 1 };
enum Fixed : int { ONLY };
enum class Scoped { ONLY };
struct Tile { enum { ROWS = 4 }; int first; };

// safe: 1 of 1 pairs
__global__ void enumerator_of_an_object(int *a, Tile tile) {
  for (int r = 0; blockIdx.x == 0 && r < tile.ROWS; r++) a[threadIdx.x * 4 + r] = r;
}

// race: write here, write here; global; warp block
__global__ void enumerator_of_an_object_of_which_there_are_more(int *a, Tile *tile) {
  for (int r = 0; blockIdx.x == 0 && r <= tile->ROWS; r++) a[threadIdx.x * 4 + r] = r;  // here
}

// safe: 1 of 1 pairs
__global__ void enumeration_of_two_bits(int *a, Part part) {
  int i = threadIdx.x;
  if (blockIdx.x == 0 && i % 4 == 0) a[i * (1 + part / 4)] = i;
}

// safe: 1 of 1 pairs
__global__ void enumeration_in_memory(int *a, const Part *parts) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) a[4 * i + parts[i]] = i;
}

// race: write here, write here; global; warp block (unless within(parts, 3))
__global__ void enumeration_of_more_bits_than_room(int *a, const Part *parts) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) a[3 * i + parts[i]] = i;  // here
}

// safe: 1 of 1 pairs
__global__ void enumeration_with_a_sign(int *a, const Shift *shifts) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) a[4 * i + shifts[i]] = i;
}

// race: write here, write here; global; warp block (unless within(parts, 4))
__global__ void enumeration_of_a_fixed_type(int *a, const Fixed *parts) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) a[4 * i + parts[i]] = i;  // here
}

// race: write here, write here; global; warp block (unless within(parts, 4))
__global__ void scoped_enumeration(int *a, const Scoped *parts) {
  int i = threadIdx.x;
  if (blockIdx.x == 0) a[4 * i + (int)parts[i]] = i;  // here
}

// race: write fallback, write own; global; warp block grid
// note: write fallback, write fallback; global; warp block grid
__global__ void short_circuit(int *a, int *mark, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i > 0 || n == 7) a[i] = i;  // own
  else a[1] = 0;  // fallback
}

// safe: 3 of 3 pairs
__global__ void names_for_elements(int *a) {
  int both[2] = {2 * (int)(blockIdx.x * blockDim.x + threadIdx.x), 0};
  auto &[first, second] = both;
  second = first + 1;
  a[both[0]] = 2;
  a[both[1]] = 3;
}

// race: write even, write odd; global; warp block grid
__global__ void names_for_elements_of_a_neighbour(int *a) {
  int both[2] = {2 * (int)(blockIdx.x * blockDim.x + threadIdx.x), 0};
  auto &[first, second] = both;
  second = first + 2;
  a[both[0]] = 2;  // even
  a[both[1]] = 3;  // odd
}

// safe: 1 of 1 pairs
__global__ void not_reached(int *a, int stride) {
  if (stride < 1) __builtin_unreachable();
  a[blockIdx.x * blockDim.x * stride + threadIdx.x * stride] = stride;
}

// race: write cell, write cell; global; warp block grid (unless stride != 0)
__global__ void reached(int *a, int stride) {
  if (stride < 1) __nanosleep(20);
  a[blockIdx.x * blockDim.x * stride + threadIdx.x * stride] = threadIdx.x;  // cell
}

// safe: 3 of 3 pairs
__global__ void attributes_and_initialisers(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (int half = n / 2; half) {
    [[likely]] case 1: a[2 * i] = half; break;
    default: if (int last = half % 2; last == 1) [[unlikely]] { a[2 * i + last] = 0; }
  }
}

// race: write first, write other; global; warp block grid
__global__ void attributes_and_an_initialiser_of_two(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (int half = n / 2; half) {
    [[likely]] case 1: a[2 * i] = half;  // first
    default: if (int last = half % 2; last == 1) [[unlikely]] { a[2 * i + last + 1] = 0; }  // other
  }
}

// safe: 1 of 1 pairs
__global__ void behind_a_loop_that_has_two_ends(int *a, int n) {
  int i;
  for (i = 0; i < n; ++i) if (i == 3) break;
  if (i < 3 && i < n) a[0] = threadIdx.x;
}

// race: write cell, write cell; global; warp block grid
__global__ void behind_one_end_of_a_loop(int *a, int n) {
  int i;
  for (i = 0; i < n; ++i) if (i == 3) break;
  if (i < 3) a[0] = threadIdx.x;  // cell
}
"""


GAPS = {
    "local_array_of_large_places": "the solver lets arithmetic wrap under a choice",
}

test_kernel = verdicts(SOURCE, gaps=GAPS)
