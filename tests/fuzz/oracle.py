"""What a kernel does when it runs: the races and divergences of some schedules.

Where threads do not talk through memory one run in lock-step is enough: if it has no race, no schedule has one.
Kernels that make order by locks, flags and counters take small steps, under schedules by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind, Level, Scope
from hgrd.program.expressions import Storage
from hgrd.program.linked import Tables, link
from hgrd.program.program import Function, Program
from hgrd.simulate.detectors.access_model import AccessModel, Race
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.interleaving.execution import Argument, Execution, Launched, Schedule, at_random, one_after_another
from hgrd.simulate.launch import ConcreteLaunch, Finished, StuckAtBarrier
from hgrd.simulate.lockstep.memory import Allocation, Home, Memory
from hgrd.simulate.trace import Arrive, Fenced, Touch, TraceSite
from tests.fuzz.case import Case
from tests.fuzz.hosts import Launch

End: TypeAlias = tuple[int, str]
"""A source access: the line and the kind."""
Pair: TypeAlias = tuple[End, End, str]
"""Two accesses in order, and the space."""
Contents: TypeAlias = Mapping[tuple[str, int], int]
"""Elements of the arrays that a kernel is given, by array and index."""

_TYPES = {"unsigned char": np.uint8, "short": np.int16, "unsigned": np.uint32, "long long": np.int64}
_COUNTS = re.compile(r"atomicAdd(_block)?\(&(arrived|flag|tickets|locks\[[^]]*\]), 1u?\)")
_STEPS = 3_000
_IDLE, _IDLE_EACH = 100, 6  # steps, and more for each thread, in which nobody changes memory: they wait in vain
_FUEL = 1 << 20


class MeaninglessError(Exception):
    """The run is outside the program's meaning, or takes too long."""


@dataclass
class Seen:
    """By pair the levels at which it raced; `differs`: those that were not two writes of one value.

    `divergences`: by run the lines of the barriers where threads waited in vain; `launches` have shown a pair at
    a level; `together`: by run the pairs that raced in it, and those among them that stored different values.
    """

    levels: dict[Pair, set[Level]] = field(default_factory=dict[Pair, "set[Level]"])
    differs: set[Pair] = field(default_factory=set[Pair])
    divergences: set[frozenset[int]] = field(default_factory=set[frozenset[int]])
    launches: dict[tuple[Pair, Level], Launch] = field(default_factory=dict[tuple[Pair, Level], Launch])
    together: set[tuple[frozenset[Pair], frozenset[Pair]]] = field(
        default_factory=set[tuple[frozenset[Pair], frozenset[Pair]]]
    )

    def add(self, other: Seen) -> None:
        for pair, levels in other.levels.items():
            self.levels.setdefault(pair, set()).update(levels)
        self.differs |= other.differs
        self.divergences |= other.divergences
        for key, launch in other.launches.items():
            self.launches.setdefault(key, launch)
        self.together |= other.together

    def never_without(self, pair: Pair, others: frozenset[Pair], *, differing: bool = False) -> bool:
        """Whether in each run in which the pair raced (or stored different values) one of the others raced, too."""
        runs = (run for run, differs in self.together if pair in (differs if differing else run))
        return all(not others.isdisjoint(run - {pair}) for run in runs)


