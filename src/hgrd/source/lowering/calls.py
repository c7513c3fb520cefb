"""Lowering of calls and kernel launches."""

from __future__ import annotations

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Assign,
    Call,
    Convert,
    Deref,
    Expression,
    FunctionAddress,
    FunctionRef,
    IndirectCall,
    IntConst,
    Launch,
    NullPointer,
    Place,
    Unsupported,
    Update,
    VariablePlace,
)
from hgrd.program.libcu_objects import as_atomic
from hgrd.program.program import Side
from hgrd.program.span import NOWHERE, Span
from hgrd.program.types import INT, VOID, FunctionType, OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes
from hgrd.source.clang.ast import Node, inner, span_of
from hgrd.source.declarations.cuda_types import PRELUDE_RECORDS
from hgrd.source.declarations.table import FunctionDeclaration, Scope
from hgrd.source.declarations.type_parser import split_template
from hgrd.source.lowering.compiler_builtins import (
    compiler_builtin,
    in_namespace,
    integral_constant,
    numeric_limit,
    part_of_pair,
)
from hgrd.source.lowering.context import TRANSPARENT, Context, Unit, ValueRule, place_type
from hgrd.source.lowering.destructors import deleted
from hgrd.source.lowering.lvalues import dereferenced, function_ref
from hgrd.source.lowering.operators import on_iterators

_ASSERT, _STATED = "__hgrd_assert", "__hgrd_stated"  # <assert.h> of ours, without NDEBUG and with it
_FUNCTIONS = frozenset(("FunctionDecl", "CXXMethodDecl", "CXXConversionDecl"))


def unit_context(unit: Unit, scope: Scope) -> Context:
    """A context for expressions outside of any function."""
    outside = FunctionDeclaration(
        key="<global>",
        name="",
        qualified="",
        type_text="void ()",
        kind="FunctionDecl",
        scope=scope,
        owner=None,
        side=Side.HOST,
        template_args=(),
        static=False,
        virtual=False,
        pure=False,
        implicit=False,
        empty=False,
        noreturn=False,
        variadic=False,
        span=NOWHERE,
    )
    return Context(unit, outside)


def result_type(node: Node, to: Context, declared: Type | None = None) -> Type:
    """A call's type; a returned reference is an address."""
    type_ = declared
    if type_ is None or isinstance(type_, OpaqueType) or type_ == VOID:
        type_ = to.type(node)
    if node.get("valueCategory", "prvalue") == "prvalue":
        return to.type(node) if isinstance(type_, PointerType) and type_.reference else type_
    if isinstance(type_, PointerType) and type_.reference:
        return type_
    return PointerType(type_, reference=True)


def _callee(node: Node) -> Node:
    while node["kind"] in TRANSPARENT or (
        node["kind"] == "ImplicitCastExpr"
        and node["castKind"] in ("FunctionToPointerDecay", "NoOp", "BuiltinFnToFnPtr")
    ):
        node = inner(node)[-1]
    return node


def call(node: Node, to: Context) -> Expression:
    parts = inner(node)
    callee = _callee(parts[0])
    span = span_of(node)
    if callee["kind"] == "DeclRefExpr" and callee["referencedDecl"]["kind"] in _FUNCTIONS:
        known = to.unit.declarations.functions.get(callee["referencedDecl"]["id"])
        arguments = tuple(to.argument(part) for part in parts[1:])
        function = function_ref(callee, to)
        type_ = result_type(node, to, function.returns if known is not None else None)
        if known is None and (part := part_of_pair(callee, arguments, type_, span, to)) is not None:
            return part
        if known is None:
            function = _outside(in_namespace(function, callee, arguments, type_), type_, to)
        if function.name == _STATED:
            return _stated(arguments, span)
        own = compiler_builtin(function.name, arguments, type_, span)
        if known is None and not arguments and callee["referencedDecl"]["kind"] == "CXXMethodDecl":
            own = numeric_limit(function.name, type_, span)
        return Call(function, arguments, type_, span) if own is None else own
    if callee["kind"] == "MemberExpr" and callee["type"].get("qualType") != "<bound member function type>":
        return method_call(node, to)  # a static method, called on an object
    if callee["kind"] == "UnresolvedLookupExpr":
        return _unresolved(node, callee, to)
    if callee["kind"] in ("CXXDependentScopeMemberExpr", "UnresolvedMemberExpr"):
        return to.unsupported(node, "call of a member of a dependent type", *_effects(parts, to))
    if callee["kind"] == "CXXPseudoDestructorExpr":
        return Convert(to.unsupported(node, "pseudo destructor"), VOID, span)
    target = to.value(parts[0])
    if node["type"].get("qualType") == "<dependent type>":
        return to.unsupported(node, "call of a dependent type", *_effects(parts, to))
    arguments = tuple(to.argument(part) for part in parts[1:])
    if isinstance(target, FunctionAddress):
        return Call(target.function, arguments, result_type(node, to), span)
    return IndirectCall(target, arguments, result_type(node, to), span)


