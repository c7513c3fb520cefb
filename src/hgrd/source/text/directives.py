"""Directives of OpenMP in a source file, by the statements that they stand before.

#pragma omp parallel for
for (…) …
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

Directives: TypeAlias = Mapping[tuple[int, int], tuple[str, ...]]
"""The texts of directives behind `#pragma omp`, by the line and column at which the next statement begins."""
_PRAGMA: Final = re.compile(r"\s*#\s*pragma\s+omp\s+(.*)")
_NO_CODE: Final = re.compile(r"\s*(?:$|#|//|/\*.*\*/\s*$)")


def directives_in(path: str) -> Directives:
    """The directives in a file; none where it cannot be read."""
    try:
        text = Path(path).read_text("utf-8", "replace")
    except OSError:
        return {}
    if "omp" not in text:
        return {}
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    waiting: list[str] = []
    begun = ""
    for number, line in enumerate(text.splitlines(), start=1):
        whole = begun + line
        if (pragma := _PRAGMA.match(whole)) is not None:
            begun = whole.rstrip("\\") + " " if whole.endswith("\\") else ""
            if not begun:
                waiting.append(pragma[1].partition("//")[0])
        elif waiting and not _NO_CODE.match(line):
            found[number, len(line) - len(line.lstrip()) + 1] = tuple(waiting)
            waiting.clear()
    return found
