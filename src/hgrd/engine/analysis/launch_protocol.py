"""Protocol of a kernel at one of its launches, under the options that the user gives."""

from __future__ import annotations

from math import inf

from msgspec import Struct
from msgspec.structs import replace

from hgrd.engine.analysis.user_assumptions import AssumptionError, by_name, parse_assumption
from hgrd.findings.model import Message
from hgrd.findings.options import AnalysisOptions, Extent
from hgrd.host.launches.ablation import without
from hgrd.host.model import Fact, FactKind, LaunchSite
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.span import NOWHERE
from hgrd.protocol.configuration import ALONE, Cluster, cluster_of, configured
from hgrd.protocol.infer import infer
from hgrd.protocol.model import Configuration, Protocol, accesses, conditions
from hgrd.races.plausibility.ignored_axes import ignored_extents
from hgrd.symbolic.state import symbols_in
from hgrd.terms import TRUE, Symbol, Term, const, eq, symbols_of


class LaunchProtocol(Struct, frozen=True):
    """Memory access protocol of a kernel at a launch, and the facts that hold there.

    `messages` say which of the user's conditions are not used there, and why.
    """

    protocol: Protocol
    facts: tuple[Fact, ...]
    messages: tuple[Message, ...]


def infer_at_launch(
    tables: Tables,
    kernel: Function,
    launch: LaunchSite | None,
    options: AnalysisOptions,
    deadline: float = inf,
) -> LaunchProtocol:
    """Infer the protocol under the user's options; `deadline` as for `infer`.  Without a `launch`: at any."""
    asserts, params = options.asserts, dict(options.params)
    if launch is not None:
        launch = without(launch, options.without, [p.name for p in kernel.parameters])
    configuration = _configuration(kernel, launch, options)
    protocol = infer(tables, kernel, launch, configuration, params, asserts=asserts, deadline=deadline)
    if launch is None:
        flat = flattened(protocol, kernel.max_threads, cluster_of(kernel, None))
        if flat is not None:
            protocol = infer(tables, kernel, launch, flat, params, asserts=asserts, deadline=deadline)
            text = "extents are 1 along axes that the kernel does not look at"
            protocol = replace(
                protocol, assumed=(*protocol.assumed, Fact(TRUE, FactKind.ASSUMPTION, text, kernel.span))
            )
    facts = tuple(launch.facts) if launch is not None else ()
    if launch is not None:
        memory = replace(protocol.memory, contents=launch.contents, made=launch.made, begins=launch.begins)
        known = replace(protocol.launch, shared_bytes=launch.shared_bytes)
        protocol = replace(protocol, memory=memory, launch=known)
    given, messages = _option_facts(protocol, launch, options)
    return LaunchProtocol(protocol, (*facts, *given), messages)


def flattened(protocol: Protocol, max_threads: int | None, cluster: Cluster = ALONE) -> Configuration | None:
    """Configuration without host code: unknown extents along y and z are 1 where the kernel ignores the axis.

    None if nothing changes.
    """
    c, ignored = protocol.configuration, ignored_extents(protocol)

    def extent(known: Term) -> Term | None:
        if known.is_const:
            return known
        return const(1) if known in ignored else None

    gx, gy, gz = map(extent, c.grid)
    bx, by, bz = map(extent, c.block)
    flat = configured((gx, gy, gz), (bx, by, bz), protocol.span, max_threads, cluster)
    return None if flat == c else flat


def _configuration(kernel: Function, launch: LaunchSite | None, options: AnalysisOptions) -> Configuration:
    grid = launch.grid if launch is not None else (None, None, None)
    block = launch.block if launch is not None else (None, None, None)
    span = launch.span if launch is not None else kernel.span
    extents = _forced(grid, options.grid_dim), _forced(block, options.block_dim)
    return configured(*extents, span, kernel.max_threads, cluster_of(kernel, launch))


def _forced(
    extents: tuple[Term | None, Term | None, Term | None], option: Extent | None
) -> tuple[Term | None, Term | None, Term | None]:
    if option is None:
        return extents
    x, y, z = (None if e is None else const(e) for e in option)
    return x, y, z


def _option_facts(
    protocol: Protocol, launch: LaunchSite | None, options: AnalysisOptions
) -> tuple[tuple[Fact, ...], tuple[Message, ...]]:
    """Facts from --param and --assume, over the symbols of the launch and the kernel's parameters; what is not used."""
    symbols = by_name(_shared_symbols(protocol, launch))
    facts: list[Fact] = []
    messages: list[Message] = []
    for name, value in options.params:
        if name in symbols:
            facts.append(Fact(eq(symbols[name], const(value)), FactKind.OPTION, f"{name} == {value}", NOWHERE))
    for text in options.assume:
        try:
            facts.append(Fact(parse_assumption(text, symbols), FactKind.OPTION, text, NOWHERE))
        except AssumptionError as error:
            messages.append(Message(protocol.span, f"--assume '{text}' is not used here: {error}", False))
    return tuple(facts), tuple(messages)


def _shared_symbols(protocol: Protocol, launch: LaunchSite | None) -> frozenset[Symbol]:
    found: set[Symbol] = set()
    for access in accesses(protocol.items):
        found |= symbols_of(access.offset)
    found |= symbols_of(*conditions(protocol.items))
    found |= symbols_of(*protocol.configuration.grid, *protocol.configuration.block)
    if launch is not None:
        found |= symbols_of(*(f.term for f in launch.facts))
        for argument in launch.arguments:
            found |= symbols_in(argument)
    return frozenset(s for s in found if s.name not in protocol.symbols.private)
