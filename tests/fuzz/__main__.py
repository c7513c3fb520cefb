"""`python -m tests.fuzz --seed S --count N`: random kernels against the whole static chain."""

from __future__ import annotations

import argparse
import gc
import logging
from pathlib import Path
from time import perf_counter, process_time

from tests.fuzz.campaign import Failed, campaign, shrink
from tests.fuzz.tally import Tally


def tell(found: Failed, seconds: float) -> None:
    """Prints a failure, cut down for so many seconds."""
    print(f"==== seed {found.case.seed}: {[(f.kind, f.text) for f in found.failures]}", flush=True)
    if seconds:
        found = shrink(found, seconds)
    for failure in found.failures:
        print(f"// {failure.kind}: {failure.text}")
    for number, line in enumerate(found.case.text().splitlines(), found.line):
        print(f"{number:4} {line}")
    print(flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--kernels", type=int, default=1 << 62, help="stop when so many have been compared")
    parser.add_argument("--log", type=Path, help="a file for the counts so far")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds for each failing kernel")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    gc.set_threshold(100_000, 20, 20)
    begin, tally, failed = perf_counter(), Tally(), 0

    def counts() -> str:
        seconds = f"{perf_counter() - begin:.0f} s, {process_time():.0f} s of the processor"
        return f"seeds from {given.seed}: {failed} failed; {tally}; {seconds}"

    for first in range(given.seed, given.seed + given.count, given.batch):
        if perf_counter() - begin > given.seconds or tally.kernels >= given.kernels:
            break
        count = min(given.batch, given.seed + given.count - first)
        for found in campaign(first, count, given.batch, tally):
            failed += 1
            tell(found, given.shrink)
        if given.log:
            given.log.write_text(counts() + "\n")
    print(counts())
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
