"""Graphs of the concrete run: pieces of work that the program puts together, and launches as often as it likes.

Programming Guide, "CUDA Graphs": a node runs when those that it depends on are done.  Nodes come by functions for each
kind of them, or from streams that are captured: there, a node depends on what the stream, or an event that it waited
for, had before.  Sets of nodes are numbers with a bit for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, field


class Node(Struct):
    """A node of a graph: what it does, and the nodes that it depends on."""

    run: Callable[[], object]
    before: int


class Graph(Struct):
    """Nodes, by their numbers; of captured streams and of events, by their identity, the nodes before what follows."""

    nodes: list[Node] = field(default_factory=list[Node])
    tails: dict[int, int] = field(default_factory=dict[int, int])
    marks: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, run: Callable[[], object], before: int) -> int:
        """Adds a node; its number."""
        self.nodes.append(Node(run, before))
        return len(self.nodes) - 1

    def capture(self, stream: int, run: Callable[[], object]) -> None:
        """Adds a node for work that is put into a captured stream."""
        before = self.tails[stream]
        self.tails[stream] = before | 1 << self.add(run, before)

    def in_order(self) -> Iterator[int]:
        """The numbers of the nodes, each behind those that it depends on."""
        left, done = list(range(len(self.nodes))), 0
        while left:
            ready = [number for number in left if not self.nodes[number].before & ~done]
            yield from ready or left
            done |= sum(1 << number for number in ready)
            left = [number for number in left if number not in ready] if ready else []
