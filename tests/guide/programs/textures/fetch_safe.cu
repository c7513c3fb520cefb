// Section: CUDA C++ Programming Guide: Texture Memory
// Shows: what is fetched is stored to a place for each thread
// safe: 1 of 1 pairs
__global__ void sample(cudaTextureObject_t image, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float>(image, threadIdx.x, blockIdx.x) + i;  // result
}

int main() {
  float *out;
  cudaMalloc(&out, 4 * 128 * sizeof(float));
  cudaTextureObject_t image;
  cudaResourceDesc resource = {};
  cudaTextureDesc texture = {};
  cudaCreateTextureObject(&image, &resource, &texture, nullptr);
  sample<<<4, 128>>>(image, out);
  cudaDeviceSynchronize();
}
