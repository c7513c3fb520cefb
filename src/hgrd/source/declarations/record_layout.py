"""Layout of records after the Itanium C++ ABI, section 2.4, without virtual bases."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hgrd.program.layout import align_of, size_of, slot_of
from hgrd.program.types import POINTER_SIZE, Field, OpaqueType, Record, RecordType, Type
from hgrd.source.clang.ast import Node, inner
from hgrd.source.declarations.cuda_types import PRELUDE_RECORDS
from hgrd.source.declarations.table import Declarations, RecordDeclaration


class _Progress(Struct):
    """The position of the next member; `bits` are the used bits of an open bit-field unit at `unit`."""

    size: int = 0
    align: int = 1
    end_bits: int = 0
    complete: bool = True


class Layouts:
    """Layouts of records, computed at their first use."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._records: dict[str, Record] = dict(PRELUDE_RECORDS)
        self._data_sizes: dict[str, int] = {}
        self._field_index: dict[str, tuple[Field, ...]] = {}
        self._open: set[str] = set()
        self._opaque: dict[tuple[str, str], int] = {}

    @property
    def records(self) -> Mapping[str, Record]:
        return self._records

    def record(self, key: str) -> Record | None:
        """The layout of a record; None if it has no definition here (or is being laid out)."""
        found = self._records.get(key)
        if found is None and key not in self._open and key in self._declarations.records:
            self._open.add(key)
            found = self._records[key] = self._lay_out(self._declarations.records[key])
            self._open.discard(key)
        return found

    def size(self, type_: Type) -> int | None:
        self._need(type_)
        return size_of(type_, self._records)

    def align(self, type_: Type) -> int:
        self._need(type_)
        return align_of(type_, self._records)

    def member(self, member_id: str) -> Field | None:
        """The field that clang names by id."""
        place = self._declarations.members.get(member_id)
        if place is None or self.record(place[0]) is None:
            return None
        fields = self._field_index.get(place[0], ())
        return fields[place[1]] if place[1] < len(fields) else None

    def member_named(self, owner: Type, name: str, type_: Type) -> Field:
        """The field of that name; in a record of unknown layout, one at an offset of its own."""
        if isinstance(owner, RecordType):
            record = self.record(owner.key)
            for field in record.fields if record is not None else ():
                if field.name == name and name:
                    return field
        return Field(name, type_, self.opaque_offset(_label(owner), name))

    def opaque_offset(self, owner: str, name: str) -> int:
        """Distinct members of a type of unknown layout get distinct, arbitrary offsets."""
        return self._opaque.setdefault((owner, name), 4096 * (1 + sum(o == owner for o, _ in self._opaque)))

    def base(self, derived: Type, name: str) -> Field | None:
        """The base class with the printed name `name`."""
        record = self.record(derived.key) if isinstance(derived, RecordType) else None
        if record is None or not isinstance(derived, RecordType):
            return None
        bases = [f for f in record.fields if f.name == "" and isinstance(f.type, RecordType)]
        declaration = self._declarations.records.get(derived.key)
        scope = declaration.scope if declaration is not None else ()
        wanted = self._declarations.parse(name, scope).type
        exact = [field for field in bases if field.type == wanted]
        return exact[0] if exact else (bases[0] if len(bases) == 1 else None)

    def _need(self, type_: Type) -> None:
        while not isinstance(type_, RecordType):
            nested = getattr(type_, "of", None)
            if nested is None:
                return
            type_ = nested
        self.record(type_.key)

    # ------------------------------------------------------------ laying out

    def _lay_out(self, declaration: RecordDeclaration) -> Record:
        node = declaration.node
        union = node.get("tagUsed") == "union"
        packed = any(child["kind"] == "PackedAttr" for child in inner(node))
        at = _Progress()
        fields: list[Field] = []
        self._bases(node, declaration, at, fields)
        members: list[Field] = []
        for child in inner(node):
            if child["kind"] != "FieldDecl":
                continue
            if union:
                at.size, largest = 0, at.size
                members.append(self._member(child, declaration, at, packed))
                at.size = max(at.size, largest)
            else:
                members.append(self._member(child, declaration, at, packed))
        at.align = max(at.align, _aligned(node))
        size = -(-max(at.size, 1) // at.align) * at.align
        self._field_index[declaration.key] = tuple(members)
        plain = node.get("definitionData", {}).get("isPOD", False)
        self._data_sizes[declaration.key] = size if plain else at.size
        return Record(declaration.key, declaration.name, size, at.align, (*fields, *members), union, at.complete)

    def _bases(self, node: Node, declaration: RecordDeclaration, at: _Progress, fields: list[Field]) -> None:
        bases: list[Type] = []
        for base in node.get("bases", ()):
            type_ = base["type"]
            text = type_.get("desugaredQualType") or type_["qualType"]
            bases.append(self._declarations.parse(text, declaration.scope).type)
            at.complete = at.complete and not base.get("isVirtual")
        polymorphic = node.get("definitionData", {}).get("isPolymorphic", False)
        if polymorphic and not any(self._is_polymorphic(base) for base in bases):
            at.size, at.align = POINTER_SIZE, POINTER_SIZE
        for base in bases:
            size = self.size(base)
            if size is None or not isinstance(base, RecordType):
                at.complete = False
                fields.append(Field("", base, at.size))
                continue
            align = self.align(base)
            data = self._data_sizes.get(base.key, size)
            offset = 0 if data == 0 else -(-at.size // align) * align
            fields.append(Field("", base, offset))
            at.size = max(at.size, offset + data)
            at.align = max(at.align, align)

    def _is_polymorphic(self, type_: Type) -> bool:
        declared = self._declarations.records.get(type_.key) if isinstance(type_, RecordType) else None
        return declared is not None and declared.node.get("definitionData", {}).get("isPolymorphic", False)

    def _member(self, node: Node, declaration: RecordDeclaration, at: _Progress, packed: bool) -> Field:
        type_ = self._declarations.type_of(node, declaration.scope).type
        size = self.size(type_)
        if size is None:
            at.complete = at.complete and not node.get("isBitfield") and _is_flexible(type_)
            size = slot_of(type_, self._records)
        align = 1 if packed else self.align(type_)
        align = max(align, _aligned(node))
        name = node.get("name", "")
        if node.get("isBitfield"):
            return self._bit_field(node, type_, size, align, at)
        offset = -(-at.size // align) * align
        at.size = offset + size
        at.align = max(at.align, align)
        return Field(name, type_, offset)

    def _bit_field(self, node: Node, type_: Type, size: int, align: int, at: _Progress) -> Field:
        bits = next((int(c["value"]) for c in inner(node) if c["kind"] == "ConstantExpr" and "value" in c), size * 8)
        # `end_bits` is where the last bit-field ended, if nothing came after it.
        start = at.end_bits if -(-at.end_bits // 8) == at.size else at.size * 8
        unit = size * 8 or 8
        if bits == 0:
            start = -(-start // unit) * unit
        elif start // unit != (start + bits - 1) // unit:
            start = -(-start // (align * 8)) * align * 8
        at.end_bits = start + bits
        at.size = -(-at.end_bits // 8)
        at.align = max(at.align, align)
        first = start // unit * unit if (start // unit + 1) * unit >= at.end_bits else start // 8 * 8
        return Field(node.get("name", ""), type_, first // 8, bits, start - first)


def _is_flexible(type_: Type) -> bool:
    return getattr(type_, "count", 0) is None


def _label(type_: Type) -> str:
    match type_:
        case RecordType(key=key):
            return key
        case OpaqueType(name=name):
            return name
        case _:
            return "?"


def _aligned(node: Node) -> int:
    """The strictest `alignas` or `__align__` of a declaration."""
    found = [1]
    for child in inner(node):
        if child["kind"] == "AlignedAttr":
            found += [int(c["value"]) for c in inner(child) if str(c.get("value", "")).isdigit()]
    return max(found)
