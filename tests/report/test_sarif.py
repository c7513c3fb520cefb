"""SARIF documents: what code scanning shows of a finding, and fingerprints that survive edits elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hgrd.findings.model import Report
from hgrd.findings.rules import RULES
from hgrd.report.sarif import document
from hgrd.report.terminal.excerpt import source_reader
from tests.checking import check

KERNEL = """
__device__ int unrelated(int x) { return x + 1; }
__device__ int load(const int *a, int i) { return a[i]; }
__global__ void shift(int *a) {
  a[threadIdx.x] = load(a, threadIdx.x + 1);
}
__global__ void meet(int *a) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 1;
  if (threadIdx.x < 32) __syncthreads();
  a[threadIdx.x] = tile[threadIdx.x];
}
__global__ void open(int *a, void (*f)(int *)) { f(a); }
int main() {
  int *a;
  cudaMalloc(&a, 4096);
  shift<<<1, 64>>>(a);
  meet<<<1, 64>>>(a);
}
"""


def run_of(report: Report, failures: dict[str, str] | None = None) -> dict[str, Any]:
    whole: Any = document(report, False, failures or {}, source_reader())
    assert (whole["version"], len(whole["runs"])) == ("2.1.0", 1)
    return json.loads(json.dumps(whole["runs"][0]))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    return run_of(check(tmp_path, KERNEL))


def place(location: dict[str, Any]) -> tuple[str, int, int]:
    where = location["physicalLocation"]
    return where["artifactLocation"]["uri"], where["region"]["startLine"], where["region"]["startColumn"]


def test_every_rule_is_described(run: dict[str, Any]):
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    assert all(rule["help"]["markdown"].startswith(f"# {rule['id']}: ") for rule in rules)


def test_a_race_links_to_the_other_access_and_shows_both_threads(run: dict[str, Any]):
    race = next(r for r in run["results"] if r["ruleId"] == "HGRD001")
    assert (race["level"], race["ruleIndex"]) == ("error", 0)
    assert "which may meet [the other access](1): " in race["message"]["text"]
    other = next(r for r in race["relatedLocations"] if r.get("id") == 1)
    sites = {place(race["locations"][0]), place(other)}
    assert sites == {("program.cu", 3, 51), ("program.cu", 5, 3)}
    flows = race["codeFlows"][0]["threadFlows"]
    assert len({flow["id"] for flow in flows}) == 2
    steps = [[place(step["location"]) for step in flow["locations"]] for flow in flows]
    assert sorted(steps, key=len) == [[("program.cu", 5, 3)], [("program.cu", 5, 20), ("program.cu", 3, 51)]]


def test_facts_are_related_locations(tmp_path: Path):
    source = "__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }\n"
    host = "int main(int n, char **) { if (n < 5) return 1; int *a; cudaMalloc(&a, 4096); k<<<1, 64>>>(a, n); }\n"
    (race,) = run_of(check(tmp_path, source + host))["results"]
    facts = [(place(r)[1:], r["message"]["text"]) for r in race["relatedLocations"] if "id" not in r]
    assert facts == [((2, 32), "given: 5 <= n (guard)")]


def test_a_divergent_barrier_links_to_the_condition(run: dict[str, Any]):
    (barrier,) = [r for r in run["results"] if r["ruleId"] == "HGRD002"]
    assert barrier["message"]["text"].startswith("barrier divergence in kernel 'meet': ")
    (condition,) = [place(r) for r in barrier["relatedLocations"] if r.get("id") == 1]
    assert condition == ("program.cu", 10, 7)
    assert place(barrier["locations"][0]) == ("program.cu", 10, 25)


def test_what_is_not_decided_is_said(run: dict[str, Any]):
    (invocation,) = run["invocations"]
    said = [(n["level"], n["message"]["text"]) for n in invocation["toolExecutionNotifications"]]
    assert ("warning", "kernel 'open' is not decided: a call through a pointer") in said
    assert invocation["executionSuccessful"]


def test_failures_are_no_success(tmp_path: Path):
    (invocation,) = run_of(check(tmp_path, KERNEL), {"b.cu": "no such file"})["invocations"]
    assert not invocation["executionSuccessful"]
    assert {"level": "error", "message": {"text": "b.cu: no such file"}} in invocation["toolExecutionNotifications"]


def test_columns_count_units_of_utf_16(tmp_path: Path):
    text = "__global__ void k(int *a) { /* ä 𝄞 */ a[0] = threadIdx.x; }\nint main() { int *a; k<<<1, 64>>>(a); }\n"
    (race,) = run_of(check(tmp_path, text))["results"]
    assert place(race["locations"][0])[1:] == (1, len(text.partition("a[0]")[0].encode("utf-16-le")) // 2 + 1)


# ---------------------------------------------------------------- fingerprints


def fingerprints(folder: Path, source: str) -> list[str]:
    results = run_of(check(folder, source))["results"]
    return [result["partialFingerprints"]["hgrdFinding/v1"] for result in results]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n__device__ int unrelated", "\n" * 10 + "__device__ int unrelated"),
        ("unrelated", "something_else"),
        ("  a[threadIdx.x] = load(", "      a[threadIdx.x]  =  load("),
        ("__global__ void open", "__global__ void first(int *a) {}\n__global__ void open"),
    ],
)
def test_they_survive_edits_elsewhere(tmp_path: Path, old: str, new: str):
    before = fingerprints(tmp_path, KERNEL)
    assert len(set(before)) == 2
    assert fingerprints(tmp_path, KERNEL.replace(old, new)) == before


def test_they_change_with_the_line_that_races(tmp_path: Path):
    before, after = (
        fingerprints(tmp_path, source) for source in (KERNEL, KERNEL.replace("load(a, threadIdx.x + 1)", "load(a, 5)"))
    )
    assert [b == a for b, a in zip(before, after, strict=True)] == [False, True]


def test_equal_lines_are_counted(tmp_path: Path):
    line = "  a[0] = threadIdx.x;\n"
    twice = (
        f"__global__ void k(int *a) {{\n{line}{line}}}\nint main() {{ int *a; cudaMalloc(&a, 64); k<<<1, 64>>>(a); }}\n"
    )
    found = fingerprints(tmp_path, twice)
    assert len(found) > 1
    assert len(set(found)) == len(found)


def test_sarif_tools_read_it(tmp_path: Path):
    loader = pytest.importorskip("sarif.loader", reason="sarif-tools is not installed")
    file = tmp_path / "report.sarif"
    whole: Any = document(check(tmp_path, KERNEL), False, {}, source_reader())
    file.write_text(json.dumps(whole))
    found = loader.load_sarif_file(str(file))
    assert found.get_distinct_tool_names() == ["hgrd"]
    assert {record["Code"] for record in found.get_records()} == {"HGRD001", "HGRD002"}
