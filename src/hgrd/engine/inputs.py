"""Programs in the paths that the user gives: groups of files that are linked together."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from hgrd.engine.folders import EVERYTHING_OWN, Selection, search
from hgrd.engine.linking import Linked, Unit, callers, link
from hgrd.findings.model import Message
from hgrd.program.span import NOWHERE
from hgrd.source.build.linked import linked_programs
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
    """Programs to analyse, each a group of files, the inputs that are none, and remarks on what was left out."""

    programs: tuple[tuple[str, ...], ...]
    failures: tuple[Failure, ...]
    messages: tuple[Message, ...] = ()


def collect(paths: Iterable[str], include_dirs: tuple[str, ...] = (), selection: Selection = EVERYTHING_OWN) -> Inputs:
    """The programs in files and directories; `link` says which files are a program.

    A directory gives the CUDA sources below it, and the host sources beside and above those, that its build links with
    them, or that call them.
    """
    parts = [_part(path, include_dirs, selection) for path in dict.fromkeys(paths)]
    units = {unit.file: unit for part in parts for unit in part.units}
    built = dict.fromkeys(program for part in parts for program in part.built)
    linked = link(list(units.values()), built, include_dirs)
    programs = (program for program in linked.programs if any(unit.wanted for unit in program))
    messages = (*(message for part in parts for message in part.messages), *_alone(linked))
    return Inputs(
        tuple(tuple(unit.file for unit in program) for program in programs),
        tuple(failure for part in parts for failure in part.failures),
        messages,
    )


class _Part(Struct, frozen=True):
    """What one path gives; `built` is what its builds link together."""

    units: tuple[Unit, ...] = ()
    failures: tuple[Failure, ...] = ()
    messages: tuple[Message, ...] = ()
    built: tuple[frozenset[str], ...] = ()


def _part(path: str, include_dirs: tuple[str, ...], selection: Selection) -> _Part:
    if Path(path).is_dir():
        return _part_below(path, include_dirs, selection)
    if problem := unreadable(path):
        return _Part(failures=(Failure(path, problem),))
    return _Part((replace(_unit(path, include_dirs), wanted=True),))


def _part_below(directory: str, include_dirs: tuple[str, ...], selection: Selection) -> _Part:
    found = search(directory, selection)
    files = {file: os.path.realpath(file) for file in found.files if _suffix(file) in _SOURCES | _HOST_SOURCES}
    cuda = [unit for unit in (_unit(f, include_dirs) for f in files if _suffix(f) in _SOURCES) if unit.wanted]
    if not cuda:  # with `-x cu` nvcc accepts other suffixes
        hosts = (_unit(f, include_dirs) for f in files if _suffix(f) in _HOST_SOURCES and not unreadable(f))
        cuda = [unit for unit in hosts if unit.certain]
    none = (Failure(directory, "no source with a kernel or a launch below this directory"),)
    built = linked_programs(os.path.realpath(directory), files.values())
    hosts = [file for file in _hosts_of(cuda, files, built, include_dirs) if not unreadable(file)]
    units = (*cuda, *(_unit(file, include_dirs) for file in hosts))
    return _Part(units, () if cuda else none, tuple(_left_out(found.left_out)), built)


def _hosts_of(
    cuda: Sequence[Unit], files: Mapping[str, str], built: Iterable[frozenset[str]], include_dirs: tuple[str, ...]
) -> list[str]:
    """The host sources among files (with their real paths) that belong to CUDA sources."""
    known = {unit.real for unit in cuda}
    linked_with = frozenset[str]().union(*(program for program in built if not known.isdisjoint(program)))
    folders = {folder for unit in cuda for folder in Path(unit.file).parents}
    hosts = {file: real for file, real in files.items() if _suffix(file) in _HOST_SOURCES and real not in known}
    near = {file for file, real in hosts.items() if Path(file).parent in folders or real in linked_with}
    return sorted({*near, *callers((file for file in hosts if file not in near), cuda, include_dirs)})


def _alone(linked: Linked) -> Iterator[Message]:
    """Remarks on sources that are not analysed together with what calls them."""
    for unit, count in linked.alone.items():
        if unit.wanted:
            text = f"{unit.file} belongs to {count} programs: it is analysed by itself, for any caller"
            yield Message(NOWHERE, text, error=False)


def _left_out(folders: Iterable[str]) -> Iterator[Message]:
    """Remarks on folders that were not searched and have CUDA sources."""
    for folder in folders:
        count = sum(_suffix(name) in _SOURCES for _, _, names in os.walk(folder) for name in names)
        if count:
            text = f"{folder} is left out ({count} CUDA sources): vendored code, or made by a build; --vendored has it"
            yield Message(NOWHERE, text, error=False)


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


def _unit(path: str, include_dirs: tuple[str, ...]) -> Unit:
    includes = scan(path, include_dirs, ())
    _, *others = includes.texts
    included = frozenset(map(os.path.realpath, others))
    text = includes.text
    return Unit(path, included, bool(_CUDA.search(text)), _has_main(text), bool(_CERTAIN.search(text)))


def _has_main(text: bytes) -> bool:
    """Whether there is a `main` outside comments and strings."""
    return bool(_MAIN.search(text)) and bool(_MAIN.search(_REMARK.sub(b" ", text)))


def _suffix(file: str) -> str:
    return Path(file).suffix.lower()
