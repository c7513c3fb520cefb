"""Time and memory of the dynamic detectors on the same traces: the access model and GRace's two tables.

    python benchmarks/detectors.py [--blocks N] [--threads N] [--rounds N] [--json FILE]

Some traces are made here, as a lock-step execution would emit them, others are runs of the kernels below; each
is fed to a detector of each kind, alone and behind static pruning: the sites that a made trace names as proved,
or that the analysis has proved for the kernel at this launch, are not logged.  "finds" is how many of the
trace's races, as the definition in docs/verdicts.md has them, a detector tells: pairs of sites for the access
model and GRace-stmt, words of memory for GRace-addr.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.engine.analysis.program import analyze
from hgrd.findings.options import AnalysisOptions
from hgrd.program.linked import link
from hgrd.program.span import Span
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.grace import GraceAddresses, GraceStatements
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.detectors.pruning import Pruned, proved_in
from hgrd.simulate.execute import execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Finished
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.trace import Arrive, MemoryOrder, Observer, Recorded, Sites, Touch, TraceSite
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file


@dataclass
class Trace:
    """Events of a launch, with the lines of the sites that a static analysis would have proved."""

    name: str
    what: str
    shape: LaunchShape
    proved: frozenset[int] = frozenset()
    sites: Sites = field(default_factory=Sites)
    events: Recorded = field(default_factory=Recorded)
    proof: Callable[[TraceSite], bool] | None = None

    def touch(self, line: int, kind: AccessKind, threads: np.ndarray, words: np.ndarray, space: Space) -> None:
        atomic = kind is AccessKind.ATOMIC
        scope, order = (Scope.DEVICE, MemoryOrder.RELAXED) if atomic else (None, MemoryOrder.PLAIN)
        site = self.sites.number(TraceSite(Span(self.name, line, 1), kind, scope, False, ""))
        values = threads.astype(np.int32)
        memory = 1 if space is Space.SHARED else 2
        self.events.touch(Touch(site, memory, space, threads, 4 * words, 4, kind, scope, order, values))

    def shared(self, line: int, write: bool, threads: np.ndarray, words: np.ndarray) -> None:
        self.touch(line, AccessKind.WRITE if write else AccessKind.READ, threads, words, Space.SHARED)

    def sync(self, line: int) -> None:
        for block in range(self.shape.blocks):
            first = block * self.shape.threads_per_block
            threads = np.arange(first, first + self.shape.threads_per_block)
            self.events.arrive(Arrive(Scope.BLOCK, threads, Span(self.name, line, 1)))

    def proves(self, site: TraceSite) -> bool:
        return self.proof(site) if self.proof else site.span.line in self.proved


def traces(shape: LaunchShape, rounds: int) -> Iterator[Trace]:
    all_ = np.arange(shape.threads)
    inside = all_ % shape.threads_per_block
    next_ = (inside + 1) % shape.threads_per_block

    yield (trace := Trace("tile", "fill own word, barrier, read the next word, barrier", shape, frozenset({1, 3})))
    for _ in range(rounds):
        trace.shared(1, True, all_, inside)
        trace.sync(2)
        trace.shared(3, False, all_, next_)
        trace.sync(4)

    yield (trace := Trace("tile-race", "the same without the second barrier", shape))
    for _ in range(rounds):
        trace.shared(1, True, all_, inside)
        trace.sync(2)
        trace.shared(3, False, all_, next_)

    yield (trace := Trace("long-phase", "many statements on own words, one barrier", shape, frozenset({1, 2})))
    for _ in range(rounds):
        trace.shared(1, False, all_, inside)
        trace.shared(2, True, all_, inside)
    trace.sync(3)

    yield (trace := Trace("wide-tile", "sixteen words a thread, one write of another's", shape))
    for i in range(16):
        trace.shared(1, True, all_, inside + i * shape.threads_per_block)
    trace.shared(2, True, all_[:1], np.array([shape.threads_per_block - 1]))
    trace.sync(3)

    yield (trace := Trace("warp", "write own word, read a neighbour's of the warp, no barrier", shape))
    for _ in range(rounds):
        trace.shared(1, True, all_, inside)
        trace.shared(2, False, all_, inside ^ 1)

    yield (trace := Trace("global", "blocks write each other's words in global memory", shape))
    for _ in range(rounds):
        trace.touch(1, AccessKind.WRITE, all_, all_, Space.GLOBAL)
        trace.touch(2, AccessKind.READ, all_, (all_ + shape.threads_per_block) % shape.threads, Space.GLOBAL)

    yield (trace := Trace("atomic", "plain initialisation and atomics on it, no barrier", shape))
    trace.shared(1, True, all_[inside < 64], inside[inside < 64])
    for i in range(rounds):
        trace.touch(2, AccessKind.ATOMIC, all_, (inside * 7 + i) % 64, Space.SHARED)


# ---------------------------------------------------------------- kernels

KERNELS = """
__global__ void scan(int *data) {
  __shared__ int s[1024];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = data[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    int left = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += left;
    __syncthreads();
  }
  data[blockIdx.x * n + t] = s[t];
}

