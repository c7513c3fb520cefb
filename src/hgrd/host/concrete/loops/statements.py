"""Translation of the statements of loops over numbers, and of the functions that they call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeGuard, TypeVar, cast

from msgspec import Struct

from hgrd.host.concrete.loops import arithmetic
from hgrd.host.concrete.loops.addresses import LOCAL, Element, Number, Used, is_steady, meaning
from hgrd.host.concrete.loops.text import Untranslatable
from hgrd.host.concrete.loops.translation import CONTAINERS, LOST, NUMBERS, Local, Translation, has_effects
from hgrd.host.concrete.state.memory import Records, width_of
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.analysis.effects import local_effects
from hgrd.program.expressions import BinaryOp, Variable
from hgrd.program.program import Function
from hgrd.program.statements import Statement
from hgrd.program.types import IntType, PointerType, VoidType
from hgrd.program.walk import nodes, rebuilt

_DEEPEST: Final = 6  # calls in calls
_SHIFTS: Final = (BinaryOp.SHL, BinaryOp.SHR)
_Code = TypeVar("_Code", Statement, ir.Expression)


class Translated(Struct, frozen=True):
    """A loop as the source of a function of Python, with what it uses.

    The function takes `left`, the steps that it may take, then the numbers, and for each array its values, states,
    first element, number of elements, and offset in bytes; the result is `left`, and the numbers that the loop stores.
    """

    source: str
    used: Used
    waits: bool


def translated(loop: st.Loop, functions: Mapping[str, Function], records: Records, *, checked: bool) -> Translated:
    """The translation of a loop; raises Untranslatable.  `checked`: elements that are read may be unknown."""
    effects = local_effects(loop)
    if effects.launches:
        raise Untranslatable
    declared = {node.variable.key for node in nodes(loop) if isinstance(node, st.Declare)}
    assigned = {variable.key for variable in effects.assigned}
    growing: set[object] = set()
    while True:
        translation = LoopTranslation(functions, records, set(assigned), assigned | declared, checked, growing=growing)
        translation.loop(loop)
        if translation.grown <= growing:
            break
        growing |= translation.grown  # which was not known before
    used = translation.used
    numbers, starts = list(used.numbers.values()), list(used.starts.values())
    parameters = ["left", *(n.name for n in numbers), *(f"{part}{s.number}" for s in starts for part in "askno")]
    results = ["left", *(n.name for n in numbers if n.stored)]
    lines = [f"def run({', '.join(parameters)}):", *translation.text.lines, f"    return ({', '.join(results)},)"]
    return Translated("\n".join(lines), used, translation.waits)


class LoopTranslation(Translation):
    """A translation of statements, too."""

    def statement(self, statement: Statement, step: ir.Expression | None = None) -> None:
        """The lines of a statement in a loop with a step."""
        match statement:
            case st.Block(body=body):
                for part in body:
                    self.statement(part, step)
            case st.Evaluate(expression=e):
                self.effect(e)
            case st.Declare(variable=variable, initial=initial):
                self._declare(variable, initial)
            case st.If(condition=condition, then=then, otherwise=otherwise):
                with self.text.block(f"if {self.condition(condition)}:"):
                    self.statement(then, step)
                if otherwise is not None:
                    with self.text.block("else:"):
                        self.statement(otherwise, step)
            case st.Loop():
                self.loop(statement)
            case st.Break():
                self.text.line("break")
            case st.Continue():
                self._step(step)
                self.text.line("continue")
            case _:
                raise Untranslatable

    def loop(self, loop: st.Loop) -> None:
        """The lines of a loop; each iteration takes its part of the steps that are left."""
        cost = 1 + sum(isinstance(node, st.Evaluate | st.Declare | st.If) for node in nodes(loop.body))
        with self.text.block("while True:"):
            if loop.condition is not None:
                self.text.line(f"if not ({self.condition(loop.condition)}): break")
            self.text.line(f"left -= {cost}")
            self.text.line("if left < 0: lost()")
            self.statement(loop.body, loop.step)
            self._step(loop.step)

    def _step(self, step: ir.Expression | None) -> None:
        if step is not None:
            self.effect(step)

    def _declare(self, variable: Variable, initial: ir.Expression | None) -> None:
        if isinstance(variable.type, NUMBERS) and variable.storage in LOCAL:
            value = LOST if initial is None else self.value(initial)
            always = value == LOST and variable.key not in self.assigned
            name = LOST if always else self.text.kept(value)
            self.known[variable.key] = Local(name)
            self.unsure |= {name} if value == LOST or value in self.unsure else set()
        elif isinstance(variable.type, PointerType) and initial is not None and variable.key not in self.assigned:
            self._lead(variable, initial)
        else:
            raise Untranslatable

    def _lead(self, variable: Variable, initial: ir.Expression) -> None:
        """A pointer, or a reference, stands for where it leads; the loop may not move it."""
        at = self.address(initial)
        if isinstance(at, Element):
            terms = [(self.text.kept(text), stride, signed) for text, stride, signed in at.terms]
            at = Element(at.start, at.of_container, tuple(terms), at.offset)
        self.known[variable.key] = at

    # ------------------------------------------------------------ effects

    def effect(self, e: ir.Expression) -> None:
        """The lines of an expression whose value is not used."""
        match e:
            case ir.Comma(left=left, right=right):
                self.effect(left)
                self.effect(right)
            case ir.Assign():
                self._assign(e)
            case ir.Update():
                self._update(e)
            case ir.Call():
                self._call(e)
            case ir.Convert(operand=operand):
                self.effect(operand)
            case _ if not has_effects(e):
                pass
            case _:
                raise Untranslatable

    def effect_value(self, e: ir.Expression) -> str:
        match e:
            case ir.Assign():
                return self._assign(e)
            case ir.Update(type=PointerType()):
                raise Untranslatable
            case ir.Update():
                return self._update(e)
            case ir.Comma(left=left, right=right):
                self.effect(left)
                return self.value(right)
            case _:
                raise Untranslatable

    def called(self, e: ir.Call) -> str:
        found = self._call(e)
        if found is None:
            raise Untranslatable
        return found

    def _assign(self, e: ir.Assign) -> str:
        """Stores a value; the result is its text."""
        at = self.place(e.place, e.type)
        index = self.element(at, e.type, stores=True) if isinstance(at, Element) else ""
        if index and has_effects(e.value):
            index = self.text.kept(index)
        return self._store(at, index, self.value(e.value))

    def _store(self, at: Element | Local | Number, index: str, value: str) -> str:
        if isinstance(at, Element):
            number = self.used.start_of(at).number
            index = index if index.isidentifier() else self.text.kept(index)
            if value == LOST:
                self.text.line(f"s{number}[{index}] = 2")
                return LOST
            value = value if value.isidentifier() else self.text.kept(value)
            stored = f"a{number}[{index}] = {value}; s{number}[{index}] = 1"
            if value in self.unsure:
                self.text.line(f"s{number}[{index}] = 2")
                stored = f"if {value} is not LOST: {stored}"
            self.text.line(stored)
            return value
        self.set(at.name, value)
        if isinstance(at, Number):
            at.stored = True
        return LOST if value == LOST else at.name

    def _update(self, e: ir.Update) -> str:
        """Changes a number, or moves a pointer; the result is the text of the value before or after."""
        if isinstance(e.type, PointerType):
            return self._move(e)
        at = self.place(e.place, e.type)
        index = ""
        if isinstance(at, Element):
            index = self.text.kept(self.element(at, e.type, stores=True))
            number = self.used.start_of(at)
            number.read = True
            old = f"a{number.number}[{index}]"
            old = f"({old} if s{number.number}[{index}] == 1 else lost())" if self.checked else old
        else:
            old = at.name
        if e.postfix or has_effects(e.value):
            old = self.text.kept(old)
        by = self.value(e.value)
        if by == LOST:
            return self._store(at, index, LOST)
        value = self._changed(e, old, by)
        after = self._store(at, index, value)
        return old if e.postfix else after

    def _changed(self, e: ir.Update, old: str, by: str) -> str:
        wide = arithmetic.converted(old, e.type, e.compute_type)
        operand = by if e.op in _SHIFTS else arithmetic.converted(by, e.value.type, e.compute_type)
        found = arithmetic.binary(e.op, wide, operand, e.compute_type, self.text.name())
        return arithmetic.converted(found, e.compute_type, e.type)

    def _move(self, e: ir.Update) -> str:
        if not isinstance(e.place, ir.VariablePlace) or e.op not in (BinaryOp.ADD, BinaryOp.SUB):
            raise Untranslatable
        if e.place.variable.key in self.known:
            raise Untranslatable
        pointer, by = self.cursor(ir.Load(e.place, e.type, e.span)), self.value(e.value)
        if by == LOST or not isinstance(e.value.type, IntType):
            raise Untranslatable
        sign = "+" if e.op is BinaryOp.ADD else "-"
        self.text.line(f"{pointer.name} = {pointer.name} {sign} {by}")
        pointer.stored = True
        return ""

    # ------------------------------------------------------------ calls

    def _call(self, e: ir.Call) -> str | None:
        """The lines of a call, and the text of its value; None: it has none."""
        function = self.functions.get(e.function.key)
        if e.function.user_code and function is not None and function.body is not None:
            return self._body(e, function, function.body)
        owner, _, name = e.function.qualified.rpartition("::")
        if name in ("size", "length") and isinstance(e.type, IntType) and len(e.arguments) == 1:
            return self._size(e, owner)
        if _adds(e):
            return self._add(e)
        numbers = all(isinstance(a.type, NUMBERS) for a in e.arguments)
        if e.function.user_code or not isinstance(e.type, NUMBERS) or not numbers or name.startswith("cu"):
            raise Untranslatable
        for argument in e.arguments:
            self.value(argument)
        self.waits = self.waits or not e.function.qualified.startswith("std::")
        return LOST

    def _size(self, e: ir.Call, owner: str) -> str:
        (container,) = e.arguments
        if owner not in CONTAINERS or not is_steady(container, self.changed):
            raise Untranslatable
        return self.count_of(container)

    def _add(self, e: ir.Call) -> None:
        """The line that adds an element to a vector."""
        container, given = e.arguments
        type_ = given.type.to if isinstance(given.type, PointerType) else given.type
        size = width_of(type_, self.records)
        start = self.used.start_of(Element(container, of_container=True))
        self.grown.add(meaning(container))
        if not is_steady(container, self.changed) or size is None:
            raise Untranslatable
        if not isinstance(type_, NUMBERS) or (start.type is not None and start.type != type_):
            raise Untranslatable
        start.type, start.size, start.stored, start.sized, start.grows = type_, size, True, True, True
        value = self._referred(given)
        value = value if value.isidentifier() else self.text.kept(value)
        if value in self.unsure:
            raise Untranslatable
        known = value != LOST
        self.text.line(f"a{start.number}.append({value if known else 0}); s{start.number}.append({1 if known else 2})")

    def _referred(self, e: ir.Expression) -> str:
        """The text of a number, or of that which a reference leads to."""
        match e:
            case ir.AddressOf(place=ir.TemporaryPlace(value=value)):
                return self.value(value)
            case ir.AddressOf(place=place, type=PointerType(to=to)):
                return self.loaded(place, to)
            case _ if isinstance(e.type, PointerType):
                return self.loaded(ir.Deref(e, e.type.to, e.span), e.type.to)
            case _:
                return self.value(e)

    def _body(self, e: ir.Call, function: Function, body: st.Block) -> str | None:
        """The lines of a function in the place of a call; it returns at its end only."""
        *before, last = body.body or (body,)
        result = last.value if isinstance(last, st.Return) else None
        statements = tuple(before) if isinstance(last, st.Return) else body.body
        if self.depth >= _DEEPEST or any(isinstance(n, st.Return) for n in nodes(statements)):
            raise Untranslatable
        if len(function.parameters) != len(e.arguments) or (result is None) is not isinstance(e.type, VoidType):
            raise Untranslatable
        assigned = {variable.key for variable in local_effects(body).assigned}
        steady = self._parameters(e, function, assigned)
        declared = {n.variable.key for n in nodes(body) if isinstance(n, st.Declare)}
        self.assigned |= assigned
        self.changed |= declared | {p.key for p in function.parameters}
        self.depth += 1
        for statement in statements:
            self.statement(_with(statement, steady))
        found = None if result is None else self.value(_with(result, steady))
        self.depth -= 1
        return found if found is None or found == LOST else self.text.kept(found)

    def _parameters(self, e: ir.Call, function: Function, assigned: set[str]) -> dict[str, ir.Expression]:
        """Gives parameters their meaning; the result are pointers that are the same all the time."""
        steady: dict[str, ir.Expression] = {}
        values: list[tuple[Variable, str]] = []
        for parameter, argument in zip(function.parameters, e.arguments, strict=True):
            if isinstance(parameter.type, NUMBERS):
                values.append((parameter, self.text.kept(self.value(argument))))
            elif not isinstance(parameter.type, PointerType) or parameter.key in assigned:
                raise Untranslatable
            elif is_steady(argument, self.changed):
                steady[parameter.key] = argument
            else:
                self._lead(parameter, argument)
        for parameter, name in values:
            self.known[parameter.key] = Local(name)
        return steady


def _adds(node: object) -> TypeGuard[ir.Call]:
    """Whether a call adds a number to a vector."""
    match node:
        case ir.Call(function=function, arguments=(_, _)):
            owner, _, name = function.qualified.rpartition("::")
            return owner == "std::vector" and name in ("push_back", "emplace_back")
        case _:
            return False


def _with(node: _Code, steady: Mapping[str, ir.Expression]) -> _Code:
    """Code in which pointers stand for parameters."""

    def change(part: object) -> object:
        match part:
            case ir.Load(place=ir.VariablePlace(variable=variable)) if variable.key in steady:
                return steady[variable.key]
            case ir.Deref(pointer=ir.AddressOf(place=place)):
                return place
            case _:
                return part

    return cast("_Code", rebuilt(node, change))
