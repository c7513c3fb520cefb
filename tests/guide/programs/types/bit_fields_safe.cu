// Section: CUDA C++ Programming Guide: C++ Language Support
// Shows: each thread writes the bit-fields of a record of its own
struct Cell {
  unsigned low : 16, high : 16;
};

// safe: 3 of 3 pairs
__global__ void mark(Cell *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2) {
    out[i].low = i;  // low
  } else {
    out[i].high = i;  // high
  }
}

int main() {
  Cell *out;
  cudaMalloc(&out, 4 * 128 * sizeof(Cell));
  mark<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
