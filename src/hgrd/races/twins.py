"""What twins leave in memory: threads with equal indexes in two blocks of a kernel that does the same in all of them.

They come to the same accesses in the same iterations, and what each stores there is the same, whatever it is made of
(protocol/twins.py says why).  So a store is known by the index of its thread and the iterations of the loops around it.
"""

from __future__ import annotations

from hgrd.program.memory import AccessKind, Level, Space
from hgrd.protocol.model import Protocol, ProtocolLoop, accesses
from hgrd.protocol.phases import Phases
from hgrd.races.identity import MADE, Values
from hgrd.races.options import AnalysisOptions
from hgrd.races.queries import Pair
from hgrd.terms import read, var

ASSUMED = "threads find in shared memory only what their block has stored there"


def made_by_twins(pair: Pair, protocol: Protocol, relation: Phases, options: AnalysisOptions) -> Values:
    """Terms that are equal where a store of one block leaves what the same store of another one does; () for none.

    The argument is about all races within a block.
    """
    access = pair.first
    looked_for = not options.warp_lockstep and set(options.levels) == set(Level)
    if not protocol.twins or not looked_for or pair.level not in (None, Level.INTER_BLOCK):
        return ()
    if access is not pair.second or access.kind is not AccessKind.WRITE:
        return ()
    around = (items[at] for items, at in relation.paths[access.number])
    iterations = [loop.binder for loop in around if isinstance(loop, ProtocolLoop)]
    threads = [s for s in protocol.configuration.thread if s is not None]
    made = read(f"{MADE} {access.number}", *map(var, (*threads, *iterations)))
    return ((made, made),)


def hands_over(protocol: Protocol) -> bool:
    """Whether threads read in shared memory."""
    return any(a.space is Space.SHARED and a.kind is AccessKind.READ for a in accesses(protocol.items))
