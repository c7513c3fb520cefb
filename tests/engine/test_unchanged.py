"""A program that has not changed is not analysed again, and one that has changed in anything that counts is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path

import pytest
from msgspec.structs import replace

from hgrd.engine.inputs import Failure
from hgrd.engine.run import program, unchanged
from hgrd.engine.run.news import KernelDecided, KernelName, KernelsNamed, News
from hgrd.engine.run.processes import DIED
from hgrd.engine.run.program import check_program
from hgrd.engine.run.settings import Settings
from hgrd.engine.run.slots import Slots
from hgrd.findings.model import KernelReport, Level, Message, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import roll_up
from hgrd.findings.undecided import undecided_launch
from hgrd.host.kinds import FactKind
from hgrd.program.span import NOWHERE, Span
from hgrd.source.build.build import NO_BUILD, Build
from hgrd.source.build.flags import Flags
from hgrd.source.options import SourceOptions
from hgrd.symbolic.limits import OUT_OF_TIME

PROGRAM = """#include "width.h"
__global__ void shift(int *a) { a[threadIdx.x] = a[threadIdx.x + WIDTH]; }
int main() { int *a; cudaMalloc(&a, 4096); shift<<<1, 64>>>(a); }
"""
OPTIONS = AnalysisOptions(time_limit=60.0)
HERE = Span("a.cu", 1, 1)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "width.h").write_text("#define WIDTH 0\n")
    path = tmp_path / "shift.cu"
    path.write_text(PROGRAM)
    return str(path)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    source = SourceOptions(cache_dir=tmp_path / "cache", reuse=True)
    return Settings(source, NO_BUILD, OPTIONS, replay=False, reuse=True)


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files that were analysed."""
    found: list[str] = []

    def counted(files: Sequence[str], settings: Settings, slots: Slots, tell: Callable[[News], None]) -> None:
        found.extend(files)
        real(files, settings, slots, tell)

    real = program._check  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(program, "_check", counted)
    return found


def told(file: str, settings: Settings) -> list[News]:
    news: list[News] = []
    check_program((file,), settings, Slots(1), news.append)
    return news


def outcomes(news: list[News]) -> list[Outcome]:
    return [item.report.outcome for item in news if isinstance(item, KernelDecided)]


def key(file: str, settings: Settings) -> str:
    found = unchanged.key_of((file,), settings)
    assert found is not None
    return found


def test_it_is_analysed_once_and_told_the_same(file: str, settings: Settings, analysed: list[str]):
    first = told(file, settings)
    assert outcomes(first) == [Outcome.SAFE]
    assert told(file, settings) == first
    assert analysed == [file]
    assert outcomes(told(file, replace(settings, reuse=False))) == [Outcome.SAFE]
    assert analysed == [file, file]


def test_a_change_in_a_header_is_seen(file: str, settings: Settings, analysed: list[str]):
    assert outcomes(told(file, settings)) == [Outcome.SAFE]
    Path(file).with_name("width.h").write_text("#define WIDTH 1\n")
    assert outcomes(told(file, settings)) == [Outcome.RACE]
    assert analysed == [file, file]


def test_what_counts(file: str, settings: Settings, monkeypatch: pytest.MonkeyPatch):
    def under(**changes: object) -> Settings:
        return replace(settings, analysis=replace(settings.analysis, **changes))

    others = [
        under(kernels=("shift",)),
        under(block_dim=(32, 1, 1)),
        under(grid_dim=(None, 1, 1)),
        under(params=(("n", 4),)),
        under(assume=("n > 4",)),
        under(levels=(Level.INTER_BLOCK,)),
        under(asserts=False),
        under(without=frozenset({FactKind.GUARD})),
        under(without=frozenset({FactKind.GUARD, FactKind.RELATION})),
        under(strict=True),
        under(warp_lockstep=True),
        under(any_arguments=True),
        under(time_limit=30.0),
        replace(settings, replay=True),
        replace(settings, source=replace(settings.source, defines=("A",))),
        replace(settings, build=Build({file: Flags(standard="c++20")})),
    ]
    keys = [key(file, settings), *(key(file, other) for other in others)]
    assert len(set(keys)) == len(others) + 1
    assert set(AnalysisOptions.__struct_fields__) == {
        *("kernels", "block_dim", "grid_dim", "params", "assume", "levels", "asserts", "without"),
        *("strict", "warp_lockstep", "any_arguments", "time_limit", "program_limit"),
    }
    monkeypatch.setattr(unchanged, "own_code", lambda: "another version")
    assert key(file, settings) not in keys


