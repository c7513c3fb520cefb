#!/usr/bin/env python3
"""Runs hgrd over the programs of HGRD's Table 3 and prints that table and Table 4 with hgrd's own column.

`--manifest` names the labels (see run_suites.py for what an entry says), `--root` the folder of checkouts.
A count is the number of unordered pairs of source accesses that race, summed over the kernels of a program.
An entry is exact where the pairs that hgrd reports as races are those of its label, by lines, kinds and
memory space.  Races under a precondition (`?`) and two writes of the same value (`=`) are counted apart.

With `--ablation` each program without races is judged again without each class of facts that its report
names, and without the class that the paper says it needs (HGRD, Table 4).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.run_suites import Job, jobs_of, judged, run

Json = dict[str, Any]

# HGRD, Table 3: races reported by iGUARD, GKLEE, GPUVerify, FaialAA and HGRD ([missed:false alarms]).
PUBLISHED = {
    "pathCompression": ("0 [2:0]", "2 [0:0]", "2 [0:0]", "1 [0:0]", "2 [0:0]"),
    "condNeighbor": ("0 [2:0]", "0 [2:0]", "1 [0:0]", "1 [0:0]", "2 [0:0]"),
    "pushNode": ("0 [2:0]", "0 [2:0]", "1 [0:0]", "1 [0:0]", "2 [0:0]"),
    "conel": ("2 [0:0]", "2 [0:0]", "1 [0:0]", "1 [0:0]", "2 [0:0]"),
    "warpCommunicate": ("2 [0:0]", "NS", "NS", "0 [2:0]", "2 [0:0]"),
    "tissue": ("1 [3:0]", "NS", "3 [0:0]", "0 [4:0]", "4 [0:0]"),
    "1dconv": ("1 [0:0]", "2 [0:1]", "1 [0:0]", "1 [0:0]", "1 [0:0]"),
    "bilateralFilter": ("0 [0:0]", "NS", "1 [0:1]", "0 [0:0]", "0 [0:0]"),
    "copyUppToLow": ("0 [0:0]", "0 [0:0]", "2 [0:2]", "1 [0:1]", "0 [0:0]"),
    "copyLowToUpp": ("0 [0:0]", "0 [0:0]", "2 [0:2]", "1 [0:1]", "0 [0:0]"),
    "copyFromTp": ("0 [0:0]", "1 [0:1]", "2 [0:2]", "1 [0:1]", "0 [0:0]"),
    "reduction": ("0 [0:0]", "1 [0:1]", "1 [0:1]", "1 [0:1]", "0 [0:0]"),
    "randomAccess": ("0 [0:0]", "NS", "4 [0:4]", "1 [0:1]", "0 [0:0]"),
    "expDistance": ("0 [0:0]", "1 [0:1]", "1 [0:1]", "1 [0:1]", "0 [0:0]"),
    "toneMapping": ("0 [0:0]", "0 [0:0]", "4 [0:4]", "1 [0:1]", "0 [0:0]"),
    "convSeparable": ("0 [0:0]", "0 [0:0]", "1 [0:1]", "1 [0:1]", "0 [0:0]"),
    "luDecomposition": ("0 [0:0]", "NS", "2 [0:2]", "1 [0:1]", "0 [0:0]"),
    "needlemanWunsch": ("0 [0:0]", "NS", "2 [0:2]", "2 [0:2]", "0 [0:0]"),
    "pitchLinear": ("0 [0:0]", "0 [0:0]", "2 [0:2]", "2 [0:2]", "0 [0:0]"),
    "copyFromVec": ("0 [0:0]", "0 [0:0]", "1 [0:1]", "1 [0:1]", "0 [0:0]"),
    "matMul": ("0 [0:0]", "NS", "5 [0:5]", "1 [0:1]", "0 [0:0]"),
    "rule110": ("0 [0:0]", "NS", "5 [0:5]", "1 [0:1]", "0 [0:0]"),
}
TOOLS = ("iGUARD", "GKLEE", "GPUVerify", "FaialAA", "HGRD")
# HGRD, Table 4: the class of facts that a program needs, in our words.
NEEDED = {
    **dict.fromkeys(("copyUppToLow", "copyLowToUpp", "copyFromTp"), "assert"),
    **dict.fromkeys(("reduction", "randomAccess", "expDistance"), "dimension"),
    **dict.fromkeys(("toneMapping", "convSeparable"), "relation"),
    **dict.fromkeys(("luDecomposition", "needlemanWunsch"), "loop-bound"),
    **dict.fromkeys(("pitchLinear", "copyFromVec"), "allocation"),
}
CLASSES = ("assert", "guard", "dimension", "relation", "loop-bound", "allocation", "constant")
Pair = tuple[tuple[int, ...], str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What hgrd says of one program; `classes` are those of the facts that its report names."""

    verdict: str
    races: frozenset[Pair]
    conditional: int
    same_value: int
    undecided: int
    seconds: float
    classes: frozenset[str] = frozenset()

    @property
    def count(self) -> str:
        if self.verdict in ("timeout", "error", "missing"):
            return self.verdict
        marks = [(self.conditional, "?"), (self.same_value, "="), (self.undecided, "unknown")]
        return " ".join([str(len(self.races)), *(f"+{n}{mark}" for n, mark in marks if n)])

    @property
    def alarms(self) -> tuple[int, int, int]:
        """To compare two outcomes of one program: races, possible races, what stays open."""
        return len(self.races), self.conditional, self.undecided


