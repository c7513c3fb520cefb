"""Which accesses no barrier separates, by the iterations of the loops around them."""

from pathlib import Path

import pytest

from hgrd.cuda.memory_model import Level
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases.barrier_bypass import SOME_THREADS
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import Phases, phases
from hgrd.races.pairs.printer import order_in_words
from hgrd.races.threads.uniformity import UniformSymbols
from tests.checking import protocols

WRITE_A, READ_A = "tile[t] = 1;", "x += tile[t + 1];"
SYNC = "__syncthreads();"

# Bodies that write the shared array once and read it once, and when the write of one thread meets the write and
# the read of another thread of its block: "" never.
BODIES = {
    "no_barrier": (f"{WRITE_A} {READ_A}", "unordered", "unordered"),
    "a_barrier": (f"{WRITE_A} {SYNC} {READ_A}", "unordered", ""),
    "read_first": (f"{READ_A} {SYNC} {WRITE_A}", "unordered", ""),
    "loop_without_barrier": (f"for (int r = 0; r < n; ++r) {{ {WRITE_A} {READ_A} }}", "unordered", "unordered"),
    "loop_with_one_barrier": (
        f"for (int r = 0; r < n; ++r) {{ {WRITE_A} {SYNC} {READ_A} }}",
        "same r#",
        "r# of the write 1 ahead",
    ),
    "loop_with_two_barriers": (
        f"for (int r = 0; r < n; ++r) {{ {WRITE_A} {SYNC} {READ_A} {SYNC} }}",
        "same r#",
        "",
    ),
    "loop_with_a_barrier_at_its_end": (
        f"for (int r = 0; r < n; ++r) {{ {WRITE_A} {READ_A} {SYNC} }}",
        "same r#",
        "same r#",
    ),
    "loop_with_a_barrier_at_its_start": (
        f"for (int r = 0; r < n; ++r) {{ {SYNC} {WRITE_A} {READ_A} }}",
        "same r#",
        "same r#",
    ),
    "before_a_loop": (
        f"{WRITE_A} for (int r = 0; r < n; ++r) {{ {READ_A} {SYNC} }}",
        "unordered",
        "r# of the read is 0",
    ),
    "before_a_loop_that_begins_with_a_barrier": (
        f"{WRITE_A} for (int r = 0; r < n; ++r) {{ {SYNC} {READ_A} }}",
        "unordered",
        "",
    ),
    "behind_a_loop": (
        f"for (int r = 0; r < n; ++r) {{ {SYNC} {WRITE_A} }} {READ_A}",
        "same r#",
        "r# of the write is the last",
    ),
    "behind_a_loop_that_ends_with_a_barrier": (
        f"for (int r = 0; r < n; ++r) {{ {WRITE_A} {SYNC} }} {READ_A}",
        "same r#",
        "",
    ),
    "around_a_loop": (
        f"{WRITE_A} for (int r = 0; r < n; ++r) {{ {SYNC} }} {READ_A}",
        "unordered",
        "not 0 < n for the read",
    ),
    "nested": (
        f"for (int q = 0; q < n; ++q) {{ {WRITE_A} for (int r = 0; r < m; ++r) {{ {SYNC} {READ_A} }} }}",
        "same q#; "
        "q# of the read 1 ahead, not 0 < m for the write; "
        "q# of the read 2 or more ahead, not 0 < m for the write; "
        "q# of the write 1 ahead, not 0 < m for the read; "
        "q# of the write 2 or more ahead, not 0 < m for the read",
        "q# of the write 1 ahead, not r# + 1 < m for the read; "
        "q# of the write 2 or more ahead, not r# + 1 < m for the read, not 0 < m for the read",
    ),
    "nested_with_a_barrier_around": (
        f"for (int q = 0; q < n; ++q) {{ {WRITE_A} {SYNC} for (int r = 0; r < m; ++r) {{ {READ_A} }} {SYNC} }}",
        "same q#",
        "",
    ),
    "a_condition_that_all_agree_on": (f"if (n > 2) {{ {WRITE_A} {SYNC} {READ_A} }}", "unordered", ""),
    "a_condition_on_both": (f"if (n > 2) {{ {WRITE_A} {SYNC} }} if (n > 2) {{ {READ_A} }}", "unordered", ""),
    "a_condition_on_the_barrier": (
        f"{WRITE_A} if (n > 2) {{ {SYNC} }} {READ_A}",
        "unordered",
        "not 2 < n for the read",
    ),
    "a_condition_on_a_barrier_in_a_loop": (
        f"for (int r = 0; r < n; ++r) {{ {WRITE_A} if (m > 2) {{ {SYNC} }} {READ_A} }}",
        "same r#; "
        "r# of the read 1 ahead, not 2 < m for the write; "
        "r# of the read 2 or more ahead, not 2 < m for the write; "
        "r# of the write 1 ahead, not 2 < m for the read; "
        "r# of the write 2 or more ahead, not 2 < m for the read",
        "same r#, not 2 < m for the read; "
        "r# of the read 1 ahead, not 2 < m for the write, not 2 < m for the read; "
        "r# of the read 2 or more ahead, not 2 < m for the write, not 2 < m for the read; "
        "r# of the write 1 ahead; "
        "r# of the write 2 or more ahead, not 2 < m for the read",
    ),
    "a_condition_that_depends_on_the_thread": (
        f"{WRITE_A} if (t > 2) {{ {SYNC} }} {READ_A}",
        "unordered",
        "not 2 < threadIdx.x for the read, not 2 < threadIdx.x for the write; "
        f"not 2 < threadIdx.x for the read ({SOME_THREADS}); not 2 < threadIdx.x for the write ({SOME_THREADS})",
    ),
    "a_loop_that_each_thread_leaves_by_itself": (
        f"for (int r = 0; r < n + t; ++r) {{ {WRITE_A} {SYNC} {READ_A} {SYNC} }}",
        "same r#",
        "",
    ),
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Protocol]:
    head, tail = "__shared__ int tile[300]; int t = threadIdx.x, x = 0;", "out[t] = x;"
    source = "\n".join(
        f"__global__ void {name}(int *out, int n, int m) {{ {head} {body} {tail} }}"
        for name, (body, _, _) in BODIES.items()
    )
    return protocols(tmp_path_factory.mktemp("phases"), source)


