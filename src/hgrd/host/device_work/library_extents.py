"""Extents of what functions of NVIDIA's libraries use: the elements behind their pointers, as the arguments say.

cuBLAS, "Level-1", "Level-2", "Level-3 Function Reference" (matrices are stored by columns); cuRAND, "Generation
Functions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from msgspec.structs import replace

from hgrd.host.concurrency.rows import Rectangle, Row
from hgrd.host.concurrency.trace import Touch
from hgrd.host.execution.library_call import LibraryCall
from hgrd.terms import Term, const, mul

Extent: TypeAlias = tuple[Row, Rectangle | None]
"""The bytes from an address on that are surely used; the rectangle, if any, is all that is."""

_SIZES: Final = {"S": 4, "D": 8, "C": 8, "Z": 16, "H": 2, "Cs": 8, "Zd": 16}
_CUBLAS: Final = re.compile(r"cublas(S|D|C|Z|H|Cs|Zd)([a-z]+2?)(?:_v2|_64)*")
_CURAND: Final = re.compile(r"curandGenerate(|LongLong|(?:Uniform|Normal|LogNormal)(?:Double)?|Poisson)")
_VECTORS: Final[Mapping[str, tuple[tuple[int, int], ...]]] = {  # by argument: a vector, and its step
    "axpy": ((3, 4), (5, 6)),
    "scal": ((3, 4),),
    **dict.fromkeys(("copy", "swap", "dot", "dotu", "dotc"), ((2, 3), (4, 5))),
    **dict.fromkeys(("nrm2", "asum"), ((2, 3),)),
}  # fmt: skip
_PLAIN: Final = 0  # CUBLAS_OP_N


def extents_of(call: LibraryCall) -> Mapping[int, Extent]:
    """What a function surely uses behind its pointers, by the numbers of the arguments, where these say so."""
    if generated := _CURAND.fullmatch(call.name):
        size = 8 if generated[1].endswith(("Double", "LongLong")) else 4
        return _given({1: _vector(call.number(2), const(1), size)})
    named = _CUBLAS.fullmatch(call.name)
    if named is None:
        return {}
    size = _SIZES[named[1]]
    match named[2]:
        case kind if kind in _VECTORS:
            return _given({x: _vector(call.number(1), call.number(step), size) for x, step in _VECTORS[kind]})
        case "gemv":
            m, n = _numbers(call, 2, 3)
            plain = _is_plain(call, 1)
            taken, made = (n, m) if plain else (m, n)
            vectors = {7: _vector(taken, call.number(8), size), 10: _vector(made, call.number(11), size)}
            return _given({5: _matrix(m, n, call.number(6), size), **({} if plain is None else vectors)})
        case "ger":
            m, n = _numbers(call, 1, 2)
            vectors = {4: _vector(m, call.number(5), size), 6: _vector(n, call.number(7), size)}
            return _given({**vectors, 8: _matrix(m, n, call.number(9), size)})
        case "gemm":
            m, n, k = _numbers(call, 3, 4, 5)
            a, b = _turned(m, k, _is_plain(call, 1)), _turned(k, n, _is_plain(call, 2))
            shapes = {7: (*a, call.number(8)), 9: (*b, call.number(10)), 12: (m, n, call.number(13))}
            return _given({at: _matrix(*shape, size) for at, shape in shapes.items()})
        case _:
            return {}


def with_extent(touch: Touch, extent: Extent) -> Touch:
    """A use of memory by a library function, of so many bytes; nothing is known of one that may read or write."""
    if not (touch.stores or touch.reads):
        return touch
    row, rectangle = extent
    used = replace(row, stores=touch.stores, reads=touch.reads)
    alone = rectangle is None
    return replace(touch, rows=(used,), whole=alone, covered=alone, rectangle=rectangle)


def _numbers(call: LibraryCall, *indexes: int) -> tuple[Term | None, ...]:
    return tuple(map(call.number, indexes))


def _given(found: Mapping[int, Extent | None]) -> dict[int, Extent]:
    return {index: extent for index, extent in found.items() if extent is not None}


def _is_plain(call: LibraryCall, index: int) -> bool | None:
    """Whether a matrix is used as it is stored, and not transposed; None: the program decides it."""
    operation = call.number(index)
    return operation.value == _PLAIN if operation is not None and operation.is_const else None


def _turned(rows: Term | None, columns: Term | None, plain: bool | None) -> tuple[Term | None, Term | None]:
    """The rows and columns of a matrix as it is stored."""
    return (None, None) if plain is None else (rows, columns) if plain else (columns, rows)


def elements(count: Term, size: int) -> Extent:
    """So many elements of this size, one behind the other."""
    return Row(const(0), size, size, const(0), count, stores=False), None


def _vector(count: Term | None, step: Term | None, size: int) -> Extent | None:
    """The elements of a vector, with a constant step forward."""
    if count is None or step is None or not step.is_const or step.value <= 0:
        return None
    return Row(const(0), step.value * size, size, const(0), count, stores=False), None


def _matrix(rows: Term | None, columns: Term | None, lead: Term | None, size: int) -> Extent | None:
    """The elements of a matrix, whose columns begin `lead` elements apart; the first column at least."""
    if rows is None or columns is None or lead is None:
        return None
    if lead is rows:
        return elements(mul(rows, columns), size)
    first, _ = elements(rows, size)
    return first, Rectangle(mul(lead, const(size)), mul(rows, const(size)), columns)
