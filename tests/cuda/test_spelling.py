"""Spellings of HIP: functions of its runtime have CUDA's names, and mean the same to the host."""

import pytest

from hgrd.cuda.spelling import cuda_name


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("hipMalloc", "cudaMalloc"),
        ("hipMemcpyToSymbolAsync", "cudaMemcpyToSymbolAsync"),
        ("cudaMalloc", "cudaMalloc"),
        ("hip", "hip"),
        ("hippo", "hippo"),
        ("shipIt", "shipIt"),
    ],
)
def test_names(name: str, canonical: str):
    assert cuda_name(name) == canonical
