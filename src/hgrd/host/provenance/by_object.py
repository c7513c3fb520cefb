"""Who makes what arrays hold: the program's input, or the program itself.

What is read from a file, drawn at random or left by code that is not seen may be anything.  What the program's own
statements compute, or one of its kernels stores, takes some values only: which ones is not known unless a fill says
so.  Followed object by object, in the order in which the host code runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct, field

from hgrd.host.memory.array_contents import ELEMENTS, SHARED_ELEMENTS
from hgrd.host.model import Making
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, RecordType
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import OPAQUE, Composite, FloatValue, MemoryObject, Pointer, Value, pointed_to, terms_in
from hgrd.terms import Op, Origin, Term, const, mul, symbols_of
from hgrd.terms.rewrite import arrays_of, unwrapped

_COMPUTING: Final = frozenset(
    (
        "sort", "stable_sort", "partial_sort", "nth_element", "qsort", "sort_by_key", "stable_sort_by_key",
        "partial_sum", "inclusive_scan", "exclusive_scan", "inclusive_scan_by_key", "exclusive_scan_by_key",
        "unique", "unique_by_key", "reverse", "rotate", "merge", "set_union", "set_intersection", "set_difference",
        "sequence", "iota", "shuffle", "random_shuffle", "adjacent_difference", "reduce_by_key", "lower_bound",
        "upper_bound", "partition", "stable_partition", "push_heap", "pop_heap", "make_heap", "sort_heap",
    )
)  # fmt: skip

_SIZES: Final = (1, 2, 4, 8)  # of integers, in bytes


def computes(name: str) -> bool:
    """Whether a function of a library makes its results of what it is given: a sort, a scan, …"""
    return name in _COMPUTING


class Makers(Struct):
    """By their keys: objects that hold `given` contents, and who `made` those of others.

    `outside` are the names of numbers that functions without a body have returned.  `unseen` are objects that hold what
    came in from outside of where the run began: if nobody else is seen to write it, it is as if given.  `cleared` ones
    do not, whatever is behind them.
    """

    given: set[str] = field(default_factory=set[str])
    unseen: set[str] = field(default_factory=set[str])
    cleared: set[str] = field(default_factory=set[str])
    made: dict[str, Making] = field(default_factory=dict[str, Making])
    filled: set[str] = field(default_factory=set[str])
    outside: set[str] = field(default_factory=set[str])

    def returned(self, machine: Machine, mark: int, value: Value) -> None:
        """A function without a body has returned a value; `mark`: the index of names from before the call."""
        self.outside |= {name for name in _numbers(terms_in(value)) if machine.names.index.get(name, -1) >= mark}

    def gives(self, targets: Iterable[MemoryObject]) -> None:
        """Code that is not seen has written objects."""
        for target in targets:
            self._give(target)
            self.given.add(f"{target.key}{ELEMENTS}")

    def _give(self, target: MemoryObject) -> None:
        (self.unseen if _is_shared(target) else self.given).add(target.key)

    def remakes(self, targets: Iterable[MemoryObject], span: Span) -> None:
        """A function of a library has put something new of its own making in all of an object."""
        for target in targets:
            self.given.discard(target.key)
            self.unseen.discard(target.key)
            self.made[target.key] = Making(target, "", span)

    def computes(self, targets: Iterable[MemoryObject], span: Span, kernel: str = "") -> None:
        """A kernel (or a library, on the device) has written objects."""
        for target in targets:
            self.made.setdefault(target.key, Making(target, kernel, span))

    def clears(self, targets: Iterable[MemoryObject]) -> None:
        """An object has been set to the same all over (or in part: then nobody is known to have made it)."""
        for target in targets:
            self.made.pop(target.key, None)
            self.cleared.add(target.key)

    def looks(self, target: MemoryObject) -> None:
        """What an object holds is looked at: anything, in one that came in from outside and nobody is seen to write."""
        if not target.key.endswith(ELEMENTS) and self._is_untouched(target):
            self.unseen.add(target.key)

    def replaces(self, to: Value, source: Value, elsewhere: Callable[[], Span | None]) -> None:
        """What one object holds has been put in the place of what another one held: made, if a loop has filled it."""
        sources = list(pointed_to(source))
        makings = [m for s in sources if s.key in self.filled and (m := self.of(s, elsewhere)) is not None]
        for target in pointed_to(to):
            if makings and len(makings) == len(sources) and isinstance(target.element, ArrayType):
                self.made[target.key] = Making(target, makings[0].kernel, makings[0].span)
            else:
                self._give(target)

    def copies(self, to: Value, source: Value, elsewhere: Callable[[], Span | None]) -> None:
        """What one object holds has been copied to another one.

        `elsewhere`: where the program makes it, by the name that the copy has for it.
        """
        sources = list(pointed_to(source))
        given = any(s.key in self.given for s in sources)
        unseen = any(self._is_unseen(s) for s in sources)
        span = elsewhere() if (unseen or source == OPAQUE) and not given else None
        for target in pointed_to(to):
            if given:
                self._give(target)
            elif span is not None:
                self.made.setdefault(target.key, Making(target, "", span))
            elif unseen:
                self.unseen.add(target.key)
            for making in (self.made[s.key] for s in sources if s.key in self.made):
                self.made.setdefault(target.key, Making(target, making.kernel, making.span))

    def stores(self, machine: Machine, address: Value, value: Value, span: Span) -> None:
        """A statement of the host stores a value: a number from outside, or one that it has made.

        A number from outside is another one in each iteration of a loop, if it is to fill an array with anything.  So
        is a pointer, if it is to tell elements apart: that the program makes in any case, as it does running sums of
        what is given; one number from outside behind others, which no loop stores, says nothing of them.
        """
        if not isinstance(value, Term | FloatValue | Composite) and not _another(machine, value):
            return
        if machine.since:
            self.filled |= {target.key for target in pointed_to(address)}
        from_outside, unseen = self._from_outside(machine, value), self._from(machine, value, self.unseen)
        for target in pointed_to(address):
            if _adds_up(machine, address, target, value):
                self.made.setdefault(target.key, Making(target, "", span))
            elif from_outside:
                if not _is_one(machine, address, target):
                    self._give(target)
            elif unseen:
                self.unseen.add(target.key)
            else:
                self.made.setdefault(target.key, Making(target, "", span))

    def converts(self, machine: Machine, value: Value, given: FloatValue) -> None:
        """A number has been made of another one."""
        if self._from_outside(machine, given):
            self.outside |= _numbers(terms_in(value))

    def _from_outside(self, machine: Machine, value: Value) -> bool:
        return not self.outside.isdisjoint(_new(machine, value)) or self._from(machine, value, self.given)

    def _from(self, machine: Machine, value: Value, objects: set[str]) -> bool:
        names = (*_new(machine, value), *arrays_of(*terms_in(value)))
        return not objects.isdisjoint(machine.names.owners.get(name, "") for name in names)

    def _is_unseen(self, target: MemoryObject) -> bool:
        return target.key in self.unseen or self._is_untouched(target) or _is_shared(target)

    def _is_untouched(self, target: MemoryObject) -> bool:
        return target.external and target.key not in self.made and target.key not in self.cleared

    def of(self, target: MemoryObject, elsewhere: Callable[[], Span | None]) -> Making | None:
        """Who has made all that an object holds, if the program has; `elsewhere` as in `copies`."""
        if target.key in self.given:
            return None
        if target.external and self._is_unseen(target):
            span = elsewhere()
            return None if span is None else Making(target, "", span)
        return None if target.key in self.unseen else self.made.get(target.key)


def _is_shared(target: MemoryObject) -> bool:
    """Whether an object stands for the elements of several containers, of which some may be given and others not."""
    return target.key.endswith(SHARED_ELEMENTS)


def _new(machine: Machine, value: Value) -> set[str]:
    """The names of the numbers in a value that are others in each iteration of the loop."""
    return {name for name in _numbers(terms_in(value)) if machine.names.index.get(name, -1) >= machine.since}


def _adds_up(machine: Machine, address: Value, target: MemoryObject, value: Value) -> bool:
    """Whether an element is another one of its array and something else: a running sum, as offsets of parts are."""
    if not isinstance(address, Pointer) or not isinstance(value, Term):
        return False
    addends = list(_addends(value))
    elements = (t for a in addends for t in _choices(a) if t.op is Op.READ and len(t.args) == 1)
    others = (t for t in elements if machine.names.owners.get(t.array, "") == target.key)
    return len(addends) > 1 and any(not _is_at(address.offset, t.args[0]) for t in others)


def _is_one(machine: Machine, address: Value, target: MemoryObject) -> bool:
    """Whether a statement stores one element alone, behind others: where the last part ends, as a rule."""
    behind = isinstance(address, Pointer) and address.offset is not const(0)
    return behind and not machine.since and not isinstance(target.element, RecordType)


def _is_at(offset: Term, place: Term) -> bool:
    """Whether an offset in bytes is that of the element at a place, of whichever size."""
    return any(mul(place, const(size)) is offset for size in _SIZES)


def _addends(value: Term) -> Iterator[Term]:
    core = unwrapped(value)
    if core.op in (Op.ADD, Op.SUB):
        yield from (t for part in core.args for t in _addends(part))
    elif not core.is_const:
        yield core


def _choices(value: Term) -> Iterator[Term]:
    if value.op is Op.ITE:
        yield from (t for part in value.args[1:] for t in _choices(unwrapped(part)))
    else:
        yield value


def _another(machine: Machine, value: Value) -> bool:
    """Whether a pointer leads to another place in each iteration of the loop that runs."""
    if not machine.since or not isinstance(value, Pointer):
        return False
    new = machine.names.index.get(value.target.name, -1) >= machine.since
    return new or any(s.origin is Origin.LOOP for s in symbols_of(value.offset))


def _numbers(terms: Iterable[Term]) -> set[str]:
    return {s.name for s in symbols_of(*terms)}
