"""Lowering of statements."""

from __future__ import annotations

from hgrd.program.expressions import AddressOf, Expression, IntConst, Storage, Unary, UnaryOp, Variable
from hgrd.program.libcu_objects import waited
from hgrd.program.span import Span
from hgrd.program.statements import (
    Block,
    Break,
    Case,
    Continue,
    Declare,
    DoWhile,
    Evaluate,
    Goto,
    If,
    Label,
    Loop,
    Return,
    Statement,
    Switch,
    UnsupportedStatement,
)
from hgrd.program.types import BOOL, OpaqueType, PointerType, VoidType
from hgrd.program.walk import mapped
from hgrd.source.clang.ast import Node, inner, name_span, span_of
from hgrd.source.lowering import constants
from hgrd.source.lowering.assembly import assembly
from hgrd.source.lowering.constructors import initializer
from hgrd.source.lowering.context import Context, StatementRule, place_type
from hgrd.source.lowering.destructors import closed, ends, finishing
from hgrd.source.lowering.exceptions import try_
from hgrd.source.lowering.lvalues import global_variable, local_storage, local_variable


def compound(node: Node, to: Context) -> list[Statement]:
    body = [statement for child in inner(node) for statement in to.statements(child)]
    return [Block(tuple(closed(body, to)), span_of(node))]


def expression(node: Node, to: Context) -> list[Statement]:
    if "valueCategory" not in node:
        return [UnsupportedStatement(node["kind"], (), span_of(node))]
    value, span = to.discarded(node), span_of(node)
    if ends(value.type, to):
        made = Variable(to.key("temporary"), "temporary", value.type, Storage.LOCAL, span)
        return [Block(tuple(closed([Declare(made, value, span)], to)), span)]
    return [waited(value)]


# ---------------------------------------------------------------- declarations


def declaration(node: Node, to: Context) -> list[Statement]:
    found: list[Statement] = []
    for child in inner(node):
        match child["kind"]:
            case "VarDecl":
                found += variable(child, to)
            case "DecompositionDecl":
                found += variable(child, to)
                for binding in inner(child):
                    parts = inner(binding) if binding["kind"] == "BindingDecl" else []
                    if len(parts) > 1 and parts[0]["kind"] == "VarDecl":
                        found += variable(_bound_element(parts[0], parts[-1]), to)
                    if parts:
                        to.bindings[binding["id"]] = parts[-1]
            case _:
                pass
    return found


def _bound_element(variable: Node, use: Node) -> Node:
    """The reference to what `get` returns that a name of a structured binding stands for, by the type of its use."""
    type_ = use["type"]
    return {**variable, "type": {"qualType": f"{type_.get('desugaredQualType') or type_['qualType']} &"}}


_BY_VALUE = (OpaqueType("auto"), PointerType(OpaqueType("value_type")))  # in a template; `auto p = vector.data()`


def variable(node: Node, to: Context) -> list[Statement]:
    """A local variable; `extern` ones are made elsewhere."""
    span = name_span(node)
    name: str = node.get("name", "")
    type_ = to.type(node)
    storage = local_storage(node, to)
    if node.get("storageClass") == "extern":
        known = to.unit.declarations.variables.get(node.get("previousDecl", ""))
        key = node.get("mangledName") or name
        made = to.unit.globals.get(key) if known is None else global_variable(known, to.unit)
        if storage is Storage.LOCAL:
            storage = Storage.GLOBAL
        to.variables[node["id"]] = made or Variable(key, name, type_, storage, span)
        return [Declare(to.variables[node["id"]], None, span)] if storage is Storage.SHARED else []
    initial = initializer(node)
    if type_ in _BY_VALUE and initial is not None:
        type_ = to.value(initial).type
    elif initial is not None and _is_alias_of(node, initial):
        type_ = PointerType(to.type(initial), reference=True)
    made = to.variables[node["id"]] = local_variable(node, type_, to)
    if initial is None or storage is Storage.SHARED:
        return [Declare(made, None, span)]
    if node.get("nrvo"):
        to.returned.add(made.key)
    value = _initial(initial, made, to)
    extended = [Declare(temporary, None, span) for temporary in to.extended if storage is Storage.LOCAL]
    to.extended.clear()
    return [*extended, Declare(made, value, span)]


def _is_alias_of(reference: Node, initial: Node) -> bool:
    """Whether a reference is to a class that clang says by an alias, and whole in the type of what it is bound to."""
    written, bound_to = reference["type"], initial["type"]
    alias = written["qualType"].removesuffix(" &")
    return alias != written["qualType"] and "desugaredQualType" in bound_to and bound_to["qualType"] == alias


def _initial(node: Node, variable: Variable, to: Context) -> Expression:
    if isinstance(variable.type, PointerType) and variable.type.reference:
        return bound(node, to)
    return to.value(node)


def bound(node: Node, to: Context) -> Expression:
    """The address a reference is bound to."""
    place = to.place(node)
    return AddressOf(place, PointerType(place_type(place), reference=True), span_of(node))


# ---------------------------------------------------------------- choices


