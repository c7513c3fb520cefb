"""What code does while work is not complete: loops that ask for it, with a query that says cudaErrorNotReady.

while (!(value = pending.poll())) {}     // goes on if poll() is empty then, whatever else it looks at
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct, field

from hgrd.cuda.spelling import cuda_name
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.types import BoolType, OpaqueType, PointerType
from hgrd.program.walk import nodes

QUERIES: Final = ("cudaStreamQuery", "cudaEventQuery")
NOT_READY: Final = 600  # cudaErrorNotReady
_NEXT, _CONTINUE, _BREAK, _RETURN = "next", "continue", "break", "return"
_OWN: Final = (ir.Storage.LOCAL, ir.Storage.PARAMETER)
_DEEPEST: Final = 8  # calls
_OPTIONAL: Final = "std::optional::"
_COMPARED: Final[Mapping[ir.BinaryOp, Callable[[int, int], bool]]] = {
    ir.BinaryOp.EQ: operator.eq,
    ir.BinaryOp.NE: operator.ne,
    ir.BinaryOp.LT: operator.lt,
    ir.BinaryOp.LE: operator.le,
    ir.BinaryOp.GT: operator.gt,
    ir.BinaryOp.GE: operator.ge,
}

Known = dict[str, int]
"""Variables by their keys, as far as they are known; of an optional whether it has a value."""


def is_query(node: object) -> bool:
    """Whether this asks if work is complete."""
    return isinstance(node, ir.Call) and cuda_name(node.function.name) in QUERIES


def goes_on(loop: st.Loop | st.DoWhile, asked: ir.Call, functions: Mapping[str, Function]) -> bool:
    """Whether a loop surely goes on after an iteration in which what is asked in one of its calls is not complete."""
    run, known = _Run(functions, asked), Known()
    ends = run.statement(loop.body, known)
    states = ([known] if _NEXT in ends else []) + run.continued
    return ends.isdisjoint((_BREAK, _RETURN)) and all(_is_tested_again(loop, run, state) for state in states)


def _is_tested_again(loop: st.Loop | st.DoWhile, run: _Run, known: Known) -> bool:
    if isinstance(loop, st.Loop) and loop.step is not None:
        run.value(loop.step, known)
    return loop.condition is None or bool(run.value(loop.condition, known))


class _Run(Struct):
    """A run in which the queries of one call say that work is not complete; None: what a value is is not known.

    `inside` counts the calls that it is in, from that one on; `returned` are the values of the innermost one.
    `continued` has what is known where an iteration ends early.
    """

    functions: Mapping[str, Function]
    asked: ir.Call
    inside: int = 0
    continued: list[Known] = field(default_factory=list[Known])
    returned: list[int | None] = field(default_factory=list["int | None"])

    def statement(self, s: st.Statement, known: Known) -> frozenset[str]:
        """How a statement may end; it changes what is known."""
        match s:
            case st.Block(body=inner):
                return self._all(inner, known)
            case st.Evaluate(expression=e):
                self.value(e, known)
            case st.Declare(variable=variable, initial=initial):
                _set(known, variable, None if initial is None else self.value(initial, known))
            case st.If(condition=condition, then=then, otherwise=otherwise):
                return self._choice(self.value(condition, known), (then, otherwise), known)
            case st.Return(value=value):
                self.returned.append(None if value is None else self.value(value, known))
                return frozenset({_RETURN})
            case st.Break():
                return frozenset({_BREAK})
            case st.Continue():
                self.continued.append(dict(known))
                return frozenset({_CONTINUE})
            case st.Label() | st.Assembly():
                known.clear()
            case _:
                return self._anything(s, known)
        return frozenset({_NEXT})

    def _all(self, statements: tuple[st.Statement, ...], known: Known) -> frozenset[str]:
        found = frozenset[str]()
        for s in statements:
            ends = self.statement(s, known)
            found |= ends - {_NEXT}
            if _NEXT not in ends:
                return found
        return found | {_NEXT}

    def _choice(self, test: int | None, arms: tuple[st.Statement | None, ...], known: Known) -> frozenset[str]:
        chosen = arms if test is None else (arms[0] if test else arms[1],)
        found, states = frozenset[str](), list[Known]()
        for arm in chosen:
            state = dict(known)
            ends = frozenset({_NEXT}) if arm is None else self.statement(arm, state)
            found |= ends
            states += [state] if not ends.isdisjoint((_NEXT, _CONTINUE)) else []
        same = {k: v for k, v in (states[0].items() if states else ()) if all(s.get(k) == v for s in states)}
        known.clear()
        known.update(same)
        return found

    def _anything(self, s: st.Statement, known: Known) -> frozenset[str]:
        """A statement of which nothing is known but that it ends, or leaves what is around it."""
        known.clear()
        leaves = any(isinstance(n, st.Return | st.Goto | ir.Throw | st.UnsupportedStatement) for n in nodes(s))
        if leaves:
            self.returned.append(None)
        goes = isinstance(s, st.Switch) and any(isinstance(n, st.Continue) for n in nodes(s))
        self.continued += [Known()] if goes else []
        return frozenset((_NEXT, *((_RETURN,) if leaves else ()), *((_CONTINUE,) if goes else ())))

    def value(self, e: ir.Expression, known: Known) -> int | None:
        """The value of an expression; it changes what is known."""
        match e:
            case ir.IntConst(value=number):
                return number
            case ir.Load(place=ir.VariablePlace(variable=variable)):
                return known.get(variable.key)
            case ir.Convert(operand=operand, type=type_):
                found = self.value(operand, known)
                return int(found != 0) if found is not None and isinstance(type_, BoolType) else found
            case ir.Unary(op=ir.UnaryOp.NOT, operand=operand):
                found = self.value(operand, known)
                return None if found is None else int(not found)
            case ir.Binary(op=op, left=left, right=right) if op in _COMPARED:
                one, other = self.value(left, known), self.value(right, known)
                return None if one is None or other is None else int(_COMPARED[op](one, other))
            case ir.Logical(conjunction=conjunction, left=left, right=right):
                return self._both(conjunction, (left, right), known)
            case ir.Comma(left=left, right=right):
                self.value(left, known)
                return self.value(right, known)
            case ir.Assign(place=ir.VariablePlace(variable=variable), value=value):
                return _set(known, variable, self.value(value, known))
            case ir.Call():
                return self._call(e, known)
            case ir.Construct(constructor=ir.FunctionRef() as made, arguments=given) if _is_optional(made):
                return self._optional(given, known)
            case _:
                self._parts(e, known)
                return None

    def _both(self, conjunction: bool, sides: tuple[ir.Expression, ir.Expression], known: Known) -> int | None:
        first = self.value(sides[0], known)
        if first is not None and bool(first) != conjunction:
            return int(not conjunction)
        state = known if first is not None else dict(known)
        second = self.value(sides[1], state)
        if second is not None and bool(second) != conjunction:
            return int(not conjunction)
        for key in [k for k, v in known.items() if state.get(k) != v]:
            del known[key]
        return None if first is None or second is None else int(conjunction)

    def _object(self, pointer: ir.Expression, known: Known) -> int | None:
        """Whether the optional that a pointer leads to has a value."""
        match pointer:
            case ir.AddressOf(place=ir.VariablePlace(variable=variable)):
                return known.get(variable.key)
            case ir.AddressOf(place=ir.TemporaryPlace(value=value)):
                return self.value(value, known)
            case ir.AddressOf(place=ir.Deref(pointer=inner)):
                return self._object(inner, known)
            case ir.Call() | ir.Convert() | ir.Construct():
                return self.value(pointer, known)
            case _:
                self._parts(pointer, known)
                return None

    def _call(self, call: ir.Call, known: Known) -> int | None:
        function, given = call.function, call.arguments
        if _is_optional(function):
            return self._member(call, known)
        known_arguments = [self.value(argument, known) for argument in given]
        inside = self.inside or call is self.asked
        if is_query(call):
            return NOT_READY if inside else None
        body = self.functions.get(function.key)
        if not inside or body is None or body.body is None or self.inside == _DEEPEST:
            return None
        before, self.returned, self.inside = self.returned, [], self.inside + 1
        state = {p.key: v for p, v in zip(body.parameters, known_arguments, strict=False) if v is not None}
        ends = self.statement(body.body, state)
        values, self.returned, self.inside = self.returned, before, self.inside - 1
        return values[0] if values and len(set(values)) == 1 and ends == frozenset({_RETURN}) else None

    def _member(self, call: ir.Call, known: Known) -> int | None:
        """A member of an optional: whether it has a value, then."""
        match call.function.name, call.arguments:
            case "operator=", (ir.AddressOf(place=ir.VariablePlace(variable=variable)), value):
                return _set(known, variable, self._optional((value,), known))
            case "operator bool" | "has_value", (it,):
                return self._object(it, known)
            case _, given:
                for argument in given:
                    self._parts(argument, known)
                return None

    def _optional(self, given: tuple[ir.Expression, ...], known: Known) -> int | None:
        """Whether an optional that is made of this has a value."""
        match given:
            case ():
                return 0
            case (one,):
                name = _class_of(one)
                if name.startswith("std::optional"):
                    return self._object(one, known)
                return int(not name.endswith("nullopt_t"))
            case _:
                return 1

    def _parts(self, e: ir.Expression, known: Known) -> None:
        """Forgets what an expression may change."""
        for node in nodes(e):
            match node:
                case (
                    ir.Assign(place=ir.VariablePlace(variable=variable))
                    | ir.Update(place=ir.VariablePlace(variable=variable))
                    | ir.AddressOf(place=ir.VariablePlace(variable=variable))
                ):
                    known.pop(variable.key, None)
                case _:
                    pass


def _set(known: Known, variable: ir.Variable, value: int | None) -> int | None:
    """Stores in a variable, which is known if nothing but its own function may change it."""
    if value is None or variable.storage not in _OWN:
        known.pop(variable.key, None)
    else:
        known[variable.key] = value
    return value


def _is_optional(function: ir.FunctionRef) -> bool:
    qualified = function.qualified
    return not function.user_code and (qualified.startswith(_OPTIONAL) or qualified == "optional::operator bool")


def _class_of(e: ir.Expression) -> str:
    """The name of the library's class that a value has, or what a pointer leads to."""
    type_ = e.type
    while isinstance(type_, PointerType):
        type_ = type_.to
    return type_.name if isinstance(type_, OpaqueType) else ""
