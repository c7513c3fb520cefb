"""What two threads know of each other by other means than barriers: counters, locks and flags."""

from __future__ import annotations

from dataclasses import dataclass

from hgrd.program.memory import AccessKind, Level
from hgrd.program.span import Span
from hgrd.protocol.model import Access
from hgrd.races.acquire import Handshakes
from hgrd.races.flags import Flags
from hgrd.races.locks import Locks
from hgrd.races.parties import Naming
from hgrd.races.tickets import Tickets
from hgrd.terms import Term

_WORD = 8  # bytes that are read and written at once
_SIGNAL = {AccessKind.READ, AccessKind.WRITE}


@dataclass(frozen=True, slots=True)
class Communication:
    """`locks` and `flags` are None where the kernel has nothing to make them of."""

    tickets: Tickets
    locks: Locks | None = None
    flags: Flags | None = None
    handshakes: Handshakes | None = None

    def constraints(self, a: Access, b: Access, naming: Naming, level: Level | None) -> tuple[Term, ...]:
        """What holds for the two where they are not ordered."""
        found = self.tickets.constraints(a, b, naming)
        if self.locks is not None:
            found = (*found, *self.locks.constraints(a, b, naming, level))
        if self.flags is not None:
            found = (*found, *self.flags.constraints(a, b, naming, level))
        return found

    def signals(self, a: Access, b: Access) -> bool:
        """The two are a volatile write and a loop that waits for it: they make order and need none."""
        if self.handshakes is None or not (a.volatile and b.volatile) or {a.kind, b.kind} != _SIGNAL:
            return False
        return a.size == b.size <= _WORD and any(map(self.handshakes.polls, (a, b)))

    def assumptions(self, a: Access, b: Access) -> list[tuple[str, Span | None]]:
        """What the constraints on the two rest on, with where (None: in the whole kernel)."""
        found: list[tuple[str, Span | None]] = []
        if self.tickets.bear_on(a, b):
            found.append(("atomic counters do not wrap around", None))
        if self.flags is not None:
            found += self.flags.assumptions(a, b)
        return found
