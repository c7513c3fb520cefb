"""Knowledge about one protocol that its synchronisation idioms share."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hgrd.protocol.model import Protocol
from hgrd.races.acquire_release.events import AcquireRelease
from hgrd.races.sync.idiom import Proofs
from hgrd.races.sync.lock_table import Lock, find_locks
from hgrd.races.sync.tickets import Tickets
from hgrd.races.sync.wait_endings import WaitEndings


class SyncContext(Struct, frozen=True):
    """Shared knowledge of the idioms of one protocol; `locks` by the key of the lock's object."""

    protocol: Protocol
    events: AcquireRelease
    tickets: Tickets
    proofs: Proofs
    locks: Mapping[str, Lock]
    endings: WaitEndings


def sync_context(protocol: Protocol, events: AcquireRelease, tickets: Tickets, proofs: Proofs) -> SyncContext:
    """The shared knowledge of a protocol; finds its locks, for which it asks for proofs."""
    endings = WaitEndings(protocol, events, proofs)
    return SyncContext(protocol, events, tickets, proofs, find_locks(protocol, events, proofs), endings)
