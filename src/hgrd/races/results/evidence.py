"""Evidence of findings: the query and model of a witness, from which a replay makes a launch."""

from __future__ import annotations

from msgspec import Struct

from hgrd.cuda.memory_model import Level
from hgrd.host.model import Fact, LaunchSite
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.protocol.model import Protocol
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.encoding.path_query import EncodedPath
from hgrd.solve.decide import Decider
from hgrd.solve.query import Model
from hgrd.terms import Symbol


class Evidence(Struct, frozen=True):
    """The query whose model is the witness of a race, at `level`; `protocol` and `facts` are what it was made from.

    `supposed`: values that no input holds and that the kernel would have to compute; () if there are none.
    """

    encoded: EncodedPair
    model: Model
    level: Level
    protocol: Protocol
    facts: tuple[Fact, ...]
    supposed: tuple[str, ...] = ()


class BarrierEvidence(Struct, frozen=True):
    """The same for a barrier finding; `binders` are those of the loops around it, `alone`: it concerns one thread.

    `supposed`: shared variables in which the two threads would have to find different values.
    """

    encoded: EncodedPath
    model: Model
    binders: tuple[Symbol, ...]
    alone: bool
    protocol: Protocol
    facts: tuple[Fact, ...]
    supposed: tuple[str, ...] = ()


class KernelAtLaunch(Struct, frozen=True):
    """A kernel at a launch (None: no host code launches it), and the decision procedure for queries about it."""

    tables: Tables
    kernel: Function
    launch: LaunchSite | None
    decide: Decider
