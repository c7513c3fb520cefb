"""The switches of benchmarks/mutations.py, and the table of the tests that catch them: both speak of what is there."""

import os
import subprocess
import sys

from benchmarks.mutation_gate import ROOT, TABLE, known_tests
from benchmarks.mutations import MUTATIONS

APPLY = """
from benchmarks.mutations import MUTATIONS
for mutation in MUTATIONS:
    mutation.apply()
"""


def run(*arguments: str) -> tuple[int, str]:
    """How a run of Python at the root ends, and what it complains of."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_every_switch_finds_what_it_replaces():
    assert run("-c", APPLY) == (0, "")


def test_the_table_has_every_switch():
    assert list(known_tests(TABLE)) == [m.name for m in MUTATIONS]


def test_the_tests_of_the_table_are_there():
    tests = sorted(set(known_tests(TABLE).values()))
    assert run("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *tests) == (0, "")
