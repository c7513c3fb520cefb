"""A pair whose time ends while its race is being put together is open, and no error."""

from pathlib import Path

import pytest

from hgrd.findings.model import Finding
from hgrd.races.pairs.checker import PairChecker
from hgrd.symbolic.limits import OUT_OF_TIME, TimeLimitError
from tests.checking import check

TEXT = """
__global__ void k(int *a) {
  a[threadIdx.x] = 1;
  a[threadIdx.x + 1] = 2;
}
int main() {
  int *a;
  cudaMalloc(&a, 4096);
  k<<<1, 32>>>(a);
}
"""


def test_what_is_found_as_the_time_ends_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def ends(*_: object) -> Finding:
        raise TimeLimitError

    monkeypatch.setattr(PairChecker, "_finding", ends)
    (kernel,) = check(tmp_path, TEXT).kernels
    (launch,) = kernel.launches
    assert (launch.pairs, launch.findings) == (3, ())
    assert [(p.first and p.first.span.line, p.second and p.second.span.line, p.reason) for p in launch.open_pairs] == [
        (3, 4, OUT_OF_TIME)
    ]
