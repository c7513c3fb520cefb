"""Random kernels: the verdict is what running all their threads gives."""

import re
from random import Random

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import KernelReport, Site, ThreadWitness
from hgrd.findings.options import AnalysisOptions
from hgrd.program.program import Program
from tests.checking import parse
from tests.random_kernels.computed import (
    BLOCKS,
    FUNCTIONS,
    THREADS,
    Kernel,
    N,
    Thread,
    Touch,
    in_order,
    names_of,
    numbers_in,
    races,
    source,
)
from tests.random_kernels.making import Maker

COUNT = 45
MODERATE = ("-1000 <= n && n <= 1000", "gridDim.x <= 1000")  # Python's integers do not overflow
WORDS = {"intra-warp": "warp", "intra-block": "block", "inter-block": "grid"}
KERNELS: dict[str, Kernel] = {f"kernel_{i}": Maker(Random(i)).kernel() for i in range(COUNT)}
SOURCE = FUNCTIONS + "".join(source(name, kernel) for name, kernel in KERNELS.items())


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return parse(tmp_path_factory.mktemp("generated"), SOURCE)


def lines_of(name: str) -> list[int]:
    """The line of each access of a kernel, by its number."""
    lines = SOURCE.splitlines()
    start = next(n for n, line in enumerate(lines) if f" {name}(" in line)
    found: list[int] = []
    for number, line in enumerate(lines[start + 2 :], start + 3):
        if line == "}":
            return found
        if re.match(r"\s+(sink \+= )?cells\[", line):
            found.append(number)
    return found


def report(program: Program, name: str, **options: object) -> KernelReport:
    return analyze((program,), AnalysisOptions(kernels=(name,), **options)).kernels[0]


def found(kernel: KernelReport, numbers: dict[int, int]) -> tuple[dict[tuple[int, int], set[str]], ...]:
    """The levels at which accesses (by number) race, and those at which it is not known whether they do."""
    decided: dict[tuple[int, int], set[str]] = {}
    undecided: dict[tuple[int, int], set[str]] = {}
    (launch,) = kernel.launches
    for finding in launch.findings:
        decided.setdefault(_pair(finding.first, finding.second, numbers), set()).update(
            WORDS[x.value] for x in finding.levels
        )
    for pair in launch.open_pairs:
        assert pair.first is not None and pair.second is not None, pair.reason
        undecided.setdefault(_pair(pair.first, pair.second, numbers), set()).update(WORDS[x.value] for x in pair.levels)
    return decided, undecided


def touches(name: str, number: int, witness: ThreadWitness, n: int) -> list[Touch]:
    """What the access with this number does to the bytes of the witness when its thread runs."""
    kernel = KERNELS[name]
    (t, _, _), (b, _, _) = witness.thread, witness.block
    thread = Thread(names_of(t, b, n), numbers_in(kernel))
    thread.run(kernel.body)
    assert witness.bytes == 4 and witness.first_byte % 4 == 0
    cell = witness.first_byte // 4
    return [Touch(b, t, phase, i, write) for phase, i, write, c in thread.trace if (i, c) == (number, cell)]


def _pair(first: Site, second: Site, numbers: dict[int, int]) -> tuple[int, int]:
    one, two = sorted((numbers[first.span.line], numbers[second.span.line]))
    return one, two


def numbers_of(name: str) -> dict[int, int]:
    lines = lines_of(name)
    assert len(lines) == len(list(in_order(KERNELS[name].body)))
    return {line: number for number, line in enumerate(lines)}


@pytest.mark.parametrize("name", KERNELS)
def test_at_one_launch(program: Program, name: str):
    grid = 1 if KERNELS[name].shared else BLOCKS
    kernel = report(program, name, grid_dim=(grid, 1, 1), block_dim=(THREADS, 1, 1), params=(("n", N),))
    decided, undecided = found(kernel, numbers_of(name))
    truth = races(KERNELS[name])
    for pair in truth.keys() | decided.keys():
        there, said, left_open = (levels.get(pair, set[str]()) for levels in (truth, decided, undecided))
        assert said - there == set(), f"false alarm: {pair}"
        assert there - said - left_open == set(), f"missed: {pair}"


@pytest.mark.parametrize("name", KERNELS)
def test_at_all_launches(program: Program, name: str):
    """What races at one launch races at some; and at the launch of a witness, its two threads do."""
    kernel, numbers = report(program, name, assume=MODERATE), numbers_of(name)
    for finding in kernel.findings:
        ends = ((finding.first, finding.witness.first), (finding.second, finding.witness.second))
        n = dict(finding.witness.inputs).get("n", N)
        one, two = (touches(name, numbers[site.span.line], thread, n) for site, thread in ends)
        assert any(a.meets(b) for a in one for b in two), f"not so: {finding}"
    decided, undecided = found(kernel, numbers)
    for pair, levels in races(KERNELS[name]).items():
        known = decided.get(pair, set[str]()) | undecided.get(pair, set[str]())
        assert levels - known == set(), f"missed: {pair}"
