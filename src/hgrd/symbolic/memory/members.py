"""Members of records at places in memory."""

from __future__ import annotations

from collections.abc import Mapping

from hgrd.program.layout import size_of
from hgrd.program.types import ArrayType, Field, Record, RecordType, Type
from hgrd.terms import Term
from hgrd.terms.linear import linear


def member_at(records: Mapping[str, Record], element: Type | None, offset: Term) -> Field | None:
    """The member that begins at an offset in bytes of an object, a record or an array of them; None: it has none."""
    while isinstance(element, ArrayType):
        element = element.of
    size = size_of(element, records) if isinstance(element, RecordType) else None
    if not isinstance(element, RecordType) or not size:
        return None
    constant, atoms = linear(offset)
    if any(c % size for c in atoms.values()):
        return None
    known = records.get(element.key)
    return next((f for f in (() if known is None else known.fields) if f.offset == constant % size), None)
