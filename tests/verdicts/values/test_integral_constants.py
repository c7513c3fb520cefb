"""Values of `std::integral_constant` that a program takes from a class: they are constants of the launch."""

from tests.checking import verdicts

test_constants = verdicts("""
#include <type_traits>

// safe: 1 of 1 pairs
template <int B> __global__ void of_variable(int *d, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) d[i] = 1;
}

// safe: 1 of 1 pairs
template <int B> __global__ void of_object(int *d, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) d[i] = 1;
}

// safe: 1 of 1 pairs
template <int B> __global__ void of_class(int *d, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) d[i] = 1;
}

// race: write other, write other; global; grid
template <int B> __global__ void other(int *d, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) d[i] = i + blockIdx.x;  // other
}

int main() {
  int *d, n = 1000;
  cudaMalloc(&d, n * sizeof(int));
  auto by_variable = [&](auto b) { constexpr int B = decltype(b)::value; of_variable<B><<<8, B>>>(d, n); };
  by_variable(std::integral_constant<int, 128>{});
  auto by_object = [=](auto b) { constexpr int B = b.value; of_object<B><<<8, B>>>(d, n); };
  by_object(std::integral_constant<int, 64>{});
  constexpr int named = std::integral_constant<int, 256>::value;
  of_class<named><<<8, named>>>(d, n);
  auto too_large = [&](auto b) { constexpr int B = decltype(b)::value; other<B><<<8, B + B>>>(d, n); };
  too_large(std::integral_constant<int, 32>{});
}
""")
