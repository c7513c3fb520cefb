"""Tables that say where pointers are to be stored: parts of one allocation, handed out one after the other."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void get(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
struct Spec { void **place; size_t size; };
struct Tensors { float *a, *b, *c; };
struct Model { Tensors tensors; void *memory; int n; };
void *point(Spec (&specs)[3]) {
  size_t bytes = 0;
  for (size_t i = 0; i < 3; i++) bytes += specs[i].size * sizeof(float);
  void *memory;
  cudaMalloc(&memory, bytes);
  char *at = (char *)memory;
  for (size_t i = 0; i < 3; i++) { *(specs[i].place) = at; at += STEP; }
  return memory;
}
void describe(Tensors *t, Spec (&specs)[3], size_t n) {
  specs[0] = Spec{(void **)&t->a, n}; specs[1] = Spec{(void **)&t->b, n}; specs[2] = Spec{(void **)&t->c, n};
}
int main(int argc, char **argv) {
  Model model; Spec specs[3];
  model.n = atoi(argv[1]);
  if (model.n < 1) return 1;
  describe(&model.tensors, specs, model.n);
  model.memory = point(specs);
  get<<<(model.n + 255) / 256, 256>>>(model.tensors.FROM, model.tensors.TO, model.n);
  cudaDeviceSynchronize();
}
"""
ONE_BEHIND_THE_OTHER = "specs[i].size * sizeof(float)"


WHOLE = PROGRAM.replace("Model model; Spec specs[3];", "Model model;").replace("int n; };", "int n; Spec specs[3]; };")
MEMBER = WHOLE.replace(", specs,", ", model.specs,").replace("point(specs)", "point(model.specs)")


@pytest.mark.parametrize("program", [PROGRAM, MEMBER])
@pytest.mark.parametrize(("from_", "to"), [("a", "b"), ("a", "c"), ("c", "b")])
@pytest.mark.parametrize(
    ("step", "outcome"),
    [(ONE_BEHIND_THE_OTHER, Outcome.SAFE), ("specs[i].size", Outcome.RACE), ("0", Outcome.RACE)],
)
def test_parts_of_one_allocation(
    tmp_path: Path, program: str, from_: str, to: str, step: str, outcome: Outcome
) -> None:
    text = program.replace("STEP", step).replace("FROM", from_).replace("TO", to)
    report = check(tmp_path, text)
    assert outcomes_of_launches(report) == {outcome}
    assert decided(report) == (2, 2 if outcome is Outcome.SAFE else 1)
