"""What builds link together: CMakeLists.txt, Makefile, setup.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.source.build.linked import linked_programs
from hgrd.source.build.targets import Target, linked_sources, matching


def linked(folder: Path, files: str, **builds: str) -> list[str]:
    """The programs below a folder with descriptions of builds (`__` for the dot, `_in_` for the slash)."""
    for name, text in builds.items():
        path = folder / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    programs = linked_programs(str(folder), [str(folder / file) for file in files.split()])
    return [" ".join(sorted(str(Path(file).relative_to(folder)) for file in program)) for program in programs]


def test_what_targets_link_is_one_program():
    app = Target("app", ("/a.cu",), ("core", "gone"))
    core, util, alone = (
        Target("core", ("/c.cu",), ("util",)),
        Target("util", ("/u.cu", "/a.cu")),
        Target("x", ("/x.cu",)),
    )
    assert list(linked_sources([core, app, util, alone])) == [("/a.cu", "/c.cu", "/u.cu"), ("/x.cu",)]


def test_targets_that_link_each_other_are_not_lost():
    targets = [Target("a", ("/a.cu",), ("b",)), Target("b", ("/b.cu",), ("a",))]
    assert list(linked_sources(targets)) == [("/a.cu", "/b.cu")]


def test_patterns_stay_in_their_folder_unless_they_go_below_it():
    files = ["/p/a.cu", "/p/x/a.cu", "/p/x/y/b.cu", "/q/a.cu"]
    assert matching(["/p/*.cu"], files) == {"/p/a.cu"}
    assert matching(["/p/**/*.cu"], files) == {"/p/a.cu", "/p/x/a.cu", "/p/x/y/b.cu"}
    assert matching(["/p/x/../a.cu", "/none.cu"], files) == {"/p/a.cu"}


def test_targets_of_cmake(tmp_path: Path):
    text = """
project(p CUDA)
set(COMMON common.cu)  # not this.cu
list(APPEND COMMON more.cu)
add_executable(one one.cu ${COMMON})
add_library(lib STATIC "lib.cu")
add_library(p::lib ALIAS lib)
add_executable(two WIN32 ${PROJECT_SOURCE_DIR}/two.cu)
target_link_libraries(two PRIVATE p::lib ${CUDA_LIBRARIES})
if(TESTS)
  cuda_add_executable(test test.cu)
  target_sources(test PRIVATE helper.cu)
endif()
"""
    files = "one.cu two.cu test.cu helper.cu lib.cu common.cu more.cu this.cu"
    assert linked(tmp_path, files, CMakeLists__txt=text) == [
        "common.cu more.cu one.cu",
        "lib.cu two.cu",
        "helper.cu test.cu",
    ]


def test_patterns_and_folders_of_cmake(tmp_path: Path):
    top = """
