"""Proofs that two accesses never meet: what makes an object a lock, and a flag one thread's."""

from __future__ import annotations

from collections.abc import Callable

from hgrd.cuda.memory_model import Level, Space
from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.parallelism import Order
from hgrd.protocol.phases.phases import Phases
from hgrd.races.encoding.pair_query import Pair, PairEncoder
from hgrd.races.sync.acquire_release import Handshakes
from hgrd.races.sync.arrival_counters import Counters
from hgrd.races.sync.flags import Flags
from hgrd.races.sync.locks import locks
from hgrd.races.sync.ownership import Claims
from hgrd.races.sync.program_order import placement
from hgrd.races.sync.synchronization import Communication, Handshaking
from hgrd.races.sync.tickets import Tickets
from hgrd.solve.query import Answer, Proved, Query


def communication(
    protocol: Protocol, facts: tuple[Fact, ...], relation: Phases, decide: Callable[[Query], Answer], drawn: Tickets
) -> Communication:
    """The counters, locks and flags of a protocol."""
    plain = Communication(drawn)
    if not protocol.symbols.observed:
        return plain

    encoder = PairEncoder(protocol, facts, plain)

    def proved(pair: Pair) -> bool:
        return isinstance(decide(encoder.encode(pair, bounded=False).query), Proved)

    def apart(a: Access, b: Access) -> bool:
        """No barrier lets the two run at once, or they touch different places."""
        levels = [level for level in Level if level is not Level.INTER_BLOCK or a.space is not Space.SHARED]
        pairs = [Pair(a, b, level, relation.unordered(a, b, level)) for level in levels]
        return all(proved(p) for p in pairs if p.orders)

    def elsewhere(a: Access, b: Access) -> bool:
        """Threads of two blocks never touch the same place with them."""
        return a.space is Space.SHARED or proved(Pair(a, b, Level.INTER_BLOCK, (Order(),)))

    def alone(a: Access, b: Access) -> bool:
        """No two threads ever touch the same place with them."""
        level = Level.INTRA_BLOCK if a.space is Space.SHARED else None
        return proved(Pair(a, b, level, (Order(),)))

    def once(a: Access, b: Access) -> bool:
        """No two threads of a block both perform them at the same place."""
        return all(proved(Pair(a, b, level, (Order(),))) for level in (Level.INTRA_WARP, Level.INTRA_BLOCK))

    handshakes = Handshakes(protocol, placement(protocol))
    taken = locks(protocol, handshakes, apart, elsewhere)
    handshaking = Handshaking(
        handshakes,
        taken,
        Flags(protocol, handshakes, alone),
        Counters(protocol, handshakes, once),
        Claims(handshakes, taken),
    )
    return Communication(plain.tickets, handshaking)
