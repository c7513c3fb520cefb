"""Stored pointers of a kernel: a thread that reads one from memory gets to the same object by another name.

    __shared__ float *row;
    if (threadIdx.x == 0) row = n > 1 ? a : b;
    __syncthreads();
    row[threadIdx.x] = a[0];  // what `row` points to may be `a`

That two objects do not overlap is assumed of what the kernel is given, not of pointers that it stores itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

from msgspec import Struct, field

from hgrd.host.model import PossibleOverlap
from hgrd.program.span import Span
from hgrd.program.types import PointerType, Type
from hgrd.protocol.inference.read_only_memory import found_by_key, found_in
from hgrd.protocol.model import Access, Gap
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.values import Choice, MemoryObject, OpaqueValue, Value, pointed_to

_ANYTHING: Final = ""  # the key for the target of an unknown pointer


class StoredPointers(Struct):
    """Stored pointers; `held`: by the key of what is found in an object, the keys and names of the stored targets."""

    held: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    own: set[str] = field(default_factory=set[str])  # objects of one thread: accesses to these are not recorded
    places: dict[str, tuple[MemoryObject, Span]] = field(default_factory=dict[str, tuple[MemoryObject, Span]])

    def stored(self, holder: MemoryObject, type_: Type, value: Value, span: Span) -> None:
        targets = {t.key: t.name for t in pointed_to(value)}
        if isinstance(type_, PointerType) and _is_unknown(value):
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


def overlap_gaps(overlaps: Iterable[PossibleOverlap], accesses: Iterable[Access], span: Span) -> Iterator[Gap]:
    """Gaps where two objects are used that may be one, at least one of them to write."""
    used = [(a.target.key, a.changes) for a in accesses]
    keys, changed = {key for key, _ in used}, {key for key, changes in used if changes}
    for overlap in overlaps:
        inside = found_by_key(overlap.first)
        first = {key for key in keys if key.startswith(inside)} if overlap.inside else {overlap.first} & keys
        if first and overlap.second in keys and (overlap.second in changed or first & changed):
            yield Gap(f"{overlap.text}: they may be the same memory", (), span, False)


def _is_unknown(value: Value) -> bool:
    match value:
        case OpaqueValue():
            return True
        case Choice(then=a, otherwise=b):
            return _is_unknown(a) or _is_unknown(b)
        case _:
            return False