def outcome(job: Job, seconds: float) -> Outcome:
    if not all(file.is_file() for file in job.files):
        return Outcome("missing", frozenset(), 0, 0, 0, 0.0)
    done = run(job.command, seconds)
    if done.status is None or not done.out:
        return Outcome("timeout" if done.status is None else "error", frozenset(), 0, 0, 0, done.seconds)
    report = json.loads(done.out)
    said = judged(report)
    launches = [launch for kernel in report["kernels"] for launch in kernel["launches"]]
    facts = [fact for x in launches for fact in (*x["assumptions"], *(f for y in x["findings"] for f in y["facts"]))]
    return Outcome(
        said["verdict"],
        frozenset(pair(race) for race in said["races"]),
        len(said["conditional"]),
        len(said["same_value"]),
        len(said["reasons"]),
        done.seconds,
        frozenset(fact["kind"].replace(" ", "-") for fact in facts),
    )


def pair(race: Json) -> Pair:
    return tuple(sorted(race["lines"])), "".join(sorted(race["kind"])), race["space"]


def labelled(entry: Json) -> frozenset[Pair]:
    """The races of the label; it spells two atomics out."""
    races = entry.get("races", ())
    return frozenset(pair(r | {"kind": "AA" if r["kind"].startswith("atomic") else r["kind"]}) for r in races)


def is_exact(job: Job, found: Outcome) -> bool:
    wanted = labelled(job.entry)
    return found.races == wanted and found.undecided == 0 and found.verdict == ("race" if wanted else "norace")


# ---------------------------------------------------------------- the two tables


def aligned(rows: Iterable[Iterable[str]]) -> str:
    texts = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in texts) for i in range(len(texts[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in texts)


def table_3(jobs: list[Job], found: dict[str, Outcome]) -> str:
    rows = [["program", *TOOLS, "hgrd", "pairs", "seconds"]]
    for job in jobs:
        name, said = job.entry["id"], found[job.entry["id"]]
        unscored = "" if job.entry.get("scored", True) else " (not scored)"
        same = ("exact" if is_exact(job, said) else "differ") + unscored
        rows.append([name, *PUBLISHED.get(name, ("-",) * 5), said.count, same, f"{said.seconds:.1f}"])
    scored = [job for job in jobs if job.entry.get("scored", True)]
    exact = sum(is_exact(job, found[job.entry["id"]]) for job in scored)
    total = sum(said.seconds for said in found.values())
    rows.append(["", *("",) * 5, "", f"{exact} of {len(scored)}", f"{total:.1f}"])
    return aligned(rows)


def table_4(jobs: list[Job], found: dict[str, Outcome], ablated: dict[tuple[str, str], Outcome]) -> str:
    """By program, what hgrd says without a class; a dot where the verdict stays, nothing where no fact is used."""
    rows = [["program", "with all", *CLASSES, "the paper says"]]
    for job in jobs:
        name = job.entry["id"]
        base = found[name]
        cells: list[str] = []
        for kind in CLASSES:
            said = ablated.get((name, kind))
            cells.append("" if said is None else "." if said.alarms == base.alarms else said.count)
        needed = NEEDED.get(name, "-")
        missed = needed in CLASSES and cells[CLASSES.index(needed)] in ("", ".")
        rows.append([name, base.count, *cells, f"{needed}; not needed here" if missed else needed])
    return aligned(rows)


def without(job: Job, kind: str) -> Job:
    *start, check = job.command[:4]
    return replace(job, command=(*start, check, f"--no-fact={kind}", *job.command[4:]))


def with_files(job: Job, root: Path, more: list[tuple[str, str]]) -> Job:
    """The program with further files of its checkout."""
    files = tuple(root / job.entry["checkout"] / path for name, path in more if name == job.entry["id"])
    return replace(job, command=(*job.command, *map(str, files)), files=(*job.files, *files))


def _named_file(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not ID=PATH")
    return name, path


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--manifest", type=Path, required=True, metavar="FILE")
    p.add_argument("--root", type=Path, required=True, metavar="DIR", help="the folder of checkouts")
    p.add_argument("--file", type=_named_file, action="append", default=[], metavar="ID=PATH",
                   help="one more file of a program's checkout (repeatable)")  # fmt: skip
    p.add_argument("--only", action="append", metavar="ID", help="only this program (repeatable)")
    p.add_argument("--ablation", action="store_true", help="also Table 4: each class of facts left out")
    p.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="for each run (120)")
    p.add_argument("-j", "--jobs", type=int, default=1)
    a = p.parse_args()
    extra = (f"--timeout={a.timeout / 2:g}", "-j1")
    jobs = [with_files(job, a.root, a.file) for job in jobs_of(json.loads(a.manifest.read_text()), a.root, extra)]
    jobs = [job for job in jobs if not a.only or job.entry["id"] in a.only]
    with ThreadPoolExecutor(a.jobs) as pool:
        said = pool.map(lambda job: outcome(job, a.timeout), jobs)
        found = {job.entry["id"]: result for job, result in zip(jobs, said, strict=True)}
        print(table_3(jobs, found))
        if not a.ablation:
            return
        clean = [job for job in jobs if not labelled(job.entry)]
        runs = [
            (job, kind)
            for job in clean
            for kind in CLASSES
            if kind in found[job.entry["id"]].classes or NEEDED.get(job.entry["id"]) == kind
        ]
        print(f"without a class of facts: {len(runs)} runs", file=sys.stderr)
        results = pool.map(lambda x: outcome(without(*x), a.timeout), runs)
        ablated = {(job.entry["id"], kind): x for (job, kind), x in zip(runs, results, strict=True)}
    print("\nWithout a class of facts:\n" + table_4(clean, found, ablated))


if __name__ == "__main__":
    main()
