"""What the source says of itself does nothing when a kernel runs."""

from pathlib import Path

import numpy as np

from tests.simulate.running import run


def test_specifications_do_nothing(tmp_path: Path):
    text = """
    __global__ void k(int *a, int n) {
      __requires(n > 3);
      __assume(__distinct_int(threadIdx.x) && n < 100);
      __assert(__uniform_int(n));
      for (int i = 0; __invariant(i >= 0), __global_invariant(__no_write(a)), i < n; ++i)
        a[threadIdx.x] += __implies(i > 4, n > 2);
    }"""
    a = np.zeros(3, np.int32)
    run(tmp_path, text, 1, 3, a, 7)
    assert a.tolist() == [7, 7, 7]
