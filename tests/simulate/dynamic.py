"""What tests of the dynamic detectors share: kernels run on tiny launches, and findings in words.

A race is said as in tests/checking.py: "KIND LABEL, KIND LABEL; SPACE; LEVELS", where a label is the comment
at the end of the access's line; two writes of the same value have " (same value)" behind.
"""

import re
from pathlib import Path

import numpy as np

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.program.program import Program
from hgrd.program.span import Span
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.interleaving.execution import Argument, Execution, Launched, Schedule, one_after_another
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Observer, Silent, Sites, Touch, TraceSite
from tests.checking import parse

_LABEL = re.compile(r"//\s*(\w+)\s*$")
WORDS = {Level.INTRA_WARP: "warp", Level.INTRA_BLOCK: "block", Level.INTER_BLOCK: "grid"}


def launch(
    program: Program, grid: int, block: int, *arguments: Argument, kernel: str = "", shared: int = 0
) -> Launched:
    """A kernel (the only one, if no name is given) on a row of blocks, each a row of threads."""
    (chosen,) = [k for k in program.kernels() if kernel in ("", k.ref.name)]
    return Launched(program, chosen, (grid, 1, 1), (block, 1, 1), arguments, shared)


def model_of(launched: Launched) -> AccessModel:
    return AccessModel(LaunchShape(launched.threads_per_block, launched.blocks))


def ran(launched: Launched, observer: Observer | None = None, schedule: Schedule = one_after_another) -> Execution:
    execution = Execution(launched, observer or Silent()).run(schedule)
    assert execution.fault == ""
    return execution


def races_in(folder: Path, text: str, grid: int, block: int, *arguments: Argument, shared: int = 0) -> list[str]:
    """The races of a kernel at a launch, in words."""
    launched = launch(parse(folder, text), grid, block, *arguments, shared=shared)
    model = model_of(launched)
    execution = ran(launched, model)
    assert execution.divergences == [] and model.divergences == ()
    return in_words(model, execution.sites, text)


def in_words(model: AccessModel, sites: Sites, text: str = "") -> list[str]:
    names = {n: match[1] for n, line in enumerate(text.splitlines(), 1) if (match := _LABEL.search(line))}

    def word(number: int) -> str:
        site = sites.sites[number]
        return f"{site.kind.value} {names.get(site.span.line, site.span.line)}"

    return sorted(
        f"{', '.join(sorted((word(race.first), word(race.second))))}; {race.space.value}; "
        + " ".join(WORDS[level] for level in race.levels)
        + (" (same value)" if race.same_value else "")
        for race in model.races()
    )


def ints(count: int) -> np.ndarray:
    return np.zeros(count, np.int32)


# ---------------------------------------------------------------- traces made by hand


class Hand:
    """Makes events: `read`, `write` and `atomic` by a line, `threads` and `offsets` as lists.

    Sites are on the lines given; every line has one object of global memory unless said otherwise.
    """

    def __init__(self, threads_per_block: int, blocks: int = 1, observer: Observer | None = None) -> None:
        self.model = AccessModel(LaunchShape(threads_per_block, blocks))
        self.observers: list[Observer] = [self.model, *([observer] if observer else [])]
        self.sites = Sites()

    def touch(
        self,
        kind: AccessKind,
        line: int,
        threads: list[int],
        offsets: list[int],
        *,
        size: int = 4,
        memory: int = 1,
        space: Space = Space.GLOBAL,
        scope: Scope | None = None,
        order: MemoryOrder = MemoryOrder.PLAIN,
        values: list[int] | None = None,
    ) -> None:
        site = self.sites.number(TraceSite(Span("trace", line, 1), kind, scope, order is MemoryOrder.VOLATILE, ""))
        data = None if values is None else np.array(values, f"u{size}")
        event = Touch(
            site,
            memory,
            space,
            np.array(threads, np.int64),
            np.array(offsets, np.int64),
            size,
            kind,
            scope,
            order,
            data,
        )
        for observer in self.observers:
            observer.touch(event)

    def read(self, line: int, threads: list[int], offsets: list[int], **how: object) -> None:
        self.touch(AccessKind.READ, line, threads, offsets, **how)

    def write(self, line: int, threads: list[int], offsets: list[int], **how: object) -> None:
        self.touch(AccessKind.WRITE, line, threads, offsets, **how)

    def atomic(self, line: int, threads: list[int], offsets: list[int], **how: object) -> None:
        self.touch(
            AccessKind.ATOMIC, line, threads, offsets, **{"scope": Scope.DEVICE, "order": MemoryOrder.RELAXED, **how}
        )

    def arrive(self, scope: Scope, threads: list[int], line: int = 0) -> None:
        for observer in self.observers:
            observer.arrive(Arrive(scope, np.array(threads), Span("trace", line, 1)))

    def fence(
        self, threads: list[int], scope: Scope = Scope.DEVICE, order: StdMemoryOrder = StdMemoryOrder.SEQ_CST
    ) -> None:
        for observer in self.observers:
            observer.fenced(Fenced(scope, np.array(threads), Span("trace", 0, 1), order))

    def races(self) -> list[str]:
        return in_words(self.model, self.sites)
