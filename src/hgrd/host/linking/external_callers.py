"""External callers: functions of the program that unknown code may call, at any time and with any arguments.

Their launches may differ from those that visible calls lead to.  Functions that a program gives to objects of
`std::function`, and to nothing else, are called where such an object is, if the library only keeps and copies these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.host.linking.library_names import returns_argument
from hgrd.host.linking.link import Linked, record_of
from hgrd.host.linking.stream_flags import begins_thread
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import FunctionRef
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import directly_in, nodes
from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import Choice, Composite, FunctionValue, Value

THROUGH_POINTER = "a call through a pointer"
_OBJECT: Final = "std::function<"
_KEEPING: Final = frozenset(
    (
        "function", "vector", "array", "deque", "list", "forward_list", "map", "multimap", "unordered_map",
        "unordered_multimap", "pair", "tuple", "optional", "initializer_list", "unique_ptr", "shared_ptr", "stack",
        "queue",
    )
)  # fmt: skip  # classes whose methods keep objects, copy and return them
_HANDING_ON: Final = frozenset(
    (
        "move", "forward", "make_pair", "make_tuple", "get", "swap", "exchange", "make_unique", "make_shared", "begin",
        "end", "operator==", "operator!=",
    )
)  # fmt: skip
_LOOKING_INSIDE: Final = ("target", "target_type")


def launchers_passed(linked: Linked, state: State, call: ir.Call, arguments: tuple[Value, ...]) -> frozenset[str]:
    """The keys of launching functions that a call which is not followed is passed: by pointer, or as functor."""
    return frozenset(_launching(linked, functions_passed(linked, state, call, arguments)))


def functions_passed(
    linked: Linked, state: State, call: ir.Call, arguments: tuple[Value, ...], *, copied: bool = False
) -> frozenset[str]:
    """The keys of the program's functions that a call is passed: by pointer, or as functor.

    `copied`: of functors, only those passed by value.  A function that returns its argument is passed nothing.
    """
    if returns_argument(call.function):
        return frozenset()
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


# ---------------------------------------------------------------- functions in objects


class FunctionsInObjects(Struct, frozen=True):
    """`functions`, by their keys, are given to objects of `std::function` alone.

    `calls` are the places where functions, by their keys, call such objects; `operators` are the keys of what is called
    there.  `calls_seen`: the library makes no calls, and a run of `main` comes to all of these.
    """

    functions: frozenset[str] = frozenset()
    calls: tuple[tuple[str, Span], ...] = ()
    operators: frozenset[str] = frozenset()
    calls_seen: bool = False


def functions_in_objects(linked: Linked) -> FunctionsInObjects:
    """The functions of a program that launch kernels and are in such objects."""
    uses = _all_uses(linked, _is_of_objects)
    given = {key for key, place in uses if place is not None}
    elsewhere = {key for key, place in uses if place is None}
    found = frozenset(key for key in given - elsewhere if key in linked.uses and linked.launches_below(key))
    if not found:
        return FunctionsInObjects()
    calls = [(key, n) for key in linked.uses for n in nodes(linked.functions[key].body) if isinstance(n, ir.Call)]
    calls = [(key, n) for key, n in calls if calls_object(n.function)]
    places, called = tuple((key, n.span) for key, n in calls), frozenset(n.function.key for _, n in calls)
    return FunctionsInObjects(found, places, called, _are_kept(linked) and not _calls_hidden(linked))


def functions_of_threads(linked: Linked) -> Mapping[str, frozenset[Span]]:
    """The launching functions, by their keys, that only new threads call, with the places where these begin."""
    inside = [n for key in linked.uses for n in nodes(linked.functions[key].body)]
    begins = {n.span for n in inside if isinstance(n, ir.Call | ir.Construct) and begins_thread(n)}
    called = {n.function.key for n in inside if isinstance(n, ir.Call)}.union(*linked.overriders.values())
    found: dict[str, set[Span | None]] = {}
    for key, place in _all_uses(linked, begins_thread):
        found.setdefault(key, set()).add(place)
    alone = {key: frozenset(p for p in places if p is not None) for key, places in found.items() if None not in places}
    return {key: places & begins for key, places in alone.items() if key in linked.uses and key not in called}


def calls_object(function: FunctionRef) -> bool:
    """Whether a function is the call operator of `std::function`."""
    return not function.user_code and function.qualified == "std::function::operator()"


_Use: TypeAlias = tuple[str, Span | None]


def _all_uses(linked: Linked, takes: Callable[[ir.Call | ir.Construct], bool]) -> list[_Use]:
    """The launching functions that code mentions, as functors or by their addresses, and where a call takes them.

    `takes`: what is given to such a call is not used otherwise.
    """
    operators = {key: own for key, own in linked.operators.items() if any(map(linked.launches_below, own))}
    uses = [use for key in linked.uses for use in _uses(linked.functions[key].body, operators, (key,), takes)]
    return uses + [use for item in linked.globals.values() for use in _uses(item.initial, operators, (), takes)]


def _uses(
    node: object,
    operators: Mapping[str, tuple[str, ...]],
    own: tuple[str, ...],
    takes: Callable[[ir.Call | ir.Construct], bool],
    place: Span | None = None,
) -> Iterator[_Use]:
    match node:
        case ir.Call(function=called) | ir.Construct(constructor=FunctionRef() as called):
            place = node.span if not called.user_code and takes(node) else None
        case st.Declare(variable=ir.Variable(type=type_), initial=ir.Aggregate() as made) if (
            type_ == made.type and record_of(type_) in operators
        ):
            place = node.span  # a functor by its name: what becomes of that is seen where the name is used
        case ir.FunctionAddress(function=function):
            yield function.key, place
        case _:
            pass
    type_ = getattr(node, "type", None)
    owner = record_of(type_) if isinstance(type_, Type) else None
    yield from ((key, place) for key in operators.get(owner or "", ()) if key not in own)
    inside = None if isinstance(node, ir.Aggregate) and isinstance(node.type, RecordType) else place
    for part in directly_in(node):
        yield from _uses(part, operators, own, takes, inside)


def _is_of_objects(node: ir.Call | ir.Construct) -> bool:
    """Whether a function of the library gets or makes an object of `std::function`, or a container of these."""
    first = node.arguments[0].type if isinstance(node, ir.Call) and node.arguments else None
    return _holds_objects(node.type) or (first is not None and _holds_objects(first))


def _holds_objects(type_: Type) -> bool:
    match type_:
        case PointerType(to=inner) | ArrayType(of=inner):
            return _holds_objects(inner)
        case OpaqueType(name=name):
            return _OBJECT in name
        case _:
            return False


def _are_kept(linked: Linked) -> bool:
    """Whether code that is not given only keeps and copies the objects: it never calls them."""
    calls = (n for key in linked.uses for n in nodes(linked.functions[key].body))
    calls = (n for n in calls if isinstance(n, ir.Call | ir.Construct) and any(map(_holds_objects, _types(n))))
    return all(_keeps(linked, n.function if isinstance(n, ir.Call) else n.constructor) for n in calls)


def _types(node: ir.Call | ir.Construct) -> Iterator[Type]:
    yield node.type
    yield from (argument.type for argument in node.arguments)


def _keeps(linked: Linked, function: FunctionRef | None) -> bool:
    if function is None or calls_object(function):
        return True
    known = linked.functions.get(function.key)
    if function.user_code:
        return known is not None and known.body is not None
    owner = function.qualified.rpartition("::")[0].rpartition("::")[2]
    if function.name in _LOOKING_INSIDE:
        return False
    return owner in _KEEPING or "iter" in owner or function.name in _HANDING_ON


def _calls_hidden(linked: Linked) -> bool:
    """Whether some call of an object is in a function that may be called where a run of `main` does not come to."""
    calling = {key for key in linked.uses if any(map(_calls_one, nodes(linked.functions[key].body)))}
    unseen = [key for key in linked.uses if linked.called_unseen(linked.functions[key]) or _ends_object(linked, key)]
    before = {n.function.key for g in linked.globals.values() for n in nodes(g.initial) if isinstance(n, ir.Call)}
    return any(not calling.isdisjoint(linked.below(key)) for key in (*unseen, *before))


def _calls_one(node: object) -> bool:
    return isinstance(node, ir.Call) and calls_object(node.function)


def _ends_object(linked: Linked, key: str) -> bool:
    return linked.functions[key].ref.name.startswith("~")