file(GLOB_RECURSE DEEP CONFIGURE_DEPENDS src/*.cu)
file(GLOB FLAT RELATIVE ${CMAKE_SOURCE_DIR} *.cu)
aux_source_directory(aux AUX)
add_executable(deep ${DEEP})
add_executable(flat ${FLAT} ${AUX})
add_subdirectory(apps)
add_executable(told ${FROM_APPS})
"""
    apps = """
add_executable(app main.cu $<TARGET_OBJECTS:shared>)
add_library(shared OBJECT ../src/x/k.cu)
set(FROM_APPS apps/told.cu PARENT_SCOPE)
"""
    files = "a.cu src/s.cu src/x/k.cu aux/b.cu aux/b.cpp apps/main.cu apps/told.cu"
    found = linked(tmp_path, files, CMakeLists__txt=top, apps_in_CMakeLists__txt=apps)
    assert found == ["src/s.cu src/x/k.cu", "a.cu aux/b.cpp aux/b.cu", "apps/main.cu src/x/k.cu", "apps/told.cu"]


def test_a_build_above_does_not_look_elsewhere(tmp_path: Path):
    for folder in ("in/x", "out"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "CMakeLists.txt").write_text("set(NAME k)\nadd_subdirectory(out)\nadd_subdirectory(in)\n")
    (tmp_path / "out" / "CMakeLists.txt").write_text("add_executable(far ../in/x/k.cu)\n")
    (tmp_path / "in" / "CMakeLists.txt").write_text("add_executable(near x/${NAME}.cu)\n")
    file = str(tmp_path / "in" / "x" / "k.cu")
    assert linked_programs(str(tmp_path / "in" / "x"), [file]) == (frozenset({file}),)
    (tmp_path / "in" / "CMakeLists.txt").write_text("")
    assert linked_programs(str(tmp_path / "in" / "x"), [file]) == ()


def test_loops_functions_and_macros_of_cmake(tmp_path: Path):
    text = """
foreach(name a b)
  add_executable(${name} ${name}.cu)
endforeach()
set(MORE c d)
foreach(name IN LISTS MORE)
  add_executable(${name} ${name}.cu)
endforeach()
function(sample name)
  add_executable(${name} ${ARGN} shared.cu)
endfunction()
sample(e e.cu f.cu)
function(configured)
  cmake_parse_arguments(T "" "NAME" "SOURCES;LINKS" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
endfunction()
configured(NAME g SOURCES g.cu h.cu LINKS i.cu)
macro(gather)
  set(GATHERED ${ARGV})
endmacro()
gather(i.cu j.cu)
add_library(gathered ${GATHERED})
function(forever)
  forever()
endfunction()
forever()
"""
    files = " ".join(f"{name}.cu" for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "shared"])
    programs = ["a.cu", "b.cu", "c.cu", "d.cu", "e.cu f.cu shared.cu", "g.cu h.cu", "i.cu j.cu"]
    assert linked(tmp_path, files, CMakeLists__txt=text) == programs


def test_targets_of_a_makefile(tmp_path: Path):
    text = """
SRC := $(wildcard *.cpp) extra.cu
OBJS = $(SRC:.cpp=.o)
BUILT = $(addprefix build/, $(notdir $(patsubst %.cu, %.o, src/far.cu)))
all: app tool
app: $(OBJS) main.o
\tnvcc -o $@ $^
main.o: main.cu main.h
\tnvcc -dc $< -o $@
tool: tool.cu libx.a
\tnvcc tool.cu -lx -o $@
libx.a: x.o y.o
\tar rcs $@ $^
built: build/k.o $(BUILT)
\tnvcc -o $@ $^
build/%.o: src/%.cu
\tnvcc -c $< -o $@
said:
\tnvcc said.cu parts/said2.cu -o said
implied: implied.cu
clean:
\trm -f *.o app tool left.cu
format:
\tclang-format -i left.cu main.cu
objects: left.cu main.cu
\tnvcc -c left.cu main.cu -o $@
"""
    files = "main.cu one.cpp extra.cu tool.cu x.cu y.c src/k.cu src/far.cu said.cu parts/said2.cu implied.cu left.cu"
    assert linked(tmp_path, files, Makefile=text) == [
        "extra.cu main.cu one.cpp",
        "tool.cu x.cu y.c",
        "src/far.cu src/k.cu",
        "parts/said2.cu said.cu",
        "implied.cu",
    ]


SETUP = """
import glob, os
from pathlib import Path
here = os.path.dirname(os.path.abspath(__file__))
base = Path(__file__).resolve().parent / "csrc"
common = ["csrc/common.cu"]
sources = [os.path.join(here, "csrc", "one.cu")] + common
sources += [f"csrc/{'two'}.cu"]
sources.append(str(base / "three.cu"))
modules = []
if unknown():
    modules.append(CUDAExtension(name="a", sources=sources))
names = ["x", "y"]
setup(ext_modules=[*modules, cpp.CppExtension("b", [f"csrc/{n}.cpp" for n in names] + sorted(glob.glob("more/*.cu")))])
Extension("c", unknown() + common, sources=["late.cu"] if CUDA else ["late.cpp", unknown()])
"""


def test_targets_of_setup_py(tmp_path: Path):
    files = (
        "csrc/common.cu csrc/one.cu csrc/two.cu csrc/three.cu csrc/x.cpp csrc/y.cpp more/m.cu late.cu late.cpp no.cu"
    )
    assert linked(tmp_path, files, setup__py=SETUP) == [
        "csrc/common.cu csrc/one.cu csrc/three.cu csrc/two.cu",
        "csrc/x.cpp csrc/y.cpp more/m.cu",
        "late.cpp late.cu",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists__txt", "add_executable(\nset(${A} ${A})\nforeach()\nendforeach()\nset()\nfile(GLOB)\n"),
        ("Makefile", "a: $(b\n$(call f,$(a)):\nX = $(X) $(X)\n%: %.cu\n:\n"),
        ("setup__py", "def (:"),
    ],
)
def test_a_build_that_says_nothing(tmp_path: Path, name: str, text: str):
    assert linked(tmp_path, "a.cu", **{name: text}) == []


def test_builds_above_the_directory_count_up_to_the_root_of_the_repository(tmp_path: Path):
    (tmp_path / "p" / "csrc" / "deep").mkdir(parents=True)
    (tmp_path / "p" / "setup.py").write_text('CUDAExtension("x", ["csrc/deep/a.cu", "csrc/b.cu", "c.cu"])')
    files = [str(tmp_path / "p" / "csrc" / file) for file in ("deep/a.cu", "b.cu", "other.cu")]
    assert linked_programs(str(tmp_path / "p" / "csrc"), files) == (frozenset(files[:2]),)
    (tmp_path / "p" / "csrc" / ".git").mkdir()
    assert linked_programs(str(tmp_path / "p" / "csrc"), files) == ()
