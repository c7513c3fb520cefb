"""Runs clang on a source file and hands on its syntax tree as a stream of JSON."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from hgrd.program.program import Diagnostic
from hgrd.source.diagnostics import errors_in, missing_include, rejects_precompiled
from hgrd.source.implied import implied_headers
from hgrd.source.includes import Includes, scan, write_shadows
from hgrd.source.options import SourceError, SourceOptions
from hgrd.source.precompiled import HEADERS, PRELUDE, Recipe, default_cache_dir, precompiled
from hgrd.source.toolchain import NoCompilerError, Toolchain, find_toolchain

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

DEVICE_ARCHITECTURE = 800
"""What __CUDA_ARCH__ is in a device pass."""

# `-x cuda` rejects calls of host-only functions in kernels and so breaks on most headers; HIP with
# `--hipstdpar` lets device code call anything.  Host compilation only: it sees kernels and launches.
_HIP_FLAGS = ("-x", "hip", "--cuda-host-only", "-nogpuinc", "-nogpulib", "-Xclang", "--hipstdpar")
_COMMON_FLAGS = (
    *("-ferror-limit=0", "-w", "-Wno-everything", "-fno-color-diagnostics", "-fno-caret-diagnostics"),
    *("-fmacro-backtrace-limit=1", "-fno-spell-checking"),
)
_BUFFER = 1 << 20


class AstStream:
    """The syntax tree of one file.

    Read `stdout` to its end first; then `diagnostics()` and `missing_includes` are complete.
    """

    __slots__ = ("_foreign", "_process", "_run", "stdout")

    def __init__(self, process: subprocess.Popen[bytes], stdout: BinaryIO, run: _Run) -> None:
        self.stdout = stdout
        self._process = process
        self._run = run
        self._foreign = tuple(
            directory.rstrip(os.sep) + os.sep
            for directory in (str(HEADERS), str(run.shadow), *map(os.path.normpath, run.toolchain.system_dirs))
        )

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The errors clang reported, where it reported them."""
        self._process.wait()
        return errors_in(self._run.stderr())

    @property
    def missing_includes(self) -> tuple[str, ...]:
        """The headers that were included and are nowhere, as the source spells them."""
        self._process.wait()
        inside = str(self._run.shadow) + os.sep
        used = self._run.dependencies()
        return tuple(dict.fromkeys(os.path.relpath(file, inside) for file in used if file.startswith(inside)))

    def is_user_file(self, path: str) -> bool:
        """Whether this is a file of the user: not a system header, not one of ours."""
        return not path.startswith("<") and not os.path.normpath(path).startswith(self._foreign)


class _Capped(io.RawIOBase):
    """Passes on a stream until it gets longer than `limit` bytes: then SourceError."""

    def __init__(self, stream: IO[bytes], path: str, limit: int) -> None:
        self._stream = stream
        self._path = path
        self._limit = limit
        self._left = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        data = os.read(self._stream.fileno(), len(view))
        view[: len(data)] = data
        self._left -= len(data)
        if self._left < 0:
            raise SourceError(self._path, f"its syntax tree is larger than {self._limit} bytes")
        return len(data)


@dataclass(frozen=True, slots=True)
class _Run:
    """Everything that one start of clang needs."""

    toolchain: Toolchain
    flags: tuple[str, ...]
    user_flags: tuple[str, ...]
    precompiled: Path | None
    prelude: bool
    scratch: Path
    path: str

    @property
    def shadow(self) -> Path:
        return self.scratch / "shadow"

    def stderr(self) -> str:
        return _text_of(self.scratch / "stderr")

    def dependencies(self) -> list[str]:
        """The files that clang has read, from the dependencies it wrote in make's notation."""
        words = re.findall(r"(?:\\.|\S)+", _text_of(self.scratch / "dependencies"))
        return [word.replace("\\ ", " ") for word in words]

    def command(self) -> list[str]:
        return [
            *self.toolchain.command,
            *self.flags,
            *self.user_flags,
            *("-idirafter", str(self.shadow)),
            *self._headers(),
            *("-MD", "-MF", str(self.scratch / "dependencies"), "-MT", "x"),
            *("-fsyntax-only", "-Xclang", "-ast-dump=json"),
            self.path,
        ]

    def _headers(self) -> tuple[str, ...]:
        if self.precompiled is not None:
            return ("-include-pch", str(self.precompiled))
        return ("-include", str(PRELUDE)) if self.prelude else ()


@contextmanager
def open_ast(path: str, options: SourceOptions) -> Generator[AstStream]:
    """Parse `path`; clang has ended when the context does.

    Errors in the source are no exceptions but diagnostics.  Raises SourceError for a file that cannot be
    read (missing, a directory, binary, empty) and where there is no compiler.
    """
    check_readable(path)
    try:
        toolchain = find_toolchain(options.clang)
    except NoCompilerError as error:
        raise SourceError(path, str(error)) from None
    includes = _scan(path, options, toolchain)
    with tempfile.TemporaryDirectory(prefix="hgrd-") as scratch:
        run = _prepare(path, options, toolchain, includes, Path(scratch).resolve())
        process, stdout = _start(run, options.max_ast_bytes)
        try:
            yield AstStream(process, stdout, run)
        finally:
            process.kill()
            process.wait()
            stdout.close()


