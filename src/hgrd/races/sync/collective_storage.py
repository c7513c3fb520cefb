"""Temporary storage of CUB's collectives, which is used again, or for something else, without a barrier."""

from __future__ import annotations

from hgrd.findings.rules import STORAGE_REUSE
from hgrd.protocol.model import Access
from hgrd.races.sync.flaws import Flaw
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
