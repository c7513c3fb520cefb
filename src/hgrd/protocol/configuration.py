"""Launch extents and the index symbols within them (CUDA Programming Guide, "Technical Specifications")."""

from __future__ import annotations

from typing import TypeAlias

from hgrd.cuda.limits import BLOCK_LIMITS, CLUSTER_BLOCKS, GRID_LIMITS, MAX_THREADS
from hgrd.host.model import Fact, FactKind, LaunchSite
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.protocol.model import Configuration
from hgrd.terms import TRUE, Origin, Symbol, Term, add, const, div, eq, le, mul, show, var

Cluster: TypeAlias = tuple[Term | None, Term | None, Term | None]
ALONE = (const(1), const(1), const(1))
"""A block that is a cluster of its own."""
_AXES = "xyz"


def configuration(kernel: Function, launch: LaunchSite | None, forced: Configuration | None = None) -> Configuration:
    """Configuration of a launch; if `launch` is None, all extents that CUDA allows."""
    if forced is not None:
        return forced
    span = kernel.span if launch is None else launch.span
    grid = (None, None, None) if launch is None else launch.grid
    block = (None, None, None) if launch is None else launch.block
    return configured(grid, block, span, kernel.max_threads, cluster_of(kernel, launch))


def cluster_of(kernel: Function, launch: LaunchSite | None) -> Cluster:
    """Blocks of a cluster along each axis, as the kernel is declared with or the launch says; None: unknown.

    CUDA C++ Programming Guide, "Thread Block Clusters".
    """
    if kernel.cluster is not None:
        x, y, z = (None if n is None else const(n) for n in kernel.cluster)
        return x, y, z
    return (None, None, None) if launch is None or launch.cluster is None else launch.cluster


def configured(
    grid: tuple[Term | None, Term | None, Term | None],
    block: tuple[Term | None, Term | None, Term | None],
    span: Span,
    max_threads: int | None = None,
    cluster: Cluster = ALONE,
) -> Configuration:
    """Configuration with the given extents; None: unknown.

    Extents that are not constant become symbols with CUDA's limits.
    """
    facts: list[Fact] = []
    grids = [_extent(f"gridDim.{a}", g, m, span, facts) for a, g, m in zip(_AXES, grid, GRID_LIMITS, strict=True)]
    blocks = [_extent(f"blockDim.{a}", b, m, span, facts) for a, b, m in zip(_AXES, block, BLOCK_LIMITS, strict=True)]
    limit = min(max_threads or MAX_THREADS, MAX_THREADS)
    if sum(not b.is_const for b in blocks) > 1 or limit < MAX_THREADS:
        total = le(mul(*blocks), const(limit))
        text = f"a block has at most {limit} threads"
        facts.append(Fact(total, FactKind.DIMENSION, text, span))
    cx, cy, cz = (
        var(Symbol(f"clusterDim.{a}", 1, CLUSTER_BLOCKS, Origin.UNKNOWN)) if n is None else n
        for a, n in zip(_AXES, cluster, strict=True)
    )
    threads = [_index(f"threadIdx.{a}", b, Origin.THREAD) for a, b in zip(_AXES, blocks, strict=True)]
    indexes = [_index(f"blockIdx.{a}", g, Origin.BLOCK) for a, g in zip(_AXES, grids, strict=True)]
    return Configuration(
        (grids[0], grids[1], grids[2]),
        (blocks[0], blocks[1], blocks[2]),
        (threads[0], threads[1], threads[2]),
        (indexes[0], indexes[1], indexes[2]),
        tuple(facts),
        (cx, cy, cz),
    )


def cluster_rank(c: Configuration) -> Term:
    """Number of the thread's cluster in the grid."""
    x, y, z = (div(i, n) for i, n in zip(index_terms(c.block_index), c.cluster, strict=True))
    wide, high = (div(g, n) for g, n in zip(c.grid[:2], c.cluster[:2], strict=True))
    return add(x, mul(wide, add(y, mul(high, z))))


def _extent(name: str, extent: Term | None, limit: int, span: Span, facts: list[Fact]) -> Term:
    if extent is not None and extent.is_const:
        if name.endswith(".x") or extent.value != 1:
            facts.append(Fact(TRUE, FactKind.DIMENSION, f"{name} == {extent.value}", span))
        return extent
    symbol = var(Symbol(name, 1, limit, Origin.DIMENSION))
    if extent is not None:
        facts.append(Fact(eq(symbol, extent), FactKind.RELATION, f"{name} == {show(extent)}", span))
    return symbol


def _index(name: str, extent: Term, origin: Origin) -> Symbol | None:
    return None if extent.high <= 1 else Symbol(name, 0, extent.high - 1, origin)


def index_terms(symbols: tuple[Symbol | None, Symbol | None, Symbol | None]) -> tuple[Term, Term, Term]:
    x, y, z = (const(0) if s is None else var(s) for s in symbols)
    return x, y, z
