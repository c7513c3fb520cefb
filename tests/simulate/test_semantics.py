"""The operators of C, one thread each; expected values by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.simulate.execute import prepare
from hgrd.simulate.launch import Finished
from tests.checking import parse
from tests.simulate.running import launch, run

INT_MIN = -(1 << 31)

# expression of `int a, b`, a, b, value
INTEGERS = [
    ("a + b", 2147483647, 1, INT_MIN),
    ("a - b", INT_MIN, 1, 2147483647),
    ("a * b", 65536, 65537, 65536),
    ("a / b", -7, 2, -3),
    ("a / b", 7, -2, -3),
    ("a / b", -8, -2, 4),
    ("a / b", -1, 2, 0),
    ("a % b", -7, 2, -1),
    ("a % b", 7, -2, 1),
    ("a % b", 8, 3, 2),
    ("a >> b", -8, 1, -4),
    ("a << b", 3, 30, -1073741824),
    ("(int)((unsigned)a >> b)", -1, 28, 15),
    ("a & b", 12, 10, 8),
    ("a | b", 12, 10, 14),
    ("a ^ b", 12, 10, 6),
    ("~a", 5, 0, -6),
    ("-a", INT_MIN, 0, INT_MIN),
    ("!a", 0, 0, 1),
    ("a < b", -1, 1, 1),
    ("(unsigned)a < (unsigned)b", -1, 1, 0),
    ("(signed char)a", 200, 0, -56),
    ("(unsigned char)a", -1, 0, 255),
    ("(short)a", 40000, 0, -25536),
    ("(unsigned short)(a + b)", 65535, 2, 1),
    ("(bool)a", 256, 0, 1),
    ("(int)((long long)a * b >> 32)", 1 << 30, 8, 2),
    ("a && b", 3, 0, 0),
    ("a || b", 0, 4, 1),
    ("a ? b : -1", 0, 4, -1),
    ("(a++, a * b)", 3, 4, 16),
    ("(a += b) + a", 3, 4, 14),
    ("a-- + a", 3, 0, 5),
    ("(a <<= 2) | (b >>= 1)", 3, 4, 14),
    ("min(a, b)", -3, 4, -3),
    ("max(a, b)", -3, 4, 4),
    ("abs(a)", -3, 4, 3),
    ("__popc(a)", -1, 0, 32),
    ("__clz(a)", 1, 0, 31),
    ("__clz(a)", 0, 0, 32),
    ("__ffs(a)", 8, 0, 4),
    ("__ffs(a)", 0, 0, 0),
    ("__brev(a)", 1, 0, INT_MIN),
    ("__mulhi(a, b)", -(1 << 30), 8, -2),
    ("__umulhi(a, b)", -1, 2, 1),
    ("__mul24(a, b)", 0x1000003, 5, 15),
    ("__byte_perm(a, b, 0x5140)", 0x03020100, 0x13121110, 0x11011000),
    ("__float_as_int(1.0f)", 0, 0, 0x3F800000),
    ("(int)3.99f", 0, 0, 3),
    ("(int)(a * -0.5f)", 5, 0, -2),
    ("(int)(a * 1e9f)", 5, 0, 2147483647),
    ("(int)(a * -1e9f)", 5, 0, INT_MIN),
    ("(int)(0.0f / b)", 5, 0, 0),
    ("(unsigned)(a * 1.0f)", -5, 0, 0),
    ("__float2int_rn(a * 0.5f)", 5, 0, 2),
    ("__float2int_ru(a * 0.5f)", 5, 0, 3),
    ("sizeof(long)", 0, 0, 8),
]


FLOATS = [
    ("float", "a + b", 16777216.0, 1.0, 16777216.0),
    ("double", "a + b", 16777216.0, 1.0, 16777217.0),
    ("float", "a / b", 1.0, 0.0, np.inf),
    ("float", "-a * 0.0f", 1.0, 0.0, -0.0),
    ("float", "a / b", 1.0, 3.0, np.float32(1) / np.float32(3)),
    ("double", "a / b", 1.0, 3.0, 1 / 3),
    ("float", "a / 3.0", 1.0, 0.0, np.float32(1 / 3)),
    ("float", "(double)a * b", 0.1, 10.0, np.float32(np.float64(np.float32(0.1)) * 10)),
    ("float", "sqrtf(a)", 2.0, 0.0, np.sqrt(np.float32(2))),
    ("double", "sqrt(a)", 2.0, 0.0, np.sqrt(2.0)),
    ("float", "rsqrtf(a)", 4.0, 0.0, 0.5),
    ("float", "fminf(a, b)", 4.0, np.nan, 4.0),
    ("float", "fmaxf(a, b)", 4.0, 5.0, 5.0),
    ("float", "fabsf(a)", -4.0, 5.0, 4.0),
    ("float", "floorf(a)", -1.5, 0.0, -2.0),
    ("float", "roundf(a)", -2.5, 0.0, -3.0),
    ("float", "rintf(a)", 2.5, 0.0, 2.0),
    ("float", "fmaf(a, a, b)", 3.0, 1.0, 10.0),
    ("float", "powf(a, b)", 2.0, 10.0, 1024.0),
    ("float", "fmodf(a, b)", -7.0, 4.0, -3.0),
    ("float", "a > b ? a : b", 2.0, 10.0, 10.0),
    ("float", "isnan(a / b) ? 1.0f : 2.0f", 0.0, 0.0, 1.0),
    ("float", "__int_as_float(0x40490fdb)", 0.0, 0.0, np.float32(np.pi)),
    ("float", "(int)a + 0.5f", 3.9, 0.0, 3.5),
    ("float", "__fdividef(a, b)", 3.0, 2.0, 1.5),
    ("float", "erff(a)", 1.0, 0.0, np.float32(0.8427007929497149)),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A kernel for each expression: of values that all threads share, and of values of their own."""
    types = [("int", text) for text, *_ in INTEGERS] + [(type_, text) for type_, text, *_ in FLOATS]
    kernels = [
        f"__global__ void {name}_{i}(const {t} *x, {t} *out) {{"
        f" {t} a = x[{at}], b = x[{at} + 1]; out[threadIdx.x] = {text}; }}"
        for i, (t, text) in enumerate(types)
        for name, at in (("uniform", "0"), ("varied", "2 * threadIdx.x"))
    ]
    return parse(tmp_path_factory.mktemp("semantics"), "\n".join(kernels))


