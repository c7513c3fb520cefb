"""Kernels that the driver API launches by name."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from hgrd.host.wording import say_value
from hgrd.symbolic.values import Pointer
from tests.checking import check
from tests.host.programs import host

SCALE = """
#include <cuda.h>
#include <cstdlib>
extern "C" __global__ void scale(float *out, int width) {
  out[(blockIdx.y * 8 + threadIdx.y) * width + blockIdx.x * 8 + threadIdx.x] = threadIdx.y;
}
extern "C" __global__ void clear(float *out, int width) { out[blockIdx.x * 8 + threadIdx.x] = 0; }
static char module_names[8];
static CUfunction find(CUmodule module) {
  CUfunction found;
  cuModuleGetFunction(&found, module, NAME);
  return found;
}
int main(int argc, char **argv) {
  CUmodule module;
  cuModuleLoad(&module, "scale.cubin");
  int width = 8 * atoi(argv[1]);
  CUdeviceptr data;
  cuMemAlloc(&data, width * width * sizeof(float));
  void *arguments[] = {&data, &width};
  for (int i = 0; i < 2; i++)
    cuLaunchKernel(find(module), width / 8, width / 8, 1, 8, SIDE, 1, 0, 0, arguments, 0);
  MORE
}
"""


def program(name: str = '"scale"', side: str = "8", more: str = "") -> str:
    return SCALE.replace("NAME", name).replace("SIDE", side).replace("MORE", more)


def test_extents_and_arguments_are_those_of_the_call(tmp_path: Path) -> None:
    (site,) = host(tmp_path, program()).launches
    assert (site.kernel.name, site.configuration) == ("scale", "<<<(atoi(), atoi()), (8, 8)>>>")
    out, width = site.arguments
    assert isinstance(out, Pointer)
    assert (out.target.name, say_value(width)) == ("data", "atoi() * 8")


@pytest.mark.parametrize(("side", "outcome"), [("8", Outcome.SAFE), ("16", Outcome.RACE)])
def test_what_the_call_says_decides(tmp_path: Path, side: str, outcome: Outcome) -> None:
    scale = next(k for k in check(tmp_path, program(side=side)).kernels if k.kernel == "scale")
    assert scale.outcome is outcome


ANOTHER = "CUfunction other; cuModuleGetFunction(&other, module, argv[2]);"
ONCE_MORE = "cuLaunchKernel(find(module), 1, 1, 1, 8, 8, 1, 0, 0, arguments, 0);"
LAUNCHED = "cuLaunchKernel(other, 1, 1, 1, 64, 64, 1, 0, 0, arguments, 0);"


@pytest.mark.parametrize(
    ("name", "more", "followed"),
    [
        ('"scale"', "", True),
        ("getenv(module_names)", "", False),
        ('"scale"', ANOTHER, False),
        ('"scale"', "data = data + 4; " + ONCE_MORE, False),
        ('"scale"', ONCE_MORE, True),
        ('"scale"', ANOTHER + LAUNCHED, False),
        ('"scale"', "extern CUfunction given; cuLaunchKernel(given, 1, 1, 1, 64, 64, 1, 0, 0, arguments, 0);", False),
    ],
)
def test_kernels_that_may_be_launched_by_other_handles_have_more_launches(
    tmp_path: Path, name: str, more: str, followed: bool
) -> None:
    found = host(tmp_path, program(name, more=more))
    assert ("scale" not in found.cut) is followed


TEXTURED = """
#include <cuda.h>
#include <cstdlib>
#include <cstring>
extern "C" __global__ void fill(float *out, int width) {
  out[(blockIdx.y * 8 + threadIdx.y) * width + blockIdx.x * 8 + threadIdx.x] = threadIdx.y;
}
void load(const char *file, unsigned *width);
static void set_up(CUmodule module, CUfunction *found) {
  CUfunction function;
  cuModuleGetFunction(&function, module, "fill");
  *found = function;
}
int main(int argc, char **argv) {
  CUmodule module;
  cuModuleLoad(&module, "fill.cubin");
  CUfunction fill;
  set_up(module, &fill);
  unsigned width, columns;
  load(argv[1], &width);
  load(argv[2], &columns);
  CUdeviceptr data;
  cuMemAlloc(&data, width * width * sizeof(float));
  CUDA_TEXTURE_DESC texture;
  memset(&texture, 0, sizeof texture);
  for (int i = 0; i < 2; i++) texture.addressMode[i] = CU_TR_ADDRESS_MODE_WRAP;
  texture.addressMode[2] = CU_TR_ADDRESS_MODE_WRAP;
  void *arguments[] = {&data, &WIDTH};
  cuLaunchKernel(fill, width / 8, width / 8, 1, 8, 8, 1, 0, 0, arguments, 0);
}
"""


@pytest.mark.parametrize(("width", "outcome"), [("width", Outcome.SAFE), ("columns", Outcome.RACE)])
def test_records_of_unknown_layout_change_nothing_but_themselves(tmp_path: Path, width: str, outcome: Outcome) -> None:
    """And a width without a sign is the kernel's, which has one."""
    (fill,) = check(tmp_path, TEXTURED.replace("WIDTH", width)).kernels
    assert fill.outcome is outcome


ROWS = """
#include <cuda.h>
#include <cstdlib>
extern "C" __global__ void rows(float *out, int width) {
  out[blockIdx.x * width + threadIdx.x] = blockIdx.x;
}
"""
BY_NAME = """
int main(int argc, char **argv) {
  CUmodule module;
  CUfunction function;
  cuModuleLoad(&module, argv[1]);
  cuModuleGetFunction(&function, module, argv[2]);
  cuLaunchKernel(function, 8, 1, 1, 64, 1, 1, 0, 0, 0, 0);
}
"""


@pytest.mark.parametrize(("host_code", "confidence"), [(BY_NAME, "conditional"), ("", "definite")])
def test_whose_launches_are_not_followed_may_establish_a_condition(
    tmp_path: Path, host_code: str, confidence: str
) -> None:
    (kernel,) = check(tmp_path, ROWS + host_code, any_arguments=True).kernels
    assert [(f.confidence.value, f.condition != "") for f in kernel.findings] == [(confidence, True)]
