"""The kernels and the fit of benchmarks/scaling."""

import json
from pathlib import Path

import pytest

from benchmarks.scaling.kernels import SHAPES
from benchmarks.scaling.measure import slope
from benchmarks.scaling.once import main

COUNTED = {
    "barriers": "__syncthreads();",
    "accesses": "data[",
    "loops": "for (",
    "conditionals": "if (i % ",
    "chained": "if (s % ",
    "nested": "for (",
    "innermost": "for (",
}
PAIRS = {"barriers": 7, "accesses": 6, "loops": 6, "conditionals": 6, "chained": 6, "nested": 15}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_kernel_has_the_size_asked_for(shape: str):
    sizes = SHAPES[shape].sizes
    assert [SHAPES[shape].write(size).count(COUNTED[shape]) for size in sizes] == list(sizes)


@pytest.mark.parametrize("shape", PAIRS)
def test_kernels_are_safe(shape: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "kernel.cu"
    file.write_text(SHAPES[shape].write(3))
    main(str(file), "60")
    said = json.loads(capsys.readouterr().out)
    assert (said["outcome"], said["pairs"], said["discharged"]) == ("safe", PAIRS[shape], PAIRS[shape])


def test_the_slope_is_the_exponent_over_the_larger_half():
    points = [{"size": n, "analysis": 5.0 if n < 10 else 0.1 * n**1.5} for n in (1, 2, 5, 10, 20, 50)]
    assert slope(points, "size") == 1.5
    assert slope([*points[:2], {"size": 7, "outcome": "failed"}], "size") is None
