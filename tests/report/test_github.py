"""Annotations of GitHub Actions."""

from __future__ import annotations

from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest

from hgrd.report import FORMATS, ReportContext
from tests.checking import check

SOURCE = """
__global__ void shift(int *a) {
  a[threadIdx.x / 2] = threadIdx.x;
}
__global__ void open(int *a, void (*f)(int *)) { f(a); }
int main() { int *a; cudaMalloc(&a, 4096); shift<<<1, 64>>>(a); }
"""


def written(folder: Path, source: str, *, brief: bool = False) -> list[str]:
    output = TextIOWrapper(BytesIO())
    writer = FORMATS["github"](ReportContext(output=output, log=StringIO(), brief=brief))
    report = check(folder, source)
    writer.messages(report.messages)
    for kernel in report.kernels:
        writer.kernel(kernel)
    writer.end(report, {"b,c.cu": "100% gone"})
    assert isinstance(output.buffer, BytesIO)
    return output.buffer.getvalue().decode().splitlines()


def test_findings_what_is_open_and_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    race, unknown, failure, summary = written(tmp_path, SOURCE)
    assert race == (
        "::error file=program.cu,line=3,col=3,title=HGRD001%3A data race::data race on 'a' (global memory) in kernel"
        " 'shift': this write of a[threadIdx.x / 2]%0Aand this write of a[threadIdx.x / 2] at program.cu:3:3 by another"
        " thread%0Adefinite: the witness was evaluated with exact C semantics"
    )
    assert unknown == (
        "::warning file=program.cu,line=5,col=17,title=hgrd%3A not decided::kernel 'open' is unknown%0A"
        "a call through a pointer"
    )
    assert failure == "::error title=hgrd::b,c.cu: 100%25 gone"
    assert summary.startswith("2 kernels: 1 race, 1 unknown; 1 race; ")


def test_brief_has_the_findings_and_failures_only(tmp_path: Path):
    assert [line.partition(" ")[0] for line in written(tmp_path, SOURCE, brief=True)] == ["::error", "::error", "2"]
