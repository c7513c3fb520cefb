"""Random kernels: the races of a run are those that an independent oracle finds, and do not depend on the schedule."""

import pytest

from hgrd.program.program import Program
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.interleaving.execution import Execution, Schedule, at_random, one_after_another
from tests.checking import parse
from tests.random_kernels.computed import BLOCKS, CELLS, THREADS, N, in_order, races
from tests.random_kernels.test_random_kernels import KERNELS, SOURCE, lines_of
from tests.simulate.dynamic import WORDS, ints, launch, model_of, ran

NAMES = sorted(KERNELS)[:30]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return parse(tmp_path_factory.mktemp("generated"), SOURCE)


def run(program: Program, name: str, schedule: Schedule) -> tuple[AccessModel, Execution]:
    shared = KERNELS[name].shared
    arguments = (N,) if shared else (N, ints(CELLS))
    launched = launch(program, 1 if shared else BLOCKS, THREADS, *arguments, kernel=name)
    model = model_of(launched)
    return model, ran(launched, model, schedule)


def found(name: str, model: AccessModel, execution: Execution) -> dict[tuple[int, int], set[str]]:
    """The levels at which accesses (by number) race."""
    lines = lines_of(name)
    assert len(lines) == len(list(in_order(KERNELS[name].body)))
    numbers = {line: number for number, line in enumerate(lines)}
    levels: dict[tuple[int, int], set[str]] = {}
    for race in model.races():
        ends = [numbers[execution.sites.sites[site].span.line] for site in (race.first, race.second)]
        levels.setdefault((min(ends), max(ends)), set()).update(WORDS[level] for level in race.levels)
    return levels


@pytest.mark.parametrize("name", NAMES)
def test_the_races_of_a_run(program: Program, name: str):
    assert found(name, *run(program, name, one_after_another)) == races(KERNELS[name])


@pytest.mark.parametrize("name", NAMES[:6])
def test_under_any_schedule(program: Program, name: str):
    assert found(name, *run(program, name, at_random(7))) == races(KERNELS[name])
