"""Rings of barriers: producers and consumers that arrive at some barriers of a block and wait at others."""

from tests.checking import verdicts

HEAD = """
#include <cuda/barrier>
#include <cooperative_groups.h>
#include <utility>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void meet(int at, int count) { asm volatile("bar.sync %0, %1;" :: "r"(at), "r"(count) : "memory"); }
__device__ void give(int at, int count) { asm volatile("bar.arrive %0, %1;" :: "r"(at), "r"(count) : "memory"); }
"""
SAFE = ("safe: 9 of 9 pairs",)
PAIR = "read get, write put; shared; block"
RACE = (f"race: {PAIR}",)
LOST = (
    "open: a barrier in memory, with phases of which it is not known who ends them",
    f"open: {PAIR}: a barrier that some threads do not reach may order the two accesses",
)
PUT = "s[i % 4][lane] = in[i * 32 + lane];"
GET = "out[((threadIdx.x / 32 - 1) * n + i) * 32 + lane] = s[i % 4][31 - lane];"
FREE = "empty[i % 4].wait_parity(i / 4 % 2 ^ 1);"
FILLED = "(void)full[i % 4].arrive();"
FULL = "full[i % 4].wait_parity(i / 4 & 1);"
EMPTIED = "(void)empty[i % 4].arrive();"
PRODUCER, CONSUMER = (FREE, PUT, FILLED), (FULL, GET, EMPTIED)

IN_MEMORY = {
    # name: verdict, what producers do in each round, what consumers do
    "in_turn": (SAFE, PRODUCER, CONSUMER),
    "until_there_is_no_more": (SAFE, (FREE, "if (in[i * 32] < 0) break;", PUT, FILLED), CONSUMER),
    "written_after_it_is_given": (RACE, (FREE, FILLED, PUT), CONSUMER),
    "written_before_it_is_free": (RACE, (PUT, FREE, FILLED), CONSUMER),
    "read_before_it_is_full": (RACE, PRODUCER, (GET, FULL, EMPTIED)),
    "read_after_it_is_given_back": (RACE, PRODUCER, (FULL, EMPTIED, GET)),
    "one_place_ahead": (RACE, (FREE, PUT.replace("i % 4", "(i + 1) % 4"), FILLED), CONSUMER),
    "nobody_waits_until_it_is_free": (LOST, (PUT, FILLED), CONSUMER),
    "free_in_the_wrong_phase": (LOST, (FREE.replace(" ^ 1", ""), PUT, FILLED), CONSUMER),
    "full_in_the_wrong_phase": (LOST, PRODUCER, (FULL.replace("& 1", "% 2 ^ 1"), GET, EMPTIED)),
    "not_always_waited_for": (LOST, ("if (i > 8) " + FREE, PUT, FILLED), CONSUMER),
    "another_one_given_back": (LOST, PRODUCER, (FULL, GET, EMPTIED.replace("i % 4", "(i + 1) % 4"))),
    "given_back_by_half": (LOST, PRODUCER, (FULL, GET, "if (lane < 16) " + EMPTIED)),
}


def body(steps: tuple[str, ...], indent: str = "      ") -> str:
    """Statements with the labels of what is put and got."""
    labels = {"s[": "put", "out[": "get", "if (lane > 15)": "last"}
    ends = [next((f"  // {label}" for begin, label in labels.items() if x.startswith(begin)), "") for x in steps]
    return "\n".join(f"{indent}{step}{end}" for step, end in zip(steps, ends, strict=True))


def kernel(
    name: str, verdict: tuple[str, ...], counts: tuple[int, int], producer: tuple[str, ...], consumer: tuple[str, ...]
) -> str:
    """A kernel with a ring of four places; `counts`: how many arrive at a full and at an empty one."""
    head = "\n".join(f"// {v}" for v in verdict)
    return f"""
{head}
__global__ void {name}(const int *in, int *out, int n) {{
  __shared__ Barrier full[4], empty[4];
  __shared__ int s[4][32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 4) init(&full[threadIdx.x], {counts[0]}), init(&empty[threadIdx.x], {counts[1]});
  __syncthreads();
  if (threadIdx.x < 32) {{
    for (int i = 0; i < n; ++i) {{
{body(producer)}
    }}
  }} else {{
    for (int i = 0; i < n; ++i) {{
{body(consumer)}
    }}
  }}
}}
"""


