"""Source files that are linked into programs: as builds say, else by `main`, folders and the names of functions."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from hgrd.source.text.includes import IncludedFiles
from hgrd.source.text.names import Names, names_in, together

_MOST_PROGRAMS: Final = 8  # that one unit is analysed in


class Unit(Struct, frozen=True):
    """Source file; `wanted`: the user named it, or it has a kernel or a launch; `main`: it has a `main`.

    `certain`: it has a kernel or a launch, not just a mention of one.  All three count what the file includes.
    """

    file: str
    includes: frozenset[str]
    wanted: bool
    main: bool
    certain: bool = False

    @property
    def real(self) -> str:
        return os.path.realpath(self.file)

    @property
    def folder(self) -> Path:
        return Path(self.file).parent


class Linked(Struct, frozen=True):
    """Programs of units; `alone` are units that belong to too many programs, with how many that are."""

    programs: tuple[tuple[Unit, ...], ...]
    alone: Mapping[Unit, int]


def link(units: Sequence[Unit], built: Iterable[frozenset[str]], include_dirs: tuple[str, ...]) -> Linked:
    """The programs of units, where `built` are the real paths of files that builds link.

    A unit that another one includes is a part of that one.  What a build links is a program, or several that share the
    rest if there are several with a `main`.  Each other unit with a `main` is a program, too, together with those of
    its folder if there is no other `main`.  What then remains is one program for each folder.  If there is only one
    program so far, all belong to it.  Then a program takes the units along whose functions it uses and does not have.
    A unit that would be in many programs is one of its own, which says what holds whoever calls it.
    """
    programs = list(_built(units, built))
    named = {unit.file for program in programs for unit in program}
    rest = [unit for unit in _without_included(units) if unit.file not in named]
    programs += [[unit] for unit in rest if unit.main]
    loose = [unit for unit in rest if not unit.main]
    if len(programs) <= 1:
        return Linked((tuple(unit for unit in units if any(unit in part for part in (*programs, loose))),), {})
    linker = _Linker([unit for unit in units if not unit.main], include_dirs)
    programs = [linker.complete([*program, *_beside(program, programs, loose)]) for program in programs]
    reached = {unit.file for program in programs for unit in program}
    for folder in dict.fromkeys(unit.folder for unit in loose if unit.file not in reached):
        programs.append(linker.complete([u for u in loose if u.folder == folder and u.file not in reached]))
    return _in_order(programs, {unit: number for number, unit in enumerate(units)})


def _in_order(programs: Iterable[Sequence[Unit]], order: Mapping[Unit, int]) -> Linked:
    """The programs without repetitions, in the order of the first units that they had, and their units in order."""
    by_first = sorted(programs, key=lambda program: order[program[0]])
    distinct = dict.fromkeys(tuple(sorted(program, key=order.__getitem__)) for program in by_first)
    counts = Counter(unit for program in distinct for unit in program if not unit.main)
    alone = {unit: counts[unit] for unit in order if counts[unit] > _MOST_PROGRAMS}
    kept = (tuple(unit for unit in program if unit not in alone) for program in distinct)
    return Linked((*dict.fromkeys(program for program in kept if program), *((unit,) for unit in alone)), alone)


def _built(units: Sequence[Unit], built: Iterable[frozenset[str]]) -> Iterator[list[Unit]]:
    for files in built:
        members = _without_included([unit for unit in units if unit.real in files])
        mains = [unit for unit in members if unit.main]
        if len(mains) > 1:
            yield from ([main, *(unit for unit in members if not unit.main)] for main in mains)
        elif members:
            yield members


def _without_included(units: Sequence[Unit]) -> list[Unit]:
    included = frozenset[str]().union(*(unit.includes for unit in units))
    alone = [unit for unit in units if unit.real not in included]
    return alone or list(units)  # files that include each other


def _beside(program: Sequence[Unit], programs: Iterable[Sequence[Unit]], loose: Iterable[Unit]) -> list[Unit]:
    """Units in the folder of a program's `main`, if there is no other one."""
    folders = {unit.folder for unit in program if unit.main}
    mains = {unit.file for other in programs for unit in other if unit.main and unit.folder in folders}
    return [unit for unit in loose if unit.folder in folders] if len(mains) == 1 else []


def callers(files: Iterable[str], units: Iterable[Unit], include_dirs: tuple[str, ...]) -> tuple[str, ...]:
    """The files that call functions of units."""
    linker = _Linker(units, include_dirs)
    return tuple(file for file in files if linker.calls_of(file))


class _Linker:
    """Finds what files use of units, as a linker does of libraries.

    A file calls a function if it uses its name and that is declared there or in an included file.  A member of a class
    is the same one only where both have the file with the class.
    """

    def __init__(self, units: Iterable[Unit], include_dirs: tuple[str, ...]) -> None:
        self._names = cache(_names_of_file)
        self._files = cache(IncludedFiles(include_dirs).below)
        self.calls_of = cache(self._calls_of)
        self._offering: defaultdict[bytes, list[tuple[Unit, bytes]]] = defaultdict(list)
        for unit in units:
            for file in self._files(unit.file):
                for name in self._names(file).offered:
                    self._offering[name.rpartition(b"::")[2]].append((unit, name))
        self._words = frozenset(part for of in self._offering.values() for _, name in of for part in name.split(b"::"))
        self._of_interest = cache(self._names_of_interest)

    def complete(self, program: Iterable[Unit]) -> list[Unit]:
        """The program with all units that define a function which it uses and does not have."""
        whole = dict.fromkeys(program)
        pending = list(whole)
        have = frozenset[bytes]().union(*(self._defined(unit.file) for unit in pending))
        while pending:
            calls = self.calls_of(pending.pop().file)
            more = {unit: None for unit, names in calls.items() if unit not in whole and not names <= have}
            whole |= more
            pending += more
            have = have.union(*(self._defined(unit.file) for unit in more))
        return list(whole)

    def _names_of_interest(self, file: str) -> Names:
        return self._names(file).among(self._words)

    def _defined(self, file: str) -> frozenset[bytes]:
        return frozenset[bytes]().union(*(self._of_interest(x).defined for x in self._files(file)))

    def _calls_of(self, file: str) -> Mapping[Unit, frozenset[bytes]]:
        """The functions of units that a file calls and does not define itself."""
        if self._of_interest(file).used.isdisjoint(self._offering):  # what headers call is left to other files
            return {}
        seen = self._files(file)
        names = together(map(self._of_interest, seen))
        found: defaultdict[Unit, set[bytes]] = defaultdict(set)
        for word in names.used & names.declared & self._offering.keys():
            for unit, name in self._offering[word]:
                if name not in names.defined and names.calls(name) and (word == name or self._share(unit, seen, word)):
                    found[unit].add(name)
        return {unit: frozenset(functions) for unit, functions in found.items()}

    def _share(self, unit: Unit, seen: frozenset[str], word: bytes) -> bool:
        return any(word in self._of_interest(file).declared for file in seen & self._files(unit.file))


def _names_of_file(file: str) -> Names:
    try:
        return names_in(Path(file).read_bytes())
    except OSError:
        return Names()
