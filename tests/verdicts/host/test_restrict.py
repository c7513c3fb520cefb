"""Pointers that a kernel declares `__restrict__`, of objects that the host code does not tell apart."""

from pathlib import Path

import pytest

from tests.checking import check, observed

# What calls `launch` is not seen: what it is given may be one allocation, or two.
TEXT = """

EXPECTED
__global__ void shift(PARAMETERS) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i + 1];  // next
}

void call_back(void (*)(float *, float *), float *, float *);
void launch(float *out, float *in) { shift<<<4, 64>>>(ARGUMENTS); }

int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  call_back(launch, a, b);
}
"""
OPEN = "// open: out and in: they may be the same memory"
RACE = "// race: read next, write next; global; warp block grid"


@pytest.mark.parametrize(
    ("parameters", "arguments", "expected"),
    [
        ("float *out, const float *in", "out, in", OPEN),
        ("float *__restrict__ out, const float *__restrict__ in", "out, in", "// safe: 1 of 1 pairs"),
        ("float *__restrict__ out, const float *in", "out, in", "// safe: 1 of 1 pairs"),
        ("float *out, float *const __restrict__ in", "out, in", "// safe: 1 of 1 pairs"),
        ("float *out, const float *in, float *__restrict__ more", "out, in, out", OPEN),
        ("float *__restrict__ out, const float *__restrict__ in", "out, out", RACE),
    ],
)
def test_what_is_declared_apart(tmp_path: Path, parameters: str, arguments: str, expected: str):
    """Also by one of the two; not by another pointer to the same memory, and not against what the host says."""
    text = TEXT.replace("PARAMETERS", parameters).replace("ARGUMENTS", arguments).replace("EXPECTED", expected)
    report = check(tmp_path, text)
    assert observed(report, text) == {"shift": [expected.removeprefix("// ")]}
    assumed = [f.text for k in report.kernels for x in k.launches for f in x.assumptions]
    said = "out and in do not overlap, as the kernel declares by __restrict__" in assumed
    assert said == expected.startswith("// safe")
