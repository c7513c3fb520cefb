"""The simulator and a GPU run the same kernels: memory afterwards must be the same, and so must the races seen.

    python -m benchmarks.on_gpu make FOLDER [--seed S] [--count N]     # kernels, their inputs, and what they leave
    make -C FOLDER [NVCC=nvcc ARCH=sm_90]                              # one program for each group of kernels
    FOLDER/run.sh                                                      # where the GPU is: outputs, and racecheck's
    python -m benchmarks.on_gpu compare FOLDER                         # a table

The kernels are those of the fuzzer that make no order by locks or flags.  A run is compared where the simulator sees
no race and leaves the same memory whatever shared memory began with.  racecheck (compute-sanitizer) looks at shared
memory alone: it is compared with the simulator's races there.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, json
from numpy.typing import NDArray

from hgrd.simulate.launch import Finished
from tests.fuzz.campaign import HEAD, parsed
from tests.fuzz.case import Case, make
from tests.fuzz.hosts import Launch
from tests.fuzz.oracle import Before, MeaninglessError, Pair, Subjects, arguments_of, execute_in_lockstep, races_of

_BATCH = 200
_GROUP = 60  # kernels in a program
_MOST_THREADS = 4096
_RUNS = 3
_FUEL = 1 << 22
_DRIVER = """
#include <cstdio>
#include <vector>
struct Piece { const char *name; void (*run)(void *, void *, void *); long sizes[3]; bool same; };
int main() {
  FILE *in = fopen("GROUP.in", "rb"), *out = fopen("GROUP.out", "wb");
  for (auto &piece : pieces) {
    void *arrays[3];
    std::vector<std::vector<char>> bytes(3);
    for (int i = 0; i < 3; i++) {
      bytes[i].resize(piece.sizes[i]);
      if (fread(bytes[i].data(), 1, piece.sizes[i], in) != (size_t)piece.sizes[i]) return 2;
      cudaMalloc(&arrays[i], piece.sizes[i] ? piece.sizes[i] : 1);
      cudaMemcpy(arrays[i], bytes[i].data(), piece.sizes[i], cudaMemcpyHostToDevice);
    }
    piece.run(arrays[0], arrays[1], piece.same ? arrays[0] : arrays[2]);
    int status = cudaDeviceSynchronize();
    if (status == 0) status = cudaGetLastError();
    for (int i = 0; i < 3 && status == 0; i++)
      cudaMemcpy(bytes[i].data(), arrays[i], piece.sizes[i], cudaMemcpyDeviceToHost);
    fwrite(&status, 4, 1, out);
    for (int i = 0; i < 3; i++) fwrite(bytes[i].data(), 1, piece.sizes[i], out);
    if (status) cudaDeviceReset();
    else for (void *array : arrays) cudaFree(array);
  }
  return 0;
}
"""
_MAKEFILE = """NVCC ?= nvcc
ARCH ?= sm_90
PROGRAMS = {programs}
all: $(PROGRAMS) $(PROGRAMS:%=%.debug)
%: %.cu
\t$(NVCC) -arch=$(ARCH) -std=c++17 -O3 -w -o $@ $<
%.debug: %.cu
\t$(NVCC) -arch=$(ARCH) -std=c++17 -G -w -o $@ $<
"""
_RUN = """#!/bin/sh
# runs all programs, and each (not optimised) under racecheck, some at a time; OUT is where results go
cd "$(dirname "$0")" && OUT="${OUT:-.}" && export RACECHECK="--racecheck-report hazard --print-limit 0"
for group in {programs}; do timeout 60 ./$group || echo "$group: $?"; done
printf '%s\\n' {programs} | xargs -P 8 -I{} sh -c \\
  'mkdir -p check/{}; cp {}.debug {}.in check/{}; cd check/{};
   timeout 200 compute-sanitizer --tool racecheck $RACECHECK ./{}.debug 2>&1 |
   grep -o "run_k[0-9]*" | sort | uniq -c > ../../{}.racecheck'
