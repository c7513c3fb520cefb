"""Lowering of object construction: constructors, initializer lists, new, lambdas."""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.program.expressions import (
    AddressOf,
    Aggregate,
    Assign,
    Comma,
    Construct,
    Convert,
    Deref,
    Expression,
    FunctionRef,
    IntConst,
    Load,
    New,
    NullPointer,
    Storage,
    TemporaryPlace,
    Unsupported,
    VariablePlace,
)
from hgrd.program.span import Span
from hgrd.program.statements import Block, Declare, Evaluate
from hgrd.program.types import (
    INT,
    UINT,
    VOID,
    ArrayType,
    Field,
    OpaqueType,
    PointerType,
    Record,
    RecordType,
    Type,
)
from hgrd.source.clang.ast import Node, inner, span_of
from hgrd.source.declarations.cuda_types import LAUNCH_RECORDS, PRELUDE_RECORDS
from hgrd.source.declarations.table import FunctionDeclaration
from hgrd.source.lowering import constants
from hgrd.source.lowering.context import Context, ValueRule, unwrapped

_MAX_FILLED = 64
_SLOT = 1 << 16  # bytes between elements of a list whose size is unknown


def zero(type_: Type, span: Span) -> Expression:
    """The value-initialised value of a type."""
    if isinstance(type_, PointerType):
        return NullPointer(type_, span)
    return constants.zero(type_, span) or Aggregate((), type_, span)


def moved(expression: Expression, span: Span) -> Expression:
    """The same constant at another place."""
    return replace(expression, span=span)


def initializer(node: Node) -> Node | None:
    """The initializer of a variable or field."""
    if "init" not in node and not node.get("hasInClassInitializer"):
        return None
    for child in reversed(inner(node)):
        if "valueCategory" in child:
            return child
    return None


# ---------------------------------------------------------------- constructors


def construct(node: Node, to: Context) -> Expression:
    type_ = to.type(node)
    span = span_of(node)
    parts = inner(node)
    element = type_
    while isinstance(element, ArrayType):
        element = element.of
    if isinstance(element, PointerType):  # an iterator
        return to.value(parts[0]) if parts else zero(type_, span)
    if _copies(node, parts, element, to):
        return to.value(parts[0])
    text = node.get("ctorType", {}).get("qualType", "void ()")
    found = find_constructor(element, text, to)
    if found is not None and found.implicit and found.empty and not parts:
        return zero(type_, span) if node.get("zeroing") else Construct(None, (), type_, span)
    arguments = tuple(to.argument(part) for part in parts)
    if found is not None:
        return Construct(to.unit.reference(found), arguments, type_, span)
    if not parts and isinstance(type_, RecordType) and type_.key in LAUNCH_RECORDS:
        return _unset_launch(LAUNCH_RECORDS[type_.key], type_, span)
    if not parts and (to.record_of(element) is not None or _is_plain(element)):
        return zero(type_, span) if node.get("zeroing") or node.get("list") else Construct(None, (), type_, span)
    return Construct(_outside_constructor(element), arguments, type_, span)


def construct_inherited(node: Node, to: Context) -> Expression:
    """The base by the constructor that `using Base::Base` inherits: with the parameters of the one that it becomes."""
    type_, span = to.type(node), span_of(node)
    given = [v for v in to.variables.values() if v.storage is Storage.PARAMETER]
    found = find_constructor(type_, to.function.type_text, to)
    called = _outside_constructor(type_) if found is None else to.unit.reference(found)
    return Construct(called, tuple(Load(VariablePlace(v, span), v.type, span) for v in given), type_, span)


def _unset_launch(record: Record, type_: Type, span: Span) -> Expression:
    """A record that says how a kernel is launched, before anything is assigned: an extent begins as 1."""
    one = (IntConst(1, UINT, span),) * 3
    extents = (f for f in record.fields if f.type == RecordType("dim3"))
    parts = ((f.offset, Construct(_outside_constructor(f.type), one, f.type, span)) for f in extents)
    return Aggregate(tuple(parts), type_, span)


def _is_plain(type_: Type) -> bool:
    return isinstance(type_, RecordType) and type_.key in PRELUDE_RECORDS and type_.key != "dim3"


def _outside_constructor(type_: Type) -> FunctionRef:
    name = type_.key if isinstance(type_, RecordType) else type_.name if isinstance(type_, OpaqueType) else "?"
    last = name.partition("<")[0].rpartition("::")[2]
    qualified = name if isinstance(type_, RecordType) else f"{name.partition('<')[0]}::{last}"
    return FunctionRef(qualified, last, qualified, VOID)


