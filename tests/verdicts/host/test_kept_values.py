"""Values that the program gets back from objects of the C++ library: no inputs that a race may choose."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
__global__ void stamp(int *out, int stride) { out[blockIdx.x * stride + threadIdx.x] = blockIdx.x; }
int main(int argc, char **argv) {
  int given = std::atoi(argv[1]);
  int *out;
  cudaMalloc(&out, 1 << 22);
  BODY
}
"""
STRIDES = "std::map<std::string, int> s;"
KEPT = (
    ("std::pair<int, int> s(3, 128); stamp<<<64, 128>>>(out, s.second);", "s.second"),
    ("std::optional<int> s; if (given >= 128) s = given; stamp<<<64, 128>>>(out, s.value_or(128));", "value_or()"),
    ("std::optional<int> s; if (given >= 128) s = given; if (s) stamp<<<64, 128>>>(out, *s);", "operator*()"),
    (f'{STRIDES} s["stride"] = given < 128 ? 128 : given; stamp<<<64, 128>>>(out, s["stride"]);', "operator[]()"),
    (f'{STRIDES} s["stride"] = given < 128 ? 128 : given; stamp<<<64, 128>>>(out, s.at("stride"));', "at()"),
    ("std::tuple<int, int> s(3, 128); stamp<<<64, 128>>>(out, std::get<1>(s));", "get()"),
)


@pytest.mark.parametrize(("body", "name"), KEPT)
def test_what_the_program_has_put_there(body: str, name: str, tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, PROGRAM.replace("BODY", body)).kernels
    (launch,) = kernel.launches
    assert (launch.findings, launch.pairs) == ((), 1)
    assert [pair.reason for pair in launch.open_pairs] == [f"it depends on values that the kernel computes: {name}"]
    assert kernel.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("use", ['s["stride"]', 's.at("stride")'])
@pytest.mark.parametrize(("stride", "outcome"), [(128, Outcome.SAFE), (127, Outcome.RACE)])
def test_numbers_that_a_map_holds_are_known(use: str, stride: int, outcome: Outcome, tmp_path: Path) -> None:
    body = f'{STRIDES} s["stride"] = {stride}; stamp<<<64, 128>>>(out, {use});'
    (kernel,) = check(tmp_path, PROGRAM.replace("BODY", body)).kernels
    (launch,) = kernel.launches
    assert (kernel.outcome, launch.open_pairs, launch.pairs) == (outcome, (), 1)


def test_inputs_are_free(tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, PROGRAM.replace("BODY", "stamp<<<64, 128>>>(out, given);")).kernels
    assert kernel.outcome is Outcome.RACE
