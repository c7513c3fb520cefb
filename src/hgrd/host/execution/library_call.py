"""A call of a library function, as the models of these functions see it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.library_names import computes_number, hands_on, keeps_object
from hgrd.host.linking.stream_flags import stream_number
from hgrd.host.memory.unknowns import fresh_name, handed_on, unknown
from hgrd.host.wording import place_name
from hgrd.program import expressions as ir
from hgrd.program.span import Span
from hgrd.program.types import FloatType, IntType, PointerType, Type
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.state import Generation, Region, State
from hgrd.symbolic.values import Choice, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Term, as_int, const


class LibraryCall(Struct, frozen=True):
    """A call of a function that has a model, with the state in which it happens."""

    run: HostRunState
    machine: Machine
    state: State
    call: ir.Call
    arguments: tuple[Value, ...]

    @property
    def name(self) -> str:
        return self.call.function.name

    @property
    def span(self) -> Span:
        return self.call.span

    def argument(self, index: int) -> Value | None:
        """The value of an argument, loaded through a reference; None: there is no such argument."""
        if index >= len(self.arguments):
            return None
        value, type_ = self.arguments[index], self.type_of(index)
        if isinstance(type_, PointerType) and type_.reference:
            return load(self.machine, self.state, value, type_.to, self.span)
        return value

    def stream(self, index: int) -> Value | None:
        """The stream that an argument is, also where it is written as a number; None: there is no such argument."""
        written = self.call.arguments[index] if index < len(self.call.arguments) else None
        number = None if written is None else stream_number(written)
        return self.argument(index) if number is None else number

    def type_of(self, index: int) -> Type | None:
        return self.call.arguments[index].type if index < len(self.call.arguments) else None

    def number(self, index: int) -> Term | None:
        """An argument as an integer; None: it is missing or of another kind."""
        value = self.argument(index)
        return as_int(value) if isinstance(value, Term) else None

    def as_result(self, value: Value) -> Value:
        """The value as result of the call: where that is a reference, the address of a temporary."""
        if not (isinstance(self.call.type, PointerType) and self.call.type.reference):
            return value
        pointer = Pointer(self.machine.temporary(self.name, self.call.type.to, self.span), const(0))
        store(self.machine, self.state, pointer, value, self.call.type.to, self.span)
        return pointer

    def computed(self) -> Value | None:
        """The number that a library function makes of its arguments; None: it is of another kind."""
        if not computes_number(self.call.function) or not isinstance(self.call.type, IntType | FloatType):
            return None
        return self.machine.unknown(self.name, self.call.type, Origin.COMPUTED)

    def unknown(self) -> Value:
        """A result of the call's type and unknown value, named after the variable that receives it."""
        name = self.run.result_names.of(self.machine, self.span) or f"{self.name}()"
        if hands_on(self.call.function) or keeps_object(self.call.function):
            return handed_on(self.machine, self.state, name, self.call.type, self.span)
        return unknown(self.machine, name, self.call.type, self.span)

    def allocate(
        self,
        name: str,
        element: Type | None,
        space: MemorySpace,
        size: Term | None,
        *,
        zeroed: bool = False,
        exact: bool = False,
    ) -> Pointer:
        """A pointer to a new object; its key is not that of a variable, which a pointer to it may be named after."""
        unique = fresh_name(self.machine, name)
        while (known := self.run.linked.globals.get(unique)) and known.variable.storage is ir.Storage.DEVICE:
            unique = fresh_name(self.machine, name)
        target = MemoryObject(unique, unique, space, element, size, self.span, exact=exact)
        again = self.machine.speculative or self.run.launches.enclosing
        (self.run.trace.again if again else self.run.trace.once).add(target.key)
        if space is MemorySpace.HOST:
            self.state.store[target.key] = Region({}, Generation(), zeroed)
        return Pointer(target, const(0))

    def copies_from(self, index: int) -> None:
        """Provenance: the function copies what an argument points to, to where the first one points."""
        by_name = partial(self.run.provenance.names.program_made, self.call.arguments[index])
        self.run.provenance.objects.record_copy(self.arguments[0], self.arguments[index], by_name)

    def replaced_by(self, index: int) -> None:
        """As `copies_from`, and nothing of the former contents is left."""
        by_name = partial(self.run.provenance.names.program_made, self.call.arguments[index])
        self.run.provenance.objects.record_replacement(self.arguments[0], self.arguments[index], by_name)

    def store_at(self, address: Value | None, value: Value, type_: Type) -> None:
        """Stores a value through a pointer, or one of several; does nothing for other values."""
        if isinstance(address, Pointer | Choice):
            store(self.machine, self.state, address, value, type_, self.span)

    def receiver(self, index: int) -> tuple[str, Type | None]:
        """The name and type of the variable that an argument points to."""
        address = self.arguments[index] if index < len(self.arguments) else None
        if isinstance(address, Pointer) and address.offset.is_const:
            return place_name(address.target, address.offset.value, self.machine.records)
        return (address.target.name if isinstance(address, Pointer) else self.name), None


LibraryModel: TypeAlias = Callable[[LibraryCall], Value | None]
"""What a library function does: the result of a call, or None where the arguments are not as expected."""

SIZE = IntType(64, False)
