"""Collection of the declarations of a translation unit into its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from hgrd.program.program import Side, Template
from hgrd.program.types import IntType, OpaqueType, RecordType
from hgrd.source.clang.ast import FUNCTION_KINDS, Node, inner, name_span
from hgrd.source.declarations.cuda_types import NORETURN
from hgrd.source.declarations.table import (
    Declarations,
    Definition,
    FunctionDeclaration,
    RecordDeclaration,
    Scope,
    VariableDeclaration,
)
from hgrd.source.declarations.templates import (
    arguments_of,
    depends_on_parameters,
    open_types,
    template_arguments,
    template_parameters,
)
from hgrd.source.declarations.type_parser import QualifiedType, split_scopes

_RECORDS = frozenset(("CXXRecordDecl", "ClassTemplateSpecializationDecl"))
_STUB = re.compile(r"(\d*)__device_stub__")


class Collector:
    """Collector that adds one declaration after the other to `table`."""

    __slots__ = ("_table",)

    def __init__(self, table: Declarations) -> None:
        self._table = table

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
                self._alias(node, scope)
            case "NamespaceAliasDecl":
                self._table.namespaces[node["name"]] = node["aliasedNamespace"]["name"]
            case "EnumDecl":
                self._enum(node, scope)
            case "CXXRecordDecl" | "ClassTemplateSpecializationDecl":
                yield from self._record(node, scope)
            case "ClassTemplateDecl":
                self._default_arguments(node)
                partial = any(child["kind"] == "ClassTemplatePartialSpecializationDecl" for child in inner(node))
                parameters = [] if partial else template_parameters(node)
                for child in inner(node):
                    if child["kind"] in _RECORDS:
                        pattern = child["kind"] == "CXXRecordDecl"
                        yield from self._record(child, scope, pattern, parameters)
            case "FunctionTemplateDecl":
                yield from self._function_template(node, scope)
            case "VarDecl":
                self._variable(node, scope)
            case "VarTemplateDecl":
                for child in inner(node):
                    if child["kind"] == "VarTemplateSpecializationDecl":
                        inside = (*scope, child["id"])
                        self._note_arguments(template_parameters(node), child, inside)
                        self._variable(child, inside)
            case kind if kind in FUNCTION_KINDS:
                yield from self._function(node, scope, None)
            case _:
                pass

    def _default_arguments(self, node: Node) -> None:
        """Types that parameters of a template are where it is not given them, unless they follow from the others."""
        parameters = [child for child in inner(node) if child["kind"].endswith("ParmDecl")]
        for index, parameter in enumerate(parameters):
            given = parameter.get("defaultArg", {}).get("type")
            if given is not None and not depends_on_parameters(parameter):
                self._table.defaults.setdefault(node.get("name", ""), {})[index] = given["qualType"]

    def _alias(self, node: Node, scope: Scope) -> None:
        qualified = "::".join((*scope, node["name"]))
        self._name(qualified)
        self._table.realigned |= any(child["kind"] == "AlignedAttr" for child in inner(node))
        target = next((child.get("decl", {}).get("id") for child in inner(node)), None)
        if target in self._table.unnamed_types:  # typedef struct { … } T
            self._table.named[qualified] = self._table.unnamed_types[target]
        else:
            self._table.aliases[qualified] = _text(node["type"]), scope

    def _name(self, qualified: str) -> None:
        last = split_scopes(qualified)[-1]
        self._table.by_suffix.setdefault(last, []).append(qualified)

    def _enum(self, node: Node, scope: Scope) -> None:
        next_value = 0
        values: list[int] = []
        known = True
        for child in inner(node):
            if child["kind"] != "EnumConstantDecl":
                continue
            value = _constant_below(child)
            known = known and (value is not None or all("valueCategory" not in part for part in inner(child)))
            next_value = next_value if value is None else value
            self._table.enumerators[child["id"]] = next_value
            outside = (*scope, node["name"]) if node.get("scopedEnumTag") and "name" in node else scope
            self._table.enumerator_values["::".join((*outside, child["name"]))] = next_value
            values.append(next_value)
            next_value += 1
        fixed = node.get("fixedUnderlyingType")
        if fixed:
            type_ = self._table.parse(_text(fixed), scope).type
        else:
            type_ = _underlying(values, known=known)
        if name := node.get("name"):
            qualified = "::".join((*scope, name))
            self._table.named[qualified] = QualifiedType(type_)
            self._name(qualified)
        else:
            self._table.named[_place_name(node)] = self._table.unnamed_types[node["id"]] = QualifiedType(type_)

    def _record(
        self, node: Node, scope: Scope, pattern: bool = False, parameters: Sequence[str] = ()
    ) -> Iterator[Definition]:
        if node.get("isImplicit") and not node.get("completeDefinition"):
            return
        name = node.get("name") or ""
        arguments = template_arguments(node)
        if node["kind"] == "ClassTemplateSpecializationDecl":
            name = f"{name}<{', '.join(str(a) for a in arguments)}>"
        inside = (*scope, name or self._place_name_of_its_own(node, scope))
        key = "::".join(inside)
        declaration = RecordDeclaration(key, name, node, inside, pattern)
        self._table.record_ids[node["id"]] = declaration
        if not node.get("completeDefinition"):
            return
        self._table.records[key] = declaration
        if not pattern:
            self._table.named[key] = QualifiedType(RecordType(key))
            self._name(key)
        if not name:
            self._table.unnamed.setdefault(_place(node), []).append(key)
            self._table.unnamed_types[node["id"]] = QualifiedType(RecordType(key))
        elif arguments:
            self._table.specializations.setdefault(split_scopes(node["name"])[-1], []).append(key)
            self._template_types(node, inside)
            self._note_arguments(parameters, node, inside)
        index = 0
        for child in inner(node):
            kind = child["kind"]
            if kind == "FieldDecl":
                self._table.members[child["id"]] = (key, index)
                index += 1
            elif pattern and kind in FUNCTION_KINDS:
                continue
            elif kind in FUNCTION_KINDS:
                yield from self._function(child, inside, key)
            elif kind == "FunctionTemplateDecl":
                yield from self._function_template(child, inside, key, pattern)
            elif kind in _RECORDS:
                yield from self._record(child, inside, pattern)
            elif kind == "FriendDecl" and not pattern:
                for friend in inner(child):
                    yield from self.add(friend, scope)
            elif not (pattern and kind == "VarDecl"):
                yield from self.add(child, inside)

    def _note_arguments(self, parameters: Sequence[str], instance: Node, scope: Scope) -> None:
        """What the names of a template's parameters stand for inside of an instance."""
        given = [arguments_of(child) for child in inner(instance) if child["kind"] == "TemplateArgument"]
        one_each = zip(parameters, given, strict=False)
        self._table.template_arguments[scope] = {name: str(of[0]) for name, of in one_each if name and len(of) == 1}

    def _template_types(self, node: Node, scope: Scope) -> None:
        """Lambdas among the template arguments: their text alone does not tell them apart."""
        for child in inner(node):
            if child["kind"] == "TemplateArgument" and "type" in child:
                for type_ in inner(child):
                    target = self._table.record_ids.get(type_.get("decl", {}).get("id", ""))
                    if target is not None:
                        self._table.template_types.setdefault(scope, {})[child["type"]["qualType"]] = target.key

    def _function_template(
        self, node: Node, scope: Scope, owner: str | None = None, inside_pattern: bool = False
    ) -> Iterator[Definition]:
        functions = [child for child in inner(node) if child["kind"] in FUNCTION_KINDS]
        instances = [f for f in functions if any(c["kind"] == "TemplateArgument" for c in inner(f))]
        parameters = [
            child["name"] for child in inner(node) if child["kind"] == "TemplateTypeParmDecl" and "name" in child
        ]
        types, names = open_types(node), template_parameters(node)
        for function in functions:
            if any(function is instance for instance in instances):
                if function.get("type") is not None:
                    self._note_arguments(names, function, _declare(function, scope, owner, pattern=False).scope)
                yield from self._function(function, scope, owner)
            elif not inside_pattern:
                used = any(has_body(instance) for instance in instances)
                for name in parameters:
                    key = _declare(function, scope, owner, pattern=True).key
                    self._table.named["::".join((*scope, key, name))] = QualifiedType(OpaqueType(name))
                for definition in self._function(function, scope, owner, pattern=True, wanted=not used):
                    named = definition.declaration
                    template = Template(named.name, named.qualified, named.span, types)
                    yield replace(definition, template=template)

    def _function(
        self, node: Node, scope: Scope, owner: str | None, pattern: bool = False, wanted: bool = True
    ) -> Iterator[Definition]:
        if "type" not in node:  # a mention of a declaration that stands elsewhere
            return
        owner_id = node.get("parentDeclContextId")
        if owner is None and owner_id in self._table.record_ids:  # a method defined outside of its class
            parent = self._table.record_ids[owner_id]
            scope, owner = parent.scope, parent.key
            if parent.pattern:
                return
        elif owner is None and node["kind"] != "FunctionDecl":  # of a partial specialisation
            return
        declaration = _declare(node, scope, owner, pattern)
        first = self._table.functions.get(node.get("previousDecl", ""))
        if first is not None and first.static and owner is not None:
            declaration = replace(declaration, static=True)  # said in the class alone
        if first is not None and first.defaults:
            declaration = replace(declaration, defaults=max(first.defaults, declaration.defaults))
        self._table.functions[node["id"]] = declaration
        if has_body(node):
            self._table.defined[declaration.key] = declaration.span.file
        if declaration.virtual:
            self._table.virtual_names.add(declaration.name)
        self._template_types(node, declaration.scope)
        for local in node.get("locals", ()):
            yield from self.add(local, declaration.scope)
        if not has_body(node) or not wanted or self._is_bytewise(declaration):
            return
        if not pattern or declaration.side is Side.KERNEL:
            yield Definition(declaration, node)

    def _place_name_of_its_own(self, node: Node, scope: Scope) -> str:
        """Lambdas that one macro makes stand at one place, but each is of a class of its own."""
        name, number = _place_name(node), 1
        while (known := self._table.records.get("::".join((*scope, name)))) and known.node["id"] != node["id"]:
            number += 1
            name = f"{_place_name(node)}#{number}"
        return name

    def _is_bytewise(self, function: FunctionDeclaration) -> bool:
        """Whether this copies as memcpy does: calls of it become loads and stores."""
        record = self._table.records.get(function.owner or "")
        copies = function.name == "operator=" or "&)" in function.type_text
        trivial = record is not None and record.node.get("definitionData", {}).get("isTriviallyCopyable")
        return function.implicit and (function.empty or bool(copies and trivial))

    def _variable(self, node: Node, scope: Scope) -> None:
        parent = self._table.record_ids.get(node.get("parentDeclContextId", ""))
        scope = parent.scope if parent is not None else scope
        key = node.get("mangledName") or "::".join((*scope, node.get("name", "")))
        self._table.variables[node["id"]] = VariableDeclaration(node, key, scope)


