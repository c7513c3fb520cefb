"""How much of a corpus the front end understands: kernels with bodies, launches with configurations.

    python benchmarks/frontend_survey.py FOLDER [--programs GLOB] [--report FILE]

Every folder that matches GLOB below FOLDER is one program: its sources that speak of CUDA, and that no
other one includes, are parsed with its own header folders, its Makefile's literal flags and `-I` as
include paths.  The denominator is text: definitions of `__global__` functions and `<<<` in the program's
files, without comments and `#if 0`; what other conditions switch off counts as lost.  A kernel is found
when its body is lowered, a launch when its configuration is.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from msgspec import Struct

from hgrd.program.expressions import Launch
from hgrd.program.program import Program, Side
from hgrd.source.build.makefile import makefile_flags
from hgrd.source.options import SourceError, SourceOptions
from hgrd.source.parse import parse_file
from hgrd.source.text.includes import scan

SOURCES = (".cu", ".cpp", ".cc", ".c", ".cxx")
HEADERS = (".h", ".hpp", ".cuh", ".hh", ".inl", ".hxx", ".cu", ".incl")
SECONDS = 60

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
_KERNEL = re.compile(r"__global__\b(?P<head>[^;{}]*?)(?P<name>\w+)\s*\((?P<rest>[^;{}]*?)\)\s*(?:\w+\s*)?\{", re.S)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)*[^\n]*", re.M)
_ATTRIBUTE = re.compile(r"__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)|__attribute__\s*\(\(.*?\)\)", re.S)


@dataclass(slots=True)
class File:
    """What one file gave: keys are "path:name" for kernels, "path:line" for launches."""

    path: str
    seconds: float = 0.0
    failure: str = ""
    errors: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    kernels: list[str] = field(default_factory=list[str])
    templates: list[str] = field(default_factory=list[str])
    launches: list[str] = field(default_factory=list[str])
    unsupported: list[str] = field(default_factory=list[str])


def stripped(text: str) -> str:
    """The text without comments and string contents; lines keep their numbers."""
    return _COMMENT.sub(lambda found: " " + "\n" * found[0].count("\n"), text)


def expected(path: str) -> tuple[set[str], dict[str, str]]:
    """Keys of the kernels that a file defines and of the launches in it, by its text.

    A launch comes with the name of the macro in whose definition it stands, or "".
    """
    text = _without_if_0(stripped(Path(path).read_text("latin-1")))
    plain = _ATTRIBUTE.sub(lambda found: "\n" * found[0].count("\n"), text)
    kernels = {f"{path}:{found['name']}" for found in _KERNEL.finditer(plain)}
    macros = [(found.start(), found.end(), found[1]) for found in _MACRO.finditer(text)]
    launches: dict[str, str] = {}
    for found in re.finditer(r"<<<(?!<)", text):
        key = f"{path}:{text.count(chr(10), 0, found.start()) + 1}"
        launches[key] = next((name for start, end, name in macros if start <= found.start() < end), "")
    return kernels, launches


def _without_if_0(text: str) -> str:
    """Blank what stands between `#if 0` and its end."""
    lines: list[str] = []
    depth = dead = 0
    for line in text.split("\n"):
        word = line.strip().replace("# ", "#")
        if word.startswith("#if"):
            depth += 1
            if not dead and re.match(r"#if\s+0\b", word):
                dead = depth
        elif word.startswith("#endif"):
            if dead == depth:
                dead = 0
            depth -= 1
        elif dead == depth and word.startswith("#el"):
            dead = 0
        lines.append("" if dead else line)
    return "\n".join(lines)


def _nodes(root: object) -> Iterator[object]:
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif isinstance(node, Struct):
            yield node
            stack.extend(getattr(node, name) for name in node.__struct_fields__ if name not in {"span", "type"})


def _summary(program: Program, file: File) -> None:
    file.errors = [f"{d.span}: {d.message}" for d in program.diagnostics if d.error]
    file.missing = list(program.missing_includes)
    file.templates = [f"{_path(span.file)}:{name}" for name, span in ((t.name, t.span) for t in program.uninstantiated)]
    launches: set[str] = set()
    for function in program.functions.values():
        if function.body is None:
            continue
        if function.side is Side.KERNEL:
            file.kernels.append(f"{_path(function.span.file)}:{function.ref.name}")
        for node in _nodes(function.body):
            if isinstance(node, Launch):
                span = node.span
                launches.add(f"{_path(span.file)}:{span.line}")
                if span.spelling is not None:
                    launches.add(f"{_path(span.spelling.file)}:{span.spelling.line}")
            elif type(node).__name__.startswith("Unsupported"):
                file.unsupported.append(str(getattr(node, "reason", "")))
    file.launches = sorted(launches)


def _path(file: str) -> str:
    return os.path.realpath(file)


def _work(path: str, options: SourceOptions, to: Connection) -> None:
    file = File(path)
    start = time.perf_counter()
    try:
        program = parse_file(path, options)
        file.seconds = time.perf_counter() - start
        _summary(program, file)
    except SourceError as error:
        file.failure = str(error)
    except Exception:
        file.failure = traceback.format_exc(limit=-4)
    to.send(asdict(file))


def survey_file(path: str, options: SourceOptions) -> File:
    """Parse a file in a process of its own, for at most SECONDS."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_work, args=(path, options, sender))
    start = time.perf_counter()
    process.start()
    sender.close()
    try:
        if receiver.poll(SECONDS):
            return File(**receiver.recv())
        return File(path, time.perf_counter() - start, f"took more than {SECONDS} seconds")
    except EOFError:
        return File(path, time.perf_counter() - start, "the process died")
    finally:
        process.kill()
        process.join()


