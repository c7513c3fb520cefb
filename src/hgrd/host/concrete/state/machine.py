"""The state of a concrete run: call stack, globals, limits, its code, and what launches have found in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import inf
from time import perf_counter
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct, field

from hgrd.host.concrete.state.memory import Records, forget_reachable, width_of
from hgrd.host.concrete.state.queue import Queue, Work
from hgrd.host.concrete.state.values import NULL, Object, Pointer, StoppedError, Text, Value
from hgrd.host.linking.kernel_effects import ModSets
from hgrd.program.analysis.effects import EffectTable
from hgrd.program.expressions import Expression, FunctionRef, Storage, Variable
from hgrd.program.program import Function, Global
from hgrd.program.span import Span
from hgrd.program.types import Type

STEPS = 400_000  # statements that are run
ELEMENTS = 1 << 16  # of an object that are written one by one, or recorded
_LOOKED: Final = 4096  # steps between two looks at the clock
_USUAL_SPEED: Final = 400_000.0  # steps a second
_FOR_LOOPS: Final = 0.75
_MEASURED: Final = 0.25  # seconds from which on the speed is measured
MOST_FRAMES = 64
_ON_DEVICE = (Storage.DEVICE, Storage.CONSTANT)


class EndedError(Exception):
    """The program has ended."""


class Frame(Struct):
    """An activation of a function, called at a place, and its variables by their keys."""

    function: FunctionRef
    call_site: Span | None
    variables: dict[str, Object] = field(default_factory=dict[str, Object])


Code: TypeAlias = Callable[[], Value]
"""An expression made ready to be evaluated, in the frame that is the innermost one then; it has its effects."""
Place: TypeAlias = tuple[tuple[Span, ...], Span, str]
"""A launch: the call sites from `main` to it, its own place, and the key of the kernel."""


class Launched(Struct):
    """What one launch, as often as it is made, finds behind its arguments: objects by argument and offset in it.

    An object stands with the offset in bytes that the argument points to; `held` has copies of what objects held that
    can be reached, by their identity.  `numbers` are arguments that are numbers, `extents` those of the grid and of a
    block (None: not known), `given` all arguments (none where they are not always the same).  `variables` are those on
    the device, by their keys.  `originals` are the objects of which `held` has copies.  `final`: the program does not
    make the launch again.
    """

    arguments: tuple[tuple[tuple[int, int], Pointer], ...]
    numbers: Mapping[tuple[int, int], int]
    extents: tuple[int | None, ...]
    held: Mapping[int, Object]
    symbols: Mapping[str, Object]
    given: tuple[Value, ...] = ()
    shared_bytes: int | None = None
    variables: Mapping[str, Object] = field(default_factory=dict[str, Object])
    originals: tuple[Object, ...] = ()
    final: bool = False


class Device(Protocol):
    """Whoever runs the kernels of a concrete run."""

    def run(self, machine: Machine, kernel: FunctionRef, launched: Launched, work: Work, /) -> bool:
        """Runs a kernel on what it finds; False: what it leaves there is not known."""
        ...


class Machine(Struct):
    """A concrete run; `loops` are those that are active, `seen` what launches have found.

    That is each time that they are made, in `first` the first time.  `functors` are the keys of records that can be
    called.  Where a `device` runs kernels, the `queue` has what is put on it; both stay the same while the program
    runs.  The run has `begun` then, and kernels and translated loops have taken the seconds `besides`.
    `variables` are those of the innermost frame.  `compiled` is the code of expressions and bodies, by their
    identity, with what it was made of.  `texts` are those so far, by what they say.
    """

    functions: Mapping[str, Function]
    records: Records
    globals: Mapping[str, Global]
    functors: Collection[str]
    effects: EffectTable
    mod_sets: ModSets
    compile: Callable[[Machine, Expression], Code]
    prepare_call: Callable[[Machine, FunctionRef, tuple[Type, ...], Type, Span], Callable[[tuple[Value, ...]], Value]]
    initialisation: Callable[[Machine, Expression, Type, Span], Callable[[Pointer], None]]
    frames: list[Frame] = field(default_factory=list[Frame])
    variables: dict[str, Object] = field(default_factory=dict[str, Object])
    statics: dict[str, Object] = field(default_factory=dict[str, Object])
    loops: int = 0
    steps: int = 0
    next_look: int = 0
    begun: float = field(default_factory=perf_counter)
    besides: float = 0.0
    deadline: float = inf
    most_steps: int = STEPS
    most_elements: int = ELEMENTS
    device: Device | None = None
    queue: Queue | None = None
    compiled: dict[int, tuple[Any, Any]] = field(default_factory=dict[int, "tuple[Any, Any]"])
    seen: dict[Place, Launched | None] = field(default_factory=dict["Place", "Launched | None"])
    texts: dict[str, Text] = field(default_factory=dict[str, Text])
    first: dict[Place, Launched] = field(default_factory=dict["Place", Launched])

    def text(self, says: str) -> Text:
        """The text of some words, the same one each time."""
        return self.texts.setdefault(says, Text(says))

    def step(self, count: int = 1) -> None:
        """Counts steps."""
        self.steps += count
        if self.steps >= self.next_look:
            self.look()

    def look(self) -> None:
        """Ends the run where it has taken too many steps, or too long."""
        if self.steps > self.most_steps or perf_counter() > self.deadline:
            raise StoppedError
        self.next_look = self.steps + _LOOKED

    def steps_left(self) -> int:
        """The steps that a loop may take: at the speed up to now, three quarters of the time that is left."""
        now = perf_counter()
        spent = now - self.begun - self.besides
        speed = self.steps / spent if spent > _MEASURED else _USUAL_SPEED
        return min(self.most_steps - self.steps, int(min((self.deadline - now) * _FOR_LOOPS * speed, self.most_steps)))

    def code_of(self, e: Expression) -> Code:
        """The code of an expression, which is made once."""
        known = self.compiled.get(id(e))
        if known is None:
            known = self.compiled[id(e)] = e, self.compile(self, e)
        return known[1]

    def evaluate(self, e: Expression) -> Value:
        """The value of an expression; its effects go into memory."""
        return self.code_of(e)()

    def call(
        self, function: FunctionRef, arguments: tuple[Value, ...], types: tuple[Type, ...], returns: Type, span: Span
    ) -> Value:
        """The value of a call."""
        return self.prepare_call(self, function, types, returns, span)(arguments)

    def enter(self, frame: Frame) -> None:
        """Begins an activation of a function."""
        self.frames.append(frame)
        self.variables = frame.variables

    def leave(self) -> None:
        """Ends the innermost activation: its variables are no longer there."""
        for made in self.frames.pop().variables.values():
            made.moved = True
        self.variables = self.frames[-1].variables

    def object_of(self, variable: Variable) -> Object:
        """The object of a variable."""
        if variable.storage in (Storage.LOCAL, Storage.PARAMETER):
            found = self.variables.get(variable.key)
            if found is None:
                found = self.variables[variable.key] = Object(variable.name)
            return found
        found = self.statics.get(variable.key)
        return self._global(variable) if found is None else found

    def _global(self, variable: Variable) -> Object:
        """The object of a global variable, as it is before the program runs; a host program may not know it."""
        size = width_of(variable.type, self.records)
        made = Object(variable.name, size, on_device=variable.storage in _ON_DEVICE)
        self.statics[variable.key] = made
        item = self.globals.get(variable.key)
        if item is None or item.external:
            return made
        made.zero = item.initial is None
        if item.initial is not None:
            self.initialisation(self, item.initial, variable.type, variable.span)(Pointer(made, 0))
        return made

    def forget_device(self) -> None:
        """A kernel of which it is not known where it writes may have stored anything in the variables of the device."""
        written = [g.variable for g in self.globals.values() if g.variable.storage in _ON_DEVICE and not g.constant]
        forget_reachable(Pointer(self.object_of(variable), 0) for variable in written)

    def forget_globals(self) -> None:
        """Code that is not followed may have stored anything in global variables, and what they lead to."""
        forget_reachable(Pointer(self.object_of(item.variable), 0) for item in self.globals.values())


def is_null(value: Value) -> bool:
    return value is NULL
