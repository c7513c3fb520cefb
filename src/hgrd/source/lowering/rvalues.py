"""Lowering of rvalues: literals, conversions, sizes."""

from __future__ import annotations

import math

from hgrd.cuda.atomics import ORDERS_AND_SCOPES
from hgrd.program.expressions import (
    AddressOf,
    Convert,
    Deref,
    Expression,
    FieldPlace,
    FloatConst,
    IntConst,
    Load,
    NullPointer,
    Place,
    Storage,
    StringConst,
    Throw,
    Variable,
    VariablePlace,
)
from hgrd.program.types import (
    BOOL,
    INT,
    ULONG,
    VOID,
    ArrayType,
    BoolType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Type,
)
from hgrd.source.clang.ast import Node, inner, span_of
from hgrd.source.declarations.library_enumerators import library_enumerators
from hgrd.source.declarations.table import VariableDeclaration
from hgrd.source.declarations.type_parser import split_scopes
from hgrd.source.declarations.type_traits import library_constant
from hgrd.source.lowering import calls, constants, constructors, operators
from hgrd.source.lowering.calls import unit_context
from hgrd.source.lowering.compiler_builtins import class_value, reinterpreted
from hgrd.source.lowering.context import Context, ValueRule, place_type, unwrapped
from hgrd.source.lowering.lvalues import (
    base_of,
    declared,
    dereferenced,
    derived_pointer,
    global_variable,
    template_parameter,
    unquoted,
)
from hgrd.source.own_headers import HEADERS
from hgrd.source.text.excerpts import qualified_at, variable_before

_TRANSPARENT_CASTS = frozenset(("NoOp", "ConstructorConversion", "UserDefinedConversion"))
_CONVERSIONS = frozenset(
    (
        *("IntegralCast", "IntegralToFloating", "FloatingToIntegral", "FloatingCast", "BooleanToSignedIntegral"),
        *("PointerToIntegral", "IntegralToPointer", "BitCast", "AddressSpaceConversion", "Dynamic", "Dependent"),
        *("CPointerToObjCPointerCast", "FixedPointCast", "IntegralToFixedPoint"),
    )
)
_TRUTHS = frozenset(("IntegralToBoolean", "FloatingToBoolean", "PointerToBoolean", "MemberPointerToBoolean"))


# ---------------------------------------------------------------- literals


def integer(node: Node, to: Context) -> Expression:
    return IntConst(int(node["value"]), to.type(node), span_of(node))


def boolean(node: Node, to: Context) -> Expression:
    return IntConst(int(node["value"]), BOOL, span_of(node))


def floating(node: Node, to: Context) -> Expression:
    try:
        value = float(node["value"])
    except ValueError:
        value = math.nan
    return FloatConst(value, to.type(node), span_of(node))


def null(node: Node, to: Context) -> Expression:
    type_ = to.type(node)
    return NullPointer(type_ if isinstance(type_, PointerType) else PointerType(VOID), span_of(node))


def implicit_zero(node: Node, to: Context) -> Expression:
    """The value of `T()`, and of elements that an initializer list leaves out."""
    return constructors.zero(to.type(node), span_of(node))


# ---------------------------------------------------------------- names


def name(node: Node, to: Context) -> Expression:
    """Enumerators, template parameters and functions; variables are lvalues."""
    named = node["referencedDecl"]
    span = span_of(node)
    match named["kind"]:
        case "EnumConstantDecl":
            value = to.unit.declarations.enumerators.get(named["id"])
            value = _of_library(named) if value is None else value
            type_ = to.type(node)
            type_ = type_ if isinstance(type_, IntType) else INT
            if value is None:  # of another header: an unknown constant
                label: str = named.get("name", "?")
                return Load(VariablePlace(Variable(label, label, type_, Storage.CONSTANT, span), span), type_, span)
            return IntConst(constants.wrapped(value, type_), type_, span)
        case "NonTypeTemplateParmDecl":
            variable = template_parameter(node, to)
            return Load(VariablePlace(variable, span), variable.type, span)
        case _:
            return to.load(declared(node, to), node)


def _of_library(enumerator: Node) -> int | None:
    """The value of an enumerator that clang only names: of a header of CUDA or its libraries; None: of another one."""
    label = enumerator.get("name", "")
    type_ = split_scopes(enumerator.get("type", {}).get("qualType", ""))[-1].removeprefix("enum ")
    return ORDERS_AND_SCOPES.get(label, library_enumerators(HEADERS).get((type_, label)))


def enumerator_of_object(node: Node, to: Context) -> Expression:
    """An enumerator by an object of its class: `tile.rows`; the object is not looked at."""
    value = to.unit.declarations.enumerators.get(node.get("referencedMemberDecl", ""))
    if value is None:
        return to.unsupported(node, node["kind"])
    type_ = to.type(node)
    type_ = type_ if isinstance(type_, IntType) else INT
    return IntConst(constants.wrapped(value, type_), type_, span_of(node))