def two_accesses(protocol: Protocol) -> tuple[Access, Access]:
    """The write and the read of the shared array."""
    found = {a.kind.value: a for a in accesses(protocol.items) if a.target.name == "tile"}
    return found["write"], found["read"]


def met(relation: Phases, first: Access, second: Access, level: Level = Level.INTRA_BLOCK) -> str:
    names = {Side.FIRST: "the write", Side.SECOND: "the read"}
    return "; ".join(order_in_words(order, names) for order in relation.may_happen_in_parallel(first, second, level))


@pytest.mark.parametrize("name", BODIES)
def test_block(kernels: dict[str, Protocol], name: str):
    _, with_itself, with_the_read = BODIES[name]
    protocol = kernels[name]
    relation = phases(protocol, UniformSymbols(protocol))
    write, read = two_accesses(protocol)
    assert (met(relation, write, write), met(relation, write, read)) == (with_itself, with_the_read)


@pytest.mark.parametrize("name", BODIES)
def test_barriers_of_blocks_do_not_order_blocks(kernels: dict[str, Protocol], name: str):
    protocol = kernels[name]
    relation = phases(protocol, UniformSymbols(protocol))
    write, read = two_accesses(protocol)
    assert met(relation, write, read, Level.INTER_BLOCK) == "unordered"
    assert relation.ordered_alike(write, read) == (BODIES[name][2] == "unordered")


@pytest.mark.parametrize(
    ("barrier", "ordered"),
    [
        ("", set[Level]()),
        ("__syncthreads();", {Level.INTRA_WARP, Level.INTRA_BLOCK}),
        ("__syncthreads_count(n);", {Level.INTRA_WARP, Level.INTRA_BLOCK}),
        ("__syncwarp();", {Level.INTRA_WARP}),
        ("__syncwarp(0xffffffff);", {Level.INTRA_WARP}),
        ("__syncwarp(0xffff);", set[Level]()),
        ("cg::this_grid().sync();", {Level.INTRA_WARP, Level.INTRA_BLOCK, Level.INTER_BLOCK}),
        ("cg::this_thread_block().sync();", {Level.INTRA_WARP, Level.INTRA_BLOCK}),
        ("cg::sync(cg::this_thread_block());", {Level.INTRA_WARP, Level.INTRA_BLOCK}),
        ("cg::tiled_partition<32>(cg::this_thread_block()).sync();", {Level.INTRA_WARP}),
        ("cg::tiled_partition<16>(cg::this_thread_block()).sync();", set[Level]()),
        ("__threadfence();", set[Level]()),
    ],
)
def test_levels_of_barriers(tmp_path: Path, barrier: str, ordered: set[Level]):
    source = f"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *out, int n) {{
  __shared__ int tile[300];
  int t = threadIdx.x, x = 0;
  {WRITE_A} {barrier} {READ_A}
  out[t] = x;
}}
"""
    protocol = protocols(tmp_path, source)["k"]
    relation = phases(protocol, UniformSymbols(protocol))
    assert {level for level in Level if met(relation, *two_accesses(protocol), level) == ""} == ordered
