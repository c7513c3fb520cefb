"""Findings of races between a launch and other work: one thread of each, and the bytes that both use."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TypeAlias

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.findings.model import Confidence, Finding, Site, ThreadWitness, Witness
from hgrd.findings.rules import UNORDERED_WORK
from hgrd.host.model import HostNote
from hgrd.program.span import Span

Extents: TypeAlias = tuple[int, int, int]


class Accessor(Struct, frozen=True):
    """One that accesses the bytes from `address` on: a thread of a kernel, or other work with indexes of 0.

    `launched`: it is a kernel.
    """

    what: str
    span: Span
    kind: AccessKind
    thread: Extents
    block: Extents
    address: int
    size: int
    launched: bool = True


class RaceBeside(Struct, frozen=True):
    """The race of a launch with other work, or with the host, or of two others, with the places of all but the launch.

    That is where the program launches, copies or calls, or where the host accesses memory.
    """

    finding: Finding
    places: tuple[Span, ...]


def race_of(
    name: str,
    shared: HostNote,
    own: Accessor,
    other: Accessor,
    extents: tuple[Extents, Extents],
    inputs: Iterable[tuple[str, int]],
    method: str,
    confidence: Confidence = Confidence.DEFINITE,
) -> Finding:
    """The race of a launch and other work on an object of this name, or of two others that use what the launch uses.

    `extents` are those of the grid and its blocks, `inputs` the numbers of the host for which the two meet.
    """
    grid, block = extents
    return Finding(
        first=_site(own, name),
        second=_site(other, name),
        space=Space.GLOBAL,
        levels=(Level.INTER_BLOCK,),
        confidence=confidence,
        witness=Witness(
            block_dim=block,
            grid_dim=grid,
            inputs=tuple(sorted(inputs)),
            contents=(),
            first=_thread(own, "" if own.launched else _whose(own, own.span)),
            second=_thread(other, _whose(other, shared.span if own.launched else other.span)),
        ),
        facts=(),
        rule=UNORDERED_WORK.code,
        cause=f"{shared.text}, and nothing orders the two",
        method=method,
    )


def _whose(accessor: Accessor, at: Span) -> str:
    return f"{accessor.what} at {PurePath(at.file).name}:{at.line}"


def _site(accessor: Accessor, name: str) -> Site:
    return Site(accessor.span, accessor.kind, name, name)


def _thread(accessor: Accessor, whose: str) -> ThreadWitness:
    return ThreadWitness(accessor.thread, accessor.block, (), accessor.address, accessor.size, whose)
