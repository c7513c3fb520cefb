"""Switch macros: the text with blocks in place of lambdas, and files that only so have a tree of sensible size."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.program.program import Program, Side
from hgrd.source.clang import declaration_texts
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from hgrd.source.text.switch_macros import flattened
from tests.checking import check

SWITCH = dedent("""\
    #define SWITCH(CONDITION, NAME, ...)       \\
        [&] {                                  \\
            if (CONDITION) {                   \\
                constexpr bool NAME = true;    \\
                return __VA_ARGS__();          \\
            } else {                           \\
                constexpr bool NAME = false;   \\
                return __VA_ARGS__();          \\
            }                                  \\
        }()
    """)


def blocks(text: str) -> str:
    """The text as clang is to read it, without spaces at the ends of lines and in rows."""
    changed = flattened({"a.cu": text.encode()}).texts.get("a.cu", text.encode()).decode()
    assert changed.count("\n") == text.count("\n")
    return changed


def words(text: str) -> list[str]:
    return text.replace("\\\n", " ").split()


def test_a_lambda_that_is_called_at_once_is_a_block() -> None:
    changed = blocks(SWITCH + "void f(bool b) {\n  SWITCH(b, B, [&] {\n    g<B>();\n  });\n}\n")
    assert words(changed) == words("""
        #define SWITCH(CONDITION, NAME, ...) { if (CONDITION) { constexpr bool NAME = true; __VA_ARGS__ ; }
        else { constexpr bool NAME = false; __VA_ARGS__ ; } }
        void f(bool b) { SWITCH(b, B, { g<B>(); }); }
    """)


def test_everything_stays_in_its_place() -> None:
    text = SWITCH + "void f(bool b) {\n  SWITCH(b, B, [&] { g<B>(); });\n}\n"
    assert blocks(text).index("g<B>()") == text.index("g<B>()")


def test_a_macro_without_a_lambda_of_its_own() -> None:
    macro = "#define CASES(x, f) if (x == 1) { f(); } else { f(); }\n"
    assert blocks(macro + "void h(int x) { CASES(x, [=]() { g(); }); }\n") == (
        "#define CASES(x, f) if (x == 1) { f  ; } else { f  ; }\nvoid h(int x) { CASES(x,       { g(); }); }\n"
    )


def body(text: str) -> str:
    """What becomes of a lambda with this body."""
    changed = blocks(f"{SWITCH}void f(bool b, int n) {{ SWITCH(b, B, [&] {{ {text} }}); }}\n")
    return " ".join(changed.partition("void f(bool b, int n) { SWITCH(b, B,")[2].rpartition("); }")[0].split())


@pytest.mark.parametrize(
    ("lambda_", "block"),
    (
        ("if (n) { g(); return; } h();", "do { if (n) { g(); break ; } h(); } while (0)"),
        ("if (n) return g(n); h();", "do { if (n) { g(n); break; } h(); } while (0)"),
        ("if (n) { return g(); } else return h();", "{ if (n) { g(); } else h(); }"),
        ("auto k = [&](int i) { return i; }; g(k);", "{ auto k = [&](int i) { return i; }; g(k); }"),
        ("struct S { int m() { return 1; } }; g(S());", "{ struct S { int m() { return 1; } }; g(S()); }"),
        ("for (int i = 0; i < n; i++) { if (g(i)) return; }", None),
        ("switch (n) { case 1: return; } h();", None),
    ),
)
def test_returns(lambda_: str, block: str | None) -> None:
    assert body(lambda_) == (block or f"[&] {{ {lambda_} }}")


@pytest.mark.parametrize(
    "use",
    (
        "int f(bool b) { return SWITCH(b, B, [&] { return g<B>(); }); }",
        "void f(bool b) { int x = SWITCH(b, B, [&] { return g<B>(); }); }",
        "void f(bool b) { if (b) SWITCH(b, B, [&] { g<B>(); }); }",
        "void f(bool b) { auto l = [&] { g(); }; SWITCH(b, B, l); }",
        "void f(bool b) { SWITCH(b, B, [&, n = g()] { h<B>(n); }); }",
        "#define TWICE(b, ...) SWITCH(b, B, __VA_ARGS__)\nvoid f(bool b) { SWITCH(b, B, [&] { g<B>(); }); }",
        "#define LEAVE if (g()) return\nvoid f(bool b) { SWITCH(b, B, [&] { LEAVE; h<B>(); }); }",
        "#undef SWITCH\n#define SWITCH(b, B, ...) __VA_ARGS__()\nvoid f(bool b) { SWITCH(b, B, [&] { g(); }); }",
    ),
)
def test_where_a_lambda_is_needed_the_text_stays(use: str) -> None:
    text = f"{SWITCH}{use}\n"
    assert flattened({"a.cu": text.encode()}).texts == {}


def test_macros_of_other_files() -> None:
    use = "void f(bool b) { SWITCH(b, B, [&] { g<B>(); }); }\n"
    assert set(flattened({"a.cu": use.encode(), "switch.h": SWITCH.encode()}).texts) == {"a.cu", "switch.h"}
    assert flattened({"a.cu": use.encode()}).texts == {}


# ---------------------------------------------------------------- files

FIVE_DEEP = (
    SWITCH
    + """
