"""Of the loops that have ended, a query says what the accesses depend on, and no more."""

from pathlib import Path

from hgrd.findings.options import AnalysisOptions
from hgrd.races.pairs.printer import print_queries
from tests.checking import protocols

ENDINGS = """
__global__ void ends(int *a, bool *go) {
  int i = 0, k = 0, u = 0;
  while (go[i]) i++;
  while (k < i && go[k]) k += 2;
  while (go[u]) u++;
  a[64 * WHERE + threadIdx.x] = 1;
}
"""


def guards(folder: Path, place: str) -> list[str]:
    """The guards of the first thread in the query of the write against itself, within a warp."""
    options = AnalysisOptions(block_dim=(64, 1, 1), grid_dim=(1, 1, 1))
    text = ENDINGS.replace("WHERE", place)
    protocol = protocols(folder, text, block_dim=options.block_dim, grid_dim=options.grid_dim)["ends"]
    first = print_queries(protocol, (), options).partition("intra-block")[0]
    return [line.strip() for line in first.splitlines() if line.startswith("    first when ")]


def test_a_count_brings_along_the_counts_that_bound_it(tmp_path: Path):
    assert guards(tmp_path, "k") == [
        "first when go[i#end] == 0",
        "first when i#end <= 0 || go[i#end - 1] != 0",
        "first when i#end <= k.iteration#end * 2 || go[k.iteration#end * 2] == 0",
        "first when k.iteration#end <= 0 || (k.iteration#end - 1) * 2 < i#end && go[k.iteration#end * 2 - 2] != 0",
    ]


def test_a_count_that_stands_alone_brings_its_own_loop(tmp_path: Path):
    assert guards(tmp_path, "u") == [
        "first when go[u#end] == 0",
        "first when u#end <= 0 || go[u#end - 1] != 0",
    ]


def test_an_access_that_depends_on_no_count_brings_none(tmp_path: Path):
    assert guards(tmp_path, "1") == []
