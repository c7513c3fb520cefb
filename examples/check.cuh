// Error checks and input for the examples.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    cudaError_t status = (call);                                                         \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)

// The number in argv[1], from 1 to `most`; 100 without one.
inline int size_argument(int argc, char **argv, int most) {
  int n = argc > 1 ? std::atoi(argv[1]) : 100;
  if (n < 1 || n > most) {
    std::fprintf(stderr, "usage: %s N   (1 <= N <= %d)\n", argv[0], most);
    std::exit(EXIT_FAILURE);
  }
  return n;
}
