"""Pipelines of several threads (cuda::pipeline with a state in shared memory): all threads of a block, or producers and
consumers, acquire, commit, wait for and release its stages in turn."""

from tests.checking import verdicts

HEAD = """
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using Role = cuda::pipeline_role;
template <int Stages> using Shared = cuda::pipeline_shared_state<cuda::thread_scope_block, Stages>;
template <class Pipe> __device__ void fetch(Pipe &pipe, int *to, const int *from) {
  pipe.producer_acquire();
  cuda::memcpy_async(cg::this_thread_block(), to, from, 512, pipe);  // put
  pipe.producer_commit();
}
"""
TURNS = "open: a pipeline, with stages of which it is not known whose turn it is"
MAY_ORDER = (
    "open: read get, write put; shared; warp block: what was not understood in line LINE may order the two accesses"
)
RACE, BOTH = (f"race: {first}, write put; shared; warp block" for first in ("read get", "write put"))
OWN_COPY = "open: the thread uses what its own asynchronous copy may not have brought yet"
FETCH = "fetch(pipe, s[k % {buffers}], in + k * 128);"
NEXT = "if (k + 1 < n) fetch(pipe, s[(k + 1) % {buffers}], in + (k + 1) * 128);"
FIRST = "fetch(pipe, s[0], in);"
WAIT, RELEASE = "pipe.consumer_wait();", "pipe.consumer_release();"
USE = "out[k * 128 + t] = s[k % {buffers}][127 - t];"
STORED = "pipe.producer_acquire(); s[k % {buffers}][t] = in[k * 128 + t]; pipe.producer_commit();"
OWN = (
    "pipe.producer_acquire(); cuda::memcpy_async(&s[k % {buffers}][t], in + k * 128 + t, 4, pipe);"
    " pipe.producer_commit();"
)
OTHER = "other.producer_acquire(); other.producer_commit(); other.consumer_wait();"

LOOPS = {
    # name: verdicts, stages, buffers, what comes before the loop, what is done in each iteration
    "one_stage": (("safe: 5 of 5 pairs",), 1, 1, "", (FETCH, WAIT, USE, RELEASE)),
    "released_before": ((RACE,), 1, 1, "", (FETCH, WAIT, RELEASE, USE)),
    "released_before_all": (
        (RACE,),
        2,
        2,
        FIRST,
        (NEXT, WAIT, RELEASE, USE),
    ),
    "not_waited_for": ((RACE,), 1, 1, "", (FETCH, USE, WAIT, RELEASE)),
    "one_buffer_for_two_stages": (
        (RACE, BOTH),
        2,
        1,
        FIRST,
        (NEXT, WAIT, USE, RELEASE),
    ),
    "ahead": (("safe: 8 of 8 pairs",), 2, 2, FIRST, (NEXT, WAIT, USE, RELEASE)),
    "ahead_behind_barriers": (
        ("safe: 17 of 17 pairs",),
        2,
        2,
        FIRST,
        (NEXT, WAIT, "__syncthreads();", USE, "__syncthreads();", RELEASE),
    ),
    "three_ahead": (
        ("safe: 8 of 8 pairs",),
        4,
        4,
        "for (int k = 0; k < 3; ++k) if (k < n) fetch(pipe, s[k], in + k * 128);",
        ("if (k + 3 < n) fetch(pipe, s[(k + 3) % 4], in + (k + 3) * 128);", WAIT, USE, RELEASE),
    ),
    "three_ahead_in_three": (
        (RACE, BOTH),
        4,
        3,
        "for (int k = 0; k < 3; ++k) if (k < n) fetch(pipe, s[k], in + k * 128);",
        ("if (k + 3 < n) fetch(pipe, s[(k + 3) % 3], in + (k + 3) * 128);", WAIT, USE, RELEASE),
    ),
    "stored": (("safe: 5 of 5 pairs",), 2, 2, "", (STORED, WAIT, USE, RELEASE)),
    "stored_after_commit": (
        ("race: read get, write put; shared; block",),
        2,
        2,
        "",
        ("pipe.producer_acquire(); pipe.producer_commit(); s[k % 2][t] = in[k * 128 + t];", WAIT, USE, RELEASE),
    ),
    "own_part": (("safe: 5 of 5 pairs",), 2, 2, "", (OWN, WAIT, USE, RELEASE)),
    "own_part_used_at_once": ((OWN_COPY,), 2, 2, "", (OWN, "out[k * 128 + t] = s[k % 2][t];", WAIT, RELEASE)),
    "never_acquired": (
        (TURNS, MAY_ORDER, MAY_ORDER.replace("read get", "write put")),
        2,
        2,
        "",
        (
            "cuda::memcpy_async(cg::this_thread_block(), s[k % 2], in + k * 128, 512, pipe); pipe.producer_commit();",
            WAIT,
            USE,
            RELEASE,
        ),
    ),
    "every_other_one": (
        (TURNS, MAY_ORDER, MAY_ORDER.replace("read get", "write put")),
        2,
        2,
        "",
        ("if (k % 2 == 0)", "{ " + FETCH, WAIT, USE, RELEASE + " }"),
    ),
    "two_in_some_iterations": (
        (
            TURNS,
            MAY_ORDER,
            MAY_ORDER.replace("read get", "write put"),
            MAY_ORDER.replace("LINE", "8"),
            MAY_ORDER.replace("read get", "write put").replace("LINE", "8"),
        ),
        4,
        4,
        "",
        ("if (k + 1 < n) fetch(pipe, s[2 * k % 4], in);", "fetch(pipe, s[(2 * k + 1) % 4], in);", WAIT, USE, RELEASE),
    ),
    "waits_twice": (
        (TURNS, MAY_ORDER, MAY_ORDER.replace("read get", "write put")),
        2,
        2,
        "",
        (FETCH, WAIT, WAIT, USE, RELEASE, RELEASE),
    ),
    "by_another_pipeline": (
        (RACE,),
        1,
        1,
        "",
        (FETCH, OTHER, USE, "other.consumer_release();", WAIT, RELEASE),
    ),
    "some_threads": ((TURNS,), 2, 2, "", ("if (t < 64)", "{ " + STORED, WAIT, USE, RELEASE + " }")),
    "told_by_a_flag": (
        ("open: an asynchronous copy of a pipeline that goes on past an atomic or a fence",),
        1,
        1,
        "",
        (OWN, "__threadfence_block(); if (t == 0) atomicExch(&told, k);", WAIT, USE, RELEASE),
    ),
}


