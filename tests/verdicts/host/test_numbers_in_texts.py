"""A text that nobody writes to has one number in it, however often it is asked for."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cstdlib>
__global__ void store(int *a, int slots) { if (threadIdx.x == 0) a[blockIdx.x % slots] = blockIdx.x; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  BODY
  int *a;
  cudaMalloc(&a, 1 << 20);
  store<<<64, 32>>>(a, slots);
}
"""


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("int slots = atoi(argv[1]) > 64 ? atoi(argv[1]) : 64;", Outcome.SAFE),
        ("int slots = atoi(argv[1]) > 64 ? atoi(argv[2]) : 64;", Outcome.RACE),
        ("int slots = atoi(argv[1]) > 64 ? atoi(argv[1] + 1) : 64;", Outcome.RACE),
        ("if (atol(argv[1]) < 64) exit(1); int slots = atol(argv[1]);", Outcome.SAFE),
        ("if (atol(argv[1]) < 64) exit(1); argv[1][0] = '0'; int slots = atol(argv[1]);", Outcome.RACE),
        (
            'FILE *f = fopen(argv[1], "r"); char line[80]; fgets(line, 80, f); if (atoi(line) < 64) return 1;'
            "fgets(line, 80, f); int slots = atoi(line);",
            Outcome.RACE,
        ),
        (
            "char line[80]; fgets(line, 80, stdin); if (atoi(line) < 64) return 1; int slots = atoi(line);",
            Outcome.SAFE,
        ),
        ("time_t slots = 64; if (argc > 7) time(&slots);", Outcome.RACE),
        ("time_t slots = 64; if (argc > 7) time(nullptr);", Outcome.SAFE),
    ],
)
def test_number(tmp_path: Path, body: str, outcome: Outcome) -> None:
    assert (
        check(tmp_path, "#include <cstdio>\n#include <ctime>" + PROGRAM.replace("BODY", body)).kernels[0].outcome
        is outcome
    )
