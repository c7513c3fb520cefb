"""Imports among the modules of hgrd as a graph, and its circles.

Every import counts: at the top of a module, inside of functions, and under `if TYPE_CHECKING`.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "hgrd"
MODULES = sorted(PACKAGE.rglob("*.py"))

Graph = Mapping[str, frozenset[str]]


def module_name(file: Path) -> str:
    """The name below hgrd: "races.pairs.candidates", "races" for its `__init__`, "" for that of hgrd."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(file): file for file in MODULES}


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def imported(file: Path) -> Iterator[tuple[int, str]]:
    """(line, what is imported) of each import from hgrd: a module below hgrd, or a name in one."""
    for node in ast.walk(tree(file)):
        match node:
            case ast.Import(names=names):
                found = [name.name for name in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                found = [f"{module}.{name.name}" for name in names]
            case ast.ImportFrom():
                found = ["hgrd.<relative import>"]
            case _:
                continue
        yield from ((node.lineno, name.removeprefix("hgrd.")) for name in found if name.startswith("hgrd."))


def module_of(name: str) -> str:
    """The module that an imported name belongs to; "" for what hgrd itself defines."""
    return name if name in FILES else name.rpartition(".")[0]


def package_of(module: str) -> str:
    """The folder of a module in a package of a room; modules directly in a room count as themselves."""
    if module.count(".") < 2 or FILES[module].name == "__init__.py":
        return module
    return module.rpartition(".")[0]


@cache
def module_graph() -> Graph:
    return {
        name: frozenset(module_of(other) for _, other in imported(file)) - {name, ""} for name, file in FILES.items()
    }


@cache
def package_graph() -> Graph:
    graph: dict[str, set[str]] = defaultdict(set)
    for module, others in module_graph().items():
        graph[package_of(module)] |= {package_of(other) for other in others} - {package_of(module)}
    return {package: frozenset(others) for package, others in graph.items()}


def reachable(graph: Graph, begin: str) -> set[str]:
    """What `begin` leads to by one import or more."""
    found: set[str] = set()
    waiting = list(graph[begin])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph[name]
    return found


def circles(graph: Graph) -> set[frozenset[str]]:
    """The groups of modules that all lead to each other (the strongly connected components of several)."""
    reach = {name: reachable(graph, name) for name in graph}
    return {frozenset(other for other in reach[name] if name in reach[other]) for name in graph if name in reach[name]}


def parameters(file: Path) -> Iterator[tuple[str, int]]:
    """(name, number of parameters) of each function, method and lambda; `self` and `cls` are not counted."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            name = "lambda" if isinstance(node, ast.Lambda) else node.name
            yield name, sum(argument.arg not in ("self", "cls") for argument in _arguments(node.args))


def _arguments(arguments: ast.arguments) -> Iterable[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None)
