"""Expected launches: what a kernel says of the launches that it is meant for, where nothing else is known of them.

A kernel that does not look at an axis is not meant for more than one thread or block there, and one that puts blocks of
64 elements beside each other, one element a thread, is not meant for blocks of more than 64 threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.limits import WARP_SIZE
from hgrd.host.model import Fact
from hgrd.protocol.model import Protocol, accesses
from hgrd.races.barriers.paths import control_points
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.plausibility.ignored_axes import unknown_extents
from hgrd.solve.query import Model
from hgrd.terms import Op, Origin, Term, conj, const, eq, le, show, symbols_of, var
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import bottom_up


class Expected(Struct, frozen=True):
    """Condition on an extent of a launch: that it is `most`, or, if not `exact`, at most that.

    `idle`: along the axis all threads or blocks do the same.
    """

    extent: Term
    most: int
    exact: bool = True
    idle: bool = False

    @property
    def term(self) -> Term:
        """The condition."""
        return (eq if self.exact else le)(self.extent, const(self.most))

    @property
    def text(self) -> str:
        """The same as C."""
        return f"{show(self.extent)} {'==' if self.exact else '<='} {self.most}"

    def weaker(self) -> Expected:
        """The condition that the extent is not larger."""
        return self if self.idle else replace(self, exact=False)


def expected_launch(protocol: Protocol, facts: Iterable[Fact], *, said: bool, hosted: bool) -> tuple[Expected, ...]:
    """What the kernel expects of its launch, in extents of which nothing is known.

    `said`: the user says what the launch is.  `hosted`: host code launches kernels, so this one, too, from where it was
    not followed.
    """
    ignored = unknown_extents(protocol, facts)
    c = protocol.configuration
    free = {e for e in (*c.block, *c.grid) if e.op is Op.VAR and not said and not _is_related(e, protocol)}
    unused = [e for e in _unused(protocol) if e in free - set(ignored)] if hosted else []
    idle = (Expected(e, 1, idle=True) for e in (*ignored, *unused))
    return (*idle, *(x for x in _tiles(protocol) if x.extent in free - set(ignored)))


def _is_related(extent: Term, protocol: Protocol) -> bool:
    relations = (f.term for f in protocol.configuration.facts if f.term.op is Op.EQ)
    return any(extent in relation.args for relation in relations)


def _unused(protocol: Protocol) -> Iterator[Term]:
    """The extents along x of blocks and grid where nothing that the kernel does depends on the axis."""
    c = protocol.configuration
    used = symbols_of(*_terms(protocol), *(a.value for a in accesses(protocol.items) if a.value is not None))
    for extent, index in ((c.grid[0], c.block_index[0]), (c.block[0], c.thread[0])):
        if extent.op is Op.VAR and index is not None and used.isdisjoint((index, extent.symbol)):
            yield extent


def _tiles(protocol: Protocol) -> Iterator[Expected]:
    """Blocks as long as the tiles are that they put beside each other, or not longer than those of a loop."""
    c, terms = protocol.configuration, bottom_up(tuple(_terms(protocol)))
    sums = [linear(t)[1] for t in terms if t.op is Op.ADD]
    for extent, index in zip(c.block, c.thread, strict=True):
        if index is None:
            continue
        blocks = [w for s in sums for w in _apart(var(index), Origin.BLOCK, s) if w > 1 or index is not c.thread[0]]
        iterations = [w for s in sums for w in _apart(var(index), Origin.LOOP, s) if w >= WARP_SIZE]
        if blocks or iterations:
            most = min((*blocks, *iterations))
            yield Expected(extent, most, exact=most in blocks)


def _apart(thread: Term, origin: Origin, parts: Mapping[Term, int]) -> Iterator[int]:
    """By how many threads blocks or iterations are apart in a sum."""
    step = abs(parts.get(thread, 0))
    for atom, apart in parts.items():
        if step and atom.op is Op.VAR and atom.symbol.origin is origin and abs(apart) % step == 0:
            width = abs(apart) // step
            if width % WARP_SIZE == 0 or width & (width - 1) == 0:  # as blocks are
                yield width


def _terms(protocol: Protocol) -> Iterator[Term]:
    for a in accesses(protocol.items):
        yield from (a.offset, *a.guards)
    for point in control_points(protocol):
        yield from point.item.guards


def is_expected(launch: Iterable[Expected], model: Model) -> bool:
    """Whether a model is of such a launch."""
    extents = ((x, model.values.get(x.extent.symbol, 1)) for x in launch)
    return all(value == x.most if x.exact else value <= x.most for x, value in extents)


def in_expected(launch: Iterable[Expected], encoded: EncodedPair) -> EncodedPair:
    """The same question, of such launches only."""
    query = encoded.query
    return replace(encoded, query=replace(query, between=(*query.between, holds(launch))))


def holds(launch: Iterable[Expected]) -> Term:
    """The condition that a launch is one of these."""
    return conj(*(x.term for x in launch))


def said(launch: Iterable[Expected]) -> str:
    """The same as C."""
    return " && ".join(x.text for x in launch)