def _stated(arguments: tuple[Expression, ...], span: Span) -> Expression:
    """`assert` under NDEBUG: a fact still, but nothing is done by it."""
    if any(isinstance(node, Assign | Update) for node in nodes(arguments)):
        return Convert(IntConst(0, INT, span), VOID, span)
    return Call(FunctionRef(_ASSERT, _ASSERT, _ASSERT, VOID), arguments, VOID, span)


def _outside(function: FunctionRef, type_: Type, to: Context) -> FunctionRef:
    """A function of a library header: template arguments are seen in what it returns."""
    arguments: tuple[int | str, ...] = ()
    if isinstance(type_, OpaqueType):
        arguments = _arguments_in(type_.name)
    made = FunctionRef(function.key, function.name, function.qualified, type_, arguments)
    to.unit.outside.setdefault(made.key, made)
    return made


def _arguments_in(name: str) -> tuple[int | str, ...]:
    split = split_template(name)
    texts = split[1] if split is not None else []
    return tuple(int(text.rstrip("ULul")) if text.rstrip("ULul").lstrip("-").isdigit() else text for text in texts)


def _effects(parts: list[Node], to: Context) -> list[Expression]:
    return [
        to.discarded(part) for part in parts if "valueCategory" in part and part["type"].get("qualType", "")[:1] != "<"
    ]


def _unresolved(node: Node, callee: Node, to: Context) -> Expression:
    """A call in a template that nothing instantiates: the name is known, the overload is not."""
    name: str = callee.get("name", "?")
    lookups = [found["id"] for found in callee.get("lookups", ())]
    parts = inner(node)[1:]
    if any(identity in to.unit.declarations.functions for identity in lookups):
        return to.unsupported(node, "call of an overloaded name in a template", *(to.argument(part) for part in parts))
    type_ = to.type(node)
    return Call(FunctionRef(name, name, name, type_), tuple(to.value(part) for part in parts), type_, span_of(node))


# ---------------------------------------------------------------- methods


def method_call(node: Node, to: Context) -> Expression:
    parts = inner(node)
    callee = _callee(parts[0])
    span = span_of(node)
    if callee["kind"] != "MemberExpr":
        return _through_member(callee, parts, node, to)
    base = inner(callee)[0]
    object_ = to.value(base) if callee.get("isArrow") else address(to.place(base))
    arguments = tuple(to.argument(part) for part in parts[1:])
    known = to.unit.declarations.functions.get(callee.get("referencedMemberDecl", ""))
    if known is None:
        type_ = _to_element(result_type(node, to), object_.type, to)
        function = _outside_method(callee["name"], object_.type, type_, _written_type(base))
        return _of_library(function, (object_, *arguments), type_, span)
    function = to.unit.reference(known)
    type_ = result_type(node, to, function.returns)
    if known.static or _is_qualified(callee):
        return Call(function, (object_, *arguments)[known.static :], type_, span)
    if is_trivial_assignment(known, to):
        return _assigned(object_, parts[1], node, to)
    if _is_virtual(known, to) and not _is_exact(object_):
        target = FunctionAddress(function, PointerType(FunctionType()), span, virtual=True)
        return IndirectCall(target, (object_, *arguments), type_, span)
    return Call(function, (object_, *arguments), type_, span)


