"""Witnesses are run: the two threads are seen in conflict, and a witness that is wrong is told from one that is not."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest
from msgspec.structs import replace

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Finding, Level, ThreadWitness
from hgrd.findings.options import AnalysisOptions
from hgrd.races.results.evidence import Evidence, KernelAtLaunch
from hgrd.simulate.replay.reachable_iteration import exited_loop
from hgrd.simulate.replay.replayer import Replayer
from hgrd.solve.query import Model
from tests.checking import parse
from tests.simulate.replays import Replays

KERNELS = {
    "arithmetic on dimensions and inputs": """
    __global__ void k(double *a, int width, int stride) {
      int t = threadIdx.x;
      if (t < width) a[blockIdx.x * stride + t] = t;
    }""",
    "a loop, and a barrier in it": """
    __global__ void k(float *a, int n) {
      __shared__ float s[128];
      for (int i = 0; i < n; ++i) {
        s[threadIdx.x] = a[i];
        __syncthreads();
        a[i * 128 + threadIdx.x + gridDim.x] = s[127 - threadIdx.x];
      }
    }
    int main() { float *d; cudaMalloc(&d, 1 << 20); k<<<1, 128>>>(d, 9); }""",
    "indexes in memory": """
    __global__ void k(int *a, const unsigned short *where) {
      a[where[blockIdx.x * blockDim.x + threadIdx.x]] = threadIdx.x;
    }""",
    "indexes in memory that the kernel writes": """
    __global__ void k(int *next, int *a) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int j = next[i];
      next[i] = 0;
      a[j] = i;
    }""",
    "indexes in memory of the device": """
    __device__ int table[256];
    __constant__ int shift[4];
    __global__ void k(int *a) { a[table[threadIdx.x] + shift[1]] = threadIdx.x; }""",
    "a condition on floating-point numbers": """
    __global__ void k(int *a, const float *x, float limit) {
      if (x[threadIdx.x] > limit + 1.5f && x[threadIdx.x] * 2 < 100) a[0] = threadIdx.x;
    }""",
    "an address that does not fit in 64 bits": """
    __global__ void k(int *a, int n) { if (n == 16 && threadIdx.x) a[0x7fffffffffffffffll] = threadIdx.x; }""",
    "members of records": """
    struct Grid { int *cells; long width; short first; float scale; };
    __global__ void k(Grid g) { g.cells[g.first + threadIdx.x % g.width] = threadIdx.x; }""",
    "pointers in memory": """
    __global__ void k(int **rows, int n) { rows[blockIdx.x][threadIdx.x % n] = threadIdx.x; }""",
    "one of two pointers": """
    __global__ void k(int *a) { a[threadIdx.x / 2] = threadIdx.x; }
    int main(int argc, char **argv) {
      int *x, *y;
      cudaMalloc(&x, 4000); cudaMalloc(&y, 4000);
      k<<<argc, 64>>>(argc > 3 ? x + argc : y);
    }""",
    "dynamic shared memory": """
    __global__ void k(int n) { extern __shared__ int s[]; s[(threadIdx.x + n) % 50] = threadIdx.x; }
    int main(int argc, char **) { k<<<3, 100, 400>>>(argc); }""",
    "before what a pointer leads to": """
    __global__ void k(char *a) { a[-(int)(threadIdx.x / 3) - 1000] = threadIdx.x; }
    int main() { char *a; cudaMalloc(&a, 4000); k<<<1, 64>>>(a + 3000); }""",
    "far apart": """
    __global__ void k(char *a, long n) { if (n > 2000000000) a[n * (threadIdx.x / 2)] = threadIdx.x; }""",
    "an atomic of too narrow a scope": """
    __global__ void k(int *count) { atomicAdd_block(count, 1); }""",
    "a plain read against an atomic": """
    __global__ void k(int *count, int *seen) {
      atomicAdd(count, 1);
      seen[blockIdx.x * blockDim.x + threadIdx.x] = *count;
    }""",
    "constants made of constants": """
    static __device__ const unsigned char twice = 4, half = twice / 2;
    __global__ void k(int *a) { a[threadIdx.x / half] = threadIdx.x; }""",
    "constants with members": """
    struct Two { int one, other; __device__ constexpr Two(int a) : one(a), other(a + 1) {} };
    static __device__ const Two two = Two(1);
    static __device__ const int half = two.other;
    __global__ void k(int *a) { a[threadIdx.x / half] = threadIdx.x; }""",
    "what the host has copied to constant memory": """
    struct Where { float scale; short stride; int *out; };
    __constant__ Where where;
    __constant__ int first = 3, count;
    __global__ void k(int *a) { if (threadIdx.x < count) where.out[first + threadIdx.x / where.stride] = threadIdx.x; }
    int main(int argc, char **) {
      int *x, *y;
      cudaMalloc(&x, 4000); cudaMalloc(&y, 4000);
      Where here = {1.5f, 7, y};
      cudaMemcpyToSymbol(where, &here, sizeof here);
      cudaMemcpyToSymbol(count, &argc, sizeof argc);
      k<<<1, 64>>>(x);
    }""",
    "textures": """
    __global__ void k(cudaTextureObject_t image, int *a) {
      int v;
      tex1Dfetch(&v, image, threadIdx.x);
      if (tex2D<float4>(image, threadIdx.x, 0).x < 3) a[v / 2] = threadIdx.x;
    }
    int main() {
      cudaTextureObject_t image; int *x;
      cudaCreateTextureObject(&image, 0, 0, 0); cudaMalloc(&x, 4000);
      k<<<1, 64>>>(image, x);
    }""",
    "surfaces": """
    __global__ void k(cudaSurfaceObject_t image) {
      surf2Dwrite((float)threadIdx.x, image, threadIdx.x / 2 * 4, blockIdx.x);
      float v = surf2Dread<float>(image, threadIdx.x / 2 * 4, blockIdx.x);
      if (v == threadIdx.x / 2 * 2 + 1) surf2Dwrite(v, image, 0, 7);
    }
    int main() { cudaSurfaceObject_t image; cudaCreateSurfaceObject(&image, 0); k<<<1, 64>>>(image); }""",
    "random generators": """
    #include <curand_kernel.h>
    __global__ void k(curandState *states, int *a) {
      curandState own = states[threadIdx.x / 2];
      if (curand_uniform(&own) <= 1) a[curand(&own) % 7] = threadIdx.x;
      curand_init(1, threadIdx.x, 0, &states[threadIdx.x / 2]);
    }""",
    "three axes": """
    __global__ void k(int *a) { a[(threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x + blockIdx.z] = blockIdx.y; }""",
}


def replayed(folder: Path, text: str, **options: object) -> tuple[Finding, ...]:
    (kernel,) = analyze((parse(folder, text),), AnalysisOptions(**options), Replayer()).kernels
    return kernel.findings


@pytest.mark.parametrize("what", KERNELS)
def test_the_conflict_is_seen(tmp_path: Path, what: str):
    findings = replayed(tmp_path, KERNELS[what])
    assert findings
    assert {f.replay for f in findings} == {"confirmed"}


FAILS = {
    "line 3: a call of max, whose body is not known": """
    template <class T> struct Limits { __device__ static T max(); };
    __global__ void k(int *a) { a[0] = max((int)threadIdx.x, Limits<int>::max()); }""",
    "the witness has 1000000 bytes of shared memory for a block": """
    __global__ void k(int *a) { a[0] = threadIdx.x; }
    int main() { int *a; cudaMalloc(&a, 4); k<<<1, 64, 1000000>>>(a); }""",
}


@pytest.mark.parametrize("why", FAILS)
def test_what_cannot_run_is_said(tmp_path: Path, why: str):
    (finding,) = replayed(tmp_path, FAILS[why])
    assert (finding.confidence.value, finding.replay) == ("definite", f"not replayed: {why}")


@pytest.mark.parametrize("level", list(Level))
def test_at_each_level(tmp_path: Path, level: Level):
    (finding,) = replayed(tmp_path, "__global__ void k(int *a) { a[0] = threadIdx.x + blockIdx.x; }", levels=(level,))
    assert (finding.confidence.value, finding.replay) == ("confirmed", "confirmed")


def test_what_data_decides_stays_data_dependent(tmp_path: Path):
    text = "__global__ void k(int *a, const int *d) { if (d[threadIdx.x] % 5 == 3) a[blockIdx.x] = threadIdx.x; }"
    (finding,) = replayed(tmp_path, text)
    assert (finding.confidence.value, finding.replay) == ("data-dependent", "confirmed")


def test_a_run_ends_when_the_conflict_was_seen(tmp_path: Path):
    text = """
    __global__ void k(int *a, int n) {
      a[n] = threadIdx.x;
      for (int i = 0; i < 2000000000; ++i) a[n + 1] += i;
    }
    int main(int argc, char **argv) { int *a; cudaMalloc(&a, 256); k<<<1, 32>>>(a, argc); }"""
    program, patient = parse(tmp_path, text), Replayer(each=1 << 32)
    (kernel,) = analyze((program,), AnalysisOptions(), patient).kernels
    (first, *_) = [f for f in kernel.findings if {f.first.span.line, f.second.span.line} == {3}]
    assert first.replay == "confirmed"
    assert first.replay_seconds < 60.0


def test_the_time_for_all_replays_is_bounded(tmp_path: Path):
    program = parse(tmp_path, "__global__ void k(int *a) { a[0] = threadIdx.x + blockIdx.x; }")
    for spent in (Replayer(altogether=-1), Replayer(deadline=perf_counter() - 1)):
        (kernel,) = analyze((program,), AnalysisOptions(), spent).kernels
        said = [(f.confidence.value, f.replay) for f in kernel.findings]
        assert said == [("definite", "not replayed: the time for the replays of this program is over")]


@pytest.mark.parametrize(("update", "shown"), [("a[threadIdx.x] += i", True), ("atomicAdd(a, i)", False)])
def test_what_atomics_pass_on_is_work_of_the_replay(tmp_path: Path, update: str, shown: bool):
    """Each thread by itself, where a plain access of many threads is one step; with more work, both are shown."""
    text = """
    __global__ void k(int *a, int *b) {
      for (int i = 0; i < 40; ++i) UPDATE;
      b[0] = threadIdx.x;
    }
    int main() { int *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); k<<<1, 512>>>(a, b); }"""
    program = parse(tmp_path, text.replace("UPDATE", update))
    for work, confirmed in ((1 << 25, shown), (1 << 30, True)):
        (kernel,) = analyze((program,), AnalysisOptions(), Replayer(each=work)).kernels
        assert [f.replay for f in kernel.findings] == ["confirmed"] * confirmed


# ---------------------------------------------------------------- witnesses that are wrong


def tampered(folder: Path, text: str, change: Callable[[Finding, Evidence], tuple[Finding, Evidence]]) -> str:
    """What the replay of the only finding says once the finding and its evidence have been changed."""
    replay = Replayer()

    def changed(situation: KernelAtLaunch, finding: Finding, evidence: Evidence) -> Finding:
        assert replay.race(situation, finding, evidence).replay == "confirmed"
        return replay.race(situation, *change(finding, evidence))

    (kernel,) = analyze((parse(folder, text),), AnalysisOptions(), Replays(race=changed)).kernels
    (finding,) = kernel.findings
    assert finding.confidence.value != "confirmed"
    return finding.replay


def with_values(evidence: Evidence, **values: int) -> Evidence:
    model = evidence.model
    assert values.keys() <= {s.name for s in model.values}
    chosen = {s: values.get(s.name, v) for s, v in model.values.items()}
    return replace(evidence, model=Model(chosen, model.reads))


def moved(thread: ThreadWitness, x: int) -> ThreadWitness:
    return replace(thread, thread=(x, 0, 0))


def test_an_input_that_keeps_a_thread_out(tmp_path: Path):
    text = "__global__ void k(int *a, int n) { if (threadIdx.x < n) a[0] = threadIdx.x; }"
    said = tampered(tmp_path, text, lambda f, e: (f, with_values(e, n=0)))
    assert said == "not replayed: the write in line 1 was not made"


def test_threads_that_do_not_meet(tmp_path: Path):
    text = """
    __global__ void k(int *a) { a[threadIdx.x % 64] = threadIdx.x; }
    int main() { int *a; cudaMalloc(&a, 256); k<<<1, 128>>>(a); }"""

    def change(f: Finding, e: Evidence) -> tuple[Finding, Evidence]:
        x = f.witness.first.thread[0]
        return replace(f, witness=replace(f.witness, second=moved(f.witness.second, (x + 1) % 128))), e

    assert tampered(tmp_path, text, change) == "not replayed: the two accesses did not meet"


def test_another_level(tmp_path: Path):
    text = """
    __global__ void k(int *a) { a[0] = threadIdx.x; }
    int main() { int *a; cudaMalloc(&a, 256); k<<<1, 32>>>(a); }"""
    said = tampered(tmp_path, text, lambda f, e: (f, replace(e, level=Level.INTRA_BLOCK)))
    assert said == "not replayed: the two accesses did not meet"


def test_another_site(tmp_path: Path):
    text = """
    __global__ void k(int *a) { a[0] = threadIdx.x; }
    int main() { int *a; cudaMalloc(&a, 256); k<<<1, 32>>>(a); }"""

    def change(f: Finding, e: Evidence) -> tuple[Finding, Evidence]:
        return replace(f, second=replace(f.second, span=replace(f.second.span, line=9))), e

    assert tampered(tmp_path, text, change) == "not replayed: the write in line 9 was not made"


def test_a_thread_outside_of_the_launch(tmp_path: Path):
    text = """
    __global__ void k(int *a) { a[0] = threadIdx.x; }
    int main() { int *a; cudaMalloc(&a, 256); k<<<1, 32>>>(a); }"""

    def change(f: Finding, e: Evidence) -> tuple[Finding, Evidence]:
        return replace(f, witness=replace(f.witness, second=moved(f.witness.second, 32))), e

    assert tampered(tmp_path, text, change) == "not replayed: a thread of the witness is not in its launch"


def test_other_contents(tmp_path: Path):
    def change(f: Finding, e: Evidence) -> tuple[Finding, Evidence]:
        contents = {place: i for i, place in enumerate(sorted(e.model.reads))}
        return f, replace(e, model=Model(e.model.values, contents))

    said = tampered(tmp_path, KERNELS["indexes in memory"], change)
    assert said == "not replayed: the two accesses did not meet"


# ---------------------------------------------------------------- iterations that are not reached

ENDS = """
__global__ void k(int *y, unsigned n) {
  int sum = 0;
  if (n LIMIT) return;
  for (unsigned j = 1; j ^ n; j++) sum += y[j];
  y[n + threadIdx.x + 1] = sum;
}"""


def of_the_loop(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(f.confidence.value, f.replay) for f in findings if f.first.kind != f.second.kind]


def test_where_a_loop_ends_before(tmp_path: Path):
    """The analysis knows that the test holds in an iteration, not that it held before: a run tells."""
    said = of_the_loop(replayed(tmp_path, ENDS.replace("LIMIT", "< 3")))
    assert said == [("definite", "not replayed: the loop in line 5 ends before iteration 2")]


def test_an_iteration_that_is_reached(tmp_path: Path):
    """Where the model is of one that is not, the solver is asked for another one."""
    text = """
    __global__ void k(int *y, int *out, unsigned n) {
      int sum = 0;
      for (unsigned j = 1; j - n; j++) sum += y[j];
      if (threadIdx.x > 4) y[threadIdx.x + 1] = sum;
    }"""
    replay, said = Replayer(), list[tuple[int, str]]()

    def changed(situation: KernelAtLaunch, finding: Finding, evidence: Evidence) -> Finding:
        if finding.first.kind is finding.second.kind:
            return finding
        (iteration,) = (v for s, v in evidence.model.values.items() if s.name.startswith("j.iteration"))
        wrong = with_values(evidence, n=iteration)
        left = exited_loop(wrong)
        assert left is not None
        found = replay.race(situation, finding, wrong)
        said.append((iteration - 1 - left.last, found.replay))
        return found

    analyze((parse(tmp_path, text),), AnalysisOptions(), Replays(race=changed))
    assert said == [(1, "confirmed")]
