"""Options of the command line, and how their values are read."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from math import inf
from typing import NoReturn, TypeVar

from hgrd import __version__
from hgrd.engine.folders import Selection
from hgrd.engine.stages import STAGES
from hgrd.findings.model import Level
from hgrd.findings.options import AnalysisOptions, Extent
from hgrd.host.kinds import CLASSES, FactKind
from hgrd.report import FORMATS
from hgrd.source.build.build import Build, BuildError, read_build
from hgrd.source.options import CUDA_VERSION, SourceOptions

T = TypeVar("T")

_LEVELS = {level.value: level for level in Level}
_CLASSES = {kind.value.replace(" ", "-"): kind for kind in CLASSES}
_PARAM = re.compile(r"([A-Za-z_]\w*(?:(?:\.|->)\w+)*)=(-?(?:0[xX][0-9a-fA-F]+|[0-9]+))")
_MOST = 2**31 - 1  # threads or blocks along an axis


class UsageError(Exception):
    """Error in a command line; the message is for people."""


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are a UsageError of one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see '{self.prog} --help')")


def parser() -> argparse.ArgumentParser:
    """Parser of all commands and their options."""
    top = _Parser(prog="hgrd", description="Finds data races in CUDA programs before they run.")
    top.add_argument("--version", action="version", version=f"hgrd {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    check = commands.add_parser(
        "check",
        help="look for data races",
        description="Look for data races in CUDA files, or in the CUDA programs below a directory.",
        epilog="Exit status: 0 no race found, 1 races found, 2 some input could not be analysed "
        "(and what could has neither races nor errors at barriers).",
    )
    check.add_argument("paths", nargs="+", metavar="PATH")
    _selection_options(check)
    _source_options(check)
    _analysis_options(check)
    check.add_argument(
        "--replay",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="run the witness of each race on the simulator (about 2 seconds each at most)",
    )
    check.add_argument(
        "--since",
        type=_revision,
        metavar="REV",
        help="only programs that have changed since this revision of git, by their files, headers or build files",
    )
    check.add_argument(
        "--again", dest="reuse", action="store_false", help="analyse programs again that have not changed"
    )
    _output_options(check)
    facts = commands.add_parser("facts", help="show the launches and what the host code says about them")
    facts.add_argument("paths", nargs="+", metavar="PATH")
    show = commands.add_parser("show", help="show a stage of the analysis")
    show.add_argument("stage", choices=tuple(STAGES), metavar="STAGE", help=", ".join(STAGES))
    show.add_argument("paths", nargs="+", metavar="FILE")
    for command in (facts, show):
        _selection_options(command)
        _source_options(command)
        _analysis_options(command)
        _verbosity(command)
    _simulate(commands.add_parser("simulate", help="run a kernel on given inputs and watch its accesses"))
    cache = commands.add_parser("cache", help="show or clear what is kept of earlier runs")
    cache.add_argument("action", choices=("info", "clear"), help="show what there is, or throw it away")
    _verbosity(cache)
    doctor = commands.add_parser("doctor", help="show which compiler is used, and whether it works")
    doctor.add_argument("--clang", metavar="PATH", help="look at this clang instead of the default one")
    _verbosity(doctor)
    return top


def _simulate(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE")
    group = command.add_argument_group("what is run")
    add = group.add_argument
    add("--kernel", dest="kernels", nargs=1, required=True, metavar="NAME", help="which kernel")
    add("--grid", type=_sizes("grid"), required=True, metavar="X[,Y[,Z]]", help="blocks along each axis")
    add("--block", type=_sizes("block"), required=True, metavar="X[,Y[,Z]]", help="threads of a block along each axis")
    add("--param", dest="params", type=_number, action="append", default=[], metavar="NAME=VALUE", help="a number")
    add(
        "--array",
        dest="arrays",
        type=_named,
        action="append",
        default=[],
        metavar="NAME=zeros|iota|random|perm[:COUNT]|FILE.npy",
        help="what a pointer points to (zeros; as many elements as there are threads)",
    )
    add("--dump", dest="dumps", type=_named, action="append", default=[], metavar="NAME=FILE.npy", help="save an array")
    add("--shared", type=int, default=0, metavar="BYTES", help="dynamic shared memory of a block")
    add("--seed", type=int, default=0, help="of random and perm")
    add("--color", choices=("auto", "always", "never"), default="auto", help="colours in text")
    _source_options(command)
    _verbosity(command)


def _selection_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("which files of a directory")
    group.add_argument(
        "--exclude", action="append", default=[], metavar="GLOB", help="not these files and folders (repeatable)"
    )
    group.add_argument("--vendored", action="store_true", help="also vendored code and folders of builds")


def _source_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("how files are compiled")
    group.add_argument(
        "-I", dest="include_dirs", action="append", default=[], metavar="DIR", help="look for includes here"
    )
    group.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    group.add_argument("-U", dest="undefines", action="append", default=[], metavar="NAME", help="undefine a macro")
    group.add_argument("-std", "--std", dest="standard", metavar="STD", help="the C++ standard (c++17)")
    group.add_argument("-x", dest="language", choices=("cuda", "c++", "c"), help="the language of all files")
    group.add_argument(
        "-p", dest="build", metavar="DIR", help="take the flags of each file from the compile_commands.json in DIR"
    )
    group.add_argument(
        "--cuda-version",
        type=_version,
        default=CUDA_VERSION,
        metavar="X.Y",
        help="the version that CUDA_VERSION and its like say (13.0)",
    )
    group.add_argument(
        "--arch",
        type=_architecture,
        default=800,
        metavar="sm_XY",
        help="the architecture that __CUDA_ARCH__ says (sm_80)",
    )
    group.add_argument("--clang", metavar="PATH", help="use this clang instead of the default one")
    group.add_argument("--no-cache", dest="cache", action="store_false", help="use nothing of earlier runs")


def _analysis_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("what is analysed")
    add = group.add_argument
    add("--kernel", dest="kernels", action="append", default=[], metavar="NAME", help="only this kernel (repeatable)")
    add("--block-dim", type=_extent("block"), metavar="X[,Y[,Z]]", help="launch with these blocks; * is any extent")
    add("--grid-dim", type=_extent("grid"), metavar="X[,Y[,Z]]", help="launch with this grid; * is any extent")
    add(
        "--param",
        dest="params",
        type=_param,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter's value",
    )
    add("--assume", type=_condition, action="append", default=[], metavar="EXPR", help="a condition on the parameters")
    add(
        "--level",
        dest="levels",
        type=_levels,
        action="append",
        default=[],
        metavar="LEVEL[,...]",
        help=", ".join(_LEVELS),
    )
    add("--strict", action="store_true", help="two writes of the same value are a race")
    add("--warp-lockstep", action="store_true", help="the threads of a warp run in lockstep (before Volta)")
    add(
        "--any-arguments",
        action="store_true",
        help="without any launch in the sources, what a precondition would exclude is a definite race",
    )
    add("--no-asserts", dest="asserts", action="store_false", help="conditions in assert() are not facts")
    add(
        "--no-fact",
        dest="without",
        type=_fact_class,
        action="append",
        default=[],
        metavar="CLASS",
        help=f"use no facts of this class: {', '.join(_CLASSES)} (repeatable)",
    )
    add("--timeout", type=_positive(float), default=60.0, metavar="SECONDS", help="time for each kernel (60)")
    add(
        "--program-timeout",
        type=_positive(float),
        default=inf,
        metavar="SECONDS",
        help="time for all kernels of a program together, with its host code (a fair part of the time for all)",
    )
    add(
        "--total-timeout",
        type=_positive(float),
        metavar="SECONDS",
        help="time for the whole run; what is done by then is reported (by default it depends on the work)",
    )


def _output_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("output")
    group.add_argument("--format", choices=tuple(FORMATS), default=next(iter(FORMATS)), help=" or ".join(FORMATS))
    group.add_argument("--fail-on-unknown", action="store_true", help="exit with 1 if anything stays undecided")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours in text")
    group.add_argument("-j", "--jobs", type=_positive(int), default=os.cpu_count() or 1, metavar="N", help="processes")
    _verbosity(command)


def _verbosity(command: argparse.ArgumentParser) -> None:
    command.add_argument("-v", "--verbose", action="count", default=0, help="log what is done (-vv: more)")
    command.add_argument("-q", "--quiet", action="store_true", help="the findings and the last line only")


def source_options(arguments: argparse.Namespace) -> SourceOptions:
    """Options on how files are compiled."""
    return SourceOptions(
        include_dirs=tuple(arguments.include_dirs),
        defines=tuple(arguments.defines),
        undefines=tuple(arguments.undefines),
        standard=arguments.standard,
        language=arguments.language,
        clang=arguments.clang,
        cuda_version=arguments.cuda_version,
        architecture=arguments.arch,
        reuse=arguments.cache,
        kernels=tuple(dict.fromkeys(arguments.kernels)),
    )


def selection(arguments: argparse.Namespace) -> Selection:
    """Which files of directories are looked at."""
    return Selection(tuple(arguments.exclude), arguments.vendored)


def build_of(arguments: argparse.Namespace) -> Build:
    """Build description of the paths; UsageError where the one that is asked for cannot be read."""
    try:
        return read_build(arguments.build, getattr(arguments, "paths", ()))
    except BuildError as error:
        raise UsageError(str(error)) from None


def analysis_options(arguments: argparse.Namespace) -> AnalysisOptions:
    """Options on what is analysed."""
    chosen = [level for levels in arguments.levels for level in levels]
    return AnalysisOptions(
        kernels=tuple(dict.fromkeys(arguments.kernels)),
        block_dim=arguments.block_dim,
        grid_dim=arguments.grid_dim,
        params=tuple(arguments.params),
        assume=tuple(arguments.assume),
        levels=tuple(level for level in Level if not chosen or level in chosen),
        asserts=arguments.asserts and FactKind.ASSERT not in arguments.without,
        without=frozenset(arguments.without),
        strict=arguments.strict,
        warp_lockstep=arguments.warp_lockstep,
        any_arguments=arguments.any_arguments,
        time_limit=arguments.timeout,
        program_limit=arguments.program_timeout,
    )


def wants_color(arguments: argparse.Namespace) -> bool:
    """Whether to write colours: as asked for, else in a terminal unless NO_COLOR is set."""
    if arguments.color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return arguments.color == "always"


# ---------------------------------------------------------------- values


def _extent(what: str) -> Callable[[str], Extent]:
    def read(text: str) -> Extent:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 3:
            raise argparse.ArgumentTypeError(f"'{text}' has more than three extents")
        x, y, z = (*(_size(part, what) for part in parts), 1, 1)[:3]
        return x, y, z

    return read


def _size(text: str, what: str) -> int | None:
    if text == "*":
        return None
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor *")
    if int(text) == 0:
        raise argparse.ArgumentTypeError(f"a {what} has at least one element along each axis, not 0")
    if int(text) > _MOST:
        raise argparse.ArgumentTypeError(f"{text} is more than CUDA allows ({_MOST})")
    return int(text)


def _param(text: str) -> tuple[str, int]:
    found = _PARAM.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=INTEGER")
    return found[1], int(found[2], 0) if "x" in found[2].lower() else int(found[2])


def _version(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})(?:\.(\d))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no version of CUDA, such as 12.4")
    return int(found[1]), int(found[2] or 0)


def _architecture(text: str) -> int:
    found = re.fullmatch(r"(?:sm_|compute_)?(\d{2,3})[af]?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no architecture, such as sm_90")
    return 10 * int(found[1])


def _sizes(what: str) -> Callable[[str], tuple[int, int, int]]:
    def read(text: str) -> tuple[int, int, int]:
        x, y, z = _extent(what)(text)
        if x is None or y is None or z is None:
            raise argparse.ArgumentTypeError("a run needs numbers, not *")
        return x, y, z

    return read


def _number(text: str) -> tuple[str, float]:
    name, value = _named(text)
    try:
        return name, int(value, 0)
    except ValueError:
        pass
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number") from None


def _named(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def _revision(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the revision is empty")
    return text


def _condition(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the condition is empty")
    return text


def _levels(text: str) -> tuple[Level, ...]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in _LEVELS:
            raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(_LEVELS)}")
    return tuple(_LEVELS[name] for name in names)


def _fact_class(text: str) -> FactKind:
    if text not in _CLASSES:
        raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(_CLASSES)}")
    return _CLASSES[text]


def _positive(convert: Callable[[str], T]) -> Callable[[str], T]:
    def read(text: str) -> T:
        try:
            value = convert(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
        if not 0 < float(text) < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not a positive number")
        return value

    return read
