"""The lowering context of one function: its variables, its types, and the lowering of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Assign,
    Comma,
    Conditional,
    Deref,
    Expression,
    FieldPlace,
    FunctionAddress,
    FunctionRef,
    IntConst,
    Load,
    Place,
    TemporaryPlace,
    Unsupported,
    UnsupportedPlace,
    Update,
    Variable,
    VariablePlace,
)
from hgrd.program.openmp import in_threads
from hgrd.program.program import Side
from hgrd.program.span import Span
from hgrd.program.statements import Block, Case, Statement
from hgrd.program.types import (
    VOID,
    ArrayType,
    BoolType,
    Field,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
)
from hgrd.source.clang.ast import Node, inner, span_of
from hgrd.source.declarations.record_layout import Layouts
from hgrd.source.declarations.table import Declarations, FunctionDeclaration, RecordDeclaration, Scope
from hgrd.source.text.directives import Directives, directives_in

TRANSPARENT = frozenset(
    (
        *("ParenExpr", "ExprWithCleanups", "ConstantExpr", "CXXBindTemporaryExpr", "SubstNonTypeTemplateParmExpr"),
        *("CXXDefaultArgExpr", "CXXDefaultInitExpr", "OpaqueValueExpr", "CXXRewrittenBinaryOperator", "ChooseExpr"),
        *("GenericSelectionExpr", "PredefinedExpr"),
    )
)


def unwrapped(node: Node) -> Node:
    """The expression inside of parentheses, cleanups, default arguments and similar nodes."""
    while node["kind"] in TRANSPARENT and (parts := inner(node)):
        node = parts[-1]
    return node


def _constant(node: Node, to: Context) -> Expression | None:
    """The value of a constant expression of an integral type; None of any other."""
    text, type_ = node.get("value", ""), to.type(node)
    if not isinstance(type_, IntType | BoolType) or node.get("valueCategory", "prvalue") != "prvalue":
        return None
    if text in ("true", "false"):
        return IntConst(int(text == "true"), type_, span_of(node))
    return IntConst(int(text), type_, span_of(node)) if text.removeprefix("-").isdigit() else None


class LoweringTables(Struct, frozen=True):
    """The lowering functions by kind of node."""

    values: Mapping[str, ValueRule]
    places: Mapping[str, PlaceRule]
    statements: Mapping[str, StatementRule]


class Unit(Struct):
    """One run of clang over one file.

    By clang's numbers: `captures` are the variables that the fields of a closure's class hold, `local_constants` the
    declarations of local variables with a value that is used as a constant, `local_statics` those of variables within
    functions that are in static storage.  `directives` are those of OpenMP in each file.
    """

    declarations: Declarations
    layouts: Layouts
    tables: LoweringTables
    is_user_file: Callable[[str], bool]
    globals: dict[str, Variable] = field(default_factory=dict[str, Variable])
    references: dict[str, FunctionRef] = field(default_factory=dict[str, FunctionRef])
    outside: dict[str, FunctionRef] = field(default_factory=dict[str, FunctionRef])
    captures: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    local_constants: dict[str, Node] = field(default_factory=dict[str, Node])
    local_statics: dict[str, Node] = field(default_factory=dict[str, Node])
    constants: dict[str, Expression | None] = field(default_factory=dict[str, Expression | None])
    directives: dict[str, Directives] = field(default_factory=dict[str, Directives])

    def directives_at(self, span: Span) -> tuple[str, ...]:
        """The directives of OpenMP before the statement that begins at a place."""
        known = self.directives.get(span.file)
        if known is None:
            known = self.directives[span.file] = directives_in(span.file) if self.is_user_file(span.file) else {}
        return known.get((span.line, span.column), ()) if known else ()

    def reference(self, function: FunctionDeclaration) -> FunctionRef:
        found = self.references.get(function.key)
        if found is None:
            returns = self.declarations.parse(function.type_text, function.scope).returns
            found = FunctionRef(
                function.key,
                function.name,
                function.qualified,
                returns.type if returns is not None and function.kind != "CXXConstructorDecl" else VOID,
                function.template_args,
                self.of_program(function),
            )
            self.references[function.key] = found
        return found

    def of_program(self, function: FunctionDeclaration) -> bool:
        """Whether the program defines a function, or declares it and does not repeat what a library's header says.

        The compiler declares its own functions where the program first calls them, and a reserved name that the program
        only declares is one of the implementation (C++ [lex.name]).
        """
        if function.implicit and function.owner is None:
            return False
        if not self.is_user_file(self.declarations.defined.get(function.key, function.span.file)):
            return False
        if function.key in self.declarations.defined:
            return True
        if function.owner is None and function.name.startswith("__"):
            return False
        if function.repeats is None:
            return True
        first = self.declarations.functions.get(function.repeats)
        return first is not None and self.of_program(first)


class Context(Struct):
    """The function being lowered.  `captures` are the fields of a lambda by the captured variable's id."""

    unit: Unit
    function: FunctionDeclaration
    this: Variable | None = None
    captures: dict[str, Field] = field(default_factory=dict[str, Field])
    this_capture: Field | None = None
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    bindings: dict[str, Node] = field(default_factory=dict[str, Node])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    labels: dict[str, str] = field(default_factory=dict[str, str])  # names by the ids of their declarations
    sideways: list[list[Case]] = field(default_factory=list[list[Case]])  # of switches entered in inner statements
    returned: set[str] = field(default_factory=set[str])  # keys of variables that are the result of the function
    temporaries: list[Variable] = field(default_factory=list[Variable])  # of the current expression
    extended: list[Variable] = field(default_factory=list[Variable])  # temporaries of the current declaration

    @property
    def scope(self) -> Scope:
        return self.function.scope

    # ------------------------------------------------------------ lowering

    def value(self, node: Node) -> Expression:
        """The value of an expression; an lvalue is loaded.  What must be constant is the number that clang found."""
        known = _constant(node, self) if node["kind"] == "ConstantExpr" else None
        if known is not None:
            return known
        node = unwrapped(node)
        if node.get("valueCategory", "prvalue") != "prvalue":
            return self.load(self.place(node), node)
        rule = self.unit.tables.values.get(node["kind"])
        return self.unsupported(node, node["kind"]) if rule is None else rule(node, self)

    def place(self, node: Node) -> Place:
        """The object an lvalue denotes; a value is put into a temporary object."""
        node = unwrapped(node)
        if node.get("valueCategory", "prvalue") == "prvalue":
            value = self.value(node)
            return TemporaryPlace(value, value.type, value.span)
        rule = self.unit.tables.places.get(node["kind"])
        if rule is None:
            return UnsupportedPlace(_readable(node["kind"]), self.type(node), span_of(node))
        return rule(node, self)

    def load(self, place: Place, node: Node) -> Expression:
        """The value at a place; arrays decay, functions give their address."""
        span = span_of(node)
        match place:
            case AfterPlace(effect=Assign() | Update() as effect, place=target) if effect.place == target:
                return effect  # an assignment's value is the value stored
            case TemporaryPlace(value=value):
                return value
            case Deref(pointer=FunctionAddress() as function):
                return function
            case Deref(pointer=Conditional(then=AddressOf() as then, otherwise=AddressOf() as otherwise) as chosen):
                values = self.load(then.place, node), self.load(otherwise.place, node)
                return Conditional(chosen.condition, *values, values[0].type, span)
            case Deref(pointer=Comma(left=first, right=AddressOf(place=second))):
                value = self.load(second, node)
                return Comma(first, value, value.type, span)
            case _:
                pass
        type_ = place_type(place)
        match type_:
            case ArrayType(of=element):
                return AddressOf(place, PointerType(element), span)
            case FunctionType():
                return AddressOf(place, PointerType(type_), span)
            case _:
                return Load(place, type_, span, volatile=is_volatile(node))

    def argument(self, node: Node) -> Expression:
        """The initial value of a parameter or a reference: the address of an lvalue, else the value."""
        if node.get("valueCategory", "prvalue") == "prvalue":
            return self.value(node)
        place = self.place(node)
        return AddressOf(place, PointerType(place_type(place), reference=True), span_of(node))

    def discarded(self, node: Node) -> Expression:
        """An expression for its effects; an lvalue is not loaded."""
        if node.get("valueCategory", "prvalue") == "prvalue":
            return self.value(node)
        return _effect_of(self.place(node), span_of(node))

    def statements(self, node: Node) -> list[Statement]:
        """One node may give several statements (`int a, b;`) or none (`;`)."""
        rule = self.unit.tables.statements.get(node["kind"])
        if rule is None:
            rule = self.unit.tables.statements["Expr"]
        found, span = rule(node, self), span_of(node)
        if node["kind"] != "AttributedStmt" and self.function.side is Side.HOST:  # that begins where its statement does
            for directive in reversed(self.unit.directives_at(span)):
                found = in_threads(directive, found, span)
        return found

    def statement(self, node: Node) -> Statement:
        found = self.statements(node)
        return found[0] if len(found) == 1 else Block(tuple(found), span_of(node))

    # ------------------------------------------------------------ types

    def type(self, node: Node) -> Type:
        return self.unit.declarations.type_of(node, self.scope).type

    def parse(self, text: str) -> Type:
        return self.unit.declarations.parse(text, self.scope).type

    def stride(self, type_: Type) -> int:
        """Bytes between neighbours in an array of `type_`; 0 where unknown (1 for void, as GNU C has it)."""
        return 1 if type_ == VOID else self.unit.layouts.size(type_) or 0

    def record_of(self, type_: Type) -> RecordDeclaration | None:
        return self.unit.declarations.records.get(type_.key) if isinstance(type_, RecordType) else None

    # ------------------------------------------------------------ helpers

    def key(self, name: str) -> str:
        """A key for a variable of this function."""
        count = self.counts[name] = self.counts.get(name, -1) + 1
        return f"{self.function.key}::{name}" + (f"#{count}" if count else "")

    def label(self, name: str) -> str:
        """A name for a label of this function."""
        count = self.counts[f"{name}:"] = self.counts.get(f"{name}:", -1) + 1
        return name + (f".{count}" if count else "")

    def unsupported(self, node: Node, reason: str, *operands: Expression) -> Unsupported:
        return Unsupported(_readable(reason), operands, self.type(node), span_of(node))

    def this_place(self, span: Span) -> Place:
        """The object of the current method."""
        assert self.this is not None
        load = Load(VariablePlace(self.this, span), self.this.type, span)
        return Deref(load, pointee(self.this.type), span)


