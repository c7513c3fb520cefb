"""Missing macros of a file that does not compile as it stands: its build would define them.

The compiler's errors name what is missing, and the text says what it can be:

- A name that is declared only where a macro is defined which nothing defines: the macro is taken for defined.
- A name in an array's length, or in the spelling of macros in the place of a number: it is taken for an unknown
  constant.  Arrays in memory with it in their length get the length 0 (`T a[0]`), which stands for one that is not
  known; they must be used by their elements alone, so that nothing else can depend on it.  Of a length this is no
  guess: C++ takes constants there and nothing else ([dcl.array]).  Elsewhere it is one, which is not made where headers
  are missing.

A guess counts only if the file then compiles as a whole: where errors are left, a declaration may be among what the
compiler has dropped.  Every guess is a note, visible to users who rely on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from hgrd.program.program import Diagnostic
from hgrd.program.span import Span

_UNDECLARED = re.compile(r"use of undeclared identifier '(\w+)'")
_MACRO_CASE = re.compile(r"[A-Z][A-Z0-9_]+")
_NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)(.*)")
_DEFINED = re.compile(r"defined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_IN_MEMORY = re.compile(r"\b__(?:shared|constant|device)__\b[^;{}()=]*;")
_ARRAY = re.compile(r"\b(\w+)\s*\[([^\[\]]*)\]")
_WHOLE = r"\bcuda(?:Memcpy(?:To|From)Symbol(?:Async)?|GetSymbolAddress)\s*\((?:[^(),;]*,)?\s*"


class MacroGuess(Struct, frozen=True):
    """A guess: macros to define, names of constants to declare, constants that make array extents unknown."""

    macros: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    extents: tuple[str, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    def with_(self, other: MacroGuess) -> MacroGuess:
        """Both guesses."""
        return MacroGuess(
            tuple(dict.fromkeys((*self.macros, *other.macros))),
            (*self.constants, *other.constants),
            (*self.extents, *other.extents),
            tuple(dict.fromkeys((*self.notes, *other.notes))),
        )

    def declarations(self) -> str:
        """C++ that declares the constants."""
        return "".join(f"extern __constant__ const int {name};\n" for name in self.constants)

    def opened(self, text: bytes) -> bytes | None:
        """The text with arrays of unknown length, every line as long as before; None if nothing changes."""
        code = text.decode("latin-1")
        places = [at for _, at in _arrays(blanked(code), self.extents)]
        for begin, end in places:
            code = code[:begin] + "0".ljust(end - begin) + code[end:]
        return code.encode("latin-1") if places else None


NOTHING = MacroGuess()


def presumed(
    errors: Collection[Diagnostic], texts: Mapping[str, bytes], undefined: Collection[str], *, complete: bool
) -> MacroGuess:
    """A guess that explains the names that the errors report as missing; NOTHING if there is none.

    Names that stay without an explanation may be missing since the declarations of others did not compile.
    `texts` are the user's files by path, `undefined` names that are not to be defined; `complete`: there are no headers
    missing that could define more.
    """
    missing: dict[str, Span] = {}
    for error in errors:
        if found := _UNDECLARED.fullmatch(error.message):
            missing.setdefault(found[1], error.span)
    if not missing.keys().isdisjoint(undefined):
        return NOTHING
    codes = {file: blanked(text.decode("latin-1")) for file, text in texts.items()} if missing else {}
    everything = NOTHING
    for name, span in missing.items():
        one = _switched_on(name, codes, undefined) if complete else NOTHING
        if one == NOTHING:
            one = _constant(name, span, tuple(codes.values()), complete=complete)
        everything = everything.with_(one)
    return everything


def _switched_on(name: str, codes: Mapping[str, str], undefined: Collection[str]) -> MacroGuess:
    switches = _switches(name, codes)
    if switches is None or not switches[0].isdisjoint(undefined):
        return NOTHING
    macros = tuple(sorted(switches[0]))
    because = f"taken for defined, since {name} is declared only where it is"
    return MacroGuess(macros=macros, notes=tuple(_note(switches[1], f"{macro}: {because}") for macro in macros))


def _constant(name: str, span: Span, codes: Collection[str], *, complete: bool) -> MacroGuess:
    if any(_known_to_preprocessor(name, code) for code in codes):
        return NOTHING
    length = _is_length(name, codes)
    if complete and (length or _MACRO_CASE.fullmatch(name)) and _always_a_number(name, codes):
        note = _note(span, f"{name}: taken for an unknown constant of type int")
        return MacroGuess(constants=(name,), extents=(name,) if length else (), notes=(note,))
    return MacroGuess(extents=(name,), notes=(_note(span, f"{name}: an unknown constant"),)) if length else NOTHING


def _note(span: Span, text: str) -> Diagnostic:
    return Diagnostic(span, f"nothing defines {text}", error=False)


def blanked(text: str) -> str:
    """The text without comments and literals, everything else in its place."""
    return _NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


# ---------------------------------------------------------------- declarations that a macro switches on


def _switches(name: str, codes: Mapping[str, str]) -> tuple[frozenset[str], Span] | None:
    """The macros that must be defined for the name to be declared, and where; None unless there is one answer."""
    everything = "\n".join(codes.values())
    found: dict[frozenset[str], Span] = {}
    for file, code in codes.items():
        for macros, line, column in _under_conditions(name, code):
            needed = frozenset(m for m in macros if not re.search(rf"#[ \t]*define[ \t]+{m}\b", everything))
            if needed:
                found.setdefault(needed, Span(file, line, column))
    if len(found) != 1:
        return None
    ((macros, span),) = found.items()
    return (macros, span) if all(_is_switch(m, everything) for m in macros) else None


def _under_conditions(name: str, code: str) -> Iterator[tuple[frozenset[str], int, int]]:
    """The macros that have to be defined, the line and the column of each place where the name stands.

    Places under other conditions than that macros are defined are left out.
    """
    word = re.compile(rf"\b{name}\b")
    around: list[frozenset[str] | None] = []
    for number, line in enumerate(code.splitlines(), 1):
        directive = _DIRECTIVE.match(line)
        kind, rest = (directive[1], directive[2].strip()) if directive else ("", "")
        match kind:
            case "ifdef" | "ifndef" | "if":
                around.append(_required(kind, rest))
                continue
            case "else" | "elif" if around:
                around[-1] = frozenset() if kind == "else" and around[-1] else None
            case "endif" if around:
                around.pop()
            case _:
                pass
        if (not kind or kind == "define") and (found := word.search(line)):
            known = [macros for macros in around if macros is not None]
            if len(known) == len(around):
                yield frozenset[str]().union(*known), number, found.start() + 1


def _required(kind: str, condition: str) -> frozenset[str] | None:
    """The macros that must be defined for a condition to hold; None if that is not enough."""
    if kind == "ifdef":
        return frozenset({condition})
    if kind == "ifndef":
        return frozenset()
    parts = [_DEFINED.fullmatch(part.strip()) for part in condition.split("&&")]
    names = [part[1] or part[2] for part in parts if part is not None]
    return frozenset(names) if len(names) == len(parts) else None


def _is_switch(macro: str, code: str) -> bool:
    """Whether the text only asks if the macro is defined; names that begin with an underscore are the compiler's."""
    asked = rf"(?:#[ \t]*ifn?def[ \t]+|\bdefined\s*\(\s*|\bdefined[ \t]+){macro}\b"
    return not macro.startswith("_") and len(re.findall(asked, code)) == len(re.findall(rf"\b{macro}\b", code))


