"""Precompiled headers: our prelude and a file's system headers, parsed once and kept in the cache.

They make a file parse in a tenth of a second and, since clang does not dump what comes out of a
precompiled header, keep libc++ out of the syntax tree.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from msgspec import Struct

from hgrd.source.cache_files import PRECOMPILED, prune
from hgrd.source.clang.toolchain import Toolchain
from hgrd.source.own_headers import HEADERS

PRELUDE = HEADERS / "hgrd" / "prelude.h"
DEFINED = HEADERS / "defined"
VECTOR_MATH = HEADERS / "hgrd" / "vector_math.h"

# `assert` must stay a macro of ours, whatever NDEBUG says where the file includes it.
_NEVER = frozenset({"assert.h", "cassert"})
_C_HEADERS = ("limits.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h")
_IN_PRELUDE = frozenset((*_C_HEADERS, "cmath", "cstdio", "cstdlib", "cstring", "new", "utility"))
_BUILD_SECONDS = 120
_KEPT_BYTES = 1 << 30


class Recipe(Struct, frozen=True):
    """The recipe of a precompiled header: the flags of the files that will use it, and its headers."""

    toolchain: Toolchain
    flags: tuple[str, ...]
    headers: tuple[str, ...]
    prelude: bool

    def text(self) -> str:
        prelude = [f'#include "{PRELUDE}"'] if self.prelude else []
        system = [f"#include <{header}>" for header in self.headers if not self._needless(header)]
        begin = ["#define __HGRD_PRECOMPILED 1", "#define __HGRD_PRECOMPILING 1"]
        return "\n".join([*begin, *prelude, *system, "#undef __HGRD_PRECOMPILING", ""])

    def _needless(self, header: str) -> bool:
        """Whether the prelude has it already: then files that differ in such headers only can share."""
        return header in _NEVER or (self.prelude and (header in _IN_PRELUDE or _forwards(header)))

    def key(self) -> str:
        parts = (self.toolchain.identity, *self.flags, self.text(), str(HEADERS), _headers_digest())
        return _digest("\0".join(parts))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]


@cache
def _headers_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(file for file in HEADERS.rglob("*") if file.is_file()):
        digest.update(str(path.relative_to(HEADERS)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def _forwards(header: str) -> bool:
    """Whether it is one of our headers that only includes the prelude."""
    try:
        return (HEADERS / header).read_text("utf-8").strip() == '#include "hgrd/prelude.h"'
    except OSError:
        return False


def precompiled(recipe: Recipe, cache_dir: Path) -> Path | None:
    """The precompiled header of a recipe, built now if the cache lacks it; None if it cannot be built.

    A system header that does not compile along with the others stays out of it.  Several processes
    may build the same one: each writes a file of its own and renames it.
    """
    target = cache_dir / PRECOMPILED / f"{recipe.key()}.pch"
    failed = target.with_suffix(".failed")
    try:
        if target.exists():
            os.utime(target)
            return target
        if failed.exists():
            return None
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="build-", dir=target.parent) as scratch:
            if not _build(recipe, Path(scratch), target):
                failed.touch()
                return None
        prune(target.parent, ".pch", _KEPT_BYTES)
    except (OSError, subprocess.TimeoutExpired):
        return target if target.exists() else None
    return target


def _build(recipe: Recipe, scratch: Path, target: Path) -> bool:
    """Precompile the headers of a recipe, but for those that do not compile."""
    output = scratch / "headers.pch"
    lines: list[str] = recipe.text().splitlines(keepends=True)
    while lines:
        source = _kept("".join(lines), scratch, target.parent)
        said = _precompile(recipe, source, output)
        if output.exists():
            output.replace(target)
            return True
        culprits = {int(found[1]) - 1 for found in re.finditer(re.escape(source.name) + r":(\d+):", said)}
        if not culprits:
            return False
        lines = [line for number, line in enumerate(lines) if number not in culprits]
    return False


def _kept(text: str, scratch: Path, directory: Path) -> Path:
    """A file in `directory` with this text: clang looks for it whenever the precompiled header is used."""
    path = directory / f"{_digest(text)}.h"
    fresh = scratch / "headers.h"
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
    return path


def _precompile(recipe: Recipe, source: Path, output: Path) -> str:
    """Run clang once and return its messages.  There is an output only if there is no error."""
    done = subprocess.run(
        [
            *recipe.toolchain.command,
            *recipe.flags,
            *("-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp"),
            *("-c", "-o", str(output), str(source)),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=_BUILD_SECONDS,
        check=False,
    )
    if done.returncode < 0:
        raise OSError(f"the compiler was stopped by signal {-done.returncode}")
    return done.stderr
