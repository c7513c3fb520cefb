"""CUB by the names of its classes and functions: collectives of a block or of a warp.

CUB, "Block-wide collectives" and "Warp-wide collectives".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from hgrd.cuda.limits import WARP_SIZE

NAMESPACE = "cub::"
STORAGE_SIZE = 256
"""Bytes of the temporary storage of a collective.  CUB does not say how large they are; no program can count on it."""

_COLLECTIVE = re.compile(r"cub::((Block|Warp)\w+|Sum|Max|Min)\b.*")
_OF_THREADS = re.compile(r"cub::(Block|Warp)\w+\b.*")
_VALUES = re.compile(
    r"cub::(Sum|Difference|Division|Max|Min|ArgMax|ArgMin|Equality|Inequality|InequalityWrapper|CastOp|SwizzleScanOp"
    r"|KeyValuePair|NullType|Traits|NumericTraits|Int2Type)\b.*"
)
_POSITIONS = {"WarpExchange": 2, "WarpMergeSort": 2}  # of the width; 1 of all others


def is_cub(qualified: str) -> bool:
    """Whether a name is one of CUB."""
    return qualified.startswith(NAMESPACE)


def is_collective(qualified: str) -> bool:
    """Whether a name belongs to a collective of a block or warp, or to an operation that one is given."""
    return _COLLECTIVE.fullmatch(qualified) is not None


def uses_storage(qualified: str) -> bool:
    """Whether a name belongs to a collective of a block or warp, which has temporary storage."""
    return _OF_THREADS.fullmatch(qualified) is not None


def is_of_values(qualified: str) -> bool:
    """Whether a name belongs to a class that only computes with the values that it is given."""
    return _VALUES.fullmatch(qualified) is not None


def lanes_of_warp(qualified: str, template_arguments: Sequence[int | str]) -> int | None:
    """The number of lanes that a collective of a warp is among; None of a collective of a block."""
    name = qualified.split("::")[1]
    if not name.startswith("Warp"):
        return None
    given = template_arguments[_POSITIONS.get(name, 1) :][:1]
    return next((w for w in given if isinstance(w, int) and 0 < w <= WARP_SIZE), WARP_SIZE)


def threads_of_block(qualified: str, template_arguments: Sequence[int | str]) -> int:
    """The number of threads in a reduction or scan of a block: `<T, X, algorithm, Y, Z>`; 0 of anything else."""
    path = qualified.split("::")
    if path[1:2] not in (["BlockReduce"], ["BlockScan"]) or path[2:] == path[1:2] or len(template_arguments) < 2:
        return 0
    extents = [a for i, a in enumerate(template_arguments[:5]) if i in (1, 3, 4)]
    return prod(e if isinstance(e, int) else 0 for e in extents)
