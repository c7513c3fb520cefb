"""The guard of a run: nothing outlives the run, however it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from hgrd.engine.run.guard import guard
from hgrd.engine.run.processes import Pipe, Running
from tests.processes import alive

SLEEPERS = """
import os, subprocess, sys, tempfile, time
from hgrd.engine.run.guard import guard
from hgrd.engine.run.processes import Running

def work(pipe):
    guarding.enrol()
    asleep = subprocess.Popen(["sleep", "1000"])
    tempfile.mkdtemp()
    pipe.send((os.getpid(), asleep.pid, guarding.group, guarding.folder))
    time.sleep(1000)

with guard() as guarding:
    print(*Running(work).receive(), flush=True)
    {then}
"""


def sleepers(then: str) -> tuple[subprocess.Popen[str], list[int], Path]:
    """A run that has started a process that has started another one: the run, these and the guard, and its folder."""
    script = [sys.executable, "-c", SLEEPERS.format(then=then)]
    run = subprocess.Popen(script, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    *processes, folder = run.stdout.readline().split()
    return run, list(map(int, processes)), Path(folder)


def gone_within(seconds: float, processes: list[int], folder: Path) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(map(alive, processes)) and not folder.exists():
            return True
        time.sleep(0.02)
    return False


def test_nothing_outlives_a_run_that_is_killed():
    run, processes, folder = sleepers("time.sleep(1000)")
    assert all(map(alive, processes))
    assert len(list(folder.iterdir())) == 1
    run.kill()
    run.wait()
    assert gone_within(2, processes, folder)


def test_nothing_outlives_a_run_that_ends():
    run, processes, folder = sleepers("pass")
    assert run.wait(10) == 0
    assert gone_within(2, processes, folder)


def test_signals_to_the_run_do_not_reach_the_guard_and_what_it_guards():
    run, processes, folder = sleepers("time.sleep(1000)")
    os.kill(processes[-1], signal.SIGTERM)
    time.sleep(0.1)
    assert all(map(alive, processes))
    run.kill()
    run.wait()
    assert gone_within(2, processes, folder)


def test_who_comes_too_late_does_not_begin():
    with guard() as guarding:
        pass

    def work(pipe: Pipe) -> None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), guarding.line)  # it is closed already
        guarding.enrol()
        pipe.send("at work")

    assert "died (exit code 1" in str(Running(work).receive())
