"""Parsing of the files of a program: what goes wrong with one of them is a failure that names it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import TypeVar

from msgspec.structs import replace

from hgrd.engine.inputs import Failure
from hgrd.program.program import Diagnostic, Program
from hgrd.program.span import Span
from hgrd.source.build.build import NO_BUILD, Build
from hgrd.source.options import SourceError, SourceOptions
from hgrd.symbolic.limits import OUT_OF_TIME, TimeLimitError, until

T = TypeVar("T")


def parse(
    files: Iterable[str], source: SourceOptions, build: Build = NO_BUILD
) -> tuple[tuple[Program, ...], tuple[Failure, ...]]:
    """Parsed programs, and the failures of those that could not be parsed.

    The analysis is imported while the compiler runs: importing it is half of the time of a small program.
    """
    from hgrd.source.parse import parse_file  # not at the top: it loads the front end

    load = partial(import_module, "hgrd.engine.analysis.program")
    outcomes = [
        guarded(file, partial(_parsed, file, source, build, partial(parse_file, meanwhile=load))) for file in files
    ]
    programs = tuple(x for x in outcomes if not isinstance(x, Failure))
    return programs, tuple(x for x in outcomes if isinstance(x, Failure))


def _parsed(
    file: str, source: SourceOptions, build: Build, parse_file: Callable[[str, SourceOptions], Program]
) -> Program:
    """Program compiled with the flags of the build; a diagnostic names macros that come from there."""
    flags, origin = build.flags(file)
    with until(source.deadline):
        program = parse_file(file, flags.under(source))
    if not flags.macros or not origin:
        return program
    noted = Diagnostic(Span(origin, 1, 1), f"{file} is compiled with {' '.join(flags.macros)}", error=False)
    return replace(program, diagnostics=(*program.diagnostics, noted))


def guarded(file: str, action: Callable[[], T]) -> T | Failure:
    """Result of the action; an exception becomes a failure of the file."""
    try:
        return action()
    except SourceError as error:
        return Failure(file, str(error).removeprefix(f"{file}: "))
    except TimeLimitError:
        return Failure(file, OUT_OF_TIME)
    except RecursionError:
        return Failure(file, "nested too deeply to be analysed", traceback.format_exc())
    except MemoryError:
        return Failure(file, "too large to be analysed: out of memory")
    except Exception as error:  # an error in one program must not lose the results of the others
        return Failure(file, f"internal error: {type(error).__name__}: {error}", traceback.format_exc())