ValueRule: TypeAlias = Callable[[Node, Context], Expression]
PlaceRule: TypeAlias = Callable[[Node, Context], Place]
StatementRule: TypeAlias = Callable[[Node, Context], list[Statement]]


_REASONS = {
    "RecoveryExpr": "does not compile",
    "UnresolvedLookupExpr": "unresolved name",
    "CXXDependentScopeMemberExpr": "member of a dependent type",
    "DependentScopeDeclRefExpr": "dependent name",
    "UnresolvedMemberExpr": "unresolved member",
    "ParenListExpr": "list of a dependent type",
    "CXXTypeidExpr": "typeid",
    "VAArgExpr": "va_arg",
    "CXXStdInitializerListExpr": "std::initializer_list",
    "SizeOfPackExpr": "sizeof...",
    "OffsetOfExpr": "offsetof",
}


def _readable(reason: str) -> str:
    """A reason in plain words; reasons without an entry are returned unchanged."""
    return _REASONS.get(reason, reason)


def _effect_of(place: Place, span: Span) -> Expression:
    """The effects of computing a place that is not used."""
    match place:
        case AfterPlace(effect=effect):
            return effect
        case Deref(pointer=Comma(left=first, right=AddressOf(place=second))):
            last = _effect_of(second, span)
            return Comma(first, last, last.type, span)
        case Deref(pointer=pointer) if not isinstance(pointer, Load):
            return pointer
        case TemporaryPlace(value=value):
            return value
        case _:
            return AddressOf(place, PointerType(place_type(place)), span)


def place_type(place: Place) -> Type:
    match place:
        case VariablePlace(variable=variable):
            return variable.type
        case FieldPlace(field=member):
            return member.type
        case AfterPlace(place=target):
            return place_type(target)
        case Deref(type=type_) | TemporaryPlace(type=type_) | UnsupportedPlace(type=type_):
            return type_


def pointee(type_: Type) -> Type:
    match type_:
        case PointerType(to=to):
            return to
        case ArrayType(of=of):
            return of
        case OpaqueType(name=name):
            return OpaqueType(f"*{name}")
        case _:
            return OpaqueType("?")


def referred(place: Place, span: Span) -> Place:
    """The object that a use of a variable or member denotes: for a reference, the object it refers to."""
    type_ = place_type(place)
    if isinstance(type_, PointerType) and type_.reference:
        return Deref(Load(place, type_, span), type_.to, span)
    return place


def is_volatile(node: Node) -> bool:
    """Whether the lvalue's own type is volatile (not what it points to)."""
    type_ = node.get("type", {})
    text: str = type_.get("desugaredQualType") or type_.get("qualType", "")
    if "volatile" not in text:
        return False
    head, star, tail = text.rpartition("*")
    return "volatile" in tail if star else "volatile" in head + tail
