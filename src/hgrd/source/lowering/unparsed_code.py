"""Unparsed code: host code that clang drops since it does not compile; it may do anything to all that it mentions.

A statement with an error in it has no syntax tree, or one with holes.  The text gives its place and the names in it.
It becomes a call of a function without a body, which gets the address of every variable that is mentioned; a function
or kernel that is mentioned may be called, with any arguments; a return or a jump may be made, too.  A statement with
a partial syntax tree is put between two such calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    Call,
    Expression,
    FunctionAddress,
    Launch,
    Load,
    Storage,
    Unsupported,
    Variable,
    VariablePlace,
)
from hgrd.program.program import Diagnostic, Function, Global, Side
from hgrd.program.sentinels import DROPPED
from hgrd.program.span import Span
from hgrd.program.statements import (
    Block,
    Break,
    Continue,
    Declare,
    DoWhile,
    Evaluate,
    If,
    Loop,
    Return,
    Statement,
    Switch,
    UnsupportedStatement,
)
from hgrd.program.types import BOOL, VOID, FunctionType, PointerType, Type
from hgrd.program.walk import below, inside, nodes
from hgrd.source.text.code import CodeText, code_text


def _read(file: str) -> CodeText | None:
    try:
        return code_text(Path(file).read_bytes())
    except OSError:
        return None


class _Unit(Struct, frozen=True):
    functions: Mapping[str, Function]
    globals: Mapping[str, Global]


def with_dropped(
    functions: Mapping[str, Function], globals_: Mapping[str, Global], diagnostics: Iterable[Diagnostic]
) -> tuple[dict[str, Function], dict[str, Global]]:
    """The functions of the host and the globals, with what the errors in them leave unknown."""
    unit = _Unit(functions, globals_)
    new_functions, new_globals = dict(functions), dict(globals_)
    texts: dict[str, CodeText | None] = {}
    for error in diagnostics:
        file = error.span.file
        text = texts[file] if file in texts else texts.setdefault(file, _read(file))
        if not error.error or text is None or error.span.line < 1:
            continue
        place = text.at(error.span)
        around = [f for f in new_functions.values() if _holds(f, file, place, text)]
        for f in around:
            if f.side in (Side.HOST, Side.BOTH):
                marked = _Marking(unit, f, text, place, error.span).function()
                new_functions[f.ref.key] = marked
        if not around:
            new_globals |= _unknown(new_globals, file, place, text, error.span)
    if len(new_functions) and any(new_functions[k] is not f for k, f in functions.items()):
        declared = Function(DROPPED, Side.HOST, (), BOOL, None, Span("", 0, 0))
        new_functions.setdefault(DROPPED.key, declared)
    return new_functions, new_globals


def _holds(function: Function, file: str, place: int, text: CodeText) -> bool:
    """Whether a place in a file is in a function with a body."""
    if function.body is None or function.span.file != file or not function.user_code:
        return False
    start = text.at(function.span)
    return start <= place < text.function_end(start)


def _unknown(globals_: Mapping[str, Global], file: str, place: int, text: CodeText, span: Span) -> dict[str, Global]:
    """The variables in the declaration at a place outside of functions, whose initial values are unknown."""
    start = max(text.code.rfind(c, 0, place) for c in ";}") + 1
    end = text.find(";", place)
    found: dict[str, Global] = {}
    for key, item in globals_.items():
        where = item.variable.span
        if where.file == file and start <= text.at(where) <= end:
            found[key] = replace(item, initial=Unsupported("does not compile", (), item.variable.type, span))
    return found


# ---------------------------------------------------------------- functions


class _Around(Struct, frozen=True):
    """Whether there is a statement that `break` leaves, or a loop that `continue` continues."""

    breaks: bool = False
    continues: bool = False


_OUTSIDE = _Around()
_Change: TypeAlias = "Callable[[tuple[Statement, ...], _Around], tuple[Statement, ...]]"


class _Marking(Struct, frozen=True):
    """An error in a host function; `words` are the names in the code that may have been dropped for it."""

    unit: _Unit
    of: Function
    text: CodeText
    place: int
    span: Span
    words: frozenset[str] = frozenset()

    def function(self) -> Function:
        assert self.of.body is not None
        body = self.of.body.body
        there = replace(self, words=self._words(body))
        return replace(self.of, body=replace(self.of.body, body=there._list(body, _OUTSIDE)))

    # ------------------------------------------------------------ where

    def _start(self, statement: Statement) -> int | None:
        own = statement.span.file == self.span.file and statement.span.line > 0
        return self.text.at(statement.span) if own else None

    def _words(self, body: tuple[Statement, ...]) -> frozenset[str]:
        """The names in the text from the last statement that is left, or its end, up to the next one."""
        begin = self.text.at(self.of.span)
        end = self.text.function_end(begin)
        for statement in below(body):
            start = self._start(statement)
            if start is None or start < begin:
                continue
            if start > self.place:
                end = min(end, start)
                continue
            after = self.text.statement_end(start)
            begin = after if after <= self.place and not inside(statement) else start
        return self.text.words(begin, end)

    def _list(self, statements: tuple[Statement, ...], around: _Around) -> tuple[Statement, ...]:
        """Statements in sequence, with the dropped code inserted where the error may be."""
        starts = [self._start(s) for s in statements]
        index = max((i for i, start in enumerate(starts) if start is not None and start <= self.place), default=-1)
        before, last, after = (
            statements[: max(index, 0)],
            statements[max(index, 0) : index + 1],
            statements[index + 1 :],
        )
        start = None if index < 0 else starts[index]
        if start is None or self.place >= self.text.statement_end(start):
            return (*before, *last, *self._lost(around), *after)
        if any((inner := self._start(s)) is not None and inner <= self.place for s in below(inside(last[0]))):
            return (*before, self._within(last[0], around, self._list), *after)
        broken = self._within(last[0], around, lambda body, _: (self._changed(), *body))
        return (*before, *self._lost(around, last), broken, self._changed(), *after)

    def _within(self, statement: Statement, around: _Around, change: _Change) -> Statement:
        """The statement with changes to each list of statements directly in it."""

        def part(inner: Statement, there: _Around) -> Statement:
            body = inner.body if isinstance(inner, Block) else (inner,)
            return Block(change(body, there), inner.span)

        match statement:
            case Block(body=body):
                return replace(statement, body=change(body, around))
            case If(then=then, otherwise=otherwise):
                other = None if otherwise is None else part(otherwise, around)
                return replace(statement, then=part(then, around), otherwise=other)
            case Loop(body=body) | DoWhile(body=body):
                return replace(statement, body=part(body, _Around(True, True)))
            case Switch(cases=cases):
                inner = replace(around, breaks=True)
                return replace(statement, cases=tuple(replace(c, body=change(c.body, inner)) for c in cases))
            case UnsupportedStatement(parts=parts):
                return replace(statement, parts=change(parts, around))
            case _:
                return statement

    # ------------------------------------------------------------ what

    def _lost(self, around: _Around, left: tuple[Statement, ...] = ()) -> tuple[Statement, ...]:
        """All possible effects of the dropped code; `left`: the part of it that was not dropped."""
        found: list[Statement] = [self._changed()]
        found += [self._perhaps(self._use(f)) for f in self._functions(left)]
        returns = self.of.returns
        if "return" in self.words:
            found.append(self._perhaps(Return(None if returns == VOID else self._any(returns), self.span)))
        if "break" in self.words and around.breaks:
            found.append(self._perhaps(Break(self.span)))
        if "continue" in self.words and around.continues:
            found.append(self._perhaps(Continue(self.span)))
        return tuple(found)

    def _changed(self) -> Statement:
        """New unknown values of all variables that are mentioned, and of the object of a method."""
        names = {*self.words, "this"}
        return Evaluate(self._call(tuple(self._operand(v) for v in self._variables() if v.name in names)), self.span)

    def _perhaps(self, statement: Statement) -> Statement:
        return If(self._call(()), statement, None, self.span)

    def _call(self, arguments: tuple[Expression, ...]) -> Expression:
        return Call(DROPPED, arguments, BOOL, self.span)

    def _any(self, type_: Type) -> Expression:
        return Unsupported("does not compile", (), type_, self.span)

    def _variables(self) -> Iterable[Variable]:
        body = self.of.body
        found = list(self.of.parameters)
        found += [s.variable for s in below(() if body is None else (body,)) if isinstance(s, Declare)]
        found += [g.variable for g in self.unit.globals.values()]
        of_host = (Storage.LOCAL, Storage.PARAMETER, Storage.GLOBAL, Storage.STATIC, Storage.CONSTANT)
        return {v.key: v for v in found if v.storage in of_host}.values()

    def _operand(self, variable: Variable) -> Expression:
        """The address of a variable, of the object of a reference, or of the object of a method."""
        place = VariablePlace(variable, self.span)
        if variable.name == "this" or (isinstance(variable.type, PointerType) and variable.type.reference):
            return Load(place, variable.type, self.span)
        return AddressOf(place, PointerType(variable.type), self.span)

    def _functions(self, left: tuple[Statement, ...]) -> list[Function]:
        """Functions and kernels of the user that are mentioned in the dropped part."""
        named = [f for f in self.unit.functions.values() if f.ref.name in self.words and f.user_code]
        used = {n.function.key for n in nodes(left) if isinstance(n, Call | FunctionAddress)} | {self.of.ref.key}
        return [f for f in named if f.side is not Side.DEVICE and f.ref.key not in used]

    def _use(self, function: Function) -> Statement:
        """A call or launch with any arguments."""
        arguments = tuple(self._any(p.type) for p in function.parameters)
        if function.side is not Side.KERNEL:
            return Evaluate(Call(function.ref, arguments, function.returns, self.span), self.span)
        kernel = FunctionAddress(function.ref, PointerType(FunctionType()), self.span)
        extents = self._any(VOID), self._any(VOID)
        return Evaluate(Launch(kernel, *extents, None, None, arguments, VOID, self.span), self.span)
