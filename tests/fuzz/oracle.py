"""What a kernel does when it runs: the races and divergences of some schedules.

Where threads do not talk through memory one run in lock-step is enough: if it has no race, no schedule has one.
Kernels that make order by locks, flags and counters take small steps, under schedules by chance.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from hgrd.cuda.memory_model import Level
from hgrd.program.expressions import Storage
from hgrd.program.linked import Tables, link
from hgrd.program.program import Function, Program
from hgrd.program.span import Span
from hgrd.simulate.detectors.access_model import AccessModel
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import Executable, execute, prepare
from hgrd.simulate.interleaving.execution import Argument, Execution, Launched, Schedule, one_after_another
from hgrd.simulate.launch import ConcreteLaunch, Finished, NotSupported, RunOutcome, StuckAtBarrier
from hgrd.simulate.lockstep.memory import Allocation, Home, Memory
from hgrd.simulate.trace import TraceSite
from tests.fuzz.case import Case
from tests.fuzz.hosts import Launch
from tests.fuzz.modelled import Modelled
from tests.fuzz.schedules import aimed, by_chance
from tests.fuzz.watching import Model, Watch

End: TypeAlias = tuple[int, str]
"""A source access: the line and the kind."""
Pair: TypeAlias = tuple[End, End, str]
"""Two accesses in order, and the space."""
Contents: TypeAlias = Mapping[tuple[str, int], int]
"""Elements of the arrays that a kernel is given, by array and index."""

TYPES = {"unsigned char": np.uint8, "short": np.int16, "unsigned": np.uint32, "long long": np.int64}
_COUNTS = re.compile(r"atomicAdd(_block)?\(&(arrived|flag|tickets|locks\[[^]]*\]), 1u?\)")
_STEPS = 3_000
_IDLE, _IDLE_EACH = 100, 6  # steps, and more for each thread of the launch, in which nobody changes memory: in vain
_LONGER = 3  # times as many in runs of witnesses
_IN_VAIN = 12
_FAVOUR = 0.7
_FUEL, _FUEL_EACH = 1 << 20, 1 << 11  # statements of all threads, and of large launches for each
_STEPS_EACH = 40  # of large launches
_MOST_THREADS = 1 << 15  # that are run by steps: each is a generator
_TOGETHER = 1024  # threads: of larger launches the blocks of the witness run alone


class MeaninglessError(Exception):
    """The run is outside the program's meaning, or takes too long."""


@dataclass
class Seen:
    """By pair the levels at which it raced; `differs`: those that were not two writes of one value.

    `divergences`: by run the lines of the barriers where threads waited in vain; `exited`: those of barriers that
    threads passed without others of their block, which had left the kernel; `launches` have shown a pair at
    a level; `together`: by run the pairs that raced in it, and those among them that stored different values;
    `cut`: a run of a witness has left what the program means, and counts up to there.
    """

    levels: dict[Pair, set[Level]] = field(default_factory=dict[Pair, "set[Level]"])
    differs: set[Pair] = field(default_factory=set[Pair])
    divergences: set[frozenset[int]] = field(default_factory=set[frozenset[int]])
    exited: set[int] = field(default_factory=set[int])
    launches: dict[tuple[Pair, Level], Launch] = field(default_factory=dict[tuple[Pair, Level], Launch])
    together: set[tuple[frozenset[Pair], frozenset[Pair]]] = field(
        default_factory=set[tuple[frozenset[Pair], frozenset[Pair]]]
    )
    cut: bool = False

    def add(self, other: Seen) -> None:
        for pair, levels in other.levels.items():
            self.levels.setdefault(pair, set()).update(levels)
        self.differs |= other.differs
        self.divergences |= other.divergences
        self.exited |= other.exited
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
        self._launched: dict[str, Launched] = {}

    def kernel(self, case: Case) -> Function:
        return self._kernels[case.name]

    def executable(self, case: Case) -> Executable:
        if case.name not in self._ready:
            self._ready[case.name] = prepare(self._tables, self.kernel(case))
        return self._ready[case.name]

    def launched(self, case: Case, launch: Launch, arguments: tuple[Argument, ...]) -> Launched:
        """What names a kernel uses is looked up once."""
        if case.name not in self._launched:
            self._launched[case.name] = Launched(self.program, self.kernel(case), (1, 1, 1), (1, 1, 1), ())
        first = self._launched[case.name]
        grid, block = launch.extents
        return replace(first, grid=grid, block=block, arguments=arguments)


