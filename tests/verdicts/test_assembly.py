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
