// Section: CUDA C++ Programming Guide: Dynamic Global Memory Allocation and Operations
// Shows: objects made by new are each thread's own
struct Point {
  int x, y;
  __device__ Point(int a, int b) : x(a), y(b) {}
};

// safe: 1 of 1 pairs
__global__ void make(int *out) {
  Point *point = new Point(threadIdx.x, blockIdx.x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = point->x + point->y;  // told
  delete point;
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  make<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
