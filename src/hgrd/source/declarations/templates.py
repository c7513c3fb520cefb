"""Parameters of templates, and what instances are given for them, in clang's tree."""

from __future__ import annotations

from hgrd.source.clang.ast import Node, inner


def template_parameters(node: Node) -> list[str]:
    """The names of a template's parameters in order, up to a pack; "" for one that has none."""
    found: list[str] = []
    for child in inner(node):
        if child["kind"].startswith("TemplateT") or child["kind"] == "NonTypeTemplateParmDecl":
            if child.get("isParameterPack"):
                return found
            found.append(child.get("name", ""))
    return found


def open_types(node: Node) -> tuple[str, ...] | None:
    """The type parameters of a template without a default; None if there are others without one."""
    found: list[str] = []
    for child in inner(node):
        if child["kind"].startswith("Template") or child["kind"] == "NonTypeTemplateParmDecl":
            if child.get("isParameterPack") or ("defaultArg" not in child and child["kind"] != "TemplateTypeParmDecl"):
                return None
            if "defaultArg" not in child:
                found.append(child.get("name", "?"))
    return tuple(found)


def template_arguments(node: Node) -> tuple[int | str, ...]:
    """The values and types that an instance is made for."""
    found: list[int | str] = []
    for child in inner(node):
        if child["kind"] == "TemplateArgument":
            found += arguments_of(child)
    return tuple(found)


def arguments_of(node: Node) -> list[int | str]:
    """The values and types of one `TemplateArgument`: several for a pack."""
    if "value" in node:
        return [int(node["value"])]
    if "type" in node:
        return [node["type"]["qualType"]]
    if "decl" in node:
        return [node["decl"].get("name", "?")]
    if node.get("isPack"):
        return [argument for child in inner(node) for argument in arguments_of(child)]
    return ["nullptr" if node.get("isNullptr") else "?"]


def depends_on_parameters(node: Node) -> bool:
    """Whether a type below depends on the parameters of a template."""
    return bool(node.get("isDependent")) or any(map(depends_on_parameters, inner(node)))
