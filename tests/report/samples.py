"""Hand-made reports."""

from msgspec.structs import replace

from hgrd.findings.model import (
    CONFIRMED,
    AccessKind,
    BarrierThread,
    BarrierWitness,
    Confidence,
    Divergence,
    DivergenceRule,
    FactUse,
    Finding,
    KernelReport,
    LaunchReport,
    Level,
    Message,
    OpenBarrier,
    OpenPair,
    Outcome,
    Proof,
    Report,
    Site,
    Space,
    ThreadWitness,
    Witness,
)
from hgrd.program.span import NOWHERE, Span

SOURCE = {
    18: "  while (offset <= tid) {",
    20: "    __syncthreads();",
    12: "\ttile[t] = i < n ? in[i] : 0;",
    15: "      int other = tile[t + s];",
    31: "  out[index[i]] = x;",
}


def source_line(file: str, number: int) -> str | None:
    return SOURCE.get(number) if file == "sum.cu" else None


def at(line: int, column: int, spelling: Span | None = None) -> Span:
    return Span("sum.cu", line, column, spelling)


STORE = Site(at(12, 2), AccessKind.WRITE, "tile", "tile[t]")
LOAD = Site(at(15, 19), AccessKind.READ, "tile", "tile[t + s]")
SCATTER = Site(at(31, 3), AccessKind.WRITE, "out", "out[index[i]]")
COUNT = Site(at(33, 3, Span("sum.h", 4, 9)), AccessKind.ATOMIC, "hits", "hits[0]", "block")
GUARD = FactUse("n > 0", "guard", at(40, 7))
DISTINCT = FactUse("different allocations do not overlap", "assumption", NOWHERE)

TREE = Finding(
    first=STORE,
    second=LOAD,
    space=Space.SHARED,
    levels=(Level.INTRA_BLOCK,),
    confidence=Confidence.CONFIRMED,
    witness=Witness(
        block_dim=(256, 1, 1),
        grid_dim=(2, 1, 1),
        inputs=(("n", 257),),
        contents=(),
        first=ThreadWitness((128, 0, 0), (0, 0, 0), (), 512, 4),
        second=ThreadWitness((0, 0, 0), (0, 0, 0), (("s", 128),), 512, 4),
    ),
    facts=(GUARD, DISTINCT),
    method="launches",
    replay=CONFIRMED,
    replay_seconds=0.125,
)
SAME_VALUE = Finding(
    first=SCATTER,
    second=SCATTER,
    space=Space.GLOBAL,
    levels=(Level.INTRA_WARP, Level.INTER_BLOCK),
    confidence=Confidence.DATA_DEPENDENT,
    witness=Witness(
        block_dim=(1, 1, 1),
        grid_dim=(2, 1, 1),
        inputs=(),
        contents=(("index[0]", 5), ("index[1]", 5)),
        first=ThreadWitness((0, 0, 0), (0, 0, 0), (("x", 2**70),), 20, 4),
        second=ThreadWitness((0, 0, 0), (1, 0, 0), (), 20, 4),
    ),
    facts=(),
    same_value=True,
)
CONDITIONAL = Finding(
    first=COUNT,
    second=SCATTER,
    space=Space.GLOBAL,
    levels=(Level.INTER_BLOCK,),
    confidence=Confidence.CONDITIONAL,
    witness=SAME_VALUE.witness,
    facts=(),
    condition="n <= m",
    rule="HGRD005",
    cause="the lock l would order the two, but no fence stands between line 8 and giving it back in line 9",
    replay="not replayed: the run takes too long",
)
OPEN = OpenPair(LOAD, SCATTER, Space.GLOBAL, (Level.INTER_BLOCK,), "the time limit was reached", LOAD.span)
NOT_UNDERSTOOD = OpenPair(None, None, None, tuple(Level), "inline assembly", at(20, 5))


