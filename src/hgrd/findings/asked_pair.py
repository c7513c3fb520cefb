"""Asked pairs: two sites of which a run is asked whether they race."""

from __future__ import annotations

from msgspec import Struct

from hgrd.findings.model import Level, Site, Space


class AskedPair(Struct, frozen=True):
    """Two sites of a kernel of which it is asked whether they race at these levels.

    `computed`: that depends on what the program computes, and other contents of memory say nothing.
    """

    first: Site
    second: Site
    space: Space
    levels: tuple[Level, ...]
    computed: bool = False
