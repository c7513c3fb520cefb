"""Templates with more instances than are looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.program.program import Program, Side
from hgrd.source.clang import declaration_texts
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

LINES = "".join(f"    p[{i}] += {i} * N;\n" for i in range(20))
KERNELS = f"""#include "lines.h"
namespace a {{ namespace {{
template <int N> __global__ void k(int *p) {{
{LINES}    PLUS(p[0], N);
}}
template <int N> __device__ int f(int *p) {{
{LINES}    return p[0];
}}
}} }}
template <int N> void launch(int *p) {{ a::k<N><<<1, N>>>(p); }}
__global__ void last(int *p) {{ p[0] = 1; }}
template <int... N> void all(int *p) {{ (launch<N>(p), ...); }}
__global__ void calls(int *p) {{ p[1] = a::f<1>(p) + a::f<2>(p) + a::f<3>(p) + a::f<4>(p) + a::f<5>(p) + a::f<6>(p); }}
void host(int *p) {{ all<1, 2, 3, 4, 5, 6, 7, 8>(p); }}
"""


@pytest.fixture
def read(tmp_path: Path):
    def run() -> Program:
        (tmp_path / "lines.h").write_text("#define PLUS(a, b) \\\n    a += b;\n")
        file = tmp_path / "program.cu"
        file.write_text(KERNELS)
        return parse_file(str(file), SourceOptions())

    return run


def defined(program: Program, name: str) -> list[tuple[int | str, ...]]:
    found = (f for f in program.functions.values() if f.ref.name == name and f.body is not None)
    return sorted(f.ref.template_args for f in found)


def test_all_instances_of_a_template(read) -> None:
    program = read()
    assert (defined(program, "k"), program.diagnostics) == ([(n,) for n in range(1, 9)], ())


def test_the_first_instances_of_a_template(read, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = read()
    monkeypatch.setattr(declaration_texts, "BLOCK", 1 << 12)
    monkeypatch.setattr(declaration_texts, "MOST_INSTANCES", 1 << 19)
    monkeypatch.setattr(declaration_texts, "MOST_KEPT", 1 << 19)
    program = read()
    kept = defined(program, "k")
    assert 0 < len(kept) < 8
    assert set(kept) < {(n,) for n in range(1, 9)}
    missing = f"{8 - len(kept)} more instances of k were left out, since there are too many"
    assert [(d.span.line, d.message, d.error) for d in program.diagnostics] == [(3, missing, True)]
    # Device code calls every instance that it names, and what follows stands where it stands in the text.
    assert defined(program, "f") == [(n,) for n in range(1, 7)]
    places = {(f.ref.name, f.span) for f in everything.functions.values()}
    assert {(f.ref.name, f.span) for f in program.functions.values()} == places


def test_a_kernel_that_calls_an_instance_that_was_left_out_is_not_understood(
    read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declaration_texts, "BLOCK", 1 << 12)
    monkeypatch.setattr(declaration_texts, "MOST_INSTANCES", 1 << 19)
    monkeypatch.setattr(declaration_texts, "MOST_DEVICE", 1 << 18)
    monkeypatch.setattr(declaration_texts, "MOST_KEPT", 1 << 17)
    program = read()
    kept = defined(program, "f")
    assert 0 < len(kept) < 6
    missing = f"{6 - len(kept)} more instances of f were left out, since there are too many"
    assert missing in [d.message for d in program.diagnostics]
    calls = next(k for k in analyze((program,), AnalysisOptions()).kernels if k.kernel == "calls")
    assert calls.outcome is not Outcome.SAFE
    assert "a call of f, whose body is not known" in {p.reason for x in calls.launches for p in x.open_pairs}


@pytest.mark.parametrize("size", (1 << 10, 1 << 13, 1 << 16, 1 << 20))
def test_where_the_text_is_cut_does_not_matter(read, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declaration_texts, "BLOCK", size)
    program = read()
    assert (defined(program, "k"), program.diagnostics) == ([(n,) for n in range(1, 9)], ())
    assert [f.ref.name for f in program.functions.values() if f.side is Side.KERNEL and f.body is not None][-2:] == [
        "last",
        "calls",
    ]


PAIRS = f"""
template <int N, bool B> __global__ void k(int *p) {{
{LINES}    p[0] = B;
}}
__global__ void last(int *p) {{ p[0] = 1; }}
void host(int *p) {{
    k<1, true><<<1, 1>>>(p);
    k<1, false><<<1, 1>>>(p);
    k<2, true><<<1, 1>>>(p);
    k<2, false><<<1, 1>>>(p);
    k<3, false><<<1, 1>>>(p);
}}
"""


@pytest.mark.parametrize("comment", ("", "/** What is stored. */ "))
@pytest.mark.parametrize("size", (1 << 11, 1 << 13, 1 << 17))
def test_of_further_instances_those_with_a_new_argument(
    comment: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declaration_texts, "BLOCK", size)
    monkeypatch.setattr(declaration_texts, "MOST_INSTANCES", 1 << 15)
    file = tmp_path / "program.cu"
    file.write_text(PAIRS.replace("template", f"{comment}template"))
    program = parse_file(str(file), SourceOptions())
    assert defined(program, "k") == [(1, -1), (1, 0), (2, -1), (3, 0)]
    missing = "1 more instances of k were left out, since there are too many"
    assert [d.message for d in program.diagnostics] == [missing]
    report = analyze((program,), AnalysisOptions())
    k, last = report.kernels
    assert all(missing in [fact.text for fact in launch.assumptions] for launch in k.launches)
    assert all(missing not in [fact.text for fact in launch.assumptions] for launch in last.launches)
    assert last.span.line == 25


HOST = f"""#include <cuda_runtime.h>
template <int N> __global__ void k(int *p) {{ p[blockIdx.x] = N; }}
__global__ void other(int *p) {{ p[blockIdx.x] = 0; }}
template <int N> void launch(int *p) {{
{LINES}{LINES}{LINES}{LINES}    k<N><<<3, 1>>>(p); cudaDeviceSynchronize();
}}
void host(int *p) {{
    launch<1>(p);
    launch<2>(p);
    launch<3>(p);
    launch<1>(p);
}}
"""


def test_instances_that_only_host_code_launches_that_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "program.cu"
    file.write_text(HOST)
    whole = parse_file(str(file), SourceOptions())
    monkeypatch.setattr(declaration_texts, "BLOCK", 1 << 11)
    monkeypatch.setattr(declaration_texts, "MOST_INSTANCES", 1 << 16)
    monkeypatch.setattr(declaration_texts, "MOST_KEPT", 1 << 21)
    program = parse_file(str(file), SourceOptions())
    assert [d.message for d in program.diagnostics] == [
        "1 more instances of launch were left out, since there are too many"
    ]
    assert defined(program, "k") == defined(whole, "k") == [(1,), (2,), (3,)]
    # `k<3>` is not judged as if anything might launch it; `other`, which nothing launches, is.
    assert [len(k.launches) for k in analyze((whole,), AnalysisOptions()).kernels] == [3, 1]
    k, other = analyze((program,), AnalysisOptions()).kernels
    assert [(at.launch_span.line, at.outcome) for at in k.launches] == [(4 + 80 + 1, Outcome.SAFE)] * 2
    assert [at.launch_span for at in other.launches] == [None]
