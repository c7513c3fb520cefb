#!/usr/bin/env python3
"""Switches off one rule of the analysis at a time: at least one test must fail.

    python -m benchmarks.mutation_gate [--only SUBSTR ...] [--new] [--jobs N] [--timeout SECONDS] [--write FILE]

A mutation replaces one rule of the installed package by nothing, or by something too strong, before any test is
collected; the tests that it names run in processes of their own until the first one fails, and first of all the one
that the table names.  The table of mutations and the tests that catch them goes to FILE
(benchmarks/mutation_gate.md); mutations that were not chosen keep their row.  `--new`: only those that no test is
known for.  The exit status is 1 where a mutation survives.  As a plugin of pytest (`-p benchmarks.mutation_gate`)
this module applies the mutation that the variable HGRD_MUTATION names.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.mutating import Mutation
from benchmarks.mutations import MUTATIONS

VARIABLE = "HGRD_MUTATION"
ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "benchmarks" / "mutation_gate.md"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::\w+\[.+?\](?= - |$)|.+?)(?: - .*)?$", re.MULTILINE)
_ROW = re.compile(r"^\| (\S+) \| .* \| `(.+)` \|$", re.MULTILINE)


# ---------------------------------------------------------------- running


def pytest_configure() -> None:
    name = os.environ.get(VARIABLE)
    for mutation in MUTATIONS:
        if mutation.name == name:
            mutation.apply()


def caught(mutation: Mutation, known: str | None, seconds: int) -> str | None:
    """The first test that fails; None where none does.  Tests that come to no end within `seconds` catch nothing."""
    for tests in (*((known,) if known else ()), *mutation.tests):
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
        command += ["-p", "benchmarks.mutation_gate", "--no-header", tests]
        path = os.pathsep.join((str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")))
        environment = {**os.environ, VARIABLE: mutation.name, "PYTHONPATH": path}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"{mutation.name:<34} {tests} not run to the end", flush=True)
            continue
        match = _FAILED.search(done.stdout)
        if match is not None:
            return match[1]
        if done.returncode not in (0, 5) and tests != known:  # a test that is no longer there is no trouble
            raise RuntimeError(f"{mutation.name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return None


def sound(tests: list[str]) -> None:
    """Raises RuntimeError where one of the tests fails without a mutation: that it fails says nothing then."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    environment.pop(VARIABLE, None)
    if tests:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"fails without a mutation: {_FAILED.findall(done.stdout)}")


def known_tests(table: Path) -> dict[str, str]:
    """The test that has caught each mutation before."""
    return {} if not table.exists() else {m[1]: m[2] for m in _ROW.finditer(table.read_text())}


def page(rows: list[tuple[Mutation, str | None]]) -> str:
    missed = sum(test is None for _, test in rows)
    lines = [
        "# Mutations of the rules, and the tests that catch them",
        "",
        "Written by `python -m benchmarks.mutation_gate`, in several runs: a row is as of the last run that its "
        "mutation was chosen in. " + (f"{missed} are not caught." if missed else "All of them are caught."),
        "",
        "| mutation | what no longer holds | first failing test |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {m.name} | {m.rule} | {'none' if test is None else f'`{test}`'} |" for m, test in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], metavar="SUBSTR")
    parser.add_argument("--new", action="store_true", help="only mutations that no test is known to catch")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=900, help="seconds for each file or folder of tests")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    before = known_tests(TABLE)
    chosen = [m for m in MUTATIONS if any(part in m.name for part in options.only)]
    chosen = [m for m in chosen if not (options.new and m.name in before)]

    def one(mutation: Mutation) -> tuple[str, str | None]:
        test = caught(mutation, before.get(mutation.name), options.timeout)
        print(f"{mutation.name:<34} {test or 'SURVIVES'}", flush=True)
        return mutation.name, test

    with ThreadPoolExecutor(options.jobs) as pool:
        after = dict(pool.map(one, chosen))
    sound(sorted({test for test in after.values() if test is not None}))
    if options.write:
        options.write.write_text(page([(m, (before | after).get(m.name)) for m in MUTATIONS]))
    return 1 if any(test is None for test in after.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