def check_readable(path: str) -> None:
    """SourceError unless `path` is a readable, non-empty text file."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(1 << 16)
    except FileNotFoundError:
        raise SourceError(path, "no such file") from None
    except IsADirectoryError:
        raise SourceError(path, "is a directory") from None
    except OSError as error:
        raise SourceError(path, f"cannot be read: {error.strerror}") from None
    if not head.strip():
        raise SourceError(path, "is empty")
    if b"\0" in head:
        raise SourceError(path, "is not a text file")


def needs_device_pass(path: str, options: SourceOptions) -> bool:
    """Whether the file or a user file that it includes looks at __CUDA_ARCH__."""
    return b"__CUDA_ARCH__" in scan(path, options.include_dirs, (str(HEADERS),)).text


def _scan(path: str, options: SourceOptions, toolchain: Toolchain) -> Includes:
    return scan(path, _user_dirs(options), (str(HEADERS), *toolchain.system_dirs))


def _user_dirs(options: SourceOptions) -> tuple[str, ...]:
    """The user's include directories; those of a CUDA toolkit give way to our own headers."""
    return tuple(
        directory for directory in options.include_dirs if not (Path(directory) / "cuda_runtime_api.h").is_file()
    )


def language_of(path: str, text: bytes, options: SourceOptions) -> str:
    """clang's language for a file: "hip" (that is, CUDA), "c++" or "c"."""
    if options.language is not None:
        return "hip" if options.language in {"cu", "cuda", "hip"} else options.language
    suffix = Path(path).suffix.lower()
    if suffix not in {".c", ".cc", ".cpp", ".cxx", ".c++"} or b"<<<" in text or b"__global__" in text:
        return "hip"
    return "c" if path.endswith(".c") else "c++"


def _prepare(path: str, options: SourceOptions, toolchain: Toolchain, includes: Includes, scratch: Path) -> _Run:
    language = language_of(path, includes.text, options)
    flags = _language_flags(language, options, toolchain)
    write_shadows(includes.missing, scratch / "shadow")
    headers = {*includes.system, *implied_headers(includes.text, language)}
    recipe = Recipe(toolchain, flags, tuple(sorted(headers)), prelude=language == "hip")
    return _Run(
        toolchain=toolchain,
        flags=flags,
        user_flags=_user_flags(options),
        precompiled=precompiled(recipe, options.cache_dir or default_cache_dir()),
        prelude=recipe.prelude,
        scratch=scratch,
        path=f"./{path}" if path.startswith("-") else path,
    )


def _language_flags(language: str, options: SourceOptions, toolchain: Toolchain) -> tuple[str, ...]:
    c = language == "c"
    select = _HIP_FLAGS if language == "hip" else ("-x", language)
    standard = options.standard or ""
    if not standard or ("++" in standard) == c:  # none, or one of the other language
        standard = "gnu11" if c else "gnu++17"
    return (
        *select,
        f"-std={standard}",
        *_COMMON_FLAGS,
        *("-isystem", str(HEADERS)),
        *(() if c else toolchain.cxx_flags),
        *toolchain.flags,
        *options.extra_flags,
    )


def _user_flags(options: SourceOptions) -> tuple[str, ...]:
    return (
        *(f"-D{define}" for define in options.defines),
        *(f"-U{name}" for name in options.undefines),
        *((f"-D__CUDA_ARCH__={DEVICE_ARCHITECTURE}",) if options.device_pass else ()),
        *(f"-I{directory}" for directory in _user_dirs(options)),
    )


def _start(run: _Run, limit: int) -> tuple[subprocess.Popen[bytes], BinaryIO]:
    """Start clang and wait for the first byte of the tree.

    By then all includes are resolved: where one was missing after all (a macro named it), it gets a
    shadow too and clang starts again; and so it does where the precompiled header did not suit it.
    """
    while True:
        with (run.scratch / "stderr").open("wb") as stderr:
            process = subprocess.Popen(run.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr)
        assert process.stdout is not None
        stdout = io.BufferedReader(_Capped(process.stdout, run.path, limit), _BUFFER)
        stdout.peek(1)
        again = _improved(run)
        if again is None:
            return process, stdout
        process.kill()
        process.wait()
        stdout.close()
        run = again


def _improved(run: _Run) -> _Run | None:
    """How to start clang again after what it has said so far; None where that is no use."""
    said = run.stderr()
    if run.precompiled is not None and rejects_precompiled(said):
        run.precompiled.unlink(missing_ok=True)
        return replace(run, precompiled=None)
    header = missing_include(said)
    if header is None or (run.shadow / header).exists() or not write_shadows((header,), run.shadow):
        return None
    return run


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
