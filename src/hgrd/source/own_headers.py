"""Headers of our own, which stand for those of CUDA and its libraries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from hgrd.program.span import Span

HEADERS: Final = Path(__file__).parent / "headers"
_WITHIN: Final = str(HEADERS) + os.sep


def is_of_user(span: Span) -> bool:
    """Whether a place is in a file of the user's, and not in a header of ours."""
    return not span.file.startswith(_WITHIN)
