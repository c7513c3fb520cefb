"""Footprints of kernels: what their threads access in memory, for whatever numbers and pointers they are given.

A launch puts its own numbers in place of the parameters: out[y * w + x] with first <= y < last, for each band of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.host.model import LaunchedAs
from hgrd.program.linked import Tables
from hgrd.program.span import Span
from hgrd.protocol.configuration import cluster_of, configured
from hgrd.protocol.infer import infer
from hgrd.protocol.model import Access, Exit, Item, Protocol, ProtocolLoop
from hgrd.solve.query import Axis, Party
from hgrd.symbolic.values import Composite, Pointer, Value
from hgrd.terms import Op, Origin, Symbol, Term, add, as_int, const, substitute, symbols_of, var
from hgrd.terms.rewrite import arrays_of, without_wraps

_ANY: Final = (None, None, None)


class Use(Struct, frozen=True):
    """An access that threads of a launch make, as a party to a conflict, in words and in the source.

    `address` is that of the party in mathematical integers.
    `value` is what it stores; None: it is not known.  `thread` and `block` are its indexes, `extents` those of
    the grid, then those of a block.
    """

    what: str
    span: Span
    kind: AccessKind
    party: Party
    address: Term
    value: Term | None = None
    thread: tuple[Term, ...] = ()
    block: tuple[Term, ...] = ()
    extents: tuple[Term, ...] = ()

    @property
    def stores(self) -> bool:
        """Whether it may change memory."""
        return self.kind is not AccessKind.READ


class Footprints(Struct, frozen=True):
    """The footprints of a program's kernels; each is inferred until `deadline`, when it is first asked for."""

    tables: Tables
    deadline: float
    known: dict[str, Protocol | None] = field(default_factory=dict[str, "Protocol | None"])

    def uses(self, launch: LaunchedAs, key: str, whose: str) -> Iterator[Use]:
        """The accesses of an object, by its key, of which numbers of the host alone say where they are.

        `whose` tells the names of the threads' own symbols from those of others.
        """
        protocol = self._protocol(launch.kernel)
        if protocol is None:
            return
        given, places = _numbers(protocol, launch), _places(protocol, launch)
        own = _own_indexes(protocol, launch, given, whose)
        for access in _plain(protocol.items):
            target, start = places.get(access.target.key, (access.target.key, const(0)))
            if target == key and access.space is Space.GLOBAL and _is_known(access, {*given, *own}):
                yield _use(launch, protocol, access, start, {**given, **own}, whose)

    def _protocol(self, key: str) -> Protocol | None:
        if key not in self.known:
            kernel = self.tables.functions.get(key)
            found = None
            if kernel is not None and kernel.body is not None:
                extents = configured(_ANY, _ANY, kernel.span, kernel.max_threads, cluster_of(kernel, None))
                found = infer(self.tables, kernel, None, extents, deadline=self.deadline)
            self.known[key] = None if found is None or found.gaps else found
        return self.known[key]


def _plain(items: tuple[Item, ...]) -> Iterator[Access]:
    """The accesses that a thread surely makes where their guards hold: not in loops that it may have left before."""
    for item in items:
        match item:
            case Access() if not (item.supposed or item.once or item.together is not None):
                yield item
            case ProtocolLoop() if not (item.breaks or item.untold or any(isinstance(i, Exit) for i in item.items)):
                yield from _plain(item.items)
            case _:
                pass


def _numbers(protocol: Protocol, launch: LaunchedAs) -> dict[Symbol, Term]:
    """What a launch gives for the extents and the numbers among the parameters of its kernel."""
    shape = protocol.configuration
    extents = zip((*shape.grid, *shape.block), (*launch.grid, *launch.block), strict=True)
    found = {mine.symbol: given for mine, given in extents if mine.op is Op.VAR}
    for place, value in _parts(protocol):
        given = launch.numbers.get(place)
        symbols = symbols_of(as_int(value)) if isinstance(value, Term) else ()
        if given is not None and len(symbols) == 1:
            found |= dict.fromkeys(symbols, given)
    return found


def _places(protocol: Protocol, launch: LaunchedAs) -> Mapping[str, tuple[str, Term]]:
    """Where the pointers of a launch lead, by the keys of the objects that stand for this; "": nobody knows."""
    nowhere = "", const(0)
    return {v.target.key: launch.pointers.get(at, nowhere) for at, v in _parts(protocol) if isinstance(v, Pointer)}


def _parts(protocol: Protocol) -> Iterator[tuple[tuple[int, int], Value]]:
    """The parameters and their members, by the number of a parameter and the offset in it."""
    for number, value in enumerate(protocol.launch.arguments):
        if isinstance(value, Composite):
            yield from (((number, at), cell.value) for at, cell in value.cells.items())
        else:
            yield (number, 0), value


def _own_indexes(
    protocol: Protocol, launch: LaunchedAs, given: Mapping[Symbol, Term], whose: str
) -> dict[Symbol, Term]:
    """The indexes of a thread, within the extents of the launch, and the loops' iterations in it."""
    shape = protocol.configuration
    indexes = zip((*shape.thread, *shape.block_index), (*launch.block, *launch.grid), strict=True)
    found: dict[Symbol, Term] = {}
    for symbol, extent in indexes:
        if symbol is not None:
            high = max(min(symbol.high, extent.high - 1), 0)
            found[symbol] = var(Symbol(symbol.name + whose, 0, high, symbol.origin)) if high else const(0)
    for access in _plain(protocol.items):
        for symbol in symbols_of(access.offset, *access.guards):
            if symbol.origin is Origin.LOOP and symbol not in given:
                found[symbol] = var(symbol.renamed(whose))
    return found


def _is_known(access: Access, known: set[Symbol]) -> bool:
    terms = (access.offset, *access.guards)
    return symbols_of(*terms) <= known and not arrays_of(*terms)


def _use(
    launch: LaunchedAs, protocol: Protocol, access: Access, start: Term, values: Mapping[Symbol, Term], whose: str
) -> Use:
    shape, extents = protocol.configuration, (*launch.block, *launch.grid)
    plain, offset, *guards = substitute((*without_wraps((access.offset,)), access.offset, *access.guards), values)
    indexes = tuple(const(0) if s is None else values[s] for s in (*shape.thread, *shape.block_index))
    axes = tuple(Axis(i.symbol, e) for i, e in zip(indexes, extents, strict=True) if i.op is Op.VAR)
    address = add(start, offset)
    own = {s for s in symbols_of(address, *guards) if s.name.endswith(whose)} | {a.symbol for a in axes}
    party = Party(tuple(sorted(own, key=lambda s: s.name)), axes, tuple(guards), address, access.size)
    size = (*launch.grid, *launch.block)
    value, exact = access.value, add(start, plain)
    return Use(launch.what, access.span, access.kind, party, exact, value, indexes[:3], indexes[3:], size)