def evaluated(program: Program, name: str, operands: NDArray[Any]) -> NDArray[Any]:
    """What two threads make of the operands (a, b of each)."""
    (kernel,) = [k for k in program.kernels() if k.ref.name == name]
    out = np.zeros(2, operands.dtype)
    outcome = launch(prepare(link((program,)), kernel), 1, 2, operands, out)
    assert isinstance(outcome, Finished), outcome
    return out


@pytest.mark.parametrize("number", range(len(INTEGERS)), ids=[text for text, *_ in INTEGERS])
def test_integers(program: Program, number: int):
    _, a, b, value = INTEGERS[number]
    operands = np.array([a, b, 1, 2], np.int32)
    assert evaluated(program, f"uniform_{number}", operands).tolist() == [value, value]
    assert evaluated(program, f"varied_{number}", operands)[0] == value


@pytest.mark.parametrize("number", range(len(FLOATS)), ids=[f"{t}: {text}" for t, text, *_ in FLOATS])
def test_floats(program: Program, number: int):
    type_, _, a, b, value = FLOATS[number]
    dtype = np.float32 if type_ == "float" else np.float64
    operands, expected = np.array([a, b, 1, 2], dtype), dtype(value)
    for name, threads in (("uniform", 2), ("varied", 1)):
        found = evaluated(program, f"{name}_{number + len(INTEGERS)}", operands)[:threads]
        np.testing.assert_array_equal(found, expected)
        assert np.signbit(found).tolist() == [bool(np.signbit(expected))] * threads


def test_half_precision_rounds_at_every_operation(tmp_path: Path):
    text = """#include <cuda_fp16.h>
    __global__ void k(const float *x, float *out) {
      int t = threadIdx.x;
      __half h = __float2half(x[t]);
      h = h + __float2half(1.0f);
      out[t] = __half2float(h * h);
    }"""
    x = np.array([204.75, 0.1, -3], np.float32)
    out = np.zeros(3, np.float32)
    run(tmp_path, text, 1, 3, x, out)
    sums = np.float16(x) + np.float16(1)
    assert out.tolist() == (sums * sums).astype(np.float32).tolist()
