"""Work that a call puts on the device, with the memory that it touches."""

from __future__ import annotations

from collections.abc import Sequence, Set
from enum import Enum, auto

from msgspec.structs import replace

from hgrd.host.concurrency.addresses import ANYWHERE, Address, Place
from hgrd.host.concurrency.rows import Rectangle, bytes_from
from hgrd.host.concurrency.trace import Touch, Work, choices_of, pointers_of, told_of
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.memory.pointer_origins import IN
from hgrd.program.types import PointerType, Type
from hgrd.symbolic.values import Composite, MemoryObject, MemorySpace, Value, may_be_any, pointed_to
from hgrd.terms import Term, const


class Role(Enum):
    """What a library function does with memory that it gets a pointer to."""

    READ = auto()
    WRITTEN = auto()
    UPDATED = auto()
    UNKNOWN = auto()


def add_work(call: LibraryCall, what: str, stream: Value | None, touches: list[Touch], *, waits: bool = False) -> None:
    """Adds work on a stream (None: the default one), `what` it is in words; `waits`: the host waits for it."""
    trace = call.run.trace
    trace.add(
        Work(
            what,
            "",
            call.span,
            trace.address_of(stream),
            trace.device,
            tuple(touches),
            (),
            choices_of(call.state),
            waits=waits,
            captured=trace.capturing,
            graph=trace.graphs if trace.capturing else 0,
            told=told_of(call.state),
            sure=trace.is_sure(call.state) and not call.run.launches.only_traced,
        )
    )


def touches_of(
    call: LibraryCall, value: Value, size: Term | None, *, writes: bool, rectangle: Rectangle | None = None
) -> list[Touch]:
    """The memory behind a pointer, as a copy or fill of so many bytes touches it; `size` None: unknown.

    It is any memory where nothing is known of the pointer.
    """
    if may_be_any(value):
        return held_touches(call, value, Role.WRITTEN if writes else Role.READ)
    found: list[Touch] = []
    rows = () if size is None else (bytes_from(size, stores=writes),)
    for pointer in pointers_of(value):
        call.run.trace.name(pointer)
        at, known = call.run.trace.address_of(pointer), bool(rows)
        found.append(Touch(at, writes, not writes, writes, rows, whole=known, covered=known, rectangle=rectangle))
    return found


def used_later(call: LibraryCall, value: Value, touch: Touch) -> Touch:
    """A touch of memory behind a pointer, which is made while the host goes on if that is page-locked.

    Where the program has such memory, what a pointer that was found somewhere leads to may be a part of it.
    """
    locked, targets = call.run.copies.page_locked, tuple(pointed_to(value))
    if targets and all(t.key in locked for t in targets):
        return replace(touch, locked=True)
    has_some = bool(locked) or call.run.text.host_uses
    if not (targets and has_some and all(_may_be_locked(t, locked) for t in targets)):
        return replace(touch, locked=False)
    return replace(touch, reads=False, stores=False, locked=True)  # it is not sure that it does anything later


def _may_be_locked(target: MemoryObject, locked: Set[str]) -> bool:
    return target.key in locked or (target.external and target.space is MemorySpace.HOST)


def all_of(call: LibraryCall, pointers: Sequence[Value]) -> list[Touch]:
    """All the memory behind pointers, which is written."""
    size = next((t.size for p in pointers for t in pointed_to(p)), None)
    return [t for p in pointers for t in touches_of(call, p, size, writes=True)]


def touches_in_role(call: LibraryCall, value: Value, role: Role) -> list[Touch]:
    """The memory behind a pointer that a library function gets, of which it uses some elements."""
    if may_be_any(value):
        return held_touches(call, value, role)
    found: list[Touch] = []
    for pointer in pointers_of(value):
        call.run.trace.name(pointer)
        found.append(used_later(call, pointer, touch_in_role(call.run.trace.address_of(pointer), role)))
    return found


def held_touches(call: LibraryCall, value: Value, role: Role) -> list[Touch]:
    """The memory behind pointers that are in an object, or were made a number; any memory, if they are not seen."""
    keys = {t.key for t in pointed_to(value)}
    if isinstance(value, Composite) and value.origin is not None:
        keys.add(value.origin)
    made = call.run.trace.once | call.run.trace.again
    held = sorted(call.run.origins.closed(IN + key for key in keys) & made)
    if held:
        locked = call.run.copies.page_locked
        return [replace(touch_in_role(Place(key, const(0)), role), locked=key in locked) for key in held]
    key = f"{ANYWHERE}{call.name}"
    call.run.trace.names[key] = f"memory that {call.name} gets"
    return [touch_in_role(Place(key, const(0)), role)]


def touch_in_role(at: Address, role: Role) -> Touch:
    """The memory at an address, of which a library function uses some elements."""
    writes, reads = role is not Role.READ, role in (Role.READ, Role.UPDATED)
    return Touch(at, writes, reads, writes and role is not Role.UNKNOWN)


def without_reference(type_: Type | None) -> Type | None:
    """The type of what an argument is, also where it is given by reference."""
    return type_.to if isinstance(type_, PointerType) and type_.reference else type_