def _through_member(callee: Node, parts: list[Node], node: Node, to: Context) -> Expression:
    """`(object.*method)(…)`: any method."""
    if callee["kind"] != "BinaryOperator" or callee.get("opcode") not in (".*", "->*"):
        return to.unsupported(node, "call through a pointer to member", *_effects(parts, to))
    left, right = inner(callee)
    object_ = to.value(left) if callee["opcode"] == "->*" else address(to.place(left))
    method = Unsupported("pointer to member", (to.value(right),), PointerType(FunctionType()), span_of(node))
    arguments = tuple(to.argument(part) for part in parts[1:])
    return IndirectCall(method, (object_, *arguments), result_type(node, to), span_of(node))


def _is_qualified(member: Node) -> bool:
    """Whether a method is called by `Base::name(…)` on the implicit object: the name begins before the object."""
    object_ = inner(member)[0]
    while object_["kind"] == "ImplicitCastExpr":
        object_ = inner(object_)[0]
    return object_["kind"] == "CXXThisExpr" and bool(object_.get("implicit")) and span_of(object_) != span_of(member)


def _is_virtual(method: FunctionDeclaration, to: Context) -> bool:
    """Whether a method is virtual: one that overrides a virtual function is, with or without the keyword."""
    return method.virtual or method.name in to.unit.declarations.virtual_names


def _is_exact(object_: Expression) -> bool:
    """Whether the dynamic type of the object is its static type: a variable that is no reference."""
    return isinstance(object_, AddressOf) and isinstance(object_.place, VariablePlace)


def address(place: Place) -> Expression:
    match place:
        case Deref(pointer=pointer):
            return pointer
        case _:
            return AddressOf(place, PointerType(place_type(place)), place.span)


def _written_type(node: Node) -> str:
    type_ = node.get("type", {})
    return type_.get("desugaredQualType") or type_.get("qualType", "")


def _to_element(type_: Type, object_type: Type, to: Context) -> Type:
    """The result of a method of a container: clang says `value_type *` of what points to an element."""
    match type_, object_type:
        case PointerType(to=OpaqueType(name="value_type")), PointerType(to=OpaqueType(name=class_)):
            split = split_template(class_)
            return type_ if split is None or not split[1] else PointerType(to.parse(split[1][0]), type_.reference)
        case _:
            return type_


def _outside_method(name: str, object_type: Type, type_: Type, written: str) -> FunctionRef:
    """A method of a library class, named after the class without its template arguments."""
    target = object_type.to if isinstance(object_type, PointerType) else object_type
    class_name = (
        target.name if isinstance(target, OpaqueType) else target.key if isinstance(target, RecordType) else written
    )
    class_name = class_name.lstrip("*")
    split = split_template(class_name)
    plain = split[0] if split is not None else class_name
    qualified = f"{plain}::{name}"
    return FunctionRef(qualified, name, qualified, type_, _arguments_in(class_name))


def _of_library(function: FunctionRef, arguments: tuple[Expression, ...], type_: Type, span: Span) -> Expression:
    """A call of a method of a library class, or its value if that is a constant and computing it does nothing."""
    constant = integral_constant(function, type_, span)
    acts = any(isinstance(n, Call | IndirectCall | Assign | Update) for n in nodes(arguments))
    return as_atomic(Call(function, arguments, type_, span)) if constant is None or acts else constant


