// Barriers, fences, timing and traps.
#pragma once
extern __HGRD_INTRINSIC void __syncthreads();
extern __HGRD_INTRINSIC int __syncthreads_count(int predicate);
extern __HGRD_INTRINSIC int __syncthreads_and(int predicate);
extern __HGRD_INTRINSIC int __syncthreads_or(int predicate);
extern __HGRD_INTRINSIC void __syncwarp(unsigned mask = 0xffffffffu);
extern __HGRD_INTRINSIC void __barrier_sync(unsigned id);
extern __HGRD_INTRINSIC void __barrier_sync_count(unsigned id, unsigned count);
extern __HGRD_INTRINSIC void __threadfence();
extern __HGRD_INTRINSIC void __threadfence_block();
extern __HGRD_INTRINSIC void __threadfence_system();
extern __HGRD_INTRINSIC void __cluster_barrier_arrive();
extern __HGRD_INTRINSIC void __cluster_barrier_wait();
extern __HGRD_INTRINSIC void __nanosleep(unsigned nanoseconds);
extern __HGRD_DEVICE long long clock64();
extern __HGRD_INTRINSIC unsigned long long __globaltimer();
extern __HGRD_INTRINSIC void __trap();
extern __HGRD_INTRINSIC void __brkpt(int code = 0);
extern __HGRD_INTRINSIC void __debugsync();
extern __HGRD_INTRINSIC void __prof_trigger(int counter);
extern __HGRD_INTRINSIC void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zero_fill = 0);
extern __HGRD_INTRINSIC void __pipeline_commit();
extern __HGRD_INTRINSIC void __pipeline_wait_prior(size_t groups);
extern __HGRD_INTRINSIC void __pipeline_commit_of(const void* pipeline);
extern __HGRD_INTRINSIC void __pipeline_wait_oldest_of(const void* pipeline);
extern __HGRD_INTRINSIC void __pipeline_wait_prior_of(const void* pipeline, size_t groups);
extern __HGRD_INTRINSIC void __pipeline_make(void* state, int stages, size_t threads, int roles);
extern __HGRD_INTRINSIC void __pipeline_acquire(void* state, int stages, int* commits);
extern __HGRD_INTRINSIC void __pipeline_commit_stage(void* state, int stages, int* commits);
extern __HGRD_INTRINSIC void __pipeline_wait_stage(void* state, int stages, int* releases);
extern __HGRD_INTRINSIC void __pipeline_release(void* state, int stages, int* releases);

// Every <<<...>>> is a call of this, as clang sees it.
extern "C" __HGRD_BOTH unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void* stream = 0);
extern "C" __HGRD_BOTH unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void* stream = 0);
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