SOURCE = HEAD
for name, (verdict, producer, consumer) in IN_MEMORY.items():
    SOURCE += kernel(name, verdict, (32, 32), producer, consumer)

MEET = "__syncwarp();"
ONE = "if (lane == 0) "
BY_ONE = {
    # name: verdict, threads, how many give back, what producers do in each round, what consumers do
    "one_arrives": (SAFE, 64, 1, (FREE, PUT, MEET, ONE + FILLED), (FULL, GET, MEET, ONE + EMPTIED)),
    "one_waits": (
        SAFE,
        64,
        1,
        (ONE + FREE, MEET, PUT, MEET, ONE + FILLED),
        (ONE + FULL, MEET, GET, MEET, ONE + EMPTIED),
    ),
    "one_of_each_warp": (SAFE, 96, 2, (FREE, PUT, MEET, ONE + FILLED), (FULL, GET, MEET, ONE + EMPTIED)),
    "one_arrives_before_all_have_put": (RACE, 64, 1, (FREE, PUT, ONE + FILLED), (FULL, GET, MEET, ONE + EMPTIED)),
    "one_arrives_before_all_have_got": (RACE, 64, 1, (FREE, PUT, MEET, ONE + FILLED), (FULL, GET, ONE + EMPTIED)),
    "one_waits_and_others_do_not": (
        RACE,
        64,
        1,
        (FREE, PUT, MEET, ONE + FILLED),
        (ONE + FULL, GET, MEET, ONE + EMPTIED),
    ),
    "one_of_one_warp": (
        RACE,
        96,
        1,
        (FREE, PUT, MEET, ONE + FILLED),
        (FULL, GET, MEET, "if (threadIdx.x == 64) " + EMPTIED),
    ),
    "some_have_returned": (
        (f"race: {PAIR.replace('put', 'last')}",),
        64,
        1,
        (FREE, "if (lane > 15) { s[i % 4][lane] = 1; return; }", MEET, ONE + FILLED),
        (FULL, GET, MEET, ONE + EMPTIED),
    ),
}
for name, (verdict, _, giving, producer, consumer) in BY_ONE.items():
    SOURCE += kernel(name, verdict, (1, giving), producer, consumer)

