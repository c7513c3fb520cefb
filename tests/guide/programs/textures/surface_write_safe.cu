// Section: CUDA C++ Programming Guide: Surface Memory
// Shows: each thread writes a texel of its own
// safe: 1 of 1 pairs
__global__ void paint(cudaSurfaceObject_t image) {
  surf2Dwrite((float)threadIdx.x, image, threadIdx.x * sizeof(float), blockIdx.x);  // texel
}

int main() {
  cudaSurfaceObject_t image;
  cudaResourceDesc resource = {};
  cudaCreateSurfaceObject(&image, &resource);
  paint<<<4, 128>>>(image);
  cudaDeviceSynchronize();
}
