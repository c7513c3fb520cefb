"""Page-locked memory that objects of a container hold: the host and copies may use it at once."""

from math import inf
from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.engine.analysis.replay import LateReplayer
from hgrd.findings.model import Confidence, Outcome
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse

PROGRAM = """
#include <array>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
__global__ void add(const unsigned char *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
struct Slot { unsigned char *host; unsigned char *device; cudaEvent_t done; };
struct Uploader {
  cudaStream_t stream;
  std::array<Slot, 3> slots;
  explicit Uploader(cudaStream_t s) : stream(s) {
    for (Slot &slot : slots) {
      MADE;
      cudaMalloc(&slot.device, 4096);
      cudaEventCreate(&slot.done);
    }
  }
  unsigned char *upload(int frame) {
    Slot &slot = slots[frame % 3];
    if (frame >= 3) WAIT;
    BEFORE
    std::memset(slot.host, frame, 4096);
    cudaMemcpyAsync(slot.device, slot.host, 4096, cudaMemcpyHostToDevice, stream);
    AFTER
    return slot.device;
  }
};
int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *out, *pinned;
  cudaMalloc(&out, 4096 * sizeof(int));
  OTHER
  Uploader uploader(stream);
  for (int frame = 0; frame < 10; ++frame) {
    unsigned char *image = uploader.upload(frame);
    add<<<16, 256, 0, stream>>>(image, 4096, out);
  }
  cudaDeviceSynchronize();
}
"""
PINNED = "cudaMallocHost(&slot.host, 4096)"
RECORD = "cudaEventRecord(slot.done, stream);"


def _outcome(folder: Path, **parts: str) -> tuple[Outcome, list[tuple[int, int, Confidence]]]:
    text = PROGRAM
    for name in ("MADE", "WAIT", "BEFORE", "AFTER", "OTHER"):
        text = text.replace(name, parts.get(name, ""))
    (kernel,) = analyze((parse(folder, text),), AnalysisOptions(), LateReplayer(inf)).kernels
    lines = text.splitlines()
    places = [(f.first.span, f.second.span, f.confidence) for f in kernel.findings]
    host, copy = (1 + next(i for i, t in enumerate(lines) if name in t) for name in ("memset", "MemcpyAsync"))
    names = {host: "host", copy: "copy"}
    return kernel.outcome, [(names[a.line], names[b.line], c) for a, b, c in places]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [
        ({"WAIT": "cudaEventSynchronize(slot.done)", "AFTER": RECORD}, Outcome.SAFE),
        ({"WAIT": "cudaStreamSynchronize(stream)"}, Outcome.SAFE),
        ({"WAIT": "cudaStreamWaitEvent(stream, slot.done, 0)", "AFTER": RECORD}, Outcome.RACE),
        ({"WAIT": "cudaEventSynchronize(slot.done)", "BEFORE": RECORD}, Outcome.RACE),
        ({"WAIT": "cudaGetLastError()"}, Outcome.RACE),
    ],
)
def test_the_host_waits_before_it_fills_a_slot_again(tmp_path: Path, parts: dict[str, str], outcome: Outcome):
    found, races = _outcome(tmp_path, MADE=PINNED, **parts)
    assert found is outcome
    expected = [("host", "copy", Confidence.CONFIRMED)] if outcome is Outcome.RACE else []
    assert [(*sorted(r[:2], reverse=True), r[2]) for r in races] == expected  # type: ignore[arg-type]


def test_memory_that_is_not_page_locked_is_copied_before_the_call_returns(tmp_path: Path):
    """Where the program has page-locked memory elsewhere, it is not sure that this is none."""
    parts = {"WAIT": "cudaGetLastError()", "MADE": "slot.host = (unsigned char *)std::malloc(4096)"}
    assert _outcome(tmp_path, **parts) == (Outcome.SAFE, [])
    assert _outcome(tmp_path, OTHER="cudaMallocHost(&pinned, 64);", **parts) == (
        Outcome.SAFE,
        [],
    )  # the only run shows it
    by_input = 'if (std::getenv("A")) cudaMallocHost(&pinned, 64);'
    assert _outcome(tmp_path, OTHER=by_input, **parts) == (Outcome.UNKNOWN, [])
