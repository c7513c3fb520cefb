"""CUB by the names of its classes and functions: collectives of a block or of a warp.

CUB, "Block-wide collectives" and "Warp-wide collectives".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from math import prod

from msgspec import Struct

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
_ALGORITHMS = ("DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "WARP_TRANSPOSE_TIMESLICED")
_POSITIONS = {"WarpExchange": 2, "WarpMergeSort": 2, "WarpLoad": 3, "WarpStore": 3}  # of the width; 1 of all others


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


class Arrangement(Enum):
    """Which elements of a tile threads load or store (CUB, `BlockLoadAlgorithm` and its like)."""

    BLOCKED = "thread t has the elements from t * N on"
    STRIPED = "thread t has every element whose number divided by the number of threads leaves t"
    WARP_STRIPED = "as STRIPED, within the N * 32 elements of each warp"


class Transfer(Struct, frozen=True):
    """A load or store of a tile: `items` for each of `threads` threads, of a block or (`warp`) of a part of a warp."""

    stores: bool
    warp: bool
    threads: int
    items: int
    arrangement: Arrangement


def transfer(qualified: str, template_arguments: Sequence[int | str]) -> Transfer | None:
    """The load or store that a method of CUB is; None: it is none, or its sizes are not known.

    `BlockLoad<T, X, N, algorithm, Y, Z>` and `WarpLoad<T, N, algorithm, width>`.
    """
    path = qualified.split("::")[1:]
    if len(path) != 2 or path[1] not in ("Load", "Store") or path[0] not in (f"Block{path[1]}", f"Warp{path[1]}"):
        return None
    warp = path[0].startswith("Warp")
    defaults = (0, 0, "DIRECT", WARP_SIZE) if warp else (0, 0, 0, "DIRECT", 1, 1)
    given = (*template_arguments, *defaults[len(template_arguments) :])
    items, algorithm = given[1:3] if warp else given[2:4]
    extents = given[3:4] if warp else (given[1], *given[4:6])
    threads = prod(n if isinstance(n, int) else 0 for n in extents)
    arrangement = _arrangement(algorithm)
    if arrangement is None or not isinstance(items, int) or items <= 0 or threads <= 0:
        return None
    return Transfer(path[1] == "Store", warp, threads, items, arrangement)


def _arrangement(algorithm: int | str) -> Arrangement | None:
    """The arrangement in which an algorithm accesses memory, whatever arrangement the threads have the items in."""
    if isinstance(algorithm, int):
        algorithm = _ALGORITHMS[algorithm] if 0 <= algorithm < len(_ALGORITHMS) else ""
    match algorithm.rpartition("::")[2].partition("_LOAD_")[2] or algorithm.rpartition("_STORE_")[2]:
        case "DIRECT" | "VECTORIZE":
            return Arrangement.BLOCKED
        case "STRIPED" | "TRANSPOSE":
            return Arrangement.STRIPED
        case "WARP_TRANSPOSE" | "WARP_TRANSPOSE_TIMESLICED":
            return Arrangement.WARP_STRIPED
        case _:
            return None


def threads_of_block(qualified: str, template_arguments: Sequence[int | str]) -> int:
    """The number of threads in a reduction or scan of a block: `<T, X, algorithm, Y, Z>`; 0 of anything else."""
    path = qualified.split("::")
    if path[1:2] not in (["BlockReduce"], ["BlockScan"]) or path[2:] == path[1:2] or len(template_arguments) < 2:
        return 0
    extents = [a for i, a in enumerate(template_arguments[:5]) if i in (1, 3, 4)]
    return prod(e if isinstance(e, int) else 0 for e in extents)
