"""Knowledge of memory in one run of a kernel: initial values, contents, and which objects are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from hgrd.cuda.atomics import is_atomic_object
from hgrd.host.model import Beginning, BoundMemory
from hgrd.program.expressions import Construct, Expression, FunctionRef, Storage, Variable
from hgrd.program.program import Global
from hgrd.program.types import ArrayType, Type
from hgrd.protocol.inference.block_symmetry import CollectiveAccesses
from hgrd.protocol.inference.constant_memory import held_value
from hgrd.protocol.inference.read_only_memory import value_of_read_only
from hgrd.protocol.inference.single_valued_shared import SingleValued
from hgrd.protocol.inference.stored_pointers import StoredPointers
from hgrd.protocol.inference.value_names import named
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Cell, Composite, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Term, as_int, const


class MemoryKnowledge(Struct):
    """Memory as one run of a kernel knows it, by keys of objects.

    Known from earlier runs: `written`, the objects that some thread writes, and `single_values`, the value that a
    variable in shared memory always holds; `set_once` are those to which a block stores once.  `constants` is
    what the host has put into constant memory, `bound` what textures and surfaces stand for.  `fetched` are the objects
    that textures fetch from at places which are not followed, with the names of the textures.
    Found out in this run: `single_valued`, `stored_pointers`, `collectives`, and what is `kept` in those `set_once`.
    `numbers` numbers the objects that stored pointers lead to.
    """

    globals: Mapping[str, Global]
    written: frozenset[str]
    single_values: Mapping[str, Value]
    set_once: frozenset[str] = frozenset()
    constants: Mapping[str, Composite] = field(default_factory=dict[str, Composite])
    single_valued: SingleValued = field(default_factory=SingleValued)
    kept: dict[str, Value] = field(default_factory=dict[str, Value])
    stored_pointers: StoredPointers = field(default_factory=StoredPointers)
    collectives: CollectiveAccesses = field(default_factory=CollectiveAccesses)
    bound: tuple[BoundMemory, ...] = ()
    fetched: dict[str, str] = field(default_factory=dict[str, str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])

    def initial_value(self, machine: Machine, target: MemoryObject, offset: int) -> Value | None:
        """Initial value of a const global of host code that device code uses; None: unknown, or not such a global."""
        declared = self.globals.get(target.key)
        if declared is None or not declared.constant or declared.initial is None:
            return None
        value = machine.evaluate(State({}, ()), declared.initial)
        if isinstance(value, Composite):
            cell = value.cells.get(offset)
            return None if cell is None else cell.value
        return value if offset == 0 else None

    def constant_value(self, machine: Machine, target: MemoryObject, offset: Term, type_: Type) -> Value | None:
        """Value at an offset of a variable that is declared const, with its contents; None: not such a variable."""
        declared = self.globals.get(target.key)
        if declared is None or not declared.constant or declared.initial is None:
            return None
        held = machine.evaluate(State({}, ()), declared.initial)
        return held_value(machine, held, target, offset, type_) if isinstance(held, Composite) else None

    def always_held(self, target: MemoryObject, type_: Type) -> Value | None:
        """Value that every read of a variable gets, as far as the run has come; None: there is no such value."""
        if type_ != target.element:
            return None
        return self.kept.get(target.key, self.single_values.get(target.key))

    def keep(self, target: MemoryObject, type_: Type, value: Value) -> None:
        """All further reads of a variable that is `set_once` get the value of this one (dynamic memory is many)."""
        if target.key in self.set_once and type_ == target.element and target.size is not None:
            self.kept[target.key] = value

    def bound_to(self, value: Value) -> tuple[Pointer, ...]:
        """The memory that a texture or surface may stand for, by its handle or reference; (): it is not known."""
        handle = value.target.key if isinstance(value, Pointer) else value
        return next((b.memory for b in self.bound if b.handle == handle), ())

    def is_unknown(self, handle: Value) -> bool:
        """Whether a surface may be of memory that is not known, perhaps that of another surface."""
        return any(b.unknown for b in self.bound if b.handle == handle)

    @property
    def has_device_variables(self) -> bool:
        """Whether the program has variables in global memory, which every device function can name."""
        return any(g.variable.storage is Storage.DEVICE and not g.constant for g in self.globals.values())

    def declared_numbers(self, machine: Machine, key: str) -> Iterator[Beginning]:
        """Numbers that a variable is declared with, as known; zero without initializer (C++ [basic.start.static])."""
        declared = self.globals.get(key)
        if declared is None:
            return
        initial = _number_in(declared.initial)
        if isinstance(initial, Construct):
            return
        span = declared.variable.span
        value = const(0) if initial is None else machine.evaluate(State({}, ()), initial)
        size = machine.size(declared.variable.type) or 1
        cells = value.cells if isinstance(value, Composite) else {0: Cell(value, 1 if initial is None else size)}
        for at, cell in cells.items():
            if isinstance(cell.value, Term) and as_int(cell.value).is_const:
                end = None if initial is None else at + cell.size
                yield Beginning(key, as_int(cell.value).value, cell.size, span=span, first=at, end=end)

    def constant_memory(self, machine: Machine, target: MemoryObject, offset: Term, type_: Type) -> Value:
        """Value of `type_` at an offset in constant memory."""
        if target.key not in self.globals and not isinstance(target.element, ArrayType):
            return named(f"<{target.name}>", type_, Origin.UNKNOWN)  # a parameter of a template, of unknown value
        if offset.is_const:
            known = self.initial_value(machine, target, offset.value)
            if known is not None:
                return known
        held = self.constants.get(target.key)
        if held is None:
            return value_of_read_only(machine, target, offset, type_)
        return held_value(machine, held, target, offset, type_)


def _number_in(initial: Expression | None) -> Expression | None:
    """The initial number of a variable, also of an atomic object; None: it has none.  Other objects stay themselves."""
    match initial:
        case Construct(constructor=FunctionRef(qualified=qualified), arguments=arguments) if is_atomic_object(
            qualified
        ):
            return arguments[0] if arguments else None
        case _:
            return initial


def declared_object(machine: Machine, variable: Variable, space: MemorySpace) -> MemoryObject:
    """The object of a variable with static storage."""
    if isinstance(variable.type, ArrayType) and variable.type.count is None and space is MemorySpace.SHARED:
        # All `extern __shared__` arrays of a kernel begin at the same address.
        return MemoryObject("extern __shared__", variable.name, space, variable.type.of, None, variable.span)
    size = machine.size(variable.type)
    bytes_ = const(size) if size else None  # nothing fits into `T a[0]`: its length is unknown
    return MemoryObject(variable.key, variable.name, space, variable.type, bytes_, variable.span)
