"""Meetings of a launch with other work that may run at once, as far as the kernels' bodies decide them.

The two clearly use the same elements if they do so for all numbers of the host that are tried: the overlap comes from
the program, not from its input.  Where they do so for some of these, it depends on the input: a race where the program
has checked what it takes, else open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.limits import BLOCK_LIMITS, GRID_LIMITS
from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import Confidence, Finding
from hgrd.host.concurrency.rows import ODD, valuations
from hgrd.host.model import Fact, HostNote, LaunchedAs, LaunchSite, MayMeet, UsedBytes
from hgrd.races.between.at_once import relevant
from hgrd.races.between.finding import Accessor, Extents, race_of
from hgrd.races.between.footprints import Footprints, Use, is_told
from hgrd.races.preconditions.checked_inputs import are_checked
from hgrd.solve.decide import Decider
from hgrd.solve.query import Axis, Conflict, Party, Query, Scrutiny
from hgrd.terms import (
    FALSE,
    TRUE,
    EvaluationError,
    Op,
    Origin,
    Symbol,
    Term,
    const,
    evaluate,
    le,
    substitute,
    symbols_of,
    var,
)

_FAR: Final = 1 << 60
_MOST: Final = 64  # pieces of work that a launch is compared with
_TRIED: Final = 24  # pairs of accesses of two pieces of work
_SMALL: Final = 1 << 16  # what numbers that the program computes are at most, where any will do
_ASKED: Final = 6  # pairs of accesses that are decided for any numbers
_ANY: Final = Party((), (), (), const(0), 1)


class Meeting(Struct, frozen=True):
    """A launch and other work use the same elements: what is said of the launch, and what that contradicts.

    `race`: nothing orders the two; None: that is not sure.
    """

    shared: HostNote
    assumed: Fact
    race: Finding | None


class Met(Struct, frozen=True):
    """Two accesses that meet, and the numbers of the host, and all numbers by their names, with which they do."""

    one: Use
    other: Use
    inputs: Mapping[Symbol, int]
    numbers: Mapping[str, int]
    method: str


def meetings(launch: LaunchSite, footprints: Footprints, decide: Decider) -> list[Meeting]:
    """The meetings of a launch, one for each thing that is said of it."""
    found: dict[HostNote, Meeting] = {}
    for pair in sorted(launch.may_meet, key=lambda p: not p.sure)[:_MOST]:
        if pair.shared not in found:
            met, always = _all_met(pair, footprints, decide)
            accepted = met if always else [m for m in met if _is_of_host(m)]
            if accepted:
                common = _symbols_of(pair.own) & _symbols_of(pair.other)
                known = (m for m in accepted if all(s.origin is not Origin.COMPUTED or s in common for s in m.inputs))
                race = _race(pair, [m for m in known if always or _is_checked(m, pair)])
                found[pair.shared] = Meeting(pair.shared, pair.assumed, race)
    return list(found.values())


def _all_met(pair: MayMeet, footprints: Footprints, decide: Decider) -> tuple[list[Met], bool]:
    """Accesses of the two that meet, for choices of numbers of the host with which both make accesses.

    And whether they meet for all of these.
    """
    common = _symbols_of(pair.own) & _symbols_of(pair.other)
    own, others = (
        [_of_bytes(work, common)] if isinstance(work, UsedBytes) else footprints.uses(work, pair.key, whose, common)
        for work, whose in ((pair.own, " of one"), (pair.other, " of the other"))
    )
    after = list(others)
    pairs = sorted(((a, b) for a in own for b in after if _conflict(a, b)), key=lambda p: p[0].may or p[1].may)
    found: list[Met] = []
    always = True
    for chosen in _choices(pair, pairs, decide):
        values = {s: const(v) for s, v in chosen.items()}
        met = _met(pairs, chosen, values, _last_byte(pair, values), decide)
        if met is not None:
            found.append(met)
        elif always:
            always = not all(_makes_any({id(p[n]): p[n] for p in pairs}.values(), values, decide) for n in (0, 1))
    if not found:
        found.extend(islice(_met_with_some(pair, pairs, decide), 1))
    return found, always and bool(found)


def _met_with_some(pair: MayMeet, pairs: Iterable[tuple[Use, Use]], decide: Decider) -> Iterator[Met]:
    """Accesses that meet for some of the inputs that the program accepts, if it checks all that they depend on.

    Or for some numbers that the program computes, in a way that is not known.
    """
    for a, b in islice(((a, b) for a, b in pairs if not (a.anywhere or b.anywhere)), _ASKED):
        terms = (*a.party.guards, a.party.address, *b.party.guards, b.party.address)
        sizes = (*_sizes(a), *_sizes(b))
        private = {*a.party.private, *b.party.private}
        facts = (*sizes, *relevant(pair.told, symbols_of(*sizes, *terms) - private))
        shared = sorted(symbols_of(*facts, *terms) - private, key=lambda s: s.name)
        computed = [var(s) for s in shared if s.origin is not Origin.INPUT]
        if computed or are_checked(shared, pair.told, (*terms, *facts)):
            small = (fact for number in computed for fact in (le(const(0), number), le(number, const(_SMALL))))
            answer = decide(Query(tuple(shared), (), (*facts, *small), a.party, b.party, (), scrutiny=Scrutiny.NONE))
            if isinstance(answer, Conflict):
                values = answer.model.values
                inputs = {s: values.get(s, s.low) for s in shared}
                met = Met(a, b, inputs, {s.name: v for s, v in values.items()}, answer.method)
                if _without_wraps(met):
                    yield met


def _is_of_host(met: Met) -> bool:
    """Whether two accesses meet at places that numbers of the host decide, and no contents of memory."""
    return not (met.one.anywhere or met.other.anywhere)


def _is_checked(met: Met, pair: MayMeet) -> bool:
    """Whether the host has checked the inputs with which two accesses meet."""
    terms = (t for use in (met.one, met.other) for t in (use.party.address, *use.party.guards))
    return are_checked(met.inputs, pair.told, (*terms, *pair.told))


def _symbols_of(work: LaunchedAs | UsedBytes) -> frozenset[Symbol]:
    if isinstance(work, UsedBytes):
        return symbols_of(work.address, *work.guards)
    starts = (start for _, start in work.pointers.values())
    return symbols_of(*work.grid, *work.block, *work.numbers.values(), *starts)


def _of_bytes(used: UsedBytes, common: Set[Symbol]) -> Use:
    kind = AccessKind.WRITE if used.stores else AccessKind.READ
    numbers = (used.number,) if used.line is None else (used.number, used.line)
    common = common | {*numbers}
    guards = tuple(guard for guard in used.guards if is_told(guard, common))
    party = Party(numbers, (), guards, used.address, used.size)
    anywhere = guards != used.guards or not is_told(used.address, common)
    return Use(used.what, used.span, kind, party, used.address, anywhere=anywhere)


def _conflict(a: Use, b: Use) -> bool:
    """Whether two uses conflict where they meet, which is open if contents of memory say where each of them is."""
    atomic = a.kind is b.kind is AccessKind.ATOMIC and not (a.narrow or b.narrow)
    plain = not atomic and not (a.anywhere and b.anywhere)
    return plain and (a.stores or b.stores)


def _last_byte(pair: MayMeet, values: Mapping[Symbol, Term]) -> int:
    """The last byte of the object that two pieces of work touch, or one far behind it."""
    return _FAR if pair.extent is None else substitute((pair.extent,), values)[0].high - 1


def _choices(pair: MayMeet, pairs: Sequence[tuple[Use, Use]], decide: Decider) -> Iterator[dict[Symbol, int]]:
    """Numbers of the host with which the program comes to both."""
    uses = {id(use): use for both in pairs for use in both}.values()
    sizes = tuple(dict.fromkeys(term for use in uses for term in _sizes(use)))
    terms = (t for use in uses for t in (*use.party.guards, *(() if use.anywhere else (use.party.address,))))
    extent = () if pair.extent is None else (pair.extent,)
    symbols = symbols_of(*sizes, *extent, *terms) - {symbol for use in uses for symbol in use.party.private}
    facts = (*sizes, *relevant(pair.told, symbols))
    for chosen in valuations(symbols, facts, ODD):
        left = tuple(t for t in substitute(facts, {s: const(v) for s, v in chosen.items()}) if t is not TRUE)
        if FALSE not in left and (not left or _can_hold(left, decide)):
            yield chosen


def _can_hold(facts: tuple[Term, ...], decide: Decider) -> bool:
    shared = tuple(sorted(symbols_of(*facts), key=lambda s: s.name))
    return isinstance(decide(Query(shared, (), facts, _ANY, _ANY, (), scrutiny=Scrutiny.NONE)), Conflict)


def _sizes(use: Use) -> Iterator[Term]:
    """That the extents of a launch are such that it is made."""
    for extent, limit in zip(use.extents, (*GRID_LIMITS, *BLOCK_LIMITS), strict=False):
        yield from (le(const(1), extent), le(extent, const(limit)))


def _met(
    pairs: Iterable[tuple[Use, Use]],
    chosen: Mapping[Symbol, int],
    values: Mapping[Symbol, Term],
    last: int,
    decide: Decider,
) -> Met | None:
    """Two accesses that meet for these numbers of the host; `last` is the last byte of the object."""
    parties = ((a, b, _party(a, values), _party(b, values)) for a, b in pairs)
    near = (both for both in parties if _may_touch(both[2], both[3]))
    for a, b, one, other in islice(near, _TRIED):
        answers = [
            decide(Query((), (), (), here, there, (), scrutiny=Scrutiny.NONE))
            for here in (_spread(one, last) if a.anywhere else (one,))
            for there in (_spread(other, last) if b.anywhere else (other,))
        ]
        conflicts = [answer for answer in answers if isinstance(answer, Conflict)]
        if conflicts and len(conflicts) == len(answers):
            numbers = {s.name: v for s, v in (*chosen.items(), *conflicts[0].model.values.items())}
            met = Met(a, b, chosen, numbers, conflicts[0].method)
            if a.anywhere or b.anywhere or _without_wraps(met):
                return met
    return None


def _spread(party: Party, last: int) -> Iterator[Party]:
    """A party at the first, a middle and the last one of the places in the object that memory contents may choose."""
    low, high = max(party.address.low, 0), min(party.address.high, last + 1 - party.size)
    steps = max(high - low, 0) // party.size
    for step in (0, steps // 2, steps):
        yield replace(party, address=const(low + step * party.size))


def _without_wraps(met: Met) -> bool:
    """Whether the addresses are computed without wrapping around."""
    try:
        return all(_values((use.party.address,), met) == _values((use.address,), met) for use in (met.one, met.other))
    except EvaluationError:
        return False


def _makes_any(uses: Iterable[Use], values: Mapping[Symbol, Term], decide: Decider) -> bool:
    """Whether some thread makes one of these accesses, for these numbers of the host."""
    for party in (_party(use, values) for use in uses):
        query = Query((), (), (), replace(party, address=const(0)), _ANY, (), scrutiny=Scrutiny.NONE)
        if isinstance(decide(query), Conflict):
            return True
    return False


def _party(use: Use, values: Mapping[Symbol, Term]) -> Party:
    """The party to a conflict for chosen numbers of the host, with symbols that are bounded by these."""
    party = use.party
    extents = {a.symbol: substitute((a.extent,), values)[0] for a in party.axes}
    guards = substitute(party.guards, values)
    bounded = {s: replace(s, high=_highest(s, extents.get(s), guards)) for s in party.private}
    all_values = {**values, **{s: var(b) for s, b in bounded.items()}}
    address, *known = substitute((party.address, *party.guards), all_values)
    axes = tuple(Axis(bounded[s], extent) for s, extent in extents.items())
    return Party(tuple(bounded.values()), axes, tuple(known), address, party.size)


def _highest(symbol: Symbol, extent: Term | None, guards: Iterable[Term]) -> int:
    """What a symbol is at most, in an extent and by guards."""
    high = symbol.high if extent is None else min(symbol.high, extent.high - 1)
    for guard in guards:
        if guard.op in (Op.LT, Op.LE) and guard.args[0] == var(symbol):
            high = min(high, guard.args[1].high - (guard.op is Op.LT))
    return max(high, symbol.low)


def _may_touch(one: Party, other: Party) -> bool:
    """Whether the bytes from the first to the last ones of each overlap."""
    a, b = one.address, other.address
    return a.low < b.high + other.size and b.low < a.high + one.size


# ---------------------------------------------------------------- races


def _race(pair: MayMeet, found: Iterable[Met]) -> Finding | None:
    met = next((m for m in found if _surely_conflict(m.one, m.other)), None)
    if met is None or not pair.sure:
        return None
    grid, block = _indexes(met.one.extents[:3], met), _indexes(met.one.extents[3:], met)
    inputs = ((s.name, v) for s, v in met.inputs.items() if s.origin is Origin.INPUT)
    place = met.other if met.one.anywhere else met.one
    (address,) = _values((place.party.address,), met)
    accessors = _accessor(met.one, met, address), _accessor(met.other, met, address)
    sure = Confidence.DATA_DEPENDENT if met.one.anywhere or met.other.anywhere else Confidence.DEFINITE
    return race_of(pair.name, pair.shared, *accessors, (grid, block), inputs, met.method, sure)


def _surely_conflict(a: Use, b: Use) -> bool:
    """Whether two accesses surely conflict: no atomics, which may order kernels, nor writes of one value, perhaps."""
    kernels = bool(a.extents and b.extents)
    if a.may or b.may or (kernels and (a.anywhere or b.anywhere or AccessKind.ATOMIC in (a.kind, b.kind))):
        return False
    constants = a.value is not None and b.value is not None and a.value.is_const and b.value.is_const
    return not (a.stores and b.stores) or not (a.span == b.span or constants)


def _accessor(use: Use, met: Met, place: int) -> Accessor:
    """One of the two, with its own first byte; where memory contents say where that is, it is in this place."""
    address = place if use.anywhere else _values((use.party.address,), met)[0]
    thread, block = _indexes(use.thread, met), _indexes(use.block, met)
    return Accessor(use.what, use.span, use.kind, thread, block, address, use.party.size)


def _indexes(terms: tuple[Term, ...], met: Met) -> Extents:
    x, y, z = _values(terms, met) if terms else (0, 0, 0)
    return x, y, z


def _values(terms: tuple[Term, ...], met: Met) -> tuple[int, ...]:
    return evaluate(terms, {s: met.numbers.get(s.name, s.low) for s in symbols_of(*terms)})
