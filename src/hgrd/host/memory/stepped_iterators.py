"""Iterators that a loop steps from one element to the next: what they lead to is another element each time.

for (auto &lane : lanes) …;  for (auto it = lanes.begin(); it != lanes.end(); ++it) …;      // not: it = lanes.find(key)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.walk import directly_in, nodes

_STEP: Final = "operator++"
_ELEMENTS: Final = ("operator*", "operator->")
_CHANGES_NOTHING: Final = (*_ELEMENTS, "operator!=", "operator==")


def stepped_elements(functions: Mapping[str, Function]) -> frozenset[Span]:
    """The places of calls that get an element by an iterator which the innermost loop around them only steps."""
    bodies = (f.body for f in functions.values() if f.user_code and f.body is not None)
    loops = (n for body in bodies for n in nodes(body) if isinstance(n, st.Loop) and n.step is not None)
    return frozenset(span for loop in loops for span in _stepped_in(loop))


def _stepped_in(loop: st.Loop) -> Iterator[Span]:
    steps = (n for n in nodes(loop.step) if isinstance(n, ir.Call) and n.function.name == _STEP)
    stepped = {key for call in steps for key in _variables(call)[:1]}
    if stepped:
        stepped -= {key for node in nodes((loop.condition, loop.body)) for key in _changed(node)}
        own = ((call, key) for call in _calls_of(loop) for key in _variables(call)[:1])
        yield from (call.span for call, key in own if call.function.name in _ELEMENTS and key in stepped)


def _calls_of(loop: st.Loop) -> Iterator[ir.Call]:
    """The calls in a loop that are in no loop within it."""
    todo: list[object] = list(directly_in(loop))
    while todo:
        node = todo.pop()
        if isinstance(node, ir.Call):
            yield node
        if not isinstance(node, st.Loop | st.DoWhile):
            todo.extend(directly_in(node))


def _changed(node: object) -> tuple[str, ...]:
    """The variables that a node may change."""
    match node:
        case ir.Call(function=function) if function.name not in _CHANGES_NOTHING:
            return _variables(node)
        case ir.Assign(place=ir.VariablePlace(variable=variable)):
            return (variable.key,)
        case _:
            return ()


def _variables(call: ir.Call) -> tuple[str, ...]:
    """The variables whose addresses a call gets."""
    places = (a.place for a in call.arguments if isinstance(a, ir.AddressOf))
    return tuple(place.variable.key for place in places if isinstance(place, ir.VariablePlace))