SOURCE += """
// safe: 11 of 11 pairs
__global__ void of_the_guide(const int *in, int *out, int n) {
  __shared__ Barrier ready[2], filled[2];
  __shared__ int s[2][32];
  auto block = cooperative_groups::this_thread_block();
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 2) init(ready + threadIdx.x, block.size()), init(filled + threadIdx.x, block.size());
  block.sync();
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      ready[i % 2].arrive_and_wait();
      s[i % 2][lane] = in[i * 32 + lane];
      auto token = filled[i % 2].arrive();
    }
  } else {
    auto first = ready[0].arrive();
    auto second = ready[1].arrive();
    for (int i = 0; i < n; ++i) {
      filled[i % 2].arrive_and_wait();
      out[i * 32 + lane] = s[i % 2][31 - lane];
      auto token = ready[i % 2].arrive();
    }
  }
}

// race: read get, write put; shared; block
__global__ void with_one_of_two_places(const int *in, int *out, int n) {
  __shared__ Barrier ready[2], filled[2];
  __shared__ int s[32];
  auto block = cooperative_groups::this_thread_block();
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 2) init(ready + threadIdx.x, block.size()), init(filled + threadIdx.x, block.size());
  block.sync();
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      ready[i % 2].arrive_and_wait();
      s[lane] = in[i * 32 + lane];  // put
      auto token = filled[i % 2].arrive();
    }
  } else {
    for (int k = 0; k < 2; ++k) (void)ready[k].arrive();
    for (int i = 0; i < n; ++i) {
      filled[i % 2].arrive_and_wait();
      out[i * 32 + lane] = s[31 - lane];  // get
      auto token = ready[i % 2].arrive();
    }
  }
}

// safe: 9 of 9 pairs
__global__ void with_flipped_phases(const int *in, int *out, int n) {
  __shared__ Barrier full[3], empty[3];
  __shared__ int s[3][32];
  int lane = threadIdx.x % 32, stage = 0, phase = 0;
  if (threadIdx.x < 3) init(&full[threadIdx.x], 32), init(&empty[threadIdx.x], 64);
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      empty[stage].wait_parity(phase ^ 1);
      s[stage][lane] = in[i * 32 + lane];
      (void)full[stage].arrive();
      if (++stage == 3) { stage = 0; phase ^= 1; }
    }
  } else {
    for (int i = 0; i < n; ++i) {
      full[stage].wait_parity(phase);
      out[(threadIdx.x / 32 * n + i) * 32 + lane] = s[stage][31 - lane];
      (void)empty[stage].arrive();
      if (++stage == 3) { stage = 0; phase ^= 1; }
    }
  }
}

// race: read get, write again; shared; block
__global__ void after_the_last_round(const int *in, int *out, int n) {
  __shared__ Barrier full, empty;
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) init(&full, 32), init(&empty, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      empty.wait_parity(i + 1 & 1);
      s[lane] = in[i * 32 + lane];
      (void)full.arrive();
    }
    s[lane] = 0;  // again
  } else {
    for (int i = 0; i < n; ++i) {
      full.wait_parity(i & 1);
      out[i * 32 + lane] = s[31 - lane];  // get
      (void)empty.arrive();
    }
  }
}

// safe: 3 of 3 pairs
__global__ void by_numbers(const int *in, int *out, int n) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      meet(1, 64);
      s[lane] = in[i * 32 + lane];
      give(2, 64);
    }
  } else {
    give(1, 64);
    for (int i = 0; i < n; ++i) {
      meet(2, 64);
      out[i * 32 + lane] = s[31 - lane];
      give(1, 64);
    }
  }
}

// race: read get, write put; shared; block
__global__ void by_numbers_given_back_early(const int *in, int *out, int n) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      meet(1, 64);
      s[lane] = in[i * 32 + lane];  // put
      give(2, 64);
    }
  } else {
    give(1, 64);
    for (int i = 0; i < n; ++i) {
      meet(2, 64);
      give(1, 64);
      out[i * 32 + lane] = s[31 - lane];  // get
    }
  }
}

// safe: 5 of 5 pairs
__global__ void through_a_third_warp(const int *in, int *out, int n) {
  __shared__ int s[32], t[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      meet(1, 64);
      s[lane] = in[i * 32 + lane];
      give(2, 64);
    }
  } else if (threadIdx.x < 64) {
    give(1, 64);
    for (int i = 0; i < n; ++i) {
      meet(2, 64);
      int v = s[31 - lane];
      give(1, 64);
      meet(3, 64);
      t[lane] = v;
      give(4, 64);
    }
  } else {
    give(3, 64);
    for (int i = 0; i < n; ++i) {
      meet(4, 64);
      out[i * 32 + lane] = t[31 - lane];
      give(3, 64);
    }
  }
}

// safe: 3 of 3 pairs
__global__ void two_steps_away(const int *in, int *out) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    s[lane] = in[lane];
    give(1, 64);
  } else if (threadIdx.x < 64) {
    meet(1, 64);
    give(2, 64);
  } else {
    meet(2, 64);
    out[lane] = s[31 - lane];
  }
}

int main() {
  int *in, *out, n = 32;
  cudaMalloc(&in, 1 << 20), cudaMalloc(&out, 1 << 20);
"""
for name in (*IN_MEMORY, "of_the_guide", "with_one_of_two_places", "after_the_last_round", "by_numbers"):
    SOURCE += f"  {name}<<<1, 64>>>(in, out, n);\n"
for name, (_, threads, *_) in BY_ONE.items():
    SOURCE += f"  {name}<<<1, {threads}>>>(in, out, n);\n"
SOURCE += """
  by_numbers_given_back_early<<<1, 64>>>(in, out, n);
  with_flipped_phases<<<1, 96>>>(in, out, n);
  through_a_third_warp<<<1, 96>>>(in, out, n);
  two_steps_away<<<1, 96>>>(in, out);
}
"""

test_kernel = verdicts(SOURCE)
