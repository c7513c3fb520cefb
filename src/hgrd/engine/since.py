"""Programs that have changed since a revision of git: those whose files, headers or build files have."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from hgrd.engine.inputs import Failure, Inputs
from hgrd.findings.model import Message
from hgrd.program.span import NOWHERE
from hgrd.source.build.build import Build
from hgrd.source.text.includes import IncludedFiles, scan

_SECONDS: Final = 60


class SinceError(Exception):
    """Revision or repository that git does not know; the message is for people."""


class Changes(Struct, frozen=True):
    """Real paths of files that differ from what they were, new ones included, and the names of those that are gone."""

    there: frozenset[str]
    gone: frozenset[str]


def changed_since(inputs: Inputs, revision: str, include_dirs: tuple[str, ...], build: Build) -> Inputs:
    """The inputs without the programs that are as they were; a remark says how many these are."""
    try:
        known = _Repositories(revision, {})
        included = IncludedFiles(include_dirs)
        kept = tuple(p for p in inputs.programs if _has_changed(p, known, included, include_dirs, build))
    except SinceError as error:
        return Inputs((), (*inputs.failures, Failure(f"--since {revision}", str(error))), inputs.messages)
    same = len(inputs.programs) - len(kept)
    text = f"{same} program{'s are' if same > 1 else ' is'} as at {revision}, and not analysed"
    return Inputs(kept, inputs.failures, (*inputs.messages, *((Message(NOWHERE, text, error=False),) if same else ())))


def _has_changed(
    files: Iterable[str],
    known: _Repositories,
    included: IncludedFiles,
    include_dirs: tuple[str, ...],
    build: Build,
) -> bool:
    """Whether a file of the program has changed, or one that it includes or included, or that says how it is built."""
    for file in files:
        changes = known.changes_around(file)
        _, origin = build.flags(file)
        if not changes.there.isdisjoint({*included.below(file), os.path.realpath(origin)}):
            return True
        missing = {Path(header).name for header in scan(file, include_dirs, ()).missing} if changes.gone else set[str]()
        if not changes.gone.isdisjoint(missing):
            return True
    return False


class _Repositories(Struct, frozen=True):
    """What has changed since a revision, by the folder of a repository."""

    revision: str
    known: dict[str, Changes]

    def changes_around(self, file: str) -> Changes:
        """The changes in the repository that holds a file."""
        folder = str(Path(os.path.realpath(file)).parent)
        if folder not in self.known:
            top = _git(folder, "rev-parse", "--show-toplevel", otherwise=f"{folder} is in no repository of git").strip()
            if top not in self.known:
                self.known[top] = self._changes(top)
            self.known[folder] = self.known[top]
        return self.known[folder]

    def _changes(self, top: str) -> Changes:
        unknown = f"git knows no such revision in {top}"
        if self.revision.startswith("-"):
            raise SinceError(unknown)
        commit = _git(top, "rev-parse", "--verify", f"{self.revision}^{{commit}}", otherwise=unknown).strip()
        found = {
            *_git(top, "diff", "--name-only", "-z", commit, otherwise=unknown).split("\0"),
            *_git(top, "ls-files", "--others", "--exclude-standard", "-z", otherwise=unknown).split("\0"),
        }
        paths = [Path(top, name) for name in found if name]
        there = frozenset(os.path.realpath(path) for path in paths if path.exists())
        return Changes(there, frozenset(path.name for path in paths if not path.exists()))


def _git(folder: str, *arguments: str, otherwise: str) -> str:
    """What git prints; SinceError, with what is to be said `otherwise`, where it does not do it."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise SinceError("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise SinceError(f"git {arguments[0]} took more than {_SECONDS} s") from None
    if done.returncode:
        raise SinceError(otherwise)
    return done.stdout
