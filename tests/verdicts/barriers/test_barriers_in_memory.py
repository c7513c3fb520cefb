"""Barriers in memory (cuda::barrier): they order the threads that they are made for, if these are known."""

from tests.checking import verdicts

HEAD = """
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <utility>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
struct Count { int *at; __device__ void operator()() noexcept { ++*at; } };
"""
OTHERS = "open: a barrier in memory that is not known to be of all threads of a block, or of a constant number"
LESS = "open: a barrier in memory, with 128 threads, which are not as many as it counts"
PAIR = "read get, write put; shared; block"
NOT_KNOWN = f"open: {PAIR}: what was not understood in line LINE may order the two accesses"
BYPASSED = f"open: {PAIR}: a barrier that some threads do not reach may order the two accesses"
MEET = "bar.arrive_and_wait();"
TOKEN = "auto token = bar.arrive();"
WAIT = "bar.wait(std::move(token));"

KERNELS = {
    # name: verdict, the barrier, what makes it, what stands between, what comes last
    "all_meet": (("safe: 5 of 5 pairs",), "Barrier bar;", "init(&bar, blockDim.x)", MEET, ""),
    "made_for_a_group": (("safe: 5 of 5 pairs",), "Barrier bar;", "init(&bar, block.size())", MEET, ""),
    "made_for_a_number": (("safe: 5 of 5 pairs",), "Barrier bar;", "init(&bar, 128)", MEET, ""),
    "arrives_and_waits": (("safe: 6 of 6 pairs",), "Barrier bar;", "init(&bar, 128)", f"{TOKEN} {WAIT}", ""),
    "of_the_device": (
        ("safe: 5 of 5 pairs",),
        "cuda::barrier<cuda::thread_scope_device> bar;",
        "init(&bar, 128)",
        MEET,
        "",
    ),
    "arrives_only": ((f"race: {PAIR}",), "Barrier bar;", "init(&bar, 128)", TOKEN, WAIT),
    "for_less_threads": ((LESS, NOT_KNOWN), "Barrier bar;", "init(&bar, 64)", MEET, ""),
    "arrives_for_two": ((OTHERS,), "Barrier bar;", "init(&bar, 128)", "(void)bar.arrive(2); " + MEET, ""),
    "arrives_twice": (
        ("open: a barrier in memory, with threads that arrive at it and do not wait at once", NOT_KNOWN),
        "Barrier bar;",
        "init(&bar, 128)",
        "(void)bar.arrive(); " + MEET,
        "",
    ),
    "half_of_the_threads": (
        ("open: a barrier in memory, with a condition that not all threads of the block meet", BYPASSED),
        "Barrier bar;",
        "init(&bar, 128)",
        "if (threadIdx.x < 64) " + MEET,
        "",
    ),
    "a_thread_has_left": (
        ("open: a barrier in memory, with a condition that not all threads of the block meet", NOT_KNOWN),
        "Barrier bar;",
        "init(&bar, 128)",
        "if (threadIdx.x == 5) return; " + MEET,
        "",
    ),
    "of_one_thread": (
        (
            "open: a call of arrive_and_wait, whose body is not known",
            "open: a call of init, whose body is not known",
            NOT_KNOWN,
        ),
        "cuda::barrier<cuda::thread_scope_thread> bar;",
        "init(&bar, 128)",
        MEET,
        "",
    ),
}


def verdicts_at(verdict: tuple[str, ...], before: str) -> str:
    """The verdicts above a kernel that comes next; the barrier is in the ninth line from here."""
    line = before.count("\n") + len(verdict) + 9
    return "\n".join(f"// {v}".replace("LINE", str(line)) for v in verdict)


SOURCE = HEAD
for name, (verdict, declared, made, between, last) in KERNELS.items():
    SOURCE += f"""
{verdicts_at(verdict, SOURCE)}
__global__ void {name}(const int *in, int *out) {{
  __shared__ {declared}
  __shared__ int s[128];
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0) {made};
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];  // put
  {between}
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];  // get
  {last}
}}
"""

