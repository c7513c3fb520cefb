"""The executor against the interleaving interpreter: random kernels without races leave the same memory."""

from random import Random

import numpy as np
import pytest

from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.simulate.execute import prepare
from hgrd.simulate.interleaving.execution import Execution, Launched, at_random
from hgrd.simulate.launch import Finished
from tests.checking import parse
from tests.simulate.running import launch

KERNELS = 40
THREADS, BLOCKS = 6, 2
TYPES = ("int", "unsigned", "long long", "unsigned char", "short", "unsigned long long")


class Writer:
    """Writes a kernel in which every thread has cells of its own, and barriers where all threads come by."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = {"t": "int", "b": "int"}
        self.made = 0

    def kernel(self, name: str) -> str:
        body = " ".join(self.statement(3, uniform=True) for _ in range(4))
        ends = " ".join(f"out[i * 4 + {k}] ^= (unsigned)({self.value(2)});" for k in range(4))
        return f"""
        __global__ void {name}(unsigned *out, const int *in) {{
          __shared__ unsigned s[{THREADS}];
          int t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t, local[4] = {{1, t, 3, b}};
          s[t] = t;
          {body}
          {ends}
        }}"""

    def statements(self, depth: int, *, uniform: bool) -> str:
        outer = dict(self.names)
        text = " ".join(self.statement(depth, uniform=uniform) for _ in range(self.random.randint(1, 3)))
        self.names = outer
        return text

    def statement(self, depth: int, *, uniform: bool) -> str:
        choices = ["declare", "assign", "array", "shared"]
        choices += ["if", "for", "while", "switch"] if depth else []
        match self.random.choice(choices):
            case "declare":
                type_, value, name = self.random.choice(TYPES), self.value(2), self.fresh()
                self.names[name] = type_
                return f"{type_} {name} = {value};"
            case "assign":
                own = [n for n in self.names if n not in ("t", "b")]
                if not own:
                    return f"out[i * 4] += {self.value(2)};"
                op = self.random.choice(("=", "+=", "-=", "*=", "^=", "|="))
                return f"{self.random.choice(own)} {op} {self.value(2)};"
            case "array":
                return f"local[({self.value(1)}) & 3] {self.random.choice(('=', '+='))} {self.value(2)};"
            case "shared":
                if not uniform:
                    return f"s[t] += {self.value(2)};"
                return (
                    f"s[t] = {self.value(2)}; __syncthreads(); "
                    f"local[1] ^= s[(t + {self.random.randint(1, 5)}) % {THREADS}]; __syncthreads();"
                )
            case "if":
                then, other = (self.statements(depth - 1, uniform=False) for _ in range(2))
                return f"if ({self.value(2)} > {self.random.randint(-9, 9)}) {{ {then} }} else {{ {other} }}"
            case "for":
                j, shared = self.fresh(), uniform and self.random.random() < 0.5
                count = str(self.random.randint(1, 4)) if shared else "(t & 3) + 1"
                leave = "" if shared else f"if ({self.value(1)} == {j}) {self.random.choice(('break', 'continue'))};"
                self.names[j] = "int"
                body = self.statements(depth - 1, uniform=shared)
                del self.names[j]
                guard = f"{j}_"
                return f"for (int {guard} = 0; {guard} < {count}; ++{guard}) {{ int {j} = {guard}; {leave} {body} }}"
            case "while":
                j = self.fresh()
                body = self.statements(depth - 1, uniform=False)
                return f"{{ int {j}_ = (t + b) % 4; do {{ {body} }} while ({j}_-- > 0); }}"
            case _:
                cases = " ".join(
                    f"case {k}: {{ {self.statements(depth - 1, uniform=False)} }} {self.random.choice(('break;', ''))}"
                    for k in range(3)
                )
                return f"switch ((t + {self.random.randint(0, 3)}) & 3) {{ {cases} default: local[2]++; }}"

    def fresh(self) -> str:
        self.made += 1
        return f"v{self.made}"

    def value(self, depth: int) -> str:
        """An expression of any integer type with a defined value."""
        if depth == 0 or self.random.random() < 0.15:
            leaves = [*self.names, str(self.random.randint(0, 300)), "local[t & 3]", "(unsigned)s[t]", "in[i]"]
            return self.random.choice(leaves)
        a, b = self.value(depth - 1), self.value(depth - 1)
        u, v = f"(unsigned)({a})", f"(unsigned)({b})"
        return self.random.choice(
            (
                f"({u} + {v})",
                f"({u} - {v})",
                f"({u} * {v})",
                f"({u} / ({v} | 1u))",
                f"((short)({a}) % ((signed char)({b}) | 1))",
                f"((short)({a}) / ((short)({b}) | 1))",
                f"({u} << ({v} & 31))",
                f"((int){u} >> ({v} & 31))",
                f"({a} < {b})",
                f"({a} == {b} ? {a} : {b})",
                f"({a} > 3 && local[({b}) & 3] > 1)",
                f"({a} || in[i])",
                f"(~{u} ^ {v})",
                f"(unsigned char)({a})",
                f"min((int){u}, (int){v})",
                f"__popc({u})",
                f"((long long)(int){u} * (int){v} >> 7)",
            )
        )


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    text = "\n".join(Writer(seed).kernel(f"k{seed}") for seed in range(KERNELS))
    return parse(tmp_path_factory.mktemp("random"), text)


@pytest.mark.parametrize("seed", range(KERNELS))
def test_random_kernels_leave_the_same_memory(program: Program, seed: int):
    (kernel,) = [k for k in program.kernels() if k.ref.name == f"k{seed}"]
    given = np.random.default_rng(seed).integers(-50, 50, THREADS * BLOCKS, dtype=np.int32)
    out = np.zeros(4 * THREADS * BLOCKS, np.uint32)
    found = out.copy()
    outcome = launch(prepare(link((program,)), kernel), BLOCKS, THREADS, found, given)
    assert isinstance(outcome, Finished), outcome
    launched = Launched(program, kernel, (BLOCKS, 1, 1), (THREADS, 1, 1), (out, given))
    execution = Execution(launched).run(at_random(seed))
    assert (execution.fault, execution.divergences) == ("", [])
    assert found.tolist() == execution.contents(out).tolist()
