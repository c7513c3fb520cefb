"""Resolution of barriers at which some threads arrive and others wait, as rings whose order is known.

Each barrier of a ring is made for a number of threads, and just as many arrive at it, each at every turn of the ring
(CUDA C++ Programming Guide, "Asynchronous Barrier"; PTX ISA, "bar, barrier", "mbarrier").
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from msgspec import Struct, field

from hgrd.cuda.barrier_objects import FIRST_NUMBER, NUMBERS_OF_OBJECT, OBJECT_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.protocol.model import Access, Arrival, Barrier, Configuration, Item, ProtocolLoop, accesses
from hgrd.protocol.ring_events import Lags, RingEvent
from hgrd.protocol.rings.order import Role, lags_of, stuck, too_early
from hgrd.protocol.rings.sequences import Ring, Step, steps_of
from hgrd.protocol.rings.sites import Site, Unusable, sites_of
from hgrd.protocol.rings.turns import turns_of
from hgrd.terms import show
from hgrd.terms.evaluate import evaluate
from hgrd.terms.periods import cases

_MOST = 64  # barriers of a ring


class Rings(Struct, frozen=True):
    """Rings of a kernel: the events at the items (by identity) that are of one, and how these are related."""

    events: Mapping[int, RingEvent] = field(default_factory=dict[int, RingEvent])
    lags: Lags = field(default_factory=dict[tuple[str, str], int])


def rings_of(items: tuple[Item, ...], configuration: Configuration, settled: Container[int]) -> Rings:
    """The rings among all barriers with numbers; `settled`: identities of items that need none."""
    found = tuple(sites_of(items, configuration))
    sites = [s for s in found if isinstance(s, Site)]
    unusable = [s for s in found if isinstance(s, Unusable)]
    places = {s: _numbers(s) for s in sites}
    unusable += [Unusable(s.named.number.low, s.named.number.high) for s in sites if not places[s]]
    parts = _parts({s: n for s, n in places.items() if n})
    left: dict[Ring, list[Site]] = {}
    for numbers, of_part in parts:
        if all(id(s.item) in settled for s in of_part if isinstance(s.item, Barrier)):
            continue
        ring = _ring(items, numbers, of_part, unusable)
        if ring is not None:
            left[ring] = of_part
    if len({s.chosen for ring, of_ring in left.items() for s in of_ring if not ring.stages}) > 1:
        return Rings()
    return _ordered(left)


def _ordered(left: dict[Ring, list[Site]]) -> Rings:
    """The rings of which the arrivals come in time, as far as the others that are left show it."""
    while left := _paired(left):
        turns: dict[str, dict[int, int]] = {r.name: {} for r in left}
        roles = [_steps(left, role, turns) for role in _roles(left)]
        lost = [r for r in left if any(role.get(r.name, ()) is None for role in roles) or not _alike(r, roles)]
        if not lost:
            whole: list[Role] = [{n: steps for n, steps in role.items() if steps is not None} for role in roles]
            lags = lags_of(tuple(left), whole)
            lost = [r for r in left if too_early(r, whole, lags) or stuck(r, whole, lags)]
            if not lost:
                return Rings({id(s.site.item): _event(n, s) for r in whole for n in r for s in r[n]}, lags)
        left = {r: sites for r, sites in left.items() if r not in lost}
    return Rings()


def _paired(left: dict[Ring, list[Site]]) -> dict[Ring, list[Site]]:
    """Those that are no part of a pipeline, and both parts of each pipeline: each says what is done at the other."""
    places = [ring.place for ring in left if ring.stages]
    return {ring: sites for ring, sites in left.items() if not ring.stages or places.count(ring.place) > 1}


def _numbers(site: Site) -> frozenset[int]:
    """The numbers that a barrier may have; () if these are not known."""
    number = site.named.number
    values = cases((number,))
    return frozenset(evaluate((number,), value)[0] for value in values or ())


def _parts(places: Mapping[Site, frozenset[int]]) -> list[tuple[frozenset[int], list[Site]]]:
    """The places in parts that have no number in common, each in program order."""
    found: list[tuple[frozenset[int], list[Site]]] = []
    for site, numbers in places.items():
        same = [p for p in found if p[0] & numbers]
        joined = frozenset(numbers).union(*(p[0] for p in same))
        of_part = sorted([site, *(s for p in same for s in p[1])], key=lambda s: (s.top, s.inner))
        found = [*(p for p in found if p not in same), (joined, of_part)]
    return found


def _ring(
    items: tuple[Item, ...], numbers: frozenset[int], sites: list[Site], unusable: Iterable[Unusable]
) -> Ring | None:
    """The ring that a part may be; None: not all that is done with its barriers is known."""
    low, high = min(numbers), max(numbers)
    one_of_all = low == 0 and any(_is_plain(item) for item in items)
    if len(numbers) > _MOST or one_of_all or any(u.low <= high and low <= u.high for u in unusable):
        return None
    counts = {s.count for s in sites}
    arriving = frozenset[int]().union(*(s.threads for s in sites if s.arrives))
    places = {s.named.place.split(" + ")[0] for s in sites}
    if len(counts) > 1 or len(places) > 1 or len(arriving) != min(counts):
        return None
    (place,) = places
    if place and any(_touches(a, place, numbers) for a in accesses(items[sites[0].top :])):
        return None
    turn = sites[0].named.turn
    return Ring(
        _name_of(items, place, low), numbers, min(counts), 0 if turn is None else turn.stages, sites[0].named.place
    )


def _name_of(items: tuple[Item, ...], key: str, low: int) -> str:
    """The name of a ring: the object with its barriers, and the first byte or number of these."""
    name = next((a.target.name for a in accesses(items) if a.target.key == key), "")
    if not name:
        return f"barrier {low}"
    kept, at = divmod(low - FIRST_NUMBER, NUMBERS_OF_OBJECT)
    return name + (f"'{kept + 1}" if _is_shared(items, name) else "") + (f" + {at}" if at else "")


def _is_shared(items: tuple[Item, ...], name: str) -> bool:
    """Whether several objects have a name."""
    return len({a.target.key for a in accesses(items) if a.target.name == name}) > 1


def _is_plain(item: Item) -> bool:
    """Whether the item contains __syncthreads(), which is the barrier with number 0."""
    if isinstance(item, ProtocolLoop):
        return any(map(_is_plain, item.items))
    return isinstance(item, Barrier) and item.named is None and item.scope is not Scope.WARP


def _touches(access: Access, key: str, numbers: frozenset[int]) -> bool:
    """Whether an access may write to a barrier: to make it again, or by chance."""
    if access.target.key != key or not access.changes:
        return False
    low, high = ((n - FIRST_NUMBER) % NUMBERS_OF_OBJECT for n in (min(numbers), max(numbers)))
    return access.offset.low < high + OBJECT_SIZE and low < access.offset.high + access.size


def _roles(left: Mapping[Ring, list[Site]]) -> set[frozenset[Site]]:
    """The sets of places that some thread gets to."""
    sites = [s for of_ring in left.values() for s in of_ring]
    threads = frozenset[int]().union(*(s.threads for s in sites))
    return {frozenset(s for s in sites if t in s.threads) for t in threads}


def _steps(
    left: Mapping[Ring, list[Site]], role: frozenset[Site], turns: Mapping[str, dict[int, int]]
) -> dict[str, tuple[Step, ...] | None]:
    return {
        ring.name: turns_of(ring, role)
        if ring.stages
        else steps_of(ring, [s for s in sites if s in role], turns[ring.name])
        for ring, sites in left.items()
        if not role.isdisjoint(sites)
    }


def _alike(ring: Ring, roles: Iterable[Mapping[str, tuple[Step, ...] | None]]) -> bool:
    """Whether all threads that get to a place have the same number for what they do there."""
    known: dict[int, Step] = {}
    for role in roles:
        for step in role.get(ring.name) or ():
            if known.setdefault(id(step.site.item), step) != step:
                return False
    return True


def _event(ring: str, step: Step) -> RingEvent:
    site = step.site
    arrival = None if step.arrival is None else step.arrival.term
    waits = None if step.waits is None else step.waits.term
    guards = (*site.ours, *sorted(site.chosen, key=show))
    return RingEvent(ring, guards, site.item.span, arrival, waits, _pipeline(site))


def _pipeline(site: Site) -> str:
    """The pipeline of which a batch of copies is committed at a site; "" at others."""
    commits = isinstance(site.item, Arrival) and site.named.turn is not None and site.item.name == site.named.place
    return site.named.place if commits else ""
