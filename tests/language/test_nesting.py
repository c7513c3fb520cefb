"""Functions nested too deeply: a reason that names how deeply, for those that run them alone."""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome, Report
from hgrd.findings.options import AnalysisOptions
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

KERNELS = "__global__ void other(int *a) {{ a[threadIdx.x] = 1; }}\n__global__ void deep(int *a) {{\n{body}\n}}\n"
MAIN = "int main() {{\n  int *a;\n  cudaMalloc(&a, 4096);\n  {launch}\n  other<<<1, 32>>>(a);\n}}\n"
WRITE = "a[threadIdx.x] = 1;"


def loops(count: int, inside: str) -> str:
    return "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) {{" for n in range(count)) + inside + "}" * count


def report_of(folder: Path, body: str, launch: str = "deep<<<1, 32>>>(a);") -> Report:
    file = folder / "program.cu"
    file.write_text(KERNELS.format(body=body) + MAIN.format(launch=launch))
    return analyze((parse_file(str(file), SourceOptions()),), AnalysisOptions(time_limit=60))


def reasons(report: Report) -> dict[str, set[str]]:
    return {k.kernel: {p.reason for launch in k.launches for p in launch.open_pairs} for k in report.kernels}


@pytest.mark.parametrize(
    ("body", "levels"),
    [
        ("{" * 600 + WRITE + "}" * 600, 600),
        (loops(250, WRITE), 250),
        ("int s = " + " + ".join(["a[0]"] * 1000) + "; a[s] = 1;", 1001),
    ],
)
def test_the_reason_names_the_levels(tmp_path: Path, body: str, levels: int):
    report = report_of(tmp_path, body)
    assert {k.kernel: k.outcome for k in report.kernels} == {"deep": Outcome.UNKNOWN, "other": Outcome.SAFE}
    (reason,) = reasons(report)["deep"]
    assert reason == f"nested too deeply ({levels} levels) for the analysis"


@pytest.mark.parametrize("body", ["{" * 200 + WRITE + "}" * 200, "if (a[40]) {" * 100 + WRITE + "}" * 100])
def test_less_is_analysed(tmp_path: Path, body: str):
    assert "nested" not in str(reasons(report_of(tmp_path, body)))


def test_a_chain_of_values_without_end_is_named(tmp_path: Path):
    body = "int s = threadIdx.x;\n" + "".join(f"s = s / 3 ^ {n};\n" for n in range(2000)) + "a[s] = 1;"
    report = report_of(tmp_path, body)
    assert reasons(report)["deep"] == {"its values are nested too deeply for the analysis"}
    assert reasons(report)["other"] == set()


def test_host_code_that_is_left_out_launches_what_it_mentions(tmp_path: Path):
    """Its kernels are analysed for any launch."""
    report = report_of(tmp_path, "a[threadIdx.x / 2] = threadIdx.x;", loops(500, "deep<<<1, 1>>>(a);"))
    assert {k.kernel: k.outcome for k in report.kernels} == {"deep": Outcome.RACE, "other": Outcome.SAFE}
    assert "main: nested too deeply (500 levels) for the analysis" in [m.text for m in report.messages if m.error]
