"""GRace's tables on traces made by hand: what they find, what they miss by design, and static pruning."""

from pathlib import Path

import pytest

from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.engine.analysis.program import analyze
from hgrd.findings.options import AnalysisOptions
from hgrd.simulate.detectors.grace import AddressRace, GraceAddresses, GraceStatements
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.detectors.pruning import Pruned, proved_in
from hgrd.simulate.interleaving.execution import Execution
from hgrd.simulate.trace import Recorded
from tests.checking import parse
from tests.simulate.dynamic import Hand, in_words, ints, launch, model_of

BLOCK = list(range(64))
SHARED = {"space": Space.SHARED}


def watched(blocks: int = 1) -> tuple[Hand, GraceStatements, GraceAddresses]:
    shape = LaunchShape(64, blocks)
    statements, addresses = GraceStatements(shape), GraceAddresses(shape)
    trace = Hand(64, blocks)
    trace.observers += [statements, addresses]
    return trace, statements, addresses


def found(trace: Hand, grace: GraceStatements) -> list[tuple[int, int, Level]]:
    """Lines for sites."""
    grace.finish()
    lines = [site.span.line for site in trace.sites.sites]
    return sorted(((lines[r.first], lines[r.second], r.level) for r in grace.races), key=str)


def test_lanes_that_write_one_word():
    trace, statements, addresses = watched()
    trace.write(1, [0, 1], [4, 4], **SHARED)
    assert found(trace, statements) == [(1, 1, Level.INTRA_WARP)]
    addresses.finish()
    assert addresses.races == statements.races and addresses.addresses == set()


@pytest.mark.parametrize("kinds", [("write", "write"), ("write", "read"), ("read", "write"), ("read", "read")])
@pytest.mark.parametrize("between", [True, False])
def test_two_warps(kinds: tuple[str, str], between: bool):
    trace, statements, addresses = watched(2)
    getattr(trace, kinds[0])(1, [69, 70], [4, 8], **SHARED)
    if between:
        trace.arrive(Scope.BLOCK, [64 + t for t in BLOCK])
    getattr(trace, kinds[1])(2, [100], [8], **SHARED)
    races = "write" in kinds and not between
    assert found(trace, statements) == ([(1, 2, Level.INTRA_BLOCK)] if races else [])
    addresses.finish()
    assert addresses.addresses == ({AddressRace(1, 1, 2)} if races else set())
    assert [line.startswith(("read", "write")) for line in trace.races()] == [True] * races


def test_words_of_two_blocks_and_two_variables_are_apart():
    trace, statements, addresses = watched(2)
    trace.write(1, [0], [4], **SHARED)
    trace.write(2, [96], [4], **SHARED)
    trace.write(3, [33], [4], memory=2, **SHARED)
    assert found(trace, statements) == []
    addresses.finish()
    assert addresses.addresses == set()


MISSED = {
    "global memory": lambda trace: (trace.write(1, [0], [0]), trace.write(2, [40], [0])),
    "two blocks": lambda trace: (trace.write(1, [0], [0]), trace.write(2, [70], [0])),
    "a read within a warp": lambda trace: (trace.write(1, [0], [0], **SHARED), trace.read(2, [1], [0], **SHARED)),
    "two writes within a warp": lambda trace: (trace.write(1, [0], [0], **SHARED), trace.write(2, [1], [0], **SHARED)),
    "atomics": lambda trace: (trace.write(1, [0], [0], **SHARED), trace.atomic(2, [40], [0], **SHARED)),
    "wide accesses": lambda trace: (
        trace.write(1, [0], [0], size=8, **SHARED),
        trace.write(2, [40], [4], **SHARED),
    ),
}


@pytest.mark.parametrize("what", MISSED)
def test_what_the_tables_do_not_see(what: str):
    trace, statements, addresses = watched(2)
    MISSED[what](trace)
    addresses.finish()
    assert len(trace.races()) == 1
    assert (found(trace, statements), addresses.addresses, addresses.races) == ([], set(), set())


def test_words_of_four_bytes_alarm_for_neighbours():
    trace, statements, _ = watched()
    trace.write(1, [0], [0], size=1, **SHARED)
    trace.write(2, [40], [1], size=1, **SHARED)
    assert (trace.races(), found(trace, statements)) == ([], [(1, 2, Level.INTRA_BLOCK)])


def test_memory_of_the_tables():
    """Statements cost per barrier interval, addresses per word and warp, however long the run."""
    trace, statements, addresses = watched()
    for _ in range(10):
        for _ in range(5):
            trace.write(1, BLOCK, [4 * t for t in BLOCK], **SHARED)
        trace.arrive(Scope.BLOCK, BLOCK)
    assert statements.peak_bytes == 5 * 2 * (32 * 4 + 12)
    assert addresses.peak_bytes == 64 * 2 * 4 * (2 + 1)
    assert statements.bytes_held() == 0


# ---------------------------------------------------------------- pruning

KERNEL = """
__global__ void k(int *out) {
  __shared__ int own[64], next[64];
  int t = threadIdx.x;
  own[t] = t;  // own
  next[t] = own[t];  // fill
  out[t] = next[(t + 1) % 64];  // turn
  UNKNOWN
}
"""


def test_what_is_proved_is_not_logged(tmp_path: Path):
    program = parse(tmp_path, KERNEL.replace("UNKNOWN", ""))
    report = analyze((program,), AnalysisOptions(block_dim=(64, 1, 1), grid_dim=(1, 1, 1))).kernels[0].launches[0]
    launched = launch(program, 1, 64, ints(64))
    model, record = model_of(launched), Recorded()
    for inner in (model, record):
        execution = Execution(launched)
        pruned = Pruned(inner, execution.sites, proved_in(report))
        execution.observer = pruned
        execution.run()
    assert (pruned.passed, pruned.dropped) == (128, 192)
    sites = execution.sites.sites
    assert {(sites[e.site].kind, sites[e.site].span.line) for e in record.touches()} == {
        (AccessKind.WRITE, 6),
        (AccessKind.READ, 7),
    }
    assert in_words(model, execution.sites, KERNEL) == ["read turn, write fill; shared; warp block"]


def test_where_a_part_was_not_understood_nothing_is_proved(tmp_path: Path):
    program = parse(tmp_path, KERNEL.replace("UNKNOWN", 'asm volatile("st.shared.u32 [%0], 1;" : : "r"(t));'))
    report = analyze((program,), AnalysisOptions(block_dim=(64, 1, 1), grid_dim=(1, 1, 1))).kernels[0].launches[0]
    launched = launch(program, 1, 64, ints(64))
    execution = Execution(launched)
    pruned = Pruned(model_of(launched), execution.sites, proved_in(report))
    execution.observer = pruned
    execution.run()
    assert pruned.dropped == 0