def loop(name: str, verdicts_: tuple[str, ...], stages: int, buffers: int, before: str, steps: tuple[str, ...]) -> str:
    """A kernel of which all threads both fetch and use."""
    head = "\n".join(f"// {v}" for v in verdicts_)
    body = "\n    ".join(step.replace("{buffers}", str(buffers)) + label(step) for step in steps)
    return f"""
{head}
__global__ void {name}(const int *in, int *out, int n) {{
  __shared__ int s[{buffers}][128], told;
  __shared__ Shared<{stages}> state, more;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  auto other = cuda::make_pipeline(cg::this_thread_block(), &more);
  int t = threadIdx.x;
  out += blockIdx.x * n * 128;
  {before}{label(before)}
  for (int k = 0; k < n; ++k) {{
    {body}
  }}
}}
"""


def label(step: str) -> str:
    return "  // get" if "out[" in step else "  // put" if "in +" in step or "in[" in step or "pipe, s[" in step else ""


PRODUCED = "pipe.producer_acquire(); s[k % 2][t] = in[k * 64 + t]; pipe.producer_commit();"
COPIED = "pipe.producer_acquire(); cuda::memcpy_async(&s[k % 2][t], in + k * 64 + t, 4, pipe); pipe.producer_commit();"
CONSUMED = "pipe.consumer_wait(); out[k * 64 + t - 64] = s[k % 2][127 - t]; pipe.consumer_release();"
EARLY = "pipe.consumer_wait(); pipe.consumer_release(); out[k * 64 + t - 64] = s[k % 2][127 - t];"
ROLES = {
    # name: verdicts, stages, what producers do, what consumers do
    "produced": (("safe: 4 of 4 pairs",), 2, PRODUCED, CONSUMED),
    "copied": (("safe: 4 of 4 pairs",), 2, COPIED, CONSUMED),
    "more_stages_than_buffers": (("race: read get, write put; shared; block",), 3, PRODUCED, CONSUMED),
    "released_early": (("race: read get, write put; shared; block",), 2, COPIED, EARLY),
    "some_producers": (
        (
            TURNS,
            "open: read get, write put; shared; block: a barrier that some threads do not reach may order the two"
            " accesses",
        ),
        2,
        "if (t < 32) {" + PRODUCED + "}",
        CONSUMED,
    ),
}


def roles(name: str, verdicts_: tuple[str, ...], stages: int, producer: str, consumer: str) -> str:
    """A kernel of which half of the threads produce and half consume."""
    head = "\n".join(f"// {v}" for v in verdicts_)
    return f"""
{head}
__global__ void {name}(const int *in, int *out, int n) {{
  __shared__ int s[2][64];
  __shared__ Shared<{stages}> state;
  int t = threadIdx.x;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, t < 64 ? Role::producer : Role::consumer);
  out += blockIdx.x * n * 64;
  for (int k = 0; k < n; ++k) {{
    if (t < 64) {{
      {producer}  // put
    }} else {{
      {consumer}  // get
    }}
  }}
}}
"""


def numbered(before: str, kernel: str) -> str:
    """A kernel that comes next, with the number of the line where it waits."""
    line = (before + kernel[: kernel.index(WAIT)]).count("\n") + 1
    return kernel.replace("LINE", str(line))


SOURCE = HEAD
for name, row in LOOPS.items():
    SOURCE += numbered(SOURCE, loop(name, *row))
for name, row in ROLES.items():
    SOURCE += numbered(SOURCE, roles(name, *row))
SOURCE += """
int main() {
  int *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
"""
SOURCE += (
    "".join(f"  {name}<<<8, 128>>>(in, out, 16);\n  cudaDeviceSynchronize();\n" for name in (*LOOPS, *ROLES)) + "}\n"
)

test_kernel = verdicts(SOURCE)
