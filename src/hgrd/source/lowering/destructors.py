"""Destructors: calls at the ends of scopes and full expressions, and by `delete`.

The objects of a scope end in reverse order, wherever control leaves it ([stmt.jump], [class.dtor]); a temporary object
ends with its full expression, or with the reference that it is bound to ([class.temporary]).  A destructor ends the
members and bases of its object, too.  Objects of classes without a destructor in the given files end without a trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Assign,
    Call,
    Comma,
    Conditional,
    Convert,
    Deref,
    Expression,
    FieldPlace,
    FunctionAddress,
    FunctionRef,
    IndirectCall,
    IntConst,
    Load,
    NullPointer,
    Place,
    PointerAdd,
    Storage,
    TemporaryPlace,
    Unsupported,
    Variable,
    VariablePlace,
)
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
from hgrd.program.types import INT, VOID, ArrayType, FunctionType, PointerType, RecordType, Type
from hgrd.program.walk import jumps
from hgrd.source.clang.ast import Node, inner
from hgrd.source.declarations.table import FunctionDeclaration
from hgrd.source.lowering import constants
from hgrd.source.lowering.context import Context, StatementRule

_MAX_ELEMENTS = 16


# ---------------------------------------------------------------- the end of one object


def destruction(place: Place, type_: Type, to: Context) -> tuple[Expression, ...]:
    """The statements for the end of the object at `place`; none for most types."""
    match type_:
        case RecordType():
            found = _destructor(type_, to)
            if found is None:
                return members_destroyed(place, type_, to)
            pointer = place.pointer if isinstance(place, Deref) else AddressOf(place, PointerType(type_), place.span)
            return (Call(to.unit.reference(found), (pointer,), VOID, place.span),)
        case ArrayType(of=element, count=count) if ends(element, to):
            if count is None or count > _MAX_ELEMENTS:
                return (Unsupported("the end of many objects", (), VOID, place.span),)
            elements = (_element(place, element, index, to) for index in reversed(range(count)))
            return tuple(call for one in elements for call in destruction(one, element, to))
        case _:
            return ()


def members_destroyed(place: Place, type_: RecordType, to: Context) -> tuple[Expression, ...]:
    """The statements for the ends of the members and bases of an object."""
    record = to.unit.layouts.record(type_.key)
    if record is None or record.union:
        return ()
    parts = ((FieldPlace(place, field, place.span), field.type) for field in reversed(record.fields))
    return tuple(call for part, of in parts for call in destruction(part, of, to))


def ends(type_: Type, to: Context) -> bool:
    """Whether the end of an object of this type has any effect."""
    match type_:
        case RecordType(key=key):
            if _destructor(type_, to) is not None:
                return True
            record = to.unit.layouts.record(key)
            return record is not None and not record.union and any(ends(field.type, to) for field in record.fields)
        case ArrayType(of=element):
            return ends(element, to)
        case _:
            return False


def _destructor(type_: RecordType, to: Context) -> FunctionDeclaration | None:
    """The destructor that a class declares."""
    record = to.record_of(type_)
    for child in inner(record.node) if record is not None else ():
        if child["kind"] == "CXXDestructorDecl":
            known = to.unit.declarations.functions.get(child.get("id", ""))
            return None if known is None or known.implicit else known
    return None


def _element(place: Place, type_: Type, index: int, to: Context) -> Place:
    first = AddressOf(place, PointerType(type_), place.span)
    at = PointerAdd(first, IntConst(index, INT, place.span), to.stride(type_), PointerType(type_), place.span)
    return Deref(at, type_, place.span)


def deleted(pointer: Expression, by: FunctionRef, span: Span, to: Context, *, array: bool) -> Expression:
    """`delete p`: the object that `p` points to ends, if there is one.  Of an array only the first is followed."""
    type_ = pointer.type.to if isinstance(pointer.type, PointerType) else VOID
    if not ends(type_, to):
        return Call(by, (pointer,), VOID, span)
    kept = VariablePlace(Variable(to.key("deleted"), "deleted", pointer.type, Storage.LOCAL, span), span)
    found = Load(kept, pointer.type, span)
    calls = [*_virtually(found, type_, to)] or [*destruction(Deref(found, type_, span), type_, to)]
    if array:
        calls.append(Unsupported("the end of an array of objects", (), VOID, span))
    nothing = Convert(IntConst(0, INT, span), VOID, span)
    chosen = Conditional(constants.truth(found, span), _chain(calls), nothing, VOID, span)
    first = Assign(kept, pointer, pointer.type, span, initial=True)
    return _chain([first, chosen, Call(by, (found,), VOID, span)])


def _virtually(pointer: Expression, type_: Type, to: Context) -> Iterator[Expression]:
    """The call of a virtual destructor: that of the object's class."""
    found = _destructor(type_, to) if isinstance(type_, RecordType) else None
    if found is not None and (found.virtual or any(n.startswith("~") for n in to.unit.declarations.virtual_names)):
        target = FunctionAddress(to.unit.reference(found), PointerType(FunctionType()), pointer.span, virtual=True)
        yield IndirectCall(target, (pointer,), VOID, pointer.span)