def _files(root: Path, endings: tuple[str, ...]) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.suffix.lower() in endings and path.is_file())


def _speaks_of_cuda(path: Path) -> bool:
    return path.suffix == ".cu" or re.search(rb"__global__|<<<|\bcuda", path.read_bytes()) is not None


@dataclass(slots=True)
class Survey:
    """What a program's files gave, and what its text promises."""

    files: list[File] = field(default_factory=list[File])
    kernels: set[str] = field(default_factory=set[str])
    launches: dict[str, str] = field(default_factory=dict[str, str])

    def lost_kernels(self) -> list[str]:
        return sorted(self.kernels - {key for file in self.files for key in file.kernels})

    def lost_launches(self) -> list[str]:
        """A launch is found up to seven lines above its `<<<`; that of a macro where the macro is used."""
        found = {key for file in self.files for key in file.launches}
        near = {
            f"{path}:{int(line) + below}" for path, _, line in (k.rpartition(":") for k in found) for below in range(8)
        }
        words = {word for key in found for word in re.findall(r"\w+", _line_at(key))}
        return sorted(k for k, macro in self.launches.items() if not (macro in words if macro else k in near))


def _line_at(key: str) -> str:
    path, _, line = key.rpartition(":")
    lines = Path(path).read_text("latin-1").split("\n") if Path(path).is_file() else []
    return lines[int(line) - 1] if 0 < int(line) <= len(lines) else ""


def _included(path: Path, dirs: tuple[str, ...]) -> Iterator[Path]:
    _, *others = scan(str(path), dirs, ()).texts
    yield from (Path(other).resolve() for other in others)


def survey_program(root: Path, include_dirs: tuple[str, ...]) -> Survey:
    """Parse all sources of a program."""
    own = dict.fromkeys(str(path.parent) for path in [root / "x", *_files(root, HEADERS)])
    survey = Survey()
    sources = _files(root, SOURCES)
    included = {str(other) for path in sources for other in _included(path, tuple(own))}
    for path in sources:
        if not _speaks_of_cuda(path) or str(path.resolve()) in included:
            continue
        beside, above = makefile_flags(str(path.parent)), makefile_flags(str(root))
        options = SourceOptions(
            include_dirs=tuple(dict.fromkeys((*beside.include_dirs, *above.include_dirs, *own, *include_dirs))),
            defines=tuple(dict.fromkeys((*beside.defines, *above.defines))),
            standard=beside.standard or above.standard,
        )
        survey.files.append(survey_file(str(path.resolve()), options))
    for path in _files(root, tuple({*SOURCES, *HEADERS})):
        kernels, launches = expected(str(path.resolve()))
        survey.kernels |= kernels
        survey.launches |= launches
    return survey


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / max(1, whole):.1%})"


def _report(surveys: list[Survey], title: str) -> str:
    files = [file for survey in surveys for file in survey.files]
    lost_kernels = [key for survey in surveys for key in survey.lost_kernels()]
    lost_launches = [key for survey in surveys for key in survey.lost_launches()]
    kernels = sum(len(survey.kernels) for survey in surveys)
    launches = sum(len(survey.launches) for survey in surveys)
    times = sorted(file.seconds for file in files) or [0.0]
    causes = Counter(re.sub(r"'[^']*'", "'…'", error.split(": ", 1)[-1]) for file in files for error in file.errors)
    missing = Counter(header for file in files for header in file.missing)
    unsupported = Counter(reason for file in files for reason in file.unsupported)
    print(json.dumps({"lost_kernels": lost_kernels, "lost_launches": lost_launches}, indent=1), file=sys.stderr)
    return "\n".join(
        [
            f"## {title}",
            "",
            "| | |",
            "|---|---|",
            f"| programs, files | {len(surveys)}, {len(files)} |",
            f"| files without an error | {_share(sum(not f.errors and not f.failure for f in files), len(files))} |",
            f"| files that failed altogether | {sum(bool(file.failure) for file in files)} |",
            f"| kernels lowered | {_share(kernels - len(lost_kernels), kernels)} |",
            f"| launches lowered | {_share(launches - len(lost_launches), launches)} |",
            f"| seconds a file | median {times[len(times) // 2]:.2f}, 95 % {times[int(len(times) * 0.95)]:.2f},"
            f" most {times[-1]:.1f} |",
            "",
            "Errors by message:",
            "",
            *(f"- {count} × {cause}" for cause, count in causes.most_common(15)),
            "",
            "Headers that are nowhere: " + ", ".join(f"{name} ({n})" for name, n in missing.most_common(25)) + ".",
            "",
            "Unsupported: " + ", ".join(f"{name} ({n})" for name, n in unsupported.most_common(15)) + ".",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--programs", default="*", help="which folders below are programs (default: %(default)s)")
    parser.add_argument("-I", dest="include", action="append", default=[], help="an include path for all of them")
    parser.add_argument("--report", type=Path, help="append the table to this file")
    parser.add_argument("--details", type=Path, help="write what was found in every file, as JSON")
    parser.add_argument("--title")
    arguments = parser.parse_args()
    surveys: dict[str, Survey] = {}
    for root in sorted(path for path in arguments.folder.glob(arguments.programs) if path.is_dir()):
        if root.name != "include" and _files(root, (".cu",)):
            print(root, file=sys.stderr)
            surveys[str(root)] = survey_program(root, tuple(arguments.include))
    report = _report(list(surveys.values()), arguments.title or arguments.folder.name)
    print(report)
    if arguments.report:
        with arguments.report.open("a", encoding="utf-8") as file:
            file.write(report + "\n")
    if arguments.details:
        details = {name: [asdict(file) for file in survey.files] for name, survey in surveys.items()}
        arguments.details.write_text(json.dumps(details, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
