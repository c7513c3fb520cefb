"""What README.md and docs/ show of hgrd's output is what hgrd prints, and the sources they quote are there."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hgrd.engine.stages import STAGES

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)\)")
SOURCES = ROOT / "src" / "hgrd"
ROOMS = "|".join(sorted(path.name for path in SOURCES.iterdir() if (path / "__init__.py").exists()))
MODULE = re.compile(rf"`((?:{ROOMS})/[\w/.]*)`")
FILE = re.compile(r"`((?:src|tests|docs|benchmarks|examples)/[\w/.-]*)`")
SECONDS = re.compile(r"\d+\.\d\d s\b")


def blocks(page: Path, language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(page.read_text()) if name == language]


def sessions() -> Iterator[object]:
    """Each command shown with its output, as (arguments, expected output)."""
    for page in PAGES:
        for text in blocks(page, "console"):
            command, _, output = text.partition("\n")
            assert command.startswith("$ hgrd "), f"{page}: {command}"
            arguments = command.removeprefix("$ hgrd ").split()
            yield pytest.param(arguments, output, id=f"{page.stem}: {' '.join(arguments)}")


def pattern(expected: str) -> str:
    """A line "…" stands for any lines, a time for any time."""
    lines = [".*\n" if line == "…\n" else re.escape(line) for line in SECONDS.sub("N s", expected).splitlines(True)]
    return "".join(lines)


@pytest.mark.parametrize(("arguments", "expected"), list(sessions()))
def test_shown_output_is_what_is_printed(arguments: list[str], expected: str):
    done = subprocess.run(
        [sys.executable, "-m", "hgrd", *arguments], capture_output=True, text=True, timeout=300, check=False, cwd=ROOT
    )
    printed = SECONDS.sub("N s", done.stdout)
    assert re.fullmatch(pattern(expected), printed, re.DOTALL), printed


def test_every_stage_is_shown():
    page = (ROOT / "docs" / "from-kernel-to-formulas.md").read_text()
    assert [stage for stage in STAGES if f"$ hgrd show {stage} " not in page] == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.with_suffix(".cu").exists()], ids=lambda p: p.stem)
def test_quoted_source_stands_in_the_file(page: Path):
    source = re.sub(r"#ifdef.*?#endif\n", "", page.with_suffix(".cu").read_text(), flags=re.DOTALL)
    quotes = blocks(page, "cuda")
    assert quotes
    assert [quote for quote in quotes if quote not in source] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path):
    links = LINK.findall(page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_modules_and_files_that_are_named_exist(page: Path):
    text = page.read_text()
    assert [name for name in MODULE.findall(text) if not (SOURCES / name).exists()] == []
    assert [name for name in FILE.findall(text) if not (ROOT / name).exists()] == []


def test_every_room_has_a_section():
    page = (ROOT / "docs" / "how-it-works.md").read_text()
    assert set(re.findall(r"^## (\w+)$", page, re.MULTILINE)) == set(ROOMS.split("|"))
