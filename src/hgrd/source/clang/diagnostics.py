"""Diagnostics of clang: its errors, as the program's diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hgrd.program.program import Diagnostic
from hgrd.program.span import NOWHERE, Span

_LOCATED = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)$")
_BARE = re.compile(r"^(?:[\w+.-]+: )?(?:fatal )?error: (?P<message>.*)$")
_OF_LINKING = re.compile(r"is used but not defined in this translation unit, .* does not have linkage$")
_MISSING = re.compile(r"fatal error: '([^'\n]+)' file not found")
_REJECTED = re.compile(r"error: .*(?:precompiled (?:file|header)|AST file|PCH file)")
_VECTOR = r"'(?:const )?u?(?:char|short|int|float|double)[234]'"
_WANTS_VECTORS = re.compile(
    rf"error: invalid operands to binary .*{_VECTOR}"
    r"|error: no viable overloaded '[-+*/]='"
    r"|error: no matching function for call to 'make_u?(?:char|int|float|double)[234]'"
    r"|error: use of undeclared identifier '(?:dot|lerp|clamp|saturate|length|normalize|cross)'"
)

_NEWER = re.compile(  # the library and the keywords of C++20
    r"error: no (?:member|type|template) named '\w+' in namespace 'std(?:::\w+)*'"
    r"|error: unknown type name '(?:concept|requires|consteval|constinit)'"
    r"|error: use of undeclared identifier 'requires'"
)


def errors_in(stderr: str) -> tuple[Diagnostic, ...]:
    """Every error once, in the order of the text; warnings and notes are dropped.

    So is what a linker would say: templates of the CUDA runtime are declared without bodies, which is no error for
    arguments of types in anonymous namespaces.
    """
    return tuple(dict.fromkeys(e for e in _errors(stderr) if not _OF_LINKING.search(e.message)))


def _errors(stderr: str) -> Iterator[Diagnostic]:
    for line in stderr.splitlines():
        if found := _LOCATED.match(line):
            span = Span(found["file"], int(found["line"]), int(found["column"]))
            yield Diagnostic(span, found["message"], error=True)
        elif found := _BARE.match(line):
            yield Diagnostic(NOWHERE, found["message"], error=True)


def missing_include(stderr: str) -> str | None:
    """The missing header for which clang gave up; None if there is none."""
    found = _MISSING.search(stderr)
    return found[1] if found else None


def rejects_precompiled(stderr: str) -> bool:
    """Whether clang rejected the precompiled header: another version wrote it, or it is damaged."""
    return _REJECTED.search(stderr) is not None


def wants_newer_standard(stderr: str) -> bool:
    """Whether a program uses what C++20 has and C++17 has not."""
    return _NEWER.search(stderr) is not None


def wants_vector_math(stderr: str) -> bool:
    """Whether arithmetic on built-in vectors is missing, which programs get from their own helper headers."""
    return _WANTS_VECTORS.search(stderr) is not None
