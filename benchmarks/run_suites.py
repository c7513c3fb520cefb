#!/usr/bin/env python3
"""Runs hgrd over manifests of labelled programs and writes what it says about each.

A manifest is a JSON file {"suite", "parse": {"include", "host"}, "entries": [...]}; an entry names a
program (checkout, path, files, rev), how to read it (defines, includes, include, flags) and what to ask
(kernels, launch, level).  The programs lie in ROOT/<checkout>/<path>, or in
ROOT/<checkout>@<first 12 digits of rev>/<path>.

The results are a list of {suite, id, verdict, races, divergences, ...}.  The verdict is `race` where hgrd reports a
race that is not conditional, `norace` where it proves that there is none (or only conditional ones),
`unknown` where it cannot tell, `error` or `timeout` where there is no report, `missing` where the program
is not there and `unsupported` for other languages than CUDA.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

Entry = dict[str, Any]
VERDICTS = ("race", "norace", "unknown", "error", "timeout", "missing", "unsupported")
LEVELS = {"block": "intra-warp,intra-block", "grid": "inter-block", "all": "intra-warp,intra-block,inter-block"}
SOURCES = (".cu", ".cc", ".cpp", ".cxx", ".c")
BARRIER_DIVERGENCE = "barrier-divergence"
_VALUED = re.compile(r"[A-Za-z_]\w*=[-\w.]+")  # not "N=<n>", which says that each entry has its own
LETTERS = {"read": "R", "write": "W", "atomic": "A"}


@dataclass(frozen=True, slots=True)
class Job:
    suite: str
    entry: Entry
    command: tuple[str, ...]
    files: tuple[Path, ...]

    @property
    def name(self) -> str:
        return f"{self.suite}/{self.entry['id']}"


@dataclass(frozen=True, slots=True)
class Run:
    """What one process did; `status` is None where it was killed for running too long."""

    status: int | None
    out: bytes
    err: str
    seconds: float
    peak_bytes: int


# ---------------------------------------------------------------- from entries to command lines


def jobs_of(manifest: dict[str, Any], root: Path, extra: tuple[str, ...]) -> Iterator[Job]:
    for entry in manifest["entries"]:
        checkout = root / (entry["checkout"] + (f"@{entry['rev'][:12]}" if entry.get("rev") else ""))
        files = tuple(checkout / name for name in program_files(entry))
        options = (
            *(f"-I{directory}" for directory in include_dirs(manifest, entry, checkout)),
            *(f"-D{define}" for define in dict.fromkeys(defines(manifest, entry))),
            *analysis_options(manifest, entry),
        )
        check = (sys.executable, "-m", "hgrd", "check", "--again", "--format", "json")
        command = (*check, *options, *extra, *map(str, files))
        yield Job(manifest["suite"], entry, command, files)


def program_files(entry: Entry) -> tuple[str, ...]:
    """The files to give to hgrd: the entry's own, and the sources with the host code."""
    host = entry.get("host")
    named = host.get("file", "") if isinstance(host, dict) else ""
    candidates = (entry["path"], *entry.get("files", ()), named)
    return tuple(dict.fromkeys(name for name in candidates if name == entry["path"] or name.endswith(SOURCES)))


def include_dirs(manifest: dict[str, Any], entry: Entry, checkout: Path) -> tuple[str, ...]:
    """The include paths of the suite (also as "checkout: path (remark)") and the folders of listed headers."""
    found: list[Path] = []
    for text in (*manifest.get("parse", {}).get("include", ()), *entry.get("include", ())):
        prefix, colon, rest = text.partition(": ")
        if colon and not entry["checkout"].startswith(prefix):
            continue
        words = (rest if colon else text).split()
        if words and (checkout / words[0]).is_dir():
            found.append(checkout / words[0])
    above = [checkout / parent for parent in Path(entry["path"]).parents]
    for header in entry.get("includes", ()):
        found += [folder for folder in above if (folder / header).is_file()]
    return tuple(dict.fromkeys(map(str, found)))


