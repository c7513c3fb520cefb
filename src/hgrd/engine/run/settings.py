"""Settings of a run."""

from __future__ import annotations

from msgspec import Struct

from hgrd.engine.folders import EVERYTHING_OWN, Selection
from hgrd.findings.options import AnalysisOptions
from hgrd.source.build.build import Build
from hgrd.source.options import SourceOptions


class Settings(Struct, frozen=True):
    """How programs are checked.

    `build` gives the flags of single files, `selection` says what of directories is searched; `replay`: witnesses are
    run; `reuse`: verdicts on programs that have not changed are those of the last time; `since`: a revision of git, and
    only programs that have changed since then are checked ("": all are).
    """

    source: SourceOptions
    build: Build
    analysis: AnalysisOptions
    replay: bool
    selection: Selection = EVERYTHING_OWN
    reuse: bool = False
    since: str = ""
