#!/usr/bin/env python3
"""Runs hgrd over real projects as a user would, and says what they got.

    python -m benchmarks.projects --manifest projects.json --root DIR [--out results.json] [--only SUBSTR] [-j N]
    python -m benchmarks.projects --out results.json --sample 40 [--seed S]

An entry of the manifest has `repo` (OWNER/NAME: its files are in DIR/NAME), `paths` to check and `include` paths.  For
each the table has: kernels and launches that were found, of those in the text; kernels by verdict; findings by how sure
they are; seconds to the first verdict and to the end; the most memory that its processes had at one time; and why
kernels are unknown.  What was not found is listed below the table.  `--sample` draws findings at random instead (races
and divergent barriers of all projects in the results, but for two writes of the same value) and prints the seed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from hgrd.engine.check import Checked, Limits, check
from hgrd.engine.inputs import Failure, collect
from hgrd.engine.run.news import Progress
from hgrd.engine.run.settings import Settings
from hgrd.findings.model import KernelReport, Message, Outcome, Report
from hgrd.findings.options import AnalysisOptions
from hgrd.report.json import document
from hgrd.source.build.build import read_build
from hgrd.source.options import SourceOptions
from hgrd.source.text.includes import scan

Record = dict[str, Any]
Place = tuple[str, int]
_BLANKED = re.compile(
    rb'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE
)
_KERNEL = re.compile(rb"\b__global__\b[^;{}]*?\b(\w+)\s*\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\)\s*\{")
_LAUNCH = re.compile(rb"\w\s*(?:<[^<>;{}]*(?:<[^<>;{}]*>[^<>;{}]*)*>)?\s*<<<")
_NEVER = "the program never makes this launch"  # found, but constants of the program rule it out
_NEAR = 3  # lines: a launch may be written over several
_WORDS = 12  # of a reason


class Watch:
    """Listener of a run: when the first verdict came, and the memory of all its processes."""

    def __init__(self) -> None:
        self.begin = perf_counter()
        self.first: float | None = None
        self.peak = 0

    def messages(self, messages: tuple[Message, ...]) -> None:
        """Not counted."""

    def kernel(self, report: KernelReport) -> None:
        if self.first is None:
            self.first = perf_counter() - self.begin

    def failure(self, failure: Failure) -> None:
        """The result has them."""

    def progress(self, progress: Progress) -> None:
        self.peak = max(self.peak, sum(_memory(process) for process in _below(os.getpid())))


def _below(process: int) -> set[int]:
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {process}
    while more := {p for p, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _memory(process: int) -> int:
    """Bytes of a process; what several share counts in parts."""
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


# ---------------------------------------------------------------- what is in the text


def in_text(files: Iterable[str], include_dirs: tuple[str, ...]) -> tuple[dict[Place, str], set[Place]]:
    """Definitions of kernels (with their names) and launches in files and in what they include."""
    kernels: dict[Place, str] = {}
    launches: set[Place] = set()
    texts = {
        os.path.realpath(f): text
        for file in files
        for f, text in scan(file, include_dirs, (), nearby=True).texts.items()
    }
    for file, text in texts.items():
        code = _BLANKED.sub(lambda found: re.sub(rb"[^\n]", b" ", found[0]), text)
        for found in _KERNEL.finditer(code):
            kernels[file, _line(code, found.start(1))] = found[1].decode()
        launches |= {(file, _line(code, found.end())) for found in _LAUNCH.finditer(code)}
    return kernels, launches


def _line(code: bytes, at: int) -> int:
    return code.count(b"\n", 0, at) + 1


def _close(place: Place, found: set[Place]) -> bool:
    file, line = place
    return any((file, line - back) in found for back in range(-_NEAR, _NEAR + 1))


# ---------------------------------------------------------------- one project


def record(entry: Record, root: Path, jobs: int, seconds: float | None) -> Record:
    """What came of an entry of the manifest."""
    home = root / entry["repo"].partition("/")[2]
    paths = [str(home / path) for path in entry["paths"]]
    include = tuple(str(home / path) for path in entry["include"])
    settings = Settings(SourceOptions(include_dirs=include), read_build(None, paths), AnalysisOptions(), replay=True)
    watch = Watch()
    checked = check(paths, settings, Limits(jobs, seconds), watch)
    took = perf_counter() - watch.begin
    programs = collect(paths, include).programs
    kernels, launches = in_text((file for files in programs for file in files), include)
    report = checked.report
    return {
        "project": " ".join((entry["repo"], *entry["paths"])),
        "files": sum(map(len, programs)),
        "first": watch.first and round(watch.first, 1),
        "seconds": round(took, 1),
        "peak_mib": watch.peak >> 20,
        "stopped": report.stopped if report else "",
        **_verdicts(report),
        "told": list(told(document(report, strict=False, failures={}))) if report else [],
        **_coverage(report, kernels, launches),
        "failures": _failures(checked),
    }


def _verdicts(report: Report | None) -> Record:
    kernels = report.kernels if report else ()
    reasons = Counter(reason for k in kernels if k.outcome is Outcome.UNKNOWN for reason in _reasons(k))
    return {
        "verdicts": {x.value: sum(k.outcome is x for k in kernels) for x in Outcome},
        "findings": dict(Counter(f.confidence.value for k in kernels for f in k.findings if not f.same_value)),
        "reasons": reasons.most_common(12),
    }


def _reasons(kernel: KernelReport) -> set[str]:
    """Reasons of a kernel without the names and places in them."""
    found = (pair.reason for launch in kernel.launches for pair in launch.open_pairs)
    return {" ".join(re.sub(r"\([^)]*\)|'[^']*'|\d+", "…", reason).split()[:_WORDS]) for reason in found}


def _coverage(report: Report | None, kernels: dict[Place, str], launches: set[Place]) -> Record:
    reported = report.kernels if report else ()
    known = {(os.path.realpath(k.span.file), k.span.line) for k in reported}
    made = {
        (os.path.realpath(x.launch_span.file), x.launch_span.line)
        for k in reported
        for x in k.launches
        if x.launch_span is not None
    }
    never = (a.span for k in reported for x in k.launches for a in x.assumptions if a.text == _NEVER)
    made |= {(os.path.realpath(span.file), span.line) for span in never}
    no_kernel = sorted((place, name) for place, name in kernels.items() if not _close(place, known))
    no_launch = sorted(place for place in launches if not _close(place, made))
    return {
        "kernels": [len(kernels) - len(no_kernel), len(kernels)],
        "launches": [len(launches) - len(no_launch), len(launches)],
        "missing_kernels": [f"{file}:{line}: {name}" for (file, line), name in no_kernel],
        "missing_launches": [f"{file}:{line}" for file, line in no_launch],
    }


def _failures(checked: Checked) -> list[str]:
    return [f"{failure.file}: {failure.reason}" for failure in checked.failures]


# ---------------------------------------------------------------- drawing


def told(report: Record) -> Iterator[Record]:
    """The races and divergent barriers of a JSON report that are no notes, each with its kernel."""
    for kernel in report["kernels"]:
        for finding in (*kernel["findings"], *kernel["divergences"]):
            if finding["severity"] != "note":
                yield {"kernel": kernel["name"], **finding}


def sample(records: Iterable[Record], size: int, seed: int) -> Sequence[tuple[str, Record]]:
    """Findings drawn at random over all projects, each with its project."""
    all_told = [(r["project"], finding) for r in records for finding in r["told"]]
    return random.Random(seed).sample(all_told, min(size, len(all_told)))


def drawn(records: Sequence[Record], size: int, seed: int) -> Iterator[str]:
    """The draw as text."""
    yield f"seed {seed}, of {sum(len(r['told']) for r in records)}"
    for number, (project, finding) in enumerate(sample(records, size, seed), 1):
        yield f"{number}. {project}\n{json.dumps(finding, indent=1)}"


# ---------------------------------------------------------------- what is printed


def table(records: Iterable[Record]) -> Iterator[str]:
    """The results as Markdown."""
    yield "| project | files | kernels | launches | race / safe / unknown | findings | first verdict | end | memory |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for r in records:
        findings = ", ".join(f"{count} {kind}" for kind, count in sorted(r["findings"].items())) or "none"
        counts = [" of ".join(map(str, r[what])) for what in ("kernels", "launches")]
        verdicts = " / ".join(str(r["verdicts"][x]) for x in ("race", "safe", "unknown"))
        first = "none" if r["first"] is None else f"{r['first']} s"
        end = f"{r['seconds']} s" + (" (stopped)" if r["stopped"] else "")
        cells = (r["project"], r["files"], *counts, verdicts, findings, first, end, f"{r['peak_mib']} MiB")
        yield f"| {' | '.join(map(str, cells))} |"


def details(found: Record) -> Iterator[str]:
    """What is missing from a project, and why kernels are unknown."""
    yield f"\n{found['project']}"
    for reason, count in found["reasons"]:
        yield f"  unknown, {count} kernels: {reason}"
    for what in ("missing_kernels", "missing_launches", "failures"):
        for item in found[what]:
            yield f"  {what.replace('_', ' ')}: {item}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--total-timeout", type=float)
    parser.add_argument("--sample", type=int, metavar="N", help="run nothing, draw N of the findings in the results")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.sample:
        print(*drawn(json.loads(given.out.read_text()), given.sample, given.seed), sep="\n")
        return
    records: list[Record] = []
    for entry in json.loads(given.manifest.read_text())["projects"]:
        if given.only in " ".join((entry["repo"], *entry["paths"])):
            records.append(record(entry, given.root, given.jobs, given.total_timeout))
            print(*details(records[-1]), sep="\n", flush=True)
            if given.out:
                given.out.write_text(json.dumps(records, indent=1))
    print(*table(records), sep="\n")


if __name__ == "__main__":
    main()
