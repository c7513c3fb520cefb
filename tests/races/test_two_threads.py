"""Two threads: their symbols, what makes them different, and floating-point values."""

import pytest

from hgrd.cuda.memory_model import Level
from hgrd.program.span import NOWHERE
from hgrd.protocol.configuration import configured
from hgrd.protocol.model import Configuration
from hgrd.protocol.phases.parallelism import Ahead, At, Count, Last, ParallelCase, Same, Side
from hgrd.races.threads.two_threads import ThreadPair, abstract_floats
from hgrd.terms import Origin, Symbol, Term, add, const, eq, lt, read, show, var

K, COUNT = Symbol("k#", 0, 99, Origin.LOOP), Symbol("k#end", 0, 100, Origin.COUNT)
N = Symbol("n", 0, 99, Origin.INPUT)
ROWS = configured((None, const(1), const(1)), (const(64), const(4), const(1)), NOWHERE)
LINE = configured((const(8), const(1), const(1)), (None, const(1), const(1)), NOWHERE)


def pair_of_threads(*, same_block: bool, configuration: Configuration = LINE) -> ThreadPair:
    return ThreadPair(frozenset({"k#", "k#end"}), configuration, same_block)


def shown(*terms: Term) -> list[str]:
    return [show(t) for t in terms]


def test_each_has_its_own_copy_of_what_is_private():
    thread, block = (s for s in (LINE.thread[0], LINE.block_index[0]) if s is not None)
    total = add(var(thread), var(block), var(K), var(N))
    one = pair_of_threads(same_block=False).of((total,), Side.FIRST)
    two = pair_of_threads(same_block=True).of((total,), Side.SECOND)
    assert shown(*one) == ["threadIdx.x@1 + blockIdx.x@1 + k#@1 + n"]
    assert shown(*two) == ["threadIdx.x@2 + blockIdx.x + k#@2 + n"]


@pytest.mark.parametrize(
    ("level", "conditions"),
    [
        (None, ["threadIdx.x@1 != threadIdx.x@2 || blockIdx.x@1 != blockIdx.x@2"]),
        (Level.INTER_BLOCK, ["blockIdx.x@1 != blockIdx.x@2"]),
        (Level.INTRA_BLOCK, ["threadIdx.x@1 != threadIdx.x@2", "threadIdx.x@1 / 32 != threadIdx.x@2 / 32"]),
        (Level.INTRA_WARP, ["threadIdx.x@1 != threadIdx.x@2", "threadIdx.x@1 / 32 == threadIdx.x@2 / 32"]),
    ],
)
def test_they_are_different_threads_at_a_level(level: Level | None, conditions: list[str]):
    same_block = level not in (None, Level.INTER_BLOCK)
    assert shown(*pair_of_threads(same_block=same_block).distinct(level)) == conditions


def test_warps_of_rows_that_are_whole_warps():
    _, warps = pair_of_threads(same_block=True, configuration=ROWS).distinct(Level.INTRA_WARP)
    assert show(warps) == "threadIdx.x@1 / 32 + threadIdx.y@1 * 2 == threadIdx.x@2 / 32 + threadIdx.y@2 * 2"


def test_warps_of_other_rows():
    eights = configured((const(1), const(1), const(1)), (const(8), const(8), const(1)), NOWHERE)
    _, warps = pair_of_threads(same_block=True, configuration=eights).distinct(Level.INTRA_WARP)
    assert show(warps) == "(threadIdx.x@1 + threadIdx.y@1 * 8) / 32 == (threadIdx.x@2 + threadIdx.y@2 * 8) / 32"


@pytest.mark.parametrize(
    ("orders", "text"),
    [
        ((ParallelCase(),), "true"),
        ((), "false"),
        ((ParallelCase((Same(K),)),), "k#@1 == k#@2"),
        ((ParallelCase((Ahead(K, Side.SECOND),)),), "k#@2 == k#@1 + 1"),
        ((ParallelCase((Ahead(K, Side.FIRST),)),), "k#@1 == k#@2 + 1"),
        ((ParallelCase((At(K, Side.SECOND),)),), "k#@2 == 0"),
        ((ParallelCase((Last(K, COUNT, Side.FIRST),)),), "k#end@2 == k#@1 + 1"),
        ((ParallelCase((Count(COUNT, Side.SECOND),)),), "k#end@2 == 0"),
        ((ParallelCase((Same(K),)), ParallelCase((At(K, Side.FIRST),))), "k#@1 == k#@2 || k#@1 == 0"),
        ((ParallelCase((Same(K), At(K, Side.FIRST))),), "k#@1 == k#@2 && k#@1 == 0"),
    ],
)
def test_orders(orders: tuple[ParallelCase, ...], text: str):
    assert show(pair_of_threads(same_block=True).order(orders)) == text


def test_equal_floating_point_computations_are_equal_symbols():
    x, y = (read("float +", read("data", var(s)), const(1)) for s in (N, K))
    one, two, three = abstract_floats((eq(x, y), lt(x, const(3)), eq(var(N), const(1))))
    assert show(one) == "float +%0 == float +%1"
    assert show(two) == "float +%0 < 3"
    assert show(three) == "n == 1"
