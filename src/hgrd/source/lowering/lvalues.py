"""Lowering of lvalues."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Comma,
    Conditional,
    Convert,
    Deref,
    Expression,
    FieldPlace,
    FunctionAddress,
    FunctionRef,
    IntConst,
    Place,
    PointerAdd,
    Storage,
    StringConst,
    TemporaryPlace,
    Unsupported,
    UnsupportedPlace,
    Variable,
    VariablePlace,
)
from hgrd.program.program import Side
from hgrd.program.span import Span
from hgrd.program.types import CHAR, INT, ArrayType, Field, FunctionType, OpaqueType, PointerType, RecordType, Type
from hgrd.source.clang.ast import Node, inner, name_span, span_of
from hgrd.source.declarations.cuda_types import BUILTIN_VARIABLES
from hgrd.source.declarations.table import VariableDeclaration
from hgrd.source.declarations.type_parser import split_template
from hgrd.source.lowering import destructors
from hgrd.source.lowering.context import Context, PlaceRule, Unit, place_type, pointee, referred
from hgrd.source.lowering.operators import assignment, compound_assignment, increment
from hgrd.source.text.excerpts import standard_name

PARTS = ("first", "second")  # of a pair
_DEVICE_SIDES = frozenset((Side.KERNEL, Side.DEVICE))
_FUNCTIONS = frozenset(("FunctionDecl", "CXXMethodDecl", "CXXConversionDecl"))


def declared(node: Node, to: Context) -> Place:
    """A use of a variable, parameter, function or structured binding."""
    named = node["referencedDecl"]
    span = span_of(node)
    key = named["id"]
    if (variable := to.variables.get(key)) is not None:
        return referred(VariablePlace(variable, span), span)
    if (captured := to.captures.get(key)) is not None:
        return referred(FieldPlace(to.this_place(span), captured, span), span)
    if (binding := to.bindings.get(key)) is not None:
        return to.place(binding)
    kind = named["kind"]
    if kind in _FUNCTIONS:
        return Deref(FunctionAddress(function_ref(node, to), PointerType(FunctionType()), span), FunctionType(), span)
    if kind in ("VarDecl", "VarTemplateSpecializationDecl", "NonTypeTemplateParmDecl", "ParmVarDecl"):
        variable = outer_variable(node, to)
        if variable is None:
            return UnsupportedPlace(
                f"variable '{named.get('name', '')}' that is not declared here", to.type(node), span
            )
        return referred(VariablePlace(variable, span), span)
    return UnsupportedPlace(kind, to.type(node), span)


def function_ref(node: Node, to: Context) -> FunctionRef:
    """The function that a DeclRefExpr names."""
    named = node["referencedDecl"]
    known = to.unit.declarations.functions.get(named["id"])
    if known is not None:
        return to.unit.reference(known)
    name: str = named.get("name", "?")
    parsed = to.unit.declarations.type_of(named, to.scope)
    returns = parsed.returns.type if parsed.returns is not None else parsed.type
    return FunctionRef(name, name, standard_name(span_of(node), name) or name, returns)


def outer_variable(node: Node, to: Context) -> Variable | None:
    """A variable that is not of this function; None: a constant, or one in device code, of unknown declaration."""
    named = node["referencedDecl"]
    name: str = named.get("name", "")
    if name in BUILTIN_VARIABLES and named["id"] not in to.unit.declarations.variables:
        type_: Type = INT if name == "warpSize" else RecordType("dim3" if name.endswith("Dim") else "uint3")
        return Variable(name, name, type_, Storage.BUILTIN, span_of(node))
    declaration = to.unit.declarations.variables.get(named["id"])
    if declaration is not None:
        return global_variable(declaration, to.unit)
    static = to.unit.local_statics.get(named["id"])
    if static is not None:
        return local_variable(static, to.type(static), to)
    if named["kind"] == "NonTypeTemplateParmDecl":
        return template_parameter(node, to)
    parsed = to.unit.declarations.type_of(named, to.scope)
    if node.get("nonOdrUseReason") == "constant" or (to.function.side in _DEVICE_SIDES and not parsed.const):
        return None
    return Variable(name, name, parsed.type, Storage.GLOBAL, span_of(node))


def template_parameter(node: Node, to: Context) -> Variable:
    """The parameter of a template that nothing instantiates: some constant."""
    named = node["referencedDecl"]
    name: str = named.get("name", "")
    type_ = to.unit.declarations.type_of(named, to.scope).type
    return Variable(f"{to.function.key}::{name}", name, type_, Storage.CONSTANT, to.function.span)


def global_variable(declaration: VariableDeclaration, unit: Unit) -> Variable:
    """The variable that all declarations of a global denote."""
    found = unit.globals.get(declaration.key)
    type_ = unit.declarations.type_of(declaration.node, declaration.scope).type
    if found is None or (isinstance(found.type, ArrayType) and found.type.count is None and type_ != found.type):
        node = declaration.node
        storage = storage_of(node, Storage.GLOBAL)
        found = Variable(declaration.key, node.get("name", ""), type_, storage, name_span(node))
        unit.globals[declaration.key] = found
    return found


def storage_of(node: Node, default: Storage) -> Storage:
    kinds = {child["kind"] for child in inner(node)}
    if "CUDASharedAttr" in kinds:
        return Storage.SHARED
    if "CUDAConstantAttr" in kinds:
        return Storage.CONSTANT
    if kinds & {"CUDADeviceAttr", "HIPManagedAttr", "CUDAManagedAttr"}:
        return Storage.DEVICE
    return default


def local_variable(node: Node, type_: Type, to: Context) -> Variable:
    """The variable that a declaration within a function makes.

    The key of one in static storage, as all of shared memory is, is its mangled name (clang's number within a
    template): lambdas use it without capturing it (C++, [expr.prim.lambda.capture]).
    """
    storage, name = local_storage(node, to), node.get("name", "")
    key = to.key(name) if storage is Storage.LOCAL else node.get("mangledName") or f"{name}@{node['id']}"
    if storage is Storage.SHARED and isinstance(type_, ArrayType) and type_.count is None:
        type_ = replace(type_, count=0)  # its length is a template parameter: no dynamic shared memory
    return Variable(key, name, type_, storage, name_span(node))


def local_storage(node: Node, to: Context) -> Storage:
    """Static variables of device code are global memory: all threads share them.

    Constants have their value from the beginning (device code initialises them with constants alone), so that
    they cannot be told from a variable of the thread's own.
    """
    if node.get("storageClass") != "static":
        return storage_of(node, Storage.LOCAL)
    device = to.function.side is not Side.HOST
    declared = to.unit.declarations.type_of(node, to.scope)
    if device and declared.const and not declared.volatile:
        return storage_of(node, Storage.LOCAL)
    return storage_of(node, Storage.DEVICE if device else Storage.STATIC)


def member(node: Node, to: Context) -> Place:
    """Member access `a.b` or `p->b`, of data members, static members and enumerators."""
    span = span_of(node)
    identity = node.get("referencedMemberDecl", "")
    static = to.unit.declarations.variables.get(identity)
    if static is not None:
        return referred(VariablePlace(global_variable(static, to.unit), span), span)
    if identity in to.unit.declarations.functions:
        return UnsupportedPlace("method as a value", to.type(node), span)
    base = object_of(node, to)
    field = to.unit.layouts.member(identity)
    if field is None:
        field = library_member(place_type(base), node.get("name", ""), to.type(node), to)
    return referred(FieldPlace(base, field, span), span)


def library_member(owner: Type, name: str, type_: Type, to: Context) -> Field:
    """A member of a class of unknown layout: of a pair, one that is a reference is of that type ([pairs.pair])."""
    split = split_template(owner.name) if isinstance(owner, OpaqueType) else None
    if split is not None and name in PARTS and split[0] in ("std::pair", "pair") and len(split[1]) == len(PARTS):
        declared = to.parse(split[1][PARTS.index(name)])
        type_ = declared if isinstance(declared, PointerType) and declared.reference else type_
    return to.unit.layouts.member_named(owner, name, type_)


def object_of(node: Node, to: Context) -> Place:
    """The object that a MemberExpr selects from."""
    base = inner(node)[0]
    if not node.get("isArrow"):
        return to.place(base)
    return dereferenced(to.value(base), span_of(node))


def dereferenced(pointer: Expression, span: Span) -> Place:
    if isinstance(pointer, AddressOf) and pointee(pointer.type) == place_type(pointer.place):
        return pointer.place
    return Deref(pointer, pointee(pointer.type), span)


def subscript(node: Node, to: Context) -> Place:
    left, right = inner(node)
    span = span_of(node)
    base, index = to.value(left), to.value(right)
    if isinstance(index.type, PointerType) and not isinstance(base.type, PointerType):
        base, index = index, base
    if not isinstance(base.type, PointerType):
        return UnsupportedPlace("subscript of a dependent type", to.type(node), span)
    element = base.type.to
    return Deref(PointerAdd(base, index, to.stride(element), base.type, span), element, span)


def unary(node: Node, to: Context) -> Place:
    operand = inner(node)[0]
    span = span_of(node)
    match node["opcode"]:
        case "*":
            pointer = to.value(operand)
            if isinstance(pointer, FunctionAddress):
                return Deref(pointer, FunctionType(), span)
            return dereferenced(pointer, span)
        case "++" | "--":
            update = increment(node, to)
            return AfterPlace(update, update.place, span)
        case "__extension__" | "__real":
            return to.place(operand)
        case other:
            return UnsupportedPlace(f"operator {other}", to.type(node), span)


def binary(node: Node, to: Context) -> Place:
    span = span_of(node)
    match node["opcode"]:
        case "=":
            assign = assignment(node, to)
            return AfterPlace(assign, assign.place, span)
        case ",":
            left, right = inner(node)
            place = to.place(right)
            type_ = place_type(place)
            pointer = AddressOf(place, PointerType(type_), place.span)
            return Deref(Comma(to.discarded(left), pointer, pointer.type, span), type_, span)
        case ".*" | "->*" as operator:
            left, right = inner(node)
            object_ = to.value(left) if operator == "->*" else to.argument(left)
            type_ = to.type(node)
            member = Unsupported("a member by a pointer to it", (object_, to.value(right)), PointerType(type_), span)
            return Deref(member, type_, span)
        case other:
            return UnsupportedPlace(f"operator {other}", to.type(node), span)


def compound(node: Node, to: Context) -> Place:
    update = compound_assignment(node, to)
    return AfterPlace(update, update.place, span_of(node))


def conditional(node: Node, to: Context) -> Place:
    """A choice between two objects is a choice between their addresses."""
    condition, then, otherwise = inner(node)[:3]
    span = span_of(node)
    places = to.place(then), to.place(otherwise)
    type_ = PointerType(place_type(places[0]))
    addresses = [AddressOf(place, type_, place.span) for place in places]
    chosen = Conditional(to.value(condition), addresses[0], addresses[1], type_, span)
    return Deref(chosen, type_.to, span)


def cast(node: Node, to: Context) -> Place:
    """Casts between lvalues."""
    operand = inner(node)[-1]
    span = span_of(node)
    kind = node["castKind"]
    match kind:
        case "DerivedToBase" | "UncheckedDerivedToBase":
            return base_of(to.place(operand), node, to)
        case "BaseToDerived" | "LValueBitCast" | "AddressSpaceConversion" | "Dynamic":
            type_ = PointerType(to.type(node))
            address = AddressOf(to.place(operand), PointerType(to.type(operand)), span)
            if kind == "BaseToDerived":
                return Deref(derived_pointer(address, type_, node, to), type_.to, span)
            return Deref(Convert(address, type_, span, explicit=True), type_.to, span)
        case _:
            return to.place(operand)


def base_of(place: Place, node: Node, to: Context) -> Place:
    """The base class object inside `place`, along the path that clang prints."""
    for step in node.get("path", ()):
        field = to.unit.layouts.base(place_type(place), step["name"])
        if field is None:
            return place
        place = FieldPlace(place, field, span_of(node))
    return place


def derived_pointer(pointer: Expression, type_: PointerType, node: Node, to: Context) -> Expression:
    """From a base class object back to the whole object."""
    offset, at = 0, type_.to
    for step in reversed(node.get("path", ())):
        field = to.unit.layouts.base(at, step["name"])
        offset += field.offset if field is not None else 0
        at = field.type if field is not None else at
    span = span_of(node)
    if offset:
        bytes_ = Convert(pointer, PointerType(CHAR), span)
        pointer = PointerAdd(bytes_, IntConst(-offset, INT, span), 1, PointerType(CHAR), span)
    return Convert(pointer, type_, span, explicit=True)


def string(node: Node, to: Context) -> Place:
    type_ = to.type(node)
    span = span_of(node)
    return Deref(StringConst(unquoted(node.get("value", "")), PointerType(pointee(type_)), span), type_, span)


def unquoted(quoted: str) -> str:
    """The characters of a string literal as clang prints it."""
    try:
        value = ast.literal_eval(quoted)
    except (ValueError, SyntaxError):
        return quoted.strip('"')
    return value if isinstance(value, str) else quoted


def temporary(node: Node, to: Context) -> Place:
    value = to.value(inner(node)[0])
    return destructors.temporary(value, span_of(node), to, extended="extendingDecl" in node)


def called(node: Node, to: Context) -> Place:
    """A call that returns a reference: its result is an address."""
    call = to.unit.tables.values[node["kind"]](node, to)
    if isinstance(call.type, PointerType):
        return dereferenced(call, span_of(node))
    return TemporaryPlace(call, call.type, span_of(node))


def unsupported(node: Node, to: Context) -> Place:
    return UnsupportedPlace(node["kind"], to.type(node), span_of(node))


PLACES: dict[str, PlaceRule] = {
    "DeclRefExpr": declared,
    "MemberExpr": member,
    "ArraySubscriptExpr": subscript,
    "UnaryOperator": unary,
    "BinaryOperator": binary,
    "CompoundAssignOperator": compound,
    "ConditionalOperator": conditional,
    "ImplicitCastExpr": cast,
    "CStyleCastExpr": cast,
    "CXXStaticCastExpr": cast,
    "CXXReinterpretCastExpr": cast,
    "CXXConstCastExpr": cast,
    "CXXFunctionalCastExpr": cast,
    "CXXDynamicCastExpr": cast,
    "StringLiteral": string,
    "MaterializeTemporaryExpr": temporary,
    "CompoundLiteralExpr": temporary,
    "CallExpr": called,
    "CXXMemberCallExpr": called,
    "CXXOperatorCallExpr": called,
    "UserDefinedLiteral": called,
}
