"""Beginnings: what objects of the device hold when a kernel begins, as far as one number or one kernel says it.

Flags and counters are set to a number by the host, changed by a kernel, and perhaps not set back before the next one.
Objects are followed in the order in which the host code runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from hgrd.host.model import Beginning
from hgrd.program.span import Span
from hgrd.program.types import IntType
from hgrd.symbolic.state import EMPTY, Condition, Region, State
from hgrd.symbolic.values import MemoryObject, Pointer, Value, pointed_to
from hgrd.terms import Term, const, negate

_MOST: Final = 8  # launches of an object that are told apart by the paths on which they are made
_BYTE: Final = 255
_SIZES: Final = (1, 2, 4, 8)  # of integers, in bytes


class Since(Struct, frozen=True):
    """A beginning, and the conditions of the path on which it came about."""

    beginning: Beginning
    path: frozenset[Term]


class ObjectBeginnings(Struct):
    """Beginnings so far, by the keys of objects."""

    known: dict[str, tuple[Since, ...]] = field(default_factory=dict[str, tuple[Since, ...]])

    def record_fill(self, to: Value, value: Value | None, size: Term | None, span: Span) -> None:
        """`size` bytes were set to a value, one by one."""
        byte = value.value & _BYTE if isinstance(value, Term) and value.is_const else None
        self._record(to, byte, 1, size, span)

    def record_copy(self, state: State, to: Value, source: Value | None, size: Term | None, span: Span) -> None:
        """`size` bytes were copied: the number that a variable of the host holds, or anything."""
        bytes_ = size.value if size is not None and size.is_const else 0
        number = None
        if isinstance(source, Pointer) and source.offset.is_const and bytes_ in _SIZES:
            number = _number(state.store.get(source.target.key, EMPTY), source.offset.value, bytes_)
        self._record(to, number, bytes_, size, span)

    def record_filling(self, to: Pointer, value: Value, size: int, span: Span, *, one: bool) -> None:
        """A kernel stored a number of some bytes in all elements of an object, or in `one`; its argument is `to`."""
        whole = const(size) if one else to.target.size
        if isinstance(value, Term) and value.is_const:
            self._record(to, value.value, size, whole, span)

    def record_store(self, address: Value, value: Value, span: Span) -> None:
        """A statement of the host stored a value."""
        for target in pointed_to(address):
            number = value.value if isinstance(value, Term) and value.is_const else None
            width = target.size.value if target.size is not None and target.size.is_const else 0
            alone = isinstance(target.element, IntType) and width in _SIZES
            self._record(address, number if alone else None, width, target.size, span)

    def record_anything(self, targets: Iterable[MemoryObject]) -> None:
        """Objects were changed by the host, it is unknown how."""
        for target in targets:
            self.known.pop(target.key, None)

    def _record(self, to: Value, number: int | None, width: int, size: Term | None, span: Span) -> None:
        for target in pointed_to(to):
            whole = isinstance(to, Pointer) and to.offset is const(0) and size is not None and target.size is size
            if number is None or not whole:
                self.known.pop(target.key, None)
            else:
                self.known[target.key] = (Since(Beginning(target, number, width, "", span), frozenset()),)

    def record_launch(
        self, targets: Iterable[MemoryObject], kernel: str, path: Sequence[Condition], span: Span
    ) -> None:
        """A kernel that may change objects was launched; what another one has left there, it may have set back."""
        here = frozenset(c.term for c in path)
        for target in dict.fromkeys(targets):
            before = (s for s in self.known.get(target.key, ()) if s.beginning.kernel == kernel)
            others = tuple(s for s in before if s.path != here)
            one = Since(Beginning(target, None, 0, kernel, span), here if len(others) < _MOST else frozenset())
            self.known[target.key] = (*others[:_MOST], one)

    def at(self, keys: Iterable[str], path: Sequence[Condition]) -> Iterator[Beginning]:
        """What objects may hold on a path: what has come about on another path is none of it."""
        excluded = {negate(c.term) for c in path}
        for key in dict.fromkeys(keys):
            for since in self.known.get(key, ()):
                if excluded.isdisjoint(since.path):
                    yield since.beginning


def _number(region: Region, offset: int, size: int) -> int | None:
    """The number in `size` bytes of a variable; None: it is unknown."""
    cell = region.cells.get(offset)
    if cell is not None:
        return cell.value.value if cell.size == size and isinstance(cell.value, Term) and cell.value.is_const else None
    overlapped = any(at < offset + size and offset < at + cell.size for at, cell in region.cells.items())
    return 0 if region.zeroed and not overlapped else None
