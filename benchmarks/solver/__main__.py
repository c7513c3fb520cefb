"""python -m benchmarks.solver [NAME ...]: decide the queries, print verdicts and times, again in another order.

Times are the best of three sessions' first answers; a wrong or missing verdict, or one that changes
with the order, makes the exit status 1.
"""

from __future__ import annotations

import random
import sys
import time

from benchmarks.solver.suite import Case, cases
from hgrd.solve.decide import decide
from hgrd.solve.query import Answer, Conflict, Proved, Undecided
from hgrd.solve.session import Session

_RUNS = 3


def main(names: list[str]) -> int:
    chosen = [case for case in cases() if not names or case.name in names]
    runs = [_decided(chosen) for _ in range(_RUNS)]
    shuffled = _decided(random.Random(1).sample(chosen, len(chosen)))
    failures = 0
    times: list[float] = []
    for case in chosen:
        answer = runs[0][case.name][0]
        best = min(run[case.name][1] for run in runs)
        times.append(best)
        right = isinstance(answer, Conflict if case.race else Proved)
        stable = shuffled[case.name][0] == answer
        failures += not (right and stable)
        mark = "ok" if right and stable else "order" if right else "WRONG"
        print(f"{mark:6}{case.name:26}{_verdict(answer):34}{best * 1e3:8.1f} ms")
    print(_summary(sorted(times), len(chosen) - failures))
    return 1 if failures else 0


def _decided(chosen: list[Case]) -> dict[str, tuple[Answer, float]]:
    queries = [(case.name, case.query()) for case in chosen]
    result: dict[str, tuple[Answer, float]] = {}
    with Session() as session:
        session.solver.begin(1)
        for name, query in queries:
            start = time.perf_counter()
            answer = decide(query, session=session)
            result[name] = answer, time.perf_counter() - start
    return result


def _verdict(answer: Answer) -> str:
    match answer:
        case Conflict(_, method):
            return f"race   {method}"
        case Proved(_, method, no_wrap):
            return f"safe   {method}{' unless it wraps' if no_wrap else ''}"
        case Undecided(reason):
            return f"open   {reason[:24]}"


def _summary(times: list[float], right: int) -> str:
    def at(share: float) -> str:
        return f"{times[min(int(len(times) * share), len(times) - 1)] * 1e3:.1f}"

    return f"{right} of {len(times)}; ms: median {at(0.5)}, p90 {at(0.9)}, p99 {at(0.99)}, max {at(1)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
