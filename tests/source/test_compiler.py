"""clang on CUDA sources with our headers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from hgrd.source.clang.run import needs_device_pass, open_ast
from hgrd.source.clang.toolchain import NoCompilerError, find_toolchain
from hgrd.source.doctor import doctor
from hgrd.source.options import SourceError, SourceOptions
from hgrd.source.own_headers import HEADERS


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


class Parsed:
    """A parsed text: its tree, messages and missing headers."""

    def __init__(self, path: Path, options: SourceOptions) -> None:
        with open_ast(str(path), options) as stream:
            raw = stream.stdout.read()
            self.tree: dict[str, Any] = json.loads(raw) if raw else {}
            self.messages = [f"{d.span.line}:{d.span.column}: {d.message}" for d in stream.diagnostics()]
            self.missing = stream.missing_includes
            self.user = stream.is_user_file

    def nodes(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        stack = [self.tree]
        while stack:
            node = stack.pop()
            if node.get("kind") == kind:
                found.append(node)
            stack += reversed(node.get("inner", []))
        return found

    def names(self, kind: str) -> list[str]:
        return [node["name"] for node in self.nodes(kind) if "name" in node]


def parse(tmp_path: Path, cache: Path, text: str | bytes, name: str = "a.cu", **options: Any) -> Parsed:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Parsed(path, SourceOptions(cache_dir=cache, **options))


def test_a_kernel_and_its_launch(tmp_path: Path, cache: Path) -> None:
    text = "__global__ void k(int *p) { p[threadIdx.x] = 1; }\nint main() { k<<<2, dim3(3, 4)>>>(nullptr); }\n"
    parsed = parse(tmp_path, cache, text)
    assert parsed.messages == []
    assert parsed.names("FunctionDecl") == ["k", "main"]
    assert len(parsed.nodes("CUDAKernelCallExpr")) == 1


def test_errors_stand_where_they_are_and_do_not_stop_the_rest(tmp_path: Path, cache: Path) -> None:
    parsed = parse(tmp_path, cache, "int f() { return nothing; }\n__global__ void k() {}\n")
    assert parsed.messages == ["1:18: use of undeclared identifier 'nothing'"]
    assert parsed.names("FunctionDecl") == ["f", "k"]


def test_missing_headers_are_named_and_do_not_stop_the_rest(tmp_path: Path, cache: Path) -> None:
    text = '#include <no/where.h>\n#include "nor_here.h"\n#define H <hidden.h>\n#include H\n__global__ void k() {}\n'
    parsed = parse(tmp_path, cache, text)
    assert parsed.messages == []
    assert parsed.missing == ("no/where.h", "nor_here.h", "hidden.h")
    assert parsed.names("FunctionDecl") == ["k"]


def test_headers_in_code_that_is_not_compiled_are_not_missing(tmp_path: Path, cache: Path) -> None:
    assert parse(tmp_path, cache, "#ifdef _WIN32\n#include <windows.h>\n#endif\nint x;\n").missing == ()


def test_macros_and_include_paths(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "own.h").write_text("#ifndef B\nint a[A];\n#endif\n")
    parsed = parse(
        tmp_path,
        cache,
        "#include <own.h>\n",
        include_dirs=(str(tmp_path / "inc"),),
        defines=("A=7", "B"),
        undefines=("B",),
    )
    assert parsed.messages == []
    (array,) = parsed.nodes("VarDecl")
    assert array["type"]["qualType"] == "int[7]"


def test_user_files_are_told_from_ours(tmp_path: Path, cache: Path) -> None:
    parsed = parse(tmp_path, cache, "#include <vector>\n")
    assert parsed.user(str(tmp_path / "a.cu"))
    assert not parsed.user(str(HEADERS / "cuda_runtime.h"))
    assert not parsed.user("<built-in>")
    assert not parsed.user(find_toolchain().system_dirs[0] + "/vector")


@pytest.mark.parametrize(
    ("before", "called"),
    [
        ("", "__hgrd_assert"),
        ("#define NDEBUG\n#include <assert.h>\n", "__hgrd_stated"),
        ("#include <cassert>\n", "__hgrd_assert"),
    ],
)
def test_assert_is_a_call_also_without_debugging(tmp_path: Path, cache: Path, before: str, called: str) -> None:
    parsed = parse(tmp_path, cache, before + "__global__ void k(int n) { assert(n > 0 && n < 9); }\n")
    assert parsed.messages == []
    assert [node["referencedDecl"]["name"] for node in parsed.nodes("DeclRefExpr")] == [called, "n", "n"]


def test_system_headers_do_not_swell_the_tree(tmp_path: Path, cache: Path) -> None:
    parsed = parse(tmp_path, cache, "#include <map>\n#include <algorithm>\nint x;\n")
    assert parsed.messages == []
    assert len(parsed.tree["inner"]) < 40


def test_headers_that_others_bring_along(tmp_path: Path, cache: Path) -> None:
    text = (
        "#include <iostream>\n"
        "int f(int *p) { struct timeval t; gettimeofday(&t, 0); return std::accumulate(p, p + 3, 0); }\n"
    )
    assert parse(tmp_path, cache, text).messages == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"// \xe9t\xe9\r\nint x;\r\n", id="latin-1"),
        pytest.param(b"\xef\xbb\xbfint x;\n", id="byte order mark"),
        pytest.param(b'int x; const char *s = "\xff\xfe";\n', id="bytes in a string"),
    ],
)
def test_encodings(tmp_path: Path, cache: Path, text: bytes) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(text)
    with open_ast(str(path), SourceOptions(cache_dir=cache)) as stream:
        assert b'"name": "x"' in stream.stdout.read()
        assert stream.diagnostics() == ()


def test_launches_in_single_signs(tmp_path: Path, cache: Path) -> None:
    parsed = parse(tmp_path, cache, "__global__ void k(int);\nvoid f() { k << < 1, 2 >> > (3); }\n")
    assert parsed.messages == []
    (launch,) = parsed.nodes("CUDAKernelCallExpr")
    assert launch["range"]["end"]["col"] == 31
    assert parsed.nodes("FunctionDecl")[0]["loc"]["file"] == str(tmp_path / "a.cu")


def test_the_source_takes_the_compiler_for_nvcc(tmp_path: Path, cache: Path) -> None:
    macros = {"__HIP__": "defined", "__HIPCC__": "defined", "__HIPSTDPAR__": "defined", "__CUDACC__": "!defined"}
    for macro, test in macros.items():
        assert parse(tmp_path, cache, f"#if {test}({macro})\n#error {macro}\n#endif\nint x;\n").messages == []


def test_c_is_not_c_plus_plus(tmp_path: Path, cache: Path) -> None:
    text = "#include <stdlib.h>\n#include <cuda_runtime.h>\nint *f(void) { int *class = malloc(4); return class; }\n"
    parsed = parse(tmp_path, cache, text, "a.c", standard="c++17")
    assert parsed.messages == []
    assert parsed.names("VarDecl")[-1] == "class"


NEWER = (
    "#include <span>\nint first(std::span<int> s) { return s[0]; }\n",
    "#include <numeric>\nint middle(int a, int b) { return std::midpoint(a, b); }\n",
    "#include <concepts>\ntemplate <std::integral T> T twice(T x) { return x + x; }\nint y = twice(3);\n",
    "template <class T> concept Small = sizeof(T) < 8;\ntemplate <class T> requires Small<T> T id(T x) { return x; }\n",
    "consteval int size() { return 32; }\n__global__ void k(int *a) { a[size()] = 0; }\n",
)


@pytest.mark.parametrize("text", NEWER)
def test_a_newer_standard_is_taken_where_the_program_needs_it(tmp_path: Path, cache: Path, text: str) -> None:
    assert parse(tmp_path, cache, text).messages == []
    assert parse(tmp_path, cache, text, standard="c++17").messages != []


def test_a_newer_standard_leaves_other_errors(tmp_path: Path, cache: Path) -> None:
    parsed = parse(tmp_path, cache, "#include <span>\nint f(std::span<int> s) { return s[missing]; }\n")
    assert parsed.messages == ["2:36: use of undeclared identifier 'missing'"]


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "gnu++20", "c++2a"])
def test_standards(tmp_path: Path, cache: Path, standard: str) -> None:
    assert parse(tmp_path, cache, "typeof(1) x;\n", standard=standard).messages == []


def test_the_device_pass_sees_the_architecture(tmp_path: Path, cache: Path) -> None:
    text = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\nint device;\n#else\nint host;\n#endif\n"
    assert parse(tmp_path, cache, text).names("VarDecl") == ["host"]
    assert parse(tmp_path, cache, text, device_pass=True).names("VarDecl") == ["device"]
    assert needs_device_pass(str(tmp_path / "a.cu"), SourceOptions())
    (tmp_path / "b.cu").write_text("int x;\n")
    assert not needs_device_pass(str(tmp_path / "b.cu"), SourceOptions())


def test_the_architecture_can_be_chosen(tmp_path: Path, cache: Path) -> None:
    text = "#if __CUDA_ARCH__ >= 900\nint hopper;\n#endif\nint x;\n"
    assert parse(tmp_path, cache, text, device_pass=True).names("VarDecl") == ["x"]
    assert parse(tmp_path, cache, text, device_pass=True, architecture=900).names("VarDecl") == ["hopper", "x"]


@pytest.mark.parametrize("version", [(11, 8), (12, 4), (13, 0), (13, 1)])
def test_the_version_of_cuda_can_be_chosen(tmp_path: Path, cache: Path, version: tuple[int, int]) -> None:
    major, minor = version
    told = f"CUDA_VERSION == {1000 * major + 10 * minor} && CUDART_VERSION == CUDA_VERSION"
    compiler = f"__CUDACC_VER_MAJOR__ == {major} && __CUDACC_VER_MINOR__ == {minor}"
    text = f"#if {told} && {compiler}\nint right;\n#endif\n"
    assert parse(tmp_path, cache, text, cuda_version=version).names("VarDecl") == ["right"]


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary.cu").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "empty.cu").write_text(" \n")
    for name, message in {
        "missing.cu": "no such file",
        ".": "is a directory",
        "binary.cu": "is not a text file",
        "empty.cu": "is empty",
    }.items():
        path = str(tmp_path / name)
        with pytest.raises(SourceError) as caught, open_ast(path, SourceOptions()):
            pass
        assert str(caught.value) == f"{path}: {message}"
        assert caught.value.path == path


def test_a_tree_that_is_too_large_is_refused(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "a.cu").write_text("int x;\n")
    options = SourceOptions(cache_dir=cache, max_ast_bytes=100)
    with pytest.raises(SourceError, match="larger than 100 bytes"), open_ast(str(tmp_path / "a.cu"), options) as stream:
        stream.stdout.read()


def test_a_tree_that_comes_too_late_is_refused(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "a.cu").write_text("int x;\n")
    late, early = (SourceOptions(cache_dir=cache, deadline=perf_counter() + seconds) for seconds in (-1.0, 100.0))
    with pytest.raises(SourceError, match="the time limit was reached"), open_ast(str(tmp_path / "a.cu"), late):
        pass
    with open_ast(str(tmp_path / "a.cu"), early) as stream:
        assert stream.stdout.read().startswith(b"{")


def test_a_damaged_precompiled_header_is_made_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert parse(tmp_path, cache, "int x;\n").messages == []
    (header,) = (cache / "pch").glob("*.pch")
    header.write_bytes(b"damaged")
    assert parse(tmp_path, cache, "int x;\n").messages == []
    assert parse(tmp_path, cache, "int x;\n").messages == []
    assert header.stat().st_size > 1000


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o500)
    assert parse(tmp_path, cache, "int x;\n").messages == []


def test_a_cache_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    assert parse(tmp_path, tmp_path / "cache", "int x;\n").messages == []


def test_the_compiler_that_was_asked_for() -> None:
    with pytest.raises(NoCompilerError, match="no/such/clang"):
        find_toolchain("/no/such/clang")
    assert doctor("/no/such/clang").problem == "no compiler: /no/such/clang (chosen by --clang) is not an executable"


def test_doctor_finds_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HGRD_CLANG", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    health = doctor()
    assert health.problem == ""
    assert health.compiler.endswith("zig clang")
    assert health.compiler_version.startswith("clang version ")
    assert (health.cache_dir, health.cache_writable) == (tmp_path / "hgrd", True)
    assert "ziglang package (the default)" in str(health)
