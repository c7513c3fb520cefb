#!/usr/bin/env python3
"""The dynamic verdict on labelled programs: small launches on the executor and the interpreter, with the access model.

    python -m benchmarks.dynamic_labels --manifests DIR --root DIR [--suite scor-micro|indigo] [--only SUBSTR]
        [--slice I/N] [--timeout SECONDS] [--json FILE]

scor-micro: the launch of the program on zeroed memory.  indigo: random graphs of a few nodes, with data as the
suite's main() makes them, at several launches.  Each input runs on the executor; programs whose threads wait for
others, or so few that it costs nothing, run under random schedules as well.  The verdict is `race` where a run has
a race other than of writes of the same value, `norace` where none has; a label `race` says that some input has
one, so that the other way round a disagreement may be for want of that input.

An entry agrees in its pairs, too, where the manifest names lines: "missing" are pairs that no run has shown,
"extra" those that the manifest does not name.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.run_suites import include_dirs
from hgrd.cuda.memory_model import AccessKind
from hgrd.program.linked import link
from hgrd.program.program import Function, Program
from hgrd.program.types import PointerType
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import execute, prepare
from hgrd.simulate.interleaving.execution import Execution, Launched, at_random
from hgrd.simulate.launch import ConcreteLaunch, Finished
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.trace import Sites
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

Entry = dict[str, Any]
Extent = tuple[int, int, int]
Pair = tuple[tuple[int, int], str, str]
"""Two lines, the kinds ("RW"), and the memory space."""

LETTERS = {AccessKind.READ: "R", AccessKind.WRITE: "W", AccessKind.ATOMIC: "A"}
SIZES = ((64, 200, 2, 32), (6, 40, 6, 32), (12, 40, 2, 64), (40, 120, 2, 32), (5, 5, 2, 40), (9, 60, 9, 64))
WORDS = 1 << 10  # of each array of scor-micro
FUEL = 1 << 24
STEPS = 200_000


@dataclass(frozen=True)
class Input:
    grid: Extent
    block: Extent
    arguments: tuple[int | np.ndarray, ...]
    seeds: tuple[int, ...]  # of the random schedules


@dataclass
class Result:
    """`pairs` as text, `same_value` how many more there are of writes of the same value, `stopped` why runs ended."""

    suite: str
    id: str
    family: str
    label: str
    verdict: str
    pairs: list[str]
    missing: list[str]
    extra: list[str]
    same_value: int
    stopped: list[str]
    runs: int


class LateError(Exception):
    pass


# ---------------------------------------------------------------- inputs


def inputs(suite: str, entry: Entry, kernel: Function) -> Iterator[Input]:
    if suite == "indigo":
        yield from graphs(entry)
        return
    grid, block = (extent(entry["launch"][key]) for key in ("gridDim", "blockDim"))
    arguments = tuple(np.zeros(WORDS, np.int32) if isinstance(p.type, PointerType) else 1 for p in kernel.parameters)
    yield Input(grid, block, arguments, tuple(range(8)))


def extent(text: object) -> Extent:
    numbers = [int(n) for n in re.findall(r"\d+", str(text))]
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def graphs(entry: Entry) -> Iterator[Input]:
    """Graphs of few nodes, so that neighbours are shared; some with a thread, a warp or a block for each node."""
    random = Random(1)
    for nodes, edges, grid, block in SIZES:
        if "32" in str(entry.get("assume", "")) and block % 32:
            continue
        ends = sorted((random.randrange(nodes), random.randrange(nodes)) for _ in range(edges))
        index = np.searchsorted([a for a, _ in ends], range(nodes + 1)).astype(np.int32)
        size = max(nodes, edges)
        data = [np.array([0, *(random.randrange(n) for _ in range(size - 1))], np.int32) for n in (nodes, edges)]
        neighbours = np.array([b for _, b in ends], np.int32)
        seeds = (0,) if grid * block <= 64 else ()
        yield Input((grid, 1, 1), (block, 1, 1), (index, neighbours, *data, nodes), seeds)


# ---------------------------------------------------------------- runs


@dataclass
class Seen:
    pairs: set[Pair]
    same_value: set[Pair]
    stopped: Counter[str]
    runs: int = 0

    def take(self, model: AccessModel, sites: Sites) -> None:
        self.runs += 1
        for race in model.races():
            first, second = (sites.sites[n] for n in (race.first, race.second))
            low, high = sorted((first.span.line, second.span.line))
            kinds = "".join(sorted(LETTERS[s.kind] for s in (first, second)))
            found = self.same_value if race.same_value else self.pairs
            found.add(((low, high), kinds, race.space.value))
        for divergence in model.divergences:
            self.stopped[f"threads went past the barrier at line {divergence.barrier.line}"] += 1


def run(program: Program, kernel: Function, given: Input, seen: Seen) -> None:
    executable, memory = prepare(link((program,)), kernel), Memory()
    shape = LaunchShape(prod(given.block), prod(given.grid))
    model = AccessModel(shape)
    arguments = tuple(
        int(memory.allocate("array", a.copy())) if isinstance(a, np.ndarray) else a for a in given.arguments
    )
    outcome = execute(executable, ConcreteLaunch(given.grid, given.block, arguments), memory, model, FUEL)
    if not isinstance(outcome, Finished):
        reason = getattr(outcome, "reason", "")
        seen.stopped[f"{type(outcome).__name__} at line {outcome.span.line}{': ' * bool(reason)}{reason}"] += 1
    seen.take(model, executable.sites)
    for seed in given.seeds:
        model, schedule, steps = AccessModel(shape), at_random(seed), 0
        execution = Execution(Launched(program, kernel, given.grid, given.block, given.arguments), model)
        while (ready := execution.ready()) and steps < STEPS:
            execution.step(schedule(ready))
            steps += 1
        if execution.fault or execution.divergences or steps == STEPS:
            seen.stopped[execution.fault or ("a divergence" if execution.divergences else "too many steps")] += 1
        seen.take(model, execution.sites)


def judged(manifest: dict[str, Any], entry: Entry, root: Path, seconds: int) -> Result:
    suite, seen = manifest["suite"], Seen(set(), set(), Counter())
    checkout = root / entry["checkout"]

    def late(*_: object) -> None:
        raise LateError

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    verdict = ""
    try:
        include = tuple(include_dirs(manifest, entry, checkout))
        program = parse_file(str(checkout / entry["path"]), SourceOptions(include_dirs=include))
        for kernel in program.kernels():
            if kernel.ref.name in entry["kernels"]:
                for given in inputs(suite, entry, kernel):
                    run(program, kernel, given, seen)
    except LateError:
        verdict = "timeout"
    finally:
        signal.alarm(0)
    if seen.pairs or not verdict:
        verdict = "race" if seen.pairs else "norace" if seen.runs else "nothing ran"
    named = {((*sorted(r["lines"]),), kinds_of(r["kind"]), r["space"]) for r in entry.get("races", ())}
    missing, extra = (named - seen.pairs, seen.pairs - named) if named else (set[Pair](), set[Pair]())
    stopped = [f"{n} x {why}" for why, n in seen.stopped.items()]
    family = entry.get("family", entry.get("pattern", ""))
    return Result(
        suite, entry["id"], family, entry["expected"], verdict, words(seen.pairs), words(missing), words(extra),
        len(seen.same_value - seen.pairs), stopped, seen.runs,
    )  # fmt: skip


def kinds_of(text: str) -> str:
    """The manifest's kinds, "RW" or "R-atomic"."""
    return "".join(sorted(text.replace("-atomic", "A")))


