"""What a finding rests on, for those who want to run it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from hgrd.cuda.memory_model import Level
from hgrd.findings.model import Divergence, Finding
from hgrd.host.model import Fact, LaunchSite
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.protocol.model import Protocol
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.encoding.path_query import EncodedPath
from hgrd.solve.query import Answer, Model, Query
from hgrd.terms import Symbol


class Evidence(Struct, frozen=True):
    """The query whose model is a finding's witness, at `level`; `protocol` and `facts` are what it was posed from.

    `supposed`: what no input holds, and the kernel would have to compute.
    """

    posed: EncodedPair
    model: Model
    level: Level
    protocol: Protocol
    facts: tuple[Fact, ...]
    supposed: tuple[str, ...] = ()


class BarrierEvidence(Struct, frozen=True):
    """The same for a finding about a barrier; `binders` are those of the loops around it, `alone`: for one thread."""

    posed: EncodedPath
    model: Model
    binders: tuple[Symbol, ...]
    alone: bool
    protocol: Protocol
    facts: tuple[Fact, ...]


Grounds: TypeAlias = Evidence | BarrierEvidence


class Situation(Struct, frozen=True):
    """A kernel at a launch (None: no host code), and who decides queries about it."""

    tables: Tables
    kernel: Function
    launch: LaunchSite | None
    decide: Callable[[Query], Answer]


Replay: TypeAlias = Callable[[Situation, Finding, Evidence], Finding]
"""Runs the witness of a race: the same finding, with what came of it."""
ReplayBarrier: TypeAlias = Callable[[Situation, Divergence, BarrierEvidence], Divergence]
"""The same for a finding about a barrier."""