def run(
    subjects: Subjects,
    case: Case,
    launch: Launch,
    random: Random,
    contents: Contents | None = None,
    aim: tuple[int, int] | None = None,
    *,
    steps: bool = False,
) -> Seen:
    """One run, on contents at random but for those given, in steps where threads talk.  Raises MeaninglessError.

    `aim`: the threads of a witness, for which the schedule is made; a run that takes too long, or ends in what has no
    meaning, counts as far as it goes, and of a large launch only their blocks run.
    """
    arguments = arguments_of(case, launch, random, contents or {})
    before = Before(case, random, contents or {})
    if not (case.talks or steps):
        return _in_lockstep(subjects, case, launch, arguments, before, aim)
    schedule = by_chance(random) if aim is None else aimed(random, aim)
    execution = _execution(subjects.launched(case, launch, arguments), _counted(subjects, case))
    _fill_shared(execution, before)
    return _by_steps(execution, launch, schedule, whole=aim is None, blocks=_blocks(launch, aim))


def run_model(
    subjects: Subjects, case: Case, model: Modelled, schedule: Schedule, aim: tuple[int, int], *, variables: bool
) -> Seen:
    """One run by steps with the contents of memory that a model has, up to where it has no meaning.

    `variables`: also those at namespace scope, and shared memory.  Raises MeaninglessError where it has no meaning from
    the beginning.
    """
    launch = model.launch
    arguments = (*model.arrays, *_numbers(launch))
    execution = _execution(subjects.launched(case, launch, arguments), _counted(subjects, case))
    if variables:
        _fill_as_modelled(execution, model)
    alone = not case.talks or launch.threads > _TOGETHER
    return _by_steps(execution, launch, schedule, whole=False, blocks=_of_two(launch, aim) if alone else None)


def starves(
    subjects: Subjects,
    case: Case,
    launch: Launch,
    random: Random,
    contents: Contents,
    aim: tuple[int, int],
    where: Span,
) -> bool:
    """Whether one thread waits in vain at a place while another one, which got what both want there, makes no step."""
    arguments = arguments_of(case, launch, random, contents)
    execution = _execution(subjects.launched(case, launch, arguments), frozenset())
    _fill_shared(execution, Before(case, random, contents))
    model = execution.observer
    assert isinstance(model, Watch)
    holder: int | None = None
    waited, gathered = 0, False
    for _ in range(_STEPS):
        ready = execution.ready()
        there = [i for i in aim if (step := execution.pending(i)) is not None and step.span == where]
        gathered = gathered or len(there) == len(aim)
        away = (holder,) if gathered else tuple(there)
        able, others = ([i for i in of if i in ready and i not in away] for of in (aim, ready))
        if not others:
            return False
        now = able[0] if able and random.random() < _FAVOUR else random.choice(others)
        execution.step(now)
        there_now = model.last == where
        if holder is None and there_now and now in aim and not model.idle:
            holder = now
        elif holder is not None and there_now and now in aim:
            waited = waited + 1 if model.idle else 0
            if not waited:
                return False
            if waited > _IN_VAIN:
                return True
    return False


