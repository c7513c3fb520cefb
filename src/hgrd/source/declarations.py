"""What a translation unit declares: types, functions and variables by id and by qualified name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from hgrd.program.program import Side
from hgrd.program.span import Span
from hgrd.program.types import INT, UINT, IntType, OpaqueType, RecordType
from hgrd.source.ast import FUNCTION_KINDS, Node, inner, name_span
from hgrd.source.prelude_types import NORETURN, PRELUDE_TYPES
from hgrd.source.type_text import NAMED, QualifiedType, TypeText, split_scopes, split_template

Scope: TypeAlias = tuple[str, ...]

_RECORDS = frozenset(("CXXRecordDecl", "ClassTemplateSpecializationDecl"))
_STUB = re.compile(r"(\d*)__device_stub__")
_UNNAMED = re.compile(r"\((?:lambda|anonymous|unnamed)[^()]* at ([^()]*:\d+:\d+)\)")


@dataclass(frozen=True, slots=True)
class RecordDeclaration:
    """A class with its definition; `scope` is the one inside of it."""

    key: str
    name: str
    node: Node
    scope: Scope


@dataclass(frozen=True, slots=True)
class FunctionDeclaration:
    """What is known of a function without its body; `type_text` as clang prints the function's type."""

    key: str
    name: str
    qualified: str
    type_text: str
    kind: str
    scope: Scope
    owner: str | None
    side: Side
    template_args: tuple[int | str, ...]
    static: bool
    virtual: bool
    implicit: bool  # made by the compiler, or defaulted
    empty: bool  # no initializers, no statements
    noreturn: bool
    variadic: bool
    span: Span


@dataclass(frozen=True, slots=True)
class VariableDeclaration:
    """A variable of namespace or class scope."""

    node: Node
    key: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Definition:
    """A function body to lower."""

    declaration: FunctionDeclaration
    node: Node
    pattern: bool  # of a template that is not instantiated


