"""Transitive closure of a graph of names that is asked for many of its nodes.

Strongly connected components are found by Tarjan's algorithm ("Depth-first search and linear graph algorithms", SIAM
Journal on Computing 1, 1972) from each node that is asked for, and never twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field


class Closure(Struct):
    """What can be reached in a graph that does not change; `steps` gives what comes directly after a name.

    `reached` has, by name, the numbers of all that can be reached from it, as bits; `names` are those of the numbers.
    """

    steps: Callable[[str], Iterable[str]]
    names: list[str] = field(default_factory=list[str])
    reached: dict[str, int] = field(default_factory=dict[str, int])
    sets: dict[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])

    def of(self, first: Iterable[str]) -> frozenset[str]:
        """The names that can be reached from these, and these; equal sets are one object."""
        bits = self.bits(first)
        if bits not in self.sets:
            self.sets[bits] = frozenset(self._named(bits))
        return self.sets[bits]

    def bits(self, first: Iterable[str]) -> int:
        """As `of`, as a set of bits: two sets have a name in common if their bits have one in common."""
        bits = 0
        for name in first:
            if name not in self.reached:
                _Search(self).run(name)
            bits |= self.reached[name]
        return bits

    def close(self, component: Iterable[str], beyond: int) -> None:
        """Each of these names can be reached from each other, and from all of them what is `beyond`."""
        members, first = list(component), len(self.names)
        self.names += members
        bits = beyond | ((1 << len(members)) - 1) << first
        self.reached |= dict.fromkeys(members, bits)

    def _named(self, bits: int) -> Iterator[str]:
        while bits:
            low = bits & -bits
            yield self.names[low.bit_length() - 1]
            bits ^= low


class _Search(Struct):
    """A search in depth: the names found in their order, the lowest that each leads back to, what is beyond each."""

    graph: Closure
    order: dict[str, int] = field(default_factory=dict[str, int])
    lowest: dict[str, int] = field(default_factory=dict[str, int])
    beyond: dict[str, int] = field(default_factory=dict[str, int])
    open: list[str] = field(default_factory=list[str])
    way: list[tuple[str, Iterator[str]]] = field(default_factory=list["tuple[str, Iterator[str]]"])

    def run(self, root: str) -> None:
        self._enter(root)
        while self.way:
            name, steps = self.way[-1]
            step = next(steps, None)
            if step is None:
                self.way.pop()
                self._leave(name)
            elif step in self.order or step in self.graph.reached:
                self._reach(name, step)
            else:
                self._enter(step)
            if step is None and self.way:
                self._reach(self.way[-1][0], name)

    def _enter(self, name: str) -> None:
        self.order[name] = self.lowest[name] = len(self.order)
        self.beyond[name] = 0
        self.open.append(name)
        self.way.append((name, iter(self.graph.steps(name))))

    def _reach(self, name: str, step: str) -> None:
        if step in self.graph.reached:
            self.beyond[name] |= self.graph.reached[step]
        else:
            self.lowest[name] = min(self.lowest[name], self.lowest[step])

    def _leave(self, name: str) -> None:
        if self.lowest[name] != self.order[name]:
            return
        at, beyond = len(self.open) - 1, self.beyond[name]
        while self.open[at] != name:
            beyond |= self.beyond[self.open[at]]
            at -= 1
        self.graph.close(self.open[at:], beyond)
        del self.open[at:]
