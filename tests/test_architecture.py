"""What must not drift: who imports whom, how large things are, what the repository may say."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.import_graph import (
    MODULES,
    PACKAGE,
    circles,
    imported,
    module_graph,
    module_name,
    package_graph,
    parameters,
)

ROOT = Path(__file__).parents[1]
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
INSIDE = {
    "symbolic": ("memory", "loops", "execution"),
    "host": (
        "linking",
        "memory",
        "provenance",
        "concurrency",
        "sharing",
        "execution",
        "launches",
        "library",
        "device_work",
        "escapes",
        "semantics",
        "run",
    ),
    "protocol": ("inference", "device_calls", "infer"),
    "races": (
        "threads",
        "barriers",
        "acquire_release",
        "atomic_updates",
        "sync",
        "encoding",
        "results",
        "plausibility",
        "preconditions",
        "pairs",
    ),
    "simulate": ("lockstep", "lockstep.device", "lockstep.execute", "replay", "program_run"),
}
"""The order of packages and modules inside of rooms; what is not named has none but that there are no circles."""
MOST_LINES = 400
MOST_MODULES = 15
MOST_PARAMETERS = 8
OUTSIDE = {"__init__.py", "__main__.py"}


def room_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0]


def name(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_room_imports_only_what_stands_left_of_it(module: Path):
    room = room_of(module)
    if room in OUTSIDE:
        return
    assert room in ROOMS
    allowed = ROOMS[: ROOMS.index(room) + 1]
    rooms = [(line, other.split(".")[0]) for line, other in imported(module) if other != "__version__"]
    assert [(line, other) for line, other in rooms if other not in allowed] == []


def place_inside(room: str, module: str) -> int | None:
    """How far right a module stands in the order of its room; None where it has no place in it."""
    inner = module.removeprefix(f"{room}.")
    holding = [place for place in INSIDE[room] if inner == place or inner.startswith(f"{place}.")]
    return INSIDE[room].index(max(holding, key=len)) if holding else None


def test_inside_of_a_room_packages_import_only_what_stands_left_of_them():
    found: set[str] = set()
    for module, others in module_graph().items():
        room = module.split(".")[0]
        place = place_inside(room, module) if room in INSIDE else None
        inside = [other for other in others if place is not None and other.startswith(f"{room}.")]
        places = {other: place_inside(room, other) for other in inside}
        found |= {f"{module} -> {other}" for other, right in places.items() if right is not None and right > place}
    assert found == set()


def test_the_interleaving_executor_shares_nothing_with_what_it_is_compared_to():
    """It is the oracle of the lock-step executor, so it imports neither that nor what stands on it."""
    walled = ("simulate.lockstep", "simulate.replay", "simulate.execute", "simulate.trial")
    shared = {
        f"{module} -> {other}"
        for module, others in module_graph().items()
        if module.startswith("simulate.interleaving")
        for other in others
        if other.startswith(walled)
    }
    assert shared == set()


def test_no_module_is_in_a_circle():
    assert [sorted(circle) for circle in circles(module_graph())] == []


def test_no_package_is_in_a_circle():
    assert [sorted(circle) for circle in circles(package_graph())] == []


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"e"}}
    assert circles({module: frozenset(others) for module, others in graph.items()}) == {frozenset("bc"), frozenset("e")}


def test_processes_are_only_in_engine_and_compilers_only_in_source():
    words = re.compile(r"\b(?:multiprocessing|concurrent\.futures|os\.fork|subprocess)\b")
    users = {room_of(module) for module in MODULES if words.search(module.read_text())}
    assert users <= {"engine", "source"}


def test_modules_can_be_read_in_one_sitting():
    assert {name(module) for module in MODULES if len(module.read_text().splitlines()) > MOST_LINES} == set()


def test_packages_can_be_taken_in_at_a_glance():
    sizes = Counter(str(module.parent.relative_to(PACKAGE)) for module in MODULES if module.name != "__init__.py")
    assert {package: size for package, size in sizes.items() if size > MOST_MODULES} == {}


def test_functions_have_few_parameters():
    many = {
        f"{module_name(module)}:{function}"
        for module in MODULES
        for function, number in parameters(module)
        if number > MOST_PARAMETERS
    }
    assert many == set()


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
