"""A rule: the code, severity and documentation of one kind of finding."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from msgspec import Struct

_CODE: Final = re.compile(r"HGRD\d{3}")


class Severity(Enum):
    """Weight of a finding.  ERROR and WARNING fail a check; NOTE does not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(Struct, frozen=True, kw_only=True):
    """A kind of finding and its documentation, from which its page in docs/rules is made.

    `severity` is that of a finding that nothing weakens, `strict_severity` the same under `--strict`.  The texts are
    Markdown: `what` the rule reports, `why` that is bad, an `example` with the mistake and its `fix` (both with code
    blocks), how the severity is chosen (`severities`), and `known_problems`.  A rule without one of them is a
    ValueError, so a rule that is not documented does not load.
    """

    code: str
    title: str
    severity: Severity
    strict_severity: Severity
    what: str
    why: str
    example: str
    fix: str
    severities: str
    known_problems: str

    def __post_init__(self) -> None:
        if not _CODE.fullmatch(self.code):
            raise ValueError(f"'{self.code}' is no code of a rule")
        texts = ("title", "what", "why", "example", "fix", "severities", "known_problems")
        missing = [name for name in texts if not getattr(self, name).strip()]
        if missing:
            raise ValueError(f"{self.code} has no text for {', '.join(missing)}")