@dataclass(slots=True)
class Declarations:
    """The tables; ids are clang's and live as long as one run of it."""

    records: dict[str, RecordDeclaration] = field(default_factory=dict[str, RecordDeclaration])
    record_ids: dict[str, RecordDeclaration] = field(default_factory=dict[str, RecordDeclaration])
    named: dict[str, QualifiedType] = field(default_factory=dict[str, QualifiedType])
    aliases: dict[str, tuple[str, Scope]] = field(default_factory=dict[str, tuple[str, Scope]])
    by_suffix: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    unnamed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    specializations: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    enumerators: dict[str, int] = field(default_factory=dict[str, int])
    members: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    functions: dict[str, FunctionDeclaration] = field(default_factory=dict[str, FunctionDeclaration])
    variables: dict[str, VariableDeclaration] = field(default_factory=dict[str, VariableDeclaration])
    template_types: dict[Scope, dict[str, str]] = field(default_factory=dict[Scope, dict[str, str]])
    _cache: dict[tuple[str, Scope], QualifiedType] = field(default_factory=dict[tuple[str, Scope], QualifiedType])
    _resolving: set[str] = field(default_factory=set[str])

    # ------------------------------------------------------------ types

    def type_of(self, node: Node, scope: Scope) -> QualifiedType:
        """The type of an expression or declaration node."""
        type_ = node.get("type")
        if type_ is None:
            return QualifiedType(OpaqueType("?"))
        return self.parse(type_.get("desugaredQualType") or type_.get("qualType", ""), scope)

    def parse(self, text: str, scope: Scope) -> QualifiedType:
        """The type that `text` names when it stands in `scope`."""
        found = self._cache.get((text, ())) or self._cache.get((text, scope))
        if found is not None:
            return found
        scoped = False

        def lookup(name: str) -> QualifiedType | None:
            nonlocal scoped
            if name in NAMED:
                return QualifiedType(NAMED[name])
            scoped = True
            return self.lookup(name, scope)

        found = TypeText(text, lookup).read()
        self._cache[text, scope if scoped else ()] = found
        return found

    def lookup(self, name: str, scope: Scope) -> QualifiedType | None:
        """The type a name stands for: the innermost declaration, else the only one that ends so."""
        enum = name.startswith("enum ")
        name = name.removeprefix("enum ").replace("(anonymous namespace)::", "")
        for depth in range(len(scope), -1, -1):
            if found := self._exact("::".join((*scope[:depth], name))):
                return found
            if "lambda" in name and (key := self.template_types.get(scope[:depth], {}).get(name)):
                return QualifiedType(RecordType(key))
        last = split_scopes(name)[-1]
        if match := _UNNAMED.search(last):
            return self._unnamed(match[1], scope)
        if last.endswith(">") and (found := self._specialization(name, scope)):
            return found
        if name in PRELUDE_TYPES or last in PRELUDE_TYPES:
            return QualifiedType(PRELUDE_TYPES.get(name) or PRELUDE_TYPES[last])
        if name.startswith("std::") and last in NAMED:
            return QualifiedType(NAMED[last])
        endings = [q for q in self.by_suffix.get(last, ()) if q == name or q.endswith("::" + name)]
        found_types = [found for q in endings if (found := self._exact(q))]
        if found_types and all(t == found_types[0] for t in found_types):
            return found_types[0]
        return QualifiedType(UINT) if enum else None

    def _exact(self, qualified: str) -> QualifiedType | None:
        if found := self.named.get(qualified):
            return found
        alias = self.aliases.get(qualified)
        if alias is None or qualified in self._resolving:
            return None
        self._resolving.add(qualified)
        try:
            return self.parse(alias[0], alias[1])
        finally:
            self._resolving.discard(qualified)

    def _unnamed(self, place: str, scope: Scope) -> QualifiedType | None:
        keys = self.unnamed.get(place, [])
        inside = [key for key in keys if scope and key.startswith("::".join(scope) + "::")]
        for key in (*inside, *keys):
            return QualifiedType(RecordType(key))
        return None

    def _specialization(self, name: str, scope: Scope) -> QualifiedType | None:
        split = split_template(name)
        if split is None:
            return None
        wanted = [self.canonical(argument, scope) for argument in split[1]]
        last = split_scopes(split[0])[-1]
        fitting: list[str] = []
        for key in self.specializations.get(last, ()):
            given = split_template(key)
            if given is None or not (given[0].endswith(split[0]) or split[0].endswith(given[0])):
                continue
            arguments = [self.canonical(argument, scope) for argument in given[1]]
            if arguments == wanted:
                return QualifiedType(RecordType(key))
            if arguments[: len(wanted)] == wanted:
                fitting.append(key)
        return QualifiedType(RecordType(fitting[0])) if len(fitting) == 1 else None

    def canonical(self, argument: str, scope: Scope) -> str:
        """A template argument such that equal ones have equal texts."""
        if argument[:1].isdigit() or (argument[:1] in "-'\"&(" and "lambda" not in argument):
            return argument.rstrip("ULul")
        type_ = self.parse(argument, scope).type
        return argument if isinstance(type_, OpaqueType) else repr(type_)

    # ------------------------------------------------------------ declarations

    def add(self, node: Node, scope: Scope) -> Iterator[Definition]:
        """Enter a declaration and all inside of it; yields the functions that have bodies."""
        if node.get("kind") not in FUNCTION_KINDS:
            for closure in node.get("locals", ()):
                yield from self._record(closure, scope)
        match node.get("kind"):
            case "NamespaceDecl":
                inside = (*scope, node["name"]) if node.get("name") and not node.get("isInline") else scope
                for child in inner(node):
                    yield from self.add(child, inside)
            case "LinkageSpecDecl" | "ExportDecl":
                for child in inner(node):
                    yield from self.add(child, scope)
            case "TypedefDecl" | "TypeAliasDecl" if "type" in node:
                type_ = node["type"]
                self._name("::".join((*scope, node["name"])))
                self.aliases["::".join((*scope, node["name"]))] = (
                    type_.get("desugaredQualType") or type_["qualType"],
                    scope,
                )
            case "EnumDecl":
                self._enum(node, scope)
            case "CXXRecordDecl" | "ClassTemplateSpecializationDecl":
                yield from self._record(node, scope)
            case "ClassTemplateDecl":
                for child in inner(node):
                    if child["kind"] in _RECORDS:
                        yield from self._record(child, scope, pattern=child["kind"] == "CXXRecordDecl")
            case "FunctionTemplateDecl":
                yield from self._function_template(node, scope)
            case "VarDecl":
                self._variable(node, scope)
            case "VarTemplateDecl":
                for child in inner(node):
                    if child["kind"] == "VarTemplateSpecializationDecl":
                        self._variable(child, scope)
            case kind if kind in FUNCTION_KINDS:
                yield from self._function(node, scope, None)
            case _:
                pass

    def _name(self, qualified: str) -> None:
        last = split_scopes(qualified)[-1]
        self.by_suffix.setdefault(last, []).append(qualified)

    def _enum(self, node: Node, scope: Scope) -> None:
        next_value = 0
        values: list[int] = []
        for child in inner(node):
            if child["kind"] != "EnumConstantDecl":
                continue
            value = _constant_below(child)
            next_value = next_value if value is None else value
            self.enumerators[child["id"]] = next_value
            values.append(next_value)
            next_value += 1
        fixed = node.get("fixedUnderlyingType")
        if fixed:
            type_ = self.parse(fixed.get("desugaredQualType") or fixed["qualType"], scope).type
        elif any(not -(2**31) <= v < 2**32 for v in values):
            type_ = IntType(64, min(values) < 0)
        else:
            type_ = INT if values and min(values) < 0 else UINT
        if name := node.get("name"):
            qualified = "::".join((*scope, name))
            self.named[qualified] = QualifiedType(type_)
            self._name(qualified)
        else:
            self.named[_place_name(node)] = QualifiedType(type_)

    def _record(self, node: Node, scope: Scope, pattern: bool = False) -> Iterator[Definition]:
        if node.get("isImplicit") and not node.get("completeDefinition"):
            return
        name = node.get("name") or ""
        arguments = _template_arguments(node)
        if node["kind"] == "ClassTemplateSpecializationDecl":
            name = f"{name}<{', '.join(str(a) for a in arguments)}>"
        inside = (*scope, name or _place_name(node))
        key = "::".join(inside)
        declaration = RecordDeclaration(key, name, node, inside)
        self.record_ids[node["id"]] = declaration
        if not node.get("completeDefinition"):
            return
        self.records[key] = declaration
        if not pattern:
            self.named[key] = QualifiedType(RecordType(key))
            self._name(key)
        if not name:
            self.unnamed.setdefault(_place(node), []).append(key)
        elif arguments:
            self.specializations.setdefault(split_scopes(node["name"])[-1], []).append(key)
            self._template_types(node, inside)
        index = 0
        for child in inner(node):
            kind = child["kind"]
            if kind == "FieldDecl":
                self.members[child["id"]] = (key, index)
                index += 1
            elif pattern and kind in FUNCTION_KINDS:
                continue
            elif kind in FUNCTION_KINDS:
                yield from self._function(child, inside, key)
            elif kind == "FunctionTemplateDecl":
                yield from self._function_template(child, inside, key, pattern)
            elif kind in _RECORDS:
                yield from self._record(child, inside, pattern)
            elif not (pattern and kind == "VarDecl"):
                yield from self.add(child, inside)

    def _template_types(self, node: Node, scope: Scope) -> None:
        """Lambdas among the template arguments: their text alone does not tell them apart."""
        for child in inner(node):
            if child["kind"] == "TemplateArgument" and "type" in child:
                for type_ in inner(child):
                    target = self.record_ids.get(type_.get("decl", {}).get("id", ""))
                    if target is not None:
                        self.template_types.setdefault(scope, {})[child["type"]["qualType"]] = target.key

    def _function_template(
        self, node: Node, scope: Scope, owner: str | None = None, inside_pattern: bool = False
    ) -> Iterator[Definition]:
        functions = [child for child in inner(node) if child["kind"] in FUNCTION_KINDS]
        instances = [f for f in functions if any(c["kind"] == "TemplateArgument" for c in inner(f))]
        for function in functions:
            if any(function is instance for instance in instances):
                yield from self._function(function, scope, owner)
            elif not inside_pattern:
                used = any(has_body(instance) for instance in instances)
                yield from self._function(function, scope, owner, pattern=True, wanted=not used)

    def _function(
        self, node: Node, scope: Scope, owner: str | None, pattern: bool = False, wanted: bool = True
    ) -> Iterator[Definition]:
        if "type" not in node:  # a mention of a declaration that stands elsewhere
            return
        owner_id = node.get("parentDeclContextId")
        if owner is None and owner_id in self.record_ids:  # a method defined outside of its class
            parent = self.record_ids[owner_id]
            scope, owner = parent.scope, parent.key
        declaration = _declare(node, scope, owner, pattern)
        self.functions[node["id"]] = declaration
        self._template_types(node, declaration.scope)
        for local in node.get("locals", ()):
            yield from self.add(local, declaration.scope)
        if not has_body(node) or not wanted or self._is_bytewise(declaration):
            return
        if not pattern or declaration.side is Side.KERNEL:
            yield Definition(declaration, node, pattern)

    def _is_bytewise(self, function: FunctionDeclaration) -> bool:
        """Whether this copies as memcpy does: calls of it become loads and stores."""
        record = self.records.get(function.owner or "")
        copies = function.name == "operator=" or "&)" in function.type_text
        trivial = record is not None and record.node.get("definitionData", {}).get("isTriviallyCopyable")
        return function.implicit and (function.empty or bool(copies and trivial))

    def _variable(self, node: Node, scope: Scope) -> None:
        parent = self.record_ids.get(node.get("parentDeclContextId", ""))
        scope = parent.scope if parent is not None else scope
        key = node.get("mangledName") or "::".join((*scope, node.get("name", "")))
        self.variables[node["id"]] = VariableDeclaration(node, key, scope)


