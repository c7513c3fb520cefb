"""Damaged programs of each kind: a report or a message, in time.  More: `python -m benchmarks.crash_fuzzing --help`."""

import pytest

from benchmarks.crash_fuzzing import MUTATIONS, Ran, mutated, programs, run

HANG = 300.0  # seconds; machines that run tests are busy


@pytest.mark.parametrize("seed", range(len(MUTATIONS)), ids=list(MUTATIONS))
def test_a_damaged_program_is_no_crash(seed: int):
    _, text = mutated(seed)
    assert run(text, 2.0, HANG).failure == ""


def test_each_kind_has_its_turn():
    assert {mutated(seed)[0].split(" + ")[0] for seed in range(len(MUTATIONS))} == set(MUTATIONS)


def test_a_seed_makes_one_program():
    assert mutated(7) == mutated(7)
    assert mutated(7) != mutated(8)
    assert len(programs()) > 10


@pytest.mark.parametrize(("text", "status"), [(b"", 2), (b"__global__ void k(int *a) { a[0] = threadIdx.x; }", 1)])
def test_a_run_is_judged_by_its_status(text: bytes, status: int):
    ran = run(text, 2.0, HANG)
    assert ran == Ran("", status, ran.seconds)


def test_a_run_without_end_is_a_failure():
    assert run(b"__global__ void k() {}", 2.0, 0.01).failure == "runs for more than 0 s"
