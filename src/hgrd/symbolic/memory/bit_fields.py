"""Bit-fields: parts of an integer in memory, which is read and written as a whole.

Adjacent bit-fields are one memory location: a store to one writes the bits of the others, too (C++ [intro.memory]).
"""

from __future__ import annotations

from hgrd.program.expressions import AfterPlace, FieldPlace, Place
from hgrd.program.layout import unit_type
from hgrd.program.span import Span
from hgrd.program.types import BoolType, Field, IntType
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, load, store
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Pointer, Value
from hgrd.terms import Origin, Term, add, as_int, const, div, mod, mul, ne, wrap
from hgrd.terms.linear import from_linear, linear


def bit_field(place: Place) -> Field | None:
    """The bit-field that an lvalue denotes; None if it is not one."""
    while isinstance(place, AfterPlace):
        place = place.place
    return place.field if isinstance(place, FieldPlace) and place.field.bits is not None else None


def load_bits(machine: Machine, state: State, address: Value, field: Field, span: Span, volatile: bool) -> Value:
    """The value of a bit-field that is part of the integer at an address."""
    unit = unit_type(field)
    whole = load(machine, state, address, unit, span, volatile)
    if not isinstance(whole, Term):
        return machine.unknown(field.name, field.type, Origin.UNKNOWN)
    first, end = _extent(field)
    return as_field(_bits(_as_unit(whole, unit), first, end), field)


def store_bits(
    machine: Machine, state: State, address: Value, value: Value, field: Field, span: Span, volatile: bool
) -> None:
    """Stores the integer with the bits of one field changed; in memory that threads share, its new value is unknown."""
    unit = unit_type(field)
    new: Value = machine.unknown(field.name, unit, Origin.UNKNOWN)
    if isinstance(address, Pointer) and address.target.space not in SHARED_SPACES and isinstance(value, Term):
        old = load(machine, state, address, unit, span, volatile)
        if isinstance(old, Term):
            new = _with_bits(_as_unit(old, unit), as_int(value), field, unit.bits)
    store(machine, state, address, new, unit, span, volatile)


def as_field(value: Term, field: Field) -> Term:
    """A number cut to the bits of a field."""
    first, end = _extent(field)
    if isinstance(field.type, BoolType):
        return ne(as_int(value), const(0))
    signed = isinstance(field.type, IntType) and field.type.signed
    return wrap(as_int(value), end - first, signed, soft=False)


def _extent(field: Field) -> tuple[int, int]:
    """The first of the integer's bits that the field has, and the one after its last."""
    return field.shift, field.shift + (field.bits or 1)


def _as_unit(whole: Term, unit: IntType) -> Term:
    return wrap(as_int(whole), unit.bits, False, soft=False)


def _with_bits(whole: Term, value: Term, field: Field, width: int) -> Term:
    first, end = _extent(field)
    number = as_int(as_field(value, field)) if isinstance(field.type, BoolType) else value
    return add(
        _bits(whole, 0, first),
        mul(_bits(wrap(number, end - first, False, soft=False), 0, end - first), const(1 << first)),
        mul(_bits(whole, end, width), const(1 << end)),
    )


def _bits(whole: Term, first: int, end: int) -> Term:
    """The number that the bits from `first` to before `end` of a number that is not negative make."""
    unit, most = 1 << first, 1 << max(end - first, 0)
    constant, atoms = linear(whole)
    below = from_linear((constant % unit, {t: c for t, c in atoms.items() if c % unit}))
    shifted = {t: c // unit for t, c in atoms.items() if c % unit == 0}
    above = from_linear((constant // unit % most, {t: c for t, c in shifted.items() if c % most}))
    if below.low >= 0 and below.high < unit and above.low >= 0 and above.high < most:
        return above
    return mod(div(whole, const(unit)), const(most))
