// Section: CUDA C++ Programming Guide: Dynamic Global Memory Allocation and Operations
// Shows: objects made by new are each thread's own, the place of the results is one
struct Point {
  int x, y;
  __device__ Point(int a, int b) : x(a), y(b) {}
};

// race: write told, write told; global; warp block grid
__global__ void make(int *out) {
  Point *point = new Point(threadIdx.x, blockIdx.x);
  out[7] = point->x + point->y;  // told
  delete point;
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  make<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
