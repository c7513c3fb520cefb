"""Runs that are stopped: what is done is reported, what is left is named, nothing is left behind."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.processes import alive, started_by

QUICK = """
__global__ void quick(int *a) { a[0] = threadIdx.x; }
int main() {
  int *a;
  cudaMalloc(&a, 4);
  quick<<<1, 64>>>(a);
}
"""
ENDLESS = """
template <class T, int N> struct Pair {};
template <class T, int N> struct Tree {
  static const int value = Tree<Pair<T, 0>, N - 1>::value + Tree<Pair<T, 1>, N - 1>::value;
};
template <class T> struct Tree<T, 0> { static const int value = 1; };
__global__ void endless(int *a) { a[Tree<int, 50>::value] = 1; }
"""


@pytest.fixture
def programs(tmp_path: Path) -> list[str]:
    """A program that takes no time, and one that keeps the compiler busy for ever."""
    quick, endless = tmp_path / "quick.cu", tmp_path / "endless.cu"
    quick.write_text(QUICK)
    endless.write_text(ENDLESS + QUICK.replace("quick", "other"))
    return [str(quick), str(endless)]


# A job in the background ignores SIGINT, and so does what it starts.
HEEDING = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("hgrd", run_name="__main__", alter_sys=True)
"""
# The signal is there before the run has looked at its paths.
STOPPED_AT_ONCE = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.kill(os.getpid(), signal.SIGINT)
"""


def begun(*arguments: str, before: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", before + HEEDING, "check", "--format=json", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def document(run: subprocess.Popen[str]) -> dict[str, Any]:
    output, _ = run.communicate(timeout=20)
    return json.loads(output)


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {kernel["name"]: kernel["outcome"] for kernel in report["kernels"]}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.4, 6.0])
def test_what_is_done_is_reported(programs: list[str], number: signal.Signals, seconds: float):
    run = begun(*programs, "-j2")
    time.sleep(seconds)
    run.send_signal(number)
    report = document(run)
    assert run.returncode == 2
    assert report["stopped"] == "interrupted"
    known = {"quick": "race"} if seconds > 1 else {}
    assert verdicts(report).items() >= known.items()
    assert {"file": programs[1], "reason": "not analysed: interrupted"} in report["failures"]


def test_a_run_that_is_stopped_at_once_names_its_paths(programs: list[str]):
    run = begun(*programs, before=STOPPED_AT_ONCE)
    report = document(run)
    assert run.returncode == 2
    assert report["stopped"] == "interrupted"
    assert report["kernels"] == []
    assert report["failures"] == [{"file": file, "reason": "not analysed: interrupted"} for file in programs]


def test_a_run_ends_when_its_time_is_over(programs: list[str]):
    report = document(begun(*programs, "-j2", "--total-timeout=6"))
    assert report["stopped"] == "the time limit for the whole run was reached (--total-timeout 6)"
    assert verdicts(report) == {"quick": "race"}
    assert [f["file"] for f in report["failures"]] == [programs[1]]
    assert 6 <= report["seconds"] < 10


def test_kernels_that_were_found_and_not_decided_are_unknown(tmp_path: Path):
    file = tmp_path / "large.cu"
    stores = "".join(f"a[threadIdx.x * {n} + {n}] = {n};" for n in range(1, 9))
    file.write_text(QUICK + "".join(f"__global__ void k{i}(int *a) {{ {stores} }}\n" for i in range(400)))
    report = document(begun(str(file), "-j1", "--total-timeout=5"))
    assert report["stopped"]
    assert len(report["kernels"]) == 401
    left = [k for k in report["kernels"] if k["launches"][0]["configuration"] == "<<<?>>>"]
    assert left
    reasons = {k["launches"][0]["open"][0]["reason"] for k in left}
    assert "not analysed: the time limit for the whole run was reached (--total-timeout 5)" in reasons
    assert {k["outcome"] for k in left} == {"unknown"}


def test_nothing_outlives_a_run_that_is_killed(programs: list[str]):
    run = begun(*programs, "-j2")
    time.sleep(3)
    processes = started_by(run.pid)
    assert len(processes) >= 3  # the guard, the process of the program, the compiler
    run.kill()
    run.communicate()
    time.sleep(1)
    assert not [process for process in processes if alive(process)]
