"""Barriers of producers and consumers, run: what they hand over, and that races beside them are confirmed."""

from pathlib import Path

import numpy as np
import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.simulate.launch import Finished, OutOfFuel
from hgrd.simulate.replay.replayer import Replayer
from tests.checking import parse
from tests.simulate.running import compiled, launch
from tests.verdicts.barriers.test_rings import BY_ONE, IN_MEMORY, SOURCE

FOLLOWED = {name: v for name, (v, *_) in (*IN_MEMORY.items(), *BY_ONE.items()) if not v[0].startswith("open")}
HANDED_ON = (
    *(name for name, (verdict, *_) in IN_MEMORY.items() if verdict[0].startswith("safe")),
    "one_arrives",
    "one_waits",
    "of_the_guide",
    "by_numbers",
)


@pytest.mark.parametrize("name", HANDED_ON)
def test_what_is_handed_on(name: str, tmp_path: Path):
    rounds = 11
    put = np.arange(1, rounds * 32 + 1, dtype=np.int32)
    got = np.zeros_like(put)
    outcome = launch(compiled(tmp_path, SOURCE, name), 1, 64, put, got, rounds)
    assert isinstance(outcome, Finished), outcome
    assert (got.reshape(rounds, 32) == put.reshape(rounds, 32)[:, ::-1]).all()


def test_a_phase_that_nobody_ends(tmp_path: Path):
    text = """
    #include <cuda/barrier>
    __global__ void k(int *a) {
      __shared__ cuda::barrier<cuda::thread_scope_block> bar;
      if (threadIdx.x == 0) init(&bar, 33);
      __syncthreads();
      bar.arrive_and_wait();
      a[threadIdx.x] = 1;
    }"""
    a = np.zeros(32, np.int32)
    assert isinstance(launch(compiled(tmp_path, text), 1, 32, a, fuel=1 << 16), OutOfFuel)
    assert not a.any()


def test_tokens_in_all_forms(tmp_path: Path):
    text = """
    #include <cuda/barrier>
    #include <utility>
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __global__ void k(int *a) {
      __shared__ Barrier bar;
      __shared__ int s[32];
      if (threadIdx.x == 0) init(&bar, 32);
      __syncthreads();
      s[threadIdx.x] = a[threadIdx.x];
      auto first = bar.arrive();
      bar.wait(std::move(first));
      int v = s[31 - threadIdx.x];
      bar.wait(bar.arrive());
      s[threadIdx.x] = v + 1;
      Barrier::arrival_token third = bar.arrive();
      bar.wait_parity(0);
      a[threadIdx.x] = s[(threadIdx.x + 1) % 32];
    }"""
    a = np.arange(32, dtype=np.int32)
    assert isinstance(launch(compiled(tmp_path, text), 1, 32, a), Finished)
    assert a.tolist() == [(31 - (t + 1) % 32) + 1 for t in range(32)]


def test_races_are_confirmed(tmp_path: Path):
    report = analyze((parse(tmp_path, SOURCE),), AnalysisOptions(), Replayer())
    expected = {name for name, verdict in FOLLOWED.items() if verdict[0].startswith("race")}
    confirmed = {k.kernel for k in report.kernels if k.outcome is Outcome.RACE}
    assert confirmed == expected | {"with_one_of_two_places", "after_the_last_round", "by_numbers_given_back_early"}
