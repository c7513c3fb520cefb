"""Programs in the paths that the user gives: groups of files that are linked together."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from hgrd.source.text.includes import scan

_SOURCES = frozenset({".cu", ".cuh"})
_HOST_SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx", ".cu"})  # a .cu may hold the host code alone
_CUDA = re.compile(rb"__global__|<<<|cudaLaunch(?:Cooperative)?Kernel")
_CERTAIN = re.compile(rb'\b__global__\s+void\b|[\w>]\s*<<<[^<>\n"]*,')  # not in a string or a comment
_MAIN = re.compile(rb"\bmain\s*\(")
_REMARK = re.compile(rb'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SAMPLE_BYTES = 8192


class Failure(Struct, frozen=True):
    """Input that could not be analysed; `detail` is the trace of an internal error, "" for other failures."""

    file: str
    reason: str
    detail: str = ""


class Inputs(Struct, frozen=True):
    """Programs to analyse, each a group of files, and the inputs that are none."""

    programs: tuple[tuple[str, ...], ...]
    failures: tuple[Failure, ...]


class _Unit(Struct, frozen=True):
    """Source file; `wanted`: the user named it, or it has a kernel or a launch; `main`: it has a `main`.

    `certain`: it has a kernel or a launch, not just a mention of one.  All three count what the file includes.
    """

    file: str
    includes: frozenset[str]
    wanted: bool
    main: bool
    certain: bool = False


def collect(paths: Iterable[str], include_dirs: tuple[str, ...] = ()) -> Inputs:
    """The programs in files and directories.

    A directory gives the CUDA sources below it, and the host sources beside and above those.  A file that another
    file includes is a part of that file.  The other files are one program if at most one of them has a `main`.
    Else each file with a `main` is a program of its own, together with the files of its folder if there is no
    other `main` there, and the remaining files are one program for each folder.
    """
    units: dict[str, _Unit] = {}
    failures: list[Failure] = []
    for path in dict.fromkeys(paths):
        found = list(_units_of(path, include_dirs))
        failures += [unit for unit in found if isinstance(unit, Failure)]
        units |= {unit.file: unit for unit in found if isinstance(unit, _Unit)}
    groups = _grouped(_without_included(list(units.values())))
    programs = tuple(tuple(unit.file for unit in group) for group in groups if any(unit.wanted for unit in group))
    return Inputs(programs, tuple(failures))


def _units_of(path: str, include_dirs: tuple[str, ...]) -> Iterator[_Unit | Failure]:
    if not Path(path).is_dir():
        problem = unreadable(path)
        yield Failure(path, problem) if problem else replace(_unit(path, include_dirs), wanted=True)
        return
    files = sorted(_files_below(path))
    cuda = [unit for unit in (_unit(f, include_dirs) for f in files if _suffix(f) in _SOURCES) if unit.wanted]
    if not cuda:  # with `-x cu` nvcc accepts other suffixes
        hosts = (_unit(f, include_dirs) for f in files if _suffix(f) in _HOST_SOURCES and not unreadable(f))
        cuda = [unit for unit in hosts if unit.certain]
    if not cuda:
        yield Failure(path, "no source with a kernel or a launch below this directory")
    folders = {folder for unit in cuda for folder in Path(unit.file).parents}
    yield from cuda
    known = {unit.file for unit in cuda}
    for file in files:
        beside = Path(file).parent in folders and file not in known
        if _suffix(file) in _HOST_SOURCES and beside and not unreadable(file):
            yield _unit(file, include_dirs)


def unreadable(path: str) -> str:
    """Reason why a file cannot be a source file; "" if it can."""
    try:
        with Path(path).open("rb") as stream:
            sample = stream.read(_SAMPLE_BYTES)
    except FileNotFoundError:
        return "no such file or directory"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"
    if not sample.strip():
        return "the file is empty"
    return "not a source file: it holds binary data" if b"\0" in sample else ""


def _unit(path: str, include_dirs: tuple[str, ...]) -> _Unit:
    includes = scan(path, include_dirs, ())
    _, *others = includes.texts
    included = frozenset(map(os.path.realpath, others))
    text = includes.text
    return _Unit(path, included, bool(_CUDA.search(text)), _has_main(text), bool(_CERTAIN.search(text)))


def _has_main(text: bytes) -> bool:
    """Whether there is a `main` outside comments and strings."""
    return bool(_MAIN.search(text)) and bool(_MAIN.search(_REMARK.sub(b" ", text)))


def _files_below(directory: str) -> Iterator[str]:
    for folder, subfolders, files in os.walk(directory):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        yield from (str(Path(folder) / name) for name in files)


def _suffix(file: str) -> str:
    return Path(file).suffix.lower()


def _without_included(units: Sequence[_Unit]) -> list[_Unit]:
    included = frozenset[str]().union(*(unit.includes for unit in units))
    alone = [unit for unit in units if os.path.realpath(unit.file) not in included]
    return alone or list(units)  # files that include each other


def _grouped(units: Sequence[_Unit]) -> Iterator[Sequence[_Unit]]:
    if sum(unit.main for unit in units) <= 1:
        yield units
        return
    folders: defaultdict[Path, list[_Unit]] = defaultdict(list)
    for unit in units:
        folders[Path(unit.file).parent].append(unit)
    for members in folders.values():
        if sum(unit.main for unit in members) <= 1:
            yield members
            continue
        yield from ([unit] for unit in members if unit.main)
        yield [unit for unit in members if not unit.main]
