// Section: CUDA C++ Programming Guide: Built-in Vector Types
// Shows: the four floats that a thread stores at once are read behind a barrier
// safe: 3 of 3 pairs
__global__ void blend(float *out) {
  __shared__ float s[4 * 128];
  int t = threadIdx.x;
  *reinterpret_cast<float4 *>(&s[4 * t]) = make_float4(t, 1, 2, 3);  // four
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = s[(4 * t + 4) % 512];  // one
}

int main() {
  float *out;
  cudaMalloc(&out, 4 * 128 * sizeof(float));
  blend<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
