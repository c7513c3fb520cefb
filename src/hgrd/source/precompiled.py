"""Precompiled headers: our prelude and a file's system headers, parsed once and kept in the cache.

They make a file parse in a tenth of a second and, since clang does not dump what comes out of a
precompiled header, keep libc++ out of the syntax tree.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hgrd.source.toolchain import Toolchain

HEADERS = Path(__file__).parent / "headers"
PRELUDE = HEADERS / "hgrd" / "prelude.h"

# `assert` must stay a macro of ours whatever a precompiled <cassert> says; the others break other headers.
_NEVER = frozenset({"assert.h", "cassert"})
_BUILD_SECONDS = 120
_KEPT_BYTES = 3 << 30


@dataclass(frozen=True, slots=True)
class Recipe:
    """What goes into a precompiled header: the flags of the files that will use it, and its headers."""

    toolchain: Toolchain
    flags: tuple[str, ...]
    headers: tuple[str, ...]
    prelude: bool

    def text(self) -> str:
        prelude = [f'#include "{PRELUDE}"'] if self.prelude else []
        system = [f"#include <{header}>" for header in self.headers if header not in _NEVER]
        return "\n".join([*prelude, *system, ""])

    def key(self) -> str:
        parts = (self.toolchain.identity, *self.flags, self.text(), str(HEADERS), _headers_digest())
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:24]


@cache
def _headers_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(file for file in HEADERS.rglob("*") if file.is_file()):
        digest.update(str(path.relative_to(HEADERS)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def default_cache_dir() -> Path:
    """`$XDG_CACHE_HOME/hgrd`, or `~/.cache/hgrd`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "hgrd" if base else Path.home() / ".cache" / "hgrd"


def precompiled(recipe: Recipe, cache_dir: Path) -> Path | None:
    """The precompiled header of a recipe, built now if the cache lacks it; None where it cannot be built.

    Where the system headers do not compile together, only the prelude is precompiled.  Several processes
    may build the same one: each writes a file of its own and renames it.
    """
    built = _cached_or_built(recipe, cache_dir)
    if built is None and recipe.headers and recipe.prelude:
        built = _cached_or_built(Recipe(recipe.toolchain, recipe.flags, (), recipe.prelude), cache_dir)
    return built


def _cached_or_built(recipe: Recipe, cache_dir: Path) -> Path | None:
    target = cache_dir / "pch" / f"{recipe.key()}.pch"
    failed = target.with_suffix(".failed")
    if target.exists():
        return target
    if failed.exists():
        return None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="build-", dir=target.parent) as scratch:
            if not _build(recipe, Path(scratch), target):
                failed.touch()
                return None
        _prune(target.parent)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return target


def _build(recipe: Recipe, scratch: Path, target: Path) -> bool:
    # clang looks for the source again whenever the precompiled header is used: it has to stay.
    source, output = target.with_suffix(".h"), scratch / "headers.pch"
    fresh = scratch / "headers.h"
    fresh.write_text(recipe.text(), encoding="utf-8")
    fresh.replace(source)
    done = subprocess.run(
        [
            *recipe.toolchain.command,
            *recipe.flags,
            *("-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp"),
            *("-c", "-o", str(output), str(source)),
        ],
        capture_output=True,
        timeout=_BUILD_SECONDS,
        check=False,
    )
    if done.returncode < 0:
        raise OSError(f"the compiler was stopped by signal {-done.returncode}")
    if done.returncode != 0 or not output.exists():
        return False
    output.replace(target)
    return True


def _prune(directory: Path) -> None:
    """Forget the precompiled headers used longest ago once they take too much room."""
    aged = sorted(((s.st_mtime, s.st_size, p) for p in directory.glob("*.pch") for s in [p.stat()]), reverse=True)
    room = _KEPT_BYTES
    for _, size, path in aged:
        room -= size
        if room < 0:
            path.unlink(missing_ok=True)
            path.with_suffix(".h").unlink(missing_ok=True)