def if_(node: Node, to: Context) -> list[Statement]:
    children: list[Node] = list(node["inner"])
    span = span_of(node)
    before: list[Statement] = []
    if node.get("hasInit"):
        before += to.statements(children.pop(0))
    if node.get("hasVar"):
        before += to.statements(children.pop(0))
    condition = constants.truth(to.value(children[0]), span_of(children[0]))
    branches = [child if child.get("kind") else None for child in children[1:3]]
    if node.get("isConstexpr") and isinstance(condition, IntConst):
        taken = branches[0] if condition.value else branches[1] if len(branches) > 1 else None
        return _scoped([*before, *(to.statements(taken) if taken else [])], span, to)
    then = to.statement(branches[0]) if branches[0] else Block((), span)
    otherwise = to.statement(branches[1]) if len(branches) > 1 and branches[1] else None
    return _scoped([*before, If(condition, then, otherwise, span)], span, to)


def _scoped(statements: list[Statement], span: Span, to: Context) -> list[Statement]:
    return statements if len(statements) == 1 else [Block(tuple(closed(statements, to)), span)]


def switch(node: Node, to: Context) -> list[Statement]:
    children = inner(node)
    span = span_of(node)
    before: list[Statement] = []
    if node.get("hasInit"):
        before += to.statements(children.pop(0))
    if node.get("hasVar"):
        before += to.statements(children.pop(0))
    operand = to.value(children[0])
    body = inner(children[1]) if children[1]["kind"] == "CompoundStmt" else [children[1]]
    if any(_hides_label(child) for child in body):
        return [Block((*before, *_sideways(operand, children[1], span, to)), span)]
    cases: list[Case] = []
    label: tuple[list[tuple[int, int]], bool, Span] | None = None
    statements: list[Statement] = []
    for child in body:
        if child["kind"] in ("CaseStmt", "DefaultStmt"):
            if label is not None:
                cases.append(_case(label, statements, to))
            label, child = _labels(child, to)
            statements = []
            if child is None:
                continue
        target = before if label is None else statements
        target += to.statements(child)
    if label is not None:
        cases.append(_case(label, statements, to))
    return _scoped([*before, Switch(operand, tuple(cases), span)], span, to)


def _sideways(operand: Expression, body: Node, span: Span, to: Context) -> list[Statement]:
    """A switch with labels in inner statements (Duff's device): its cases go to where these stand."""
    end = to.label("end")
    to.sideways.append([])
    lowered = mapped(to.statement(body), lambda s: _leaving(s, end))
    cases = to.sideways.pop()
    return [Switch(operand, tuple(cases), span), Goto(end, span), lowered, Label(end, span)]


def _leaving(statement: Statement, end: str) -> Statement | None:
    """`break` out of the switch as goto."""
    match statement:
        case Break(span=span):
            return Goto(end, span)
        case Loop() | DoWhile() | Switch():
            return statement
        case _:
            return None


def sideways_label(node: Node, to: Context) -> list[Statement]:
    (values, default, span), child = _labels(node, to)
    name = to.label("case")
    to.sideways[-1].append(Case(tuple(values), default, (Goto(name, span),), span))
    return [Label(name, span), *(to.statements(child) if child is not None else [])]


def _case(label: tuple[list[tuple[int, int]], bool, Span], statements: list[Statement], to: Context) -> Case:
    values, default, span = label
    return Case(tuple(values), default, tuple(closed(statements, to)), span)


def _labels(node: Node, to: Context) -> tuple[tuple[list[tuple[int, int]], bool, Span], Node | None]:
    """All labels of `case 1: case 2: default: statement`, and the statement."""
    values: list[tuple[int, int]] = []
    default = False
    span = span_of(node)
    current: Node | None = node
    while current is not None and current["kind"] in ("CaseStmt", "DefaultStmt"):
        parts = inner(current)
        if current["kind"] == "DefaultStmt":
            default = True
        else:
            low = _integer(parts.pop(0), to)
            high = _integer(parts.pop(0), to) if current.get("isGNURange") else low
            values.append((low, high))
        current = parts[0] if parts else None
    return (values, default, span), current


def _integer(node: Node, to: Context) -> int:
    value = to.value(node)
    if isinstance(value, IntConst):
        return value.value
    text = str(node.get("value", ""))
    if text.lstrip("-").isdigit():
        return int(text)
    raise ValueError(f"case label without a value at {span_of(node)}")


def _hides_label(node: Node) -> bool:
    """A label below a statement that is not itself a label or a nested switch (Duff's device)."""
    kind = node["kind"]
    if kind in ("CaseStmt", "DefaultStmt"):
        return any(_hides_label(child) for child in inner(node))
    if kind == "SwitchStmt" or "valueCategory" in node:
        return False
    return any(child["kind"] in ("CaseStmt", "DefaultStmt") or _hides_label(child) for child in inner(node))


# ---------------------------------------------------------------- loops


def while_(node: Node, to: Context) -> list[Statement]:
    children = inner(node)
    span = span_of(node)
    if node.get("hasVar"):
        return [_loop_with_variable(children[0], children[1], None, children[2], span, to)]
    condition = _condition(children[0], to)
    return [Loop(condition, None, to.statement(children[1]) if len(children) > 1 else Block((), span), span)]


