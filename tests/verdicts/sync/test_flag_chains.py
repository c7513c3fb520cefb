"""Order through a third thread, which waits for one flag and sets another one."""

from tests.checking import verdicts

SOURCE = """
#include <cuda/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;

// safe: 5 of 5 pairs
__global__ void within_a_block_and_then_to_another(int *data, int *near, int *far, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;
    Near(*near).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 0 && threadIdx.x == 32) {
    while (Near(*near).load(cuda::memory_order_acquire) == 0) {}
    Far(*far).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (Far(*far).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;
  }
}

// race: read get, write put; global; grid
__global__ void the_third_acquires_nothing(int *data, int *near, int *far, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;  // put
    Near(*near).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 0 && threadIdx.x == 32) {
    while (Near(*near).load(cuda::memory_order_relaxed) == 0) {}
    Far(*far).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (Far(*far).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;  // get
  }
}

// race: read get, write put; global; grid
__global__ void the_third_releases_nothing(int *data, int *near, int *far, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;  // put
    Near(*near).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 0 && threadIdx.x == 32) {
    while (Near(*near).load(cuda::memory_order_acquire) == 0) {}
    Far(*far).store(1, cuda::memory_order_relaxed);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (Far(*far).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;  // get
  }
}

// race: atomic seen, atomic set; global; grid (data-dependent)
// race: read get, write put; global; grid
__global__ void the_last_step_is_of_a_block(int *data, int *near, int *far, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;  // put
    Near(*near).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 0 && threadIdx.x == 32) {
    while (Near(*near).load(cuda::memory_order_acquire) == 0) {}
    Near(*far).store(1, cuda::memory_order_release);  // set
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (Near(*far).load(cuda::memory_order_acquire) == 0) {}  // seen
    *out = *data;  // get
  }
}

// safe: 3 of 3 pairs
__global__ void three_blocks(int *data, int *near, int *far, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;
    __threadfence();
    atomicExch(near, 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(near, 0) == 0) {}
    __threadfence();
    atomicExch(far, 1);
  } else {
    while (atomicAdd(far, 0) == 0) {}
    __threadfence();
    *out = *data;
  }
}

// race: read get, write put; global; grid
__global__ void three_blocks_and_two_fences(int *data, int *near, int *far, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    __threadfence();
    atomicExch(near, 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(near, 0) == 0) {}
    atomicExch(far, 1);
  } else {
    while (atomicAdd(far, 0) == 0) {}
    __threadfence();
    *out = *data;  // get
  }
}

// safe: 3 of 3 pairs
__global__ void each_block_has_its_flags(int *data, int *near, int *far, int *out) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    data[b] = 1;
    __threadfence();
    atomicExch(&near[b], 1);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&near[b], 0) == 0) {}
    __threadfence();
    atomicExch(&far[b], 1);
  }
  if (threadIdx.x == 64) {
    while (atomicAdd(&far[b], 0) == 0) {}
    __threadfence();
    out[b] = data[b];
  }
}

// race: read get, write put; global; block
__global__ void the_third_waits_for_another(int *data, int *near, int *far, int *out) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    data[b] = 1;  // put
    __threadfence();
    atomicExch(&near[b], 1);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&near[b / 2], 0) == 0) {}
    __threadfence();
    atomicExch(&far[b], 1);
  }
  if (threadIdx.x == 64) {
    while (atomicAdd(&far[b], 0) == 0) {}
    __threadfence();
    out[b] = data[b];  // get
  }
}

// safe: 6 of 6 pairs
__global__ void by_a_flag_in_shared_memory(int *data, int *near, int *far, int *out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 1;
    Near(s).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 0 && threadIdx.x == 32) {
    while (Near(s).load(cuda::memory_order_acquire) == 0) {}
    Far(*far).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (Far(*far).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;
  }
}

// race: read get, write put; global; grid
__global__ void by_the_shared_memory_of_another_block(int *data, int *near, int *far, int *out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) *data = 1;  // put
    Near(s).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 1 && threadIdx.x == 32) {
    while (Near(s).load(cuda::memory_order_acquire) == 0) {}
    Far(*far).store(1, cuda::memory_order_release);
  }
  if (blockIdx.x == 1 && threadIdx.x == 64) {
    while (Far(*far).load(cuda::memory_order_acquire) == 0) {}
    *out = *data;  // get
  }
}

void clear(int *near, int *far) { cudaMemset(near, 0, 1024), cudaMemset(far, 0, 1024); }
int main() {
  int *data, *near, *far, *out;
  cudaMalloc(&data, 1024);
  cudaMalloc(&near, 1024);
  cudaMalloc(&far, 1024);
  cudaMalloc(&out, 1024);
  clear(near, far), within_a_block_and_then_to_another<<<2, 96>>>(data, near, far, out);
  clear(near, far), the_third_acquires_nothing<<<2, 96>>>(data, near, far, out);
  clear(near, far), the_third_releases_nothing<<<2, 96>>>(data, near, far, out);
  clear(near, far), the_last_step_is_of_a_block<<<2, 96>>>(data, near, far, out);
  clear(near, far), three_blocks<<<3, 96>>>(data, near, far, out);
  clear(near, far), three_blocks_and_two_fences<<<3, 96>>>(data, near, far, out);
  clear(near, far), each_block_has_its_flags<<<8, 96>>>(data, near, far, out);
  clear(near, far), the_third_waits_for_another<<<8, 96>>>(data, near, far, out);
  clear(near, far), by_a_flag_in_shared_memory<<<2, 96>>>(data, near, far, out);
  clear(near, far), by_the_shared_memory_of_another_block<<<2, 96>>>(data, near, far, out);
}
"""

test_kernel = verdicts(SOURCE)