SOURCE += """
// safe: 5 of 5 pairs
__global__ void of_the_first_half(const int *in, int *out) {
  __shared__ Barrier bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  if (threadIdx.x < 64) {
    s[threadIdx.x] = in[threadIdx.x];
    bar.arrive_and_wait();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
  }
}

// race: read other, write own; shared; block
__global__ void the_other_half_does_not_wait(const int *in, int *out) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];  // own
  if (threadIdx.x < 64) {
    bar.arrive_and_wait();
    out[blockIdx.x * 64 + threadIdx.x] = s[127 - threadIdx.x];  // other
  }
}

// safe: 6 of 6 pairs
__global__ void one_for_each_half(const int *in, int *out, int rounds) {
  __shared__ Barrier bars[2];
  __shared__ int s[128];
  int half = threadIdx.x / 64, other = half * 64 + 63 - threadIdx.x % 64;
  if (threadIdx.x < 2) init(&bars[threadIdx.x], 64);
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[k * 128 + threadIdx.x];
    bars[half].arrive_and_wait();
    out[(k * 2 + blockIdx.x) * 128 + threadIdx.x] = s[other];
    bars[half].arrive_and_wait();
  }
}

// race: read get, write put; shared; block
__global__ void one_for_each_half_of_all(const int *in, int *out, int rounds) {
  __shared__ Barrier bars[2];
  __shared__ int s[128];
  int half = threadIdx.x / 64;
  if (threadIdx.x < 2) init(&bars[threadIdx.x], 64);
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[k * 128 + threadIdx.x];  // put
    bars[half].arrive_and_wait();
    out[(k * 2 + blockIdx.x) * 128 + threadIdx.x] = s[127 - threadIdx.x];  // get
    bars[half].arrive_and_wait();
  }
}

// safe: 5 of 5 pairs
__global__ void in_turn_by_number(const int *in, int *out, int rounds) {
  __shared__ Barrier bars[2];
  __shared__ int s[2][128];
  if (threadIdx.x < 2) init(&bars[threadIdx.x], 128);
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    s[k % 2][threadIdx.x] = in[k * 128 + threadIdx.x];
    bars[k % 2].arrive_and_wait();
    out[(k * 2 + blockIdx.x) * 128 + threadIdx.x] = s[k % 2][127 - threadIdx.x];
  }
}

// open: a barrier in memory that is not known to be of all threads of a block, or of a constant number
__global__ void for_two_numbers(const int *in, int *out) {
  __shared__ Barrier bars[2];
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bars[0], 64), init(&bars[1], 128);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];
  bars[1].arrive_and_wait();
  out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}

// race: atomic use, write make; shared; warp block
__global__ void used_before_it_is_made(const int *in, int *out) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, 128);  // make
  s[threadIdx.x] = in[threadIdx.x];
  bar.arrive_and_wait();  // use
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

// safe: 7 of 7 pairs
__global__ void in_each_round(const int *in, int *out, int rounds) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, 128);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[k];
    auto token = bar.arrive();
    sum += k;
    bar.wait(std::move(token));
    sum += s[127 - threadIdx.x];
    bar.arrive_and_wait();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// race: read get, write put; shared; block
__global__ void once_in_each_round(const int *in, int *out, int rounds) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, 128);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[k];  // put
    bar.arrive_and_wait();
    sum += s[127 - threadIdx.x];  // get
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// safe: 8 of 8 pairs
__global__ void two_in_turn(const int *in, int *out) {
  __shared__ Barrier bars[2];
  __shared__ int s[128];
  if (threadIdx.x < 2) init(bars + threadIdx.x, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];
  auto first = bars[0].arrive();
  auto second = bars[1].arrive();
  bars[1].wait(std::move(second));
  bars[0].wait(std::move(first));
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 4096), cudaMalloc(&out, 4096);
"""
for name in (*KERNELS, "used_before_it_is_made", "two_in_turn"):
    SOURCE += f"  {name}<<<2, 128>>>(in, out);\n"
SOURCE += """
  of_the_first_half<<<2, 128>>>(in, out);
  the_other_half_does_not_wait<<<2, 128>>>(in, out);
  one_for_each_half<<<2, 128>>>(in, out, 9);
  one_for_each_half_of_all<<<2, 128>>>(in, out, 9);
  in_turn_by_number<<<2, 128>>>(in, out, 9);
  for_two_numbers<<<2, 128>>>(in, out);
  in_each_round<<<2, 128>>>(in, out, 9);
  once_in_each_round<<<2, 128>>>(in, out, 9);
}
"""

test_kernel = verdicts(SOURCE)
