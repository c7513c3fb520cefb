"""CUB by the names of its classes and functions: collectives of a block or of a warp.

CUB, "Block-wide collectives" and "Warp-wide collectives".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

NAMESPACE = "cub::"
_COLLECTIVE = re.compile(r"cub::((Block|Warp)\w+|Sum|Max|Min)\b.*")


def is_cub(qualified: str) -> bool:
    """Whether a name is one of CUB."""
    return qualified.startswith(NAMESPACE)


def is_collective(qualified: str) -> bool:
    """Whether a name belongs to a collective of a block or warp, or to an operation that one is given."""
    return _COLLECTIVE.fullmatch(qualified) is not None


def threads_of_block(qualified: str, template_arguments: Sequence[int | str]) -> int:
    """The number of threads in a reduction or scan of a block: `<T, X, algorithm, Y, Z>`; 0 of anything else."""
    path = qualified.split("::")
    if path[1:2] not in (["BlockReduce"], ["BlockScan"]) or path[2:] == path[1:2] or len(template_arguments) < 2:
        return 0
    extents = [a for i, a in enumerate(template_arguments[:5]) if i in (1, 3, 4)]
    return prod(e if isinstance(e, int) else 0 for e in extents)
