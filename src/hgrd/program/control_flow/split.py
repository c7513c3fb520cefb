"""Irreducible graphs made reducible: the part of a loop that is entered sideways gets a copy before it.

Duff's device enters a loop in its middle; with the rest of that first iteration in a copy, what remains is
a loop with one entrance (node splitting: Aho, Lam, Sethi and Ullman, "Compilers", section 9.7.6).
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hgrd.program.control_flow.blocks import moved, renumbered
from hgrd.program.control_flow.cfg import Graph, irreducible
from hgrd.program.control_flow.dominance import Successors, components, postorder, predecessors

GROWTH: Final = 4  # how many times as many blocks there may be


def split(graph: Graph) -> Graph | None:
    """Reducible graph that does the same; None if it would be too large."""
    limit = GROWTH * len(graph.blocks)
    while found := irreducible(graph):
        graph = renumbered(_with_copy(graph, found[0]))
        if len(graph.blocks) > limit:
            return None
    return graph


def _with_copy(graph: Graph, loop: frozenset[int]) -> Graph:
    """The loop keeps one entrance; what other entrances lead to before that is copied."""
    successors = graph.successors()
    before = predecessors(successors)
    entries = [n for n in sorted(loop) if n == 0 or not loop.issuperset(before[n])]
    head = min(entries, key=lambda n: (_tangled(successors, loop - {n}), n))
    copied = sorted(loop - {head})
    copy = {node: len(graph.blocks) + i for i, node in enumerate(copied)}
    blocks = [
        block if i in loop else replace(block, terminator=moved(block.terminator, lambda t: copy.get(t, t)))
        for i, block in enumerate(graph.blocks)
    ]
    for node in copied:
        block = graph.blocks[node]
        blocks.append(replace(block, terminator=moved(block.terminator, lambda t: copy.get(t, t))))
    return Graph(tuple(blocks))


def _tangled(successors: Successors, nodes: frozenset[int]) -> int:
    """Number of the nodes that lie on cycles among themselves."""
    inner = {-1: tuple(sorted(nodes)), **{n: tuple(s for s in successors[n] if s in nodes) for n in nodes}}
    return sum(len(c) for c in components(inner, postorder(inner, -1)) if len(c) > 1)
