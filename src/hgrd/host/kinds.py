"""Classes of facts that the host establishes."""

from __future__ import annotations

from enum import Enum
from typing import Final


class FactKind(Enum):
    """Class of a fact: HGRD's five classes, and further ones."""

    ASSERT = "assert"
    GUARD = "guard"  # the other way ends in exit, return or throw; or a branch taken on the way
    DIMENSION = "dimension"  # constant launch extents, and CUDA's limits on extents
    RELATION = "relation"  # two of parameters and extents share a symbol, or are computed from one
    LOOP_BOUND = "loop bound"
    ALLOCATION = "allocation"
    CONSTANT = "constant"
    CONSTANT_MEMORY = "constant memory"  # what __constant__ variables hold
    CONTENTS = "contents"  # what a loop of the host has filled an array with
    OPTION = "option"  # --param, --assume
    ASSUMPTION = "assumption"


# Those that `--no-fact` switches off.
CLASSES: Final = (
    FactKind.ASSERT,
    FactKind.GUARD,
    FactKind.DIMENSION,
    FactKind.RELATION,
    FactKind.LOOP_BOUND,
    FactKind.ALLOCATION,
    FactKind.CONSTANT,
    FactKind.CONSTANT_MEMORY,
    FactKind.CONTENTS,
)
