"""Visible stores of pointers: what the host code and the kernels of a program put into memory that kernels read.

    record.x = a; record.y = a;
    cudaMemcpy(d, &record, sizeof record, cudaMemcpyHostToDevice);  // *d.x and *d.y are both `a`

Pointers that nothing in the program is seen to store come from code that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.kernel_effects import ModSets
from hgrd.program import expressions as ir
from hgrd.program.layout import scalars
from hgrd.program.program import Function
from hgrd.program.types import PointerType, Record, RecordType
from hgrd.program.walk import nodes
from hgrd.symbolic.memory.members import member_at
from hgrd.symbolic.state import Region
from hgrd.symbolic.values import Composite, MemoryObject, Pointer, Value, pointed_to
from hgrd.terms import Term, add, const

_MOST = 64  # pointers in a record


class VisibleStores(Struct):
    """The names of what is stored in objects, by their keys and the members of records that it is stored in.

    The member "" stands for any.  `kernels` says which kernels store pointers, by key.
    """

    stored: dict[str, dict[str, set[str]]] = field(default_factory=dict[str, dict[str, set[str]]])
    kernels: dict[str, bool] = field(default_factory=dict[str, bool])

    def put(self, records: Mapping[str, Record], target: MemoryObject, offset: Term, value: Value) -> None:
        """A value is stored at an offset of an object."""
        if isinstance(value, Composite):
            for at, cell in value.cells.items():
                self.put(records, target, add(offset, const(at)), cell.value)
            return
        member = member_at(records, target.element, offset)
        self.put_names(target.key, (t.key for t in pointed_to(value)), "" if member is None else member.name)

    def put_names(self, key: str, names: Iterable[str], member: str = "") -> None:
        """What has these names is stored in an object."""
        given = set(names)
        if given:
            self.stored.setdefault(key, {}).setdefault(member, set()).update(given)

    def copied(self, records: Mapping[str, Record], to: Pointer, source: Pointer, region: Region) -> bool:
        """Memory of these contents is copied; whether all pointers in it are known."""
        begin = source.offset.value if source.offset.is_const else 0
        for at, cell in region.cells.items():
            if at >= begin:
                self.put(records, to.target, add(to.offset, const(at - begin)), cell.value)
        type_ = to.target.element if source.target.element is None else source.target.element
        pointers = [] if type_ is None else [a for a, t in scalars(type_, records, _MOST) if isinstance(t, PointerType)]
        return bool(pointers) and all(at in region.cells for at in pointers)

    def copied_members(self, records: Mapping[str, Record], to: MemoryObject, source: MemoryObject) -> bool:
        """Records of unknown places are copied to others of their class; whether they are such."""
        class_ = records.get(to.element.key) if isinstance(to.element, RecordType) else None
        if class_ is None or (isinstance(source.element, RecordType) and source.element != to.element):
            return False
        known = {f.name for f in class_.fields}
        for member, names in self.of(source.key).items():
            self.put_names(to.key, names, member if member in known else "")
        return bool(self.of(source.key))

    def of(self, key: str) -> Mapping[str, set[str]]:
        """The names of what is stored in an object, by members."""
        return self.stored.get(key, {})

    def by_kernel(self, kernel: str, writes: ModSets) -> bool:
        """Whether a kernel, or what it calls, stores pointers in memory that is not its own."""
        if kernel not in self.kernels:
            self.kernels[kernel] = any(_stores(kernel, writes.functions, writes))
        return self.kernels[kernel]


def _stores(kernel: str, functions: Mapping[str, Function], writes: ModSets) -> Iterator[bool]:
    for function in run_by(kernel, functions):
        for node in nodes(function.body):
            if isinstance(node, ir.Assign) and writes.leads(node.value.type):
                yield not _is_own(node.place)


def _is_own(place: ir.Place) -> bool:
    """Whether a place is in a variable of a thread or of a block."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable.storage is not ir.Storage.DEVICE
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return _is_own(base)
        case (
            ir.Deref(pointer=ir.AddressOf(place=base))
            | ir.Deref(pointer=ir.PointerAdd(pointer=ir.AddressOf(place=base)))
        ):
            return _is_own(base)
        case ir.TemporaryPlace():
            return True
        case _:
            return False
