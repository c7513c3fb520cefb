"""Inline assembly: what PTX instructions do to memory and to the order of threads."""

from tests.checking import verdicts

REGISTERS = """
// race: write result, write result; global; warp block grid
__global__ void a_result_in_memory(int *a, const int *b) {
  asm("mad.lo.s32 %0, %1, 3, %2;" : "=r"(a[0]) : "r"(b[threadIdx.x]), "r"(7));  // result
}

// safe: 1 of 1 pairs
__global__ void a_result_at_an_own_place(int *a, const int *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm("mad.lo.s32 %0, %1, 3, %2;" : "=r"(a[i]) : "r"(b[i]), "r"(7));
}

// race: write mine, write mine; global; warp block grid
__global__ void numbers_of_its_own(float *a, const float *b) {
  float v;
  asm("fma.rn.f32 %0, %1, %1, %1;" : "=f"(v) : "f"(b[threadIdx.x]));
  a[0] = v;  // mine
}

// race: write mine, write mine; global; warp block grid
__global__ void functions_known_by_name(float *a, const float *b) {
  float v;
  asm("ex2.approx.f32 %0, %1;" : "=f"(v) : "f"(b[threadIdx.x]));
  a[0] = v;  // mine
}

// note: write same, write same; global; warp block grid
// safe: 0 of 1 pairs
__global__ void functions_of_common_numbers(float *a, float x) {
  float v;
  asm("ex2.approx.f32 %0, %1;" : "=f"(v) : "f"(x));
  a[0] = v;  // same
}

// race: write mine, write mine; global; warp block grid
__global__ void fragments_of_matrices(unsigned *a, unsigned x) {
  unsigned d;
  asm("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0}, {%1}, {%1}, {%1};" : "=r"(d) : "r"(x));
  a[0] = d;  // mine
}

// safe: 1 of 1 pairs
__global__ void arithmetic(int *a, int n) {
  unsigned i, in;
  asm("{ .reg .u32 t; mov.u32 t, %%ctaid.x; mad.lo.u32 %0, t, %%ntid.x, %%tid.x; }" : "=r"(i));
  asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(in) : "r"(i), "r"(n));
  if (in) a[i] = 1;
}

// race: write here, write here; global; block grid
__global__ void lanes(int *a) {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  a[lane] = threadIdx.x + blockIdx.x * 1000;  // here
}

// race: write here, write here; global; grid
__global__ void warps(int *a) {
  unsigned warp, lane;
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  a[warp * 32 + lane] = blockIdx.x;  // here
}
"""

test_registers = verdicts(REGISTERS)

MEMORY = """
// race: write store, write store; global; warp block grid
__global__ void a_store_in_braces(int *a) {
  asm volatile("{st.global.s32 [%0], %1;}" :: "l"(a), "r"(threadIdx.x) : "memory");  // store
}

// safe: 1 of 1 pairs
__global__ void an_own_store(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.global.s32 [%0 + 4], %1;" :: "l"(a + i), "r"(i) : "memory");
}

// race: write three, write three; global; warp block grid
__global__ void vectors_overlap(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.v2.s32 [%0], {%1, %1};" :: "l"(a + i), "r"(i) : "memory");  // three
}

// safe: 3 of 3 pairs
__global__ void vectors(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.v2.s32 [%0], {%1, %1};" :: "l"(a + 2 * i), "r"(i) : "memory");
}

// safe: 1 of 1 pairs
__global__ void guarded(int *a) {
  int *p = a + blockIdx.x;
  asm("{.reg .pred p; setp.eq.u32 p, %1, 0; @p st.u32 [%0], 7;}" :: "l"(p), "r"(threadIdx.x) : "memory");
}

// race: write store, write store; global; warp block
__global__ void guarded_by_the_opposite(int *a) {
  int *p = a + blockIdx.x;
  asm("{.reg .pred p; setp.eq.u32 p, %1, 0; @!p st.u32 [%0], %1;}" :: "l"(p), "r"(threadIdx.x) : "memory");  // store
}

// safe: 0 of 0 pairs
__global__ void atomics(int *a) {
  asm volatile("red.global.add.s32 [%0], 1;" :: "l"(a) : "memory");
}

// race: atomic few, atomic few; global; grid
__global__ void atomics_of_a_block(int *a) {
  asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" :: "l"(a) : "memory");  // few
}

// open: inline assembly: multimem.red.add.u32
__global__ void not_modelled(unsigned *a) {
  asm volatile("multimem.red.add.u32 [%0], %1;" :: "l"(a), "r"(1) : "memory");
}

// open: inline assembly: st.async.u32
// open: read there, write flag; global; grid: what was not understood in line 56 may order the two accesses
__global__ void not_modelled_may_order(unsigned *a, unsigned *b) {
  if (blockIdx.x == 0 && threadIdx.x == 0) a[0] = 1;  // flag
  asm volatile("st.async.u32 [%0], %1;" :: "l"(b), "r"(1) : "memory");
  if (blockIdx.x == 1 && threadIdx.x == 0) b[1] = a[0];  // there
}
"""

test_memory = verdicts(MEMORY)

