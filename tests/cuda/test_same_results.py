"""Every device function of numbers that both executors compute gives the same results in both, one call at a time.

The calls are made from the headers' declarations, with arguments at which functions are likely to differ.  Where the
analysis computes exactly what a function gives, it is what they give.
"""

import re
from functools import cache
from itertools import product

import numpy as np
import pytest

from hgrd.cuda.builtins import Kind, builtin
from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.simulate.execute import Executable, prepare
from hgrd.simulate.interleaving.execution import Execution
from hgrd.simulate.launch import Finished
from tests.checking import parse
from tests.cuda.test_vocabulary import preprocessed
from tests.simulate import dynamic
from tests.simulate.running import launch

SCALARS = {
    "int": np.int32, "unsigned": np.uint32, "unsigned int": np.uint32, "long long": np.int64, "bool": np.bool_,
    "unsigned long long": np.uint64, "float": np.float32, "double": np.float64, "long": np.int64,
    "unsigned long": np.uint64,
}  # fmt: skip
_DECLARED = re.compile(r"(?P<result>[\w ]+?)\s*(?P<name>\b\w+)\((?P<parameters>[^()]*)\)$")
_ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|\b(?:extern|static|inline|__inline__)\b|\"C\"")

LEFT_OUT = ("float2int", "float2uint", "int2float", "uint2float", "__hgrd_stated")  # `cuda.gaps` says why
LIBRARY = """
float sqrtf(float); float expf(float); float logf(float); float powf(float, float); float fmodf(float, float);
double floor(double); double trunc(double); double round(double); double rint(double); double fmax(double, double);
double copysign(double, double); double fdim(double, double); double remainder(double, double); double cbrt(double);
double atan2(double, double); double hypot(double, double); double erf(double); double log1p(double); int abs(int);
float modff(float, float *); float frexpf(float, int *); float remquof(float, float, int *);
double modf(double, double *);
int __builtin_clz(unsigned); int __builtin_ctz(unsigned); int __builtin_popcount(unsigned); int __builtin_ffs(int);
int __builtin_clzll(unsigned long long); int __builtin_popcountll(unsigned long long); int __builtin_parity(unsigned);
unsigned __builtin_bswap32(unsigned); unsigned long long __builtin_bswap64(unsigned long long);
"""


class Signature:
    """Declaration of a function of numbers; `pointers` are the numbers of its parameters that results go to."""

    def __init__(self, result: str, name: str, parameters: tuple[str, ...]) -> None:
        self.result, self.name, self.parameters = result, name, parameters

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def values(self) -> list[str]:
        return [p for p in self.parameters if not p.endswith("*")]


@cache
def signatures() -> tuple[Signature, ...]:
    """Declarations in the headers, and of some functions of the C library and the compiler, of numbers alone."""
    pieces = [p for p in re.split(r"[;{}]", preprocessed()) if "__attribute__((device))" in p and "template" not in p]
    found: dict[str, Signature] = {}
    library = LIBRARY.split(";")
    for piece in [*pieces, *library]:
        first, *others = re.split(r"(?<=\)),", " ".join(_ATTRIBUTE.sub(" ", piece).split()))
        head = _DECLARED.match(first.strip())
        for text in (first, *(f"{head['result']} {other}" for other in others if head is not None)):
            made = _signature(" ".join(text.split()))
            if made is not None and (piece in library or builtin(made.name) is not None):
                found[str(made)] = made
    return tuple(found.values())


def _signature(text: str) -> Signature | None:
    match = _DECLARED.match(text)
    row = builtin(match["name"]) if match is not None else None
    if match is None or match["result"].strip() not in (*SCALARS, "void"):
        return None
    if row is not None and (row.kind not in (Kind.NUMBER, Kind.NUMBERS) or match["name"] in LEFT_OUT):
        return None
    parameters = tuple(_type(p) for p in match["parameters"].split(",") if p.strip())
    known = all(p.removesuffix("*").strip() in SCALARS for p in parameters)
    pointers = [i for i, p in enumerate(parameters) if p.endswith("*")]
    if not known or not parameters or tuple(pointers) != (() if row is None else row.writes):
        return None
    return Signature(match["result"].strip(), match["name"], parameters)


def _type(parameter: str) -> str:
    """The type of a parameter, without its name and default."""
    words = parameter.partition("=")[0].replace("*", " * ").split()
    if len(words) > 1 and words[-1] not in ("int", "long", "float", "double", "bool", "unsigned", "*"):
        words.pop()
    return " ".join(words).replace(" *", "*").replace("* ", "*")


