"""Runs of clang on a source file, with the syntax tree as a stream of JSON."""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from math import inf
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING, BinaryIO

from msgspec.structs import replace

from hgrd.program.program import Diagnostic
from hgrd.source.cache_files import default_cache_dir
from hgrd.source.clang.command import Run, language_flags, language_of, user_dirs, user_flags
from hgrd.source.clang.precompiled import DEFINED, Recipe, precompiled
from hgrd.source.clang.toolchain import NoCompilerError, Toolchain, find_toolchain
from hgrd.source.options import Reduction, SourceError, SourceOptions
from hgrd.source.own_headers import HEADERS
from hgrd.source.text.code import without_body
from hgrd.source.text.implied_headers import implied_headers
from hgrd.source.text.includes import Includes, scan, write_shadows
from hgrd.source.text.missing_macros import NOTHING, MacroGuess, presumed
from hgrd.source.text.repairs import instantiating, repaired
from hgrd.source.text.switch_macros import flattened

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BUFFER = 1 << 20
_NEWER = "c++20"  # the newest standard that CUDA's compilers accept
_DEFINED = str(DEFINED) + os.sep


class AstStream:
    """The syntax tree of one file.

    Read `stdout` to its end first; then `diagnostics()` and `missing_includes` are complete.
    """

    __slots__ = ("_foreign", "_process", "_run", "stdout")

    def __init__(self, process: subprocess.Popen[bytes], stdout: BinaryIO, run: Run) -> None:
        self.stdout = stdout
        self._process = process
        self._run = run
        self._foreign = tuple(
            directory.rstrip(os.sep) + os.sep
            for directory in (str(HEADERS), str(run.scratch), *map(os.path.normpath, run.toolchain.system_dirs))
        )

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The errors clang reported, where it reported them."""
        self._process.wait()
        return self._run.errors()

    @property
    def macro_guesses(self) -> tuple[Diagnostic, ...]:
        """Notes on the assumptions made in place of an unknown build, and on switches of which not all is read."""
        return (*self._run.notes, *self._run.presumed.notes)

    @property
    def missing_includes(self) -> tuple[str, ...]:
        """The headers that were included but are missing, as the source spells them."""
        self._process.wait()
        inside = str(self._run.shadow) + os.sep
        used = self._run.dependencies()
        return tuple(dict.fromkeys(os.path.relpath(file, inside) for file in used if file.startswith(inside)))

    def is_user_file(self, path: str) -> bool:
        """Whether this is a file of the user, or one of ours that is read like it: no other header."""
        file = os.path.normpath(path)
        return not path.startswith("<") and (file.startswith(_DEFINED) or not file.startswith(self._foreign))


class _Capped(io.RawIOBase):
    """Pass on a stream; raises SourceError once it is longer than `limit` bytes, or `deadline` has passed."""

    def __init__(self, stream: IO[bytes], path: str, limit: int, deadline: float) -> None:
        self._stream = stream
        self._path = path
        self._limit = limit
        self._left = limit
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._stream.close()
        super().close()

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        if not self._readable_in_time():
            raise SourceError(self._path, "the time limit was reached while it was read")
        data = os.read(self._stream.fileno(), len(view))
        view[: len(data)] = data
        self._left -= len(data)
        if self._left < 0:
            raise SourceError(self._path, f"its syntax tree is larger than {self._limit} bytes")
        return len(data)

    def _readable_in_time(self) -> bool:
        if self._deadline == inf:
            return True
        seconds = self._deadline - perf_counter()
        return seconds > 0 and bool(select.select([self._stream], [], [], seconds)[0])


def nothing() -> None:
    """The default for `meanwhile`: do nothing."""


@contextmanager
def open_ast(path: str, options: SourceOptions, meanwhile: Callable[[], object] = nothing) -> Generator[AstStream]:
    """Parse `path`; clang has ended when the context does.  `meanwhile` is called while clang starts to work.

    Errors in the source are no exceptions but diagnostics.  Raises SourceError for a file that cannot be
    read (missing, a directory, binary, empty) and where there is no compiler.
    """
    check_readable(path)
    try:
        toolchain = find_toolchain(options.clang)
    except NoCompilerError as error:
        raise SourceError(path, str(error)) from None
    with tempfile.TemporaryDirectory(prefix="hgrd-") as scratch:
        includes = _includes(path, options, toolchain)
        run: Run | None = _prepare(path, options, toolchain, includes, Path(scratch).resolve())
        while run is not None:
            with _started(run, options) as (process, stream):
                meanwhile()
                # With the first byte of the tree, clang has reported everything.
                stream.peek(1)
                better = _improved(run)
                if better is None and options.standard is None and run.wants_newer_standard():
                    options = replace(options, standard=_NEWER)
                    better = _prepare(path, options, toolchain, includes, Path(scratch).resolve())
                better = better or _presuming(run, includes, options)
                if better is None:
                    yield AstStream(process, stream, run)
            run = better


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
    try:
        toolchain = find_toolchain(options.clang)
    except NoCompilerError:
        return False
    return b"__CUDA_ARCH__" in _includes(path, options, toolchain).text


def _includes(path: str, options: SourceOptions, toolchain: Toolchain) -> Includes:
    return scan(path, user_dirs(options), (str(HEADERS), *toolchain.system_dirs), nearby=True)


def _prepare(path: str, options: SourceOptions, toolchain: Toolchain, includes: Includes, scratch: Path) -> Run:
    language = language_of(path, includes.text, options)
    flags = language_flags(language, options, toolchain)
    headers = {*includes.system, *implied_headers(includes.text, language)}
    recipe = Recipe(toolchain, flags, tuple(sorted(headers)), prelude=language == "hip")
    run = Run(
        toolchain=toolchain,
        flags=flags,
        user_flags=(*user_flags(options), *(f"-I{directory}" for directory in includes.nearby)),
        precompiled=precompiled(recipe, options.cache_dir or default_cache_dir()),
        prelude=recipe.prelude,
        scratch=scratch,
        path=path,
        overlay=_overlay(includes, path, options, NOTHING, scratch) if recipe.prelude else None,
        notes=flattened(includes.texts).notes if recipe.prelude else (),
    )
    write_shadows(includes.missing, run.shadow)
    return run


def _overlay(includes: Includes, path: str, options: SourceOptions, guess: MacroGuess, scratch: Path) -> Path | None:
    """A file for clang's `-ivfsoverlay` that puts repaired texts in the places of the user's."""
    roots: list[dict[str, str]] = []
    reduced = _reduced(includes.texts, options.reduction)
    for number, (file, text) in enumerate(includes.texts.items()):
        better = reduced.get(file)
        better = repaired(better or text) or better
        better = guess.opened(better or text) or better
        if options.instances and file == os.path.normpath(path):
            better = instantiating(better or text, options.instances)
        if better is not None:
            copy = scratch / f"{number}.cu"
            copy.write_bytes(better)
            roots.append({"name": str(Path(file).absolute()), "type": "file", "external-contents": str(copy)})
    if not roots:
        return None
    overlay = scratch / "overlay.yaml"
    overlay.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}), encoding="utf-8")
    return overlay


def _reduced(texts: Mapping[str, bytes], reduction: Reduction) -> dict[str, bytes]:
    """The texts that change, for a syntax tree that is not too large."""
    found = dict(flattened(texts).texts)
    for span in reduction.without:
        file = os.path.normpath(span.file)
        if file in texts:
            found[file] = without_body(found.get(file, texts[file]), span)
    return found


@contextmanager
def _started(run: Run, options: SourceOptions) -> Generator[tuple[subprocess.Popen[bytes], io.BufferedReader[_Capped]]]:
    """clang at work, stopped when the context ends, and its tree as a stream."""
    with (run.scratch / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            run.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, bufsize=0, pipesize=_BUFFER
        )
    assert process.stdout is not None
    stream = io.BufferedReader(_Capped(process.stdout, run.path, options.max_ast_bytes, options.deadline), _BUFFER)
    try:
        yield process, stream
    finally:
        process.kill()
        process.wait()
        stream.close()


def _improved(run: Run) -> Run | None:
    """The run to start again after clang's errors; None if another run is no use.

    With a shadow of an include that was missing after all (a macro named it), without a precompiled header
    that clang rejected, or with arithmetic on vectors.
    """
    if run.precompiled is not None and run.rejects_precompiled():
        run.precompiled.unlink(missing_ok=True)
        return replace(run, precompiled=None)
    if run.wants_vector_math():
        return replace(run, vector_math=True)
    header = run.missing_include()
    return run if header is not None and write_shadows((header,), run.shadow) else None


def _presuming(run: Run, includes: Includes, options: SourceOptions) -> Run | None:
    """The run with macros and constants that the errors suggest the build would define; None if that is no use.

    If errors remain then, the file is taken unchanged after all.
    """
    if run.guess is None and run.prelude and (errors := run.errors()):
        complete = not (run.shadow.exists() and any(run.shadow.iterdir()))
        found = presumed(errors, includes.texts, options.undefines, complete=complete)
        if found == NOTHING:
            return None
        run.constants.write_text(found.declarations(), encoding="utf-8")
    elif run.guess not in (None, NOTHING) and run.errors():
        found = NOTHING
    else:
        return None
    overlay = _overlay(includes, run.path, options, found, run.scratch)
    return replace(run, guess=found, overlay=overlay)