# ---------------------------------------------------------------- constants


def _known_to_preprocessor(name: str, code: str) -> bool:
    """Whether the text defines the name somewhere or looks at whether or how it is defined."""
    return bool(
        re.search(rf"^[ \t]*#[ \t]*(?!define\b)\w+.*\b{name}\b|#[ \t]*define[ \t]+{name}\b", code, re.MULTILINE)
    )


def _always_a_number(name: str, codes: Collection[str]) -> bool:
    """Whether the name can be a number at all of its places: it is no function, object, class or type."""
    other = rf"(?:\.|->|::)\s*{name}\b|\b{name}\s*(?:\(|::|\.|->|\[)|\(\s*(?:\w+\s+)*{name}[\s*&]*\)"
    return not any(re.search(other, code) for code in codes)


def _is_length(name: str, codes: Collection[str]) -> bool:
    """Whether arrays have the name in their length, each of which is used by its elements alone."""
    arrays = {array for code in codes for array, _ in _arrays(code, (name,))}
    return bool(arrays) and all(_by_element(array, code) for array in arrays for code in codes)


def _arrays(code: str, constants: Collection[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Arrays in memory with one of the constants in their first extent: the name, and where the extent stands."""
    for declaration in _IN_MEMORY.finditer(code):
        for array in _ARRAY.finditer(code, *declaration.span()):
            if not set(re.findall(r"\w+", array[2])).isdisjoint(constants):
                yield array[1], array.span(2)


def _by_element(array: str, code: str) -> bool:
    """Whether every use of an array is a subscript, or copies it by its symbol."""
    uses = len(re.findall(rf"\b{array}\b", code))
    whole = len(re.findall(rf"{_WHOLE}{array}\b", code))
    subscripts = len(re.findall(rf"\b{array}\s*\[", code))
    return uses == whole + subscripts
