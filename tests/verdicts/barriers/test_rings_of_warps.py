"""Rings of barriers whose numbers depend on the warp: each pair of warps has barriers of its own."""

from tests.checking import verdicts

HEAD = """
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void meet(int at, int count) { asm volatile("bar.sync %0, %1;" :: "r"(at), "r"(count) : "memory"); }
__device__ void give(int at, int count) { asm volatile("bar.arrive %0, %1;" :: "r"(at), "r"(count) : "memory"); }
"""
RACE = ("race: read get, write put; shared; block",)
ARRIVES = "open: a barrier with a number, with threads that arrive at it and do not wait"
OPEN = (
    "open: a barrier with a number, with 32 threads, which are not as many as it counts",
    ARRIVES,
    "open: read get, write put; shared; block: a barrier that some threads do not reach may order the two accesses",
)
PUT, GET = "s[pair][lane] = in[i * 128 + threadIdx.x];", "out[i * 128 + threadIdx.x] = s[pair][31 - lane];"

ONCE = {
    # name: verdict, number at which a producer arrives, number at which a consumer waits
    "pairs": (("safe: 3 of 3 pairs",), "1 + pair", "1 + pair"),
    "numbers_apart": (("safe: 3 of 3 pairs",), "8 * pair + 3", "pair ? 11 : 3"),
    "the_other_pair": (RACE, "1 + pair", "2 - pair"),
    "next_to_each_other": (RACE, "1 + warp / 2", "1 + (warp + 1) / 2 % 2"),
    "one_number_for_both": ((ARRIVES, OPEN[2]), "1", "1"),
}
SOURCE = HEAD
for name, (verdict, given, awaited) in ONCE.items():
    SOURCE += "\n".join(f"// {v}" for v in verdict)
    SOURCE += f"""
__global__ void {name}(const int *in, int *out, int i) {{
  __shared__ int s[2][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, pair = warp / 2;
  if (warp % 2 == 0) {{
    {PUT}  // put
    give({given}, 64);
  }} else {{
    meet({awaited}, 64);
    {GET}  // get
  }}
}}
"""

WAIT, FILL = "meet(1 + 2 * pair, 64);", "give(2 + 2 * pair, 64);"
AWAIT, FREE = "meet(2 + 2 * pair, 64);", "give(1 + 2 * pair, 64);"
ROUNDS = {
    # name: verdict, what producers do in each round, what consumers do
    "in_turn": (("safe: 3 of 3 pairs",), (WAIT, PUT, FILL), (AWAIT, GET, FREE)),
    "given_back_early": (RACE, (WAIT, PUT, FILL), (AWAIT, FREE, GET)),
    "filled_early": (RACE, (WAIT, FILL, PUT), (AWAIT, GET, FREE)),
    "of_the_other_pair": (OPEN, (WAIT, PUT, FILL.replace("pair", "(1 - pair)")), (AWAIT, GET, FREE)),
}
LABELS = {PUT: "  // put", GET: "  // get"}
for name, (verdict, *steps) in ROUNDS.items():
    producer, consumer = ("\n".join(f"      {s}{LABELS.get(s, '')}" for s in x) for x in steps)
    SOURCE += "\n".join(f"// {v}" for v in verdict)
    SOURCE += f"""
__global__ void {name}(const int *in, int *out, int n) {{
  __shared__ int s[2][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, pair = warp % 2;
  if (warp < 2) {{
    for (int i = 0; i < n; ++i) {{
{producer}
    }}
  }} else {{
    {FREE}
    for (int i = 0; i < n; ++i) {{
{consumer}
    }}
  }}
}}
"""

IN_MEMORY = {
    "in_memory": (("safe: 6 of 6 pairs",), "pair"),
    "in_memory_of_the_other_pair": (RACE, "1 - pair"),
}
for name, (verdict, awaited) in IN_MEMORY.items():
    SOURCE += "\n".join(f"// {v}" for v in verdict)
    SOURCE += f"""
__global__ void {name}(const int *in, int *out, int i) {{
  __shared__ Barrier full[2];
  __shared__ int s[2][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, pair = warp / 2;
  if (threadIdx.x < 2) init(&full[threadIdx.x], 32);
  __syncthreads();
  if (warp % 2 == 0) {{
    {PUT}  // put
    (void)full[pair].arrive();
  }} else {{
    full[{awaited}].wait_parity(0);
    {GET}  // get
  }}
}}
"""

SOURCE += """
int main() {
  int *in, *out, n = 32;
  cudaMalloc(&in, 1 << 20), cudaMalloc(&out, 1 << 20);
"""
SOURCE += "".join(f"  {name}<<<1, 128>>>(in, out, n);\n" for name in (*ONCE, *ROUNDS, *IN_MEMORY))
SOURCE += "}\n"

test_kernel = verdicts(SOURCE)
