// Section: CUDA C++ Programming Guide: Surface Memory
// Shows: two threads write one texel: x counts bytes, and is rounded to a pair
// race: write texel, write texel; global; warp
__global__ void paint(cudaSurfaceObject_t image) {
  surf2Dwrite((float)threadIdx.x, image, (threadIdx.x & ~1) * sizeof(float), blockIdx.x);  // texel
}

int main() {
  cudaSurfaceObject_t image;
  cudaResourceDesc resource = {};
  cudaCreateSurfaceObject(&image, &resource);
  paint<<<4, 128>>>(image);
  cudaDeviceSynchronize();
}