template <bool A, bool B, bool C, bool D, bool E, class T> __global__ void fill(T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[A ? i : i / 2] = B + C + D + E + i;  // here
}
template <class T> void launch(T *out, int n, bool configure, int &threads, const bool *on) {
    SWITCH(on[0], A, [&] {
        SWITCH(on[1], B, [&] {
            SWITCH(on[2], C, [&] {
                SWITCH(on[3], D, [&] {
                    SWITCH(on[4], E, [&] {
                        if (configure) {
                            threads = 128;
                            return;
                        }
                        auto kernel = &fill<A, B, C, D, E, T>;
                        kernel<<<n / threads, threads>>>(out, n);
                    });
                });
            });
        });
    });
}
int main(int argc, char **argv) {
    bool on[5];
    for (int i = 0; i < 5; i++) on[i] = argc > i + 1;
    int *out, threads;
    cudaMalloc(&out, 4096);
    launch(out, 1024, true, threads, on);
    launch(out, 1024, false, threads, on);
}
"""
)


def read(folder: Path, text: str, most: int = 1 << 40) -> Program:
    path = folder / "program.cu"
    path.write_text(text)
    return parse_file(str(path), SourceOptions(max_ast_bytes=most))


OTHERS = "runs in which more than one switch of this nest takes another branch than its first are not analysed"
THREE_DEEP = FIVE_DEEP.replace("SWITCH(on[3], D, [&] {", "{ constexpr bool D = true; {").replace(
    "SWITCH(on[4], E, [&] {", "{ constexpr bool E = true; {"
)
THREE_DEEP = THREE_DEEP.replace(
    "});\n                });\n            });", "}}\n                }}\n            });", 1
)


def combinations(program: Program) -> set[tuple[int | str, ...]]:
    kernels = (f for f in program.functions.values() if f.side is Side.KERNEL and f.body is not None)
    return {kernel.ref.template_args[:5] for kernel in kernels}


def test_three_switches_in_each_other(tmp_path: Path) -> None:
    program = read(tmp_path, THREE_DEEP)
    assert (len(combinations(program)), program.diagnostics, program.macro_guesses) == (8, (), ())


def test_of_five_switches_in_each_other_at_most_one_takes_another_branch(tmp_path: Path) -> None:
    program = read(tmp_path, FIVE_DEEP, most=64 << 20)
    flipped = {tuple(-int(i != other) for i in range(5)) for other in range(6)}  # true is -1 in clang's tree
    assert (combinations(program), program.diagnostics) == (flipped, ())
    assert [(d.span.line, d.message) for d in program.macro_guesses] == [(17, OTHERS)]


def test_the_launches_of_five_switches_in_each_other(tmp_path: Path) -> None:
    report = check(tmp_path, FIVE_DEEP)
    launches = [x for kernel in report.kernels for x in kernel.launches]
    assert len(launches) == 6
    assert {(x.configuration, x.launch_span and x.launch_span.line) for x in launches} == {("<<<8, 128>>>", 27)}
    assert all(OTHERS in {fact.text for fact in x.assumptions} for x in launches)


TOO_LARGE = (
    SWITCH
    + """
template <bool A> __global__ void shift(int *p) {
    int v = p[threadIdx.x + 1];
    p[threadIdx.x] = v + A;
}
template <class T> int launch(T *p, const bool *on) {
    return SWITCH(on[0], A, [&] { return SWITCH(on[1], B, [&] { shift<A><<<1, 1>>>(p); return 1; }); });
}
template __global__ void shift<true>(int *);
int main() { int *p; cudaMalloc(&p, 4096); bool on[4] = {}; return launch(p, on); }
"""
)


@pytest.fixture
def little_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declaration_texts, "BLOCK", 1 << 14)
    monkeypatch.setattr(declaration_texts, "MOST_TEXT", 1 << 18)


def outcomes(program: Program) -> list[tuple[Outcome, list[str]]]:
    kernels = analyze((program,), AnalysisOptions()).kernels
    return [(k.outcome, [x.configuration for x in k.launches]) for k in kernels]


def test_a_function_with_a_tree_of_normal_size(tmp_path: Path) -> None:
    program = read(tmp_path, TOO_LARGE)
    assert (program.diagnostics, outcomes(program)) == ((), [(Outcome.SAFE, ["<<<1, 1>>>"])])


@pytest.mark.usefixtures("little_is_too_large")
def test_a_function_with_too_large_a_tree_may_launch_all_that_it_names(tmp_path: Path) -> None:
    program = read(tmp_path, TOO_LARGE)
    assert [(d.span.line, d.message, d.error) for d in program.diagnostics] == [
        (16, "the syntax tree of this function is too large: what it does is not understood", True)
    ]
    anything = "<<<(grid.x, grid.y, grid.z), (block.x, block.y, block.z)>>>"
    assert outcomes(program) == [(Outcome.RACE, [anything])]


@pytest.mark.usefixtures("little_is_too_large")
def test_a_function_in_a_namespace_with_too_large_a_tree(tmp_path: Path) -> None:
    program = read(
        tmp_path,
        TOO_LARGE.replace("template <class T>", "namespace a { namespace { template <class T>").replace(
            "template __global__", "} } using a::launch;\ntemplate __global__"
        ),
    )
    assert [d.span.line for d in program.diagnostics] == [16]


@pytest.mark.usefixtures("little_is_too_large")
def test_a_kernel_is_read_with_all_of_its_body(tmp_path: Path) -> None:
    lines = "".join(f"    p[{i}] += p[{i} + n] * {i};\n" for i in range(200))
    program = read(
        tmp_path, f"__global__ void k(int *p, int n) {{\n{lines}}}\n__global__ void l(int *p) {{ *p = 1; }}\n"
    )
    kernels = [f.ref.name for f in program.functions.values() if f.side is Side.KERNEL and f.body is not None]
    assert (kernels, program.diagnostics) == (["k", "l"], ())
