"""What is kept of earlier runs: shown, thrown away, and told again byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hgrd.cli.main import run

SECONDS = re.compile(r'"(\w*seconds)": [\d.e-]+|\d+\.\d\d s\b')
PROGRAM = """__global__ void k(int *a) { a[threadIdx.x / 2] = threadIdx.x; }
int main() { int *a; cudaMalloc(&a, 4096); k<<<1, 64>>>(a); }
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def kept(tmp_path: Path, part: str) -> list[Path]:
    return sorted((tmp_path / "caches" / "hgrd" / part).glob("*.pickle"))


def test_a_second_run_says_the_same_but_for_seconds(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    file = tmp_path / "k.cu"
    file.write_text(PROGRAM)
    printed: list[str] = []
    for form in ("json", "text"):
        for _ in range(2):
            assert run(["check", f"--format={form}", str(file)]) == 1
            printed.append(SECONDS.sub("N", capfd.readouterr().out))
    assert printed[0] == printed[1]
    assert printed[2] == printed[3]
    assert len(kept(tmp_path, "verdicts")) == 1


def test_options_that_use_nothing_of_earlier_runs(tmp_path: Path):
    file = tmp_path / "k.cu"
    file.write_text(PROGRAM)
    assert run(["check", "--no-cache", str(file)]) == 1
    assert (kept(tmp_path, "programs"), kept(tmp_path, "verdicts")) == ([], [])
    assert run(["check", "--again", str(file)]) == 1
    assert (len(kept(tmp_path, "programs")), kept(tmp_path, "verdicts")) == (1, [])


def test_it_is_shown_and_cleared(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    file = tmp_path / "k.cu"
    file.write_text(PROGRAM)
    other = tmp_path / "caches" / "hgrd" / "mine.txt"
    other.parent.mkdir(parents=True)
    other.write_text("not ours")
    run(["check", str(file)])
    capfd.readouterr()
    assert run(["cache", "info"]) == 0
    folder, *parts = capfd.readouterr().out.splitlines()
    assert folder == str(tmp_path / "caches" / "hgrd")
    assert [re.sub(r" +[\d.]+ MiB", "", part) for part in parts[1:]] == [
        "parsed programs            1 files",
        "verdicts                   1 files",
    ]
    assert run(["cache", "clear"]) == 0
    cleared = capfd.readouterr().out.splitlines()[1:]
    assert [part.split()[-4:] for part in cleared] == [["0", "files", "0.0", "MiB"]] * 3
    assert other.read_text() == "not ours"


def test_an_empty_cache_is_shown(capfd: pytest.CaptureFixture[str]):
    assert run(["cache", "info"]) == 0
    assert [line.split()[-4:] for line in capfd.readouterr().out.splitlines()[1:]] == [["0", "files", "0.0", "MiB"]] * 3
