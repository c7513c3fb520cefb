"""The build's macros decide whether a kernel races."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hgrd.cli.main import run

SHIFT = """__global__ void shift(int *a) { a[threadIdx.x] = a[threadIdx.x + OFFSET]; }
int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  shift<<<1, 32>>>(a);
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shift.cu").write_text(SHIFT)
    return tmp_path


@pytest.mark.parametrize(("offset", "status"), [(0, 0), (1, 1), (32, 0)])
def test_the_compilation_database(project: Path, offset: int, status: int, capsys: pytest.CaptureFixture[str]):
    entry = {
        "directory": str(project),
        "file": "shift.cu",
        "command": f"nvcc -arch=sm_80 -DOFFSET={offset} -c shift.cu",
    }
    (project / "compile_commands.json").write_text(json.dumps([entry]))
    assert run(["check", "-p", str(project), str(project / "shift.cu")]) == status
    captured = capsys.readouterr()
    assert captured.err == ""
    assert ("possible data race" in captured.out or "data race on 'a'" in captured.out) == (status == 1)


@pytest.mark.parametrize(("offset", "status"), [(0, 0), (1, 1)])
def test_the_makefile_of_a_directory(project: Path, offset: int, status: int, capsys: pytest.CaptureFixture[str]):
    (project / "Makefile").write_text(f"shift: shift.cu\n\tnvcc -DOFFSET={offset} $< -o $@\n")
    assert run(["check", str(project)]) == status
    said = f"{project}/Makefile:1:1: warning: {project}/shift.cu is compiled with -DOFFSET={offset}\n"
    assert capsys.readouterr().err == said


def test_what_the_command_line_says_goes_first(project: Path):
    (project / "Makefile").write_text("shift: shift.cu\n\tnvcc -DOFFSET=1 $< -o $@\n")
    assert run(["check", "-DOFFSET=0", str(project)]) == 0


def test_no_database(project: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["check", "-p", str(project), str(project / "shift.cu")]) == 2
    assert capsys.readouterr().err.startswith(f"hgrd: error: {project}/compile_commands.json: no such file (")
