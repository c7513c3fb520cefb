"""Findings of races that a run of the program has shown between a launch and other work, or the host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import CONFIRMED, Confidence, Finding
from hgrd.host.model import HostNote, LaunchSite
from hgrd.program.span import Span
from hgrd.races.between.finding import Accessor, RaceBeside, race_of
from hgrd.simulate.launch import Extent3
from hgrd.simulate.program_run.host_races import HostRace, RaceEnd
from hgrd.simulate.program_run.program_run import METHOD, index_in

_ONE: Extent3 = (1, 1, 1)


def races_of_launch(launch: LaunchSite, races: tuple[HostRace, ...]) -> Iterator[RaceBeside]:
    """The races of a launch, with the places of what it races with."""
    for race in races:
        for own, other in ((race.first, race.second), (race.second, race.first)):
            if _is_of(own, launch):
                yield RaceBeside(_finding(race.name, own, other, _text(own, other, race.name)), (_place(other),))
                break


def races_without_kernel(races: tuple[HostRace, ...]) -> Iterator[RaceBeside]:
    """The races of copies, fills and callbacks with each other and the host, with both places."""
    for race in races:
        if not any(end.work is not None and end.work.kernel for end in (race.first, race.second)):
            does = "writes" if race.first.stores else "reads"
            places = _place(race.first), _place(race.second)
            text = f"{_does(race.second, race.name)} while {_placed(race.first)} may go on, which {does} it"
            yield RaceBeside(_finding(race.name, race.second, race.first, text), places)


def _is_of(end: RaceEnd, launch: LaunchSite) -> bool:
    return end.work is not None and (end.work.kernel, end.work.span) == (launch.kernel.key, launch.span)


def _text(own: RaceEnd, other: RaceEnd, name: str) -> str:
    """What is said of a launch and of what runs beside it."""
    if other.work is None:
        does = "writes" if own.stores else "reads"
        return f"{_does(other, name)} while this kernel may run, which {does} it"
    same = own.work is not None and (own.work.kernel, own.work.span) == (other.work.kernel, other.work.span)
    what = "another run of this launch" if same else _placed(other)
    if other.stores:
        does = f"writes '{name}', too" if own.stores else f"writes '{name}', which this kernel reads"
    else:
        does = f"reads '{name}', which this kernel writes"
    return f"{what} may run at the same time and {does}"


def _does(end: RaceEnd, name: str) -> str:
    does = "writes" if end.stores else "reads"
    return f"the host {does} '{name}' at {_at(end)}" if end.work is None else f"{_placed(end)} {does} '{name}'"


def _placed(end: RaceEnd) -> str:
    return f"{_what(end)} at {_at(end)}"


def _what(end: RaceEnd) -> str:
    return "the host" if end.work is None else end.work.what


def _place(end: RaceEnd) -> Span:
    """Where the program comes to it: a launch, a call, or an access of the host."""
    return end.span if end.work is None else end.work.span


def _at(end: RaceEnd) -> str:
    span = _place(end)
    return f"{PurePath(span.file).name}:{span.line}"


def _finding(name: str, own: RaceEnd, other: RaceEnd, text: str) -> Finding:
    extents = (_ONE, _ONE) if own.launch is None else (own.launch.grid, own.launch.block)
    found = race_of(
        name, HostNote(_place(other), text), _accessor(own), _accessor(other), extents, (), METHOD, Confidence.CONFIRMED
    )
    return replace(found, replay=CONFIRMED)


def _accessor(end: RaceEnd) -> Accessor:
    block, thread = (0, 0, 0), (0, 0, 0)
    if end.launch is not None:
        numbers = divmod(end.thread, end.launch.block_threads)
        block, thread = index_in(numbers[0], end.launch.grid), index_in(numbers[1], end.launch.block)
    kind = AccessKind.WRITE if end.stores else AccessKind.READ
    return Accessor(_what(end), end.span, kind, thread, block, end.address, end.size, end.launch is not None)
