"""Pointers in records that functions find which are followed for any arguments: their callers are too large."""

from pathlib import Path

import pytest

from tests.checking import check, observed

TEXT = """
__global__ void shift(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x + 1]; }
struct Pair { float *x, *y; };
void METHOD
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  LARGE
  STORES
  go(&pair);
}
"""
OPEN = ["open: pair.x and pair.y: they may be the same memory"]
SAFE = ["safe: 1 of 1 pairs"]


@pytest.mark.parametrize(
    ("stores", "expected"),
    [
        ("Pair pair; pair.x = a; pair.y = a;", OPEN),
        ("Pair pair; pair.x = a; pair.y = a + 1;", OPEN),
        ("Pair pair = {a, a};", OPEN),
        ("Pair pair; float *both = a; pair.x = both; pair.y = a;", OPEN),
        ("Pair pair; pair.x = a; pair.y = b;", SAFE),
        ("Pair pair = {a, b};", SAFE),
    ],
)
def test_members_that_the_program_gives_one_pointer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stores: str, expected: list[str]
):
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    text = TEXT.replace("METHOD", "go(Pair *pair) { shift<<<1, 64>>>(pair->x, pair->y); }")
    text = text.replace("LARGE", "int v = 0; " + "v = v * 3 + 1;" * 300).replace("STORES", stores)
    assert observed(check(tmp_path, text), text)["shift"] == expected
