from pathlib import Path

import pytest

from hgrd.cli.arguments import parser
from hgrd.engine.stages import STAGES, show
from hgrd.findings.options import AnalysisOptions
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

SOURCE = """\
__global__ void shift(int *a) {
  a[threadIdx.x] = a[threadIdx.x + 1];
}
int main() {
  int *a;
  cudaMalloc(&a, 65 * sizeof(int));
  shift<<<2, 64>>>(a);
}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("stages") / "shift.cu"
    file.write_text(SOURCE)
    return str(file)


def printed(stage: str, file: str) -> list[str]:
    return [line.strip() for line in show(stage, (parse_file(file, SourceOptions()),), AnalysisOptions()).splitlines()]


@pytest.mark.parametrize("stage", STAGES)
def test_the_command_line_offers_every_stage(stage: str):
    assert parser().parse_args(["show", stage, "a.cu"]).stage == stage


def test_program(file: str):
    assert "kernel void shift(i32* a)  // shift.cu:1:17" in printed("program", file)


def test_facts(file: str):
    assert printed("facts", file)[0] == f"{file}:7:3: shift<<<2, 64>>>"


def test_protocol(file: str):
    accesses = [line.split(" at ")[0].split(" ")[0] for line in printed("protocol", file) if " size 4" in line]
    assert accesses == ["read", "write"]


def test_phases(file: str):
    assert printed("phases", file)[1:5] == [
        "read a[threadIdx.x + 1] (2:20) against write a[threadIdx.x] (2:3)",
        "intra-warp: unordered",
        "intra-block: unordered",
        "inter-block: unordered",
    ]


def test_queries(file: str):
    lines = printed("queries", file)
    assert "first touches 4 bytes at (threadIdx.x@1 + 1) * 4" in lines
    assert "second touches 4 bytes at threadIdx.x@2 * 4" in lines
