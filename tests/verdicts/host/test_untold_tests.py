"""Launches behind tests whose outcome is not known: a race at numbers that they may exclude is conditional."""

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Finding
from tests.checking import check

PROGRAM = """
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void k(int *out, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[(i * s) % n] = i;
}
struct Sizes { int n, s; bool good() const; };
DECLARED
int main(int argc, char **argv) {
  int n = atoi(argv[1]), s = atoi(argv[2]);
  if (n < 2 || n > 65536 || s < 1 || s > 1000) return 1;
BODY
  int *out;
  cudaMalloc(&out, n * 4);
  k<<<(n + 255) / 256, 256>>>(out, n, s);
}
"""
COPRIME = "int g(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }"
PRIME = "bool prime(int n) { for (int d = 2; d * d <= n; d++) if (n % d == 0) return false; return true; }"
FLAG = "bool ok = true; for (int d = 2; d * d <= n; d++) if (n % d == 0) ok = false;"


def the_race(folder: Path, declared: str, body: str) -> Finding:
    (kernel,) = check(folder, PROGRAM.replace("DECLARED", declared).replace("BODY", body)).kernels
    (race,) = kernel.findings
    return race


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("bool valid(int n, int s);", "if (!valid(n, s)) return 1;"),
        ("bool valid(const int &n, const int &s);", "if (!valid(n, s)) return 1;"),
        ("bool valid(const Sizes *z);", "Sizes z{n, s}; if (!valid(&z)) return 1;"),
        ("", "Sizes z{n, s}; if (!z.good()) return 1;"),
        ("int common(int n, int s);", 'int c = common(n, s); if (c > 1) { printf("no"); exit(1); }'),
        ("", "if (std::fmod(n, s) != 0.5) return 1;"),
        (COPRIME, "if (g(n, s) != 1) return 1;"),
        (PRIME, "if (!prime(n)) return 1;"),
        ("", f"{FLAG} if (!ok) return 1;"),
    ],
)
def test_a_race_that_the_test_may_exclude(tmp_path: Path, declared: str, body: str) -> None:
    race = the_race(tmp_path, declared, body)
    at = 1 + PROGRAM.replace("DECLARED", declared)[: PROGRAM.replace("DECLARED", declared).index("BODY")].count("\n")
    assert (race.confidence, race.condition) == (Confidence.CONDITIONAL, "")
    assert f"program.cu:{at}:" in race.provided


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("bool ready();", "if (!ready()) return 1;"),
        ("bool valid(int n);", "if (!valid(argc)) return 1;"),
        ("bool valid(int n, int s);", "valid(n, s);"),
        ("bool valid(int n, int s);", 'if (!valid(n, s)) printf("odd");'),
        ("bool load(Sizes *z, int n);", "Sizes z; if (!load(&z, n)) return 1;"),
        ("", "float *h = (float *)malloc(4 * n); if (!h) return 1;"),
        ("", "float *h = (float *)malloc(4 * n); if (fread(h, 4, n, stdin) != (size_t)n) return 1;"),
        (
            "",
            'bool x = false; for (int i = 1; i < argc; i++) if (strcmp(argv[i], "-x")) x = true; if (x) return 1;',
        ),
        ("", 'for (int i = 3; i < argc; i++) if (!strcmp(argv[i], "-h")) return 1;'),
        ("", 'bool v = argc > 3; if (v) printf("%d", n); if (strcmp(argv[0], "a")) return 1;'),
    ],
)
def test_a_race_that_no_test_of_its_numbers_stands_before(tmp_path: Path, declared: str, body: str) -> None:
    race = the_race(tmp_path, declared, body)
    assert (race.confidence, race.condition, race.provided) == (Confidence.DEFINITE, "", "")


def test_a_test_that_only_some_runs_make(tmp_path: Path) -> None:
    race = the_race(tmp_path, "bool valid(int n, int s);", 'if (strcmp(argv[0], "a")) if (!valid(n, s)) return 1;')
    assert (race.confidence, race.provided) == (Confidence.DEFINITE, "")
