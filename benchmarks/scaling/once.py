"""Analyses one file in this process and prints what that took: `python -m benchmarks.scaling.once FILE SECONDS`."""

from __future__ import annotations

import json
import sys
from time import process_time

from hgrd.engine.analysis.program import analyze
from hgrd.findings.options import AnalysisOptions
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file


def main(file: str, seconds: str) -> None:
    """A JSON object: `outcome`, `pairs`, `discharged`, and `analysis`, the CPU time from program to report."""
    program = parse_file(file, SourceOptions())
    begin = process_time()
    report = analyze((program,), AnalysisOptions(time_limit=float(seconds)))
    took = process_time() - begin
    ((launch,),) = (kernel.launches for kernel in report.kernels)
    said = {"outcome": launch.outcome.value, "pairs": launch.pairs, "discharged": launch.discharged, "analysis": took}
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
