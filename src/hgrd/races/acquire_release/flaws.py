"""Flaws in synchronisation: why a lock, a flag or a counter that is there does not order two accesses.

HGRD, section 5.2; CUDA Programming Guide, "Memory Fence Functions" and "Atomic Functions" (scopes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hgrd.cuda.memory_model import Scope
from hgrd.findings.rules import MISSING_FENCE, NARROW_SCOPE, Rule
from hgrd.protocol.model import Access
from hgrd.races.acquire_release.events import Acquire, Release


class Flaw(Struct, frozen=True):
    """Mistake in synchronisation: the rule it breaks, and what it is in words."""

    rule: Rule
    text: str


def acquire_flaws(
    what: str, acquiring: str, acquires: Sequence[Acquire], after: Access, needed: Scope
) -> Iterator[Flaw]:
    """A missing fence or too narrow a scope between acquires and the access after them; nothing without acquires.

    `what` would order the accesses, and `acquiring` is what the acquire does, in words.
    """
    if not acquires:
        return
    line, here = acquires[0].seen.span.line, after.span.line
    if not any(q.fenced for q in acquires):
        yield Flaw(MISSING_FENCE, f"{what}, but no fence stands between {acquiring} in line {line} and line {here}")
    elif not any(q.fenced and q.scope.includes(needed) for q in acquires):
        yield Flaw(NARROW_SCOPE, f"{what}, but {acquiring} in line {line}, or the fence behind it, is of a block only")


def release_flaws(
    what: str, releasing: str, releases: Sequence[Release], before: Access, needed: Scope
) -> Iterator[Flaw]:
    """A missing fence or too narrow a scope between an access and the releases after it; nothing without releases.

    `what` would order the accesses, and `releasing` is what the release does, in words.
    """
    if not releases:
        return
    line, here = releases[0].write.span.line, before.span.line
    if not any(r.fenced for r in releases):
        yield Flaw(MISSING_FENCE, f"{what}, but no fence stands between line {here} and {releasing} in line {line}")
    elif not any(r.fenced and r.scope.includes(needed) for r in releases):
        yield Flaw(NARROW_SCOPE, f"{what}, but {releasing} in line {line}, or the fence before it, is of a block only")