def _copies(node: Node, parts: list[Node], type_: Type, to: Context) -> bool:
    """Whether a construction is a bytewise copy of its only argument."""
    text = node.get("ctorType", {}).get("qualType", "")
    if len(parts) != 1 or not ("&)" in text or text == ""):
        return False
    if node.get("elidable"):
        return True
    source = to.type(parts[0])
    if source != type_ and not isinstance(source, OpaqueType):
        return False
    record = to.record_of(type_)
    if record is not None:
        which = "moveCtor" if "&&)" in text else "copyCtor"
        data = record.node.get("definitionData", {})
        found = find_constructor(type_, text, to)
        trivial = data.get(which, {}).get("trivial") or data.get("isTriviallyCopyable")
        return bool(trivial) and (found is None or found.implicit)
    if isinstance(type_, OpaqueType):
        plain = node["type"].get("desugaredQualType") or node["type"]["qualType"]
        return source == type_ and not plain.startswith("std::") and type_.name in text
    return source == type_


def find_constructor(type_: Type, text: str, to: Context) -> FunctionDeclaration | None:
    """The constructor with a printed type; clang does not print which one is called."""
    record = to.record_of(type_)
    if record is None:
        return None
    fallback: FunctionDeclaration | None = None
    wanted = _plain(text)
    for child in inner(record.node):
        candidates = inner(child) if child["kind"] == "FunctionTemplateDecl" else [child]
        for candidate in candidates:
            known = to.unit.declarations.functions.get(candidate.get("id", ""))
            if known is None or known.kind != "CXXConstructorDecl":
                continue
            if _plain(known.type_text) == wanted:
                return known
            if len(_plain(known.type_text).split(",")) == len(wanted.split(",")) and known.template_args:
                fallback = known
    return fallback


def _plain(text: str) -> str:
    return text.partition(" noexcept")[0].replace(" ", "")


# ---------------------------------------------------------------- lists


def _is_empty(part: Node) -> bool:
    return part["kind"] == "InitListExpr" and "array_filler" not in part and not inner(part)


def init_list(node: Node, to: Context) -> Expression:
    type_ = to.type(node)
    span = span_of(node)
    parts = inner(node)
    if "array_filler" in node:
        parts = [part for part in node["array_filler"] if part.get("kind")][1:]
    match type_:
        case ArrayType():
            if len(parts) == 1 and to.type(parts[0]) == type_:  # char s[] = {"text"}
                return to.value(parts[0])
            return _array(type_, parts, node, to)
        case RecordType(key=key) if (record := to.unit.layouts.record(key)) is not None:
            if len(parts) == 1 and to.type(parts[0]) == type_:
                return to.value(parts[0])
            fields = tuple(field for field in record.fields if field.name or isinstance(field.type, RecordType))
            if record.union:
                fields = _chosen(node, fields)
            return _fields(type_, fields, parts, span, to)
        case OpaqueType(name=name) if len(parts) == 1 and name.startswith("std::array<"):
            made = FunctionRef("std::array::array", "array", "std::array::array", VOID)
            elements = to.value(parts[0])
            listed = AddressOf(TemporaryPlace(elements, elements.type, span), PointerType(elements.type), span)
            return Construct(made, (listed,), type_, span)
        case OpaqueType() if parts and all(map(_is_empty, parts)):  # of bases without members
            return zero(type_, span)
        case OpaqueType() if parts:
            return Unsupported("initializer list of an unknown type", tuple(map(to.argument, parts)), type_, span)
        case _:
            return to.value(parts[0]) if parts else zero(type_, span)


def standard_list(node: Node, to: Context) -> Expression:
    """A `std::initializer_list`, by the address of its array (C++, [dcl.init.list])."""
    listed = node
    while listed["kind"] != "InitListExpr" and inner(listed):
        listed = inner(listed)[0]
    elements = inner(listed)
    if listed["kind"] != "InitListExpr" or not elements:
        return to.unsupported(node, "CXXStdInitializerListExpr")
    type_ = ArrayType(to.type(elements[0]), len(elements))  # clang does not spell out the array's own type
    span = span_of(node)
    array = TemporaryPlace(_array(type_, elements, listed, to, slot=_SLOT), type_, span)
    return AddressOf(array, PointerType(type_), span)


