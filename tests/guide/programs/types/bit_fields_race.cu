// Section: CUDA C++ Programming Guide: C++ Language Support
// Shows: two threads write adjacent bit-fields, that are one memory location
struct Cell {
  unsigned low : 16, high : 16;
};

// race: write high, write low; global; warp
__global__ void mark(Cell *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2) {
    out[i / 2].low = i;  // low
  } else {
    out[i / 2].high = i;  // high
  }
}

int main() {
  Cell *out;
  cudaMalloc(&out, 4 * 128 * sizeof(Cell));
  mark<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
