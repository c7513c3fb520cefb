"""Loops over an array, contents of arrays, hashes, vector types, wrap-around."""

from __future__ import annotations

from benchmarks.solver.suite import race, safe
from benchmarks.solver.vocabulary import Expr, Operand, Sketch, Thread, either, element, signed, unless, unsigned

# ---------------------------------------------------------------- loops


def _strided(q: Sketch, stride: Operand) -> None:
    n = q.positive("n")

    def index(t: Thread) -> Operand:
        i = t.x + t.local("k", 0) * stride
        return t.at(i, i < n)

    q.access(index)


@safe()
def gridstride_symbd(q: Sketch) -> None:
    block, grid = q.launch(block=[None], grid=[None])
    _strided(q, block.x * grid.x)


@safe()
def gridstride_bd256(q: Sketch) -> None:
    _, grid = q.launch(block=[256], grid=[None])
    _strided(q, grid.x * 256)


@race()
def gridstride_wrong(q: Sketch) -> None:
    block, _ = q.launch(block=[None], grid=[None])
    _strided(q, block.x)


def _chunk(t: Thread, n: Expr, chunk: Expr, last: Expr) -> Operand:
    j = t.local("j", 0)
    i = t.x * chunk + j
    return t.at(i, j < last, i < n)


@safe()
def chunk_ok(q: Sketch) -> None:
    n = q.positive("n")
    _, grid = q.launch(block=[256], grid=[None])
    threads = grid.x * 256
    chunk = (n + threads - 1) // threads
    q.access(lambda t: _chunk(t, n, chunk, chunk))


@race()
def chunk_overlap(q: Sketch) -> None:
    n, chunk = q.positive("n"), q.positive("chunk", 1 << 20)
    q.launch(block=[None], grid=[None])
    q.access(lambda t: _chunk(t, n, chunk, chunk + 1))


@safe()
def loops_njk(q: Sketch) -> None:
    n, m = q.sizes_of("n", "m")
    q.launch(block=[256], grid=[None])

    def index(t: Thread) -> Operand:
        j, k = t.local("j", 0), t.local("k", 0)
        return t.at(t.x * n * m + j * m + k, j < n, k < m)

    q.access(index)


@safe()
def loops_njk_symbd(q: Sketch) -> None:
    n, m = q.sizes_of("n", "m")
    q.launch(block=[None], grid=[None])

    def index(t: Thread) -> Operand:
        j, k = t.local("j", 0), t.local("k", 0)
        return t.at((t.x * n + j) * m + k, j < n, k < m)

    q.access(index)


@safe()
def ho_warp_per_row(q: Sketch) -> None:
    n = q.positive("n")
    q.launch(block=[256], grid=[None])

    def index(t: Thread) -> Operand:
        column = t.x % 32 + 32 * t.local("k", 0, 1 << 20)
        return t.at((t.x // 32) * n + column, column < n)

    q.access(index)


# ---------------------------------------------------------------- contents of arrays, hashes


@race()
def histogram(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    n = q.positive("n")
    q.access(lambda t: t.at(element("bins", t.x), t.x < n))


@safe("intra")
def uf_uniform_base(q: Sketch) -> None:
    block, _ = q.launch(block=[None], grid=[None])
    q.access(lambda t: element("base", t.bx) * block.x + t.tx)


@safe()
def csr_rows_monotone(q: Sketch) -> None:
    """Row pointers that grow, said for the two rows in question."""
    q.launch(block=[None], grid=[None])
    n = q.positive("n")
    rows: list[Expr] = []

    def index(t: Thread) -> Operand:
        j = t.local("j")
        for other in rows:
            for low, high in ((t.x, other), (other, t.x)):
                t.at(0, either(unless(low < high), element("rows", low + 1) <= element("rows", high)))
        rows.append(t.x)
        return t.at(j, t.x < n, element("rows", t.x) <= j, j < element("rows", t.x + 1))

    q.access(index)


@race()
def csr_rows_plain(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    n = q.positive("n")

    def index(t: Thread) -> Operand:
        j = t.local("j")
        return t.at(j, t.x < n, element("rows", t.x) <= j, j < element("rows", t.x + 1))

    q.access(index)


@race()
def lcg_hash(q: Sketch) -> None:
    buckets, n = q.value("m", 1000, 1 << 20), q.positive("n", 1 << 20)
    q.launch(block=[256], grid=[None])
    q.access(lambda t: t.at((1103 * t.x + 12345) % buckets, t.x < n))


def _block_histogram(q: Sketch) -> None:
    q.launch(block=[256], grid=[None])
    q.access(lambda t: t.bx * 256 + t.local("bin", 0, 255))


@safe("inter")
def ho_hist_per_block(q: Sketch) -> None:
    _block_histogram(q)


@race("intra")
def ho_hist_per_block_intra(q: Sketch) -> None:
    _block_histogram(q)


# ---------------------------------------------------------------- vector types


@safe()
def float4_ww(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    q.access_bytes(16, lambda t: 16 * t.x)


@race()
def float4_vs_float(q: Sketch) -> None:
    q.launch(block=[256], grid=[None])
    q.access_bytes(16, lambda t: 16 * t.x, 4, lambda t: 4 * (4 * t.x + 5))


# ---------------------------------------------------------------- wrap-around


@race()
def wrap_u32_gid(q: Sketch) -> None:
    q.launch(block=[1024], grid=[None])
    q.access(lambda t: signed(t.x))


@safe()
def wrap_u32_gridceil(q: Sketch) -> None:
    n = q.positive("n", (1 << 31) - 256)
    q.launch(block=[256], grid=[(n + 255) // 256])
    q.access(lambda t: t.at(signed(t.x), signed(t.x) < n))


def _wrapped_image(q: Sketch, most: int) -> None:
    w, h = q.sizes_of("w", "h", most=most)
    q.launch(block=[16, 16], grid=[(w + 15) // 16, (h + 15) // 16])
    q.access(lambda t: t.at(unsigned(t.y * w + t.x), t.x < w, t.y < h))


@safe()
def wrap_u32_2d_ok(q: Sketch) -> None:
    _wrapped_image(q, 1 << 16)


@race()
def wrap_u32_2d_bad(q: Sketch) -> None:
    _wrapped_image(q, 1 << 17)


@race()
def wrap_u32_times4(q: Sketch) -> None:
    n = q.positive("n")
    q.launch(block=[256], grid=[None])
    q.access(lambda t: t.at(unsigned(t.x * 4), t.x < n))
