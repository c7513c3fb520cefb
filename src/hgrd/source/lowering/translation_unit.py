"""Translation unit: the output of one run of clang on a source file, lowered to a program."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.program.expressions import Storage
from hgrd.program.program import Diagnostic, Function, Global, Program, Side, Template
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, Record
from hgrd.source.clang.ast import Node, Skipped, TooLargeError, declarations, inner
from hgrd.source.clang.nesting import too_deep
from hgrd.source.clang.run import AstStream, nothing, open_ast
from hgrd.source.declarations.collect import Collector
from hgrd.source.declarations.record_layout import Layouts
from hgrd.source.declarations.table import Declarations, Definition
from hgrd.source.lowering.calls import unit_context
from hgrd.source.lowering.constants import ConstantExpressions
from hgrd.source.lowering.constructors import initializer
from hgrd.source.lowering.context import LoweringTables, Unit
from hgrd.source.lowering.functions import declared_function, lower_function, outside_function, unlowered_function
from hgrd.source.lowering.lvalues import PLACES, global_variable, storage_of
from hgrd.source.lowering.rvalues import VALUES
from hgrd.source.lowering.statements import STATEMENTS
from hgrd.source.lowering.unparsed_code import with_dropped
from hgrd.source.options import Reduction, SourceOptions
from hgrd.source.text.code import is_host_function
from hgrd.symbolic.limits import deep_recursion

_TABLES = LoweringTables(VALUES, PLACES, STATEMENTS)
_MAX_DECLARATION = 160 << 20  # bytes of one declaration's tree without indentation
_MAX_KEPT = 96 << 20  # bytes of trees that wait for the end of the file
_MOST_WITHOUT = 4  # functions
_LEFT_OUT = "the syntax tree of this function is too large: what it does is not understood"
_DEPTH = 20_000


class _State(Struct):
    """The declarations that one run of clang has printed so far."""

    unit: Unit
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    left_out: list[Diagnostic] = field(default_factory=list[Diagnostic])
    uninstantiated: list[Template] = field(default_factory=list[Template])


def lower_file(path: str, options: SourceOptions, meanwhile: Callable[[], object] = nothing) -> Program:
    """The program as one run of clang shows it; `meanwhile` is called while clang is at work.

    Where the tree of a function is too large, another run reads the file without its body.
    """
    while True:
        try:
            return _lower_once(path, options, meanwhile)
        except TooLargeError as error:
            options = replace(options, reduction=_further(options.reduction, error.function))
            meanwhile = nothing


def _further(known: Reduction, function: Span | None) -> Reduction:
    """The reduction to try next after one that was not enough."""
    if function is None or len(known.without) == _MOST_WITHOUT or not _can_be_left_out(function):
        return replace(known, final=True)
    return replace(known, without=(*known.without, function))


def _can_be_left_out(function: Span) -> bool:
    try:
        return is_host_function(Path(function.file).read_bytes(), function)
    except OSError:
        return False


def _lower_once(path: str, options: SourceOptions, meanwhile: Callable[[], object]) -> Program:
    table = Declarations()
    with _for_big_trees(), open_ast(path, options, meanwhile) as stream:
        state = _State(Unit(table, Layouts(table), _TABLES, stream.is_user_file))
        state.diagnostics += [Diagnostic(span, _LEFT_OUT, error=True) for span in options.reduction.without]
        _read(stream, state, final=options.reduction.final)
        _drop_instantiated(state)
        diagnostics = (*stream.diagnostics(), *state.diagnostics)
        missing, macro_guesses = stream.missing_includes, stream.macro_guesses
        functions, globals_ = _with_declarations(state), _globals(state.unit)
        constants = ConstantExpressions(functions, globals_)
        globals_ = {key: constants.folded(found) for key, found in globals_.items()}
        if any(d.error for d in diagnostics):
            functions, globals_ = with_dropped(functions, globals_, diagnostics)
        diagnostics += tuple(state.left_out)
    return Program(
        path,
        functions,
        globals_,
        _records(state.unit),
        diagnostics,
        tuple(state.uninstantiated),
        missing,
        macro_guesses=macro_guesses,
        realigned=table.realigned,
    )


@contextmanager
def _for_big_trees() -> Generator[None]:
    """Deep recursion for long expressions, and no garbage collection, since trees are no garbage."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        with deep_recursion(_DEPTH):
            yield
    finally:
        if collecting:
            gc.enable()


def _read(stream: AstStream, state: _State, *, final: bool) -> None:
    """Bodies wait until all declarations are known; in a huge file, only as many as memory holds."""
    collector = Collector(state.unit.declarations)
    waiting: list[Definition] = []
    kept = 0
    for item in declarations(stream.stdout, stream.is_user_file, _MAX_DECLARATION, final=final):
        if isinstance(item, Skipped):
            reports, instances = (state.diagnostics, False) if item.incomplete else (state.left_out, True)
            reports.append(Diagnostic(item.span, item.reason, error=True, whole=instances, instances=instances))
            continue
        node, size = item
        try:
            found = list(collector.add(node, ()))
        except Exception as error:
            state.diagnostics.append(Diagnostic(_span(node), f"declaration not understood: {error!r}", error=True))
            continue
        _note_lambdas(node, state.unit)
        if kept + size <= _MAX_KEPT:
            kept += size
            waiting += found
            continue
        for definition in found:
            _lower(definition, stream, state)
    for definition in waiting:
        _lower(definition, stream, state)


