"""The compiler that parses the sources.

In this order:

1. the one named by `--clang` (`SourceOptions.clang`) or by the environment variable `HGRD_CLANG`;
2. `zig clang` of the `ziglang` package: hermetic, it brings its own libc and libc++ headers;
3. a system `clang++` of version 18 or newer (also `clang++-18` ... `clang++-22`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

MINIMUM_CLANG = 18
NEWEST_CLANG = 22

# What `zig c++` defines for its libc++ (Zig 0.17.0, x86_64-linux-gnu); `zig clang` leaves it to the caller.
_ZIG_DEFINES = (
    "__GLIBC_MINOR__=28",
    "_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
    "_LIBCPP_HAS_C8RTOMB_MBRTOC8=0",
    "_LIBCPP_ABI_VERSION=1",
    "_LIBCPP_ABI_NAMESPACE=__1",
    "_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "_LIBCPP_HAS_THREADS=1",
    "_LIBCPP_HAS_MONOTONIC_CLOCK",
    "_LIBCPP_HAS_TERMINAL",
    "_LIBCPP_HAS_MUSL_LIBC=0",
    "_LIBCPP_PSTL_BACKEND_SERIAL",
    "_LIBCPP_DISABLE_AVAILABILITY",
    "_LIBCPP_HAS_FILESYSTEM=1",
    "_LIBCPP_HAS_LOCALIZATION=1",
    "_LIBCPP_HAS_UNICODE=1",
    "_LIBCPP_HAS_WIDE_CHARACTERS=1",
    "_LIBCPP_HAS_RANDOM_DEVICE=1",
    "_LIBCPP_HAS_TIME_ZONE_DATABASE=0",
    "_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0",
    "_LIBCPP_REMOVE_TRANSITIVE_INCLUDES",
)
_ZIG_CXX_DIRS = ("libcxx/include", "libcxxabi/include")
_ZIG_C_DIRS = (
    "include",
    "libc/include/x86-linux-gnu",
    "libc/include/generic-glibc",
    "libc/include/x86-linux-any",
    "libc/include/any-linux-any",
)


class Toolchain(Struct, frozen=True):
    """A clang and the places of its headers.

    `flags` go on every command line, `cxx_flags` only for C++; `identity` changes whenever the
    compiler does, and if it is `hermetic`, whenever one of its headers does; `reason` says to people why it was chosen.
    """

    command: tuple[str, ...]
    system_dirs: tuple[str, ...]
    flags: tuple[str, ...]
    cxx_flags: tuple[str, ...]
    identity: str
    reason: str
    hermetic: bool = False


class NoCompilerError(Exception):
    """No usable compiler; the message says what was tried."""


def find_toolchain(explicit: str | None = None) -> Toolchain:
    """The compiler to use (see the module's docstring), or NoCompilerError."""
    if explicit:
        return _named(explicit, "chosen by --clang")
    if from_environment := os.environ.get("HGRD_CLANG"):
        return _named(from_environment, "chosen by HGRD_CLANG")
    if (zig := _zig()) is not None:
        return zig
    for name in _system_names():
        if (path := shutil.which(name)) and _major(path) >= MINIMUM_CLANG:
            return _system(path, f"{name} found on PATH; the ziglang package is not installed")
    raise NoCompilerError(
        f"no compiler: the ziglang package is not installed and there is no clang++ >= {MINIMUM_CLANG} on PATH"
    )


def _system_names() -> Iterator[str]:
    yield "clang++"
    yield from (f"clang++-{major}" for major in range(NEWEST_CLANG, MINIMUM_CLANG - 1, -1))


def _named(name: str, reason: str) -> Toolchain:
    path = shutil.which(name)
    if path is None:
        raise NoCompilerError(f"no compiler: {name} ({reason}) is not an executable")
    if _major(path) < MINIMUM_CLANG:
        raise NoCompilerError(f"{name} ({reason}) is not a clang of version {MINIMUM_CLANG} or newer")
    return _system(path, reason)


@cache
def _zig() -> Toolchain | None:
    spec = find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return None
    home = Path(spec.submodule_search_locations[0])
    binary = home / ("zig.exe" if os.name == "nt" else "zig")
    if not os.access(binary, os.X_OK):
        return None
    found = binary.stat()
    cxx_dirs = tuple(str(home / "lib" / part) for part in _ZIG_CXX_DIRS)
    c_dirs = tuple(str(home / "lib" / part) for part in _ZIG_C_DIRS)
    return Toolchain(
        command=(str(binary), "clang"),
        system_dirs=cxx_dirs + c_dirs,
        flags=("-target", "x86_64-linux-gnu", "-nostdinc", *_isystem(c_dirs)),
        cxx_flags=("-nostdinc++", *_isystem(cxx_dirs), *(f"-D{define}" for define in _ZIG_DEFINES)),
        identity=f"ziglang {found.st_size} {found.st_mtime_ns} {home}",
        reason="zig clang of the ziglang package (the default)",
        hermetic=True,
    )


def _isystem(dirs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(flag for directory in dirs for flag in ("-isystem", directory))


@cache
def _system(path: str, reason: str) -> Toolchain:
    return Toolchain(
        command=(path,),
        system_dirs=_system_dirs(path),
        flags=(),
        cxx_flags=(),
        identity=f"{Path(path).resolve()} {Path(path).stat().st_mtime_ns} {_version_line((path,))}",
        reason=reason,
    )


@cache
def _version_line(command: tuple[str, ...]) -> str:
    return _output(*command, "--version").partition("\n")[0]


def _output(*command: str) -> str:
    """The output of a command, on both streams; "" if it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def _major(path: str) -> int:
    found = re.search(r"clang version (\d+)", _version_line((path,)))
    return int(found[1]) if found else 0


def _system_dirs(path: str) -> tuple[str, ...]:
    """The directories in which this clang looks for `<...>` includes of C++."""
    said = _output(path, "-x", "c++", "-E", "-v", "-fsyntax-only", os.devnull)
    listing = said.partition("#include <...> search starts here:")[2].partition("End of search list.")[0]
    return tuple(line.strip() for line in listing.splitlines() if line.strip())


def version_of(toolchain: Toolchain) -> str:
    """The first line of `--version`; "" if the compiler does not run."""
    return _version_line(toolchain.command)
