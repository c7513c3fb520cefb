"""Memory orders and scopes of atomic objects and fences: which order they make, and for what."""

from tests.checking import verdicts

HEAD = """
#include <cuda/atomic>
#include <cuda/std/atomic>
using Near = cuda::atomic_ref<int, cuda::thread_scope_block>;
using Far = cuda::atomic_ref<int, cuda::thread_scope_device>;
"""

SOURCE = (
    HEAD
    + """
__device__ cuda::std::atomic_flag raised;
__device__ cuda::atomic<int, cuda::thread_scope_device> count(0);

// safe: 3 of 3 pairs
__global__ void release_and_acquire(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;
    Far(*flag).store(1, cuda::memory_order_release);
  } else {
    while (Far(*flag).load(cuda::memory_order_acquire) == 0) {}
    out[blockIdx.x] = *data;
  }
}

// race: read get, write put; global; grid
__global__ void relaxed_store(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    Far(*flag).store(1, cuda::memory_order_relaxed);
  } else {
    while (Far(*flag).load(cuda::memory_order_acquire) == 0) {}
    out[blockIdx.x] = *data;  // get
  }
}

// race: read get, write put; global; grid
__global__ void acquiring_exchange_releases_nothing(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    Far(*flag).exchange(1, cuda::memory_order_acquire);
  } else {
    while (Far(*flag).load(cuda::memory_order_acquire) == 0) {}
    out[blockIdx.x] = *data;  // get
  }
}

// race: read get, write put; global; grid
__global__ void released_at_another_flag(int *data, int *flag, int *other, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    Far(*other).store(1, cuda::memory_order_release);
    Far(*flag).store(1, cuda::memory_order_relaxed);
  } else {
    while (Far(*flag).load(cuda::memory_order_acquire) == 0) {}
    out[blockIdx.x] = *data;  // get
  }
}

// race: read get, write put; global; grid
__global__ void acquired_at_another_flag(int *data, int *flag, int *other, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    Far(*flag).store(1, cuda::memory_order_release);
  } else {
    while (Far(*flag).load(cuda::memory_order_relaxed) == 0) {}
    Far(*other).load(cuda::memory_order_acquire);
    out[blockIdx.x] = *data;  // get
  }
}

// safe: 3 of 3 pairs
__global__ void fences_of_one_side(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  Far f(*flag);
  if (blockIdx.x == 0) {
    *data = 1;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    f.store(1, cuda::memory_order_relaxed);
  } else {
    while (f.load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[blockIdx.x] = *data;
  }
}

// race: read get, write put; global; grid
__global__ void fences_of_the_wrong_side(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  Far f(*flag);
  if (blockIdx.x == 0) {
    *data = 1;  // put
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    f.store(1, cuda::memory_order_relaxed);
  } else {
    while (f.load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    out[blockIdx.x] = *data;  // get
  }
}

// safe: 3 of 3 pairs
__global__ void fences_before_and_behind_barriers(int *data, int *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0) while (atomicAdd(flag, 0) == 0) {}
    __syncthreads();
    __threadfence();
    out[t + blockIdx.x * 64] = data[63 - t];
  }
}

// race: read get, write put; global; grid
__global__ void lesser_fences_before_and_behind_barriers(int *data, int *flag, int *out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;  // put
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0) while (atomicAdd(flag, 0) == 0) {}
    __syncthreads();
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    out[t + blockIdx.x * 64] = data[63 - t];  // get
  }
}

// safe: 3 of 3 pairs
__global__ void two_orders_of_which_the_first_acquires(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;
    Far(*flag).store(1, cuda::memory_order_release);
  } else {
    int one = 1;
    while (!Far(*flag).compare_exchange_weak(one, 2, cuda::memory_order_acquire, cuda::memory_order_relaxed)) one = 1;
    *out = *data;
  }
}

// race: read get, write put; global; grid
__global__ void two_orders_of_which_the_second_acquires(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    Far(*flag).store(1, cuda::memory_order_release);
  } else {
    int one = 1;
    while (!Far(*flag).compare_exchange_strong(one, 2, cuda::memory_order_relaxed, cuda::memory_order_acquire)) one = 1;
    *out = *data;  // get
  }
}

// open: an atomic whose memory order is not known
// race: read get, write put; global; grid
__global__ void order_of_the_input(int *data, int *flag, int *out, bool weak) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    Far(*flag).store(1, weak ? cuda::memory_order_relaxed : cuda::memory_order_release);
  } else {
    while (Far(*flag).load(cuda::memory_order_acquire) == 0) {}
    out[blockIdx.x] = *data;  // get
  }
}

// safe: 3 of 3 pairs
__global__ void atomic_flag(int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;
    raised.test_and_set(cuda::std::memory_order_release);
  } else {
    while (!raised.test(cuda::std::memory_order_acquire)) {}
    out[blockIdx.x] = *data;
  }
}

// safe: 3 of 3 pairs
__global__ void object_at_namespace_scope(int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;
    count.store(1, cuda::memory_order_release);
  } else {
    while (count.load(cuda::memory_order_acquire) == 0) {}
    out[blockIdx.x] = *data;
  }
}

// safe: 3 of 3 pairs
__global__ void reference_of_std(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  cuda::std::atomic_ref<int> f(*flag);
  if (blockIdx.x == 0) {
    *data = 1;
    f = 1;
  } else {
    while (f == 0) {}
    out[blockIdx.x] = *data;
  }
}

// safe: 3 of 3 pairs
__global__ void waited_for(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;
    Far(*flag).store(1, cuda::memory_order_release);
    Far(*flag).notify_all();
  } else {
    Far(*flag).wait(0, cuda::memory_order_acquire);
    out[blockIdx.x] = *data;
  }
}

// race: read get, write put; global; grid
__global__ void waited_for_relaxed(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 1;  // put
    Far(*flag).store(1, cuda::memory_order_release);
    Far(*flag).notify_all();
  } else {
    Far(*flag).wait(0, cuda::memory_order_relaxed);
    out[blockIdx.x] = *data;  // get
  }
}

// safe: 2 of 2 pairs
__global__ void locked_and_unlocked(int *sum, int *lock) {
  if (threadIdx.x == 0) {
    while (Far(*lock).exchange(1, cuda::memory_order_acquire) != 0) {}
    *sum += 1;
    Far(*lock).store(0, cuda::memory_order_release);
  }
}

// race: read sum, write sum; global; grid
// race: write sum, write sum; global; grid
__global__ void unlocked_relaxed(int *sum, int *lock) {
  if (threadIdx.x == 0) {
    while (Far(*lock).exchange(1, cuda::memory_order_acquire) != 0) {}
    *sum += 1;  // sum
    Far(*lock).store(0, cuda::memory_order_relaxed);
  }
}

// safe: 2 of 2 pairs
__global__ void locked_by_a_builtin(int *sum, int *lock) {
  if (threadIdx.x == 0) {
    int free = 0;
    while (!__nv_atomic_compare_exchange_n(lock, &free, 1, false, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED,
                                           __NV_THREAD_SCOPE_DEVICE)) {
      free = 0;
    }
    *sum += 1;
    __nv_atomic_store_n(lock, 0, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  }
}

// safe: 0 of 0 pairs
__global__ void added_by_a_builtin(int *sum) {
  __nv_atomic_add(sum, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// race: atomic add, atomic add; global; grid
__global__ void added_for_the_block(int *sum) {
  __nv_atomic_add(sum, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);  // add
}

// open: a call of __nv_atomic_add, whose body is not known
__global__ void added_for_the_cluster(int *sum) {
  __nv_atomic_add(sum, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_CLUSTER);
}

// safe: 6 of 6 pairs
__global__ void set_by_one_lane(int *out) {
  __shared__ int s[32], flag;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = t;
    __syncwarp();
    if (t == 0) {
      __threadfence_block();
      atomicExch(&flag, 1);
    }
  } else {
    while (atomicAdd(&flag, 0) == 0) {}
    __threadfence_block();
    out[blockIdx.x * 32 + t - 32] = s[0];
  }
}

// open: read get, write put; shared; block: a wait for flag, set in line 312, may order them
__global__ void set_by_all_lanes(int *out) {
  __shared__ int s[32], flag;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t < 32) {
    s[t] = t;  // put
    __threadfence_block();
    atomicExch(&flag, 1);
  } else {
    while (atomicAdd(&flag, 0) == 0) {}
    __threadfence_block();
    out[blockIdx.x * 32 + t - 32] = s[t - 32];  // get
  }
}

int main(int n, char **) {
  int *data, *flag, *other, *out;
  cudaMalloc(&data, 256);
  cudaMalloc(&flag, 4);
  cudaMalloc(&other, 4);
  cudaMalloc(&out, 512);
  cudaMemset(flag, 0, 4), release_and_acquire<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), relaxed_store<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), acquiring_exchange_releases_nothing<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), cudaMemset(other, 0, 4), released_at_another_flag<<<2, 64>>>(data, flag, other, out);
  cudaMemset(flag, 0, 4), cudaMemset(other, 0, 4), acquired_at_another_flag<<<2, 64>>>(data, flag, other, out);
  cudaMemset(flag, 0, 4), fences_of_one_side<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), fences_of_the_wrong_side<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), fences_before_and_behind_barriers<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), lesser_fences_before_and_behind_barriers<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), two_orders_of_which_the_first_acquires<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), two_orders_of_which_the_second_acquires<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), order_of_the_input<<<2, 64>>>(data, flag, out, n > 1);
  atomic_flag<<<2, 64>>>(data, out);
  object_at_namespace_scope<<<2, 64>>>(data, out);
  cudaMemset(flag, 0, 4), reference_of_std<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), waited_for<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), waited_for_relaxed<<<2, 64>>>(data, flag, out);
  cudaMemset(flag, 0, 4), locked_and_unlocked<<<2, 64>>>(data, flag);
  cudaMemset(flag, 0, 4), unlocked_relaxed<<<2, 64>>>(data, flag);
  cudaMemset(flag, 0, 4), locked_by_a_builtin<<<2, 64>>>(data, flag);
  added_by_a_builtin<<<2, 64>>>(data);
  added_for_the_block<<<2, 64>>>(data);
  added_for_the_cluster<<<2, 64>>>(data);
  set_by_one_lane<<<2, 64>>>(out);
  set_by_all_lanes<<<2, 64>>>(out);
}
"""
)

test_kernel = verdicts(SOURCE)
