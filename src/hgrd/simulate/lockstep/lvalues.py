"""Places as closures: their locations, loads and stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hgrd.cuda.memory_model import AccessKind
from hgrd.program import expressions as ir
from hgrd.program.analysis.effects import nodes
from hgrd.program.expressions import Expression, Storage, Variable
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, PointerType, Type
from hgrd.simulate.lockstep.access import SourceAccess, read, write
from hgrd.simulate.lockstep.arithmetic import DType, Value
from hgrd.simulate.lockstep.bit_fields import bit_field, extracted, store_field, unit_of
from hgrd.simulate.lockstep.builder import DYNAMIC, CodeBuilder, InMemory, InSlot, fails, keep, kept
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, Do
from hgrd.simulate.lockstep.memory import At, Scattered, added, decoded
from hgrd.simulate.lockstep.thread_numbers import builtin
from hgrd.simulate.trace import MemoryOrder

Locator: TypeAlias = Callable[[ActiveThreads], "At | Scattered"]
Storer: TypeAlias = Callable[[ActiveThreads, Value], None]
_ZERO = np.int64(0)


def simple(place: ir.Place) -> ir.Place:
    """The place without `*&`: `*&p` is `p`."""
    match place:
        case ir.Deref(pointer=ir.AddressOf(place=inner), type=type_) if _type_of(inner) == type_:
            return simple(inner)
        case _:
            return place


def _type_of(place: ir.Place) -> Type:
    match place:
        case ir.VariablePlace(variable=variable):
            return variable.type
        case ir.FieldPlace(field=member):
            return member.type
        case ir.AfterPlace(place=inner):
            return _type_of(inner)
        case _:
            return place.type


def slot_of(b: CodeBuilder, place: ir.Place) -> InSlot | None:
    """The slot of a plain variable; None for other places."""
    if not isinstance(place, ir.VariablePlace) or place.variable.storage not in (Storage.LOCAL, Storage.PARAMETER):
        return None
    bound = b.bind(place.variable)
    return bound if isinstance(bound, InSlot) else None


# ---------------------------------------------------------------- where


def locate(b: CodeBuilder, place: ir.Place) -> Locator:
    """The location of a place; instructions that it needs are emitted."""
    place = simple(place)
    match place:
        case ir.VariablePlace(variable=variable, span=span):
            return _variable(b, variable, span)
        case ir.Deref(pointer=pointer):
            return target(b, pointer)
        case ir.FieldPlace(base=base, field=member):
            return _moved(locate(b, base), member.offset)
        case ir.TemporaryPlace(value=value, type=type_, span=span):
            return _temporary(b, value, type_, span)
        case ir.AfterPlace(effect=effect, place=inner, span=span):
            return _after(b, effect, inner, span)
        case ir.UnsupportedPlace(reason=reason, span=span):
            return fails(reason, span)


def _variable(b: CodeBuilder, variable: Variable, span: Span) -> Locator:
    key = variable.key
    match variable.storage:
        case Storage.LOCAL | Storage.PARAMETER:
            bound = b.bind(variable)
            if not isinstance(bound, InMemory):
                return fails(f"the address of {variable.name}", span)
            return local_object(bound)
        case Storage.SHARED:
            return _shared(b, variable, span)
        case Storage.BUILTIN:
            return _builtin_object(b, variable, span)
        case _:
            size = b.unit.size(variable.type)
            if size is None:
                return fails(f"the variable {variable.name}, whose size is not known", span)
            b.unit.globals[key] = (variable, size)
            return lambda here: At(here.batch.memory.symbols[key], _ZERO)


def local_object(bound: InMemory) -> Locator:
    number = bound.number
    return lambda here: At(here.frame.objects[number], _ZERO)


def _shared(b: CodeBuilder, variable: Variable, span: Span) -> Locator:
    dynamic = isinstance(variable.type, ArrayType) and variable.type.count is None
    size = None if dynamic else b.unit.size(variable.type)
    if size is None and not dynamic:
        return fails(f"the variable {variable.name}, whose size is not known", span)
    key = DYNAMIC if dynamic else variable.key
    b.unit.shared.setdefault(key, (variable, size))
    return lambda here: At(here.batch.shared[key], _ZERO)


def _builtin_object(b: CodeBuilder, variable: Variable, span: Span) -> Locator:
    """A copy of threadIdx or another built-in variable, for a use of its address."""
    made = b.object(variable.name, 12)
    where = local_object(made)
    names = [f"{variable.name}.{axis}" for axis in "xyz"] if variable.name != "warpSize" else ["warpSize"]
    accesses = [plain_access(b, variable.name, np.dtype(np.uint32), AccessKind.WRITE, span)] * 3

    def run(here: ActiveThreads) -> At | Scattered:
        at = where(here)
        for i, (name, access) in enumerate(zip(names, accesses, strict=False)):
            write(here, at.moved(4 * i), access, builtin(here, name))
        return at

    return run


def _moved(base: Locator, offset: int) -> Locator:
    return (lambda here: base(here).moved(offset)) if offset else base


def _temporary(b: CodeBuilder, value: Expression, type_: Type, span: Span) -> Locator:
    size, dtype = b.unit.size(type_), b.unit.dtype(type_)
    if size is None or dtype is None:
        return fails("a temporary of unknown size", span)
    made = b.lower(value)
    where = local_object(b.object("temporary", size))
    access = plain_access(b, "temporary", dtype, AccessKind.WRITE, span)

    def run(here: ActiveThreads) -> At | Scattered:
        at = where(here)
        write(here, at, access, made(here))
        return at

    return run


def _after(b: CodeBuilder, effect: Expression, inner: ir.Place, span: Span) -> Locator:
    stored = effect.place if isinstance(effect, ir.Assign | ir.Update) else None
    if stored == inner and not _repeatable(inner):
        return fails("an assignment to a place with effects, used as a place", span)
    made = b.lower(effect)
    if b.controls(inner):
        b.emit(Do(made, span, 0))
        return locate(b, inner)
    where = locate(b, inner)

    def run(here: ActiveThreads) -> At | Scattered:
        made(here)
        return where(here)

    return run


def _repeatable(place: ir.Place) -> bool:
    """Whether evaluating the place again does nothing more."""
    match place:
        case ir.VariablePlace():
            return True
        case ir.FieldPlace(base=base):
            return _repeatable(base)
        case ir.Deref(pointer=pointer):
            return _no_effects(pointer)
        case _:
            return False


def _no_effects(e: object) -> bool:
    effects = (ir.Assign, ir.Update, ir.Call, ir.IndirectCall, ir.Construct)
    return not any(isinstance(n, effects) for n in nodes(e))


def target(b: CodeBuilder, pointer: Expression) -> Locator:
    """The location that a pointer points to."""
    match pointer:
        case ir.AddressOf(place=place) if slot_of(b, simple(place)) is None:
            return locate(b, place)
        case ir.PointerAdd(pointer=base, index=index, stride=stride, span=span):
            if stride == 0:
                return fails("pointer arithmetic on a type of unknown size", span)
            start = target(b, base)
            if b.controls(index):
                start = _kept_pointer(b, start, span)
            steps = b.lower(index)
            return lambda here: added(start(here), steps(here), stride)
        case ir.Convert(operand=operand) if isinstance(operand.type, PointerType):
            return target(b, operand)
        case _:
            value = b.lower(pointer)
            return lambda here: decoded(value(here))


def _kept_pointer(b: CodeBuilder, where: Locator, span: Span) -> Locator:
    number = b.slot(np.dtype(np.int64))
    b.emit(Do(keep(number, lambda here: where(here).address()), span, 0))
    load = kept(number)
    return lambda here: decoded(load(here))


# ---------------------------------------------------------------- what


def plain_access(b: CodeBuilder, place: ir.Place | str, dtype: DType, kind: AccessKind, span: Span) -> SourceAccess:
    return b.unit.access(place, dtype, kind, span, MemoryOrder.PLAIN)


def load(b: CodeBuilder, place: ir.Place, type_: Type, span: Span, volatile: bool) -> Closure:
    """The value at a place."""
    place = simple(place)
    name = _builtin_name(place)
    if name is not None:
        return lambda here: builtin(here, name)
    slot = slot_of(b, place)
    if slot is not None:
        return kept(slot.number)
    if isinstance(place, ir.AfterPlace):
        if isinstance(place.effect, ir.Assign | ir.Update) and place.effect.place == place.place:
            if not (isinstance(place.effect, ir.Update) and place.effect.postfix):
                return b.lower(place.effect)
        elif slot_of(b, simple(place.place)) is not None:
            b.spill(b.lower(place.effect), place.effect.type, span)
            return load(b, place.place, type_, span, volatile)
    field = bit_field(place)
    dtype = b.unit.dtype(type_) if field is None else unit_of(field)
    if dtype is None:
        return fails("a read of a type of unknown size", span)
    where = locate(b, place)
    order = MemoryOrder.VOLATILE if volatile else MemoryOrder.PLAIN
    access = b.unit.access(place, dtype, AccessKind.READ, span, order)
    if field is not None:
        return lambda here: extracted(read(here, where(here), access), field)
    return lambda here: read(here, where(here), access)


def _builtin_name(place: ir.Place) -> str | None:
    match place:
        case ir.VariablePlace(variable=Variable(storage=Storage.BUILTIN, name="warpSize")):
            return "warpSize"
        case ir.FieldPlace(base=ir.VariablePlace(variable=Variable(storage=Storage.BUILTIN, name=name)), field=member):
            return f"{name}.{'xyz'[member.offset // 4]}"
        case _:
            return None


def storer(b: CodeBuilder, place: ir.Place, type_: Type, order: MemoryOrder = MemoryOrder.PLAIN) -> Storer:
    """Stores a value of `type_` at a place."""
    place = simple(place)
    slot = slot_of(b, place)
    if slot is not None:
        number = slot.number
        return lambda here, value: here.frame.slots[number].store(here.lanes, value)
    field = bit_field(place)
    dtype = b.unit.dtype(type_) if field is None else unit_of(field)
    if dtype is None:
        failing = fails("a write of a type of unknown size", place.span)
        return lambda here, _: failing(here)
    where = locate(b, place)
    access = b.unit.access(place, dtype, AccessKind.WRITE, place.span, order)
    if field is not None:
        return lambda here, value: store_field(here, where(here), access, value, field)
    return lambda here, value: write(here, where(here), access, value)