def this(node: Node, to: Context) -> Expression:
    span = span_of(node)
    if to.this is None:
        return to.unsupported(node, "this")
    if to.this_capture is not None:
        place = FieldPlace(to.this_place(span), to.this_capture, span)
        if isinstance(to.this_capture.type, PointerType):
            return Load(place, to.this_capture.type, span)
        return AddressOf(place, PointerType(to.this_capture.type), span)
    return Load(VariablePlace(to.this, span), to.this.type, span)


# ---------------------------------------------------------------- casts


def cast(node: Node, to: Context) -> Expression:
    kind: str = node["castKind"]
    operand = inner(node)[-1]
    span = span_of(node)
    explicit = node["kind"] != "ImplicitCastExpr" or bool(node.get("isPartOfExplicitCast"))
    if kind == "LValueToRValue":
        return _loaded(operand, to)
    if kind in _TRANSPARENT_CASTS:
        return to.value(operand)
    if kind in _CONVERSIONS:
        return _converted(to.value(operand), to.type(node), node, explicit)
    if kind in _TRUTHS:
        return constants.truth(to.value(operand), span)
    match kind:
        case "LValueToRValueBitCast":
            return reinterpreted(to.place(operand), to.type(operand), to.type(node), span)
        case "ArrayToPointerDecay":
            return _decayed(operand, to)
        case "FunctionToPointerDecay":
            return to.value(operand)
        case "NullToPointer":
            type_ = to.type(node)
            return NullPointer(type_ if isinstance(type_, PointerType) else PointerType(type_), span)
        case "ToVoid":
            return Convert(to.discarded(operand), VOID, span, explicit=True)
        case "DerivedToBase" | "UncheckedDerivedToBase":
            return _upcast(to.value(operand), node, to)
        case "BaseToDerived":
            type_ = to.type(node)
            return derived_pointer(to.value(operand), PointerType(_target(type_)), node, to)
        case _:
            return to.unsupported(node, f"{kind} cast", to.discarded(operand))


def _converted(value: Expression, type_: Type, node: Node, explicit: bool) -> Expression:
    if isinstance(value, NullPointer) and isinstance(type_, PointerType):
        return NullPointer(type_, value.span)
    return constants.converted(value, type_, span_of(node), explicit)


def _target(type_: Type) -> Type:
    return type_.to if isinstance(type_, PointerType) else type_


def _upcast(value: Expression, node: Node, to: Context) -> Expression:
    span = span_of(node)
    if not isinstance(value.type, PointerType):  # a record value; its base is sliced off
        return value
    place = base_of(dereferenced(value, span), node, to)
    return AddressOf(place, PointerType(place_type(place)), span)


def _loaded(operand: Node, to: Context) -> Expression:
    target = unwrapped(operand)
    identity = target.get("referencedDecl", {}).get("id") or target.get("referencedMemberDecl", "")
    declaration = to.unit.declarations.variables.get(identity)
    if declaration is not None and (constant := _constant(declaration, to)) is not None:
        return constructors.moved(constant, span_of(operand))
    if declaration is None and (constant := _constant_around(identity, to)) is not None:
        return constructors.moved(constant, span_of(operand))
    if operand.get("valueCategory", "prvalue") == "prvalue":
        return to.value(operand)
    if declaration is None and (constant := _constant_of_library(target, to)) is not None:
        return constant
    return to.load(to.place(operand), operand)


def _constant_of_library(node: Node, to: Context) -> Expression | None:
    """A constant of the standard library by the name of its class, or by an object or a variable of that class."""
    name = node.get("name", node.get("referencedDecl", {}).get("name", ""))
    span, type_ = span_of(node), to.type(node)
    if not isinstance(type_, IntType | BoolType):
        return None
    if node["kind"] == "MemberExpr":
        return class_value(to.type(inner(node)[0]), type_, span) if name == "value" else None
    if variable := variable_before(span, name):
        classes = {v.type for v in to.variables.values() if v.name == variable}
        return class_value(classes.pop(), type_, span) if name == "value" and len(classes) == 1 else None
    value = library_constant(qualified_at(span, name), to.unit.declarations, to.scope)
    return None if value is None else IntConst(value, type_, span)


def _constant(declaration: VariableDeclaration, to: Context) -> Expression | None:
    """The value of a const variable of number type that has a constant initializer."""
    known = to.unit.constants
    key = declaration.key
    if key not in known:
        known[key] = None
        parsed = to.unit.declarations.type_of(declaration.node, declaration.scope)
        is_number = isinstance(parsed.type, IntType | FloatType) or parsed.type == BOOL
        initial = constructors.initializer(declaration.node)
        storage = global_variable(declaration, to.unit).storage
        fixed = storage is Storage.GLOBAL or bool(declaration.node.get("constexpr"))
        if parsed.const and not parsed.volatile and is_number and initial is not None and fixed:
            value = constants.converted(
                unit_context(to.unit, declaration.scope).value(initial), parsed.type, span_of(initial)
            )
            known[key] = value if isinstance(value, IntConst | FloatConst) else None
    return known[key]


