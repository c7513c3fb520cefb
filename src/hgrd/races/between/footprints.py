"""Footprints of kernels: what their threads access in memory, for whatever numbers and pointers they are given.

A launch puts its own numbers in place of the parameters: out[y * w + x] with first <= y < last, for each band of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.host.model import LaunchedAs
from hgrd.program.linked import Tables
from hgrd.program.span import Span
from hgrd.protocol.configuration import cluster_of, configured
from hgrd.protocol.infer import infer
from hgrd.protocol.model import Access, Exit, Item, Protocol, ProtocolLoop
from hgrd.solve.query import Axis, Party
from hgrd.symbolic.values import Composite, Pointer, Value
from hgrd.terms import TRUE, Op, Origin, Symbol, Term, add, as_int, conj, const, disj, substitute, symbols_of, var
from hgrd.terms.rewrite import without_wraps

_ANY: Final = (None, None, None)
_OF_HOST: Final = (Origin.INPUT, Origin.DIMENSION, Origin.COMPUTED)


class Use(Struct, frozen=True):
    """An access that threads of a launch make, as a party to a conflict, in words and in the source.

    `address` is that of the party in mathematical integers.
    `value` is what it stores; None: it is not known.  `thread` and `block` are its indexes, `extents` those of
    the grid, then those of a block.  `may`: memory contents decide whether it is made.  `anywhere`: they decide where,
    too, within the bounds of the address.  `narrow`: it is atomic for some threads of the device alone.
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
    may: bool = False
    anywhere: bool = False
    narrow: bool = False

    @property
    def stores(self) -> bool:
        """Whether it may change memory."""
        return self.kind is not AccessKind.READ


class Footprints(Struct, frozen=True):
    """The footprints of a program's kernels; each is inferred until `deadline`, when it is first asked for."""

    tables: Tables
    deadline: float
    known: dict[str, Protocol | None] = field(default_factory=dict[str, "Protocol | None"])

    def uses(self, launch: LaunchedAs, key: str, whose: str, common: Set[Symbol]) -> Iterator[Use]:
        """The accesses of an object, by its key.

        `whose` tells the names of the threads' own symbols from those of others.  `common` are symbols that other work
        is given, too.
        """
        protocol = self._protocol(launch.kernel)
        if protocol is None:
            return
        given, places = _numbers(protocol, launch), _places(protocol, launch)
        own = _own_indexes(protocol, launch, given, whose)
        values = {s: term for s, term in (given | own).items() if s in own or is_told(term, common)}
        for access, surely in _accesses(protocol.items):
            target, start = places.get(access.target.key, (access.target.key, const(0)))
            if target == key and access.space is Space.GLOBAL:
                use = _use(launch, protocol, access, start, values, whose, surely=surely)
                yield use if is_told(start, common) else replace(use, anywhere=True)

    def _protocol(self, key: str) -> Protocol | None:
        if key not in self.known:
            kernel = self.tables.functions.get(key)
            found = None
            if kernel is not None and kernel.body is not None:
                extents = configured(_ANY, _ANY, kernel.span, kernel.max_threads, cluster_of(kernel, None))
                found = infer(self.tables, kernel, None, extents, deadline=self.deadline)
            self.known[key] = None if found is None or found.gaps else found
        return self.known[key]


def is_told(term: Term, common: Set[Symbol]) -> bool:
    """Whether a number is the host's alone, or made of what is `common` to two pieces of work."""
    return all(s.origin in _OF_HOST or s in common for s in term.symbols)


def _accesses(items: tuple[Item, ...], *, surely: bool = True) -> Iterator[tuple[Access, bool]]:
    """The accesses, each with whether a thread surely makes it where its guards hold: it has not left a loop before."""
    for item in items:
        match item:
            case Access():
                yield item, surely and not (item.supposed or item.once or item.together is not None)
            case ProtocolLoop():
                stays = not (item.breaks or item.untold or any(isinstance(i, Exit) for i in item.items))
                yield from _accesses(item.items, surely=surely and stays)
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
    for access, _ in _accesses(protocol.items):
        for symbol in symbols_of(access.offset, *access.guards):
            if symbol.origin is Origin.LOOP and symbol not in given:
                found[symbol] = var(symbol.renamed(whose))
    return found


def _use(
    launch: LaunchedAs,
    protocol: Protocol,
    access: Access,
    start: Term,
    values: Mapping[Symbol, Term],
    whose: str,
    *,
    surely: bool,
) -> Use:
    shape, extents = protocol.configuration, (*launch.block, *launch.grid)
    weaker = tuple(_weaker(guard, values) for guard in access.guards)
    plain, offset, *guards = substitute((*without_wraps((access.offset,)), access.offset, *weaker), values)
    indexes = tuple(const(0) if s is None else values[s] for s in (*shape.thread, *shape.block_index))
    axes = tuple(Axis(i.symbol, e) for i, e in zip(indexes, extents, strict=True) if i.op is Op.VAR)
    address = add(start, offset)
    own = {s for s in symbols_of(address, *guards) if s.name.endswith(whose)} | {a.symbol for a in axes}
    party = Party(tuple(sorted(own, key=lambda s: s.name)), axes, tuple(guards), address, access.size)
    return Use(
        launch.what,
        access.span,
        access.kind,
        party,
        add(start, plain),
        access.value,
        indexes[:3],
        indexes[3:],
        (*launch.grid, *launch.block),
        may=not surely or weaker != access.guards,
        anywhere=not _is_known(access.offset, values) or _is_bounded_by_contents(access, values),
        narrow=access.scope not in (None, Scope.DEVICE, Scope.SYSTEM),
    )


def _is_known(term: Term, values: Mapping[Symbol, Term]) -> bool:
    return term.symbols <= values.keys() and not term.arrays


def _weaker(guard: Term, values: Mapping[Symbol, Term]) -> Term:
    """What is left of a condition where memory contents may be any."""
    if _is_known(guard, values):
        return guard
    parts = tuple(_weaker(part, values) for part in guard.args)
    return conj(*parts) if guard.op is Op.AND else disj(*parts) if guard.op is Op.OR else TRUE


def _is_bounded_by_contents(access: Access, values: Mapping[Symbol, Term]) -> bool:
    """Whether memory contents bound the indexes that say where an access is: i < end[k]."""
    compared = {s for guard in access.guards for s in _compared_with_contents(guard, values)}
    return not compared.isdisjoint(access.offset.symbols)


def _compared_with_contents(term: Term, values: Mapping[Symbol, Term]) -> Iterator[Symbol]:
    """The symbols in comparisons with memory contents, but for those that say of which."""
    if _is_known(term, values) or term.op is Op.READ:
        return
    for part in term.args:
        if _is_known(part, values) and term.op not in (Op.AND, Op.OR):
            yield from part.symbols
        else:
            yield from _compared_with_contents(part, values)
