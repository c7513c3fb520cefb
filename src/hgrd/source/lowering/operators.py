"""Lowering of operators: arithmetic, comparison, assignment."""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Assign,
    Binary,
    BinaryOp,
    Comma,
    Conditional,
    Expression,
    FloatConst,
    FunctionAddress,
    IntConst,
    Logical,
    PointerAdd,
    PointerDifference,
    UnaryOp,
    Unsupported,
    Update,
)
from hgrd.program.span import Span
from hgrd.program.types import (
    BOOL,
    INT,
    LONG,
    BoolType,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    Type,
)
from hgrd.source.clang.ast import Node, inner, span_of
from hgrd.source.declarations.table import iterator_of
from hgrd.source.lowering import constants
from hgrd.source.lowering.context import Context, is_volatile, place_type

_COMPARISONS = frozenset((BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE))
_OPS = {op.value: op for op in BinaryOp}
_UNARY = {op.value: op for op in UnaryOp}


def binary(node: Node, to: Context) -> Expression:
    opcode: str = node["opcode"]
    span = span_of(node)
    left, right = inner(node)
    match opcode:
        case "&&" | "||":
            first, second = constants.truth(to.value(left), span), constants.truth(to.value(right), span)
            return Logical(opcode == "&&", first, second, BOOL, span)
        case ",":
            value = to.value(right)
            return Comma(to.discarded(left), value, value.type, span)
        case "=":  # of a dependent type; typed assignments are lvalues
            return assignment(node, to)
        case _:
            pass
    op = _OPS.get(opcode)
    a, b = to.value(left), to.value(right)
    if op is None:
        return to.unsupported(node, f"operator {opcode}", a, b)
    if op in _COMPARISONS:
        return constants.binary(op, a, b, BOOL, span)
    if op in (BinaryOp.ADD, BinaryOp.SUB) and (isinstance(a.type, PointerType) or isinstance(b.type, PointerType)):
        return _pointer_arithmetic(op, a, b, node, to)
    type_ = to.type(node)
    if isinstance(type_, OpaqueType) and (a.type == b.type) and isinstance(a.type, IntType | FloatType):
        type_ = a.type
    if isinstance(type_, OpaqueType):
        return to.unsupported(node, "operator on a dependent type", a, b)
    return constants.binary(op, a, b, type_, span)


def _pointer_arithmetic(op: BinaryOp, a: Expression, b: Expression, node: Node, to: Context) -> Expression:
    span = span_of(node)
    if isinstance(a.type, PointerType) and isinstance(b.type, PointerType):
        return PointerDifference(a, b, to.stride(a.type.to), LONG, span)
    pointer, index = (a, b) if isinstance(a.type, PointerType) else (b, a)
    assert isinstance(pointer.type, PointerType)
    if op is BinaryOp.SUB:
        # An unsigned index is negated after it is widened: p - 1u is one element before p.
        index = constants.unary(UnaryOp.NEG, constants.converted(index, LONG, span), LONG, span)
    return PointerAdd(pointer, index, to.stride(pointer.type.to), pointer.type, span)


def unary(node: Node, to: Context) -> Expression:
    operand = inner(node)[0]
    opcode: str = node["opcode"]
    span = span_of(node)
    if opcode == "&":
        return address_of(operand, node, to)
    if opcode in ("++", "--"):
        return increment(node, to)
    if opcode in ("+", "__extension__"):
        return to.value(operand)
    op = _UNARY.get(opcode)
    value = to.value(operand)
    if op is None:
        return to.unsupported(node, f"operator {opcode}", value)
    if op is UnaryOp.NOT:
        return constants.unary(op, constants.truth(value, span), BOOL, span)
    type_ = to.type(node)
    return constants.unary(op, value, value.type if isinstance(type_, OpaqueType) else type_, span)


def address_of(operand: Node, node: Node, to: Context) -> Expression:
    if operand.get("valueCategory", "prvalue") == "prvalue":  # &Class::method
        named = operand.get("referencedDecl", {}).get("id", "")
        known = to.unit.declarations.functions.get(named)
        span = span_of(node)
        method = (
            () if known is None else (FunctionAddress(to.unit.reference(known), PointerType(FunctionType()), span),)
        )
        return to.unsupported(node, "pointer to member", *method)
    place = to.place(operand)
    value = to.load(place, operand) if isinstance(place_type(place), FunctionType) else None
    if isinstance(value, FunctionAddress):
        return value
    return AddressOf(place, PointerType(place_type(place)), span_of(node))


def increment(node: Node, to: Context) -> Update:
    place = to.place(inner(node)[0])
    span = span_of(node)
    type_ = place_type(place)
    op = BinaryOp.ADD if node["opcode"] == "++" else BinaryOp.SUB
    stride = to.stride(type_.to) if isinstance(type_, PointerType) else 0
    one: Expression
    match type_:
        case FloatType():
            compute, one = type_, FloatConst(1.0, type_, span)
        case PointerType():
            compute, one = type_, IntConst(1, LONG, span)
        case _:
            compute = _promoted(type_)
            one = IntConst(1, compute, span)
    volatile = is_volatile(inner(node)[0])
    return Update(op, place, one, compute, stride, bool(node.get("isPostfix")), type_, span, volatile)


