"""The state of this machine: the compiler that hgrd would use, and the place of its cache."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct

import hgrd
from hgrd.source.cache_files import default_cache_dir
from hgrd.source.clang.toolchain import NoCompilerError, Toolchain, find_toolchain, version_of
from hgrd.source.options import SourceOptions


class Health(Struct, frozen=True):
    """The state of this machine, as text for people by `str`.  `problem` is "" if files can be analysed."""

    hgrd: str
    python: str
    platform: str
    compiler: str
    compiler_version: str
    reason: str
    cache_dir: Path
    cache_writable: bool
    packages: tuple[tuple[str, str], ...]
    problem: str

    def __str__(self) -> str:
        rows = [
            ("hgrd", self.hgrd),
            ("python", f"{self.python} on {self.platform}"),
            ("compiler", self.compiler or "none"),
            ("", self.compiler_version),
            ("", self.reason),
            (
                "cache",
                f"{self.cache_dir} ({'writable' if self.cache_writable else 'not writable: runs will be slower'})",
            ),
            *self.packages,
            ("problem", self.problem),
        ]
        return "\n".join(f"{name:12}{value}" for name, value in rows if value)


def doctor(clang: str | None = None, cache_dir: Path | None = None) -> Health:
    """Look at this machine; `clang` as in SourceOptions."""
    toolchain, problem = _toolchain(SourceOptions(clang=clang))
    found = version_of(toolchain) if toolchain else ""
    if toolchain and not found:
        problem = f"{toolchain.command[0]} does not run"
    cache = cache_dir or default_cache_dir()
    return Health(
        hgrd=hgrd.__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        compiler=" ".join(toolchain.command) if toolchain else "",
        compiler_version=found,
        reason=toolchain.reason if toolchain else "",
        cache_dir=cache,
        cache_writable=_writable(cache),
        packages=tuple((name, _release(name)) for name in ("ziglang", "z3-solver", "numpy", "orjson")),
        problem=problem,
    )


def _toolchain(options: SourceOptions) -> tuple[Toolchain | None, str]:
    try:
        return find_toolchain(options.clang), ""
    except NoCompilerError as error:
        return None, str(error)


def _writable(directory: Path) -> bool:
    """Whether files can be created in a directory; missing parts of the path would be created too."""
    existing = next(path for path in (directory, *directory.parents) if path.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


def _release(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
