"""Who makes what arrays hold: the program's input, or the program itself.

What is read from a file, drawn at random or left by code that is not seen may be anything.  What the program's own
statements compute, or one of its kernels stores, takes some values only: which ones is not known unless a fill says
so.  Followed object by object, in the order in which the host code runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from hgrd.host.contents import ELEMENTS
from hgrd.host.model import Making
from hgrd.host.view import terms_in
from hgrd.program.span import Span
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import Composite, FloatValue, MemoryObject, Value, pointed_to
from hgrd.terms import Term, symbols_of
from hgrd.terms.rewrite import arrays_of

_COMPUTING: Final = frozenset(
    (
        "sort", "stable_sort", "partial_sort", "nth_element", "qsort", "sort_by_key", "stable_sort_by_key",
        "partial_sum", "inclusive_scan", "exclusive_scan", "inclusive_scan_by_key", "exclusive_scan_by_key",
        "unique", "unique_by_key", "reverse", "rotate", "merge", "set_union", "set_intersection", "set_difference",
        "sequence", "iota", "shuffle", "random_shuffle", "adjacent_difference", "reduce_by_key", "lower_bound",
        "upper_bound", "partition", "stable_partition", "push_heap", "pop_heap", "make_heap", "sort_heap",
    )
)  # fmt: skip


def computes(name: str) -> bool:
    """Whether a function of a library makes its results of what it is given: a sort, a scan, …"""
    return name in _COMPUTING


@dataclass(slots=True)
class Makers:
    """By their keys: objects that hold `given` contents, and who `made` those of others.

    `outside` are the names of numbers that functions without a body have returned.
    """

    given: set[str] = field(default_factory=set[str])
    made: dict[str, Making] = field(default_factory=dict[str, Making])
    outside: set[str] = field(default_factory=set[str])

    def returned(self, machine: Machine, mark: int, value: Value) -> None:
        """A function without a body has returned a value; `mark`: the index of names from before the call."""
        self.outside |= {name for name in _numbers(terms_in(value)) if machine.names.index.get(name, -1) >= mark}

    def gives(self, targets: Iterable[MemoryObject]) -> None:
        """Code that is not seen has written objects."""
        self.given |= {key for target in targets for key in (target.key, f"{target.key}{ELEMENTS}")}

    def remakes(self, targets: Iterable[MemoryObject], span: Span) -> None:
        """A function of a library has put something new of its own making in all of an object."""
        for target in targets:
            self.given.discard(target.key)
            self.made[target.key] = Making(target, "", span)

    def computes(self, targets: Iterable[MemoryObject], span: Span, kernel: str = "") -> None:
        """A kernel (or a library, on the device) has written objects."""
        for target in targets:
            self.made.setdefault(target.key, Making(target, kernel, span))

    def clears(self, targets: Iterable[MemoryObject]) -> None:
        """An object has been set to the same all over (or in part: then nobody is known to have made it)."""
        for target in targets:
            self.made.pop(target.key, None)

    def looks(self, target: MemoryObject) -> None:
        """What an object holds is looked at: anything, in one that came in from outside and nobody is seen to write."""
        if target.external and not target.key.endswith(ELEMENTS) and target.key not in self.made:
            self.given.add(target.key)

    def copies(self, to: Value, source: Value) -> None:
        """What one object holds has been copied to another one."""
        sources = list(pointed_to(source))
        for target in pointed_to(to):
            if any(s.key in self.given or (s.external and s.key not in self.made) for s in sources):
                self.given.add(target.key)
            for making in (self.made[s.key] for s in sources if s.key in self.made):
                self.made.setdefault(target.key, Making(target, making.kernel, making.span))

    def stores(self, machine: Machine, address: Value, value: Value, span: Span) -> None:
        """A statement of the host stores a value: a number from outside, or one that it has made.

        A number from outside is another one in each iteration of a loop, if it is to fill an array with anything.
        """
        if not isinstance(value, Term | FloatValue | Composite):
            return
        from_outside = self._from_outside(machine, value)
        for target in pointed_to(address):
            if from_outside:
                self.given.add(target.key)
            else:
                self.made.setdefault(target.key, Making(target, "", span))

    def converts(self, machine: Machine, value: Value, given: FloatValue) -> None:
        """A number has been made of another one."""
        if self._from_outside(machine, given):
            self.outside |= _numbers(terms_in(value))

    def _from_outside(self, machine: Machine, value: Value) -> bool:
        terms = terms_in(value)
        new = {name for name in _numbers(terms) if machine.names.index.get(name, -1) >= machine.since}
        owners = (machine.names.owners.get(name, "") for name in (*new, *arrays_of(*terms)))
        return not (new.isdisjoint(self.outside) and self.given.isdisjoint(owners))

    def of(self, key: str) -> Making | None:
        """Who has made all that an object holds, if the program has."""
        return None if key in self.given else self.made.get(key)


def _numbers(terms: Iterable[Term]) -> set[str]:
    return {s.name for s in symbols_of(*terms)}
