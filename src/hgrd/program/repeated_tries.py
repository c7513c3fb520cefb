"""Tries to wait that a loop repeats until they succeed, as waits: `while (!try_wait(…)) {}`.

A try may tell that a phase has ended, or not; who goes on only if it has waits for that (PTX ISA, "mbarrier.try_wait").
A function that only tells what a try has told is one itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.barrier_objects import TRY_PHASE, WAIT_PHASE
from hgrd.cuda.builtins import Kind, builtin
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Expression, FunctionRef, Storage
from hgrd.program.program import Function
from hgrd.program.types import BOOL, VOID, BoolType
from hgrd.program.walk import as_block, mapped, nodes, rebuilt

_WAITING = " that waits"  # behind the key of a function: it as it is where its tries succeed


class _UnclearError(Exception):
    """What is done there is more than a try."""


class _LeftError(Exception):
    """A loop is left there."""


class _Told(Exception):  # noqa: N818
    """A function returns there."""

    def __init__(self, value: int | None) -> None:
        super().__init__()
        self.value = value


def with_waits(functions: Mapping[str, Function]) -> Mapping[str, Function]:
    """The functions, with a wait in place of each loop that only repeats a try until it succeeds."""
    if not any(map(_is_try, _calls(f.body for f in functions.values()))):
        return functions
    known = _known(functions)
    made = {
        key + _WAITING: replace(f, ref=replace(f.ref, key=key + _WAITING), body=as_block(_succeeding(f.body, known)))
        for key, f in functions.items()
        if key in known.tries and f.body is not None
    }
    found = {
        key: f if f.body is None else replace(f, body=as_block(mapped(f.body, lambda s: _wait(s, known))))
        for key, f in functions.items()
    }
    return {**found, **made}


class _Known(Struct):
    """What is known of functions, by key: of tries, what they give where they fail, and where they succeed.

    `pure` ones only compute.
    """

    tries: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    pure: set[str] = field(default_factory=set[str])


def _known(functions: Mapping[str, Function]) -> _Known:
    known = _Known()
    left = {key: f.body for key, f in functions.items() if f.body is not None}
    while True:
        more = {key: _tells(body, known) for key, body in left.items()}
        found = {key: told for key, told in more.items() if told is not None}
        if not found:
            return known
        for key, told in found.items():
            del left[key]
            if told:
                known.tries[key] = told[0], told[1]
            else:
                known.pure.add(key)


def _tells(body: st.Block, known: _Known) -> tuple[int, ...] | None:
    """What a function gives where its try fails, and where it succeeds; () if it has none; None: it does more."""
    found: list[int | None] = []
    for outcome in (False, True):
        try:
            _Run(outcome, known).statement(body)
        except _Told as told:
            found.append(told.value)
        except (_UnclearError, _LeftError):
            return None
    if not _tries((body,), known):
        return ()
    numbers = tuple(n for n in found if n is not None)
    return numbers if len(set(numbers)) > 1 else None


# ---------------------------------------------------------------- loops


def _wait(loop: st.Statement, known: _Known) -> st.Statement | None:
    """What waits, in place of a loop that only repeats a try; None: it does something else."""
    match loop:
        case st.Loop(condition=condition, step=None, body=body) if _tries((condition, body), known):
            pass
        case st.DoWhile(condition=condition, body=body) if _tries((condition, body), known):
            pass
        case _:
            return None
    try:
        if not _goes_on(loop, known) or _goes_on(loop, known, succeeds=True):
            return None
    except _UnclearError:
        return None
    if isinstance(loop, st.DoWhile):
        return _succeeding(st.Block((loop.body, st.Evaluate(loop.condition, loop.span)), loop.span), known)
    if condition is not None and _tries((condition,), known):
        return _succeeding(st.Block((st.Evaluate(condition, loop.span),), loop.span), known)
    once = _succeeding(st.Block((mapped(body, _without_break),), loop.span), known)
    return once if condition is None else st.If(condition, once, None, loop.span)


def _goes_on(loop: st.Loop | st.DoWhile, known: _Known, *, succeeds: bool = False) -> bool:
    """Whether the loop makes another iteration where all tries have this outcome."""
    run = _Run(succeeds, known)
    try:
        if isinstance(loop, st.Loop) and loop.condition is not None and _tries((loop.condition,), known):
            if not run.known(loop.condition):
                return False
            run.statement(loop.body)
            return True
        run.statement(loop.body)
        return loop.condition is None or bool(run.known(loop.condition))
    except _LeftError:
        return False
    except _Told as told:
        raise _UnclearError from told


def _without_break(statement: st.Statement) -> st.Statement | None:
    """The condition of a break, in place of it."""
    match statement:
        case st.If(condition=condition, then=then, otherwise=None) if _only_breaks(then):
            return st.Evaluate(condition, statement.span)
        case _:
            return None


def _only_breaks(statement: st.Statement) -> bool:
    match statement:
        case st.Break():
            return True
        case st.Block(body=(only,)):
            return _only_breaks(only)
        case _:
            return False


# ---------------------------------------------------------------- tries


def _is_try(call: ir.Call) -> bool:
    return call.function.library_name == TRY_PHASE


def _calls(roots: Iterable[object]) -> Iterable[ir.Call]:
    return (n for root in roots for n in nodes(root) if isinstance(n, ir.Call))


def _tries(roots: Iterable[object], known: _Known) -> bool:
    return any(_is_try(c) or c.function.key in known.tries for c in _calls(roots))


def _succeeding(body: st.Block, known: _Known) -> st.Statement:
    """Statements as they are where their tries succeed: they wait before."""
    return mapped(body, lambda s: _after_wait(s, known))


def _after_wait(s: st.Statement, known: _Known) -> st.Statement | None:
    match s:
        case st.Declare() | st.Evaluate() | st.Return() if _tries((s,), known):
            waits = tuple(st.Evaluate(_waiting(c), c.span) for c in _calls((s,)) if _is_try(c))
            done = rebuilt(s, lambda n: _told(n, known))
            assert isinstance(done, st.Declare | st.Evaluate | st.Return)
            return st.Block((*waits, done), s.span)
        case st.If(condition=condition) if _tries((condition,), known):
            waits = tuple(st.Evaluate(_waiting(c), c.span) for c in _calls((condition,)) if _is_try(c))
            done = rebuilt(condition, lambda n: _told(n, known))
            assert isinstance(done, Expression)
            return st.Block((*waits, replace(s, condition=done)), s.span)
        case _:
            return None


def _waiting(call: ir.Call) -> ir.Call:
    return replace(call, function=FunctionRef(WAIT_PHASE, "wait_parity", WAIT_PHASE, VOID), type=VOID)


def _told(node: object, known: _Known) -> object:
    """A try as what it gives behind the wait; other nodes as they are."""
    match node:
        case ir.Call() if _is_try(node):
            return ir.IntConst(1, BOOL, node.span)
        case ir.Call(function=function) if function.key in known.tries:
            return replace(node, function=replace(function, key=function.key + _WAITING))
        case _:
            return node


# ---------------------------------------------------------------- runs


class _Run(Struct):
    """Run of statements that only try, and compute with what they are told: `outcome` is that of all tries."""

    outcome: bool
    functions: _Known
    held: dict[str, int | None] = field(default_factory=dict[str, "int | None"])

    def statement(self, statement: st.Statement) -> None:
        match statement:
            case st.Block(body=body):
                for part in body:
                    self.statement(part)
            case st.Declare(variable=variable, initial=initial) if variable.storage is Storage.LOCAL:
                self.held[variable.key] = None if initial is None else self.value(initial)
            case st.Evaluate(expression=expression):
                self.value(expression)
            case st.If(condition=condition, then=then, otherwise=otherwise):
                taken = then if self.known(condition) else otherwise
                if taken is not None:
                    self.statement(taken)
            case st.Return(value=value):
                raise _Told(None if value is None else self.value(value))
            case st.Break():
                raise _LeftError
            case _:
                raise _UnclearError

    def known(self, e: Expression) -> int:
        value = self.value(e)
        if value is None:
            raise _UnclearError
        return value

    def value(self, e: Expression) -> int | None:
        match e:
            case ir.IntConst(value=value):
                return value
            case ir.Load(place=ir.VariablePlace(variable=variable)):
                return self.held.get(variable.key)
            case ir.Convert(operand=operand, type=type_):
                value = self.value(operand)
                return int(value != 0) if value is not None and isinstance(type_, BoolType) else value
            case ir.Unary(op=ir.UnaryOp.NOT, operand=operand):
                value = self.value(operand)
                return None if value is None else int(value == 0)
            case ir.Binary(op=ir.BinaryOp.EQ | ir.BinaryOp.NE as op, left=left, right=right):
                one, two = self.value(left), self.value(right)
                return None if one is None or two is None else int((one == two) is (op is ir.BinaryOp.EQ))
            case ir.Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.known(condition) else otherwise)
            case ir.Comma(left=left, right=right):
                self.value(left)
                return self.value(right)
            case ir.Assign(place=ir.VariablePlace(variable=variable), value=value) if (
                variable.storage is Storage.LOCAL and not e.volatile
            ):
                self.held[variable.key] = self.value(value)
                return self.held[variable.key]
            case ir.Call(function=function, arguments=arguments):
                return self._called(e, function, arguments)
            case _:
                self._only_computes(e)
                return None

    def _called(self, call: ir.Call, function: FunctionRef, arguments: tuple[Expression, ...]) -> int | None:
        if _is_try(call):
            return int(self.outcome)
        if function.key in self.functions.tries:
            return self.functions.tries[function.key][self.outcome]
        row = builtin(function.library_name)
        if function.key not in self.functions.pure and (row is None or row.kind not in (Kind.SILENT, Kind.ADDRESS)):
            raise _UnclearError
        for argument in arguments:
            self.value(argument)
        return None

    def _only_computes(self, e: Expression) -> None:
        """Raises _UnclearError for an expression that may do more than compute, or contain a try."""
        for node in nodes(e):
            if isinstance(node, ir.Assign | ir.Update | ir.Construct | ir.New | ir.IndirectCall | ir.Launch | ir.Throw):
                raise _UnclearError
            if isinstance(node, ir.Call) and node.function.key not in self.functions.pure:
                raise _UnclearError