def _condition(node: Node, to: Context) -> Expression | None:
    """The condition of a loop; None if it is always true."""
    condition = constants.truth(to.value(node), span_of(node))
    return None if isinstance(condition, IntConst) and condition.value else condition


def _loop_with_variable(
    declared: Node, condition: Node, step: Node | None, body: Node, span: Span, to: Context
) -> Statement:
    """`while (T x = …)`: the variable is made anew in every iteration."""
    made = to.statements(declared)
    test = constants.truth(to.value(condition), span)
    leave = If(Unary(UnaryOp.NOT, test, BOOL, span), Break(span), None, span)
    effect = to.discarded(step) if step is not None else None
    return Loop(None, effect, Block(tuple(closed([*made, leave, to.statement(body)], to)), span), span)


def do(node: Node, to: Context) -> list[Statement]:
    body, condition = inner(node)
    return [DoWhile(to.statement(body), constants.truth(to.value(condition), span_of(condition)), span_of(node))]


def for_(node: Node, to: Context) -> list[Statement]:
    parts: list[Node] = node["inner"]
    initial, declared, condition, step, body = (part if part.get("kind") else None for part in parts)
    span = span_of(node)
    before = to.statements(initial) if initial else []
    if declared and condition:
        loop = _loop_with_variable(declared, condition, step, body or {"kind": "NullStmt"}, span, to)
        return _scoped([*before, loop], span, to)
    test = _condition(condition, to) if condition else None
    effect = to.discarded(step) if step else None
    loop = Loop(test, effect, to.statement(body) if body else Block((), span), span)
    return _scoped([*before, loop], span, to)


def for_range(node: Node, to: Context) -> list[Statement]:
    """A range-based for, as the standard defines it: over `__begin` and `__end`, which clang prints."""
    children = inner(node)
    span = span_of(node)
    if len(children) < 7:
        return [UnsupportedStatement("range-based for of a dependent type", (), span)]
    *before, condition, step, declared, body = children
    opened = [statement for child in before for statement in to.statements(child)]
    test = constants.truth(to.value(condition), span)
    effect = to.discarded(step)
    inside = Block(tuple(closed([*to.statements(declared), to.statement(body)], to)), span)
    return [Block(tuple(closed([*opened, Loop(test, effect, inside, span)], to)), span)]


# ---------------------------------------------------------------- the rest


def return_(node: Node, to: Context) -> list[Statement]:
    parts = inner(node)
    span = span_of(node)
    if not parts:
        return [Return(None, span)]
    returns = to.unit.reference(to.function).returns
    if isinstance(returns, PointerType) and returns.reference:
        return [Return(bound(parts[0], to), span)]
    value = to.value(parts[0])
    if isinstance(returns, VoidType):
        return [Evaluate(value, span), Return(None, span)]
    return [Return(value, span)]


def labelled(node: Node, to: Context) -> list[Statement]:
    name = to.labels[node["declId"]] = to.label(node["name"])
    return [Label(name, span_of(node)), *(statement for child in inner(node) for statement in to.statements(child))]


def goto(node: Node, to: Context) -> list[Statement]:
    """A goto; its target is the id of the label's declaration until all labels are known."""
    return [Goto(node["targetLabelDeclId"], span_of(node))]


def with_names(body: Block, to: Context) -> Block:
    """The body of a function with the names of labels in its gotos."""
    if not to.labels:
        return body
    named = mapped(body, lambda s: Goto(to.labels.get(s.target, s.target), s.span) if isinstance(s, Goto) else None)
    return named if isinstance(named, Block) else body


def computed_goto(node: Node, to: Context) -> list[Statement]:
    """A jump to an unknown place: the next statement is not reached from here."""
    return [UnsupportedStatement("computed goto", (), span_of(node)), Return(None, span_of(node))]


def attributed(node: Node, to: Context) -> list[Statement]:
    return to.statements(inner(node)[-1])


_RULES: dict[str, StatementRule] = {
    "CompoundStmt": compound,
    "DeclStmt": declaration,
    "IfStmt": if_,
    "SwitchStmt": switch,
    "WhileStmt": while_,
    "DoStmt": do,
    "ForStmt": for_,
    "CXXForRangeStmt": for_range,
    "ReturnStmt": return_,
    "BreakStmt": lambda node, to: [Break(span_of(node))],
    "ContinueStmt": lambda node, to: [Continue(span_of(node))],
    "NullStmt": lambda node, to: [],
    "GCCAsmStmt": assembly,
    "LabelStmt": labelled,
    "GotoStmt": goto,
    "IndirectGotoStmt": computed_goto,
    "CaseStmt": sideways_label,
    "DefaultStmt": sideways_label,
    "CXXTryStmt": try_,
    "AttributedStmt": attributed,
    "Expr": expression,
}

STATEMENTS: dict[str, StatementRule] = {kind: finishing(rule) for kind, rule in _RULES.items()}
