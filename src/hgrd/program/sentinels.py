"""Sentinel functions: calls of these stand for effects of the source that the IR has no other form for.

No program can declare a function with such a name.
"""

from __future__ import annotations

from hgrd.program.expressions import FunctionRef
from hgrd.program.types import BOOL, VOID

_THROWN = "a body that has thrown"
_DROPPED = "what does not compile"

THROWN = FunctionRef(_THROWN, _THROWN, _THROWN, VOID)
"""Effect of a `try` block that has thrown: it may have stored anything in its arguments."""

DROPPED = FunctionRef(_DROPPED, _DROPPED, _DROPPED, BOOL, user_code=True)
"""Code that clang dropped from the syntax tree: it may do anything with its arguments."""
