"""Command line for clang to parse a file as CUDA."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from hgrd.program.program import Diagnostic
from hgrd.source.clang.diagnostics import (
    errors_in,
    missing_include,
    rejects_precompiled,
    wants_newer_standard,
    wants_vector_math,
)
from hgrd.source.clang.precompiled import DEFINED, PRELUDE, VECTOR_MATH
from hgrd.source.clang.toolchain import Toolchain
from hgrd.source.options import CUDA_VERSION, SourceOptions
from hgrd.source.own_headers import HEADERS
from hgrd.source.text.missing_macros import NOTHING, MacroGuess

# `-x cuda` rejects calls of host-only functions in kernels and so breaks on most headers; HIP with
# `--hipstdpar` lets device code call anything.  Host compilation only: it sees kernels and launches.
_HIP_FLAGS = ("-x", "hip", "--cuda-host-only", "-nogpuinc", "-nogpulib", "-Xclang", "--hipstdpar")
_COMMON_FLAGS = (
    *("-ferror-limit=0", "-w", "-Wno-everything", "-fno-color-diagnostics", "-fno-caret-diagnostics"),
    *("-fmacro-backtrace-limit=1", "-fno-spell-checking"),
)
# What C++17 took out of the library, programs of C++11 still use.
_CXX_DEFINES = tuple(
    f"-D_LIBCPP_ENABLE_CXX17_REMOVED_{name}"
    for name in ("AUTO_PTR", "BINDERS", "RANDOM_SHUFFLE", "UNARY_BINARY_FUNCTION", "UNEXPECTED_FUNCTIONS")
)
_HOST_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++"})
_STANDARD = re.compile(r"(?:c|gnu)(\+\+)?(\w+)$")


def language_of(path: str, text: bytes, options: SourceOptions) -> str:
    """clang's language for a file with this text: "hip" (that is, CUDA), "c++" or "c"."""
    if options.language is not None:
        return "hip" if options.language in {"cu", "cuda", "hip"} else options.language
    suffix = Path(path).suffix.lower()
    if suffix not in _HOST_SUFFIXES or b"<<<" in text or b"__global__" in text:
        return "hip"
    return "c" if path.endswith(".c") else "c++"


def language_flags(language: str, options: SourceOptions, toolchain: Toolchain) -> tuple[str, ...]:
    """The flags that precompiled headers share with the files that use them."""
    c = language == "c"
    select = _HIP_FLAGS if language == "hip" else ("-x", language)
    return (
        *select,
        f"-std={_standard(options.standard, c)}",
        *_COMMON_FLAGS,
        *_version_flags(options),
        *(("-D__HGRD_DEVICE_PASS",) if options.device_pass and language == "hip" else ()),
        *("-isystem", str(HEADERS)),
        *(() if c else (*toolchain.cxx_flags, *_CXX_DEFINES)),
        *toolchain.flags,
        *options.extra_flags,
    )


def _version_flags(options: SourceOptions) -> tuple[str, ...]:
    """What our headers make the versions of; none for the version that they declare of themselves."""
    major, minor = options.cuda_version
    if options.cuda_version == CUDA_VERSION:
        return ()
    return tuple(
        f"-D__HGRD_CUDA_{name}={value}"
        for name, value in (("MAJOR", major), ("MINOR", minor), ("VERSION", 1000 * major + 10 * minor))
    )


def _standard(asked: str | None, c: bool) -> str:
    """The standard to use, always with GNU's extensions; our headers need C++17."""
    found = _STANDARD.match(asked or "")
    if c:
        return f"gnu{found[2]}" if found and not found[1] else "gnu11"
    return f"gnu++{found[2]}" if found and found[1] and found[2].startswith("2") else "gnu++17"


def user_dirs(options: SourceOptions) -> tuple[str, ...]:
    """The user's include directories; those of a CUDA toolkit give way to our own headers."""
    return tuple(
        directory for directory in options.include_dirs if not (Path(directory) / "cuda_runtime_api.h").is_file()
    )


def user_flags(options: SourceOptions) -> tuple[str, ...]:
    """Macros and include directories, as the user gave them."""
    return (
        *(f"-D{define}" for define in options.defines),
        *(f"-U{name}" for name in options.undefines),
        *((f"-D__CUDA_ARCH__={options.architecture}",) if options.device_pass else ()),
        *(f"-I{directory}" for directory in user_dirs(options)),
    )


class Run(Struct, frozen=True):
    """Everything that one start of clang needs; `scratch` is a directory of its own.

    `overlay` describes repaired files, as `-ivfsoverlay` wants it.
    `vector_math`: see our header of that name.
    `guess`: macros and constants presumed because of errors; None: not yet asked.
    `notes` say what of the texts is not read.
    """

    toolchain: Toolchain
    flags: tuple[str, ...]
    user_flags: tuple[str, ...]
    precompiled: Path | None
    prelude: bool
    scratch: Path
    path: str
    overlay: Path | None = None
    vector_math: bool = False
    guess: MacroGuess | None = None
    notes: tuple[Diagnostic, ...] = ()

    @property
    def presumed(self) -> MacroGuess:
        return self.guess or NOTHING

    @property
    def shadow(self) -> Path:
        """The directory of the empty files for missing headers."""
        return self.scratch / "shadow"

    @property
    def constants(self) -> Path:
        """The file that declares the presumed constants."""
        return self.scratch / "constants.h"

    def command(self) -> list[str]:
        return [
            *self.toolchain.command,
            *self.flags,
            *self.user_flags,
            *(f"-D{macro}" for macro in self.presumed.macros),
            *("-idirafter", str(self.shadow)),
            *self._headers(),
            *("-MD", "-MF", str(self.scratch / "dependencies"), "-MT", "x"),
            *(("-ivfsoverlay", str(self.overlay)) if self.overlay else ()),
            *("-fsyntax-only", "-Xclang", "-ast-dump=json"),
            f"./{self.path}" if self.path.startswith("-") else self.path,
        ]

    def _headers(self) -> tuple[str, ...]:
        more = ("-include", str(VECTOR_MATH)) if self.vector_math else ()
        more += ("-include", str(self.constants)) if self.presumed.constants else ()
        if self.precompiled is not None:
            bodies = ("-include", str(DEFINED / "cooperative_groups.h")) if self.prelude else ()
            return ("-include-pch", str(self.precompiled), *bodies, *more)
        return ("-include", str(PRELUDE), *more) if self.prelude else more

    def stderr(self) -> str:
        """The messages that clang has printed so far."""
        return _text_of(self.scratch / "stderr")

    def dependencies(self) -> list[str]:
        """The files that clang has read, from the dependencies it wrote in make's notation."""
        words = re.findall(r"(?:\\.|\S)+", _text_of(self.scratch / "dependencies"))
        return [word.replace("\\ ", " ") for word in words]

    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors that clang has reported so far."""
        return errors_in(self.stderr())

    def missing_include(self) -> str | None:
        """The missing header for which clang gave up; None if there is none, or it has a shadow already."""
        header = missing_include(self.stderr())
        return None if header is None or (self.shadow / header).exists() else header

    def rejects_precompiled(self) -> bool:
        """Whether clang rejected the precompiled header."""
        return self.precompiled is not None and rejects_precompiled(self.stderr())

    def wants_vector_math(self) -> bool:
        """Whether a CUDA program lacks arithmetic on vectors, and does not have ours yet."""
        return self.prelude and not self.vector_math and wants_vector_math(self.stderr())

    def wants_newer_standard(self) -> bool:
        """Whether the program is written in C++20; only where no build says in what."""
        return wants_newer_standard(self.stderr())


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
