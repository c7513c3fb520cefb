#!/usr/bin/env python3
"""Measures the analysis of kernels of growing size and says how time grows with size and pairs.

    python -m benchmarks.scaling.measure --out results.json [--png scaling.png] [--shape S] [--runs N] [--most N]

Each size is checked `runs` times, each time in a new process (fewer where that takes over a minute); the
figures are medians.  The result is
{"runs", "shapes": {shape: {"unit", "points": [...], "slope": {"size", "pairs"}}}}; a point has `size`,
`outcome`, `pairs`, `discharged`, `analysis` (CPU seconds from program to report), `seconds` (wall time of the
whole process) and `peak_mib`.  A slope is the exponent k in analysis ~ x**k for the larger half of the sizes.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

from benchmarks.run_suites import run
from benchmarks.scaling.kernels import SHAPES, Shape

Point = dict[str, Any]
ENOUGH = 60  # seconds after which a size is not run again
KEPT = ("outcome", "pairs", "discharged")


def points(shape: Shape, runs: int, most: int, seconds: float) -> Iterator[Point]:
    """The figures of each size up to `most`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cu"
        for size in shape.sizes:
            if size <= most:
                file.write_text(shape.write(size))
                yield {"size": size, **_typical(list(_repeated(file, runs, seconds)))}


def _repeated(file: Path, runs: int, seconds: float) -> Iterator[Point]:
    spent = 0.0
    for _ in range(runs):
        if spent < ENOUGH:
            measured = _measured(file, seconds)
            spent += measured["seconds"]
            yield measured


def _measured(file: Path, seconds: float) -> Point:
    command = (sys.executable, "-m", "benchmarks.scaling.once", str(file), f"{seconds:g}")
    done = run(command, 2 * seconds)
    measured = {"seconds": done.seconds, "peak_mib": done.peak_bytes / 2**20}
    return {**(json.loads(done.out) if done.out else {"outcome": "failed", "error": done.err}), **measured}


def _typical(measured: list[Point]) -> Point:
    """Medians; any run without an answer counts as the answer."""
    bad = next((point for point in measured if point["outcome"] == "failed"), None)
    if bad is not None:
        return bad
    middle = {key: round(median(point[key] for point in measured), 3) for key in ("analysis", "seconds", "peak_mib")}
    return {**{key: measured[-1][key] for key in KEPT}, **middle}


def slope(measured: list[Point], key: str) -> float | None:
    """The exponent k in analysis ~ point[key]**k, by least squares over the larger half of the points."""
    usable = [point for point in measured if "analysis" in point]
    half = usable[len(usable) // 2 :]
    xs = [math.log(point[key]) for point in half]
    if len(set(xs)) < 2:
        return None
    return round(linear_regression(xs, [math.log(point["analysis"]) for point in half]).slope, 2)


def table(results: dict[str, Any]) -> Iterator[str]:
    for name, shape in results["shapes"].items():
        yield f"{name}: time ~ {shape['unit']}**{shape['slope']['size']}, ~ pairs**{shape['slope']['pairs']}"
        yield "    size  outcome   pairs  CPU s  ms a pair  wall s  peak MiB"
        for p in shape["points"]:
            if "analysis" not in p:
                yield f"  {p['size']:6}  {p['outcome']}"
                continue
            each = 1000 * p["analysis"] / max(p["pairs"], 1)
            yield (
                f"  {p['size']:6}  {p['outcome']:7} {p['pairs']:7} {p['analysis']:6.2f} {each:10.2f}"
                f" {p['seconds']:7.2f} {p['peak_mib']:9.0f}"
            )


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", type=Path, required=True, metavar="results.json")
    p.add_argument("--png", type=Path, help="plot the figures into this file (needs matplotlib)")
    p.add_argument("--shape", action="append", choices=list(SHAPES), help="only this shape (repeatable)")
    p.add_argument("--runs", type=int, default=3, help="runs of each size (3)")
    p.add_argument("--most", type=int, default=200, metavar="SIZE", help="leave out larger sizes (200)")
    p.add_argument("--timeout", type=float, default=1200, metavar="SECONDS", help="for each kernel (1200)")
    a = p.parse_args()
    shapes: dict[str, Any] = {}
    results = {"runs": a.runs, "shapes": shapes}
    for name in a.shape or SHAPES:
        measured = list(points(SHAPES[name], a.runs, a.most, a.timeout))
        fit = {key: slope(measured, key) for key in ("size", "pairs")}
        shapes[name] = {"unit": SHAPES[name].unit, "points": measured, "slope": fit}
        print("\n".join(table({"shapes": {name: shapes[name]}})), flush=True)
    a.out.write_text(json.dumps(results, indent=1) + "\n")
    if a.png:
        from benchmarks.scaling.plot import plot

        plot(results, a.png)


if __name__ == "__main__":
    main()
