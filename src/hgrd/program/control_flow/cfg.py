"""The control-flow graph of statements: basic blocks, dominators, loops, and the sort order of its blocks."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from hgrd.program.control_flow.dominance import (
    NaturalLoop,
    Successors,
    immediate_dominators,
    irregular_loops,
    natural_loops,
    predecessors,
    topological,
)
from hgrd.program.expressions import Expression
from hgrd.program.span import Span
from hgrd.program.statements import Break, Continue, Goto, Return, Statement


class Jump(Struct, frozen=True):
    target: int


class Branch(Struct, frozen=True):
    condition: Expression
    then: int
    otherwise: int


class Select(Struct, frozen=True):
    """Selection of the first arm with a range (low, high) that contains the operand, else of `default`."""

    operand: Expression
    arms: tuple[tuple[tuple[tuple[int, int], ...], int], ...]
    default: int


class Leave(Struct, frozen=True):
    """Leaves the statements of the graph in another way than after the last one."""

    statement: Return | Break | Continue | Goto


class End(Struct, frozen=True):
    """End of the graph, after the last statement."""


Terminator: TypeAlias = Jump | Branch | Select | Leave | End


class BasicBlock(Struct, frozen=True):
    """Statements that run one after the other; whole structured ones may be among them."""

    statements: tuple[Statement, ...]
    terminator: Terminator
    span: Span


class Graph(Struct, frozen=True):
    """Blocks by number; control enters at 0, and every block can be reached from there."""

    blocks: tuple[BasicBlock, ...]

    def successors(self) -> Successors:
        return {i: targets(block.terminator) for i, block in enumerate(self.blocks)}


def targets(terminator: Terminator) -> tuple[int, ...]:
    """Block numbers that a terminator leads to, each once."""
    match terminator:
        case Jump(target=target):
            return (target,)
        case Branch(then=then, otherwise=otherwise):
            return tuple(dict.fromkeys((then, otherwise)))
        case Select(arms=arms, default=default):
            return tuple(dict.fromkeys((*(target for _, target in arms), default)))
        case Leave() | End():
            return ()


def dominators(graph: Graph) -> dict[int, int]:
    """The immediate dominator of each block."""
    return immediate_dominators(graph.successors(), 0)


def post_dominators(graph: Graph) -> dict[int, int | None]:
    """The closest block on all ways from each block out of the graph; None: there is none."""
    out = len(graph.blocks)
    onward = {i: following or (out,) for i, following in graph.successors().items()}
    found = immediate_dominators(predecessors({**onward, out: ()}), out)
    return {i: None if found.get(i, out) == out else found[i] for i in onward}


def loops(graph: Graph) -> tuple[NaturalLoop, ...]:
    """The natural loops, inner ones before outer ones."""
    return natural_loops(graph.successors(), 0)


def irreducible(graph: Graph) -> tuple[frozenset[int], ...]:
    """The loops that are entered at more than one place."""
    return irregular_loops(graph.successors(), 0)


def sort_order(graph: Graph) -> tuple[int, ...]:
    """The blocks of a reducible graph such that

    - each edge that is no back edge leads forward, and
    - the blocks of every loop stand together.

    Collingbourne, Donaldson, Ketema and Qadeer, "Interleaving and Lock-Step Semantics for Analysis and
    Verification of GPU Kernels" (ESOP 2013), section 4: loops from the innermost on become one node each, and
    what remains is sorted topologically.
    """
    nesting = Nesting.of(graph)
    return tuple(_flattened(nesting, None))


def _flattened(nesting: Nesting, around: NaturalLoop | None) -> list[int]:
    found: list[int] = []
    for node in nesting.level(around):
        inner = nesting.headed(node, around)
        found += [node] if inner is None else _flattened(nesting, inner)
    return found


class Nesting(Struct, frozen=True):
    """The loops of a reducible graph around each block, from the outermost to the innermost.

    A loop also has the blocks within it in the source from which control leaves the graph (`return`).
    """

    graph: Graph
    around: tuple[tuple[NaturalLoop, ...], ...]

    @staticmethod
    def of(graph: Graph) -> Nesting:
        found = _with_ways_out(graph, loops(graph))
        nested = sorted(found, key=lambda loop: -len(loop.nodes))
        return Nesting(graph, tuple(tuple(x for x in nested if i in x.nodes) for i in range(len(graph.blocks))))

    def node(self, block: int, level: NaturalLoop | None) -> int | None:
        """Node for a block at the level of a loop (None: of the graph): itself, or the head of a loop inside.

        None if it is not in the loop.
        """
        around = self.around[block]
        if level is None:
            return around[0].head if around else block
        if level not in around:
            return None
        inner = around[around.index(level) + 1 :]
        return inner[0].head if inner else block

    def headed(self, node: int, level: NaturalLoop | None) -> NaturalLoop | None:
        """Loop that a node of a level stands for."""
        around = self.around[node]
        inner = around[0 if level is None else around.index(level) + 1 :]
        return inner[0] if inner and inner[0].head == node else None

    def onward(self, node: int, level: NaturalLoop | None) -> list[int]:
        """The nodes of the level that one leads to, but for its head."""
        inner = self.headed(node, level)
        blocks = (node,) if inner is None else sorted(inner.nodes)
        found: dict[int, None] = {}
        for block in blocks:
            for target in targets(self.graph.blocks[block].terminator):
                next_ = self.node(target, level)
                if next_ is not None and next_ != node and (level is None or target != level.head):
                    found[next_] = None
        return list(found)

    def level(self, level: NaturalLoop | None) -> list[int]:
        """The nodes of a level in topological order."""
        blocks = range(len(self.graph.blocks)) if level is None else sorted(level.nodes)
        nodes = dict.fromkeys(node for b in blocks if (node := self.node(b, level)) is not None)
        return topological(nodes, lambda node: self.onward(node, level))


def _with_ways_out(graph: Graph, found: tuple[NaturalLoop, ...]) -> list[NaturalLoop]:
    """The loops with the blocks that return (or go further out) from within."""
    successors = graph.successors()
    before = predecessors(successors)
    extended: list[NaturalLoop] = []
    for loop in found:
        last = max(place for node in loop.nodes for place in _places(graph.blocks[node]))
        more = (
            i
            for i, block in enumerate(graph.blocks)
            if _goes_out(block) and before[i] and loop.nodes.issuperset(before[i]) and _places(block)[-1] <= last
        )
        extended.append(NaturalLoop(loop.head, loop.nodes.union(more)))
    return extended


def _goes_out(block: BasicBlock) -> bool:
    return isinstance(block.terminator, Leave) and isinstance(block.terminator.statement, Return | Goto)


def _places(block: BasicBlock) -> list[tuple[str, int, int]]:
    """Positions of a block's statements, the last one last."""
    way = (block.terminator.statement,) if isinstance(block.terminator, Leave) else ()
    spans = (block.span, *(s.span for s in (*block.statements, *way)))
    return [(span.file, span.line, span.column) for span in spans]
