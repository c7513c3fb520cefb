"""Builtins that may give threads with equal indexes in two blocks different results."""

import pytest

from hgrd.cuda.builtins import BUILTINS, Kind
from hgrd.protocol.inference.block_symmetry import tells_by_name

TELLING = {
    "__activemask", "__all", "__any", "__ballot", "__cluster_barrier_arrive", "__cluster_barrier_wait",
    "__globaltimer", "__shfl", "__shfl_down", "__shfl_up", "__shfl_xor", "__smid", "__uni", "__builtin_alloca",
    "alloca", "clock", "clock64", "malloc", "__pipeline_acquire", "__pipeline_commit_stage", "__pipeline_make",
    "__pipeline_release", "__pipeline_wait_stage",
}  # fmt: skip


def test_builtins_that_tell_blocks_apart():
    assert {name for name in BUILTINS if tells_by_name(name) and not name.startswith("ptx.")} == TELLING


def test_every_register_of_the_machine_tells():
    assert all(tells_by_name(n) for n, row in BUILTINS.items() if row.kind is Kind.REGISTER)


@pytest.mark.parametrize("name", ["surf2Dwrite", "malloc", "cudaMalloc", "__nsmid", "__builtin_readcyclecounter"])
def test_what_is_no_row_or_a_family_tells(name: str):
    assert tells_by_name(name)


@pytest.mark.parametrize("name", ["min", "__syncthreads", "__ldg", "__shfl_sync", "__fmul_rn", "__builtin_memcpy", "f"])
def test_what_follows_from_its_arguments_does_not(name: str):
    assert not tells_by_name(name)
