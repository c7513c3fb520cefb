"""Reading of the files of one program, in as many processes as there are slots."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from time import perf_counter

from msgspec import Struct, field

from hgrd.engine.inputs import Failure
from hgrd.engine.parsing import parse
from hgrd.engine.run.processes import Ended, Pipe, Running, readable
from hgrd.engine.run.slots import Slots
from hgrd.program.program import Program
from hgrd.source.build.build import Build
from hgrd.source.options import SourceOptions
from hgrd.symbolic.limits import OUT_OF_TIME

_LONGEST = 60.0  # seconds of one wait
_HANGS = 15.0  # seconds beyond the limit, after which a process is taken to hang


class _Read(Struct, frozen=True):
    """What became of the file of this number."""

    number: int
    programs: tuple[Program, ...]
    failures: tuple[Failure, ...]


def read(
    files: Sequence[str], source: SourceOptions, build: Build, slots: Slots
) -> tuple[tuple[Program, ...], tuple[Failure, ...]]:
    """The parsed files in their order, and the failures of those that could not be parsed.

    A process that dies costs the file that it reads.
    """
    if len(files) == 1:
        return parse(files, source, build)
    import_module("hgrd.source.parse")  # the processes share what is loaded before they begin
    found = _Reading(files, source, build, slots, deque(range(len(files)))).run()
    return tuple(p for part in found for p in part.programs), tuple(f for part in found for f in part.failures)


class _Reader(Struct):
    """A process that reads one file; `extra`: in a slot that is not the program's own."""

    process: Running
    number: int
    extra: bool

    def fileno(self) -> int:
        return self.process.fileno()


class _Reading(Struct):
    """State of the work; `waiting` are files by their numbers."""

    files: Sequence[str]
    source: SourceOptions
    build: Build
    slots: Slots
    waiting: deque[int]
    found: dict[int, _Read] = field(default_factory=dict[int, _Read])
    working: list[_Reader] = field(default_factory=list[_Reader])

    def run(self) -> list[_Read]:
        try:
            self._start()
            import_module("hgrd.engine.analysis.program")  # the compilers run meanwhile
            while self.waiting or self.working:
                self._start()
                sources = [*self.working, *([self.slots] if self.waiting else [])]
                left = self.source.deadline + _HANGS - perf_counter()
                if left <= 0:
                    self._give_up()
                    break
                for ready in readable(sources, min(left, _LONGEST)):
                    if isinstance(ready, _Reader):
                        self._hear(ready)
        finally:
            for reader in self.working:
                reader.process.kill()
        return [self.found[number] for number in range(len(self.files))]

    def _start(self) -> None:
        while self.waiting:
            extra = not all(reader.extra for reader in self.working)
            if extra and not self.slots.take():
                return
            number = self.waiting.popleft()
            work = partial(_work, number, self.files[number], self.source, self.build)
            self.working.append(_Reader(Running(work), number, extra))

    def _hear(self, reader: _Reader) -> None:
        match reader.process.receive():
            case _Read() as read:
                self.found[read.number] = read
            case Ended(reason=reason):
                self.working.remove(reader)
                if reader.extra:
                    self.slots.put_back()
                self._lost(reader.number, reason)
            case other:
                raise TypeError(other)

    def _give_up(self) -> None:
        for number in (*self.waiting, *(reader.number for reader in self.working)):
            self._lost(number, OUT_OF_TIME)
        self.waiting.clear()
        while self.working:
            reader = self.working.pop()
            reader.process.kill()
            if reader.extra:
                self.slots.put_back()

    def _lost(self, number: int, reason: str) -> None:
        if number not in self.found:
            self.found[number] = _Read(number, (), (Failure(self.files[number], reason),))


def _work(number: int, file: str, source: SourceOptions, build: Build, pipe: Pipe) -> None:
    pipe.send(_Read(number, *parse((file,), source, build)))