INTEGERS = (0, 1, -1, 2, 7, 31, 0x7FFFFFFF, -(1 << 31), 0x12345678, 0x80FF7F01, 0x00018001, 3)
REALS = (0.0, 1.0, -1.0, 0.5, 2.0, 0.1, -0.75, 3.7, 12.5, -5.5, 0.999, 1e-3)
THREADS = 64


def arguments(types: list[str], seed: int) -> list[np.ndarray]:
    """Values of each type, one a thread: all tuples of the first of them, as far as there are threads, then others."""
    kinds = [REALS if t in ("float", "double") else INTEGERS for t in types]
    chosen = list(product(*[k[:4] for k in kinds]))[: THREADS // 2]
    picks = np.random.default_rng(seed)
    while len(chosen) < THREADS:
        chosen.append(tuple(k[picks.integers(len(k))] for k in kinds))
    return [np.array(column).astype(SCALARS[t]) for t, column in zip(types, zip(*chosen, strict=True), strict=True)]


def kernel(number: int, one: Signature) -> str:
    """A kernel that calls the function in each thread, with values from arrays, and stores all results."""
    values = [f"const {t} *v{i}" for i, t in enumerate(one.values)]
    stored = [p.removesuffix("*").strip() for p in one.parameters if p.endswith("*")]
    given, value, place = list[str](), 0, 0
    for parameter in one.parameters:
        given.append(f"&o{place}" if parameter.endswith("*") else f"v{value}[t]")
        place, value = place + parameter.endswith("*"), value + (not parameter.endswith("*"))
    declare = " ".join(f"{t} o{i};" for i, t in enumerate(stored))
    call = f"{one.name}({', '.join(given)})"
    first = f"{call};" if one.result == "void" else f"out[t] = {call};"
    others = " ".join(f"out[{THREADS * (i + 1)} + t] = o{i};" for i in range(len(stored)))
    body = f"int t = threadIdx.x; {declare} {first} {others}"
    return f"__global__ void k{number}(double *out, {', '.join(values)}) {{ {body} }}"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    text = "\n".join(kernel(i, one) for i, one in enumerate(signatures()))
    return parse(tmp_path_factory.mktemp("results"), f"#include <math.h>\n{text}")


def test_there_are_functions_of_all_sorts():
    names = {one.name for one in signatures()}
    assert {"__popc", "__vadd4", "__viaddmax_s32", "__dp4a", "__fmaf_rd", "erfinv", "sincospif", "sqrtf"} <= names
    assert len(names) > 300


@pytest.mark.parametrize("number", range(len(signatures())), ids=lambda n: str(signatures()[n]))
def test_both_executors_give_the_same(program: Program, number: int):
    one = signatures()[number]
    values = arguments(one.values, number)
    ours, theirs = by_executor(program, number, values), by_interpreter(program, number, values)
    if one.result in ("float", "double") or "float*" in one.parameters:
        digits = 1e-5 if "float" in (one.result, *one.values) else 1e-12
        assert np.allclose(ours, theirs, rtol=digits, atol=digits, equal_nan=True), differing(values, ours, theirs)
    else:
        assert np.array_equal(ours, theirs), differing(values, ours, theirs)


def by_executor(program: Program, number: int, values: list[np.ndarray]) -> np.ndarray:
    out = np.zeros(3 * THREADS)
    outcome = launch(prepared(program, number), 1, THREADS, out, *[v.copy() for v in values])
    assert isinstance(outcome, Finished), outcome
    return out


def prepared(program: Program, number: int) -> Executable:
    (found,) = [k for k in program.kernels() if k.ref.name == f"k{number}"]
    return prepare(link((program,)), found)


def by_interpreter(program: Program, number: int, values: list[np.ndarray]) -> np.ndarray:
    out = np.zeros(3 * THREADS)
    launched = dynamic.launch(program, 1, THREADS, out, *values, kernel=f"k{number}")
    execution: Execution = dynamic.ran(launched)
    return execution.contents(out)


def differing(values: list[np.ndarray], ours: np.ndarray, theirs: np.ndarray) -> list[tuple[object, ...]]:
    """The arguments and the two results of threads that differ."""
    where = [t for t in range(3 * THREADS) if not np.isclose(ours[t], theirs[t], rtol=1e-5, equal_nan=True)]
    return [(*[v[t % THREADS] for v in values], ours[t], theirs[t]) for t in where][:5]