def test_what_does_not_count(file: str, settings: Settings):
    same = [
        replace(settings, analysis=replace(settings.analysis, program_limit=20.0)),
        replace(settings, source=replace(settings.source, deadline=1.0)),
    ]
    assert {key(file, other) for other in same} == {key(file, settings)}


def test_a_program_of_unknown_includes_has_no_key(file: str, settings: Settings):
    Path(file).write_text("#define HEADER <x.h>\n#include HEADER\n" + PROGRAM)
    assert unchanged.key_of((file,), settings) is None


def test_a_damaged_file_is_as_if_there_were_none(file: str, settings: Settings, tmp_path: Path, analysed: list[str]):
    first = told(file, settings)
    (kept,) = (tmp_path / "cache" / "verdicts").iterdir()
    for damaged in (b"", b"no pickle", kept.read_bytes()[:-20]):
        kept.write_bytes(damaged)
        assert outcomes(told(file, settings)) == outcomes(first)
    assert len(analysed) == 4


# ---------------------------------------------------------------- what is whole


def verdict(reason: str = "", seconds: float = 1.0) -> KernelReport:
    """Unknown for this reason; safe if there is none."""
    (found,) = roll_up([undecided_launch("f", HERE, reason, seconds=seconds)])
    if reason:
        return found
    launches = tuple(replace(launch, outcome=Outcome.SAFE, open_pairs=()) for launch in found.launches)
    return replace(found, outcome=Outcome.SAFE, launches=launches)


def news(report: KernelReport, *messages: str) -> list[News]:
    said = tuple(Message(NOWHERE, text, False) for text in messages)
    return [KernelsNamed(("a.cu",), ("f",), (KernelName("f", HERE),), said), KernelDecided(report, ())]


@pytest.mark.parametrize("report", [verdict(), verdict("not understood"), verdict(OUT_OF_TIME, seconds=61.0)])
def test_what_nothing_has_cut_short_is_whole(report: KernelReport):
    assert unchanged.is_whole(news(report), OPTIONS)


@pytest.mark.parametrize("report", [verdict(OUT_OF_TIME, seconds=59.0), verdict(f"{DIED} (signal 9; out of memory?)")])
def test_a_kernel_that_has_lost_time_or_its_process_is_not(report: KernelReport):
    assert not unchanged.is_whole(news(report), OPTIONS)


def test_failures_and_kernels_without_verdicts_are_not_whole():
    whole = news(verdict())
    assert not unchanged.is_whole([*whole, Failure("a.cu", "gone")], OPTIONS)
    assert not unchanged.is_whole(whole[:1], OPTIONS)
    assert not unchanged.is_whole([Failure("a.cu", "it defines no kernel")], OPTIONS)


def test_host_code_that_other_programs_have_cut_short_is_not_whole():
    cut = news(verdict(), f"{OUT_OF_TIME}: main is not followed whole")
    assert unchanged.is_whole(cut, replace(OPTIONS, program_limit=inf))
    assert unchanged.is_whole(cut, replace(OPTIONS, program_limit=60.0))
    assert not unchanged.is_whole(cut, replace(OPTIONS, program_limit=59.0))
    assert unchanged.is_whole(news(verdict(), "not found"), replace(OPTIONS, program_limit=59.0))