tar czf "$OUT/results.tar.gz" *.out *.racecheck
"""
_HAZARD = re.compile(r"run_(k\d+)")


Race: TypeAlias = tuple[Pair, tuple[str, ...]]
"""Two accesses that raced, and the levels at which they did."""


class Piece(Struct):
    """A kernel with its launch: what its arrays hold before, and after it (None: not compared), and the races seen."""

    name: str
    sizes: list[int]
    same: bool
    races: list[Race]
    after: list[str] | None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("make", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=500_000)
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    if given.what == "make":
        simulate(given.folder, given.seed, given.count)
    else:
        _compare(given.folder)
    return 0


# ---------------------------------------------------------------- what the simulator does


def simulate(folder: Path, seed: int, count: int) -> None:
    """Writes programs with kernels of so many seeds, what they begin with, and what the simulator says of them."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[tuple[Case, Launch, Piece, list[NDArray[Any]]]] = []
    for first in range(seed, seed + count, _BATCH):
        cases = [make(s) for s in range(first, min(first + _BATCH, seed + count))]
        made += _simulated([case for case in cases if not case.talks])
        print(f"{first}: {len(made)} kernels", flush=True)
    groups = [made[at : at + _GROUP] for at in range(0, len(made), _GROUP)]
    names = [f"group{n}" for n in range(len(groups))]
    for name, group in zip(names, groups, strict=True):
        (folder / f"{name}.cu").write_text(_program(name, [(c, launch, p) for c, launch, p, _ in group]))
        (folder / f"{name}.in").write_bytes(b"".join(a.tobytes() for *_, arrays in group for a in arrays))
        (folder / f"{name}.json").write_bytes(json.encode([p for _, _, p, _ in group]))
    (folder / "Makefile").write_text(_MAKEFILE.format(programs=" ".join(names)))
    (folder / "run.sh").write_text(_RUN.replace("{programs}", " ".join(names)))
    (folder / "run.sh").chmod(0o755)


def _simulated(cases: list[Case]) -> Iterator[tuple[Case, Launch, Piece, list[NDArray[Any]]]]:
    launches = {case.name: found[0] for case in cases if (found := case.launches(Random(case.seed), 1))}
    cases = [case for case in cases if case.name in launches and launches[case.name].threads <= _MOST_THREADS]
    program, _ = parsed(cases)
    subjects = Subjects(program)
    for case in cases:
        launch = launches[case.name]
        try:
            runs = [_run(subjects, case, launch, n) for n in range(_RUNS)]
        except MeaninglessError:
            continue
        before, after, races = runs[0]
        same = all(races_ == races for *_, races_ in runs)
        kept = same and not races and all(map(np.array_equal, after * 2, [a for _, x, _ in runs[1:] for a in x]))
        piece = Piece(
            case.name,
            [a.nbytes for a in before],
            case.spelling.same,
            sorted({race for _, _, found in runs for race in found}),
            [a.tobytes().hex() for a in after] if kept else None,
        )
        yield case, launch, piece, before


def _run(
    subjects: Subjects, case: Case, launch: Launch, number: int
) -> tuple[list[NDArray[Any]], list[NDArray[Any]], frozenset[Race]]:
    """The arrays before and after a run, and the races in it; shared memory begins differently by the number."""
    arguments = arguments_of(case, launch, Random(case.seed), {})
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    before = [a.copy() for a in arrays]
    shared = Before(case, Random(f"{case.seed} {number}"), {})
    ahead = shared.random.randrange(launch.threads) if number else None
    model, outcome = execute_in_lockstep(subjects, case, launch, arguments, shared, ahead=ahead, fuel=_FUEL)
    if not isinstance(outcome, Finished) or model.divergences:
        raise MeaninglessError(str(outcome))
    levels = races_of(model, subjects.executable(case).sites.sites, launch).levels
    return before, arrays, frozenset((pair, tuple(sorted(level.value for level in of))) for pair, of in levels.items())


