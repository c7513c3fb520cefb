"""Global arrays of one, two and three dimensions."""

from __future__ import annotations

from benchmarks.solver.suite import race, safe
from benchmarks.solver.vocabulary import Expr, Operand, Sketch, Thread

# ---------------------------------------------------------------- one dimension


@safe()
def lin1d_symbd(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    q.access(lambda t: t.x)


@safe()
def lin1d_bd256(q: Sketch) -> None:
    q.launch(block=[256], grid=[None])
    q.access(lambda t: t.x)


@race("inter")
def lin1d_noblock(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    q.access(lambda t: t.tx)


@race()
def lin1d_shift_rw(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    n = q.positive("n")
    q.access(lambda t: t.at(t.x, t.x < n), lambda t: t.at(t.x - 1, t.x >= 1, t.x < n))


@safe()
def lin1d_gridceil(q: Sketch) -> None:
    n = q.positive("n")
    q.launch(block=[256], grid=[(n + 255) // 256])
    q.access(lambda t: t.at(t.x, t.x < n))


@safe()
def lin1d_evenodd(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    q.access(lambda t: t.x * 2, lambda t: t.x * 2 + 1)


def _records(q: Sketch, least: int) -> None:
    q.launch(block=[None], grid=[None])
    k = q.value("k", least, 64)
    q.access(lambda t: t.x * k, lambda t: t.x * k + 3)


@safe()
def aos_fields_ok(q: Sketch) -> None:
    _records(q, 4)


@race()
def aos_fields_bad(q: Sketch) -> None:
    _records(q, 1)


@safe()
def soa_fields_ok(q: Sketch) -> None:
    q.launch(block=[None], grid=[None])
    n, f, g = q.positive("n"), q.value("f", 0, 8), q.value("g", 0, 8)
    q.assume(f.is_not(g))
    q.access(lambda t: t.at(f * n + t.x, t.x < n), lambda t: t.at(g * n + t.x, t.x < n))


def _two_sided(q: Sketch, n: Expr, offset: Expr) -> None:
    q.launch(block=[None], grid=[None])
    q.access(lambda t: t.at(t.x + offset, t.x < n), lambda t: t.at(t.x - offset, t.x < n))


@safe()
def neg_offset_ok(q: Sketch) -> None:
    n, offset = q.positive("n"), q.value("offset")
    q.assume(offset >= n)
    _two_sided(q, n, offset)


@race()
def neg_offset_bad(q: Sketch) -> None:
    _two_sided(q, q.positive("n"), q.value("offset", -1000, 1000))


# ---------------------------------------------------------------- two dimensions


def _image(t: Thread, w: Operand, h: Operand, row: Operand | None = None) -> Operand:
    """y * row + x inside w by h."""
    return t.at(t.y * (w if row is None else row) + t.x, t.x < w, t.y < h)


@safe()
def row2d_guard_symbd(q: Sketch) -> None:
    w, h = q.value("w"), q.value("h")
    q.launch(block=[None, None], grid=[None, None])
    q.access(lambda t: _image(t, w, h))


@safe()
def row2d_guard_bd16(q: Sketch) -> None:
    w, h = q.value("w"), q.value("h")
    q.launch(block=[16, 16], grid=[(w + 15) // 16, (h + 15) // 16])
    q.access(lambda t: _image(t, w, h))


@race()
def row2d_noguard(q: Sketch) -> None:
    w = q.positive("w")
    q.launch(block=[None, None], grid=[None, None])
    q.access(lambda t: t.y * w + t.x)


@race()
def row2d_gridceil_noguard(q: Sketch) -> None:
    w, h = q.sizes_of("w", "h")
    q.launch(block=[16, 16], grid=[(w + 15) // 16, (h + 15) // 16])
    q.access(lambda t: t.y * w + t.x)


@safe()
def row2d_gridceil_symbd(q: Sketch) -> None:
    w, h = q.sizes_of("w", "h")
    block = q.block(None, None)
    q.grid((w + block.x - 1) // block.x, (h + block.y - 1) // block.y)
    q.access(lambda t: _image(t, w, h))


@safe()
def row2d_gridexact_symbd(q: Sketch) -> None:
    w, h = q.sizes_of("w", "h")
    block = q.block(None, None)
    q.grid(w // block.x, h // block.y)
    q.access(lambda t: t.y * w + t.x)


@safe()
def row2d_gridtimesblock(q: Sketch) -> None:
    block, grid = q.launch(block=[None, None], grid=[None, None])
    q.access(lambda t: t.y * (grid.x * block.x) + t.x)


@safe()
def col2d_guard_symbd(q: Sketch) -> None:
    w, h = q.value("w"), q.value("h")
    q.launch(block=[None, None], grid=[None, None])
    q.access(lambda t: t.at(t.x * h + t.y, t.x < w, t.y < h))


@safe()
def padded_row(q: Sketch) -> None:
    w, padding = q.positive("w"), q.value("p", 0, 1024)
    q.launch(block=[None, None], grid=[None, None])
    q.access(lambda t: t.at(t.y * (w + padding) + t.x, t.x < w))


@safe()
def pitch4_ok(q: Sketch) -> None:
    """A pitch in bytes that is at least the row's, as the allocation promises."""
    columns, pitch = q.positive("columns", 1 << 29), q.positive("pitch")
    q.assume(pitch >= 4 * columns)
    q.launch(block=[None, None], grid=[None, None])
    q.access(lambda t: t.at(t.y * (pitch // 4) + t.x, t.x < columns))


@race()
def pitch4_bad(q: Sketch) -> None:
    columns, pitch = q.positive("columns", 1 << 29), q.positive("pitch")
    q.launch(block=[16, 16], grid=[None, None])
    q.access(lambda t: t.at(t.y * (pitch // 4) + t.x, t.x < columns))


@safe()
def ho_pitch_bytes(q: Sketch) -> None:
    columns, pitch = q.positive("columns", 1 << 29), q.positive("pitch")
    q.assume(pitch >= 4 * columns)
    q.launch(block=[None, None], grid=[None, None])
    q.access_bytes(4, lambda t: t.at(t.y * pitch + 4 * t.x, t.x < columns))


@safe()
def copy_from_vec(q: Sketch) -> None:
    rows, columns, stride = q.positive("rows"), q.positive("columns"), q.value("stride")
    q.assume(stride >= columns)
    block = q.block(None, None)
    q.grid((columns + block.x - 1) // block.x, (rows + block.y - 1) // block.y)
    q.access(lambda t: _image(t, columns, rows, stride))


def _transposed(t: Thread, h: Expr) -> Operand:
    return (t.bx * 32 + t.ty + t.local("j", 0, 3) * 8) * h + t.by * 32 + t.tx


@safe()
def transpose_out(q: Sketch) -> None:
    w, h = q.sizes_of("w", "h")
    q.assume((w % 32).is_(0), (h % 32).is_(0))
    q.launch(block=[32, 8], grid=[w // 32, h // 32])
    q.access(lambda t: _transposed(t, h))


@race()
def transpose_out_bad(q: Sketch) -> None:
    w, h = q.sizes_of("w", "h")
    q.launch(block=[32, 8], grid=[(w + 31) // 32, (h + 31) // 32])
    q.access(lambda t: _transposed(t, h))


@race()
def ho_half_row(q: Sketch) -> None:
    w = q.positive("w")
    q.launch(block=[None, None], grid=[None, None])
    q.access(lambda t: t.at((t.y // 2) * w + t.x, t.x < w))


@safe()
def ho_coarsen_block(q: Sketch) -> None:
    n, height = q.positive("N"), q.value("TM", 1, 16)
    q.launch(block=[None, None], grid=[None, None])

    def index(t: Thread) -> Operand:
        k = t.local("k", 0, 15)
        return t.at((t.y * height + k) * n + t.x, k < height, t.x < n)

    q.access(index)


@safe()
def ho_coarsen_interleaved(q: Sketch) -> None:
    n, height = q.positive("N"), q.value("TM", 1, 16)
    block, _ = q.launch(block=[None, None], grid=[None, None])

    def index(t: Thread) -> Operand:
        k = t.local("k", 0, 15)
        row = t.by * block.y * height + t.ty + k * block.y
        return t.at(row * n + t.x, k < height, t.x < n)

    q.access(index)


def _same_colour(t: Thread, w: Expr, colour: Expr, index: Operand) -> Operand:
    return t.at(index, t.x >= 1, t.x < w - 1, ((t.x + t.y) % 2).is_(colour))


@safe()
def ho_redblack(q: Sketch) -> None:
    w, c = q.positive("w"), q.value("colour", 0, 1)
    q.launch(block=[16, 16], grid=[None, None])
    q.access(
        lambda t: _same_colour(t, w, c, t.y * w + t.x),
        lambda t: _same_colour(t, w, c, t.y * w + t.x + 1),
    )


@race()
def ho_redblack_diag(q: Sketch) -> None:
    w, c = q.positive("w"), q.value("colour", 0, 1)
    q.launch(block=[16, 16], grid=[None, None])
    q.access(
        lambda t: _same_colour(t, w, c, t.y * w + t.x),
        lambda t: _same_colour(t, w, c, (t.y + 1) * w + t.x + 1),
    )


# ---------------------------------------------------------------- three dimensions and more


def _volume(t: Thread, nx: Expr, ny: Expr, nz: Expr, layer: int = 0) -> Operand:
    return t.at(((t.z + layer) * ny + t.y) * nx + t.x, t.x < nx, t.y < ny, t.z < nz)


@safe()
def vol3d_guard_symbd(q: Sketch) -> None:
    size = q.sizes_of("nx", "ny", "nz")
    q.launch(block=[None, None, None], grid=[None, None, None])
    q.access(lambda t: _volume(t, *size))


@safe()
def vol3d_guard_bd8(q: Sketch) -> None:
    size = q.sizes_of("nx", "ny", "nz")
    q.launch(block=[8, 8, 8], grid=[(n + 7) // 8 for n in size])
    q.access(lambda t: _volume(t, *size))


@race()
def vol3d_noyguard(q: Sketch) -> None:
    nx, ny, nz = q.sizes_of("nx", "ny", "nz")
    q.launch(block=[8, 8, 8], grid=[None, None, None])
    q.access(lambda t: t.at((t.z * ny + t.y) * nx + t.x, t.x < nx, t.z < nz))


@race()
def stencil3d_inplace(q: Sketch) -> None:
    size = q.sizes_of("nx", "ny", "nz")
    q.launch(block=[None, None, None], grid=[None, None, None])
    q.access(lambda t: _volume(t, *size), lambda t: _volume(t, *size, layer=1))


@safe()
def batched_image(q: Sketch) -> None:
    w, h = q.sizes_of("w", "h")
    stride = q.positive("stride", 1 << 40)
    q.assume(stride >= w * h)
    q.launch(block=[16, 16], grid=[None, None, None])
    q.access(lambda t: t.at(t.bz * stride + t.y * w + t.x, t.x < w, t.y < h))


@safe()
def ho_four_d(q: Sketch) -> None:
    a, b, c = q.sizes_of("A", "B", "C")
    q.launch(block=[8, 8, 8], grid=[None, None, None])
    q.access(lambda t: t.at(((t.local("n", 0) * c + t.z) * b + t.y) * a + t.x, t.x < a, t.y < b, t.z < c))
