"""Mistakes with collectives: their storage is used again without a barrier, or a vote or shuffle is taken for one."""

from __future__ import annotations

from hgrd.cuda.memory_model import Level
from hgrd.findings.rules import EXCHANGE_IS_NO_BARRIER, STORAGE_REUSE
from hgrd.protocol.model import Access, Protocol
from hgrd.races.acquire_release.flaws import Flaw
from hgrd.races.sync.idiom import Idiom


class CollectiveStorage(Idiom):
    """No order, but the mistake by name: threads may use such storage again only behind a barrier."""

    def misuse(self, a: Access, b: Access) -> Flaw | None:
        """Reuse of the storage; None where neither access is that of a collective."""
        used = next((x for x in (a, b) if x.together is not None), None)
        if used is None:
            return None
        line = used.span.line
        if a is b:
            text = f"the collective in line {line} uses its temporary storage again, or other warps use it"
        elif a.together is not None and b.together is not None:
            text = f"the collectives in lines {a.span.line} and {b.span.line} use the same temporary storage"
        else:
            text = f"the temporary storage of the collective in line {line} is memory that is used otherwise, too"
        return Flaw(STORAGE_REUSE, f"{text}, and no barrier stands between")


def exchange_between(protocol: Protocol, a: Access, b: Access, level: Level) -> Flaw | None:
    """The mistake to take a vote or shuffle for a barrier of the warp; None where none stands between the two.

    CUDA Programming Guide, "Warp Vote Functions", "Warp Shuffle Functions": they do not imply a memory barrier.
    """
    if level is not Level.INTRA_WARP:
        return None
    first, last = sorted((a.number, b.number))
    found = next((e for e in protocol.exchanges if first < e.before <= last), None)
    if found is None:
        return None
    text = f"{found.name}() in line {found.span.line} exchanges values and orders no memory; __syncwarp() does"
    return Flaw(EXCHANGE_IS_NO_BARRIER, text)