def defines(manifest: dict[str, Any], entry: Entry) -> Iterator[str]:
    """The macros of the entry, and those that the suite gives values to (also as "checkout: NAME=VALUE")."""
    yield from entry.get("defines", ())
    yield from (flag[2:] for flag in entry.get("flags", ()) if flag.startswith("-D"))
    for text in manifest.get("parse", {}).get("defines", ()):
        prefix, colon, rest = text.partition(": ")
        if not colon or entry["checkout"].lower().startswith(prefix.lower()):
            words = (rest if colon else text).replace(",", " ").split()
            yield from (word for word in words if _VALUED.fullmatch(word))


def analysis_options(manifest: dict[str, Any], entry: Entry) -> Iterator[str]:
    flags = tuple(entry.get("flags", ()))
    for kernel in entry.get("kernels", ()):
        yield f"--kernel={kernel}"
    if entry.get("level"):
        yield f"--level={LEVELS[entry['level']]}"
    if any(flag.startswith("--warp-sync") for flag in flags):
        yield "--warp-lockstep"
    for name, value in pairwise(flags):
        if name == "-p":
            yield f"--param={value}"
    yield from launch_options(manifest, entry)
    if str(manifest.get("parse", {}).get("host", "")).startswith("none"):
        yield "--any-arguments"


def launch_options(manifest: dict[str, Any], entry: Entry) -> Iterator[str]:
    """The launch where the suite has no host code; what an entry leaves open may be anything."""
    launch = entry.get("launch") or {}
    host = str(manifest.get("parse", {}).get("host", ""))
    if "source" in launch or not (host.startswith("none") or launch or entry.get("level")):
        return
    anything = "*,*,*" if "--all-dims" in entry.get("flags", ()) else "*"
    for key, option in (("blockDim", "--block-dim"), ("gridDim", "--grid-dim")):
        yield f"{option}={launch.get(key, anything).strip('[]')}"


# ---------------------------------------------------------------- running


