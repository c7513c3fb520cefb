"""Branches for each type of elements (PyTorch's AT_DISPATCH_*), where their lambdas are read as blocks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from hgrd.program.program import Program, Side
from hgrd.source.options import SourceOptions
from hgrd.source.own_headers import HEADERS
from hgrd.source.parse import parse_file
from hgrd.source.text.switch_macros import flattened
from tests.checking import check

TWINS = re.findall(
    r"#define IN_(DISPATCH_\w+)\((.*)TYPE, NAME, \.\.\.\)",
    (HEADERS / "defined" / "dispatch.h").read_text(encoding="utf-8"),
)
EXTRA = ("at::kHalf", "at::ScalarType::BFloat16", "torch::kBool")
KERNEL = """
#include <torch/extension.h>
template <class T, int N> __global__ void k(T *p) { p[threadIdx.x] = T(N); }
"""
NESTED = (
    KERNEL
    + """
#define BY_NUMBER(NUMBER, ...) [&] { switch (NUMBER) { \\
    case 0: { constexpr int N = 0; return __VA_ARGS__(); } \\
    case 1: { constexpr int N = 1; return __VA_ARGS__(); } \\
    case 2: { constexpr int N = 2; return __VA_ARGS__(); } \\
    default: return; } }()
void all(torch::Tensor x, int n) {
    AT_DISPATCH_ALL_TYPES(x.scalar_type(), "all", [&] {
        BY_NUMBER(n, [&] { k<scalar_t, N><<<1, 32>>>(x.data_ptr<scalar_t>()); });
    });
}
"""
)
OTHERS = "runs in which more than one switch of this nest takes another branch than its first are not analysed"


def read(folder: Path, text: str) -> Program:
    path = folder / "program.cu"
    path.write_text(text)
    return parse_file(str(path), SourceOptions())


def instances(program: Program) -> set[tuple[int | str, ...]]:
    kernels = (f for f in program.functions.values() if f.side is Side.KERNEL and f.body is not None)
    return {kernel.ref.template_args for kernel in kernels}


def use(number: int, before: str, after: str) -> str:
    name, more = TWINS[number]
    extra = "".join(f"{type_}, " for type_, _ in zip(EXTRA, more.split(", ")[:-1], strict=False))
    launch = f"k<scalar_t, {number}><<<1, 32>>>(x.data_ptr<scalar_t>());"
    return f'    {before}AT_{name}({extra}x.scalar_type(), "k", {after.replace("LAUNCH", launch)});\n'


def test_blocks_have_the_types_that_lambdas_have(tmp_path: Path) -> None:
    assert len(TWINS) == 20
    found = [
        read(tmp_path, KERNEL + "void all(torch::Tensor x) {\n" + "".join(uses) + "}\n")
        for uses in (
            [use(n, "", "[&] { LAUNCH }") for n in range(len(TWINS))],
            [use(n, f"int i{n} = ", "[&] { LAUNCH return 1; }") for n in range(len(TWINS))],
        )
    ]
    blocks, lambdas = map(instances, found)
    assert [p.diagnostics for p in found] == [(), ()]
    assert (len(blocks), blocks) == (123, lambdas)


@pytest.mark.parametrize(
    "lambda_", ["[&] { f(x); }", "([&] { f(x); })", "( [=]() { f(x); } )", "[&]() -> void { f(x); }"]
)
def test_a_lambda_is_a_block_also_in_brackets(lambda_: str) -> None:
    text = f"void all(T x) {{ AT_DISPATCH_INTEGRAL_TYPES(x.type(), N, {lambda_}); }}\n"
    (changed,) = flattened({"a.cu": text.encode()}).texts.values()
    assert "".join(changed.decode().split()) == "voidall(Tx){IN_DISPATCH_INTEGRAL_TYPES(x.type(),N,{f(x);});}"


def test_where_the_value_is_used_or_the_program_has_its_own_macros_the_lambda_stays() -> None:
    own = "#define AT_DISPATCH_SWITCH(TYPE, NAME, ...) __VA_ARGS__()\n"
    plain = 'void all(T x) { AT_DISPATCH_ALL_TYPES(x.type(), "k", [&] { f(x); }); }\n'
    valued = 'int all(T x) { return AT_DISPATCH_ALL_TYPES(x.type(), "k", [&] { return f(x); }); }\n'
    assert flattened({"a.cu": (own + plain).encode()}).texts == {}
    assert flattened({"a.cu": valued.encode()}).texts == {}
    assert set(flattened({"a.cu": plain.encode(), "b.cu": valued.encode()}).texts) == {"a.cu"}


def test_of_switches_in_each_other_at_most_one_takes_another_branch(tmp_path: Path) -> None:
    program = read(tmp_path, NESTED)
    types = {type_ for type_, _ in instances(program)}
    assert len(types) == 7
    assert instances(program) == {("float", n) for n in range(3)} | {(type_, 0) for type_ in types}
    assert [(d.span.line, d.message) for d in program.macro_guesses] == [(11, OTHERS)]


TENSOR_INFO = """
#include <ATen/ATen.h>
#include <ATen/cuda/detail/IndexUtils.cuh>
template <class T> __global__ void fill(at::cuda::detail::TensorInfo<T, int> to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to.data[at::cuda::detail::IndexToOffset<T, int, 1>::get(i, to)] = i;
}
void filled(at::Tensor x) {
    TORCH_CHECK(x.dim() == 1%s);
    fill<float><<<(x.size(0) + 127) / 128, 128>>>(at::cuda::detail::getTensorInfo<float, int>(x), x.size(0));
}
"""


def test_elements_by_the_strides_of_a_tensor(tmp_path: Path) -> None:
    ((launch,),) = (k.launches for k in check(tmp_path, TENSOR_INFO % " && x.stride(0) == 2").kernels)
    assert (launch.outcome, launch.pairs, launch.discharged) == (Outcome.SAFE, 1, 1)
    ((launch,),) = (k.launches for k in check(tmp_path, TENSOR_INFO % "").kernels)
    assert launch.outcome is Outcome.RACE
