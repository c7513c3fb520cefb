"""Selected input: tests by which the host takes some elements only, or refuses input in which elements repeat.

    if (seen.insert(x).second) ids.push_back(x);          // what `ids` holds is no free choice of the input
    if (std::adjacent_find(a, a + n) != a + n) return 1;  // nor what any array holds behind this

Tests of one element by itself, as those of its range, select nothing in this sense.  It is the text that is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.host.linking.kernel_accesses import bare
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.printer import print_expression
from hgrd.program.program import Function, Side
from hgrd.program.span import Span
from hgrd.program.types import IntType, PointerType, Type
from hgrd.program.walk import nodes

_KEYED: Final = ("std::set", "std::map", "std::multiset", "std::multimap", "std::unordered_")
_BY_KEY: Final = frozenset(
    {
        "insert", "emplace", "try_emplace", "insert_or_assign", "count", "find", "contains", "erase", "extract",
        "equal_range",
    }
)  # fmt: skip
_COMPARING: Final = frozenset(
    {
        "find", "find_if", "find_if_not", "any_of", "none_of", "all_of", "count", "count_if", "adjacent_find",
        "is_sorted", "is_sorted_until", "binary_search", "unique", "is_permutation", "includes", "lower_bound",
    }
)  # fmt: skip
_ADDING: Final = frozenset({"push_back", "emplace_back", "push", "insert", "emplace", "assign", "operator="})
_COMPARISONS: Final = (ir.BinaryOp.EQ, ir.BinaryOp.NE, ir.BinaryOp.LT, ir.BinaryOp.LE, ir.BinaryOp.GT, ir.BinaryOp.GE)
_DEEPEST: Final = 3

Element: TypeAlias = tuple[str, ir.Expression | None]
"""What an element is part of, and its index (None: by an operator of its own)."""


class SelectedInput(Struct, frozen=True):
    """The places of stores that a test selects, and the arms of tests that refuse input."""

    stores: frozenset[Span] = frozenset()
    refusals: frozenset[Span] = frozenset()


def selected_input(functions: Mapping[str, Function]) -> SelectedInput:
    """The stores that are selected, and the arms that refuse, in all functions of the host."""
    stores, refusals = set[Span](), set[Span]()
    for function in functions.values():
        if function.user_code and function.body is not None and function.side is not Side.KERNEL:
            text = _Text(function, functions)
            for test, later in _tests(function.body.body):
                arms = [arm for arm in (test.then, test.otherwise) if arm is not None]
                if text.selects(test.condition):
                    refusals.update(arm.span for arm in arms if _refuses(arm))
                    behind = later if any(map(_leaves, arms)) else ()
                    stores.update(span for s in (*arms, *behind) for span in _stores(s))
    return SelectedInput(frozenset(stores), frozenset(refusals))


def _tests(statements: tuple[st.Statement, ...]) -> Iterator[tuple[st.If, tuple[st.Statement, ...]]]:
    """All tests below, with the statements behind each in its block."""
    for number, statement in enumerate(statements):
        if isinstance(statement, st.If):
            yield statement, statements[number + 1 :]
        for block in _blocks_in(statement):
            yield from _tests(block)


def _blocks_in(s: st.Statement) -> Iterator[tuple[st.Statement, ...]]:
    match s:
        case st.Block(body=body):
            yield body
        case st.If(then=then, otherwise=otherwise):
            yield from ((arm,) for arm in (then, otherwise) if arm is not None)
        case st.Loop(body=body) | st.DoWhile(body=body):
            yield (body,)
        case st.Switch(cases=cases):
            yield from (case.body for case in cases)
        case _:
            pass


def _leaves(arm: st.Statement) -> bool:
    return any(isinstance(n, st.Continue | st.Break | st.Return | st.Goto) for n in nodes(arm))


def _refuses(arm: st.Statement) -> bool:
    """Whether an arm leaves the function, or ends the program."""
    return any(
        isinstance(n, st.Return | ir.Throw) or (isinstance(n, ir.Call) and n.function.library_name in ("exit", "abort"))
        for n in nodes(arm)
    )


def _stores(s: st.Statement) -> Iterator[Span]:
    for node in nodes(s):
        match node:
            case ir.Assign(place=place, span=span) | ir.Update(place=place, span=span) if _element(place) is not None:
                yield span
            case ir.Call(function=function, span=span) if function.library_name in _ADDING:
                yield span
            case _:
                pass


class _Text:
    """The text of a function: what its variables are set to, and the arrays that it stores in."""

    def __init__(self, function: Function, functions: Mapping[str, Function]) -> None:
        self.functions = functions
        self.all = tuple(nodes(function.body))
        self.values: dict[str, list[ir.Expression]] = {}
        for node in self.all:
            match node:
                case st.Declare(variable=variable, initial=value) if value is not None:
                    self.values.setdefault(variable.key, []).append(value)
                case ir.Assign(place=ir.VariablePlace(variable=variable), value=value):
                    self.values.setdefault(variable.key, []).append(value)
                case _:
                    pass
        changed = (_element(p) for n in self.all for p in _changed_by(n))
        self.changed = frozenset(found[0] for found in changed if found is not None)
        self.counted = frozenset(key for key, values in self.values.items() if all(map(_is_counted, values)))
        self.carried = frozenset(key for loop in self.all if isinstance(loop, st.Loop) for key in _carried(loop))

    def selects(self, condition: ir.Expression) -> bool:
        """Whether a test looks at an element and at others."""
        looked = tuple(self._looked_at(condition, _DEEPEST))
        return any(_asks_others(n) for n in looked) or any(self._compares(n) for n in looked)

    def _looked_at(self, e: ir.Expression, depth: int) -> Iterator[object]:
        """What an expression consists of, with what its variables are set to and what its functions return."""
        for node in nodes(e):
            yield node
            match node:
                case ir.VariablePlace(variable=variable) if depth:
                    for value in self.values.get(variable.key, ()):
                        yield from self._looked_at(value, depth - 1)
                case ir.Call(function=function) if function.user_code and depth:
                    called = self.functions.get(function.key)
                    for inner in nodes(called.body) if called is not None and called.body is not None else ():
                        if isinstance(inner, st.Return) and inner.value is not None:
                            yield from (n for n in nodes(inner.value))
                case _:
                    pass

    def _compares(self, node: object) -> bool:
        """Whether this looks up what was stored, or compares elements of one array, or one with a former one."""
        found = _looked_up(node)
        if found is not None and found[0] in self.changed and not self._is_counter(found[1]):
            return True
        match node:
            case ir.Binary(op=op, left=left, right=right) if op in _COMPARISONS:
                sides = ((left, right), (right, left))
                return _are_two(left, right) or any(_counts_keys(a, b) or self._is_former(a, b) for a, b in sides)
            case _:
                return False

    def _is_counter(self, index: ir.Expression | None) -> bool:
        """Whether an index is a number that a loop counts, or a constant; None: a pointer leads to the element."""
        loads = [n.place for n in nodes(index) if isinstance(n, ir.Load)]
        return all(isinstance(p, ir.VariablePlace) and p.variable.key in self.counted for p in loads)

    def _is_former(self, one: ir.Expression, other: ir.Expression) -> bool:
        """Whether one side keeps what an earlier iteration has found, and the other side is no constant."""
        match bare(one):
            case ir.Load(place=ir.VariablePlace(variable=variable)):
                return variable.key in self.carried and any(isinstance(n, ir.Load) for n in nodes(other))
            case _:
                return False


def _changed_by(node: object) -> Iterator[ir.Place]:
    match node:
        case ir.Assign(place=place) | ir.Update(place=place):
            yield place
        case ir.Call(function=ir.FunctionRef(name="operator="), arguments=(ir.AddressOf(place=place), *_)):
            yield place
        case _:
            pass


def _element(place: ir.Place) -> Element | None:
    """The array that a place is an element of, and its index; None: it is no element."""
    match place:
        case ir.Deref(pointer=ir.PointerAdd(pointer=pointer, index=index)):
            return _root(pointer), index
        case ir.Deref(pointer=ir.Call() as call):
            return _looked_up(call)
        case ir.Deref(pointer=pointer):
            return _root(pointer), None
        case ir.TemporaryPlace(value=ir.Call() as call):
            return _looked_up(call)
        case ir.FieldPlace(base=base):
            return _element(base)
        case _:
            return None


def _looked_up(node: object) -> Element | None:
    """The element that an expression loads, or that an operator gives."""
    match node:
        case ir.Load(place=place):
            return _element(place)
        case ir.Call(function=function, arguments=(it, index)) if function.library_name in ("operator[]", "at", "test"):
            return _root(it), index
        case _:
            return None


def _root(e: ir.Expression | ir.Place) -> str:
    """The variable, or member, that an array is."""
    match e:
        case ir.VariablePlace(variable=variable):
            return variable.key
        case ir.FieldPlace(base=base, field=member):
            return f"{_root(base)}.{member.name}"
        case ir.Load(place=inner) | ir.AddressOf(place=inner):
            return _root(inner)
        case ir.Deref(pointer=inner) | ir.PointerAdd(pointer=inner) | ir.Convert(operand=inner):
            return _root(inner)
        case ir.Call(arguments=(it, *_)):
            return _root(it)
        case _:
            return ""


def _asks_others(node: object) -> bool:
    """Whether a function of the library looks an element up among others, or compares all of some."""
    if not isinstance(node, ir.Call) or node.function.user_code:
        return False
    class_, _, name = node.function.qualified.rpartition("::")
    return (name in _BY_KEY and class_.startswith(_KEYED)) or (name in _COMPARING and class_ in ("std", "thrust"))


def _counts_keys(one: ir.Expression, other: ir.Expression) -> bool:
    """Whether a number of different keys is compared with something that is no constant."""
    sizes = (n for n in nodes(one) if isinstance(n, ir.Call) and n.function.library_name == "size")
    keyed = any(n.function.qualified.startswith(_KEYED) for n in sizes)
    return keyed and any(isinstance(n, ir.Load | ir.Call) for n in nodes(other))


def _are_two(left: ir.Expression, right: ir.Expression) -> bool:
    """Whether two elements of one array are compared, other than characters."""
    sides = [[(_element(n.place), n.type) for n in nodes(e) if isinstance(n, ir.Load)] for e in (left, right)]
    pairs = ((a, b) for a, type_ in sides[0] if not _is_text(type_) for b, _ in sides[1])
    return any(a is not None and b is not None and a[0] == b[0] and _print(a[1]) != _print(b[1]) for a, b in pairs)


def _is_text(type_: Type) -> bool:
    return isinstance(type_, PointerType) or (isinstance(type_, IntType) and type_.bits == 8)


def _print(index: ir.Expression | None) -> str:
    return "" if index is None else print_expression(index)


def _is_counted(value: ir.Expression) -> bool:
    """Whether a value is made of counters, constants and sizes."""
    loads = (n.place for n in nodes(value) if isinstance(n, ir.Load))
    calls = (n.function.library_name for n in nodes(value) if isinstance(n, ir.Call))
    return all(isinstance(p, ir.VariablePlace) for p in loads) and all(name in ("size", "length") for name in calls)


def _carried(loop: st.Loop) -> Iterator[str]:
    """The variables from before a loop that its iterations set to what they find."""
    own = {n.variable.key for n in nodes(loop) if isinstance(n, st.Declare)}
    for node in nodes(loop.body):
        match node:
            case ir.Assign(place=ir.VariablePlace(variable=variable), value=value) if variable.key not in own:
                loaded = [n.place for n in nodes(value) if isinstance(n, ir.Load)]
                if loaded and not any(isinstance(p, ir.VariablePlace) and p.variable == variable for p in loaded):
                    yield variable.key
            case _:
                pass
