"""What benchmarks/projects.py measures of a project."""

from pathlib import Path

from benchmarks.projects import details, drawn, in_text, record, sample, table

HELPER = """
template <int N> __global__ void __launch_bounds__(64) scale(float *a, void (*f)(int)) {
  a[threadIdx.x] *= N;
}
__global__ void declared(int *a);
/* __global__ void not_this(int *a) {} */
"""
MAIN = """
#include "helper.cuh"
#define RUN(k) k<<<1, 1>>>(nullptr)
__global__ void add(int *a) { a[0] += threadIdx.x; }
int main() {
  int *a;
  float *b;
  cudaMalloc(&a, 4);
  cudaMalloc(&b, 256);
  add<<<1, 64>>>(a);  // not this one: add<<<2, 64>>>(a)
  scale<2>
      <<<1, 64>>>(b, nullptr);
  if (false) add<<<3, 64>>>(a);
}
"""


def project(folder: Path) -> Path:
    home = folder / "small"
    home.mkdir()
    (home / "helper.cuh").write_text(HELPER)
    (home / "main.cu").write_text(MAIN)
    return home


def test_kernels_and_launches_are_counted_in_the_text(tmp_path: Path):
    home = project(tmp_path)
    main, helper = str(home / "main.cu"), str(home / "helper.cuh")
    kernels, launches = in_text([main], ())
    assert kernels == {(helper, 2): "scale", (main, 4): "add"}
    assert launches == {(main, 10), (main, 12), (main, 13)}


def test_a_record_says_what_a_user_gets(tmp_path: Path):
    project(tmp_path)
    found = record({"repo": "somebody/small", "paths": ["main.cu"], "include": []}, tmp_path, 2, None)
    assert found["verdicts"] == {"race": 1, "safe": 1, "unknown": 0}
    assert (found["kernels"], found["launches"], found["missing_kernels"]) == ([2, 2], [3, 3], [])
    assert found["findings"] == {"confirmed": 2}
    assert [(f["kernel"], f["first"]["kind"], f["second"]["kind"]) for f in found["told"]] == [
        ("add", "read", "write"),
        ("add", "write", "write"),
    ]
    assert 0 < found["first"] <= found["seconds"]
    assert found["peak_mib"] > 0
    assert list(table([found]))[-1].startswith(
        "| somebody/small main.cu | 1 | 2 of 2 | 3 of 3 | 1 / 1 / 0 | 2 confirmed |"
    )
    assert list(details(found)) == ["\nsomebody/small main.cu"]


def test_findings_are_drawn_over_all_projects():
    records = [{"project": name, "told": [{"line": line} for line in range(5)]} for name in ("one", "two")]
    told = sample(records, 6, 3)
    assert len({(name, finding["line"]) for name, finding in told}) == 6
    assert {name for name, _ in told} == {"one", "two"}
    assert sample(records, 6, 3) == told != sample(records, 6, 4)
    assert len(sample(records, 40, 3)) == 10
    assert next(drawn(records, 6, 3)) == "seed 3, of 10"
