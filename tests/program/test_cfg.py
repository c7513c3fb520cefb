"""Graphs of hand-made bodies, and the print of graphs and of what becomes of gotos."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.program.control_flow.blocks import graph_of
from hgrd.program.control_flow.cfg import Graph, dominators, irreducible, loops, post_dominators, sort_order
from hgrd.program.control_flow.dominance import irregular_loops, natural_loops, topological
from hgrd.program.control_flow.printer import print_graphs
from hgrd.program.control_flow.split import split
from hgrd.program.expressions import Load, Storage, Variable, VariablePlace
from hgrd.program.printer import print_program
from hgrd.program.span import Span
from hgrd.program.statements import Block, Continue, Goto, If, Label, Loop, Return, Statement
from hgrd.program.types import BOOL
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

GOLDEN = Path(__file__).parent / "golden"
AT = Span("made.cu", 1, 1)
C = Load(VariablePlace(Variable("c", "c", BOOL, Storage.LOCAL, AT), AT), BOOL, AT)


def branch(target: str) -> Statement:
    return If(C, Goto(target, AT), None, AT)


def graph(*statements: Statement) -> Graph:
    return graph_of(statements, AT)


@pytest.mark.parametrize("stage", ["cfg", "program"])
def test_print(stage: str):
    program = parse_file(str(GOLDEN / "jumps.cu"), SourceOptions())
    text = {"cfg": print_graphs, "program": print_program}[stage](program)
    assert text == (GOLDEN / f"jumps.{stage}.txt").read_text()


def test_dominators_of_a_diamond():
    made = graph(If(C, branch("out"), branch("out"), AT), Return(None, AT), Label("out", AT))
    # 0: if; 1, 2: the arms; 3: return; 4: out
    assert [sorted(following) for following in made.successors().values()] == [[1, 2], [3, 4], [3, 4], [], []]
    assert dominators(made) == {0: 0, 1: 0, 2: 0, 3: 0, 4: 0}
    assert post_dominators(made) == dict.fromkeys(range(5))


def test_a_loop_that_never_ends_has_no_post_dominator():
    made = graph(branch("forever"), Return(None, AT), Label("forever", AT), Goto("forever", AT))
    forever = next(loop.head for loop in loops(made))
    assert post_dominators(made)[forever] is None


def test_loops_inside_of_loops():
    inner = Loop(C, None, Block((If(C, Continue(AT), None, AT), branch("out")), AT), AT)
    made = graph(Loop(C, None, Block((inner,), AT), AT), Label("out", AT))
    first, second = loops(made)
    assert first.nodes < second.nodes
    assert first.head != second.head
    assert sort_order(made) == tuple(range(len(made.blocks)))


def test_two_gotos_back_to_one_label_are_one_loop():
    made = graph(Label("top", AT), branch("top"), branch("top"))
    assert [loop.head for loop in loops(made)] == [0]


def test_a_loop_with_two_entrances():
    made = graph(
        branch("middle"), Label("top", AT), branch("out"), Label("middle", AT), branch("top"), Label("out", AT)
    )
    (loop,) = irreducible(made)
    assert len(loop) == 2
    repaired = split(made)
    assert repaired is not None
    assert irreducible(repaired) == ()
    assert len(repaired.blocks) == len(made.blocks) + 1


def test_too_many_entrances():
    names = "abcdef"
    ways = [s for name in names for s in (Label(name, AT), *(branch(other) for other in names if other != name))]
    made = graph(*(branch(name) for name in names), *ways)
    assert len(irreducible(made)) == 1
    assert split(made) is None


def test_algorithms_on_numbers():
    successors = {0: (1, 2), 1: (2,), 2: (1, 3), 3: (0,)}
    assert irregular_loops(successors, 0) == (frozenset({1, 2}),)
    assert [(loop.head, loop.nodes) for loop in natural_loops(successors, 0)] == [(0, frozenset(range(4)))]
    assert topological((3, 1, 2), lambda n: {3: (1,), 1: (2,), 2: ()}[n]) == [3, 1, 2]
