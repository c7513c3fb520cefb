"""Factorisations, triangles, tiles of matrices, transposes through shared memory."""

from __future__ import annotations

from benchmarks.solver.suite import race, safe
from benchmarks.solver.vocabulary import Operand, Sketch, Thread

# ---------------------------------------------------------------- copying a triangle across the diagonal


def _upper_to_lower(q: Sketch, *, square: bool, size: int | None, both_write: bool = False) -> None:
    rows, columns = q.sizes_of("rows", "columns")
    if square:
        q.assume(rows.is_(columns))
    q.launch(block=[size, size], grid=[None, None])

    def write(t: Thread) -> Operand:
        return t.at(t.y * columns + t.x, t.y > t.x, t.y < rows)

    def read(t: Thread) -> Operand:
        return t.at(t.x * columns + t.y, t.y > t.x, t.y < rows)

    q.access(write, write if both_write else read)


@safe()
def upplow_square_bd16(q: Sketch) -> None:
    _upper_to_lower(q, square=True, size=16)


@safe()
def upplow_square_symbd(q: Sketch) -> None:
    _upper_to_lower(q, square=True, size=None)


@safe()
def upplow_square_ww(q: Sketch) -> None:
    _upper_to_lower(q, square=True, size=None, both_write=True)


@race()
def upplow_nonsquare(q: Sketch) -> None:
    _upper_to_lower(q, square=False, size=16)


@race()
def upplow_nonsquare_symbd(q: Sketch) -> None:
    _upper_to_lower(q, square=False, size=None)


# ---------------------------------------------------------------- pixels with channels


