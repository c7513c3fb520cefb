"""Objects that `new` and std::make_unique make: of the class that is named, as its constructor leaves them."""

from tests.checking import verdicts

SOURCE = """
#include <cuda_runtime.h>
#include <memory>

struct Layout { virtual ~Layout() = default; virtual int ld() const = 0; };
struct Packed : Layout { int ld() const override { return 48; } };
struct Padded : Layout { int ld() const override { return 80; } };
struct Chosen : Layout {
  int stride;
  Chosen(int s) : stride(s) {}
  Chosen(int s, int more) : stride(s + more) {}
  int ld() const override { return stride; }
};
struct Guessed { int stride; Guessed(int s, int more = 16) : stride(s + more) {} };
Layout *known_elsewhere();
Padded of_the_program;

// safe: 1 of 1 pairs
__global__ void by_new(float *m, int ld) { m[blockIdx.x * ld + threadIdx.x] = blockIdx.x; }

// race: write packed, write packed; global; grid
__global__ void by_new_packed(float *m, int ld) {
  m[blockIdx.x * ld + threadIdx.x] = blockIdx.x;  // packed
}

// safe: 1 of 1 pairs
__global__ void by_make_unique(float *m, int ld) { m[blockIdx.x * ld + threadIdx.x] = blockIdx.x; }

// race: write packed_too, write packed_too; global; grid
__global__ void by_make_unique_packed(float *m, int ld) {
  m[blockIdx.x * ld + threadIdx.x] = blockIdx.x;  // packed_too
}

// safe: 1 of 1 pairs
__global__ void by_make_shared(float *m, int ld) { m[blockIdx.x * ld + threadIdx.x] = blockIdx.x; }

// race: write chosen, write chosen; global; grid
__global__ void by_make_shared_less(float *m, int ld) {
  m[blockIdx.x * ld + threadIdx.x] = blockIdx.x;  // chosen
}

// safe: 1 of 1 pairs
__global__ void of_two_numbers(float *m, int ld) { m[blockIdx.x * ld + threadIdx.x] = blockIdx.x; }

// open: write guessed, write guessed; global; grid: it depends on values that the kernel computes: guess.stride
__global__ void constructor_not_found(float *m, int ld) {
  m[blockIdx.x * ld + threadIdx.x] = blockIdx.x;  // guessed
}

// safe: 1 of 1 pairs
__global__ void a_global_object(float *m, int ld) { m[blockIdx.x * ld + threadIdx.x] = blockIdx.x; }

// safe: 1 of 1 pairs
__global__ void either_of_two(float *m, int ld) { m[blockIdx.x * ld + threadIdx.x] = blockIdx.x; }

// race: write either, write either; global; grid (unless 64 <= ld)
__global__ void either_of_two_packed(float *m, int ld) {
  m[blockIdx.x * ld + threadIdx.x] = blockIdx.x;  // either
}

// open: write any, write any; global; grid: it depends on values that the kernel computes: known_elsewhere().class
__global__ void of_any_class(float *m, int ld) {
  m[blockIdx.x * ld + threadIdx.x] = blockIdx.x;  // any
}

int main(int argc, char **argv) {
  float *m;
  cudaMalloc(&m, 100 * 256 * sizeof(float));
  const Layout *padded = new Padded, *packed = new Packed, *global = &of_the_program;
  by_new<<<100, 64>>>(m, padded->ld());
  by_new_packed<<<100, 64>>>(m, packed->ld());
  std::unique_ptr<Layout> unique = std::make_unique<Padded>(), unique_packed = std::make_unique<Packed>();
  by_make_unique<<<100, 64>>>(m, unique->ld());
  by_make_unique_packed<<<100, 64>>>(m, unique_packed->ld());
  std::shared_ptr<Layout> shared = std::make_shared<Chosen>(64), less = std::make_shared<Chosen>(63);
  by_make_shared<<<100, 64>>>(m, shared->ld());
  by_make_shared_less<<<100, 64>>>(m, less->ld());
  auto both = std::make_unique<Chosen>(60, 4);
  of_two_numbers<<<100, 64>>>(m, both->ld());
  auto guess = std::make_unique<Guessed>(80);
  constructor_not_found<<<100, 64>>>(m, guess->stride);
  a_global_object<<<100, 64>>>(m, global->ld());
  const Layout *wide = argc > 1 ? (const Layout *)new Chosen(argc > 2 ? 64 : 65) : padded;
  either_of_two<<<100, 64>>>(m, wide->ld());
  const Layout *either = argc > 1 ? packed : padded;
  either_of_two_packed<<<100, 64>>>(m, either->ld());
  of_any_class<<<100, 64>>>(m, known_elsewhere()->ld());
}
"""

test_kernel = verdicts(SOURCE)