def _chosen(node: Node, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    name = node.get("field", {}).get("name", "")
    return tuple(field for field in fields if field.name == name) or fields[:1]


def _fields(type_: Type, fields: tuple[Field, ...], parts: list[Node], span: Span, to: Context) -> Expression:
    values: list[tuple[int, Expression]] = []
    for field, part in zip(fields, parts, strict=False):
        if part["kind"] != "ImplicitValueInitExpr":
            reference = isinstance(field.type, PointerType) and field.type.reference
            value = to.argument(part) if reference else to.value(part)
            values += _placed(field.offset, value)
    return Aggregate(tuple(values), type_, span)


def _array(type_: ArrayType, parts: list[Node], node: Node, to: Context, *, slot: int = 0) -> Expression:
    """The elements of an array; those of unknown size are so many bytes apart."""
    stride = to.stride(type_.of) or slot
    values: list[tuple[int, Expression]] = []
    for index, part in enumerate(parts):
        if part["kind"] != "ImplicitValueInitExpr":
            values += _placed(index * stride, to.value(part))
    filler = next(iter(node.get("array_filler", ())), None)
    count = type_.count or 0
    if filler and filler["kind"] != "ImplicitValueInitExpr" and count - len(parts) <= _MAX_FILLED:
        for index in range(len(parts), count):
            values += _placed(index * stride, to.value(filler))
    return Aggregate(tuple(values), type_, span_of(node))


def _placed(offset: int, value: Expression) -> list[tuple[int, Expression]]:
    """Aggregates inside of aggregates are flattened."""
    if isinstance(value, Aggregate):
        return [(offset + inside, part) for inside, part in value.parts]
    if isinstance(value, Construct) and value.constructor is None:
        return []
    return [(offset, value)]


def array_copy(node: Node, to: Context) -> Expression:
    """An array member copied by a constructor or a lambda, element by element."""
    source = unwrapped(inner(node)[0])
    place = to.place(source)
    value = to.load(place, source)
    if not isinstance(value, AddressOf):
        return to.unsupported(node, "array copy", value)
    return Load(value.place, to.type(node), span_of(node))


# ---------------------------------------------------------------- new, lambda, statement expression


def new(node: Node, to: Context) -> Expression:
    type_ = to.type(node)
    allocated = type_.to if isinstance(type_, PointerType) else OpaqueType("?")
    parts = inner(node)
    count = to.value(parts.pop(0)) if node.get("isArray") and parts else None
    initial: Expression | None = None
    if "initStyle" in node or (parts and parts[0]["kind"] == "CXXConstructExpr"):
        initial = to.value(parts.pop(0)) if parts else None
    if isinstance(initial, Construct) and initial.constructor is None:
        initial = None
    if node.get("isPlacement") and parts:
        return _placed_at(to.value(parts[0]), count, initial, type_, span_of(node))
    return New(allocated, count, initial, type_, span_of(node))


def _placed_at(
    pointer: Expression, count: Expression | None, initial: Expression | None, type_: Type, span: Span
) -> Expression:
    """Placement new: an object made in existing memory."""
    pointer = constants.converted(pointer, type_, span)
    if initial is None or not isinstance(type_, PointerType):
        return pointer
    if count is not None or not isinstance(pointer, Load | Convert | AddressOf):
        return Unsupported("placement new", (pointer, initial), type_, span)
    made = Assign(Deref(pointer, type_.to, span), initial, type_.to, span, initial=True)
    return Comma(made, pointer, type_, span)


def closure(node: Node, to: Context) -> Expression:
    """A lambda: its captures in order, in the fields of its class."""
    class_, *rest = inner(node)
    span = span_of(node)
    declaration = to.unit.declarations.record_ids.get(class_["id"])
    record = to.unit.layouts.record(declaration.key) if declaration is not None else None
    if declaration is None or record is None:
        return to.unsupported(node, "lambda")
    captures = [part for part in rest if "valueCategory" in part]
    return _fields(RecordType(declaration.key), record.fields, captures, span, to)


def statement_expression(node: Node, to: Context) -> Expression:
    """GNU `({ …; value; })` as a chain of commas, where it holds no control flow."""
    statements = inner(inner(node)[0])
    span = span_of(node)
    effects: list[Expression] = []
    for statement in statements[:-1]:
        for lowered in to.statements(statement):
            match lowered:
                case Evaluate(expression=expression):
                    effects.append(expression)
                case Declare(variable=variable, initial=initial):
                    if initial is not None:
                        place = VariablePlace(variable, lowered.span)
                        effects.append(Assign(place, initial, variable.type, lowered.span, initial=True))
                case Block(body=()):
                    pass
                case _:
                    return to.unsupported(node, "statement expression with control flow", *effects)
    if not statements or "valueCategory" not in statements[-1]:
        return to.unsupported(node, "statement expression without a value", *effects)
    value = to.value(statements[-1])
    for effect in reversed(effects):
        value = Comma(effect, value, value.type, span)
    return value


def index_of_copy(node: Node, to: Context) -> Expression:
    return IntConst(0, INT, span_of(node))


VALUES: dict[str, ValueRule] = {
    "CXXConstructExpr": construct,
    "CXXTemporaryObjectExpr": construct,
    "CXXInheritedCtorInitExpr": construct_inherited,
    "CXXUnresolvedConstructExpr": lambda node, to: to.unsupported(
        node, "value of a dependent type", *(to.discarded(part) for part in inner(node) if "valueCategory" in part)
    ),
    "CompoundLiteralExpr": lambda node, to: to.value(inner(node)[0]),
    "InitListExpr": init_list,
    "CXXStdInitializerListExpr": standard_list,
    "CXXParenListInitExpr": init_list,
    "ArrayInitLoopExpr": array_copy,
    "ArrayInitIndexExpr": index_of_copy,
    "CXXNewExpr": new,
    "LambdaExpr": closure,
    "StmtExpr": statement_expression,
}