__global__ void scan_race(int *data) {
  __shared__ int s[1024];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = data[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    int left = t >= d ? s[t - d] : 0;
    s[t] += left;
    __syncthreads();
  }
  data[blockIdx.x * n + t] = s[t];
}

__global__ void histogram(int *data) {
  __shared__ int bins[64];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  for (int i = 0; i < 50; i++) atomicAdd(&bins[(g * 7 + i) & 63], 1);
  __syncthreads();
  if (t < 64) atomicAdd(&data[t], bins[t]);
}

__global__ void blur(int *data) {
  int g = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int i = 0; i < 50; i++) {
    data[g] = (data[g] + data[(g + 1) % n]) / 2;
    __syncthreads();
  }
}
"""


def runs(shape: LaunchShape) -> Iterator[Trace]:
    """The kernels at this shape, and what the analysis proves of them there."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kernels.cu"
        file.write_text(KERNELS)
        program = parse_file(str(file), SourceOptions())
    block, grid = (shape.threads_per_block, 1, 1), (shape.blocks, 1, 1)
    reports = {r.kernel: r for r in analyze((program,), AnalysisOptions(block_dim=block, grid_dim=grid)).kernels}
    for kernel in program.kernels():
        executable, memory = prepare(link((program,)), kernel), Memory()
        trace = Trace(kernel.ref.name, "", shape, sites=executable.sites)
        trace.proof = proved_in(reports[kernel.ref.name].launches[0])
        data = int(memory.allocate("data", np.arange(shape.threads, dtype=np.int32)))
        outcome = execute(executable, ConcreteLaunch(grid, block, (data,)), memory, trace.events)
        assert isinstance(outcome, Finished), outcome
        yield trace


# ---------------------------------------------------------------- measuring


def model(shape: LaunchShape) -> tuple[Observer, Callable[[], tuple[int, int]]]:
    observer = AccessModel(shape)
    return observer, lambda: (observer.bytes_held(), len(observer.races()))


def statements(shape: LaunchShape) -> tuple[Observer, Callable[[], tuple[int, int]]]:
    observer = GraceStatements(shape)

    def finish() -> tuple[int, int]:
        observer.finish()
        return observer.peak_bytes, len({(race.first, race.second) for race in observer.races})

    return observer, finish


def addresses(shape: LaunchShape) -> tuple[Observer, Callable[[], tuple[int, int]]]:
    observer = GraceAddresses(shape)

    def finish() -> tuple[int, int]:
        observer.finish()
        return observer.peak_bytes, len(observer.addresses) + len(observer.races)

    return observer, finish


DETECTORS = {"access model": model, "GRace-stmt": statements, "GRace-addr": addresses}


def measured(trace: Trace, detector: str, pruned: bool) -> dict[str, object]:
    observer, finish = DETECTORS[detector](trace.shape)
    target = Pruned(observer, trace.sites, trace.proves) if pruned else observer
    begin = time.perf_counter()
    for event in trace.events.events:
        match event:
            case Touch():
                target.touch(event)
            case Arrive():
                target.arrive(event)
            case _:
                target.fenced(event)
    held, found = finish()
    seconds = time.perf_counter() - begin
    return {
        "trace": trace.name,
        "detector": detector,
        "pruned": pruned,
        "accesses": sum(len(e.threads) for e in trace.events.touches()),
        "seconds": round(seconds, 4),
        "bytes": held,
        "finds": found,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--threads", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results: list[dict[str, object]] = []
    print(f"{'trace':<11} {'detector':<13} {'pruned':<7} {'accesses':>9} {'seconds':>9} {'MiB':>8} {'finds':>6}")
    shape = LaunchShape(options.threads, options.blocks)
    for trace in [*traces(shape, options.rounds), *runs(shape)]:
        for pruned in (False, True) if trace.proved or trace.proof else (False,):
            for detector in DETECTORS:
                row = measured(trace, detector, pruned)
                results.append(row)
                print(
                    f"{trace.name:<11} {detector:<13} {'yes' if pruned else '':<7} {row['accesses']:>9} "
                    f"{row['seconds']:>9.3f} {int(str(row['bytes'])) / 2**20:>8.2f} {row['finds']:>6}"
                )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
