"""A launch whose memory holds what a model says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

from tests.fuzz.hosts import Launch

Shared: TypeAlias = Mapping[tuple[str, int], Mapping[int, bytes]]
"""Bytes at offsets of shared variables, by key and block."""


@dataclass(frozen=True, slots=True)
class Modelled:
    """A launch, with what memory holds before it: the arrays, and by key the variables at namespace scope.

    `ahead`: the thread that runs before all others (None: none).
    """

    launch: Launch
    arrays: tuple[NDArray[Any], ...]
    variables: Mapping[str, bytes]
    shared: Shared
    ahead: int | None