class Subjects:
    """The kernels of a program, made ready to run once each."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._tables: Tables = link((program,))
        self._kernels = {k.ref.name: k for k in program.kernels()}
        self._ready: dict[str, Executable] = {}

    def kernel(self, case: Case) -> Function:
        return self._kernels[case.name]

    def executable(self, case: Case) -> Executable:
        if case.name not in self._ready:
            self._ready[case.name] = prepare(self._tables, self.kernel(case))
        return self._ready[case.name]


def run(subjects: Subjects, case: Case, launch: Launch, random: Random, contents: Contents | None = None) -> Seen:
    """One run, on contents at random but for those given.  Raises MeaninglessError."""
    arguments = _arguments(case, launch, random, contents or {})
    before = Before(case, random, contents or {})
    if not case.talks:
        return _in_lockstep(subjects, case, launch, arguments, before)
    return _by_steps(subjects, case, launch, arguments, _schedule(random), before)


def is_meaningful(subjects: Subjects, case: Case, random: Random) -> bool:
    """Whether runs in small steps find nothing undefined: the interpreter knows more of that than the executor."""
    for launch in () if case.talks else case.launches(random, 2):
        try:
            arguments = _arguments(case, launch, random, {})
            _by_steps(subjects, case, launch, arguments, one_after_another, Before(case, random, {}))
        except MeaninglessError:
            return False
    return True


# ---------------------------------------------------------------- what shared memory begins with


@dataclass(frozen=True, slots=True)
class Before:
    """Shared memory begins with anything: now and then with zeros, else at random, but for what is given."""

    case: Case
    random: Random
    given: Contents

    def fill(self, name: str, data: NDArray[np.uint8]) -> None:
        if self.random.random() < 0.6:
            words = len(data) // 4 * 4
            data[:words] = numbers(self.random, words // 4, np.dtype(np.int32)).view(np.uint8)
        dtype = np.dtype(_TYPES[self.case.wide] if name == "q" else np.int32)
        for (array, at), value in self.given.items():
            if array == name and 0 <= at < len(data) // dtype.itemsize:
                data.view(dtype)[at] = value


class _Filled(Memory, kw_only=True):
    """`names` are those of the shared variables, by key."""

    before: Before
    names: Mapping[str, str]

    def place_copies(self, name: str, home: Home, size: int, copies: int) -> Allocation:
        made = Memory.place_copies(self, name, home, size, copies)
        for copy in range(copies if home is Home.SHARED else 0):
            self.before.fill(self.names[name], made.data[copy * made.pitch :][: made.size])
        return made


# ---------------------------------------------------------------- in lock-step


def _in_lockstep(
    subjects: Subjects, case: Case, launch: Launch, arguments: tuple[Argument, ...], before: Before
) -> Seen:
    executable, random = subjects.executable(case), before.random
    memory = _Filled(before=before, names={key: v.name for key, (v, _) in executable.unit.shared.items()})
    given = tuple(int(memory.allocate("", a)) if isinstance(a, np.ndarray) else a for a in arguments)
    concrete = ConcreteLaunch((*launch.grid, 1), (*launch.block, 1), given)
    model = AccessModel(LaunchShape(concrete.block_threads, concrete.blocks))
    ahead = random.choice((None, random.randrange(concrete.block_threads * concrete.blocks)))
    outcome = execute(executable, concrete, memory, model, _FUEL, together=True, ahead=ahead)
    if not isinstance(outcome, Finished | StuckAtBarrier):
        raise MeaninglessError(str(outcome))
    parted = {d.barrier.line for d in model.divergences}
    if isinstance(outcome, StuckAtBarrier):
        parted.add(outcome.span.line)
    return Seen(divergences={frozenset(parted)}) if parted else _races(model, executable.sites.sites, launch)


# ---------------------------------------------------------------- by small steps


class _Watch(AccessModel):
    """Counts the accesses since memory was last changed.

    `lenient` sees the same run, and a fence behind each arrival that finds all threads or blocks to have come: what is
    stored only then needs none (docs/verdicts.md, "Arrivals").  `counting` are the lines with atomics that add to a
    counter, `arrivals` those among them that have found all.
    """

    idle = 0

    def __init__(self, shape: LaunchShape) -> None:
        super().__init__(shape)
        self.lenient = AccessModel(shape)
        self.counting: frozenset[int] = frozenset()
        self.arrivals: set[int] = set()
        self.sites: list[TraceSite] = []
        self._all = (shape.threads, shape.blocks)

    def touch(self, event: Touch, /) -> None:
        self.idle = 0 if _changes(event) else self.idle + 1
        super().touch(event)
        self.lenient.touch(event)
        if event.kind is AccessKind.ATOMIC and event.values is not None:
            span, last = self.sites[event.site].span, event.threads[np.isin(event.values, self._all)]
            if last.size and span.line in self.counting:
                self.arrivals.add(span.line)
                self.lenient.fenced(Fenced(Scope.DEVICE, last, span))

    def arrive(self, event: Arrive, /) -> None:
        super().arrive(event)
        self.lenient.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        super().fenced(event)
        self.lenient.fenced(event)

    def racing(self) -> Iterator[tuple[Race, tuple[Level, ...]]]:
        """The races, with the levels at which they are not between others and what only the last one stores."""
        still = {(r.first, r.second, r.space): r.levels for r in self.lenient.races()}
        for race in self.races():
            levels = race.levels
            if self._stores_last(self.sites[race.first], self.sites[race.second]):
                levels = tuple(x for x in levels if x in still.get((race.first, race.second, race.space), ()))
            yield race, levels

    def _stores_last(self, *ends: TraceSite) -> bool:
        behind = [x for x in ends if any(x.span.line > line for line in self.arrivals)]
        return bool(behind) and all(x.kind is not AccessKind.READ for x in behind)


def _changes(event: Touch) -> bool:
    match event.kind:
        case AccessKind.READ:
            return False
        case AccessKind.WRITE:
            return True
        case AccessKind.ATOMIC:
            return event.values is None or event.before is None or bool((event.values != event.before).any())


def _launched(subjects: Subjects, case: Case, launch: Launch, arguments: tuple[Argument, ...]) -> Launched:
    return Launched(subjects.program, subjects.kernel(case), (*launch.grid, 1), (*launch.block, 1), arguments)


def _execution(launched: Launched) -> Execution:
    try:
        watch = _Watch(LaunchShape(launched.threads_per_block, launched.blocks))
        execution = Execution(launched, watch, patience=400)
        watch.sites = execution.sites.sites
        return execution
    except (ValueError, OverflowError) as error:
        raise MeaninglessError(str(error)) from error


def _counting(text: str, first: int) -> frozenset[int]:
    """The lines, in the file, of atomics that add 1 (or, to look, 0) to what may be a counter."""
    return frozenset(n for n, line in enumerate(text.splitlines(), first) if _COUNTS.search(line))


def _by_steps(
    subjects: Subjects,
    case: Case,
    launch: Launch,
    arguments: tuple[Argument, ...],
    schedule: Schedule,
    before: Before,
) -> Seen:
    execution = _execution(_launched(subjects, case, launch, arguments))
    assert isinstance(execution.observer, _Watch)
    execution.observer.counting = _counting(case.text(), subjects.kernel(case).span.line)
    _fill_shared(execution, before)
    model = execution.observer
    assert isinstance(model, _Watch)
    steps = 0
    while ready := execution.ready():
        steps += 1
        if steps > _STEPS or model.idle > _IDLE + _IDLE_EACH * len(ready):
            raise MeaninglessError("it takes too long")
        execution.step(schedule(ready))
    return _seen_by(execution, launch)


def _fill_shared(execution: Execution, before: Before) -> None:
    shared = [v.name for v in execution.launched.variables if v.storage is Storage.SHARED]
    for name, (number, size) in zip(shared, execution.heap.sizes.items(), strict=True):
        for block in range(execution.launched.blocks):
            data = np.zeros(size, np.uint8)
            before.fill(name, data)
            execution.heap.shared[number, block] = bytearray(data.tobytes())


def _seen_by(execution: Execution, launch: Launch) -> Seen:
    model = execution.observer
    assert isinstance(model, _Watch)
    if execution.fault or execution.ready():
        raise MeaninglessError(execution.fault or "it takes too long")
    parted = {d.barrier.line for d in (*execution.divergences, *model.divergences)}
    return Seen(divergences={frozenset(parted)}) if parted else _races(model, execution.sites.sites, launch)


def _schedule(random: Random) -> Schedule:
    """At random, or with a favoured thread that changes now and then."""
    seed = random.randrange(1 << 30)
    if random.random() < 0.5:
        return at_random(seed)
    chance = Random(seed)
    rank: list[float] = []

    def choose(ready):
        if not rank or chance.random() < 0.03:
            rank[:] = [chance.random() for _ in range(256)]
        return max(ready, key=lambda i: rank[i % 256])

    return choose


# ---------------------------------------------------------------- what has been seen, and what is given


def _races(model: AccessModel, sites: list[TraceSite], launch: Launch) -> Seen:
    seen = Seen()
    found = model.racing() if isinstance(model, _Watch) else ((race, race.levels) for race in model.races())
    for race, levels in found:
        one, two = sites[race.first], sites[race.second]
        if not levels or (one.volatile and two.volatile and one.kind is not two.kind):
            continue  # docs/verdicts.md: a volatile write and a loop that waits for it need no order
        ends = sorted((_end(one), _end(two)))
        pair = (ends[0], ends[1], race.space.value)
        seen.levels.setdefault(pair, set()).update(levels)
        for level in levels:
            seen.launches.setdefault((pair, level), launch)
        if not race.same_value:
            seen.differs.add(pair)
    seen.together.add((frozenset(seen.levels), frozenset(seen.differs)))
    return seen


def _end(site: TraceSite) -> End:
    return site.span.line, site.kind.value


def _arguments(case: Case, launch: Launch, random: Random, contents: Contents) -> tuple[Argument, ...]:
    arrays: list[Argument] = []
    for name, size, dtype in zip(("a", "w", "in"), launch.sizes, (np.int32, _TYPES[case.wide], np.int32), strict=True):
        values = numbers(random, max(size, 0), np.dtype(dtype))
        for (array, at), value in contents.items():
            if array == name and 0 <= at < len(values):
                values[at] = value
        arrays.append(values)
    c = launch.c & 0xFFFF
    return (*arrays, launch.n, launch.u & 0xFFFFFFFF, c - (1 << 16) if c >> 15 else c)


def numbers(random: Random, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Small ones: all zeros, up to 2, or up to 39; now and then some are negative."""
    top = random.choice((1, 3, 40))
    values = (np.frombuffer(random.randbytes(count), np.uint8) % top).astype(dtype)
    if random.random() < 0.2:
        values -= dtype.type(2)
    return values