SHARED = """
__device__ unsigned window(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// race: read there, write here; shared; block
__global__ void without_a_barrier(float *y, const float *x) {
  __shared__ float s[256];
  int t = threadIdx.x;
  asm volatile("st.shared.f32 [%0], %1;" :: "r"(window(&s[t])), "f"(x[t]) : "memory");  // here
  __syncwarp();
  y[blockIdx.x * blockDim.x + t] = s[t ^ 32];  // there
}

// safe: 3 of 3 pairs
__global__ void with_a_barrier(float *y, const float *x) {
  __shared__ float s[256];
  int t = threadIdx.x;
  asm volatile("st.shared.f32 [%0], %1;" :: "r"(window(s) + 4 * t), "f"(x[t]) : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  float v;
  asm volatile("ld.shared.f32 %0, [%1+0];" : "=f"(v) : "r"(window(&s[t ^ 32])));
  y[blockIdx.x * blockDim.x + t] = v;
}

// race: read there, write here; shared; block
__global__ void an_address_made_by_assembly(float *y, const float *x) {
  __shared__ float s[256];
  unsigned address;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(address) : "l"(s));
  asm volatile("st.shared.f32 [%0], %1;" :: "r"(address + 4 * threadIdx.x), "f"(x[0]) : "memory");  // here
  y[blockIdx.x * blockDim.x + threadIdx.x] = s[255 - threadIdx.x];  // there
}

// safe: 1 of 1 pairs
__global__ void an_integer_that_is_a_pointer(float *y) {
  unsigned long long address = (unsigned long long)y + 4ull * (blockIdx.x * blockDim.x + threadIdx.x);
  asm volatile("st.global.f32 [%0], %1;" :: "l"(address), "f"(1.0f) : "memory");
}

// race: write here, write here; global; grid
__global__ void an_integer_that_is_a_common_pointer(float *y) {
  unsigned long long address = (unsigned long long)y + 4ull * threadIdx.x;
  asm volatile("st.global.f32 [%0], %1;" :: "l"(address), "f"(1.0f * blockIdx.x) : "memory");  // here
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 65536);
  without_a_barrier<<<4, 256>>>(y, x);
  with_a_barrier<<<4, 256>>>(y, x);
  an_address_made_by_assembly<<<4, 256>>>(y, x);
  an_integer_that_is_a_pointer<<<4, 256>>>(y);
  an_integer_that_is_a_common_pointer<<<4, 256>>>(y);
}
"""

test_shared_memory = verdicts(SHARED)

BARRIERS = """
// safe: 4 of 4 pairs
__global__ void halves(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];
  __barrier_sync_count(1 + t / 64, 64);
  a[blockIdx.x * 128 + t] = s[t ^ 63];
}

// race: read across, write own; shared; block
__global__ void across_the_halves(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];  // own
  __barrier_sync_count(1 + t / 64, 64);
  a[blockIdx.x * 128 + t] = s[127 - t];  // across
}

// safe: 4 of 4 pairs
__global__ void branches(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  else asm volatile("bar.sync 2, 64;" ::: "memory");
  a[blockIdx.x * 128 + t] = s[t ^ 63];
}

// open: a barrier with a number, with 64 threads, which are not as many as it counts
// open: read half, write all; shared; block: a barrier that some threads do not reach may order the two accesses
__global__ void too_few(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];  // all
  if (t < 64) {
    asm volatile("bar.sync 1, 96;" ::: "memory");
    a[blockIdx.x * 128 + t] = s[t ^ 32];  // half
  }
}

// safe: 4 of 4 pairs
__global__ void again_and_again(int *a, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  for (int k = 0; k < n; k++) {
    s[t] = a[blockIdx.x * 128 + t];
    __barrier_sync_count(1 + t / 64, 64);
    a[blockIdx.x * 128 + t] = s[t ^ 63];
    __barrier_sync_count(1 + t / 64, 64);
  }
}

// race: read last, write first; shared; block
__global__ void again_too_early(int *a, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  for (int k = 0; k < n; k++) {
    s[t] = a[blockIdx.x * 128 + t];  // first
    __barrier_sync_count(1 + t / 64, 64);
    a[blockIdx.x * 128 + t] = s[t ^ 63];  // last
  }
}

// open: a barrier with a number, with other threads that use the same number elsewhere
// open: read half, write all; shared; block: what was not understood in line 72 may order the two accesses
__global__ void one_number_for_both(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];  // all
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  else asm volatile("bar.sync 1, 64;" ::: "memory");
  a[blockIdx.x * 128 + t] = s[t ^ 63];  // half
}

// open: a barrier with a number, with a number that is not the same for all threads of the block
// open: read half, write all; shared; block: what was not understood in line 82 may order the two accesses
__global__ void numbered_by_half(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];  // all
  asm volatile("barrier.cta.sync %0;" :: "r"(1 + t / 64) : "memory");
  a[blockIdx.x * 128 + t] = s[127 - t];  // half
}

// safe: 4 of 4 pairs
__global__ void of_all(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];
  asm volatile("barrier.cta.sync 3, 128;" ::: "memory");
  a[blockIdx.x * 128 + t] = s[127 - t];
}

// safe: 4 of 4 pairs
__global__ void produced_and_consumed(int *a) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t < 64) {
    s[t] = a[blockIdx.x * 128 + t];
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    a[blockIdx.x * 128 + t] = s[127 - t];
  }
}

int main() {
  int *a;
  cudaMalloc(&a, 65536);
  halves<<<4, 128>>>(a);
  across_the_halves<<<4, 128>>>(a);
  branches<<<4, 128>>>(a);
  too_few<<<4, 128>>>(a);
  again_and_again<<<4, 128>>>(a, 3);
  again_too_early<<<4, 128>>>(a, 3);
  one_number_for_both<<<4, 128>>>(a);
  numbered_by_half<<<4, 128>>>(a);
  of_all<<<4, 128>>>(a);
  produced_and_consumed<<<4, 128>>>(a);
}
"""

test_barriers = verdicts(BARRIERS)
