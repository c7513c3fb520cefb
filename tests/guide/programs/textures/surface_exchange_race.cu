// Section: CUDA C++ Programming Guide: Surface Functions
// Shows: a texel is read before the thread that writes it has passed a barrier
// race: read read, write write; global; block
__global__ void paint(cudaSurfaceObject_t image) {
  surf2Dwrite((float)threadIdx.x, image, threadIdx.x * 4, blockIdx.x);  // write
  float other = surf2Dread<float>(image, (127 - threadIdx.x) * 4, blockIdx.x);  // read
  __syncthreads();
  surf2Dwrite(other, image, threadIdx.x * 4, blockIdx.x);  // again
}

int main() {
  cudaSurfaceObject_t image;
  cudaResourceDesc resource = {};
  cudaCreateSurfaceObject(&image, &resource);
  paint<<<4, 128>>>(image);
  cudaDeviceSynchronize();
}
