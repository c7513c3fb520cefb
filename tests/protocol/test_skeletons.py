"""Generated skeletons of loops and barriers: the verdicts are what running all threads gives."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Finding, KernelReport, OpenPair
from hgrd.findings.options import AnalysisOptions
from tests.checking import parse
from tests.protocol.skeletons import HEAD, THREADS, Body, M, N, in_order, races, source
from tests.protocol.sketching import Sketcher

BATCHES, SIZE = 7, 20
MOST_OPEN = 0.03  # of all pairs and levels
WORDS = {"intra-warp": "warp", "intra-block": "block"}
REASONS = {
    "a barrier in iterations between them may order the two accesses",
    "a barrier under a condition may order the two accesses",
    "a barrier that some threads do not reach may order the two accesses",
}
UNTOLD = re.compile(r"it depends on values that are not known: k\d+(, k\d+)*$")  # how often a loop with exits ran


def skeletons(batch: int) -> dict[str, Body]:
    seeds = range(batch * SIZE, (batch + 1) * SIZE)
    return {f"skeleton_{seed}": Sketcher(Random(seed)).skeleton() for seed in seeds}


def accesses_of(text: str, name: str) -> dict[int, int]:
    """The number of the access in each line of a kernel."""
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if f" {name}(" in line)
    end = lines.index("}", start)
    found = (n for n in range(start + 2, end) if re.match(r"\s+(sink \+= )?cells\[", lines[n]))
    return {n + 1: number for number, n in enumerate(found)}


def levels(pairs: tuple[Finding | OpenPair, ...], numbers: dict[int, int]) -> dict[tuple[int, int], set[str]]:
    found: dict[tuple[int, int], set[str]] = {}
    for p in pairs:
        assert p.first is not None and p.second is not None
        one, two = sorted((numbers[p.first.span.line], numbers[p.second.span.line]))
        found.setdefault((one, two), set()).update(WORDS[x.value] for x in p.levels)
    return found


def check(kernel: KernelReport, body: Body, numbers: dict[int, int], total: Counter[str]) -> None:
    (launch,) = kernel.launches
    assert {o.reason for o in launch.open_pairs if not UNTOLD.match(o.reason)} <= REASONS
    decided, undecided = levels(launch.findings, numbers), levels(launch.open_pairs, numbers)
    truth = races(body)
    for pair in truth.keys() | decided.keys() | undecided.keys():
        there, said, left_open = (x.get(pair, set[str]()) for x in (truth, decided, undecided))
        assert said - there == set(), f"false alarm: {kernel.kernel} {pair}"
        assert there - said - left_open == set(), f"missed: {kernel.kernel} {pair}"
        total["open"] += len(left_open - said)
    total["all"] += 2 * launch.pairs


@pytest.mark.parametrize("batch", range(BATCHES))
def test_batch(tmp_path: Path, batch: int):
    bodies = skeletons(batch)
    text = HEAD + "".join(source(name, body) for name, body in bodies.items())
    options = AnalysisOptions(
        assume=(f"n == {N}", f"m == {M}"), block_dim=(THREADS, 1, 1), grid_dim=(1, 1, 1), time_limit=100
    )
    report = analyze((parse(tmp_path, text),), options)
    assert len(report.kernels) == len(bodies)
    total = Counter[str]()
    for kernel in report.kernels:
        body, numbers = bodies[kernel.kernel], accesses_of(text, kernel.kernel)
        assert len(numbers) == len(list(in_order(body)))
        check(kernel, body, numbers, total)
    assert total["open"] <= MOST_OPEN * total["all"]
