"""Flags, counters and locks that are one of several objects: what they order is not known, but they may order."""

from pathlib import Path

import pytest

from tests.checking import check

SOURCE = """
__global__ void k(int *data, int *word, int *out) {
  if (threadIdx.x != 0) return;
  BODY
}
int main(int argc, char **argv) {
  int *d, *f, *g, *o;
  cudaMalloc(&d, 256), cudaMalloc(&f, 4), cudaMalloc(&g, 4), cudaMalloc(&o, 4);
  cudaMemset(f, 0, 4), cudaMemset(g, 0, 4);
  k<<<64, 32>>>(d, argc > 1 ? f : g, o);
}
"""
FLAG = """
if (blockIdx.x == 0) { *data = 3; __threadfence(); atomicExch(word, 1); }
if (blockIdx.x == 1) { WAIT __threadfence(); *out = *data; }
"""
LAST = """
data[blockIdx.x] = blockIdx.x;
__threadfence();
if (ARRIVE == gridDim.x - 1) { int s = 0; for (int i = 0; i < 64; i++) s += data[i]; *out = s; }
"""
LOCK = "LOCK __threadfence(); *data += blockIdx.x; __threadfence(); atomicExch(word, 0);"


@pytest.mark.parametrize(
    ("body", "awaits"),
    [
        (FLAG.replace("WAIT", "while (atomicAdd(word, 0) != 1) {}"), True),
        (FLAG.replace("WAIT", "while (*(volatile int *)word != 1) {}"), True),
        (FLAG.replace("WAIT", ""), False),
        (LAST.replace("ARRIVE", "atomicAdd(word, 1)"), True),
        (LAST.replace("ARRIVE", "blockIdx.x"), False),
        (LOCK.replace("LOCK", "while (atomicCAS(word, 0, 1) != 0) {}"), True),
        (LOCK.replace("LOCK", ""), False),
    ],
)
def test_one_of_two_words(tmp_path: Path, body: str, awaits: bool) -> None:
    """A race between threads that await something counts only if a replay has shown it."""
    (kernel,) = check(tmp_path, SOURCE.replace("BODY", body)).kernels
    found = [f for launch in kernel.launches for f in launch.findings if f.first.text.startswith(("d", "o"))]
    assert {bool(f.awaits) for f in found} == {awaits}
