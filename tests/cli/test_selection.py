"""What of a directory is analysed, and together with what."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.cli.main import run

KERNEL = "__global__ void fill(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }\n"
LAUNCHER = KERNEL + "void launch(int *a, int n) { fill<<<1, 32>>>(a, n); }\n"


def caller(count: int) -> str:
    called = f"int *a; cudaMalloc(&a, 128); launch(a, {count});"
    return f"void launch(int *a, int n);\nint main() {{ {called} return 0; }}\n"


def tree(folder: Path, **files: str) -> str:
    for name, text in files.items():
        path = folder / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return str(folder)


@pytest.mark.parametrize(("count", "status"), [(32, 0), (16, 1)])
def test_a_caller_in_another_program_counts(
    tmp_path: Path, count: int, status: int, capsys: pytest.CaptureFixture[str]
):
    """One program alone would say that the kernel is safe."""
    files = tree(tmp_path, x_in_k__cu=LAUNCHER, x_in_main__cu=caller(32), y_in_main__cu=caller(count))
    assert run(["check", files]) == status
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("fill: ") for line in lines) == 2  # whichever program comes first


def test_a_launch_in_another_program_counts(tmp_path: Path):
    direct = (
        "__global__ void fill(int *a, int n);\nint main() { int *a; cudaMalloc(&a, 128); fill<<<1, 32>>>(a, 16); }\n"
    )
    files = tree(tmp_path, x_in_k__cu=LAUNCHER, x_in_main__cu=caller(32), y_in_main__cu=direct)
    assert run(["check", files]) == 1
    assert run(["check", str(tmp_path / "x")]) == 0


@pytest.mark.parametrize("command", [["check"], ["facts"], ["show", "protocol"]])
def test_what_is_left_out_is_said(tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]):
    files = tree(tmp_path, main__cu=LAUNCHER + caller(32), vendor_in_bad__cu=KERNEL)
    assert run([*command, files]) == 0
    said = f"hgrd: warning: {files}/vendor is left out (1 CUDA sources): vendored code, or made by a build"
    assert capsys.readouterr().err == f"{said}; --vendored has it\n"


def test_vendored_code_can_be_asked_for(tmp_path: Path):
    racy = LAUNCHER.replace("fill", "bad") + caller(16)
    files = tree(tmp_path, main__cu=LAUNCHER + caller(32), vendor_in_bad__cu=racy, more_in_bad__cu=racy)
    assert run(["check", files, "--exclude", "more"]) == 0
    assert run(["check", files]) == 1
    assert run(["check", files, "--exclude", "more", "--vendored"]) == 1
    assert run(["check", files, "--exclude", "*.cu"]) == 2
