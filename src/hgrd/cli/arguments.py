"""Options of the command line, and what they give the engine."""

from __future__ import annotations

import argparse
import os
import sys
from math import inf
from typing import NoReturn

from hgrd import __version__
from hgrd.cli.values import (
    FACT_CLASSES,
    LEVELS,
    architecture,
    code,
    condition,
    extent,
    fact_class,
    levels,
    named,
    number,
    parameter,
    positive,
    revision,
    sizes,
    version,
)
from hgrd.engine.folders import Selection
from hgrd.engine.stages import STAGES
from hgrd.findings.model import Level
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.rules import RULES
from hgrd.host.kinds import FactKind
from hgrd.report import FORMATS
from hgrd.source.build.build import Build, BuildError, read_build
from hgrd.source.options import CUDA_VERSION, SourceOptions


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
        type=revision,
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
    explain = commands.add_parser("explain", help="say what a kind of finding means, and how to fix it")
    explain.add_argument("code", type=code, metavar="CODE", help=", ".join(RULES))
    _verbosity(explain)
    doctor = commands.add_parser("doctor", help="show which compiler is used, and whether it works")
    doctor.add_argument("--clang", metavar="PATH", help="look at this clang instead of the default one")
    _verbosity(doctor)
    return top


def _simulate(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE")
    group = command.add_argument_group("what is run")
    add = group.add_argument
    add("--kernel", dest="kernels", nargs=1, required=True, metavar="NAME", help="which kernel")
    add("--grid", type=sizes("grid"), required=True, metavar="X[,Y[,Z]]", help="blocks along each axis")
    add(
        "--block",
        type=sizes("block"),
        required=True,
        metavar="X[,Y[,Z]]",
        help="threads of a block along each axis",
    )
    add("--param", dest="params", type=number, action="append", default=[], metavar="NAME=VALUE", help="a number")
    add(
        "--array",
        dest="arrays",
        type=named,
        action="append",
        default=[],
        metavar="NAME=zeros|iota|random|perm[:COUNT]|FILE.npy",
        help="what a pointer points to (zeros; as many elements as there are threads)",
    )
    add(
        "--dump",
        dest="dumps",
        type=named,
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="save an array",
    )
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
        type=version,
        default=CUDA_VERSION,
        metavar="X.Y",
        help="the version that CUDA_VERSION and its like say (13.0)",
    )
    group.add_argument(
        "--arch",
        type=architecture,
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
    add(
        "--block-dim",
        type=extent("block"),
        metavar="X[,Y[,Z]]",
        help="launch with these blocks; * is any extent",
    )
    add("--grid-dim", type=extent("grid"), metavar="X[,Y[,Z]]", help="launch with this grid; * is any extent")
    add(
        "--param",
        dest="params",
        type=parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter's value",
    )
    add(
        "--assume",
        type=condition,
        action="append",
        default=[],
        metavar="EXPR",
        help="a condition on the parameters",
    )
    add(
        "--level",
        dest="levels",
        type=levels,
        action="append",
        default=[],
        metavar="LEVEL[,...]",
        help=", ".join(LEVELS),
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
        type=fact_class,
        action="append",
        default=[],
        metavar="CLASS",
        help=f"use no facts of this class: {', '.join(FACT_CLASSES)} (repeatable)",
    )
    add("--timeout", type=positive(float), default=60.0, metavar="SECONDS", help="time for each kernel (60)")
    add(
        "--program-timeout",
        type=positive(float),
        default=inf,
        metavar="SECONDS",
        help="time for all kernels of a program together, with its host code (a fair part of the time for all)",
    )
    add(
        "--total-timeout",
        type=positive(float),
        metavar="SECONDS",
        help="time for the whole run; what is done by then is reported (by default it depends on the work)",
    )


def _output_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("output")
    group.add_argument("--format", choices=tuple(FORMATS), default=next(iter(FORMATS)), help=" or ".join(FORMATS))
    group.add_argument("--fail-on-unknown", action="store_true", help="exit with 1 if anything stays undecided")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours in text")
    group.add_argument("-j", "--jobs", type=positive(int), default=os.cpu_count() or 1, metavar="N", help="processes")
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