def run(command: tuple[str, ...], seconds: float) -> Run:
    """Runs a command in a session of its own; it and its children are killed after `seconds`."""
    late = threading.Event()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, start_new_session=True)

        def kill() -> None:
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(seconds, kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        out.seek(0)
        err.seek(0)
        return Run(
            None if late.is_set() else process.returncode,
            out.read(),
            err.read().decode("utf-8", "replace"),
            wall,
            usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        )


def result(job: Job, seconds: float) -> dict[str, Any]:
    """The entry of the results file for a job."""
    head = {"suite": job.suite, "id": job.entry["id"]}
    if job.entry.get("language", "cuda") != "cuda" or job.entry["path"].endswith(".cl"):
        return head | {"verdict": "unsupported"}
    absent = [str(file) for file in job.files if not file.is_file()]
    if absent:
        return head | {"verdict": "missing", "reasons": absent}
    done = run(job.command, seconds)
    measured = {
        "seconds": round(done.seconds, 3),
        "peak_mib": done.peak_bytes >> 20,
        "status": done.status,
        "command": list(job.command[1:]),
    }
    if done.status is None:
        return head | {"verdict": "timeout"} | measured
    if not done.out:
        return head | {"verdict": "error", "reasons": done.err.splitlines()[-5:]} | measured
    return head | judged(json.loads(done.out)) | measured


def judged(report: dict[str, Any]) -> dict[str, Any]:
    findings = [finding for kernel in report["kernels"] for finding in kernel["findings"]]
    pairs = [pair for kernel in report["kernels"] for launch in kernel["launches"] for pair in launch["open"]]
    reasons = [f"{place(pair['location'])}: {pair['reason']}" for pair in pairs]
    reasons += [f"{failure['file']}: {failure['reason']}" for failure in report["failures"]]
    undecided = reasons or any(launch["outcome"] == "unknown" for k in report["kernels"] for launch in k["launches"])
    races = [race(finding) for finding in findings if finding["severity"] == "error"]
    barriers = [found for kernel in report["kernels"] for found in kernel["divergences"]]
    open_barriers = [b for k in report["kernels"] for launch in k["launches"] for b in launch["open_barriers"]]
    return {
        "verdict": "race" if races else "unknown" if undecided or not report["kernels"] else "norace",
        "races": races,
        "replays": [replay(finding) for finding in findings],
        "conditional": [race(finding) for finding in findings if finding["severity"] == "warning"],
        "same_value": [race(finding) for finding in findings if finding["severity"] == "note"],
        "divergences": [divergence(found) for found in barriers],
        "replays_at_barriers": [replay(found) for found in barriers],
        "open_barriers": list(dict.fromkeys(f"{place(b['location'])}: {b['reason']}" for b in open_barriers)),
        "reasons": list(dict.fromkeys(reasons)),
        "pairs": sum(launch["pairs"] for kernel in report["kernels"] for launch in kernel["launches"]),
    }


def race(finding: dict[str, Any]) -> dict[str, Any]:
    sites = sorted((finding["first"], finding["second"]), key=lambda site: site["location"]["line"])
    return {
        "lines": [site["location"]["line"] for site in sites],
        "kind": "".join(sorted(LETTERS[site["kind"]] for site in sites)),
        "space": finding["space"],
        "array": sites[0]["array"],
        "scopes": finding["levels"],
        "confidence": finding["confidence"],
    }


def replay(finding: dict[str, Any]) -> dict[str, Any]:
    """What came of running the witness of a finding, about a race or a barrier."""
    place = finding["first"]["location"] if "first" in finding else finding["location"]
    chosen = {key: finding[key] for key in ("rule", "severity", "confidence", "replay", "replay_seconds")}
    return {"line": place["line"], **chosen}


def divergence(finding: dict[str, Any]) -> dict[str, Any]:
    return {
        "line": finding["location"]["line"],
        "rule": finding["rule"],
        "severity": finding["severity"],
        "scope": finding["scope"],
        "cause": finding["cause"],
        "confidence": finding["confidence"],
        "iterations": finding["witness"]["iterations"],
    }


def place(location: dict[str, Any] | None) -> str:
    return f"{Path(location['file']).name}:{location['line']}" if location else "-"


# ---------------------------------------------------------------- the table


def table(results: list[dict[str, Any]], expected: dict[str, str]) -> str:
    """Verdicts by suite, and how many of them are as labelled (of those that a label is there for)."""
    rows = [["suite", *VERDICTS, "right", "wrong", "seconds", "peak MiB"]]
    for suite in dict.fromkeys(r["suite"] for r in results):
        mine = [r for r in results if r["suite"] == suite]
        verdicts = Counter(r["verdict"] for r in mine)
        labelled = [(r["verdict"], expected.get(f"{suite}/{r['id']}")) for r in mine]
        decided = [(v, e) for v, e in labelled if v in ("race", "norace") and e in ("race", "norace")]
        right = sum(v == e for v, e in decided)
        rows.append(
            [suite]
            + [str(verdicts[v]) for v in VERDICTS]
            + [str(right), str(len(decided) - right)]
            + [f"{sum(r.get('seconds', 0) for r in mine):.1f}", str(max(r.get("peak_mib", 0) for r in mine))]
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )


def diverging(results: list[dict[str, Any]], manifests: list[dict[str, Any]]) -> str:
    """What became of the entries whose `kinds` name barrier divergence."""
    kinds = {f"{m['suite']}/{e['id']}": e.get("kinds") or () for m in manifests for e in m["entries"]}
    told = [
        (name, [d["line"] for d in r.get("divergences", ()) if d["severity"] == "error"])
        for r in results
        if r["verdict"] != "unsupported" and BARRIER_DIVERGENCE in kinds[name := f"{r['suite']}/{r['id']}"]
    ]
    found = [f"  found in line {', '.join(map(str, lines))}: {name}" for name, lines in told if lines]
    missed = [f"  not found: {name}" for name, lines in told if not lines]
    return "\n".join((f"barrier divergence: {len(found)} of {len(told)} found", *found, *missed)) if told else ""


def reasons(results: list[dict[str, Any]], most: int) -> str:
    """The most frequent reasons for having no verdict: how many entries, the reason, one of the entries."""
    entries: dict[str, list[str]] = {}
    for r in results:
        if r["verdict"] in ("unknown", "error", "timeout"):
            for reason in {without_names(reason) for reason in r.get("reasons", [r["verdict"]])}:
                entries.setdefault(reason, []).append(f"{r['suite']}/{r['id']}")
    ranked = sorted(entries.items(), key=lambda item: (-len(item[1]), item[0]))
    return "\n".join(f"{len(names):4d}  {reason}  ({names[0]})" for reason, names in ranked[:most])


def without_names(reason: str) -> str:
    """A reason without places and lists of names, so that equal ones can be counted."""
    return re.sub(r" known: .*", " known", re.sub(r"[^\s:]+:\d+(?::\d+)?: ", "", reason))


def labels(manifests: list[dict[str, Any]]) -> dict[str, str]:
    return {f"{m['suite']}/{e['id']}": e["expected"] for m in manifests for e in m["entries"] if e.get("scored", True)}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--manifests", type=Path, required=True, metavar="DIR")
    p.add_argument("--root", type=Path, required=True, metavar="DIR", help="the folder of checkouts")
    p.add_argument("--out", type=Path, required=True, metavar="results.json")
    p.add_argument("--suite", action="append", help="only this suite (repeatable)")
    p.add_argument("--only", metavar="SUBSTR", help="only entries whose suite/id contains this")
    p.add_argument("--scored", action="store_true", help="only entries whose label is scored")
    p.add_argument(
        "--timeout", type=float, default=120, metavar="SECONDS", help="for each entry (120); half of it for each kernel"
    )
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--option", action="append", default=[], help="one more option for hgrd (--option=--strict)")
    p.add_argument(
        "--reasons", type=int, default=0, metavar="N", help="print the N most frequent reasons for no verdict"
    )
    p.add_argument("--dry-run", action="store_true", help="print the command lines only")
    a = p.parse_args()
    manifests = [json.loads(file.read_text()) for file in sorted(a.manifests.glob("*.json"))]
    manifests = [m for m in manifests if not a.suite or m["suite"] in a.suite]
    extra = (f"--timeout={a.timeout / 2:g}", "-j1", *a.option)
    chosen = [job for m in manifests for job in jobs_of(m, a.root, extra)]
    chosen = [job for job in chosen if not a.only or a.only in job.name]
    chosen = [job for job in chosen if not a.scored or job.entry.get("scored", True)]
    if a.dry_run:
        print("\n".join(" ".join(job.command[1:]) for job in chosen))
        return
    expected = labels(manifests)
    results: list[dict[str, Any]] = []
    with ThreadPoolExecutor(a.jobs) as pool:
        for job, said in zip(chosen, pool.map(lambda job: result(job, a.timeout), chosen), strict=True):
            results.append(said)
            if said["verdict"] != "unsupported":
                print(f"{said['verdict']:8} {expected.get(job.name, '-'):8} {job.name}", file=sys.stderr)
    a.out.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results, expected))
    if barriers := diverging(results, manifests):
        print(barriers)
    if a.reasons:
        print(reasons(results, a.reasons))
    for r in results:
        label = expected.get(f"{r['suite']}/{r['id']}")
        if {r["verdict"], label} == {"race", "norace"}:
            print(f"{r['verdict']}, labelled {label}: {r['suite']}/{r['id']}")


if __name__ == "__main__":
    main()
