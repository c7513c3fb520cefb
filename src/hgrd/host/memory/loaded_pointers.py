"""Loaded pointers: where a pointer was found whose target the run does not know."""

from __future__ import annotations

from msgspec import Struct

from hgrd.program.types import Type
from hgrd.symbolic.state import Generation
from hgrd.terms import Term


class Loaded(Struct, frozen=True):
    """Where a pointer was found: at an offset of an object of a type, in one generation of its contents.

    `copied`: contents of another object are copied there, over what it holds before.
    """

    holder: str
    generation: Generation
    offset: Term
    type: Type | None
    copied: bool = False
