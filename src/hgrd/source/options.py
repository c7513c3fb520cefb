"""Source options: how a file is compiled."""

from __future__ import annotations

from math import inf
from pathlib import Path

from msgspec import Struct

from hgrd.program.span import Span

CUDA_VERSION = (13, 0)
"""The version of CUDA that our headers declare, unless another one is asked for."""


class Reduction(Struct, frozen=True):
    """The parts of a file that are read otherwise, since its syntax tree is too large.

    `without`: functions of the host without their bodies; `final`: what is too large even so is left out.
    """

    without: tuple[Span, ...] = ()
    final: bool = False


class SourceOptions(Struct, frozen=True):
    """Options for reading one source file; all have sensible defaults.

    `defines` are "NAME" or "NAME=VALUE".  `language` is as for `-x` ("cuda", "c++", "c"; None: by the
    file's name and contents).  `clang` names a compiler to use instead of the default one.  `cache_dir`
    holds precompiled headers and, with `reuse`, programs as they were parsed before (None: the user's cache
    directory).  `cuda_version` is what CUDA_VERSION and its like say, `architecture` what __CUDA_ARCH__ says.
    `device_pass` defines the latter, as when nvcc compiles for the device.  `instances` name kernels
    (`ns::kernel<int>`) that the file is to instantiate at its end.  `kernels` names those that matter (() is all).  A
    syntax tree of more than `max_ast_bytes` is refused, and one that is not there before `deadline`, a value of
    perf_counter(); `reduction` is how a file is read that has given too large a tree.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    standard: str | None = None
    language: str | None = None
    extra_flags: tuple[str, ...] = ()
    clang: str | None = None
    cache_dir: Path | None = None
    cuda_version: tuple[int, int] = CUDA_VERSION
    architecture: int = 800
    device_pass: bool = False
    instances: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    max_ast_bytes: int = 32 << 30
    reuse: bool = False
    deadline: float = inf
    reduction: Reduction = Reduction()

    def wants(self, kernel: str) -> bool:
        """Whether a kernel of this unqualified name matters."""
        return not self.kernels or kernel in self.kernels


class SourceError(Exception):
    """A file that cannot be read or compiled at all; the message is for people."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
