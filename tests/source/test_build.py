"""Flags from compilation databases, Makefiles and CMakeLists.txt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hgrd.source.build.build import Build, BuildError, read_build
from hgrd.source.build.cmake import cmake_flags
from hgrd.source.build.flags import Flags, flags_of
from hgrd.source.build.makefile import makefile_flags
from hgrd.source.options import SourceOptions

MAKEFILE = """CC = nvcc   # the compiler
DEBUG ?= no
CFLAGS := -std=c++14 -DSIZE=8 \\
  -Xcompiler -Wall
ifeq ($(DEBUG), yes)
CFLAGS += -DDEBUG
else
CFLAGS += -DRELEASE
endif
ifdef NOTHING
CFLAGS += -DNOTHING
endif
main: main.cu
\t$(CC) ${CFLAGS} -I../include -D 'NAME="a b"' -UOLD -DHOST=$(shell hostname) $< -o $@
"""


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("nvcc -DN=4 -D M --define-macro=K=1 -UX -c a.cu", Flags(("N=4", "M", "K=1"), ("X",))),
        ("nvcc -Iinc -I more --include-path=third", Flags(include_dirs=("/b/inc", "/b/more", "/b/third"))),
        ("clang++ -isystem sys -iquote=q -I/abs", Flags(include_dirs=("/b/sys", "/b/q", "/abs"))),
        ("nvcc -std=c++14 -std=c++17 -x cu", Flags(standard="c++17", language="cuda")),
        ("nvcc -Xcompiler=-DINNER,-Wall -Xcompiler -DMORE", Flags(("INNER", "MORE"))),
        ("nvcc -include pre.h -arch=sm_80 -O3 -gencode arch=compute_80 -rdc=true", Flags(headers=("/b/pre.h",))),
        ("nvcc -DUNKNOWN=$(shell x) -dc -diag-suppress 20", Flags()),
    ],
)
def test_flags_of_a_command(line: str, flags: Flags):
    assert flags_of(line.split(" ") if "shell" not in line else ["nvcc", "-DUNKNOWN=$(shell x)", "-dc"], "/b") == flags


def test_response_files(tmp_path: Path):
    (tmp_path / "a.rsp").write_text("-DINSIDE --options-file a.rsp")
    assert flags_of(["nvcc", "--options-file", "a.rsp"], str(tmp_path)).defines == ("INSIDE",)
    assert flags_of(["nvcc", "-optf", "gone.rsp"], str(tmp_path)) == Flags()


def test_what_the_user_says_goes_first():
    flags = Flags(("N=4", "M"), ("X",), ("/inc",), "c++14", "cuda", ("/pre.h",))
    options = SourceOptions(defines=("N=8",), undefines=("M",), include_dirs=("own",), standard="c++20")
    assert flags.under(options) == SourceOptions(
        defines=("N=8",),
        undefines=("X", "M"),
        include_dirs=("own", "/inc"),
        standard="c++20",
        language="cuda",
        extra_flags=("-include", "/pre.h"),
    )


def test_flags_of_a_makefile(tmp_path: Path):
    (tmp_path / "Makefile").write_text(MAKEFILE)
    flags = makefile_flags(str(tmp_path))
    assert flags == Flags(("SIZE=8", "RELEASE", 'NAME="a b"'), ("OLD",), (str(tmp_path / "../include"),), "c++14")
    assert makefile_flags(str(tmp_path), str(tmp_path / "main.cu")) == flags
    assert makefile_flags(str(tmp_path / "nowhere")) == Flags()


def test_flags_of_a_file_in_a_makefile(tmp_path: Path):
    (tmp_path / "Makefile").write_text(
        "all: a b\n"
        "a: a.cu\n\tnvcc -DA -DBOTH $< -o $@\n"
        "a_debug: a.cu\n\tnvcc -DA -DBOTH -g -DDEBUG $< -o $@\n"
        "b: b.cu\n\tnvcc -DBOTH -DB $< -o $@\n"
        "%.o: %.cc\n\tg++ -DHOST -c $< -o $@\n"
    )
    found = {
        name: makefile_flags(str(tmp_path), str(tmp_path / name)).defines for name in ("a.cu", "b.cu", "c.cc", "d.c")
    }
    assert found == {"a.cu": ("A", "BOTH"), "b.cu": ("BOTH", "B"), "c.cc": ("HOST",), "d.c": ()}


def test_flags_in_variables_alone(tmp_path: Path):
    (tmp_path / "Makefile").write_text("NVCCFLAGS = -DN=4\nmain: main.cu\n")
    assert makefile_flags(str(tmp_path), str(tmp_path / "main.cu")).defines == ("N=4",)


def test_variables_that_the_rule_of_a_file_does_not_use(tmp_path: Path):
    (tmp_path / "Makefile").write_text("TEST = -DN=4\nNVCC = nvcc\nmain: main.cu\n\t$(NVCC) -O2 -o $@ $<\n")
    assert makefile_flags(str(tmp_path), str(tmp_path / "main.cu")) == Flags()
    assert makefile_flags(str(tmp_path), str(tmp_path / "other.cpp")).defines == ("N=4",)


def test_what_functions_of_a_makefile_give_is_left_out(tmp_path: Path):
    (tmp_path / "Makefile").write_text(
        "main: main.cu\n\tnvcc $(shell echo -DN=4) $(if $(DEBUG), -DDEBUG -DX=$(words a b)) -DM -o $@ $<\n"
    )
    assert makefile_flags(str(tmp_path), str(tmp_path / "main.cu")).defines == ("M",)


def test_flags_of_cmake(tmp_path: Path):
    (tmp_path / "CMakeLists.txt").write_text(
        "project(x)  # add_definitions(-DNOT)\n"
        "add_definitions(-DN=4 -DDIR=${PROJECT_SOURCE_DIR})\n"
        "add_compile_definitions(M K=2)\n"
        "include_directories(BEFORE include)\n"
        "if(DEBUG)\n  add_definitions(-DDEBUG)\nendif()\n"
        "function(f)\n  add_definitions(-DINSIDE)\nendfunction()\n"
        "target_compile_definitions(one PRIVATE ONE SHARED=1)\n"
        "target_compile_definitions(two PUBLIC SHARED=1)\n"
        "target_include_directories(one PRIVATE inc1)\n"
        "target_include_directories(two PRIVATE inc1)\n"
    )
    folders = (str(tmp_path / "include"), str(tmp_path / "inc1"))
    assert cmake_flags(str(tmp_path)) == Flags(("N=4", "M", "K=2", "SHARED=1"), include_dirs=folders)
    assert cmake_flags(str(tmp_path / "nowhere")) == Flags()


def test_a_compilation_database(tmp_path: Path):
    entries = [
        {"directory": str(tmp_path / "build"), "file": "../a.cu", "command": "nvcc -DN=4 -I../inc -c ../a.cu"},
        {"directory": str(tmp_path), "file": "b.cc", "arguments": ["g++", "-D", "M", "b.cc"]},
        {"directory": str(tmp_path), "file": "b.cc", "arguments": ["g++", "-DLATER", "b.cc"]},
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    for build in (read_build(str(tmp_path), ()), read_build(str(tmp_path / "compile_commands.json"), ())):
        assert build.flags(str(tmp_path / "a.cu")) == (Flags(("N=4",), include_dirs=(f"{tmp_path}/build/../inc",)), "")
        assert build.flags(str(tmp_path / "b.cc")) == (Flags(("M",)), "")
        assert build.flags(str(tmp_path / "c.cc")) == (Flags(), "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such file (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes one"),
        ("{", "not a compilation database: "),
        ("{}", "not a compilation database: it is no list"),
        ('[{"file": "a.cu"}]', "not a compilation database: an entry without a file or a directory"),
    ],
)
def test_no_compilation_database(tmp_path: Path, text: str | None, message: str):
    if text is not None:
        (tmp_path / "compile_commands.json").write_text(text)
    with pytest.raises(BuildError) as caught:
        read_build(str(tmp_path), ())
    assert str(caught.value).startswith(f"{tmp_path / 'compile_commands.json'}: {message}")


def test_build_files_count_below_directories_that_were_given(tmp_path: Path):
    (tmp_path / "Makefile").write_text("main: a.cu\n\tnvcc -DN=4 $<\n")
    sub = tmp_path / "project" / "src"
    sub.mkdir(parents=True)
    for folder in (sub, tmp_path):
        (folder / "a.cu").write_text("\n")
    (tmp_path / "project" / "CMakeLists.txt").write_text("add_definitions(-DM)\n")
    makefile, lists = (Flags(("N=4",)), str(tmp_path / "Makefile")), str(tmp_path / "project" / "CMakeLists.txt")
    whole = read_build(None, (str(tmp_path),))
    assert whole.flags(str(tmp_path / "a.cu")) == makefile
    assert whole.flags(str(sub / "a.cu")) == (Flags(("M",)), lists)
    inner = read_build(None, (str(sub), str(sub / "a.cu")))
    assert inner.flags(str(sub / "a.cu")) == (Flags(), "")
    assert Build().flags(str(tmp_path / "a.cu")) == (Flags(), "")
