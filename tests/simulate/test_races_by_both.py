"""The access model finds the same races in a run in lock-step as in one of a thread after the other.

Whether two writes store the same value is another matter: it may depend on the schedule.
"""

from pathlib import Path

import numpy as np
import pytest

from hgrd.program.linked import link
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import prepare
from hgrd.simulate.launch import Finished
from tests.checking import parse
from tests.simulate import dynamic
from tests.simulate.running import launch

GRID, BLOCK = 2, 34

KERNELS = {
    "a neighbour is read": (
        "__global__ void k(int *a) {\n int t = threadIdx.x;\n int v = a[t + 1];  // next\n a[t] = v;  // here\n}",
        [
            "read next, write here; global; warp block grid",
            "write here, write here; global; grid",
        ],
    ),
    "a barrier between read and write": (
        "__global__ void k(int *a) {\n int t = threadIdx.x + 40 * blockIdx.x;\n int v = a[t + 1];  // next\n"
        " __syncthreads();\n a[t] = v;  // here\n}",
        [],
    ),
    "half a block writes shared memory": (
        "__global__ void k(int *a) {\n __shared__ int s[40];\n int t = threadIdx.x;\n s[t] = a[t];\n __syncthreads();\n"
        " if (t < 20) s[t] += s[t + 14];  // fold\n __syncthreads();\n if (blockIdx.x == 0) a[t] = s[t];  // back\n}",
        None,
    ),
    "atomics and a plain read": (
        "__global__ void k(int *a) {\n atomicAdd(&a[0], 1);  // count\n"
        " if (threadIdx.x == 33) a[50] = a[0];  // look\n}",
        None,
    ),
    "all write the same": ("__global__ void k(int *a) {\n a[3] = 7;  // seven\n}", None),
}


def without_values(races: list[str]) -> list[str]:
    return [race.removesuffix(" (same value)") for race in races]


@pytest.mark.parametrize("name", KERNELS)
def test_races_are_the_same(tmp_path: Path, name: str):
    text, expected = KERNELS[name]
    program = parse(tmp_path, text)
    (kernel,) = program.kernels()
    executable, model = prepare(link((program,)), kernel), AccessModel(LaunchShape(BLOCK, GRID))
    a = np.arange(100, dtype=np.int32)
    assert isinstance(launch(executable, GRID, BLOCK, a.copy(), observer=model), Finished)
    found = without_values(dynamic.in_words(model, executable.sites, text))
    assert found == without_values(dynamic.races_in(tmp_path, text, GRID, BLOCK, a))
    assert expected is None or found == expected
    assert bool(found) == (expected != [])
