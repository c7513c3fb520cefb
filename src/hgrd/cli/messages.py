"""Messages on standard error: one line each."""

from __future__ import annotations

import sys


def fail(message: str) -> int:
    """Say why the command cannot be carried out; gives the exit status, 2."""
    print(f"hgrd: error: {message}", file=sys.stderr)
    return 2