def is_meaningful(subjects: Subjects, case: Case, random: Random) -> bool:
    """Whether runs in small steps find nothing undefined: the interpreter knows more of that than the executor."""
    for launch in () if case.talks else case.launches(random, 2):
        try:
            arguments = arguments_of(case, launch, random, {})
            execution = _execution(subjects.launched(case, launch, arguments), _counted(subjects, case))
            _fill_shared(execution, Before(case, random, {}))
            _by_steps(execution, launch, one_after_another)
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
        dtype = np.dtype(TYPES[self.case.wide] if name == "q" else np.int32)
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
    subjects: Subjects,
    case: Case,
    launch: Launch,
    arguments: tuple[Argument, ...],
    before: Before,
    aim: tuple[int, int] | None,
) -> Seen:
    chosen, size = _blocks(launch, aim), prod(launch.extents[1])
    threads = launch.threads if chosen is None else len(chosen) * size
    two = None if aim is None else tuple(_among(chosen, i, size) for i in aim)
    ahead = before.random.choice(two or (None, before.random.randrange(threads)))
    model, outcome = execute_in_lockstep(subjects, case, launch, arguments, before, chosen=chosen, ahead=ahead)
    cut = not isinstance(outcome, Finished | StuckAtBarrier)
    if cut and (aim is None or isinstance(outcome, NotSupported)):
        raise MeaninglessError(str(outcome))
    parted = {d.barrier.line for d in model.divergences}
    if isinstance(outcome, StuckAtBarrier):
        parted.add(outcome.span.line)
    sites = subjects.executable(case).sites.sites
    seen = Seen(divergences={frozenset(parted)}) if parted else races_of(model, sites, launch)
    seen.exited |= model.exited
    seen.cut = cut
    return seen


def execute_in_lockstep(
    subjects: Subjects,
    case: Case,
    launch: Launch,
    arguments: tuple[Argument, ...],
    before: Before,
    *,
    chosen: tuple[int, ...] | None = None,
    ahead: int | None = None,
    fuel: int = _FUEL,
) -> tuple[Model, RunOutcome]:
    """What is seen of a run, and how it ends; arrays among the arguments hold what it leaves.

    `chosen` blocks run (None: all), and the thread `ahead` before the others where it can.  `fuel`: at least so many
    statements of all threads may run.
    """
    executable = subjects.executable(case)
    memory = _Filled(before=before, names={key: v.name for key, (v, _) in executable.unit.shared.items()})
    arrays = {id(a): int(memory.allocate("", a)) for a in arguments if isinstance(a, np.ndarray)}
    given = tuple(arrays[id(a)] if isinstance(a, np.ndarray) else a for a in arguments)
    concrete = ConcreteLaunch(*launch.extents, given, chosen=chosen)
    model = Model(LaunchShape(concrete.block_threads, concrete.blocks))
    fuel = max(fuel, concrete.block_threads * concrete.blocks * _FUEL_EACH)
    return model, execute(executable, concrete, memory, model, fuel, together=True, ahead=ahead)


def _blocks(launch: Launch, aim: tuple[int, int] | None) -> tuple[int, ...] | None:
    """The blocks that run: of a large launch those of two threads alone, as if the others came later (None: all)."""
    if aim is None or launch.threads <= _TOGETHER:
        return None
    return _of_two(launch, aim)


