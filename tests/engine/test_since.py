"""Only programs that a change of git touches: by their files, headers, those that are gone, and build files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hgrd.cli.main import run
from hgrd.engine.inputs import Failure, Inputs, collect
from hgrd.engine.since import changed_since
from hgrd.source.build.build import read_build

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

KERNEL = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\nint main() { k<<<1, 32>>>(nullptr); }\n"


def git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=nobody", "-c", "user.email=nobody@nowhere")
    subprocess.run(["git", "-C", str(folder), *name, *arguments], check=True, capture_output=True, timeout=60)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two programs, each in a folder with a Makefile and a header of its own, as they are at HEAD."""
    root = tmp_path / "project"
    for name in ("one", "two"):
        (root / name).mkdir(parents=True)
        (root / name / f"{name}.h").write_text("#define WIDTH 1\n")
        (root / name / f"{name}.cu").write_text(f'#include "{name}.h"\n{KERNEL}')
        (root / name / "Makefile").write_text(f"{name}: {name}.cu\n\tnvcc -DSIZE=32 {name}.cu -o {name}\n")
    git(tmp_path, "init", "-q", str(root))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")
    return root


def since(project: Path, revision: str = "HEAD") -> Inputs:
    return changed_since(collect([str(project)]), revision, (), read_build(None, [str(project)]))


def names(inputs: Inputs) -> list[str]:
    return [Path(files[0]).name for files in inputs.programs]


def test_nothing_has_changed(project: Path, capfd: pytest.CaptureFixture[str]):
    inputs = since(project)
    assert (names(inputs), inputs.failures) == ([], ())
    assert [message.text for message in inputs.messages] == ["2 programs are as at HEAD, and not analysed"]
    assert run(["check", "--since", "HEAD", str(project)]) == 0
    assert capfd.readouterr().out.startswith("0 kernels; 0 races; ")


@pytest.mark.parametrize("file", ["two.cu", "two.h", "Makefile"])
def test_what_a_changed_file_touches(project: Path, file: str):
    with (project / "two" / file).open("a") as stream:
        stream.write("\n")
    inputs = since(project)
    assert names(inputs) == ["two.cu"]
    assert [message.text for message in inputs.messages] == ["1 program is as at HEAD, and not analysed"]


def test_a_header_that_is_gone(project: Path):
    (project / "one" / "one.h").unlink()
    assert names(since(project)) == ["one.cu"]


def test_a_new_file_that_nobody_has_added(project: Path):
    (project / "one" / "three.cu").write_text(KERNEL.replace("k", "l"))
    assert names(since(project)) == ["three.cu"]


def test_what_is_committed_since(project: Path):
    (project / "one" / "one.h").write_text("#define WIDTH 2\n")
    git(project, "commit", "-qam", "as it is")
    assert (names(since(project)), names(since(project, "HEAD~1"))) == ([], ["one.cu"])


@pytest.mark.parametrize("revision", ["nowhere", "--all"])
def test_an_unknown_revision(project: Path, revision: str):
    inputs = since(project, revision)
    assert inputs.programs == ()
    assert inputs.failures == (Failure(f"--since {revision}", f"git knows no such revision in {project}"),)


def test_a_folder_without_git(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    (tmp_path / "k.cu").write_text(KERNEL)
    assert run(["check", "--since", "HEAD", str(tmp_path / "k.cu")]) == 2
    assert capfd.readouterr() == ("", f"hgrd: error: --since HEAD: {tmp_path} is in no repository of git\n")
