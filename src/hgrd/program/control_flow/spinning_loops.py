"""Spinning loops, which end by what an atomic in their body gave last, as loops with a break behind that.

do { seen = atomicCAS(lock, 0, 1); } while (seen != 0);       for (;;) { seen = …; if (seen != 0) {} else break; }
bool done = false; while (!done) { done = try_lock(lock); }   the same, under `if (!done)`

So the last value, and what holds of it, belong to the iteration that leaves the loop.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from hgrd.cuda.atomics import atomic_function, is_atomic_object
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.walk import as_block, below, mapped, nodes

_MOST_STATEMENTS = 12
_IMPURE = ir.Call | ir.IndirectCall | ir.Deref | ir.Assign | ir.Update


def with_breaks(functions: Mapping[str, Function]) -> Mapping[str, Function]:
    """The functions, with a break in place of the condition of each spinning loop."""
    spins = {key for key, f in functions.items() if f.body is not None and any(map(_is_atomic, nodes(f.body)))}
    found = {
        key: replace(f, body=as_block(mapped(f.body, lambda s: _with_break(s, spins))))
        for key, f in functions.items()
        if f.body is not None and any(isinstance(n, st.Loop | st.DoWhile) for n in nodes(f.body))
    }
    return {**functions, **found} if found else functions


def _with_break(statement: st.Statement, spins: set[str]) -> st.Statement | None:
    match statement:
        case st.DoWhile(body=body, condition=condition, span=span) if _spins(body, condition, spins):
            return _left_by(body, condition, span)
        case st.Loop(condition=condition, step=None, body=body, span=span) if condition is not None and _spins(
            body, condition, spins
        ):
            return st.If(condition, _left_by(body, condition, span), None, span)
        case _:
            return None


def _left_by(body: st.Statement, condition: ir.Expression, span: Span) -> st.Loop:
    leave = st.If(condition, st.Block((), span), st.Break(span), span)
    return st.Loop(None, None, st.Block((body, leave), span), span)


def _spins(body: st.Statement, condition: ir.Expression, spins: set[str]) -> bool:
    """Whether a loop only repeats an atomic, to a variable that its condition compares with constants."""
    inner = [*below((body,))]
    simple = all(isinstance(s, st.Block | st.Evaluate | st.Assembly | st.Declare) for s in inner)
    if not simple or len(inner) > _MOST_STATEMENTS:
        return False
    tested = {n.variable.key for n in nodes(condition) if isinstance(n, ir.VariablePlace)}
    plain = not any(isinstance(n, _IMPURE) for n in nodes(condition))
    tries = any(_is_atomic(n) or (isinstance(n, ir.Call) and n.function.key in spins) for n in nodes(body))
    return plain and tries and len(tested) == 1 and not tested.isdisjoint(_assigned(body))


def _assigned(body: st.Statement) -> set[str]:
    """The keys of the variables that code assigns to, or whose addresses it takes."""
    places = (n.place for n in nodes(body) if isinstance(n, ir.Assign | ir.AddressOf))
    return {place.variable.key for place in places if isinstance(place, ir.VariablePlace)}


def _is_atomic(node: object) -> bool:
    match node:
        case ir.Call(function=function) if not function.user_code:
            return atomic_function(function.name) is not None or is_atomic_object(function.qualified)
        case st.Assembly(template=template):
            return "atom" in template or "ld.acquire" in template
        case _:
            return False
