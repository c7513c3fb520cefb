"""half, bfloat16 and 8 bit numbers in memory: what their operators read and write there."""

from __future__ import annotations

from tests.checking import verdicts

test_small_floats = verdicts(
    """
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    #include <cuda_fp8.h>
    // safe: 7 of 7 pairs
    __global__ void products(half *p, const half *q) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      p[i] = p[i] * q[i] + q[i + 1];
      if (p[i] > q[i]) p[i] = -q[i];
    }
    // race: read next, write here; global; warp block grid
    __global__ void neighbours(__nv_bfloat16 *p) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      __nv_bfloat16 sum = p[i] + __nv_bfloat16(1.0f);
      sum += p[i + 1];  // next
      p[i] = sum;  // here
    }
    // safe: 2 of 2 pairs
    __global__ void add(half2 *p, const half2 *q) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      p[i] += q[i];
    }
    // race: read here, write here; global; warp
    // race: write here, write here; global; warp
    __global__ void add_twice(half2 *p, const half2 *q) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      p[i / 2] += q[i];  // here
    }
    // safe: 1 of 1 pairs
    __global__ void bytes(__nv_fp8_e4m3 *p, const __nv_fp8_e5m2 *q) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      p[i] = __nv_fp8_e4m3(float(q[i / 2]) * 2.0f);
    }
    // race: read next, write here; global; warp block grid
    __global__ void converted(__nv_fp8_e5m2 *p) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float v = float(p[i + 1]);  // next
      p[i] = __nv_fp8_e5m2(v);  // here
    }
    // safe: 1 of 1 pairs
    __global__ void vectors(float *out, const float *in) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      const float4 v = *reinterpret_cast<const float4 *>(&in[4 * i]);
      float *o = (float *)__builtin_assume_aligned(out, 16);
      reinterpret_cast<float4 *>(o)[i] = make_float4(v.x, v.y, v.z, -INFINITY);
    }
    int main() {
      void *p, *q;
      cudaMalloc(&p, 1 << 20);
      cudaMalloc(&q, 1 << 20);
      products<<<4, 128>>>((half *)p, (half *)q);
      neighbours<<<4, 128>>>((__nv_bfloat16 *)p);
      add<<<4, 128>>>((half2 *)p, (half2 *)q);
      add_twice<<<4, 128>>>((half2 *)p, (half2 *)q);
      bytes<<<4, 128>>>((__nv_fp8_e4m3 *)p, (__nv_fp8_e5m2 *)q);
      converted<<<4, 128>>>((__nv_fp8_e5m2 *)p);
      vectors<<<4, 128>>>((float *)p, (float *)q);
    }
    """
)