def _drop_instantiated(state: _State) -> None:
    """Explicit instantiations come after the template, which was taken for one without instances until then."""
    kernels = [f for f in state.functions.values() if f.side is Side.KERNEL and f.body is not None]
    instances = {(f.ref.qualified, f.span) for f in kernels if f.ref.template_args}
    state.uninstantiated = [t for t in state.uninstantiated if (t.qualified, t.span) not in instances]
    for f in kernels:
        if not f.ref.template_args and (f.ref.qualified, f.span) in instances:
            del state.functions[f.ref.key]


def _span(node: Node) -> Span:
    return node.get("loc") or node.get("range") or Span("", 0, 0)


def _lower(definition: Definition, stream: AstStream, state: _State) -> None:
    declaration = definition.declaration
    if not stream.is_user_file(declaration.span.file):
        return
    if definition.template is not None:
        state.uninstantiated.append(definition.template)
    reason = too_deep(definition.node)
    try:
        function = lower_function(definition, state.unit) if reason is None else None
    except Exception as error:
        reason, function = f"function not understood: {type(error).__name__}: {error}", None
    if function is None:
        reason = reason or ""
        state.diagnostics.append(Diagnostic(declaration.span, f"{declaration.name}: {reason}", error=True, whole=True))
        function = unlowered_function(definition, state.unit, reason)
    known = state.functions.get(declaration.key)
    if known is None or known.body is None:
        state.functions[declaration.key] = function


def _note_lambdas(node: Node, unit: Unit) -> None:
    """Variables by the closure fields that hold them; constants and statics that lambdas use without capturing them.

    A closure's class is the one that clang numbers so: a lambda within a lambda stands in the tree several times, each
    time in another scope.
    """
    made: dict[str, Node] = {}
    used: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        stack += inner(current)
        match current.get("kind"):
            case "LambdaExpr":
                class_, *rest = inner(current)
                unit.captures[class_.get("id", "")] = tuple(_captured(part) for part in rest if "valueCategory" in part)
            case "VarDecl":
                if "init" in current:
                    made[current["id"]] = current
                if current.get("storageClass") == "static" or storage_of(current, Storage.LOCAL) is not Storage.LOCAL:
                    unit.local_statics[current["id"]] = current
            case "DeclRefExpr" if current.get("nonOdrUseReason") == "constant":
                used.add(current["referencedDecl"]["id"])
            case _:
                pass
    unit.local_constants |= {identity: made[identity] for identity in used & made.keys()}


def _captured(node: Node) -> str:
    """The id of the variable that a capture copies or refers to; "this"; "" for anything else."""
    while True:
        if node["kind"] == "CXXThisExpr":
            return "this"
        if node["kind"] == "DeclRefExpr":
            return node["referencedDecl"]["id"]
        parts = [part for part in inner(node) if "valueCategory" in part]
        if len(parts) != 1 or node["kind"] == "BinaryOperator":
            return ""
        node = parts[0]


def _with_declarations(state: _State) -> Mapping[str, Function]:
    """Functions with bodies, then those that are only declared, then those of precompiled headers."""
    functions = dict(state.functions)
    for declaration in state.unit.declarations.functions.values():
        if declaration.key not in functions and "@" not in declaration.key:
            functions[declaration.key] = declared_function(declaration, state.unit)
    for key, reference in state.unit.outside.items():
        functions.setdefault(key, outside_function(reference))
    return functions


def _globals(unit: Unit) -> dict[str, Global]:
    found: dict[str, Global] = {}
    for declaration in unit.declarations.variables.values():
        variable = global_variable(declaration, unit)
        if variable.storage is Storage.SHARED and not isinstance(variable.type, ArrayType):
            continue
        node = initializer(declaration.node)
        known = found.get(variable.key)
        external = declaration.node.get("storageClass") == "extern" and node is None
        if known is not None and (known.initial is not None or (node is None and (external or not known.external))):
            continue
        parsed = unit.declarations.type_of(declaration.node, declaration.scope)
        try:
            initial = unit_context(unit, declaration.scope).value(node) if node is not None else None
        except Exception:
            initial = None
        constant = parsed.const or bool(declaration.node.get("constexpr"))
        found[variable.key] = Global(variable, initial, constant, external)
    return found


def _records(unit: Unit) -> dict[str, Record]:
    for key in unit.declarations.records:
        if key in unit.declarations.named or key.endswith(")"):
            unit.layouts.record(key)
    return dict(unit.layouts.records)