def has_body(node: Node) -> bool:
    """Whether this declaration of a function defines it."""
    return any(child["kind"] in ("CompoundStmt", "CXXTryStmt") for child in inner(node))


def _declare(node: Node, scope: Scope, owner: str | None, pattern: bool) -> FunctionDeclaration:
    name = node.get("name", "")
    qualified = "::".join((*scope, name))
    span = name_span(node)
    key = unstubbed(node["mangledName"]) if node.get("mangledName") and not pattern else f"{qualified}@{span}"
    text = node["type"]["qualType"]
    kinds = {child["kind"] for child in inner(node)}
    return FunctionDeclaration(
        key=key,
        name=name,
        qualified=qualified,
        type_text=text,
        kind=node["kind"],
        scope=(*scope, key),
        owner=owner,
        side=_side(node, kinds),
        template_args=_template_arguments(node),
        static=node.get("storageClass") == "static",
        virtual=bool(node.get("virtual")) or "OverrideAttr" in kinds,
        implicit=bool(node.get("isImplicit") or node.get("explicitlyDefaulted")),
        empty=_does_nothing(node),
        noreturn=bool(kinds & {"NoReturnAttr", "CXX11NoReturnAttr", "C11NoReturnAttr"})
        or "noreturn" in text
        or (owner is None and name in NORETURN),
        variadic=bool(node.get("variadic")),
        span=span,
    )


