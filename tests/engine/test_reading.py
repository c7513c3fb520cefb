"""Files of one program are read side by side; one that cannot be read costs that file."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter

import pytest
from msgspec.structs import replace

from hgrd.engine.parsing import parse
from hgrd.engine.run import reading
from hgrd.engine.run.reading import read
from hgrd.engine.run.slots import Slots
from hgrd.source.build.build import NO_BUILD, Build
from hgrd.source.options import SourceOptions

FILES = ("a.cu", "b.cu", "c.cu", "missing.cu", "d.cu")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SourceOptions:
    monkeypatch.chdir(tmp_path)
    for file in FILES:
        if file != "missing.cu":
            Path(file).write_text(f"__global__ void {file[0]}(int *p) {{ p[threadIdx.x] = 1; }}\n")
    return SourceOptions(deadline=perf_counter() + 60)


def found(source: SourceOptions, free: int) -> tuple[list[str], list[str], int]:
    """Kernels in the order of the files, failures, and how many slots are free afterwards."""
    with closing(Slots(free)) as slots:
        programs, failures = read(FILES, source, NO_BUILD, slots)
        left = 0
        while slots.take():
            left += 1
    return [k.ref.name for p in programs for k in p.kernels()], [f"{f.file}: {f.reason}" for f in failures], left


@pytest.mark.parametrize("free", (0, 1, 9))
def test_as_one_after_the_other(source: SourceOptions, free: int) -> None:
    programs, failures = parse(FILES, source)
    names = [k.ref.name for p in programs for k in p.kernels()]
    assert found(source, free) == (names, [f"{f.file}: {f.reason}" for f in failures], free)
    assert (names, len(failures)) == (["a", "b", "c", "d"], 1)


def instead(file: str, action):
    def of(files: Sequence[str], source: SourceOptions, build: Build):
        if files[0] == file:
            action()
        return parse(files, source, build)

    return of


def test_a_process_that_dies(source: SourceOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "parse", instead("b.cu", lambda: os.kill(os.getpid(), signal.SIGKILL)))
    names, failures, left = found(source, 1)
    assert (names, left) == (["a", "c", "d"], 1)
    assert failures[0] == "b.cu: the analysis process died (signal 9; out of memory?)"


def test_a_process_that_hangs(source: SourceOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "parse", instead("a.cu", lambda: time.sleep(60)))
    monkeypatch.setattr(reading, "_HANGS", 0.5)
    names, failures, left = found(replace(source, deadline=perf_counter() + 8), 1)
    assert (names, left) == (["b", "c", "d"], 1)
    assert failures[0] == "a.cu: the time limit was reached"


def test_one_file_is_read_in_this_process(source: SourceOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "Running", None)
    with closing(Slots(1)) as slots:
        programs, failures = read(("a.cu",), source, NO_BUILD, slots)
    assert ([k.ref.name for p in programs for k in p.kernels()], failures) == (["a"], ())
