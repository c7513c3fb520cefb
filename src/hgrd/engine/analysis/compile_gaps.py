"""Compile gaps: compiler errors in code that a program runs, where statements may have been dropped silently."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.host.model import Fact, FactKind
from hgrd.program.program import Diagnostic, Function, Program
from hgrd.protocol.model import Gap
from hgrd.terms import TRUE


def broken(functions: frozenset[str], programs: tuple[Program, ...]) -> tuple[Gap, ...]:
    """Gaps of a kernel that runs these functions, by key, where there are errors in them.

    A function that is not understood at all has a gap in its body.
    """
    errors = _errors(functions, programs)
    return tuple(Gap(f"does not compile: {d.message}", (), d.span) for d in errors if not d.whole)


def dropped(functions: frozenset[str], programs: tuple[Program, ...]) -> tuple[Fact, ...]:
    """Assumptions on a launch by host functions with errors: one for each, where its first error is.

    Everything that they mention is taken to be changed, called and launched (`source/dropped.py`).
    """
    first: dict[str, Diagnostic] = {}
    for error, function in _errors(functions, programs).items():
        first.setdefault(function.ref.name, error)
    text = "what does not compile in {} changes only what it mentions: {}"
    return tuple(Fact(TRUE, FactKind.ASSUMPTION, text.format(f, d.message), d.span) for f, d in first.items())


def _errors(functions: frozenset[str], programs: tuple[Program, ...]) -> dict[Diagnostic, Function]:
    """Errors between the start of each of the functions and that of the next one in its file."""
    found: dict[Diagnostic, Function] = {}
    for program in programs:
        errors = [d for d in program.diagnostics if d.error]
        if errors:
            run = [f for key, f in program.functions.items() if key in functions and f.body is not None]
            ends = _starts(program)
            found |= {d: f for f in run for d in errors if _within(d, f, ends)}
    return found


def _within(error: Diagnostic, function: Function, starts: dict[str, list[int]]) -> bool:
    start, place = function.span, error.span
    end = min((line for line in starts.get(start.file, ()) if line > start.line), default=None)
    return place.file == start.file and start.line <= place.line and (end is None or place.line < end)


def _starts(program: Program) -> dict[str, list[int]]:
    """Lines on which functions of the user begin that stand in no other function."""
    found: dict[str, list[int]] = {}
    for function in program.functions.values():
        if function.user_code and not any("@" in outer or outer in program.functions for outer in _around(function)):
            found.setdefault(function.span.file, []).append(function.span.line)
    return found


def _around(function: Function) -> Iterator[str]:
    """Keys that a function around this one, a closure or a method of a local class, would have.

    Those of templates have their place after an "@".
    """
    parts = function.ref.qualified.split("::")
    return ("::".join(parts[:n]) for n in range(1, len(parts)))
