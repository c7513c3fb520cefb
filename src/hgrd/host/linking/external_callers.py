"""External callers: functions of the program that unknown code may call, at any time and with any arguments.

Their launches may differ from those that visible calls lead to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hgrd.host.linking.link import Linked, record_of
from hgrd.program import expressions as ir
from hgrd.program.types import RecordType
from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import Choice, Composite, FunctionValue, Value

THROUGH_POINTER = "a call through a pointer"


def launchers_passed(linked: Linked, state: State, call: ir.Call, arguments: tuple[Value, ...]) -> frozenset[str]:
    """The keys of launching functions that a call which is not followed is passed: by pointer, or as functor."""
    return frozenset(_launching(linked, functions_passed(linked, state, call, arguments)))


def functions_passed(
    linked: Linked, state: State, call: ir.Call, arguments: tuple[Value, ...], *, copied: bool = False
) -> frozenset[str]:
    """The keys of the program's functions that a call is passed: by pointer, or as functor.

    `copied`: of functors, only those passed by value.
    """
    regions = (state.store.get(target.key, EMPTY) for target in reachable(state, arguments))
    values = (*arguments, *(c.value for region in regions for c in region.cells.values()))
    types = (a.type for a in call.arguments if not copied or isinstance(a.type, RecordType))
    operators = (key for owner in map(record_of, types) if owner for key in linked.operators.get(owner, ()))
    found = (*_functions(values), *operators)
    return frozenset(key for key in found if key in linked.uses)


def launchers_by_pointer(linked: Linked) -> frozenset[str]:
    """The keys of launching functions that a pointer of unknown value may point to."""
    return frozenset(_launching(linked, linked.taken))


def _launching(linked: Linked, keys: Iterable[str]) -> Iterator[str]:
    return (key for key in keys if key in linked.uses and linked.launches_below(key))


def _functions(values: Iterable[Value]) -> Iterator[str]:
    for value in values:
        match value:
            case FunctionValue(function=function):
                yield function.key
            case Choice(then=a, otherwise=b):
                yield from _functions((a, b))
            case Composite(cells=cells):
                yield from _functions(c.value for c in cells.values())
            case _:
                pass