def _promoted(type_: Type) -> Type:
    match type_:
        case IntType(bits=bits) if bits < 32:
            return INT
        case BoolType():
            return INT
        case _:
            return type_


def compound_assignment(node: Node, to: Context) -> Update:
    left, right = inner(node)
    place = to.place(left)
    type_ = place_type(place)
    compute = to.unit.declarations.type_of({"type": node.get("computeResultType", {})}, to.scope).type
    stride = to.stride(type_.to) if isinstance(type_, PointerType) else 0
    op = _OPS.get(node["opcode"][:-1], BinaryOp.ADD)
    return Update(op, place, to.value(right), compute, stride, False, type_, span_of(node), is_volatile(left))


def assignment(node: Node, to: Context) -> Assign:
    left, right = inner(node)
    place = to.place(left)
    return Assign(place, to.value(right), place_type(place), span_of(node), volatile=is_volatile(left))


def dependent_compound(node: Node, to: Context) -> Expression:
    return compound_assignment(node, to)


def conditional(node: Node, to: Context) -> Expression:
    condition, then, otherwise = inner(node)
    span = span_of(node)
    a, b = to.value(then), to.value(otherwise)
    test = constants.truth(to.value(condition), span)
    if isinstance(test, IntConst):
        return replace(a if test.value else b, span=span)
    return Conditional(test, a, b, a.type if a.type == b.type else to.type(node), span)


def elvis(node: Node, to: Context) -> Expression:
    """GNU `a ?: b`: clang prints a, the test, the result if true, b."""
    common, test, _, otherwise = inner(node)
    value = to.value(common)
    span = span_of(node)
    if isinstance(value, Unsupported | Update | Assign):
        return to.unsupported(node, "?: with an effect", value)
    del test
    return Conditional(constants.truth(value, span), value, to.value(otherwise), to.type(node), span)


def is_comparison(expression: Expression) -> bool:
    return isinstance(expression, Binary) and expression.op in _COMPARISONS


# ---------------------------------------------------------------- iterators


def on_iterators(node: Node, parts: list[Node], name: str, to: Context) -> Expression | None:
    """An overloaded operator of iterators that stand for pointers, as that of pointers; None: it is none of them."""
    if not any(map(_is_iterator, parts)):
        return None
    span, op = span_of(node), name.removeprefix("operator")
    match op, parts:
        case ("*" | "->", [iterator]):
            return to.value(iterator)
        case "[]", [iterator, index]:
            return _moved_by(BinaryOp.ADD, to.value(iterator), to.value(index), node, to)
        case ("++" | "--", [iterator, *rest]):
            return _result(_step(BinaryOp(op[0]), iterator, bool(rest), node, to), node, span)
        case ("+=" | "-=", [iterator, distance]):
            place, type_ = to.place(iterator), to.type(iterator)
            stride = to.stride(type_.to) if isinstance(type_, PointerType) else 0
            return _result(
                Update(BinaryOp(op[0]), place, to.value(distance), type_, stride, False, type_, span), node, span
            )
        case "=", [iterator, value]:
            return _result(Assign(to.place(iterator), to.value(value), to.type(iterator), span), node, span)
        case ("+" | "-", [left, right]):
            return _moved_by(BinaryOp(op), to.value(left), to.value(right), node, to)
        case _, [left, right] if _OPS.get(op) in _COMPARISONS:
            return constants.binary(_OPS[op], to.value(left), to.value(right), BOOL, span)
        case _:
            return None


def _is_iterator(node: Node) -> bool:
    type_ = node.get("type", {})
    return iterator_of((type_.get("desugaredQualType") or type_.get("qualType", "")).removeprefix("const ")) != ""


def _moved_by(op: BinaryOp, a: Expression, b: Expression, node: Node, to: Context) -> Expression | None:
    if isinstance(a.type, PointerType) or isinstance(b.type, PointerType):
        return _pointer_arithmetic(op, a, b, node, to)
    return None


def _step(op: BinaryOp, iterator: Node, postfix: bool, node: Node, to: Context) -> Update:
    type_, span = to.type(iterator), span_of(node)
    stride = to.stride(type_.to) if isinstance(type_, PointerType) else 0
    return Update(op, to.place(iterator), IntConst(1, LONG, span), type_, stride, postfix, type_, span)


def _result(effect: Assign | Update, node: Node, span: Span) -> Expression:
    """The result of an operator that changes an iterator: its value, or as an lvalue its address."""
    if node.get("valueCategory", "prvalue") == "prvalue":
        return effect
    return AddressOf(AfterPlace(effect, effect.place, span), PointerType(effect.type, reference=True), span)
