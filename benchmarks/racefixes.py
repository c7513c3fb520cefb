#!/usr/bin/env python3
"""Runs hgrd before and after fixes of races in real projects, and says which of them it would have found.

    python -m benchmarks.racefixes --entries racefixes.json --mirror DIR [--out results.json] [--only TEXT] [-j N]

An entry has `repo` (OWNER/NAME: its git directory is DIR/OWNER+NAME/repo), `file` and `kernel` (several by `;` or `,`),
and the commits `before` and `after`.  The sources of both are laid out in a temporary folder; a header is looked at
through sources that include it.  A fix is found if, before, there is a race or a divergent barrier in one of the
kernels that is not there after, whatever its confidence; two writes of the same value do not count.  Findings are
compared by kernel, memory and the text of the lines.  What is named but no kernel is a function: then findings in the
files count.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from benchmarks.projects import Watch, in_text
from hgrd.engine.check import Limits, check
from hgrd.engine.run.settings import Settings
from hgrd.findings.model import KernelReport, Outcome, Report, Site
from hgrd.findings.options import AnalysisOptions
from hgrd.program.span import Span
from hgrd.source.build.build import read_build
from hgrd.source.options import SourceOptions
from hgrd.source.text.includes import IncludedFiles

Entry = dict[str, Any]
_SOURCES = (".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".c", ".cc", ".cpp", ".cxx", ".in")
_BUILDS = ("CMakeLists.txt", "Makefile", "makefile", "GNUmakefile")
_MOST_INCLUDERS = 2  # of a header
_WORDS = 12  # of a reason


class Race(Struct, frozen=True):
    """Finding that can be told in another version of the file: `lines` are the texts of the lines that it is about."""

    kernel: str
    memory: str
    lines: tuple[str, ...]
    confidence: str
    place: str

    def same_as(self, other: Race) -> bool:
        """Whether both are about the same lines."""
        return (self.kernel, self.memory, self.lines) == (other.kernel, other.memory, other.lines)


class Version(Struct, frozen=True):
    """What hgrd says of one commit: verdicts by kernel, `races`, what is `open`, and `reasons` why it says no more."""

    kernels: dict[str, str]
    races: tuple[Race, ...]
    reasons: tuple[str, ...]
    stopped: str = ""
    open: tuple[Race, ...] = ()


class Outcomes(Struct, frozen=True):
    """Row of the table; `parsed` and `found` are None where the fix could not be looked at.

    `left` are races that are there after, too, or not decided then; `after` are the verdicts then.
    """

    fix: str
    parsed: bool | None
    found: tuple[Race, ...] | None
    left: tuple[Race, ...]
    reason: str
    after: str = ""


# ---------------------------------------------------------------- what an entry says


def names_in(entry: Entry) -> tuple[str, ...]:
    """The functions that an entry names, without their namespaces and remarks."""
    words = (re.sub(r"\(.*?\)", "", part).split() for part in re.split(r"[,;]", entry["kernel"]))
    return tuple(dict.fromkeys(found[0].rpartition("::")[2] for found in words if found))


def files_in(entry: Entry) -> tuple[str, ...]:
    """The files that an entry names."""
    return tuple(part.strip() for part in re.split(r"[,;]", entry["file"]) if part.strip())


def translated(tree: Path, file: str, names: Iterable[str]) -> tuple[str, ...]:
    """The sources through which a file of the tree is looked at: itself, or a few that include it, the likely first."""
    if Path(file).suffix == ".cu":
        return (file,) if (tree / file).is_file() else ()
    header = os.path.realpath(tree / file)
    included = IncludedFiles(_directories(tree, file))
    users = {path: below for path in tree.rglob("*.cu") if header in (below := included.below(str(path)))}

    def rank(path: Path) -> tuple[bool, int, str]:
        text = path.read_text("utf-8", "replace")
        return not any(name in text for name in names), len(users[path]), str(path)

    return tuple(str(path.relative_to(tree)) for path in sorted(users, key=rank)[:_MOST_INCLUDERS])


def _directories(tree: Path, file: str) -> tuple[str, ...]:
    """Folders above a file, and those for headers in them."""
    above = [tree / folder for folder in Path(file).parents]
    return tuple(str(folder / name) for folder in above for name in ("", "include", "src") if (folder / name).is_dir())


# ---------------------------------------------------------------- one version


def git_directory(mirror: Path, repo: str) -> Path:
    """The git directory of OWNER/NAME in a mirror."""
    folder = mirror / repo.replace("/", "+") / "repo"
    return folder / ".git" if (folder / ".git").is_dir() else folder


def _is_there(repo: Path, commit: str) -> bool:
    asked = ["git", "--git-dir", str(repo), "cat-file", "-e", commit]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def lay_out(repo: Path, commit: str, target: Path) -> None:
    """Write the sources of a commit below a folder; what the mirror lacks is left out."""
    git = ["git", "--git-dir", str(repo)]
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", commit], capture_output=True, check=True).stdout
    entries = [line.split(b"\t", 1) for line in listing.split(b"\0") if line]
    wanted = [(os.fsdecode(name), head.split()[2]) for head, name in entries if head.split()[1] == b"blob"]
    wanted = [(name, blob) for name, blob in wanted if name.endswith(_SOURCES) or Path(name).name in _BUILDS]
    asked = b"".join(blob + b"\n" for _, blob in wanted)
    offline = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    answer = subprocess.run(
        [*git, "cat-file", "--batch"], input=asked, capture_output=True, env=offline, check=True
    ).stdout
    at = 0
    for name, _ in wanted:
        end = answer.index(b"\n", at)
        head, at = answer[at:end].split(), end + 1
        if len(head) == 3:
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(answer[at : at + int(head[2])])
            at += int(head[2]) + 1


def look_at(tree: Path, files: Sequence[str], entry: Entry, limits: Limits) -> Version:
    """What hgrd says of the files of a tree about the functions of an entry."""
    include = tuple(dict.fromkeys(directory for file in files for directory in _directories(tree, file)))
    paths = [str(tree / file) for file in files]
    kernels, _ = in_text(paths, include)
    named = tuple(name for name in names_in(entry) if name in kernels.values())
    source = SourceOptions(include_dirs=include, kernels=named)
    settings = Settings(source, read_build(None, [str(tree)]), AnalysisOptions(kernels=named), replay=False)
    checked = check(paths, settings, limits, Watch())
    reasons = [failure.reason for failure in checked.failures]
    return version_of(checked.report, tree, () if named else files_in(entry), reasons)


def version_of(report: Report | None, tree: Path, files: Sequence[str], failures: Iterable[str]) -> Version:
    """The report in short; if there are `files`, only what is about them counts."""
    reported = report.kernels if report else ()
    wanted = [os.path.realpath(tree / file) for file in files]
    races = [
        race
        for kernel in reported
        for race, spans in _races(kernel)
        if not wanted or any(os.path.realpath(span.file) in wanted for span in spans)
    ]
    reasons = Counter(short(reason) for kernel in reported for reason in _open(kernel))
    errors = [message.text for message in report.messages if message.error] if report else []
    return Version(
        {kernel.kernel: kernel.outcome.value for kernel in reported},
        tuple(races),
        tuple(dict.fromkeys((*failures, *(reason for reason, _ in reasons.most_common(3)), *errors[:3]))),
        report.stopped if report else "",
        tuple(dict.fromkeys(race for kernel in reported for race in _undecided(kernel))),
    )


def _races(kernel: KernelReport) -> Iterator[tuple[Race, tuple[Span, ...]]]:
    for f in kernel.findings:
        if not f.same_value:
            spans = (f.first.span, f.second.span)
            lines = _lines(f.first, f.second)
            yield Race(kernel.kernel, f.space.value, lines, f.confidence.value, _place(spans)), spans
    for d in kernel.divergences:
        lines = (d.rule.value, _line(d.span))
        yield Race(kernel.kernel, "barrier", lines, d.confidence.value, _place((d.span,))), (d.span,)


def _lines(*sites: Site) -> tuple[str, ...]:
    return tuple(sorted(f"{site.kind.value} {_line(site.span)}" for site in sites))


def _undecided(kernel: KernelReport) -> Iterator[Race]:
    for pair in (pair for launch in kernel.launches for pair in launch.open_pairs):
        if pair.first is not None and pair.second is not None and pair.space is not None:
            place = _place((pair.first.span, pair.second.span))
            yield Race(kernel.kernel, pair.space.value, _lines(pair.first, pair.second), "", place)


def _place(spans: Iterable[Span]) -> str:
    return " and ".join(dict.fromkeys(f"{Path(span.file).name}:{span.line}" for span in spans))


def _line(span: Span) -> str:
    try:
        return " ".join(Path(span.file).read_text("utf-8", "replace").splitlines()[span.line - 1].split())
    except (OSError, IndexError):
        return ""


def _open(kernel: KernelReport) -> Iterator[str]:
    if kernel.outcome is Outcome.UNKNOWN:
        yield from (pair.reason for launch in kernel.launches for pair in launch.open_pairs)


def short(reason: str) -> str:
    """A reason without names and numbers."""
    return " ".join(re.sub(r"\([^)]*\)|'[^']*'|\d+", "…", reason).split()[:_WORDS])


# ---------------------------------------------------------------- before and after


def compared(fix: str, before: Version, after: Version) -> Outcomes:
    """What came of a fix: races that are gone, those that are left, and why no more was found."""
    gone = tuple(race for race in before.races if not any(race.same_as(x) for x in (*after.races, *after.open)))
    left = tuple(race for race in before.races if race not in gone)
    verdicts = "/".join(dict.fromkeys(after.kernels.values()))
    if not before.kernels or not after.kernels:
        missing = before if not before.kernels else after
        which = "before" if missing is before else "after"
        return Outcomes(fix, False, (), left, f"not parsed: {which}: {'; '.join(missing.reasons[:2]) or 'no kernel'}")
    if before.races and after.stopped:
        return Outcomes(fix, True, (), before.races, f"stopped after: {after.stopped}", verdicts)
    return Outcomes(fix, True, gone, left, "" if gone else _why(before, left), verdicts)


def _why(before: Version, left: Sequence[Race]) -> str:
    if left:
        return f"the races are there after, too, or open: {len(left)}, {left[0].place}"
    if before.stopped:
        return f"stopped: {before.stopped}"
    if Outcome.UNKNOWN.value in before.kernels.values():
        return f"unknown: {'; '.join(before.reasons[:2])}"
    return "called safe"


def outcome(entry: Entry, mirror: Path, limits: Limits) -> Outcomes:
    """What comes of one entry."""
    fix = f"{entry['repo']} {entry['ref']}"
    repo = git_directory(mirror, entry["repo"])
    if not entry["before"] or not entry["after"]:
        return Outcomes(fix, None, None, (), "skipped: the commits are not known")
    if not all(_is_there(repo, commit) for commit in (entry["before"], entry["after"])):
        return Outcomes(fix, None, None, (), "skipped: not in the mirror")
    versions: list[Version] = []
    for commit in (entry["before"], entry["after"]):
        with tempfile.TemporaryDirectory(prefix="racefixes-") as folder:
            tree = Path(folder).resolve()
            lay_out(repo, commit, tree)
            names = names_in(entry)
            files = tuple(dict.fromkeys(x for file in files_in(entry) for x in translated(tree, file, names)))
            if not files:
                return Outcomes(fix, False, (), (), "not parsed: no source of these names, or that includes them")
            versions.append(look_at(tree, files, entry, limits))
    return compared(fix, *versions)


def table(rows: Iterable[Outcomes]) -> Iterator[str]:
    """The results as Markdown."""
    yield "| fix | parsed | found before, gone after | left | verdicts after | otherwise |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        parsed = {None: "-", True: "yes", False: "no"}[row.parsed]
        found = "; ".join(f"{race.kernel} {race.place} ({race.confidence})" for race in (row.found or ())[:3])
        more = len(row.found or ()) - 3
        cells = (
            row.fix,
            parsed,
            found + (f"; {more} more" if more > 0 else "") or "no",
            len(row.left),
            row.after,
            row.reason,
        )
        yield f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def summary(rows: Sequence[Outcomes]) -> Iterator[str]:
    """How many were found of those that parse, and the others by cause."""
    parsed = [row for row in rows if row.parsed]
    yield f"{len(rows)} fixes, {len(parsed)} parsed, {sum(bool(row.found) for row in parsed)} found"
    causes = Counter(row.reason.partition(":")[0] for row in rows if not row.found)
    yield from (f"  {count} {cause}" for cause, count in causes.most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--total-timeout", type=float, default=240.0, help="seconds for each version of a program")
    given = parser.parse_args()
    rows: list[Outcomes] = []
    for entry in json.loads(given.entries.read_text())["entries"]:
        if given.only in f"{entry['repo']} {entry['ref']}":
            rows.append(outcome(entry, given.mirror, Limits(given.jobs, given.total_timeout)))
            print(list(table(rows))[-1], flush=True)
            if given.out:
                given.out.write_text(json.dumps(to_builtins(rows), indent=1))
    print("", *table(rows), "", *summary(rows), sep="\n")


if __name__ == "__main__":
    main()
