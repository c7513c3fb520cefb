"""What must not drift: who imports whom, how long modules are, what the repository may say."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "hgrd"
ROOMS = (
    "cuda",
    "terms",
    "program",
    "symbolic",
    "source",
    "host",
    "protocol",
    "solve",
    "findings",
    "races",
    "simulate",
    "report",
    "engine",
    "cli",
)
MOST_LINES = 450
OUTSIDE = {"__init__.py", "__main__.py"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0]


def imported_rooms(module: Path) -> Iterator[tuple[int, str]]:
    """(line, room) of each import from hgrd, wherever in the module it stands."""
    for node in ast.walk(ast.parse(module.read_text())):
        match node:
            case ast.Import(names=names):
                found = [name.name for name in names]
            case ast.ImportFrom(module=str(name), level=0, names=names):
                found = [f"{name}.{x.name}" for x in names] if name == "hgrd" else [name]
            case ast.ImportFrom():
                found = ["hgrd.<relative import>"]
            case _:
                continue
        for name in found:
            if name.startswith("hgrd.") and name != "hgrd.__version__":
                yield node.lineno, name.split(".")[1]


def name(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_room_imports_only_what_stands_left_of_it(module: Path):
    room = room_of(module)
    if room in OUTSIDE:
        return
    assert room in ROOMS
    allowed = ROOMS[: ROOMS.index(room) + 1]
    assert [(line, other) for line, other in imported_rooms(module) if other not in allowed] == []


def test_processes_are_only_in_engine_and_compilers_only_in_source():
    words = re.compile(r"\b(?:multiprocessing|concurrent\.futures|os\.fork|subprocess)\b")
    users = {room_of(module) for module in MODULES if words.search(module.read_text())}
    assert users <= {"engine", "source"}


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_modules_can_be_read_in_one_sitting(module: Path):
    assert len(module.read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_modules_say_what_they_are(module: Path):
    text = module.read_text()
    assert not text or ast.get_docstring(ast.parse(text))
    assert module.stem != "utils"


def test_every_room_is_a_package_with_a_docstring():
    folders = {path.name for path in PACKAGE.iterdir() if list(path.rglob("*.py"))}
    assert folders <= set(ROOMS)
    for folder in folders:
        assert ast.get_docstring(ast.parse((PACKAGE / folder / "__init__.py").read_text()))


def repository_files() -> list[Path]:
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / file for file in done.stdout.split("\0") if file]
    return [file for file in files if file.is_file() and file != Path(__file__)]


def test_the_repository_names_no_machine_and_no_registry():
    private = re.compile(
        r"(?:(?<![\w.])/(?:work|home|root|Users)/\w)|\bpypi\.org\b|\bpythonhosted\b|\bindex-url\b|\bartifactory\b", re.I
    )
    said = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in repository_files()
        for number, line in enumerate(file.read_text("utf-8", "replace").split("\n"), 1)
        if private.search(line)
    ]
    assert said == []