def _constant_around(identity: str, to: Context) -> Expression | None:
    """The value of a constant of the function around a lambda, which uses it without a capture ([basic.def.odr])."""
    node = to.unit.local_constants.get(identity)
    if node is None or identity in to.variables or identity in to.captures:
        return None
    type_ = to.unit.declarations.type_of(node, to.scope).type
    initial = constructors.initializer(node)
    if initial is None or not (isinstance(type_, IntType | FloatType) or type_ == BOOL):
        return None
    value = constants.converted(unit_context(to.unit, to.scope).value(initial), type_, span_of(initial))
    return value if isinstance(value, IntConst | FloatConst) else None


def _decayed(operand: Node, to: Context) -> Expression:
    span = span_of(operand)
    place = to.place(operand)
    match place:
        case Deref(pointer=StringConst() as text):
            return text
        case _:
            type_ = place_type(place)
            element = type_.of if isinstance(type_, ArrayType) else OpaqueType("?")
            return AddressOf(place, PointerType(element), span)


# ---------------------------------------------------------------- sizes


def size(node: Node, to: Context) -> Expression:
    """sizeof and alignof."""
    type_ = to.parse(_text(node["argType"])) if "argType" in node else _operand_type(inner(node)[0], to)
    if isinstance(type_, PointerType) and type_.reference:
        type_ = type_.to
    result = to.unit.layouts.align(type_) if "align" in node.get("name", "") else to.unit.layouts.size(type_)
    if result is None:
        return to.unsupported(node, "sizeof a type of unknown layout")
    return IntConst(result, ULONG, span_of(node))


def _operand_type(node: Node, to: Context) -> Type:
    if node.get("valueCategory", "prvalue") == "prvalue":
        return to.type(node)
    place: Place = to.place(node)
    return place_type(place)


def _text(type_: Node) -> str:
    return type_.get("desugaredQualType") or type_["qualType"]


def known_value(node: Node, to: Context) -> Expression:
    """Type traits and similar expressions with a value that clang prints."""
    text = str(node.get("value", ""))
    if text in ("true", "True"):
        return IntConst(1, BOOL, span_of(node))
    if text in ("false", "False"):
        return IntConst(0, BOOL, span_of(node))
    if text.lstrip("-").isdigit():
        return IntConst(int(text), to.type(node), span_of(node))
    return to.unsupported(node, node["kind"])


def text(node: Node, to: Context) -> Expression:
    return StringConst(unquoted(node.get("value", "")), to.type(node), span_of(node))


def throw(node: Node, to: Context) -> Expression:
    return Throw(VOID, span_of(node))


def broken(node: Node, to: Context) -> Expression:
    """An unsupported expression: its parts are lowered, its meaning is unknown."""
    parts = [part for part in inner(node) if "valueCategory" in part]
    return to.unsupported(node, node["kind"], *(to.discarded(part) for part in parts))


VALUES: dict[str, ValueRule] = {
    "IntegerLiteral": integer,
    "CharacterLiteral": integer,
    "CXXBoolLiteralExpr": boolean,
    "FloatingLiteral": floating,
    "CXXNullPtrLiteralExpr": null,
    "GNUNullExpr": null,
    "StringLiteral": text,
    "ImplicitValueInitExpr": implicit_zero,
    "CXXScalarValueInitExpr": implicit_zero,
    "DeclRefExpr": name,
    "MemberExpr": enumerator_of_object,
    "CXXThisExpr": this,
    "ImplicitCastExpr": cast,
    "CStyleCastExpr": cast,
    "CXXStaticCastExpr": cast,
    "CXXReinterpretCastExpr": cast,
    "CXXConstCastExpr": cast,
    "CXXFunctionalCastExpr": cast,
    "CXXDynamicCastExpr": cast,
    "BuiltinBitCastExpr": cast,
    "UnaryOperator": operators.unary,
    "BinaryOperator": operators.binary,
    "CompoundAssignOperator": operators.dependent_compound,
    "ConditionalOperator": operators.conditional,
    "BinaryConditionalOperator": operators.elvis,
    "UnaryExprOrTypeTraitExpr": size,
    "SizeOfPackExpr": known_value,
    "TypeTraitExpr": known_value,
    "CXXNoexceptExpr": known_value,
    "CXXThrowExpr": throw,
    "RecoveryExpr": broken,
    "UnresolvedLookupExpr": broken,
    "CXXDependentScopeMemberExpr": broken,
    "DependentScopeDeclRefExpr": broken,
    **calls.VALUES,
    **constructors.VALUES,
}
