"""One schedule tells whether a kernel is correct under all of them.

Collingbourne, Donaldson, Ketema and Qadeer, "Interleaving and Lock-Step Semantics for Analysis and Verification
of GPU Kernels" (ESOP 2013): where no run races or diverges, all runs do the same; where one does, so does the
first that is looked at.  This is what makes a single run in lock-step enough.
"""

import pytest

from hgrd.program.program import Program
from hgrd.simulate.interleaving.execution import Execution
from hgrd.simulate.interleaving.exploration import every_schedule
from tests.checking import parse
from tests.simulate.dynamic import ints, launch, model_of
from tests.simulate.random_kernels import CELLS, COUNT, SOURCE, THREADS, races_of


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return parse(tmp_path_factory.mktemp("schedules"), SOURCE)


def test_one_schedule_decides(program: Program):
    sorts: list[tuple[bool, bool]] = []
    for number in range(COUNT):
        a = ints(CELLS + 1)
        launched = launch(program, 1, THREADS, a, kernel=f"k{number}")
        start = lambda launched=launched: Execution(launched, model_of(launched))  # noqa: E731
        verdicts: set[bool] = set()
        results: list[list[int]] = []
        for execution in every_schedule(start, most=20):
            assert execution.fault == ""
            races = races_of(execution.observer, execution.sites)
            if not verdicts:
                sorts.append((bool(races), bool(execution.divergences)))
            verdicts.add(not races and not execution.divergences)
            results.append(execution.contents(a).tolist())
        assert len(verdicts) == 1, number
        if verdicts == {True}:
            assert len(results) == 1, number
    assert set(sorts) == {(False, False), (False, True), (True, False), (True, True)}
    assert sorts.count((False, False)) > COUNT // 5
