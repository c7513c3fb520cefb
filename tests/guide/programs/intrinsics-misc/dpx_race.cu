// Section: CUDA C++ Programming Guide: DPX
// Shows: the score of the thread before is read without a barrier
// race: read get, write put; shared; warp block
__global__ void best(int *out) {
  __shared__ int score[128];
  int t = threadIdx.x;
  score[t] = __viaddmax_s32(t, -64, 0);  // put
  int left = score[t > 0 ? t - 1 : 0];  // get
  out[blockIdx.x * blockDim.x + t] = __vimax3_s32(left, t, 5);
}

int main() {
  int *out;
  cudaMalloc(&out, 4 * 128 * sizeof(int));
  best<<<4, 128>>>(out);
  cudaDeviceSynchronize();
}
