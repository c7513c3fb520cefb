"""Runs of translated loops on the memory of a concrete run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, Final, TypeAlias

from msgspec import Struct

from hgrd.host.concrete.loops.addresses import Number, Start
from hgrd.host.concrete.loops.arithmetic import NAMES, LostError
from hgrd.host.concrete.loops.statements import Translated, translated
from hgrd.host.concrete.loops.text import Untranslatable
from hgrd.host.concrete.places import place_code
from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.memory import load, store
from hgrd.host.concrete.state.numbers import ABSENT, KNOWN, LOST, Numbers, numbers_of
from hgrd.host.concrete.state.values import UNKNOWN, Container, Object, Pointer
from hgrd.program import expressions as ir
from hgrd.program.span import Span
from hgrd.program.statements import Loop
from hgrd.program.walk import nodes

_MOST_STEPS: Final = 1 << 26
_SPEED: Final = 1_500_000  # steps a second
_OF_TIME: Final = 0.6
_CHEAP: Final = 2  # a step of the run is so many of these, as a power of two
_LEAST, _LONGER, _LONGEST = 1 << 12, 4, 1 << 23  # elements of arrays of unknown length
_MOST_TRIES: Final = 3  # that come to nothing
_ABSENT_IS_ZERO: Final = bytes(KNOWN if state == ABSENT else state for state in range(256))
_FAILURES: Final = (LostError, IndexError, TypeError, ValueError, ArithmeticError)


class _Array(Struct):
    """Elements that a loop uses, with what they were before."""

    start: Start
    target: Object
    offset: int
    count: int | None
    container: Container | None = None
    numbers: Numbers | None = None
    before: Numbers | None = None

    @property
    def arguments(self) -> tuple[object, ...]:
        """The values, states, first element, number of elements, and offset in bytes."""
        size, numbers = self.start.size or 1, self.numbers
        values, states = (None, None) if numbers is None else (numbers.values, numbers.states)
        return values, states, self.offset // size, self.count, self.offset

    @property
    def whole(self) -> bool:
        """Whether all elements are known."""
        states = b"" if self.numbers is None else self.numbers.states
        return ABSENT not in states and LOST not in states

    def begin(self) -> None:
        """Uses the numbers as they are now."""
        self.numbers = self.target.numbers
        if self.target.zero and self.numbers is not None and ABSENT in self.numbers.states:
            self.numbers.states[:] = self.numbers.states.translate(_ABSENT_IS_ZERO)
        self.before = self.numbers.copy() if self.numbers is not None and self.start.stored else None

    def lengthened(self) -> bool:
        """Makes an array longer that is stored into, and of which it is not known how long it is; whether it does."""
        numbers = self.target.numbers
        if numbers is None or self.count is not None or not (self.start.stored or self.target.zero):
            return False
        longer = _LONGER * len(numbers.states) + _LEAST
        return longer < _LONGEST and numbers.reach(longer)


class _Held(Struct):
    """A number, or a pointer, that a loop uses."""

    number: Number
    place: Pointer
    value: object


_Function: TypeAlias = Callable[..., tuple[Any, ...]]


class _Uses(Struct, frozen=True):
    """A translated loop with the memory that it uses now."""

    made: Translated
    function: _Function
    arrays: list[_Array]
    held: list[_Held]

    def run(self, limit: int) -> tuple[Any, ...]:
        """The steps that are left of so many, and the numbers that the loop stores."""
        arguments = [part for array in self.arrays for part in array.arguments]
        return self.function(limit, *(h.value for h in self.held), *arguments)

    def restore(self) -> None:
        """Makes all arrays what they were before."""
        for array in self.arrays:
            array.target.numbers = array.before or array.target.numbers


def lines_of_accesses(parts: object) -> Iterator[tuple[str, int]]:
    """The lines of statements in which they use memory."""
    for node in nodes(parts):
        if isinstance(node, ir.Load | ir.Assign | ir.Update):
            yield node.span.file, node.span.line


class TranslatedLoop:
    """A loop over numbers, which is run as Python where that is possible."""

    def __init__(self, machine: Machine, loop: Loop) -> None:
        self._machine = machine
        self._loop = loop
        self._tries = 0
        self._lines = frozenset(lines_of_accesses(loop) if machine.queue is not None else ())
        self._made: dict[bool, tuple[Translated, _Function] | None] = {}

    def run(self) -> bool:
        """Runs the loop to its end; False: nothing has happened."""
        if self._tries >= _MOST_TRIES:
            return False
        done, begin = None, perf_counter()
        while done is None:
            done = self._attempt()
        self._machine.besides += perf_counter() - begin
        self._tries = 0 if done else self._tries + 1
        return done

    def _attempt(self) -> bool | None:
        """Whether the loop has been run; None: arrays of unknown length are longer now, which may be enough."""
        machine = self._machine
        uses = self._uses(checked=False)
        if uses is not None and not all(a.whole for a in uses.arrays if a.start.read):
            uses = self._uses(checked=True)
        if uses is None:
            return False
        limit = self._limit()
        try:
            left, *results = uses.run(limit)
        except _FAILURES as failure:
            uses.restore()
            longer = [array.lengthened() for array in uses.arrays]
            return None if isinstance(failure, IndexError) and any(longer) else False
        _write_back(machine, uses, results, self._loop.span)
        if machine.queue is not None:
            machine.queue.used.update(self._lines)
        if uses.made.waits and machine.queue is not None:
            machine.queue.may_wait_for_all("a loop that may wait")
        machine.step((limit - left) >> _CHEAP if machine.device is None else 1)
        return True

    def _uses(self, *, checked: bool) -> _Uses | None:
        made = self._translated(checked=checked)
        return None if made is None else _bound(self._machine, *made)

    def _translated(self, *, checked: bool) -> tuple[Translated, _Function] | None:
        if checked not in self._made:
            self._made[checked] = self._compiled(checked=checked)
        return self._made[checked]

    def _compiled(self, *, checked: bool) -> tuple[Translated, _Function] | None:
        try:
            made = translated(self._loop, self._machine.functions, self._machine.records, checked=checked)
        except (Untranslatable, RecursionError):
            return None
        names: dict[str, Any] = dict(NAMES)
        exec(made.source, names)
        return made, names["run"]

    def _limit(self) -> int:
        """The steps that the loop may take; few where no kernels are run, which the numbers could be for."""
        machine = self._machine
        few = (machine.most_steps - machine.steps) << _CHEAP
        most = _MOST_STEPS if machine.device is not None else min(few, _MOST_STEPS)
        return max(0, int(min((machine.deadline - perf_counter()) * _OF_TIME * _SPEED, most)))


def _bound(machine: Machine, made: Translated, function: _Function) -> _Uses | None:
    """What a loop uses, as it is now; None where it cannot be run on that."""
    if machine.queue is not None and machine.queue.calling is not None:
        return None
    arrays = [a for start in made.used.starts.values() if (a := _array(machine, start)) is not None]
    held = [h for number in made.used.numbers.values() if (h := _held(machine, number)) is not None]
    if len(arrays) < len(made.used.starts) or len(held) < len(made.used.numbers):
        return None
    if any(arrays[a].target is not arrays[b].target for a, b in made.used.same):
        return None
    return _Uses(made, function, arrays, held) if _are_apart(machine, arrays, held) else None


def _are_apart(machine: Machine, arrays: Sequence[_Array], held: Sequence[_Held]) -> bool:
    """Whether no two names stand for one number, and nothing else uses the memory meanwhile."""
    places = {(id(h.place.target), h.place.offset) for h in held}
    targets = {id(a.target) for a in arrays if a.start.type is not None}
    queue = machine.queue
    in_use = queue is not None and any(map(queue.is_pending, (*targets, *(key for key, _ in places))))
    return not in_use and len(places) == len(held) and targets.isdisjoint(key for key, _ in places)


def _array(machine: Machine, start: Start) -> _Array | None:
    found = machine.evaluate(start.start)
    if not isinstance(found, Pointer) or found.offset is None or found.target.moved:
        return None
    if start.of_container:
        cell = found.target.held.get(found.offset)
        container = None if cell is None else cell.value
        if not isinstance(container, Container) or (start.sized and container.count is None):
            return None
        if start.type is not None and container.width != start.size:
            return None
        array = _Array(start, container.elements, 0, container.count, container)
    else:
        size = found.target.size
        array = _Array(start, found.target, found.offset, None if not start.size or not size else size // start.size)
    return array if start.type is None or _has_numbers(array) else None


def _has_numbers(array: _Array) -> bool:
    """Whether the elements are kept as numbers of their type."""
    start, target = array.start, array.target
    if start.type is None or target.moved or array.offset % start.size:
        return False
    if target.numbers is None and (start.stored or target.zero) and not target.held:
        target.numbers = numbers_of(start.type, start.size)
    numbers = array.numbers = target.numbers
    if numbers is None or numbers.type != start.type or not numbers.reach(array.count or 0):
        return False
    if start.sized and array.count is not None:
        numbers.shorten(array.count)
    array.begin()
    return True


def _held(machine: Machine, number: Number) -> _Held | None:
    found = place_code(machine, number.place)()
    if found is None or found.offset is None or found.target.moved:
        return None
    place = Pointer(found.target, found.offset + number.offset)
    value = load(place, number.type, machine.records)
    if number.stride:
        return _Held(number, place, 0) if isinstance(value, Pointer) and value.offset is not None else None
    return _Held(number, place, value if isinstance(value, int | float) else NAMES["LOST"])


def _write_back(machine: Machine, uses: _Uses, results: Sequence[object], span: Span) -> None:
    """Gives numbers and pointers their new values."""
    for one, value in zip((h for h in uses.held if h.number.stored), results, strict=True):
        new = value if isinstance(value, int | float) else UNKNOWN
        before = load(one.place, one.number.type, machine.records) if one.number.stride else None
        if isinstance(before, Pointer) and before.offset is not None and isinstance(value, int):
            new = Pointer(before.target, before.offset + value * one.number.stride)
        store(one.place, new, one.number.type, machine.records, span)
    for array in uses.arrays:
        if array.start.stored:
            array.target.written = span
        if array.start.grows and array.container is not None and array.numbers is not None:
            array.container.count = len(array.numbers.states)