def _text(type_: Node) -> str:
    return type_.get("desugaredQualType") or type_["qualType"]


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
        template_args=template_arguments(node),
        static=node.get("storageClass") == "static",
        virtual=bool(node.get("virtual")) or "OverrideAttr" in kinds,
        pure=bool(node.get("pure")),
        implicit=bool(node.get("isImplicit") or node.get("explicitlyDefaulted")),
        empty=_does_nothing(node),
        noreturn=bool(kinds & {"NoReturnAttr", "CXX11NoReturnAttr", "C11NoReturnAttr"})
        or "noreturn" in text
        or _ends_the_program(qualified),
        variadic=bool(node.get("variadic")),
        span=span,
        repeats=node.get("previousDecl") if owner is None else None,
        defaults=sum(child["kind"] == "ParmVarDecl" and "init" in child for child in inner(node)),
    )


def _ends_the_program(qualified: str) -> bool:
    """`exit` and its like by their names in the library; others of these names are the program's own."""
    name = qualified.removeprefix("std::")
    return name in NORETURN and (name != "terminate" or name != qualified)


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


def unstubbed(mangled: str) -> str:
    """The device name of a kernel: the host pass calls its launch stub by the kernel's mangled name."""
    return _STUB.sub(lambda match: str(int(match[1]) - 15) if match[1] else "", mangled)


def _underlying(values: list[int], *, known: bool) -> IntType:
    """The type of an enumeration that names none, with the values of as many bits as its enumerators need."""
    least, greatest = min(values, default=0), max(values, default=0)
    bits = 32 if least >= -(2**31) and greatest < 2**32 else 64
    if not known:
        return IntType(bits, least < 0)
    if least < 0:
        width = max(greatest.bit_length(), (-least - 1).bit_length())
        return IntType(bits, True, (-(1 << width), (1 << width) - 1))
    return IntType(bits, False, (0, (1 << max(1, greatest.bit_length())) - 1))


def _place(node: Node) -> str:
    return str(name_span(node))


def _place_name(node: Node) -> str:
    return f"(unnamed at {_place(node)})"


def _constant_below(node: Node) -> int | None:
    """The value that clang computed in a node below."""
    for child in inner(node):
        if child["kind"] == "ConstantExpr" and "value" in child:
            return int(child["value"]) if child["value"].lstrip("-").isdigit() else None
        if child["kind"] not in ("FullComment",) and (value := _constant_below(child)) is not None:
            return value
    return None
