"""Lists of records with device memory: vectors that a loop fills and others walk over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.programs import host

PROGRAM = """
#include <vector>
__global__ void k(float *u, int n) { u[threadIdx.x] = n; }
struct Level { int n; float *u; };
void changes(std::vector<Level> &);
bool wanted(int n);
FUNCTIONS
int main() {
  std::vector<Level> ls;
  FILL
  USE
}
"""
CYCLE = """
static void cycle(std::vector<Level> &ls, int at) {
  k<<<ls[at].n, 32>>>(ls[at].u, ls[at].n);
  if (at + 1 < (int)ls.size()) cycle(ls, at + 1);
}
"""
FILL = "for (int n = 9; n > 2; n = (n - 1) / 2 + 1) { Level l{n, 0}; cudaMalloc(&l.u, 64); ls.push_back(l); }"
WALK = "for (Level &l : ls) k<<<l.n, 32>>>(l.u, l.n);"
COUNT = "for (int i = 0; i < (int)ls.size(); i++) k<<<ls[i].n, 32>>>(ls[i].u, ls[i].n);"
CYCLES = "for (int times = 0; times < 10; times++) cycle(ls, 0);"


def _grids(folder: Path, fill: str, use: str) -> list[str]:
    functions = CYCLE if "cycle(" in use else ""
    run = host(folder, PROGRAM.replace("FUNCTIONS", functions).replace("FILL", fill).replace("USE", use))
    return [str(site.grid[0]) for site in run.launches]


@pytest.mark.parametrize("use", [WALK, COUNT, CYCLES, f"for (int t = 0; t < 100; t++) {{ {WALK} }}"])
def test_known(tmp_path: Path, use: str) -> None:
    assert _grids(tmp_path, FILL, use) == ["9", "5", "3"]


@pytest.mark.parametrize(
    ("fill", "use"),
    [
        (FILL.replace("ls.push_back", "if (wanted(n)) ls.push_back"), WALK),
        (f"{FILL} changes(ls);", WALK),
        (FILL, f"for (int t = 0; t < 10; t++) {{ {WALK} changes(ls); }}"),
        (FILL, f"for (int t = 0; t < 10; t++) {{ {WALK} Level l{{7, 0}}; if (wanted(t)) ls.push_back(l); }}"),
        (FILL, f"for (int t = 0; t < 10; t++) {{ {COUNT} ls[1].n *= 2; }}"),
    ],
)
def test_unknown(tmp_path: Path, fill: str, use: str) -> None:
    assert not {"5", "3"} <= set(_grids(tmp_path, fill, use))


def test_arrays_of_records(tmp_path: Path) -> None:
    fill = "Level a[3]; for (int i = 0; i < 3; i++) { a[i].n = 8 >> i; cudaMalloc(&a[i].u, 64); }"
    use = "for (int i = 0; i < 3; i++) ls.push_back(a[i]); cycle(ls, 0);"
    assert _grids(tmp_path, fill, use) == ["8", "4", "2"]
