"""Barriers in memory by inline PTX (mbarrier): a try to wait is a wait where it is repeated until it succeeds."""

from tests.checking import verdicts

HEAD = r"""
__device__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void make(void *bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(bar)), "r"(count));
}
__device__ void arrive(void *bar) {
  asm volatile("{ .reg .b64 st; mbarrier.arrive.shared::cta.b64 st, [%0]; }" ::"r"(address(bar)) : "memory");
}
__device__ void give(void *bar) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}
__device__ bool attempt(void *bar, unsigned parity) {
  unsigned done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(address(bar)), "r"(parity) : "memory");
  return done;
}
struct Word {
  unsigned long long word;
  __device__ bool attempt(unsigned parity) { return ::attempt(&word, parity); }
  __device__ void wait(unsigned parity) { while (!attempt(parity)) __nanosleep(20); }
};
__device__ void until_it_jumps(void *bar, unsigned parity) {
  asm volatile("{\n.reg .pred P;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n@P bra DONE;\n"
               "bra WAIT;\nDONE:\n}" ::"r"(address(bar)), "r"(parity) : "memory");
}
__device__ void until_it_falls_through(void *bar, unsigned parity) {
  asm volatile("{\n.reg .pred P;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 P, [%0], %1, %2;\n@!P bra.uni WAIT;\n}"
               ::"r"(address(bar)), "r"(parity), "r"(1000) : "memory");
}
"""
SAFE = ("safe: 6 of 6 pairs",)
PAIR = "read get, write put; shared; warp block"
TRIED = (
    "open: a call of mbarrier.try_wait.parity, whose body is not known",
    f"open: {PAIR}: what was not understood in line 14 may order the two accesses",
)
LOOPED = (TRIED[0], f"open: {PAIR}: it depends on values that are not known: iteration")
STOLEN = (
    "open: a barrier in memory, with threads that arrive at it and do not wait at once",
    f"open: {PAIR}: what was not understood in line 14 may order the two accesses",
)
WAITS = {
    # name: verdicts, how threads wait
    "repeated": (SAFE, "while (!attempt(&bar, phase)) {}"),
    "repeated_after": (SAFE, "bool done; do { done = attempt(&bar, phase); } while (!done);"),
    "repeated_until_break": (SAFE, "while (true) { if (attempt(&bar, phase)) { break; } __nanosleep(10); }"),
    "repeated_until_set": (SAFE, "bool done = false; while (!done) { done = attempt(&bar, phase); }"),
    "by_jumps": (SAFE, "until_it_jumps(&bar, phase);"),
    "by_a_jump_back": (SAFE, "until_it_falls_through(&bar, phase);"),
    "tried_once": (TRIED, "attempt(&bar, phase);"),
    "told_and_ignored": (TRIED, "if (attempt(&bar, phase)) v += 1;"),
    "tried_often": (TRIED, "for (int k = 0; k < 100; ++k) if (attempt(&bar, phase)) break;"),
    "given_up": (LOOPED, "int tries = 0; while (!attempt(&bar, phase) && tries++ < 100) {}"),
    "until_it_fails": (LOOPED, "while (attempt(&bar, phase)) {}"),
    "left_otherwise": (LOOPED, "while (!attempt(&bar, phase)) { if (in[0]) break; }"),
    "in_the_wrong_phase": (STOLEN, "while (!attempt(&bar, phase ^ 1)) {}"),
    "not_at_all": ((f"race: {PAIR}",), ""),
}

SOURCE = HEAD
for name, (verdict, wait) in WAITS.items():
    SOURCE += "\n".join(("", *(f"// {v}" for v in verdict)))
    SOURCE += f"""
__global__ void {name}(const int *in, int *out, int n) {{
  __shared__ unsigned long long bar;
  __shared__ int s[128];
  int t = threadIdx.x, v = in[blockIdx.x * 128 + t];
  unsigned phase = 0;
  if (t == 0) make(&bar, 128);
  __syncthreads();
  for (int k = 0; k < n; ++k) {{
    s[t] = v;  // put
    arrive(&bar);
    {wait}
    v += s[(t + k + 1) % 128];  // get
    phase ^= 1;
    __syncthreads();
  }}
  out[blockIdx.x * 128 + t] = v;
}}
"""

TURNS = {
    # name: verdicts, what consumers do
    "in_turn": (("safe: 9 of 9 pairs",), "full[k % 2].wait(k / 2 & 1); GET give(&empty[k % 2]);"),
    "given_back_early": (
        ("race: read get, write put; shared; block",),
        "full[k % 2].wait(k / 2 & 1); give(&empty[k % 2]); GET",
    ),
}
for name, (verdict, consumer) in TURNS.items():
    got = consumer.replace("GET", "out[(blockIdx.x * n + k) * 64 + t - 64] = s[k % 2][127 - t];")
    SOURCE += "\n".join(("", *(f"// {v}" for v in verdict)))
    SOURCE += f"""
__global__ void {name}(const int *in, int *out, int n) {{
  __shared__ Word full[2], empty[2];
  __shared__ int s[2][64];
  int t = threadIdx.x;
  if (t < 2) {{
    make(&full[t], 64);
    make(&empty[t], 64);
  }}
  __syncthreads();
  for (int k = 0; k < n; ++k) {{
    if (t < 64) {{
      empty[k % 2].wait(k / 2 & 1 ^ 1);
      s[k % 2][t] = in[k * 64 + t];  // put
      give(&full[k % 2]);
    }} else {{
      {got}  // get
    }}
  }}
}}
"""

SOURCE += "int main() {\n  int *in, *out;\n  cudaMalloc(&in, 1 << 20);\n  cudaMalloc(&out, 1 << 20);\n"
for name in (*WAITS, *TURNS):
    SOURCE += f"  {name}<<<8, 128>>>(in, out, 16);\n  cudaDeviceSynchronize();\n"
SOURCE += "}\n"

test_kernel = verdicts(SOURCE)
