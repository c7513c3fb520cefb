"""Shared memory: reductions, scans, butterflies, halos; bit tricks."""

from __future__ import annotations

from benchmarks.solver.suite import race, safe
from benchmarks.solver.vocabulary import Expr, Operand, Sketch, Thread

# ---------------------------------------------------------------- reductions and scans


@safe("intra")
def reduce_seq(q: Sketch) -> None:
    q.launch(block=[None])
    s = q.value("s", 1, 512)
    q.access(lambda t: t.at(t.tx, t.tx < s), lambda t: t.at(t.tx + s, t.tx < s))


@race("intra")
def reduce_nobarrier(q: Sketch) -> None:
    q.launch(block=[None])
    s = q.power_of_two("s", 1, 9)
    half = s >> 1
    q.access(lambda t: t.at(t.tx, t.tx < s), lambda t: t.at(t.tx + half, t.tx < half))


@safe("intra")
def reduce_interleaved(q: Sketch) -> None:
    block, _ = q.launch(block=[None])
    s = q.power_of_two("s", 0, 9)

    def index(t: Thread, offset: Operand) -> Operand:
        i = 2 * s * t.tx
        return t.at(i + offset, i < block.x)

    q.access(lambda t: index(t, 0), lambda t: index(t, s))


@safe("intra")
def reduce_mod(q: Sketch) -> None:
    q.launch(block=[None])
    s = q.power_of_two("s", 0, 9)
    q.access(
        lambda t: t.at(t.tx, (t.tx % (2 * s)).is_(0)),
        lambda t: t.at(t.tx + s, (t.tx % (2 * s)).is_(0)),
    )


@race("warp")
def warp_reduce_nosync(q: Sketch) -> None:
    q.launch(block=[256])
    q.access(lambda t: t.at(t.tx, t.tx < 32), lambda t: t.at(t.tx + 16, t.tx < 32))


@safe("intra")
def ho_scan_upsweep(q: Sketch) -> None:
    block, _ = q.launch(block=[None])
    s = q.power_of_two("s", 0, 9)

    def index(t: Thread, back: Operand) -> Operand:
        i = (t.tx + 1) * s * 2 - 1
        return t.at(i - back, i < 2 * block.x)

    q.access(lambda t: index(t, 0), lambda t: index(t, s))


@safe("intra")
def scan_pingpong(q: Sketch) -> None:
    n = q.value("n", 1, 2048)
    block, _ = q.launch(block=[None])
    q.assume(block.x.is_(n))
    out, offset = q.value("pout", 0, 1), q.value("offset", 1, 1024)
    q.access(lambda t: out * n + t.tx, lambda t: t.at((1 - out) * n + t.tx - offset, t.tx >= offset))


@safe("intra")
def ho_double_buffer(q: Sketch) -> None:
    block, _ = q.launch(block=[None])
    i = q.value("it", 0)
    q.access(lambda t: ((i + 1) & 1) * block.x + t.tx, lambda t: (i & 1) * block.x + t.tx)


# ---------------------------------------------------------------- bits


@race("intra")
def xor_butterfly(q: Sketch) -> None:
    q.launch(block=[None])
    mask = q.power_of_two("m", 0, 9)
    q.access(lambda t: t.tx, lambda t: t.tx ^ mask)


@safe("intra")
def bitonic(q: Sketch) -> None:
    q.launch(block=[1024])
    j = q.value("j", 1, 1023)
    q.access(lambda t: t.at(t.tx, (t.tx ^ j) > t.tx), lambda t: t.at(t.tx ^ j, (t.tx ^ j) > t.tx))


@safe("intra")
def xor_swizzle(q: Sketch) -> None:
    q.launch(block=[32, 32])
    q.access(lambda t: t.ty * 32 + (t.tx ^ t.ty))


@safe("intra")
def warp_leader(q: Sketch) -> None:
    q.launch(block=[None])
    q.access(lambda t: t.at(t.tx >> 5, (t.tx & 31).is_(0)))


@race("warp")
def warp_noleader(q: Sketch) -> None:
    q.launch(block=[None])
    q.access(lambda t: t.tx >> 5)


@safe("intra")
def lane_warp(q: Sketch) -> None:
    q.launch(block=[None])
    q.access(lambda t: (t.tx // 32) * 32 + t.tx % 32)


@safe("intra")
def and_mask_ok(q: Sketch) -> None:
    block, _ = q.launch(block=[None])
    n, offset = q.power_of_two("n", 0, 12), q.value("offset", 0, 1 << 20)
    q.assume(n >= block.x)
    q.access(lambda t: (t.tx + offset) & (n - 1))


@race("intra")
def and_mask_bad(q: Sketch) -> None:
    q.launch(block=[None])
    n = q.power_of_two("n", 0, 12)
    q.access(lambda t: t.tx & (n - 1))


@safe("intra")
def fft_butterfly(q: Sketch) -> None:
    q.launch(block=[None])
    s = q.power_of_two("s", 0, 9)

    def index(t: Thread) -> Expr:
        return (t.tx // s) * (2 * s) + t.tx % s

    q.access(index, lambda t: index(t) + s)


@safe()
def fft_global_anys(q: Sketch) -> None:
    q.launch(block=[256], grid=[None])
    s = q.positive("s", 1 << 20)
    q.access(lambda t: (t.x // s) * (2 * s) + t.x % s)


@safe()
def shift_radix(q: Sketch) -> None:
    q.launch(block=[256], grid=[None])
    q.access(lambda t: (t.bx << 8) + t.tx)


# ---------------------------------------------------------------- halos and rings


@safe("intra")
def halo_load_ok(q: Sketch) -> None:
    block, _ = q.launch(block=[None])
    radius = q.value("R", 1, 64)
    q.assume(block.x >= 2 * radius)
    q.access(lambda t: t.tx + radius, lambda t: t.at(t.tx, t.tx < radius))


@race("intra")
def halo_nobarrier(q: Sketch) -> None:
    q.launch(block=[None])
    radius = q.value("R", 1, 64)

    def read(t: Thread) -> Operand:
        j = t.local("j", 0, 128)
        return t.at(t.tx + j, j <= 2 * radius)

    q.access(lambda t: t.tx + radius, read)


@safe("inter")
def ho_pathfinder(q: Sketch) -> None:
    steps, columns = q.value("iterations", 1, 100), q.positive("columns")
    q.launch(block=[256], grid=[None])
    inner = 256 - 2 * steps

    def index(t: Thread) -> Operand:
        x = inner * t.bx - steps + t.tx
        return t.at(x, t.tx >= steps, t.tx <= 255 - steps, x >= 0, x < columns)

    q.access(index)


@safe("intra")
def ring_ok(q: Sketch) -> None:
    block, _ = q.launch(block=[None])
    size, head = q.positive("size", 1 << 20), q.value("head", 0, 1 << 20)
    q.assume(size >= block.x)
    q.access(lambda t: (head + t.tx) % size)


@race("intra")
def ring_bad(q: Sketch) -> None:
    q.launch(block=[None])
    size, head = q.positive("size", 1 << 20), q.value("head", 0, 1 << 20)
    q.access(lambda t: (head + t.tx) % size)
