"""What tests of the simulator share: run a kernel of a source text on numpy arrays."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hgrd.program.linked import link
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Finished, RunOutcome
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.trace import Observer
from tests.checking import parse


def compiled(folder: Path, text: str, name: str | None = None) -> Executable:
    """The kernel of that name, or the only one."""
    program = parse(folder, text)
    kernels = [k for k in program.kernels() if name in (None, k.ref.name)]
    assert len(kernels) == 1
    return prepare(link((program,)), kernels[0])


def launch(
    kernel: Executable,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    *arguments: object,
    shared: int = 0,
    memory: Memory | None = None,
    observer: Observer | None = None,
    **options: object,
) -> RunOutcome:
    """Runs it; arrays are passed by address and changed in place, scalars and bytes by value."""
    memory = Memory() if memory is None else memory
    given = tuple(
        int(memory.allocate(f"argument {i}", a)) if isinstance(a, np.ndarray) else a for i, a in enumerate(arguments)
    )
    return execute(kernel, ConcreteLaunch(extent(grid), extent(block), given, shared), memory, observer, **options)


def extent(given: int | tuple[int, ...]) -> tuple[int, int, int]:
    sizes: Sequence[int] = (given,) if isinstance(given, int) else given
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def run(folder: Path, text: str, grid: object, block: object, *arguments: object, **options: object) -> None:
    """Runs the only kernel of a text to its end."""
    outcome = launch(compiled(folder, text), grid, block, *arguments, **options)
    assert isinstance(outcome, Finished), outcome
