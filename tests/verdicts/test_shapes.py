"""The shapes of code in shared memory, sizes left open where a host leaves them open; each with racy twins.

The kernels and what is expected of them stand in `shapes/`.
"""

from pathlib import Path

import pytest

from hgrd.findings.model import Report
from tests.checking import check, expected, observed

SHAPES = {file.stem: file.read_text() for file in sorted((Path(__file__).parent / "shapes").glob("*.cu"))}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    return {name: check(tmp_path_factory.mktemp(name), text) for name, text in SHAPES.items()}


@pytest.mark.parametrize(("shape", "kernel"), [(name, k) for name, text in SHAPES.items() for k in expected(text)])
def test_kernel(reports: dict[str, Report], shape: str, kernel: str):
    text = SHAPES[shape]
    assert observed(reports[shape], text)[kernel] == expected(text)[kernel]