def _chain(effects: list[Expression]) -> Expression:
    *others, last = effects
    for effect in reversed(others):
        last = Comma(effect, last, last.type, effect.span)
    return last


# ---------------------------------------------------------------- the end of a scope


def closed(statements: list[Statement], to: Context) -> list[Statement]:
    """The statements of a scope with the ends of the objects that it declares."""
    for index, statement in enumerate(statements):
        if isinstance(statement, Declare) and (calls := _last_of(statement.variable, to)):
            return [*statements[: index + 1], *ended(closed(statements[index + 1 :], to), calls, to)]
    return statements


def _last_of(variable: Variable, to: Context) -> tuple[Expression, ...]:
    """The statements for the end of a local variable; one that is returned lives on as the result."""
    if variable.storage not in (Storage.LOCAL, Storage.PARAMETER) or variable.key in to.returned:
        return ()
    return destruction(VariablePlace(variable, variable.span), variable.type, to)


def ended(statements: list[Statement], calls: Iterable[Expression], to: Context) -> list[Statement]:
    """The statements, and these calls where control leaves them."""
    last = tuple(Evaluate(call, call.span) for call in calls)
    if not last:
        return statements
    beside = [UnsupportedStatement("goto beside the end of an object", (), last[0].span)]
    found = [_leaving(s, last, to, breaks=True, continues=True) for s in statements]
    if found and _leaves(found[-1]):
        last = ()
    return [*(beside if any(map(jumps, statements)) else []), *found, *last]


def _leaving(
    statement: Statement, last: tuple[Statement, ...], to: Context, *, breaks: bool, continues: bool
) -> Statement:
    """The statement, with `last` before each jump that leads out of it."""

    def inside(part: Statement, *, breaks: bool = breaks, continues: bool = continues) -> Statement:
        return _leaving(part, last, to, breaks=breaks, continues=continues)

    match statement:
        case Return():
            return _returned(statement, last, to)
        case Break(span=span) if breaks:
            return Block((*last, statement), span)
        case Continue(span=span) if continues:
            return Block((*last, statement), span)
        case Block(body=body) | UnsupportedStatement(parts=body):
            parts = tuple(inside(s) for s in body)
            return replace(statement, body=parts) if isinstance(statement, Block) else replace(statement, parts=parts)
        case If(then=then, otherwise=otherwise):
            return replace(statement, then=inside(then), otherwise=None if otherwise is None else inside(otherwise))
        case Loop(body=body) | DoWhile(body=body):
            return replace(statement, body=inside(body, breaks=False, continues=False))
        case Switch(cases=cases):
            new = (replace(case, body=tuple(inside(s, breaks=False) for s in case.body)) for case in cases)
            return replace(statement, cases=tuple(new))
        case _:
            return statement


def _returned(statement: Return, last: tuple[Statement, ...], to: Context) -> Statement:
    """A return with `last` before it, and its value computed before `last`."""
    value, span = statement.value, statement.span
    if value is None or isinstance(value, IntConst | NullPointer):
        return Block((*last, statement), span)
    made = Variable(to.key("result"), "result", value.type, Storage.LOCAL, span)
    result = Load(VariablePlace(made, span), value.type, span)
    return Block((Declare(made, value, span), *last, Return(result, span)), span)


def _leaves(statement: Statement) -> bool:
    match statement:
        case Return() | Break() | Continue():
            return True
        case Block(body=(*_, last)):
            return _leaves(last)
        case _:
            return False


# ---------------------------------------------------------------- temporary objects


def temporary(value: Expression, span: Span, to: Context, *, extended: bool) -> Place:
    """A value as an object, which ends with its full expression; `extended`: with its scope."""
    if not ends(value.type, to):
        return TemporaryPlace(value, value.type, span)
    made = Variable(to.key("temporary"), "temporary", value.type, Storage.LOCAL, span)
    (to.extended if extended else to.temporaries).append(made)
    place = VariablePlace(made, span)
    return AfterPlace(Assign(place, value, value.type, span, initial=True), place, span)


def finishing(rule: StatementRule) -> StatementRule:
    """The rule, with the ends of the temporary objects that the statement's expressions make."""

    def finished(node: Node, to: Context) -> list[Statement]:
        mark = len(to.temporaries)
        found = rule(node, to)
        made = to.temporaries[mark:]
        del to.temporaries[mark:]
        calls = [call for variable in reversed(made) for call in _last_of(variable, to)]
        return _finished(found, calls, to) if calls else found

    return finished


def _finished(found: list[Statement], calls: list[Expression], to: Context) -> list[Statement]:
    last = tuple(Evaluate(call, call.span) for call in calls)
    match found:
        case [Return() as statement]:
            return [_returned(statement, last, to)]
        case [Evaluate() as statement, *others]:
            return [statement, *last, *others]
        case [If(condition=condition, span=span) as statement]:
            made = Variable(to.key("condition"), "condition", condition.type, Storage.LOCAL, span)
            test = Load(VariablePlace(made, span), condition.type, span)
            return [Block((Declare(made, condition, span), *last, replace(statement, condition=test)), span)]
        case _ if all(isinstance(statement, Declare) for statement in found):
            return [*found, *last]
        case _:
            return [UnsupportedStatement("the end of a temporary object", (), last[0].span), *found]
