"""Stored pointers of a kernel: a thread that reads one from memory gets to the same object by another name.

    __shared__ float *row;
    if (threadIdx.x == 0) row = n > 1 ? a : b;
    __syncthreads();
    row[threadIdx.x] = a[0];  // what `row` points to may be `a`

That two objects do not overlap is assumed of what the kernel is given, not of pointers that it stores itself.  Nor is
it assumed of pointers that the rest of the program is seen to store, unless they lead to different objects:

    __device__ float buffer[N], *row = buffer;
    row[threadIdx.x] = buffer[threadIdx.x + 1];
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Final

from msgspec import Struct, field

from hgrd.host.model import HeldPointers
from hgrd.program.expressions import Aggregate, Expression, Storage, VariablePlace
from hgrd.program.linked import Tables
from hgrd.program.program import Global
from hgrd.program.span import Span
from hgrd.program.types import PointerType, Type
from hgrd.program.walk import nodes
from hgrd.protocol.inference.read_only_memory import found_by_key, found_in
from hgrd.protocol.model import Access, Gap
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.memory.members import member_at
from hgrd.symbolic.values import MemoryObject, Value, may_be_any, pointed_to
from hgrd.terms import const

_ANYTHING: Final = ""  # the key for the target of an unknown pointer
_ANY_OBJECT: Final = "?"  # what the host says of a pointer that may lead anywhere
_FOUND: Final = found_by_key("")
ANYTHING_FOUND: Final = "anything found"  # the key for what a texture fetches from of which it is not known which it is


class StoredPointers(Struct):
    """Stored pointers; `held`: by the key of what is found in an object, the keys and names of the stored targets."""

    held: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    own: set[str] = field(default_factory=set[str])  # objects of one thread: accesses to these are not recorded
    places: dict[str, tuple[MemoryObject, Span]] = field(default_factory=dict[str, tuple[MemoryObject, Span]])

    def stored(self, holder: MemoryObject, type_: Type, value: Value, span: Span) -> None:
        targets = {t.key: t.name for t in pointed_to(value)}
        if isinstance(type_, PointerType) and may_be_any(value):
            targets[_ANYTHING] = "an unknown place"
        found = found_in(holder)
        targets.pop(found, None)
        if targets:
            self.held.setdefault(found, {}).update(targets)
            self.places.setdefault(found, (holder, span))
            self.own |= {t.key for t in pointed_to(value) if t.space not in SHARED_SPACES}

    def gaps(self, accesses: Iterable[Access]) -> Iterator[Gap]:
        """Gaps where two names of what may be one object are used, at least one of them to write."""
        used = [(a.target.key, a.changes) for a in accesses]
        read, changed = {key for key, _ in used}, {key for key, changes in used if changes}
        for found, names in self._names().items():
            holder, span = self.places[found]
            others = (read - {found, holder.key}) if _ANYTHING in names else (names.keys() & read)
            local = names.keys() & self.own
            if found in read and (local or (others & changed) or (others and found in changed)):
                what = ", ".join(dict.fromkeys(self.held[found].values()))
                yield Gap(f"pointers to {what} that are stored in {holder.name} and found there", (), span, False)

    def _names(self) -> dict[str, dict[str, None]]:
        """Possible targets by the key of what is found in an object; what is found in other objects is among them."""
        known = {found: dict.fromkeys(targets) for found, targets in self.held.items()}
        for one, other in combinations(known, 2):
            if _ANYTHING in self.held[one] or _ANYTHING in self.held[other] or self.held[one].keys() & self.held[other]:
                known[one][other] = known[other][one] = None
        return known


def fetch_gaps(fetched: Mapping[str, str], accesses: Iterable[Access], span: Span) -> Iterator[Gap]:
    """Gaps where a texture fetches, at a place that is not followed, from an object that the kernel writes."""
    used = [a.target for a in accesses if a.changes]
    changed = {t.key: t.name for t in used}
    found = {t.key: t.name for t in used if t.external}
    for key, texture in fetched.items():
        for name in found.values() if key == ANYTHING_FOUND else ():
            yield Gap(f"{texture} may fetch from {name}, which the kernel writes", (), span, False)
        if key in changed:
            yield Gap(f"{texture} fetches from {changed[key]}, which the kernel writes", (), span, False)


def held_gaps(held: Iterable[HeldPointers], tables: Tables, accesses: Iterable[Access], span: Span) -> Iterator[Gap]:
    """Gaps where two objects are used that may be one by what the program stores, at least one of them to write."""
    known = (*held, *(one for item in tables.globals.values() for one in _declared(item, tables)))
    used = [(a.target, a.changes) for a in accesses]
    names = {target.key: target.name for target, _ in used}
    changed = {target.key for target, changes in used if changes}
    leads = {key: _leads(key, known) for key in names}
    for one, other in combinations(leads, 2):
        found = [key for key in (one, other) if key.startswith(_FOUND)]
        given = [key for key in (one, other) if key not in found and key not in tables.globals]
        if given and found[:1] == [f"{_FOUND}{given[0]}"]:
            continue
        meet = leads[one] & leads[other] if given else _may_meet(leads[one], leads[other])
        if found and meet and changed & {one, other}:
            yield Gap(f"{names[one]} and {names[other]}: they may be the same memory", (), span, False)


def _may_meet(one: set[str], other: set[str]) -> bool:
    return not one.isdisjoint(other) or (bool(one and other) and _ANY_OBJECT in one | other)


def _leads(key: str, known: Iterable[HeldPointers]) -> set[str]:
    """The names of what an object may be, by what the program stores; none: nothing is known of it."""
    depth = 0
    while key.startswith(_FOUND):
        key, depth = key.removeprefix(_FOUND), depth + 1
    if not depth:
        return {key}
    roots = {h.holder for h in known if key == h.holder or key.startswith(f"{h.holder}.")}
    return {name for root in roots for name in _behind(root, key.removeprefix(root).removeprefix("."), depth, known)}


def _behind(root: str, member: str, depth: int, known: Iterable[HeldPointers]) -> set[str]:
    here = {root}
    for level in range(depth, 0, -1):
        wanted = member if level == 1 else ""
        steps = (h for h in known if h.holder in here and (not wanted or h.member in ("", wanted)))
        here = {name for h in steps for name in h.targets}
    return here


def _declared(item: Global, tables: Tables) -> Iterator[HeldPointers]:
    """What a variable of the device holds by its declaration."""
    if item.variable.storage is not Storage.DEVICE or item.initial is None:
        return
    parts = item.initial.parts if isinstance(item.initial, Aggregate) else ((0, item.initial),)
    for offset, value in parts:
        member = member_at(tables.records, item.variable.type, const(offset))
        named = frozenset(_named(value))
        if named:
            yield HeldPointers(item.variable.key, "" if member is None else member.name, named)


def _named(value: Expression) -> Iterator[str]:
    """The keys of the variables of the device that an expression names."""
    for node in nodes(value):
        if isinstance(node, VariablePlace) and node.variable.storage is Storage.DEVICE:
            yield node.variable.key
