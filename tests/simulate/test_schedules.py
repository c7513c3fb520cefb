"""Schedules: the reduced search sees every result that any schedule has, and finds what needs a particular one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from hgrd.program.program import Program
from hgrd.simulate.interleaving.execution import Execution
from hgrd.simulate.interleaving.exploration import every_schedule
from tests.checking import parse
from tests.simulate.dynamic import in_words, ints, launch, model_of

COUNT, THREADS, CELLS, MOST = 40, 3, 3, 150


def threads_of(number: int) -> int:
    return 3 if number % 4 == 0 else 2


def random_kernel(number: int) -> str:
    """Two or three threads, each with statements of its own, and barriers of all."""
    random = Random(number)
    cell = lambda: f"a[{random.randrange(CELLS)}]"  # noqa: E731
    choices: list[Callable[[], str]] = [
        lambda: f"{cell()} = {random.randrange(1, 9)};",
        lambda: f"{cell()} += {random.randrange(1, 9)};",
        lambda: f"x = {cell()}; {cell()} = x + 1;",
        lambda: f"x += {cell()};",
        lambda: f"x += atomicAdd(&{cell()}, 2);",
        lambda: f"if ({cell()} == 0) {cell()} = x;",
        lambda: "atomicCAS(&a[0], 0, x + 5);",
    ]
    lines = [f"__global__ void k{number}(int *a) {{", "  int x = 0, t = threadIdx.x;"]
    for _ in range(random.randrange(1, 3)):
        lines += [f"  if (t == {t}) {{ {random.choice(choices)()} }}" for t in range(threads_of(number))]
        lines += random.choices(["  __syncthreads();", ""])
    return "\n".join([*lines, f"  a[{CELLS} + t] = x;", "}"])


SOURCE = "\n".join(random_kernel(n) for n in range(COUNT))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return parse(tmp_path_factory.mktemp("schedules"), SOURCE)


def all_runs(start: Callable[[], Execution], most: int) -> Iterator[Execution]:
    """Every schedule, without any reduction; nothing if there are more than `most`."""
    waiting: list[list[int]] = [[]]
    runs: list[Execution] = []
    while waiting:
        prefix = waiting.pop()
        execution = start()
        for thread in prefix:
            execution.step(thread)
        while ready := execution.ready():
            waiting += [[*prefix, other] for other in ready[1:]]
            prefix = [*prefix, ready[0]]
            execution.step(ready[0])
        runs.append(execution)
        if len(runs) > most:
            return
    yield from runs


def test_the_reduced_search_misses_no_result(program: Program):
    results: list[int] = []
    for number in range(COUNT):
        a = ints(CELLS + THREADS)
        launched = launch(program, 1, threads_of(number), a, kernel=f"k{number}")
        start = lambda launched=launched: Execution(launched)  # noqa: E731
        brute = [tuple(e.contents(a).tolist()) for e in all_runs(start, MOST)]
        reduced = [tuple(e.contents(a).tolist()) for e in every_schedule(start)]
        if brute:
            results.append(len(set(brute)))
            assert set(reduced) == set(brute), number
            assert len(reduced) <= len(brute), number
    assert len(results) >= COUNT // 2 and sum(n > 1 for n in results) >= COUNT // 4


@pytest.mark.parametrize(
    ("statement", "runs", "results"),
    [
        ("a[t] = t; a[t] += 1;", 1, 1),
        ("a[0] += 1;", 4, 2),
        ("atomicAdd(&a[0], 1);", 2, 1),
        ("a[t] = 1; __syncthreads(); a[2 + t] = a[1 - t];", 1, 1),
        ("if (t) { a[0] = 1; a[2] = a[1]; } else { a[1] = 1; a[3] = a[0]; }", 3, 3),
    ],
)
def test_how_many_schedules_represent_all(tmp_path: Path, statement: str, runs: int, results: int):
    program = parse(tmp_path, f"__global__ void k(int *a) {{ int t = threadIdx.x; {statement} }}")
    a = ints(4)
    launched = launch(program, 1, 2, a)
    found = [tuple(e.contents(a).tolist()) for e in every_schedule(lambda: Execution(launched))]
    assert (len(found), len(set(found))) == (runs, results)


HIDDEN = """
__global__ void k(int *a) {
  if (threadIdx.x == 0) {
    atomicExch(&a[0], 1);
    atomicExch(&a[0], 0);
  } else {
    if (atomicAdd(&a[0], 0) == 1) a[1] = threadIdx.x;  // rare
  }
}
"""


def test_a_race_that_only_some_schedules_have(tmp_path: Path):
    launched = launch(parse(tmp_path, HIDDEN), 1, 3, ints(2))
    runs = every_schedule(lambda: Execution(launched, model_of(launched)))
    found = [tuple(in_words(execution.observer, execution.sites, HIDDEN)) for execution in runs]
    assert set(found) == {(), ("write rare, write rare; global; warp",)}
    assert found[0] == ()


def test_the_number_of_runs_is_limited(tmp_path: Path):
    program = parse(tmp_path, "__global__ void k(int *a) { for (int i = 0; i < 5; i++) a[0] += 1; }")
    launched = launch(program, 1, 3, ints(1))
    assert len(list(every_schedule(lambda: Execution(launched), most=7))) <= 7
