"""What a finding rests on, for those who want to run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from hgrd.host.model import Fact, LaunchSite
from hgrd.program.memory import Level
from hgrd.program.program import Function
from hgrd.protocol.infer import Tables
from hgrd.protocol.model import Protocol
from hgrd.races.findings import Finding
from hgrd.races.queries import Posed
from hgrd.solve.query import Answer, Model, Query


@dataclass(frozen=True, slots=True)
class Evidence:
    """The query whose model is a finding's witness, at `level`; `protocol` and `facts` are what it was posed from."""

    posed: Posed
    model: Model
    level: Level
    protocol: Protocol
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """A kernel at a launch (None: no host code), and who decides queries about it."""

    tables: Tables
    kernel: Function
    launch: LaunchSite | None
    decide: Callable[[Query], Answer]


Replay: TypeAlias = Callable[[Situation, Finding, Evidence], Finding]
"""Runs the witness of a finding: the same finding, with what came of it."""
