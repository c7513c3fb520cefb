"""Folders that are searched for sources."""

from pathlib import Path

import pytest

from hgrd.engine.folders import Selection, search


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    names = (
        "a.cu src/b.cu src/gen/c.cu third_party/x/d.cu build/e.cu out/f.cu .hidden/g.cu sub/h.cu builder/i.cu j_test.cu"
    )
    for name in names.split():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "out" / "CMakeCache.txt").touch()
    (tmp_path / "sub" / ".git").touch()
    return tmp_path


def found(tree: Path, **chosen: object) -> tuple[str, str]:
    result = search(str(tree), Selection(**chosen))  # pyright: ignore[reportArgumentType]
    files = " ".join(str(Path(f).relative_to(tree)) for f in result.files if f.endswith(".cu"))
    return files, " ".join(str(Path(f).relative_to(tree)) for f in result.left_out)


def test_vendored_and_build_folders_are_left_out(tree: Path):
    assert found(tree) == ("a.cu builder/i.cu j_test.cu src/b.cu src/gen/c.cu", "build out sub third_party")


def test_vendored_folders_are_there_when_asked_for(tree: Path):
    files = "a.cu build/e.cu builder/i.cu j_test.cu out/f.cu src/b.cu src/gen/c.cu sub/h.cu third_party/x/d.cu"
    assert found(tree, vendored=True) == (files, "")


def test_a_vendored_folder_that_is_named_is_searched(tree: Path):
    assert found(tree / "third_party") == ("x/d.cu", "")
    assert found(tree / "build") == ("e.cu", "")


def test_submodules_are_left_out(tree: Path):
    (tree / ".gitmodules").write_text('[submodule "x"]\n\tpath = src/gen\n\turl = there\n')
    assert found(tree) == ("a.cu builder/i.cu j_test.cu src/b.cu", "build out src/gen sub third_party")


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("src", "a.cu builder/i.cu j_test.cu"),
        ("src/", "a.cu builder/i.cu j_test.cu"),
        ("src/gen", "a.cu builder/i.cu j_test.cu src/b.cu"),
        ("gen", "a.cu builder/i.cu j_test.cu src/b.cu"),
        ("*_test.cu", "a.cu builder/i.cu src/b.cu src/gen/c.cu"),
        ("src/*.cu", "a.cu builder/i.cu j_test.cu"),
        ("b", "a.cu builder/i.cu j_test.cu src/b.cu src/gen/c.cu"),
    ],
)
def test_what_a_pattern_names_is_left_out(tree: Path, pattern: str, files: str):
    assert found(tree, exclude=(pattern,))[0] == files
