"""Textures of which it is known by turns which one is fetched from, or not known at all."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <array>
#include <vector>
struct Level {
  float *data = nullptr;
  cudaTextureObject_t texture = 0;
  explicit Level(int n) {
    cudaMalloc(&data, n * sizeof(float));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc how = {};
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  }
};
__global__ void step(cudaTextureObject_t from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) to[i] = FETCH + FETCH1;
}
int main(int argc, char **argv) {
  const int n = 4096;
  Level a(n), b(n), c(n);
  RING
  for (int t = 0; t < 30; t++)
    step<<<n / 256, 256>>>(FROM, TO, n);
}
"""
LINEAR = {"FETCH1": "tex1Dfetch<float>(from, i + 1)", "FETCH": "tex1Dfetch<float>(from, i)"}
FILTERED = {"FETCH1": "tex1D<float>(from, i + 1.5f)", "FETCH": "tex1D<float>(from, i + .5f)"}
SAFE, RACE, UNKNOWN = Outcome.SAFE, Outcome.RACE, Outcome.UNKNOWN
RING = "const std::array<Level *, 3> ring{&a, &b, &c};"
LISTED = "std::vector<Level *> ring; for (int i = 0; i < argc; i++) ring.push_back(new Level(n));"
WAYS = {
    "the next one": (RING, "ring[t % 3]->texture", "ring[(t + 1) % 3]->data", LINEAR, SAFE),
    "the same one": (RING, "ring[t % 3]->texture", "ring[t % 3]->data", LINEAR, RACE),
    "the same one, filtered": (RING, "ring[t % 3]->texture", "ring[t % 3]->data", FILTERED, UNKNOWN),
    "two": ("", "a.texture", "b.data", LINEAR, SAFE),
    "one": ("", "a.texture", "a.data", LINEAR, RACE),
    "one, filtered": ("", "a.texture", "a.data", FILTERED, UNKNOWN),
    "two, filtered": ("", "a.texture", "b.data", FILTERED, SAFE),
    "of a list": (LISTED, "ring[t]->texture", "ring[t]->data", LINEAR, UNKNOWN),
}


@pytest.mark.parametrize("way", WAYS)
def test_ring(tmp_path: Path, way: str) -> None:
    ring, from_, to, fetch, outcome = WAYS[way]
    text = PROGRAM.replace("RING", ring).replace("FROM", from_).replace("TO", to)
    for name, call in fetch.items():
        text = text.replace(name, call)
    report = check(tmp_path, text)
    assert outcomes_of_launches(report) == {outcome}
    if outcome is SAFE:
        pairs, discharged = decided(report)
        assert pairs == discharged > 0
