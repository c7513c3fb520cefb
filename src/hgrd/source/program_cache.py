"""A cache of parsed programs, under a key of all that they depend on.

Only where that is certain: the user's files that the text includes, the options, our own code, and a
compiler that brings its own headers along.
"""

from __future__ import annotations

import hashlib
import os
import re
from math import inf
from pathlib import Path

from msgspec.structs import replace

from hgrd.program.program import Program
from hgrd.source import cache_files
from hgrd.source.clang.command import user_dirs
from hgrd.source.clang.toolchain import NoCompilerError, find_toolchain
from hgrd.source.options import SourceOptions
from hgrd.source.own_code import own_code
from hgrd.source.own_headers import HEADERS
from hgrd.source.text.includes import scan

_ROOMS = ("cuda", "terms", "program", "symbolic", "source")  # the rooms with code that makes programs
_KEPT_BYTES = 1 << 28
# Further header directories of clang, which no option names.
_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH")
_COMPUTED_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|include_next|import|embed)\b[ \t]*[^<"\s]', re.M)


def key_of(path: str, options: SourceOptions) -> str | None:
    """A cache key: it changes whenever the program in `path` may; None where that is unknown."""
    if options.extra_flags or any(os.environ.get(name) for name in _ENVIRONMENT):
        return None
    try:
        toolchain = find_toolchain(options.clang)
    except NoCompilerError:
        return None
    if not toolchain.hermetic:
        return None
    includes = scan(path, user_dirs(options), (str(HEADERS), *toolchain.system_dirs), nearby=True)
    if any(_COMPUTED_INCLUDE.search(text) for text in includes.texts.values()):
        return None
    wanted = replace(options, cache_dir=None, kernels=(), deadline=inf)
    where = (path, str(Path.cwd()), user_dirs(options), includes.system, includes.missing, includes.nearby)
    own = tuple(own_code(room) for room in _ROOMS)
    digest = hashlib.sha256(repr((toolchain.identity, own, wanted, where)).encode("utf-8", "surrogateescape"))
    for file, text in includes.texts.items():
        digest.update(f"{file}\0{len(text)}\0".encode("utf-8", "surrogateescape") + text)
    return digest.hexdigest()[:32]


def load(key: str, options: SourceOptions) -> Program | None:
    """The program stored under a key; None if there is none that can be read."""
    found = cache_files.load(_file(key, options))
    return found if isinstance(found, Program) else None


def store(key: str, program: Program, options: SourceOptions) -> None:
    """Stores a program under a key, if it can be stored."""
    cache_files.store(program, _file(key, options), _KEPT_BYTES)


def _file(key: str, options: SourceOptions) -> Path:
    return cache_files.file_of(key, cache_files.PROGRAMS, options.cache_dir)