def words(pairs: set[Any]) -> list[str]:
    return [f"{lines[0]}-{lines[1]} {kinds} {space}" for lines, kinds, space in sorted(pairs)]


# ---------------------------------------------------------------- printing


def table(results: list[Result]) -> Iterator[str]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for r in results:
        family = counts.setdefault((r.suite, r.family if r.suite == "indigo" else "all"), Counter())
        family[f"{r.label} {r.verdict}"] += 1
    yield f"{'suite':<11} {'family':<34} {'race':>10} {'norace':>10}   (agreeing / labelled)"
    for (suite, family), found in sorted(counts.items()):
        cells = [
            f"{found[f'{label} {label}']}/{sum(n for key, n in found.items() if key.split()[0] == label)}"
            for label in ("race", "norace")
        ]
        yield f"{suite:<11} {family:<34} {cells[0]:>10} {cells[1]:>10}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifests", type=Path, required=True)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--suite", choices=("scor-micro", "indigo"), action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--slice", default="0/1", help="every N-th entry, from the I-th on: I/N")
    parser.add_argument("--timeout", type=int, default=30)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    first, step = map(int, options.slice.split("/"))
    results: list[Result] = []
    for suite in options.suite or ("scor-micro", "indigo"):
        manifest = json.loads((options.manifests / f"{suite}.json").read_text())
        entries = [e for e in manifest["entries"] if e.get("scored") and options.only in e["id"]]
        for entry in entries[first::step]:
            r = judged(manifest, entry, options.root, options.timeout)
            results.append(r)
            if r.label != r.verdict or r.missing or r.extra:
                print(f"{r.suite}/{r.id}: label {r.label}, verdict {r.verdict}", flush=True)
                for name in ("pairs", "missing", "extra", "stopped"):
                    if getattr(r, name):
                        print(f"    {name}: {', '.join(getattr(r, name))}", flush=True)
    print("\n".join(table(results)))
    if options.json:
        options.json.write_text(json.dumps([asdict(r) for r in results], indent=1))


if __name__ == "__main__":
    main()