def _program(name: str, group: list[tuple[Case, Launch, Piece]]) -> str:
    """The source of a program that runs the kernels of a group, each on its part of the input."""
    text = [HEAD]
    for case, launch, _ in group:
        text.append(case.text().split("void run_")[0])
        grid, block = (f"dim3({x}, {y}, {z})" for x, y, z in launch.extents)
        c = ((launch.c & 0xFFFF) ^ 0x8000) - 0x8000
        arguments = f"(int *)a, ({case.wide} *)w, (const int *)in, {launch.n}, {launch.u & 0xFFFFFFFF}u, (short){c}"
        text.append(
            f"static void run_{case.name}(void *a, void *w, void *in) "
            f"{{ {case.name}<<<{grid}, {block}>>>({arguments}); }}\n"
        )
    driver, pieces = _DRIVER.replace("GROUP", name).split("int main", 1)
    rows = (
        f'  {{"{p.name}", run_{p.name}, {{{", ".join(map(str, p.sizes))}}}, {str(p.same).lower()}}},' for *_, p in group
    )
    table = "static Piece pieces[] = {\n" + "\n".join(rows) + "\n};\n"
    return "".join(text) + driver + table + "int main" + pieces


# ---------------------------------------------------------------- what the GPU does


def _compare(folder: Path) -> None:
    counts: Counter[str] = Counter()
    for file in sorted(folder.glob("group*.json")):
        pieces = json.decode(file.read_bytes(), type=list[Piece])
        out = file.with_suffix(".out")
        if out.exists():
            compare_memory(pieces, out.read_bytes(), counts)
        report = file.with_suffix(".racecheck")
        if report.exists():
            compare_races(pieces, report.read_text(errors="replace"), counts)
    for text, number in sorted(counts.items()):
        print(f"{number:6}  {text}")


def compare_memory(pieces: Sequence[Piece], data: bytes, counts: Counter[str]) -> None:
    """Counts how what a program has written compares with what the simulator left in memory.  May raise SystemExit."""
    if len(data) != sum(4 + sum(piece.sizes) for piece in pieces):
        raise SystemExit("what the programs have written is of other kernels: make the folder, build and run again")
    at = 0
    for piece in pieces:
        status = int.from_bytes(data[at : at + 4], "little")
        at += 4
        found = [data[at + sum(piece.sizes[:n]) :][: piece.sizes[n]].hex() for n in range(3)]
        at += sum(piece.sizes)
        if status:
            counts[f"memory: the GPU stops with error {status}"] += 1
            print(piece.name, "error", status)
        elif piece.after is None:
            counts["memory: not compared (a race, or what shared memory began with counts)"] += 1
        else:
            equal = all(found[n] == piece.after[n] for n in range(2 if piece.same else 3))
            counts["memory: the same" if equal else "memory: DIFFERENT"] += 1
            if not equal:
                print(piece.name, "differs")


def compare_races(pieces: Iterable[Piece], report: str, counts: Counter[str]) -> None:
    """Counts in how many kernels racecheck, whose report names those with hazards, and the simulator see races."""
    seen = set(_HAZARD.findall(report))
    for piece in pieces:
        counts[f"shared memory: {_seen_by(piece, theirs=piece.name in seen)}"] += 1


def _seen_by(piece: Piece, *, theirs: bool) -> str:
    shared = [(pair, levels) for pair, levels in piece.races if pair[2] == "shared"]
    if theirs:
        return "both see a race" if shared else "racecheck alone sees one"
    if not shared:
        return "neither sees one"
    warps = all(levels == ("intra-warp",) for _, levels in shared)
    atomics = all(any(kind == "atomic" for _, kind in pair[:2]) for pair, _ in shared)
    which = "within warps" if warps else "of atomics with others" if atomics else "of warps"
    return f"the simulator alone sees one, {which}"


if __name__ == "__main__":
    raise SystemExit(main())
