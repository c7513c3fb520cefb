"""Lowering of functions: parameters, constructor initializers, lambda captures."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from hgrd.program.control_flow.irregular import structured
from hgrd.program.expressions import (
    Assign,
    Construct,
    Expression,
    FieldPlace,
    FunctionRef,
    Place,
    Storage,
    Variable,
    VariablePlace,
)
from hgrd.program.program import Function, Side
from hgrd.program.span import NOWHERE
from hgrd.program.statements import Block, Evaluate, Statement, UnsupportedStatement
from hgrd.program.types import Field, OpaqueType, PointerType, RecordType
from hgrd.source.clang.ast import Node, inner, name_span, span_of
from hgrd.source.declarations.cuda_types import NORETURN
from hgrd.source.declarations.table import Definition, FunctionDeclaration
from hgrd.source.lowering.constructors import initializer
from hgrd.source.lowering.context import TRANSPARENT, Context, Unit, place_type
from hgrd.source.lowering.destructors import destruction, ended, members_destroyed
from hgrd.source.lowering.statements import bound, with_names

_CLUSTER = 0x636C7573
"""The first argument of the annotation that `__cluster_dims__` is (headers/hgrd/qualifiers.h)."""


def lower_function(definition: Definition, unit: Unit) -> Function:
    """The whole function; raises whatever a node of an unforeseen shape causes."""
    to = _context(definition, unit)
    parameters = _parameters(definition, to)
    body = [child for child in inner(definition.node) if child["kind"] in ("CompoundStmt", "CXXTryStmt")]
    statements = [*_initializers(definition.node, to)]
    for part in body:
        lowered = to.statement(part)
        statements += lowered.body if isinstance(lowered, Block) else [lowered]
    statements = ended(statements, _last(definition, parameters, to), to)
    written = with_names(Block(tuple(statements), definition.declaration.span), to)
    made = structured(written, definition.declaration.key)
    function = _function(definition, unit, parameters, made)
    return function if made is written else replace(function, written=written)


def _last(definition: Definition, parameters: tuple[Variable, ...], to: Context) -> Iterator[Expression]:
    """Objects that end with a function: its parameters (a kernel's are only copies), and members in a destructor."""
    declaration = definition.declaration
    if to.this is not None and definition.node["kind"] == "CXXDestructorDecl":
        object_ = to.this_place(declaration.span)
        type_ = place_type(object_)
        yield from members_destroyed(object_, type_, to) if isinstance(type_, RecordType) else ()
    for variable in parameters if declaration.side is not Side.KERNEL else ():
        yield from destruction(VariablePlace(variable, variable.span), variable.type, to)


def unlowered_function(definition: Definition, unit: Unit, reason: str) -> Function:
    """A function whose body could not be understood."""
    span = definition.declaration.span
    try:
        parameters = _parameters(definition, _context(definition, unit))
    except Exception:
        parameters = ()
    return _function(definition, unit, parameters, Block((UnsupportedStatement(reason, (), span),), span))


def declared_function(declaration: FunctionDeclaration, unit: Unit) -> Function:
    """A function without a body."""
    reference = unit.reference(declaration)
    return Function(
        reference,
        declaration.side,
        (),
        reference.returns,
        None,
        declaration.span,
        noreturn=declaration.noreturn,
        pure=declaration.pure,
        variadic=declaration.variadic,
        declared=declaration.type_text,
    )


def outside_function(reference: FunctionRef) -> Function:
    """A function of a library header, of which only the name is seen."""
    never = reference.name in NORETURN
    return Function(reference, Side.BOTH, (), reference.returns, None, NOWHERE, noreturn=never)


def _function(definition: Definition, unit: Unit, parameters: tuple[Variable, ...], body: Block) -> Function:
    declaration = definition.declaration
    reference = unit.reference(declaration)
    return Function(
        reference,
        declaration.side,
        parameters,
        reference.returns,
        body,
        declaration.span,
        max_threads=_launch_bounds(definition.node),
        cluster=_cluster(definition.node),
        noreturn=declaration.noreturn,
        pure=declaration.pure,
        variadic=declaration.variadic,
        restrict=_restrict(definition.node, parameters),
        declared=declaration.type_text,
        defaults=declaration.defaults,
    )


def _restrict(node: Node, parameters: tuple[Variable, ...]) -> frozenset[str]:
    """The keys of the parameters that are pointers (or references) declared `__restrict__` themselves."""
    declared = [child["type"]["qualType"] for child in inner(node) if child["kind"] == "ParmVarDecl"]
    named = zip(parameters[len(parameters) - len(declared) :], declared, strict=True) if parameters else ()
    return frozenset(variable.key for variable, type_ in named if "__restrict" in re.split(r"[*&]", type_)[-1])


def _launch_bounds(node: Node) -> int | None:
    for child in inner(node):
        if child["kind"] == "CUDALaunchBoundsAttr":
            return _number(inner(child)[0]) if inner(child) else None
    return None


def _cluster(node: Node) -> tuple[int | None, int | None, int | None] | None:
    """Extents of `__cluster_dims__`, None for one that is not constant; those that are left out are 1."""
    for child in inner(node):
        if child["kind"] == "AnnotateAttr":
            marker, *extents = map(_number, inner(child)) if inner(child) else (None,)
            if marker == _CLUSTER:
                x, y, z = (*extents, 1, 1, 1)[:3] if extents else (None, None, None)
                return x, y, z
    return None


def _number(node: Node) -> int | None:
    if str(node.get("value", "")).isdigit():
        return int(node["value"])
    parts = inner(node)
    return _number(parts[-1]) if parts and node["kind"] in (*TRANSPARENT, "ImplicitCastExpr") else None


# ---------------------------------------------------------------- parameters


def _context(definition: Definition, unit: Unit) -> Context:
    declaration = definition.declaration
    to = Context(unit, declaration)
    if declaration.owner is None or declaration.static:
        return to
    known = declaration.owner in unit.declarations.records
    owner = RecordType(declaration.owner) if known else OpaqueType(declaration.owner)
    to.this = Variable(to.key("this"), "this", PointerType(owner), Storage.PARAMETER, declaration.span)
    record = unit.declarations.records.get(declaration.owner)
    if record is not None and record.node.get("definitionData", {}).get("isLambda"):
        _capture(declaration.owner, record.node.get("id", ""), definition.node, to)
    return to


def _parameters(definition: Definition, to: Context) -> tuple[Variable, ...]:
    found = [to.this] if to.this is not None else []
    for child in inner(definition.node):
        if child["kind"] == "ParmVarDecl":
            name: str = child.get("name", "")
            variable = Variable(to.key(name), name, to.type(child), Storage.PARAMETER, name_span(child))
            to.variables[child["id"]] = variable
            found.append(variable)
    return tuple(found)


def _capture(key: str, identity: str, node: Node, to: Context) -> None:
    """Fields of a closure, which have no names: they are in the order of the capture expressions.

    `key` and `identity` are its class, as this program and as clang call it.
    """
    record = to.unit.layouts.record(key)
    if record is None:
        return
    used = _outer_variables(node, to)
    unnamed: list[Field] = []
    for field, capture in zip(record.fields, to.unit.captures.get(identity, ()), strict=False):
        if capture == "this":
            to.this_capture = field
        elif capture in used:
            to.captures[capture] = field
            used.remove(capture)
        else:  # `[x = value]` makes a variable of its own
            unnamed.append(field)
    for field, variable in zip(unnamed, used, strict=False):
        to.captures[variable] = field


def _outer_variables(node: Node, to: Context) -> list[str]:
    """Variables that a lambda's body uses and does not declare, in the order clang made them."""
    used: set[str] = set()
    made: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if current.get("kind") == "DeclRefExpr" and current["referencedDecl"]["kind"] in ("VarDecl", "ParmVarDecl"):
            used.add(current["referencedDecl"]["id"])
        elif current.get("kind") in ("VarDecl", "ParmVarDecl"):
            made.add(current["id"])
        stack += inner(current)
    return sorted(used - made - to.unit.declarations.variables.keys(), key=lambda identity: int(identity, 16))


# ---------------------------------------------------------------- constructors


def _initializers(node: Node, to: Context) -> list[Statement]:
    found: list[Statement] = []
    for child in inner(node):
        if child["kind"] == "CXXCtorInitializer" and inner(child):
            found += _initializer(child, to)
    return found


def _initializer(node: Node, to: Context) -> list[Statement]:
    value_node = inner(node)[0]
    span = span_of(value_node)
    this = to.this_place(span)
    place: Place | None = this
    if "anyInit" in node:
        place = _member_place(node["anyInit"], this, to)
        value_node = _default(value_node, node["anyInit"], to)
    elif "baseInit" in node:
        base = to.unit.layouts.base(place_type(this), node["baseInit"]["qualType"])
        place = FieldPlace(this, base, span) if base is not None else None
    if place is None:
        return [Evaluate(to.discarded(value_node), span)]
    type_ = place_type(place)
    reference = isinstance(type_, PointerType) and type_.reference
    value: Expression = bound(value_node, to) if reference else to.value(value_node)
    if isinstance(value, Construct) and value.constructor is None:
        return []
    return [Evaluate(Assign(place, value, type_, span, initial=True), span)]


def _default(node: Node, member: Node, to: Context) -> Node:
    """The initializer in the declaration of a member, for constructors without one of their own."""
    if node["kind"] == "CXXDefaultInitExpr" and not inner(node):
        record = to.record_of(place_type(to.this_place(span_of(node))))
        for child in inner(record.node) if record is not None else ():
            if child["id"] == member["id"] and (found := initializer(child)) is not None:
                return found
    return node


def _member_place(member: Node, this: Place, to: Context) -> Place:
    field = to.unit.layouts.member(member["id"])
    if field is not None:
        return FieldPlace(this, field, to.function.span)
    return _indirect(member.get("name", ""), this, to) or FieldPlace(
        this, to.unit.layouts.member_named(place_type(this), member.get("name", ""), to.type(member)), to.function.span
    )


def _indirect(name: str, place: Place, to: Context) -> Place | None:
    """A member of an anonymous struct or union inside of the class."""
    type_ = place_type(place)
    record = to.unit.layouts.record(type_.key) if isinstance(type_, RecordType) else None
    fields: tuple[Field, ...] = record.fields if record is not None else ()
    for field in fields:
        if field.name == name:
            return FieldPlace(place, field, to.function.span)
    for field in fields:
        if field.name == "" and (found := _indirect(name, FieldPlace(place, field, to.function.span), to)):
            return found
    return None
