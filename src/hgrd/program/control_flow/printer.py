"""Printed form of control-flow graphs.

Blocks stand in sort order, those of a loop indented by it:

    B2: in the loop of B1; after B1, always before B4  // file:line:column
        statements
        if (condition) B3 else B1

`after` names the immediate dominator, `always before` the immediate post-dominator.
"""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.program.control_flow.blocks import graph_of
from hgrd.program.control_flow.cfg import (
    Branch,
    End,
    Graph,
    Jump,
    Leave,
    Select,
    Terminator,
    dominators,
    irreducible,
    loops,
    post_dominators,
)
from hgrd.program.printer import INDENT, at, print_expression, print_head, print_statements
from hgrd.program.program import Function, Program


def print_graphs(program: Program) -> str:
    """Graphs of all user functions with a body, in the order of the source."""
    functions = [f for f in program.functions.values() if f.user_code and f.body]
    return "\n".join(map(print_graph, sorted(functions, key=lambda f: (f.span, f.ref.key))))


def print_graph(function: Function) -> str:
    """Graph of a function as in its source, with gotos."""
    body = function.written or function.body
    assert body is not None
    return "\n".join([print_head(function), *_blocks(graph_of((body,), body.span))]) + "\n"


def _blocks(graph: Graph) -> Iterator[str]:
    above, below, natural = dominators(graph), post_dominators(graph), loops(graph)
    for tangle in irreducible(graph):
        yield f"entered at several places: {', '.join(f'B{i}' for i in sorted(tangle))}"
    for number, block in enumerate(graph.blocks):
        around = [loop.head for loop in natural if number in loop.nodes]
        facts = ["loop"] if number in around else []
        facts += [f"in the loop of B{head}" for head in around if head != number][:1]
        facts += [f"after B{above[number]}"] if number else []
        later = below[number]
        facts += [f"always before B{later}"] if later is not None else []
        indent = INDENT * len(around)
        yield f"{indent}B{number}: {'; '.join(facts)}".rstrip() + f"  // {at(block.span)}"
        lines = [*print_statements(block.statements), *_terminator(block.terminator)]
        yield from (f"{indent}{INDENT}{line}" for line in lines)


def _terminator(terminator: Terminator) -> list[str]:
    match terminator:
        case Jump(target=target):
            return [f"B{target}"]
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return [f"if ({print_expression(condition)}) B{then} else B{otherwise}"]
        case Select(operand=operand, arms=arms, default=default):
            ways = [f"{_ranges(ranges)}: B{target}" for ranges, target in arms]
            return [f"switch ({print_expression(operand)}) {', '.join([*ways, f'default: B{default}'])}"]
        case Leave(statement=statement):
            return print_statements((statement,))
        case End():
            return ["end"]


def _ranges(ranges: tuple[tuple[int, int], ...]) -> str:
    return " or ".join(str(low) if low == high else f"{low} ... {high}" for low, high in ranges)
