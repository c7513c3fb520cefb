#!/usr/bin/env python3
"""Runs hgrd over the CUDA programs of HeCBench (https://github.com/zjin-lcf/HeCBench) and counts what it says.

    python -m benchmarks.hecbench --root HeCBench/src --out results.json [-j N] [--timeout S] [--only SUBSTR]
    python -m benchmarks.hecbench --root HeCBench/src --out results.json --sample 40 --seed 1

A program is a folder `*-cuda`; its include paths are its own folders with headers, its macros those its
Makefile defines literally.  Each is checked in a process of its own.  The results file is a JSON object
from program to record and is extended: what stands in it is not run again, unless `--again`.  The tables
are Markdown.  `--sample` draws from the reported races (definite and data-dependent ones) instead, each
with its witness, and prints the seed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.run_suites import place, run, without_names
from hgrd.source.build.makefile import makefile_flags

Record = dict[str, Any]
Results = dict[str, Record]
HEADERS = (".h", ".hpp", ".cuh", ".hh", ".inl", ".hxx", ".incl")
OUTCOMES = ("race", "safe", "unknown")
_ERROR = re.compile(r"internal error|\b[A-Z]\w*Error: ")
_PATH = re.compile(r"(hgrd: error: )?\S*/\S*: ")


# ---------------------------------------------------------------- running


def command(program: Path, seconds: float) -> tuple[str, ...]:
    """The command line for a program, which has some time left to report; a kernel may take half of it."""
    headers = sorted(file for file in program.rglob("*") if file.suffix.lower() in HEADERS and file.is_file())
    flags = makefile_flags(str(program))
    folders = dict.fromkeys((*flags.include_dirs, str(program), *(str(header.parent) for header in headers)))
    options = (*(f"-I{folder}" for folder in folders), *(f"-D{define}" for define in flags.defines))
    limits = (f"--timeout={seconds / 2:g}", f"--program-timeout={seconds * 3 / 4:g}", "-j1")
    return (sys.executable, "-m", "hgrd", "check", "--again", "--format", "json", *limits, *options, str(program))


def record(program: Path, seconds: float) -> Record:
    """What came of a program: `status` is None where it was killed, `error` the end of what it wrote then."""
    words = command(program, seconds)
    done = run(words, seconds)
    head: Record = {"seconds": round(done.seconds, 2), "peak_mib": done.peak_bytes >> 20, "status": done.status}
    if done.status is None or not done.out:
        return head | {"error": done.err.splitlines()[-5:], "traceback": "Traceback" in done.err, "kernels": []}
    report = json.loads(done.out)
    return head | {
        "traceback": "Traceback" in done.err,
        "kernels": [_kernel(kernel) for kernel in report["kernels"]],
        "failures": [failure["reason"] for failure in report["failures"]],
        "errors": [message["text"] for message in report["messages"] if message["error"]],
    }


def _kernel(kernel: Record) -> Record:
    launches = kernel["launches"]
    return {
        "name": kernel["name"],
        "place": place(kernel["location"]),
        "outcome": kernel["outcome"],
        "launches": [launch["outcome"] for launch in launches],
        "pairs": sum(launch["pairs"] for launch in launches),
        "seconds": round(sum(launch["seconds"] for launch in launches), 2),
        "races": [_race(finding) for finding in kernel["findings"]],
        "divergences": [f"{place(d['location'])}: {d['rule']}" for d in kernel["divergences"]],
        "open": list(dict.fromkeys(f"{place(p['location'])}: {p['reason']}" for x in launches for p in x["open"])),
    }


def _race(finding: Record) -> Record:
    sites = (finding["first"], finding["second"])
    return {
        "kind": "same-value" if finding["same_value"] else finding["confidence"],
        "space": finding["space"],
        "levels": finding["levels"],
        "sites": [f"{place(s['location'])} {s['kind']} {s['array']}: {s['text']}" for s in sites],
        "condition": finding["condition"],
        "witness": finding["witness"],
    }


# ---------------------------------------------------------------- counting


def table(results: Results) -> str:
    """Everything in one table, the slowest programs, and the reasons for `unknown`, as Markdown."""
    kernels = [kernel for found in results.values() for kernel in found["kernels"]]
    launches = Counter(outcome for kernel in kernels for outcome in kernel["launches"])
    outcomes = Counter(kernel["outcome"] for kernel in kernels)
    races = Counter(race["kind"] for kernel in kernels for race in kernel["races"])
    slowest = sorted(results.items(), key=lambda item: -item[1]["seconds"])[:10]
    rows = (
        ("programs", str(len(results))),
        ("… killed after the time limit", str(sum(r["status"] is None for r in results.values()))),
        ("… analysed in part only, for want of time", str(sum(map(late, results.values())))),
        ("… with a traceback or an internal error", str(sum(map(broken, results.values())))),
        ("… without a kernel analysed", str(sum(not r["kernels"] for r in results.values()))),
        ("kernels", _counted(len(kernels), outcomes, OUTCOMES)),
        ("launches", _counted(sum(launches.values()), launches, OUTCOMES)),
        ("races", _counted(sum(races.values()), races, sorted(races))),
        ("barrier findings", str(sum(len(kernel["divergences"]) for kernel in kernels))),
        ("seconds, all programs", f"{sum(r['seconds'] for r in results.values()):.0f}"),
    )
    parts = (
        ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows), ""],
        ["The ten slowest:", "", *(f"- {name}: {found['seconds']:.1f} s" for name, found in slowest), ""],
        ["Reasons for `unknown`, by the number of kernels (programs) with it:", "", *reasons(results, 25), ""],
        ["Programs without a report:", "", *_lost(results)],
    )
    return "\n".join(line for part in parts for line in part)


def broken(found: Record) -> bool:
    told = [
        *found.get("failures", ()),
        *found.get("error", ()),
        *(reason for kernel in found["kernels"] for reason in kernel["open"]),
    ]
    return found["traceback"] or any(_ERROR.search(reason) for reason in told)


def late(found: Record) -> bool:
    told = [*found.get("failures", ()), *(reason for kernel in found["kernels"] for reason in kernel["open"])]
    return any("the time limit was reached" in reason for reason in told)


def _counted(total: int, counts: Counter[str], names: Iterable[str]) -> str:
    return f"{total}: " + ", ".join(f"{counts[name]} {name}" for name in names)


def reasons(results: Results, most: int) -> Iterator[str]:
    where: dict[str, list[str]] = {}
    for name, found in results.items():
        for kernel in found["kernels"]:
            for reason in dict.fromkeys(map(without_names, kernel["open"])):
                where.setdefault(reason, []).append(f"{name}/{kernel['name']}")
    for reason, kernels in sorted(where.items(), key=lambda item: -len(item[1]))[:most]:
        programs = {kernel.partition("/")[0] for kernel in kernels}
        yield f"- {len(kernels)} ({len(programs)}) × {reason} ({kernels[0]})"


def _lost(results: Results) -> Iterator[str]:
    """Why there is nothing of some programs, the most frequent reason first."""
    where: dict[str, list[str]] = {}
    for name, found in results.items():
        if not found["kernels"]:
            why = (found.get("failures") or found.get("error") or ["killed after the time limit"])[-1]
            where.setdefault(_PATH.sub("", why)[:200], []).append(name)
    for why, names in sorted(where.items(), key=lambda item: -len(item[1])):
        yield f"- {len(names)} × {why}: {', '.join(names)}"


# ---------------------------------------------------------------- drawing


def sample(results: Results, size: int, seed: int) -> list[tuple[str, str, Record]]:
    """Races drawn at random, as (program, kernel, race); conditional ones and notes are left out."""
    told = [
        (name, kernel["name"], race)
        for name, found in sorted(results.items())
        for kernel in found["kernels"]
        for race in kernel["races"]
        if race["kind"] not in ("conditional", "same-value")
    ]
    return random.Random(seed).sample(told, min(size, len(told)))


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--root", type=Path, required=True, metavar="DIR", help="HeCBench's src")
    p.add_argument("--out", type=Path, required=True, metavar="results.json")
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--timeout", type=float, default=60, metavar="SECONDS", help="for each program (60)")
    p.add_argument("--only", default="", metavar="SUBSTR", help="only programs whose name contains this")
    p.add_argument("--again", action="store_true", help="run programs whose results are there, too")
    p.add_argument("--sample", type=int, metavar="N", help="run nothing, draw N of the reported races")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    results: Results = json.loads(a.out.read_text()) if a.out.exists() else {}
    if a.sample:
        print(f"seed {a.seed}")
        for number, (program, kernel, race) in enumerate(sample(results, a.sample, a.seed), 1):
            print(f"{number}. {program} {kernel}\n{json.dumps(race, indent=1)}")
        return
    programs = [path for path in sorted(a.root.glob("*-cuda")) if path.is_dir() and a.only in path.name]
    waiting = [path for path in programs if a.again or path.name not in results]
    with ThreadPoolExecutor(a.jobs) as pool:
        for path, found in zip(waiting, pool.map(lambda path: record(path, a.timeout), waiting), strict=True):
            results[path.name] = found
            print(f"{found['seconds']:6.1f} s  {path.name}", file=sys.stderr)
            a.out.write_text(json.dumps(dict(sorted(results.items())), indent=1) + "\n")
    print(table({path.name: results[path.name] for path in programs}))


if __name__ == "__main__":
    main()
