"""Random kernels for a few threads, many of them without a race or divergence.

They have loops with different bounds in each thread, barriers under any condition, breaks and returns, and
control flow that depends on what other threads have written.
"""

from collections.abc import Callable
from random import Random

from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.trace import Sites
from tests.simulate.dynamic import WORDS

COUNT, THREADS, CELLS = 150, 3, 4


def random_kernel(number: int) -> str:
    return "\n".join(
        [f"__global__ void k{number}(int *a) {{", "  int t = threadIdx.x, x = t;", *_Maker(number).body(1), "}"]
    )


class _Maker:
    """Statements at random; half of the kernels use mostly cells of their own, so that many are correct."""

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        self.own = 0.92 if number % 2 else 0.5
        self.loops = 0
        self.uniform = number % 3 > 0

    def body(self, depth: int, in_loop: bool = False) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(depth, in_loop)
        return ["  " * depth + line if not line.startswith(" ") else line for line in lines]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        random, simple = self.random, self.simple
        if depth > 2 or random.random() < 0.6:
            leave = (
                [lambda: [f"if ({self.condition()}) {random.choice(('break', 'continue', 'return'))};"]]
                if in_loop
                else []
            )
            choices: list[Callable[[], list[str]]] = [simple, simple, simple, lambda: ["__syncthreads();"], *leave]
            return random.choice(choices)()
        if random.random() < 0.5:
            otherwise = ["} else {", *self.body(depth + 1, in_loop)] if random.random() < 0.4 else []
            return [f"if ({self.condition()}) {{", *self.body(depth + 1, in_loop), *otherwise, "}"]
        self.loops += 1
        i, bound = f"i{self.loops}", random.choice(("2", "2", "t", "1 + (t & 1)"))
        if self.uniform:
            bound = "2"
        return [f"for (int {i} = 0; {i} < {bound}; {i}++) {{", *self.body(depth + 1, True), "}"]

    def simple(self) -> list[str]:
        cell = self.cell()
        return [self.random.choice((f"{cell} = x + 1;", f"x = {cell};", f"{cell} += 2;", f"x += {cell};", "x++;"))]

    def cell(self) -> str:
        if self.random.random() < self.own:
            return self.random.choice(("a[t]", "a[t]", f"a[{CELLS} - 1 - t]", f"a[(t + 1) % {THREADS}]"))
        return f"a[{self.random.randrange(CELLS)}]"

    def condition(self) -> str:
        if self.uniform and self.random.random() < 0.8:
            return self.random.choice(("blockDim.x > 2", "gridDim.x > 2"))
        return self.random.choice(("t == 0", "t < 2", "x > 2", "(x & 1) == 0", f"a[{CELLS}] == 0"))


SOURCE = "\n".join(random_kernel(n) for n in range(COUNT))


def races_of(model: AccessModel, sites: Sites) -> list[str]:
    """The races by position, so that they can be compared from run to run."""
    ends = lambda *numbers: sorted(f"{sites.sites[n].span} {sites.sites[n].kind.value}" for n in numbers)  # noqa: E731
    return sorted(f"{ends(r.first, r.second)} {[WORDS[x] for x in r.levels]} {r.same_value}" for r in model.races())
