"""Options of an analysis: what it looks at, and under which policies."""

from __future__ import annotations

from math import inf
from typing import TypeAlias

from msgspec import Struct

from hgrd.findings.model import Level
from hgrd.host.kinds import FactKind

Extent: TypeAlias = tuple[int | None, int | None, int | None]
"""Extents along x, y and z; None stands for any extent of at least 1."""


class AnalysisOptions(Struct, frozen=True):
    """Options of one analysis; the defaults are the policies of the documentation.

    `block_dim` and `grid_dim`, where given, replace what the host code says about the launch.
    `params` gives values to kernel parameters or host inputs by name.  `assume` are C conditions over
    them.  `time_limit` is in seconds and for each kernel, `program_limit` for a program: its host code and all kernels.
    """

    kernels: tuple[str, ...] = ()  # unqualified names of the kernels to analyse; () is all
    block_dim: Extent | None = None
    grid_dim: Extent | None = None
    params: tuple[tuple[str, int], ...] = ()
    assume: tuple[str, ...] = ()
    levels: tuple[Level, ...] = tuple(Level)
    asserts: bool = True  # assert() conditions are facts
    without: frozenset[FactKind] = frozenset()  # classes of facts that are not used
    strict: bool = False  # two writes of the same value are a race
    warp_lockstep: bool = False  # the threads of a warp run in lockstep (before Volta)
    any_arguments: bool = False  # kernels that no launch is seen of are called with whatever their types allow
    time_limit: float = 60.0
    program_limit: float = inf

    @property
    def as_it_runs(self) -> bool:
        """Whether launches are looked at as the program makes them, with all facts."""
        replaced = self.block_dim or self.grid_dim or self.params or self.assume or self.without
        return self.asserts and not (replaced or self.warp_lockstep) and self.levels == tuple(Level)

    def wants(self, kernel: str) -> bool:
        """Whether a kernel of this unqualified name is to be analysed."""
        return not self.kernels or kernel in self.kernels
