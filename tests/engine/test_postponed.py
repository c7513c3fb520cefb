"""Kernels for which a program's part of the time was too short are analysed again when the other programs are done."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from hgrd.engine import check as checking
from hgrd.engine.check import Checked, Limits, check
from hgrd.engine.inputs import Failure
from hgrd.engine.run.news import KernelDecided, KernelName, KernelsNamed, News, Progress
from hgrd.engine.run.settings import Settings
from hgrd.engine.run.slots import Slots
from hgrd.findings.model import KernelReport, Message, Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.roll_up import roll_up
from hgrd.findings.undecided import undecided_launch
from hgrd.program.span import Span
from hgrd.source.build.build import NO_BUILD
from hgrd.source.options import SourceOptions
from hgrd.symbolic.limits import OUT_OF_TIME

SETTINGS = Settings(SourceOptions(), NO_BUILD, AnalysisOptions(), replay=False)
PLACES = {name: Span("program.cu", line, 1) for line, name in enumerate(("quick", "slow", "hard"), 1)}


def report(name: str, reason: str = "") -> KernelReport:
    """Unknown for this reason; safe if there is none."""
    (found,) = roll_up([undecided_launch(name, PLACES[name], reason, seconds=1.0)])
    if reason:
        return found
    launches = tuple(replace(launch, outcome=Outcome.SAFE, open_pairs=()) for launch in found.launches)
    return replace(found, outcome=Outcome.SAFE, launches=launches)


def program(files: Sequence[str], settings: Settings, slots: Slots, tell: Callable[[News], None]) -> None:
    """Stands for the process of a program: of `slow` is told more where it is asked for alone."""
    names = ("quick", "slow", "hard") if files[0].endswith("a.cu") else ("quick",)
    wanted = tuple(name for name in names if settings.analysis.wants(name))
    tell(KernelsNamed(tuple(files), names, tuple(KernelName(name, PLACES[name]) for name in wanted)))
    again = bool(settings.analysis.kernels)
    for name in wanted:
        late = "" if name == "quick" or (name == "slow" and again) else f"{OUT_OF_TIME}: {name}"
        said = Message(PLACES[name], "again" if again else "first", False)
        tell(KernelDecided(report(name, late), (said, Message(PLACES["quick"], "of all", False))))
    if again:
        tell(Failure(files[0], "said before"))


class Heard:
    def __init__(self) -> None:
        self.verdicts: list[tuple[str, Outcome]] = []
        self.said: list[str] = []

    def messages(self, messages: tuple[Message, ...]) -> None:
        self.said += [message.text for message in messages]

    def kernel(self, report: KernelReport) -> None:
        self.verdicts.append((report.kernel, report.outcome))

    def failure(self, failure: Failure) -> None:
        self.said.append(failure.reason)

    def progress(self, progress: Progress) -> None:
        pass


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Checked, Heard]]:
    monkeypatch.setattr(checking, "check_program", program)

    def of(*names: str, settings: Settings = SETTINGS) -> tuple[Checked, Heard]:
        for name in names:
            (tmp_path / name).write_text("__global__ void k() {}\nint main() {}\n")
        heard = Heard()
        return check([str(tmp_path / name) for name in names], settings, Limits(1, 60), heard), heard

    return of


UNKNOWN, SAFE = Outcome.UNKNOWN, Outcome.SAFE


def test_a_kernel_gets_the_time_that_others_leave(run: Callable[..., tuple[Checked, Heard]]) -> None:
    checked, heard = run("a.cu", "b.cu")
    assert heard.verdicts == [("quick", SAFE), ("quick", SAFE), ("slow", SAFE), ("hard", UNKNOWN)]
    assert heard.said == ["first", "of all", "first", "of all", "again", "again"]
    assert checked.report is not None
    assert [(k.kernel, k.outcome) for k in checked.report.kernels] == [
        ("quick", SAFE),
        ("slow", SAFE),
        ("hard", UNKNOWN),
        ("quick", SAFE),
    ]
    assert (checked.report.stopped, checked.failures) == ("", ())


def test_where_no_time_is_left_what_is_known_is_reported(
    run: Callable[..., tuple[Checked, Heard]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "_LEAST_SECONDS", 100.0)
    checked, heard = run("a.cu", "b.cu")
    assert heard.verdicts == [("quick", SAFE), ("quick", SAFE), ("slow", UNKNOWN), ("hard", UNKNOWN)]
    assert checked.report is not None
    assert (checked.report.stopped, checked.failures) == ("", ())


def test_a_program_alone_has_had_all_the_time(run: Callable[..., tuple[Checked, Heard]]) -> None:
    _, heard = run("a.cu")
    assert heard.verdicts == [("quick", SAFE), ("slow", UNKNOWN), ("hard", UNKNOWN)]


def test_a_kernel_that_had_all_its_own_time_is_not_analysed_again(run: Callable[..., tuple[Checked, Heard]]) -> None:
    settings = replace(SETTINGS, analysis=replace(SETTINGS.analysis, time_limit=0.5))
    _, heard = run("a.cu", "b.cu", settings=settings)
    assert heard.verdicts == [("quick", SAFE), ("slow", UNKNOWN), ("hard", UNKNOWN), ("quick", SAFE)]
