"""Members of records that may be, or hold, one pointer, as far as what functions of the program store in them shows.

    pair->x = a; pair->y = a + n;      model->memory = fill(&model->tensors);

A function that is followed for any arguments does not take what it finds in two such members for different objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from hgrd.host.linking.link import Linked
from hgrd.host.linking.pointer_sources import PointerSources, Root, leads
from hgrd.host.linking.shared_arguments import quiet_functions
from hgrd.program import expressions as ir
from hgrd.program.layout import size_of
from hgrd.program.program import Function
from hgrd.program.types import ArrayType, Field, Record, RecordType, Type
from hgrd.program.walk import nodes

Bytes: TypeAlias = tuple[int, int]
"""The first byte of a part of a record, and the first one after it."""
Alike: TypeAlias = frozenset[tuple[Bytes, Bytes]]
"""Pairs of parts of a record that may hold pointers to one object."""


class AlikeParts(Struct, frozen=True):
    """The parts, in pairs, of each element, of a size, that may hold pointers to one object."""

    size: int
    pairs: Alike

    def has(self, one: int, other: int) -> bool:
        """Whether the bytes at two offsets are such."""
        a, b = one % self.size, other % self.size
        return any(x <= a < x_end and y <= b < y_end for (x, x_end), (y, y_end) in self.pairs)


def alike_members(linked: Linked) -> Mapping[str, Alike]:
    """The members of records that some function gives pointers which may lead to one object, by the records' keys."""
    quiet = quiet_functions(linked)
    found: dict[str, set[tuple[Bytes, Bytes]]] = {}
    for key in linked.uses:
        for record, one, other in _alike_in(linked.functions[key], quiet, linked.records):
            a, b = _bytes(one, linked.records), _bytes(other, linked.records)
            found.setdefault(record, set()).update(((a, b), (b, a)))
    return {key: frozenset(pairs) for key, pairs in found.items()}


def alike_parts(type_: Type, alike: Mapping[str, Alike], records: Mapping[str, Record]) -> AlikeParts | None:
    """The parts of objects of a type, those in their members, too, that are alike; None: there are none."""
    pairs = frozenset(_within(type_, alike, records))
    return AlikeParts(size_of(type_, records) or 1, pairs) if pairs else None


def _within(type_: Type, alike: Mapping[str, Alike], records: Mapping[str, Record]) -> Iterator[tuple[Bytes, Bytes]]:
    match type_:
        case RecordType(key=key):
            yield from alike.get(key, ())
            record = records.get(key)
            for member in () if record is None else record.fields:
                for one, other in _within(member.type, alike, records):
                    yield _moved(one, member.offset), _moved(other, member.offset)
        case ArrayType(of=of):
            size = size_of(type_, records) or 0
            if next(_within(of, alike, records), None) is not None:
                yield (0, size), (0, size)
        case _:
            pass


def _moved(part: Bytes, by: int) -> Bytes:
    return part[0] + by, part[1] + by


def _bytes(member: Field, records: Mapping[str, Record]) -> Bytes:
    return member.offset, member.offset + (size_of(member.type, records) or 1)


def _alike_in(
    function: Function, quiet: frozenset[str], records: Mapping[str, Record]
) -> Iterator[tuple[str, Field, Field]]:
    sources = PointerSources.of_function(function, quiet)
    given: dict[str, list[tuple[Field, set[Root]]]] = {}
    for node in nodes(function.body):
        match node:
            case ir.Assign(place=ir.FieldPlace(base=base, field=member), value=value):
                if isinstance(record := _type_of(base), RecordType) and leads(value.type):
                    roots = sources.given(value)
                    given.setdefault(record.key, []).append((member, roots))
                    yield from (
                        (record.key, member, other) for other in _held_by(base, roots, sources, records, member)
                    )
            case ir.Aggregate(parts=parts, type=RecordType(key=key)) if key in records:
                at = {member.offset: member for member in records[key].fields}
                values = [(at[offset], sources.given(value)) for offset, value in parts if offset in at]
                given.setdefault(key, []).extend(values)
            case _:
                pass
    for key, members in given.items():
        for n, (one, roots) in enumerate(members):
            for other, more in members[n + 1 :]:
                if one != other and any(a.meets(b) for a in roots for b in more):
                    yield key, one, other


def _held_by(
    base: ir.Place, roots: set[Root], sources: PointerSources, records: Mapping[str, Record], member: Field
) -> Iterator[Field]:
    """The other members of the record at a place that pointers from these sources may be in, or lead to."""
    type_ = _type_of(base)
    record = records.get(type_.key) if isinstance(type_, RecordType) else None
    places = sources.of_place(base, frozenset())
    for other in () if record is None else record.fields:
        if other != member and leads(other.type):
            own = [place.then(other.name) for place in places]
            if any(a.meets(b) for a in roots for b in own):
                yield other


def _type_of(place: ir.Place) -> Type | None:
    match place:
        case ir.VariablePlace(variable=variable):
            return variable.type
        case ir.FieldPlace(field=member):
            return member.type
        case ir.Deref(type=type_):
            return type_
        case _:
            return None