def launch(kernel: str, outcome: Outcome, findings: tuple[Finding, ...], opened: tuple[OpenPair, ...]) -> LaunchReport:
    return LaunchReport(
        kernel=kernel,
        kernel_span=at(8, 17),
        launch_span=at(50, 3),
        configuration="<<<(n + 255) / 256, 256>>>",
        outcome=outcome,
        findings=findings,
        open_pairs=opened,
        assumptions=(GUARD, DISTINCT) if outcome is Outcome.SAFE else (),
        notes=("one array is never read",) if outcome is Outcome.SAFE else (),
        accesses=6,
        pairs=9,
        discharged=9 - len(findings) - len(opened),
        seconds=0.25,
        proofs=(Proof(STORE, STORE, ()), Proof(STORE, LOAD, (GUARD,))) if outcome is Outcome.SAFE else (),
    )


def kernel(
    name: str, outcome: Outcome, findings: tuple[Finding, ...] = (), opened: tuple[OpenPair, ...] = ()
) -> KernelReport:
    return KernelReport(name, at(8, 17), outcome, (launch(name, outcome, findings, opened),), findings)


DIVERGENT = Divergence(
    rule=DivergenceRule.DIVERGENT,
    span=at(20, 5),
    scope="block",
    how="branch",
    parted=at(18, 10),
    confidence=Confidence.CONFIRMED,
    witness=BarrierWitness(
        block_dim=(8, 1, 1),
        grid_dim=(2, 1, 1),
        inputs=(("n", 9),),
        contents=(),
        iterations=(("r", 3), ("offset", 0)),
        first=BarrierThread((1, 0, 0), (0, 0, 0), (("x", 4),)),
        second=BarrierThread((0, 0, 0), (0, 0, 0), ()),
    ),
    facts=(GUARD,),
    method="launch",
    replay=CONFIRMED,
)
LEFT = Divergence(
    rule=DivergenceRule.EXITED,
    span=at(20, 5),
    scope="block",
    how="exit",
    parted=at(18, 10),
    confidence=Confidence.DATA_DEPENDENT,
    witness=BarrierWitness(
        block_dim=(8, 1, 1),
        grid_dim=(2, 1, 1),
        inputs=(),
        contents=(("index[0]", 5),),
        iterations=(),
        first=BarrierThread((1, 0, 0), (0, 0, 0), ()),
        second=BarrierThread((0, 0, 0), (0, 0, 0), ()),
    ),
    facts=(),
    replay="not replayed: the barrier in line 20 was not reached",
)
MASKED = Divergence(
    rule=DivergenceRule.MASK,
    span=at(20, 5),
    scope="warp",
    how="mask",
    parted=at(20, 5),
    confidence=Confidence.DEFINITE,
    witness=BarrierWitness(
        block_dim=(32, 1, 1),
        grid_dim=(1, 1, 1),
        inputs=(),
        contents=(),
        iterations=(),
        first=BarrierThread((16, 0, 0), (0, 0, 0), ()),
        second=None,
    ),
    facts=(),
)
OPEN_BARRIER = OpenBarrier(at(20, 5), "grid", "the time limit was reached")


def at_barriers(name: str, found: tuple[Divergence, ...], opened: tuple[OpenBarrier, ...] = ()) -> KernelReport:
    only = replace(launch(name, Outcome.SAFE, (), ()), divergences=found, open_barriers=opened)
    return KernelReport(name, at(8, 17), Outcome.SAFE, (only,), (), found)


BARRIERS = at_barriers("scan", (DIVERGENT, LEFT, MASKED), (OPEN_BARRIER,))
RACY = kernel("reduce", Outcome.RACE, (TREE,))
SAFE = kernel("copy", Outcome.SAFE)
BENIGN = kernel("mark", Outcome.SAFE, (SAME_VALUE,))
DOUBTFUL = kernel("count", Outcome.RACE, (CONDITIONAL,))
UNKNOWN = kernel("scatter", Outcome.UNKNOWN, (), (OPEN, NOT_UNDERSTOOD))


def report(*kernels: KernelReport) -> Report:
    return Report(("sum.cu",), kernels, (Message(at(1, 10), "sum.h: not found", False),), 1.5)