def _pixels(q: Sketch, *, related: bool, channel: bool) -> None:
    width, height, channels = q.value("tileWidth"), q.value("tileHeight"), q.value("channels", 1, 16)
    row = width if related else q.positive("rowWidth")
    q.launch(block=[16, 16], grid=[width // 16, height // 16])

    def index(t: Thread) -> Operand:
        pixel = row * channels * t.y + t.x * channels
        c = t.local("c", 0, 15)
        return t.at(pixel + c, c < channels) if channel else pixel

    q.access(index)


@safe()
def tone_related(q: Sketch) -> None:
    _pixels(q, related=True, channel=False)


@safe()
def tone_related_chan(q: Sketch) -> None:
    _pixels(q, related=True, channel=True)


@race()
def tone_unrelated(q: Sketch) -> None:
    _pixels(q, related=False, channel=False)


# ---------------------------------------------------------------- factorisations


def _trailing_blocks(q: Sketch, *, least_offset: int) -> None:
    n, offset = q.positive("dim"), q.value("offset")
    q.assume(offset < n, offset >= least_offset)
    blocks = (n - offset) // 16 - 1
    q.launch(block=[16, 16], grid=[blocks, blocks])
    q.access(lambda t: (offset + (t.by + 1) * 16 + t.ty) * n + offset + (t.bx + 1) * 16 + t.tx)


@safe()
def lud_ok(q: Sketch) -> None:
    _trailing_blocks(q, least_offset=0)


@race()
def lud_negoff(q: Sketch) -> None:
    _trailing_blocks(q, least_offset=-(1 << 31))


@safe("inter")
def nw_diag(q: Sketch) -> None:
    columns, step = q.value("columns", 17, 1 << 20), q.value("i", 1)
    q.assume(((columns - 1) % 16).is_(0), step <= (columns - 1) // 16)
    q.launch(block=[16], grid=[step])
    q.access(
        lambda t: columns * 16 * (step - 1 - t.bx) + 16 * t.bx + t.tx + columns + 1 + t.local("ty", 0, 15) * columns
    )


@safe()
def ho_lu_column(q: Sketch) -> None:
    n, k = q.positive("n"), q.value("k", 0)
    q.assume(k < n)
    q.launch(block=[None, None], grid=[None, None])

    def write(t: Thread) -> Operand:
        i = t.x + k + 1
        return t.at(i * n + k, i < n)

    def read(t: Thread) -> Operand:
        j = t.y + k + 1
        return t.at(k * n + j, j < n)

    q.access(write, read)


@race()
def ho_floyd(q: Sketch) -> None:
    n, k = q.positive("n"), q.value("k", 0)
    q.assume(k < n)
    q.launch(block=[16, 16], grid=[None, None])
    q.access(
        lambda t: t.at(t.y * n + t.x, t.y < n, t.x < n),
        lambda t: t.at(t.y * n + k, t.y < n, t.x < n),
    )


@safe()
def ho_gaussian_fan2(q: Sketch) -> None:
    n, k = q.positive("size"), q.value("t", 0)
    q.assume(k < n - 1)
    q.launch(block=[None, None], grid=[None, None])
    q.access(
        lambda t: t.at(n * (t.x + 1 + k) + t.y + k, t.x < n - 1 - k, t.y < n - k),
        lambda t: t.at(n * k + t.y + k, t.x < n - 1 - k, t.y < n - k),
    )


# ---------------------------------------------------------------- packed triangles


@safe()
def packed_tri_ok(q: Sketch) -> None:
    n = q.positive("n")
    q.launch(block=[16, 16], grid=[(n + 15) // 16, (n + 15) // 16])
    q.access(lambda t: t.at((t.y * (t.y + 1)) // 2 + t.x, t.y < n, t.x <= t.y))


@race()
def packed_tri_bad(q: Sketch) -> None:
    n = q.positive("n")
    q.launch(block=[16, 16], grid=[(n + 15) // 16, (n + 15) // 16])
    q.access(lambda t: t.at((t.y * (t.y + 1)) // 2 + t.x, t.y < n, t.x < n))


@safe()
def ho_packed_upper(q: Sketch) -> None:
    n = q.positive("n", 60000)
    q.launch(block=[16, 16], grid=[(n + 15) // 16, (n + 15) // 16])
    q.access(lambda t: t.at((t.y * (2 * n - t.y - 1)) // 2 + t.x - t.y - 1, t.y < t.x, t.x < n))


# ---------------------------------------------------------------- tiles and products


@race("intra")
def tile_pad_nobarrier(q: Sketch) -> None:
    q.launch(block=[32, 32])
    q.access(lambda t: t.ty * 33 + t.tx, lambda t: t.tx * 33 + t.ty)


@safe("intra")
def tile_pad_ww(q: Sketch) -> None:
    q.launch(block=[32, 8])
    q.access(lambda t: (t.ty + 8 * t.local("j", 0, 3)) * 33 + t.tx)


@safe()
def matmul_c(q: Sketch) -> None:
    n = q.positive("N")
    q.assume((n % 16).is_(0))
    q.launch(block=[16, 16], grid=[n // 16, n // 16])
    q.access(lambda t: n * 16 * t.by + 16 * t.bx + n * t.ty + t.tx)


@safe()
def flat_divmod_transpose(q: Sketch) -> None:
    w, h = q.sizes_of("w", "h", most=1 << 20)
    q.launch(block=[256], grid=[None])
    q.access(lambda t: t.at((t.x % w) * h + t.x // w, t.x < w * h))


@safe()
def ho_nchw_to_nhwc(q: Sketch) -> None:
    c, h, w = q.sizes_of("C", "H", "W", most=4096)
    n = q.positive("n")
    q.launch(block=[256], grid=[None])

    def index(t: Thread) -> Operand:
        i = t.x
        column, row, channel, image = i % w, (i // w) % h, (i // (w * h)) % c, i // (w * h * c)
        return t.at(((image * h + row) * w + column) * c + channel, i < n)

    q.access(index)


@safe()
def ho_im2col(q: Sketch) -> None:
    height, width = q.sizes_of("height", "width", most=4096)
    n, k = q.positive("n"), q.value("ksize", 1, 11)
    q.launch(block=[256], grid=[None])

    def index(t: Thread) -> Operand:
        i, u, v = t.x, t.local("u", 0, 10), t.local("v", 0, 10)
        channel = (i // width) // height * k * k
        inner = (channel + u * k + v) * height + (i // width) % height
        return t.at(inner * width + i % width, i < n, u < k, v < k)

    q.access(index)
