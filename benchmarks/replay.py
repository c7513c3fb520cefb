#!/usr/bin/env python3
"""What becomes of witnesses on the simulator: the table of benchmarks/replay.md.

    python -m benchmarks.replay RESULTS.json [...] [--write benchmarks/replay.md]

The results are those of benchmarks/run_suites.py.  A finding is definite where its witness needs no contents of arrays
and no precondition: these are to be confirmed by their runs, all or listed with a reason.  Of those that depend on data
the table tells how many were confirmed.  Times are medians of all witnesses that were tried, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

CONFIRMED = "confirmed"
_LINE = re.compile(r"\bline \d+")


@dataclass(slots=True)
class Row:
    """Findings of a suite.  `missed`: the reasons of definite ones that were not confirmed, with entry and line."""

    suite: str
    definite: int = 0
    confirmed: int = 0
    others: int = 0
    others_confirmed: int = 0
    missed: list[tuple[str, str]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, entry: str, replay: dict[str, Any]) -> None:
        said = replay["replay"]
        if said is None:
            return
        self.seconds.append(replay["replay_seconds"])
        if replay["confidence"] in ("definite", "confirmed"):
            self.definite += 1
            self.confirmed += said == CONFIRMED
            if said != CONFIRMED:
                self.missed.append((f"{entry}, line {replay['line']}", said))
        else:
            self.others += 1
            self.others_confirmed += said == CONFIRMED
            if said != CONFIRMED:
                self.reasons[without_lines(said)] += 1

    def cells(self) -> list[str]:
        time = f"{1000 * median(self.seconds):.0f}" if self.seconds else "-"
        counts = (self.definite, self.confirmed, self.definite - self.confirmed, self.others, self.others_confirmed)
        return [self.suite, *map(str, counts), time]


def without_lines(reason: str) -> str:
    return _LINE.sub("some line", reason.removeprefix("not replayed: "))


def rows(results: list[dict[str, Any]], key: str) -> list[Row]:
    """One a suite, and their sum."""
    found: dict[str, Row] = {}
    total = Row("all")
    for result in results:
        row = found.setdefault(result["suite"], Row(result["suite"]))
        for replay in result.get(key, ()):
            row.add(result["id"], replay)
            total.add(f"{result['suite']}/{result['id']}", replay)
    return [*found.values(), total]


def page(results: list[dict[str, Any]]) -> str:
    races, barriers = rows(results, "replays"), rows(results, "replays_at_barriers")
    return "\n".join(
        [
            "# Replayed witnesses",
            "",
            "Written by `python -m benchmarks.replay`; docs/verdicts.md says what a replay is.",
            "",
            "## Races",
            "",
            *_table(races),
            *_missed(races[-1]),
            "",
            "## Barriers",
            "",
            *_table(barriers),
            *_missed(barriers[-1]),
            "",
        ]
    )


def _table(found: list[Row]) -> list[str]:
    heads = ["suite", "definite", "confirmed", "not", "other", "confirmed", "median ms"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return lines + [f"| {' | '.join(row.cells())} |" for row in found]


def _missed(total: Row) -> list[str]:
    lines: list[str] = []
    if total.definite:
        share = f"{100 * total.confirmed / total.definite:.1f} %"
        lines += ["", f"{total.confirmed} of {total.definite} definite findings are confirmed ({share})."]
    if total.missed:
        lines += ["", "Definite, and not confirmed:", ""]
        lines += [f"- {entry}: {reason}" for entry, reason in total.missed]
    if total.reasons:
        lines += ["", "Why others (data-dependent, conditional, writes of the same value) are not:", ""]
        lines += [f"- {count}: {reason}" for reason, count in total.reasons.most_common()]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    results = [result for file in options.results for result in json.loads(file.read_text())]
    text = page(results)
    if options.write:
        options.write.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
