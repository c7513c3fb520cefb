"""Programs of the guide: small ones, written from CUDA's manuals, each with the verdict that it must have.

    // Section: CUDA C++ Programming Guide: Warp Vote Functions
    // Shows: a ballot is not a memory barrier
    // Gap: what hgrd does not model, and so leaves unknown        (only where there is one)

`NAME_race.cu` has a mistake, and `NAME_safe.cu` is the same program without it.  The verdicts stand above each kernel
in the words of `tests.checking`, `barrier:` lines among them.
"""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from tests.checking import expected

PROGRAMS = Path(__file__).parent / "programs"
_HEAD = re.compile(
    r"// Section: (?P<manual>[^:]+): (?P<section>.+)\n// Shows: (?P<shows>.+)\n(?:// Gap: (?P<gap>.+)\n)?"
)


class GuideProgram(Struct, frozen=True):
    """Program of the guide.  `gap`: what hgrd does not model in it, or ""; `verdicts`: of each kernel, as expected."""

    path: Path
    manual: str
    section: str
    shows: str
    gap: str
    verdicts: dict[str, list[str]]

    @property
    def name(self) -> str:
        """Name that the pair shares, with its folder."""
        return str(self.path.relative_to(PROGRAMS).with_suffix("")).rpartition("_")[0]

    @property
    def racy(self) -> bool:
        """Whether it is the one with the mistake."""
        return self.path.stem.endswith("_race")

    @property
    def lines(self) -> list[str]:
        """The verdicts of all kernels."""
        return [line for found in self.verdicts.values() for line in found]

    @property
    def result(self) -> str:
        """What hgrd says of it in a word: "race", "conditional race", "safe", "unknown", or "wrong"."""
        wrong = [line for line in self.lines if line.startswith(("race:", "barrier:"))]
        if any(line.startswith("open:") for line in self.lines) and not (self.racy and wrong):
            return "wrong" if wrong else "unknown"
        if not self.racy:
            return "wrong" if wrong else "safe"
        if not wrong:
            return "wrong"
        return "conditional race" if all("(unless " in line for line in wrong) else "race"


def program(path: Path) -> GuideProgram:
    """The program in a file; ValueError where its head is not of the form above."""
    text = path.read_text()
    head = _HEAD.match(text)
    if head is None or not path.stem.endswith(("_race", "_safe")):
        raise ValueError(f"{path}: starts with no '// Section: MANUAL: TITLE' and '// Shows: ...', or has another name")
    return GuideProgram(
        path, head["manual"].strip(), head["section"].strip(), head["shows"].strip(), head["gap"] or "", expected(text)
    )


def programs() -> list[GuideProgram]:
    """All programs, by manual, section and name."""
    return sorted((program(p) for p in PROGRAMS.rglob("*.cu")), key=lambda p: (p.manual, p.section, str(p.path)))
