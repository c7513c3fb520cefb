"""A program is parsed again exactly when something that it comes from has changed."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pytest
from msgspec.structs import replace

from hgrd.program.program import Program
from hgrd.source.lowering import translation_unit as lower_file
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from hgrd.source.program_cache import key_of

KERNEL = """#include "width.h"
__global__ void fill(int *a) { a[threadIdx.x] = WIDTH; }
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "width.h").write_text("#define WIDTH 4\n")
    path = tmp_path / "fill.cu"
    path.write_text(KERNEL)
    return str(path)


@pytest.fixture
def options(tmp_path: Path) -> SourceOptions:
    return SourceOptions(cache_dir=tmp_path / "cache", reuse=True)


def key(file: str, options: SourceOptions) -> str:
    found = key_of(file, options)
    assert found is not None
    return found


def test_a_program_is_parsed_once(file: str, options: SourceOptions, monkeypatch: pytest.MonkeyPatch):
    first = parse_file(file, options)
    runs: list[str] = []

    def counted(path: str, options: SourceOptions, *_: object) -> Program:
        runs.append(path)
        return first

    monkeypatch.setattr(lower_file, "lower_file", counted)
    again = parse_file(file, options)
    assert again is not first
    assert again == first
    assert parse_file(file, replace(options, kernels=("fill",), deadline=perf_counter() + 100)) == first
    assert runs == []
    assert parse_file(file, replace(options, reuse=False)) == first
    assert runs == [file]


def test_the_text_of_a_header_counts(file: str, options: SourceOptions):
    first = parse_file(file, options)
    (Path(file).parent / "width.h").write_text("#define WIDTH 5\n")
    assert parse_file(file, options) != first
    (Path(file).parent / "width.h").write_text("#define WIDTH 4\n")
    assert parse_file(file, options) == first


def test_every_option_counts_but_the_kernels(file: str, options: SourceOptions):
    others = (
        replace(options, defines=("A",)),
        replace(options, undefines=("A",)),
        replace(options, standard="c++20"),
        replace(options, language="c++"),
        replace(options, include_dirs=(str(Path(file).parent / "elsewhere"),)),
        replace(options, instances=("fill",)),
        replace(options, device_pass=True),
        replace(options, max_ast_bytes=1 << 20),
    )
    assert len({key(file, options), *(key(file, other) for other in others)}) == 1 + len(others)
    assert key(file, replace(options, kernels=("fill",))) == key(file, options)


def test_a_header_that_is_found_first_counts(file: str, options: SourceOptions):
    folder = Path(file).parent / "first"
    folder.mkdir()
    Path(file).write_text(KERNEL.replace('"width.h"', "<width.h>"))
    there = replace(options, include_dirs=(str(folder), str(Path(file).parent)))
    before = key(file, there)
    (folder / "width.h").write_text("#define WIDTH 4\n")
    assert key(file, there) != before


def test_a_header_that_was_missing_counts(file: str, options: SourceOptions):
    (Path(file).parent / "width.h").unlink()
    before = key(file, options)
    (Path(file).parent / "width.h").write_text("")
    assert key(file, options) != before


@pytest.mark.parametrize("line", ["#define HEADER <x.h>\n#include HEADER", "# include_next NEXT"])
def test_computed_includes_are_not_remembered(file: str, options: SourceOptions, line: str):
    (Path(file).parent / "width.h").write_text(f"{line}\n#define WIDTH 4\n")
    assert key_of(file, options) is None


@pytest.mark.parametrize("name", ["CPATH", "CPLUS_INCLUDE_PATH"])
def test_headers_of_the_environment_are_not_remembered(
    file: str, options: SourceOptions, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setenv(name, "/somewhere")
    assert key_of(file, options) is None


def test_flags_that_nobody_has_looked_at_are_not_remembered(file: str, options: SourceOptions):
    assert key_of(file, replace(options, extra_flags=("-include", "x.h"))) is None


def test_a_damaged_file_is_parsed_again(file: str, options: SourceOptions, tmp_path: Path):
    first = parse_file(file, options)
    (kept,) = (tmp_path / "cache" / "programs").iterdir()
    for damaged in (b"", b"no pickle", kept.read_bytes()[:-40]):
        kept.write_bytes(damaged)
        assert parse_file(file, options) == first