def _does_nothing(node: Node) -> bool:
    """No initializers and an empty body."""
    for child in inner(node):
        if child["kind"] == "CXXCtorInitializer" or (child["kind"] == "CompoundStmt" and inner(child)):
            return False
    return True


def _side(node: Node, kinds: set[str]) -> Side:
    if "CUDAGlobalAttr" in kinds:
        return Side.KERNEL
    device, host = "CUDADeviceAttr" in kinds, "CUDAHostAttr" in kinds
    if device and not host:
        return Side.DEVICE
    return Side.BOTH if device or (node.get("constexpr") and not host) else Side.HOST


def _template_arguments(node: Node) -> tuple[int | str, ...]:
    found: list[int | str] = []
    for child in inner(node):
        if child["kind"] == "TemplateArgument":
            found += _template_argument(child)
    return tuple(found)


def _template_argument(node: Node) -> list[int | str]:
    if "value" in node:
        return [int(node["value"])]
    if "type" in node:
        return [node["type"]["qualType"]]
    if "decl" in node:
        return [node["decl"].get("name", "?")]
    if node.get("isPack"):
        return [argument for child in inner(node) for argument in _template_argument(child)]
    return ["nullptr" if node.get("isNullptr") else "?"]


def unstubbed(mangled: str) -> str:
    """The device name of a kernel: the host pass calls its launch stub by the kernel's mangled name."""
    return _STUB.sub(lambda match: str(int(match[1]) - 15) if match[1] else "", mangled)


def _place(node: Node) -> str:
    return str(name_span(node))


def _place_name(node: Node) -> str:
    return f"(unnamed at {_place(node)})"


def _constant_below(node: Node) -> int | None:
    """The value that clang computed somewhere below."""
    for child in inner(node):
        if child["kind"] == "ConstantExpr" and "value" in child:
            return int(child["value"]) if child["value"].lstrip("-").isdigit() else None
        if child["kind"] not in ("FullComment",) and (value := _constant_below(child)) is not None:
            return value
    return None