def operator_call(node: Node, to: Context) -> Expression:
    parts = inner(node)
    callee = _callee(parts[0])
    span = span_of(node)
    if callee["kind"] != "DeclRefExpr":
        return to.unsupported(node, "overloaded operator in a template", *_effects(parts[1:], to))
    named = callee["referencedDecl"]
    known = to.unit.declarations.functions.get(named["id"])
    iterated = on_iterators(node, parts[1:], named.get("name", ""), to) if known is None else None
    if iterated is not None:
        return iterated
    if named["kind"] != "CXXMethodDecl" or (known is not None and known.static):
        return call(node, to)
    if named.get("name") == "operator=" and _assigns_trivially(known, parts[1], parts[2], to):
        return _assigned(address(to.place(parts[1])), parts[2], node, to)
    object_ = address(to.place(parts[1]))
    arguments = tuple(to.argument(part) for part in parts[2:])
    if known is None:
        type_ = result_type(node, to)
        function = _outside_method(named.get("name", "?"), object_.type, type_, _written_type(parts[1]))
        return _of_library(function, (object_, *arguments), type_, span)
    function = to.unit.reference(known)
    type_ = result_type(node, to, function.returns)
    if _is_virtual(known, to) and not _is_exact(object_):
        target = FunctionAddress(function, PointerType(FunctionType()), span, virtual=True)
        return IndirectCall(target, (object_, *arguments), type_, span)
    return Call(function, (object_, *arguments), type_, span)


def is_trivial_assignment(function: FunctionDeclaration, to: Context) -> bool:
    """Whether this is the compiler's own bytewise `operator=`."""
    record = to.unit.declarations.records.get(function.owner or "")
    if function.name != "operator=" or not function.implicit or record is None:
        return False
    which = "moveAssign" if "&&" in function.type_text else "copyAssign"
    return bool(record.node.get("definitionData", {}).get(which, {}).get("trivial"))


def _assigns_trivially(function: FunctionDeclaration | None, target: Node, value: Node, to: Context) -> bool:
    if function is not None:
        return is_trivial_assignment(function, to)
    type_ = to.type(target)
    if isinstance(type_, RecordType):
        return type_.key in PRELUDE_RECORDS
    same = type_ == to.type(value)  # `flag = 1` on a cuda::atomic is no copy
    return same and not _written_type(target).removeprefix("const ").startswith("std::")


def _assigned(object_: Expression, value: Node, node: Node, to: Context) -> Expression:
    """A record copied by its built-in assignment: a store; as an lvalue, the object."""
    span = span_of(node)
    place = dereferenced(object_, span)
    source = to.value(value)
    type_ = place_type(place)
    assign = Assign(place, source, type_, span)
    if node.get("valueCategory") == "prvalue":
        return assign
    return AddressOf(AfterPlace(assign, place, span), PointerType(type_, reference=True), span)


# ---------------------------------------------------------------- launches


def launch(node: Node, to: Context) -> Expression:
    callee, configuration, *arguments = inner(node)
    parts = inner(configuration)[1:]
    span = span_of(node)
    if len(parts) < 2:
        return to.unsupported(node, "launch without a configuration")
    extra = [None if part["kind"] == "CXXDefaultArgExpr" else to.value(part) for part in parts[2:4]]
    shared, stream = (*extra, None, None)[:2]
    return Launch(
        to.value(callee),
        to.value(parts[0]),
        to.value(parts[1]),
        shared,
        None if isinstance(stream, NullPointer) else stream,
        tuple(to.argument(argument) for argument in arguments),
        VOID,
        span,
    )


def delete(node: Node, to: Context) -> Expression:
    """`delete p`: what the end of the object does, and a call of the deallocation function."""
    array = bool(node.get("isArray"))
    name = "operator delete[]" if array else "operator delete"
    deallocation = FunctionRef(name, name, name, VOID)
    return deleted(to.value(inner(node)[0]), deallocation, span_of(node), to, array=array)


def atomic(node: Node, to: Context) -> Expression:
    """A `__atomic_…` builtin; clang prints the object first and then the other operands."""
    name: str = node.get("name", "__atomic")
    type_ = to.type(node)
    arguments = tuple(to.argument(part) for part in inner(node))
    return Call(FunctionRef(name, name, name, type_), arguments, type_, span_of(node))


VALUES: dict[str, ValueRule] = {
    "CallExpr": call,
    "UserDefinedLiteral": call,
    "CXXMemberCallExpr": method_call,
    "CXXOperatorCallExpr": operator_call,
    "CUDAKernelCallExpr": launch,
    "CXXDeleteExpr": delete,
    "AtomicExpr": atomic,
}