def _of_two(launch: Launch, aim: tuple[int, int]) -> tuple[int, ...]:
    return tuple(sorted({i // prod(launch.extents[1]) for i in aim}))


def _among(chosen: tuple[int, ...] | None, thread: int, size: int) -> int:
    """The number of a thread in the blocks that run."""
    return thread if chosen is None else chosen.index(thread // size) * size + thread % size


# ---------------------------------------------------------------- by small steps


def _execution(launched: Launched, counting: frozenset[int]) -> Execution:
    if launched.threads_per_block * launched.blocks > _MOST_THREADS:
        raise MeaninglessError("too many threads to run")
    try:
        watch = Watch(LaunchShape(launched.threads_per_block, launched.blocks), counting)
        execution = Execution(launched, watch, patience=400)
        watch.sites = execution.sites.sites
        return execution
    except (ValueError, OverflowError) as error:
        raise MeaninglessError(str(error)) from error


def _counted(subjects: Subjects, case: Case) -> frozenset[int]:
    """The lines, in the file, of atomics that add 1 (or, to look, 0) to what may be a counter."""
    first = subjects.kernel(case).span.line
    return frozenset(n for n, line in enumerate(case.text().splitlines(), first) if _COUNTS.search(line))


def _by_steps(
    execution: Execution,
    launch: Launch,
    schedule: Schedule,
    *,
    whole: bool = True,
    blocks: tuple[int, ...] | None = None,
) -> Seen:
    """`blocks`: only these make steps (None: all); a run that is not `whole` counts up to where it goes wrong."""
    model = execution.observer
    assert isinstance(model, Watch)
    threads = launch.threads if blocks is None else len(blocks) * prod(launch.extents[1])
    most = _STEPS if whole else max(_STEPS, threads * _STEPS_EACH)
    patience = (1 if whole else _LONGER) * (_IDLE + _IDLE_EACH * threads)
    steps = 0
    while ready := _of_blocks(execution, blocks):
        steps += 1
        if steps > most or model.idle > patience:
            if whole:
                raise MeaninglessError("it takes too long")
            break
        execution.step(schedule(ready))
    held = {span.line for span in execution.waiting()} if model.idle > patience else set[int]()
    return _seen_by(execution, launch, held, whole=whole)


def _of_blocks(execution: Execution, blocks: tuple[int, ...] | None) -> list[int]:
    ready = execution.ready()
    return ready if blocks is None else [i for i in ready if execution.block_of(i) in blocks]


def _fill_shared(execution: Execution, before: Before) -> None:
    shared = [v.name for v in execution.launched.variables if v.storage is Storage.SHARED]
    for name, (number, size) in zip(shared, execution.heap.sizes.items(), strict=True):
        for block in range(execution.launched.blocks):
            data = np.zeros(size, np.uint8)
            before.fill(name, data)
            execution.heap.shared[number, block] = bytearray(data.tobytes())


def _fill_as_modelled(execution: Execution, model: Modelled) -> None:
    objects, sizes = execution.heap.objects, execution.heap.sizes
    numbers = {variable.key: number for number, variable in enumerate(execution.launched.variables, 1)}
    for key in model.variables.keys() & numbers.keys():
        number = numbers[key]
        objects[number][:] = model.variables[key][: len(objects[number])]
    for (key, block), cells in model.shared.items():
        data = execution.heap.shared.setdefault((numbers[key], block), bytearray(sizes[numbers[key]]))
        for offset, new in cells.items():
            if 0 <= offset <= len(data) - len(new):
                data[offset : offset + len(new)] = new


def _seen_by(execution: Execution, launch: Launch, held: set[int], *, whole: bool) -> Seen:
    """`held`: lines of barriers where threads wait for others, which wait in vain for something else.

    In a run of a witness (not `whole`) races count up to where threads wait in vain.
    """
    model = execution.observer
    assert isinstance(model, Watch)
    if execution.fault and whole:
        raise MeaninglessError(execution.fault)
    parted = held | {d.barrier.line for d in (*execution.divergences, *model.divergences)}
    lost = model.divergences or (parted and whole)
    seen = Seen() if lost else races_of(model, execution.sites.sites, launch)
    seen.divergences |= {frozenset(parted)} if parted else set()
    seen.exited |= model.exited
    seen.cut = bool(execution.fault)
    return seen


# ---------------------------------------------------------------- what has been seen, and what is given


def races_of(model: AccessModel, sites: list[TraceSite], launch: Launch) -> Seen:
    """The races of a run, by pair and level."""
    seen = Seen()
    found = model.racing() if isinstance(model, Watch) else ((race, race.levels) for race in model.races())
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


def arguments_of(case: Case, launch: Launch, random: Random, contents: Contents) -> tuple[Argument, ...]:
    """The arguments of a kernel: arrays of numbers at random, but for what is given, and the launch's numbers."""
    arrays: list[Argument] = []
    for name, size, dtype in zip(("a", "w", "in"), launch.sizes, (np.int32, TYPES[case.wide], np.int32), strict=True):
        values = numbers(random, max(size, 0), np.dtype(dtype))
        if name == "in" and case.spelling.same:
            values = arrays[0]
        assert isinstance(values, np.ndarray)
        for (array, at), value in contents.items():
            if array == name and 0 <= at < len(values):
                values[at] = value
        arrays.append(values)
    return (*arrays, *_numbers(launch))


def _numbers(launch: Launch) -> tuple[int, int, int]:
    """n, u and c, as their types have them."""
    c = launch.c & 0xFFFF
    return launch.n, launch.u & 0xFFFFFFFF, c - (1 << 16) if c >> 15 else c


def numbers(random: Random, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Small ones: all zeros, up to 2, or up to 39; now and then some are negative."""
    top = random.choice((1, 3, 40))
    values = (np.frombuffer(random.randbytes(count), np.uint8) % top).astype(dtype)
    if random.random() < 0.2:
        values -= dtype.type(2)
    return values
