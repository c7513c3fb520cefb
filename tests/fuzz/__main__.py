"""`python -m tests.fuzz --seed S --count N`: random kernels against the whole static chain."""

from __future__ import annotations

import argparse
import logging
from time import perf_counter, process_time

from tests.fuzz.campaign import campaign, shrink
from tests.fuzz.judging import Tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds for each failing kernel")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    begin, tally, failed = perf_counter(), Tally(), 0
    print(f"seed {given.seed}, count {given.count}", flush=True)
    for found in campaign(given.seed, given.count, given.batch, given.seconds, tally):
        failed += 1
        print(f"==== seed {found.case.seed}: {[(f.kind, f.text) for f in found.failures]}", flush=True)
        if given.shrink:
            found = shrink(found, given.shrink)
        for failure in found.failures:
            print(f"// {failure.kind}: {failure.text}")
        for number, line in enumerate(found.case.text().splitlines(), found.line):
            print(f"{number:4} {line}", flush=True)
        print(flush=True)
    seconds = f"{perf_counter() - begin:.0f} s, {process_time():.0f} s of the processor"
    print(f"seed {given.seed}, count {given.count}: {failed} failed; {tally}; {seconds}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
