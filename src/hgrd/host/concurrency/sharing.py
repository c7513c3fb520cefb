"""Work that may run at the same time and touches the same memory: what a verdict on one of two kernels assumes.

Each uses the elements that its arguments lead it to.  Where these show that it is the same ones, there is nothing to
assume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import chain
from pathlib import PurePath
from typing import TypeAlias

from msgspec import Struct, field

from hgrd.host.concurrency.addresses import ANYWHERE, DEFAULT, places
from hgrd.host.concurrency.at_once import accesses_at_once, never_ordered
from hgrd.host.concurrency.candidates import Candidate, Candidates, used_by
from hgrd.host.concurrency.host_uses import Uses, holders_of
from hgrd.host.concurrency.iterations import Iterations
from hgrd.host.concurrency.meeting import Pair, named, pairs, with_early, with_host
from hgrd.host.concurrency.order import Done, Order, Streams, concurrent, is_got
from hgrd.host.concurrency.trace import CALLBACK, Event, Follow, Replay, Touch, Trace, Use, Wait, Work
from hgrd.host.kinds import FactKind
from hgrd.host.model import AtOnce, Fact, HostNote, LaunchedAs, MayMeet
from hgrd.program.span import Span
from hgrd.terms import TRUE, const

Launched: TypeAlias = tuple[Span, str]
"""The place of a launch, and the key of its kernel."""


class Beside(Struct):
    """What is told of launches: what is assumed, and what shows that this does not hold; each once, in order.

    `at_once` are accesses of which it is sure that nothing orders them, `may_meet` work whose kernels decide it.
    """

    assumed: dict[Launched, dict[Fact, None]] = field(default_factory=dict[Launched, "dict[Fact, None]"])
    at_once: dict[Launched, dict[AtOnce, None]] = field(default_factory=dict[Launched, "dict[AtOnce, None]"])
    shared: dict[Launched, dict[HostNote, None]] = field(default_factory=dict[Launched, "dict[HostNote, None]"])
    may_meet: dict[Launched, list[MayMeet]] = field(default_factory=dict[Launched, "list[MayMeet]"])


def find_beside(
    trace: Trace,
    iterations: Iterations,
    blocking: bool,
    threads: bool,
    waits: Callable[[str], bool] | None,
    found: Beside,
) -> None:
    """Adds what the launches of a trace may run beside.

    `blocking`: streams of unknown kind wait for the default stream.  `threads`: several threads of the host run this,
    with any arguments.  `waits`: whether a kernel may wait for other work; None: the callers may have ordered it all.
    """
    inside = {key: found.holder for key, found in iterations.found.items()}
    events = list(iterations.all(Uses(inside, iterations.may_be, trace.common).without_others(trace.events)))
    if _in_one_stream(events):
        return
    streams = Streams(trace.made, blocking, iterations.origins, iterations.holders, iterations.offsets)
    clear: set[tuple[Launched, Launched, str]] = set()
    done = Order(streams, lenient=True).run(events)
    partners = _partners([d.work for d in done], iterations)
    calls_back = any(d.work.what == CALLBACK for d in done)  # the host may wait for what it does, by any means
    sure = None if waits is None or calls_back else Order(streams, lenient=True, cautious=True).run(events)
    candidates = Candidates(iterations.origins)
    places_ = {id(d): number for number, d in enumerate(done)}
    compared: set[tuple[int, int]] = set()
    launches = _launches((d.work for d in done), iterations)
    for one, other in concurrent(done, partners):
        for pair in with_host(one.work, other.work, iterations, trace):
            clear |= set(_keys(pair))
            _tell_shared(pair, found, launches.given(pair, iterations))
        for pair in with_early(one.work, other.work, iterations, trace):
            clear |= set(_keys(pair))
            _tell_shared(pair, found)
        first, second = places_[id(one)], places_[id(other)]
        surely = sure is not None and never_ordered(sure[first], sure[second], first)
        if waits is not None and surely:
            _tell_at_once(one.work, other.work, iterations, trace, waits, found)
        linked = trace.linked and one.work.captured and other.work.captured
        waiting = waits is not None and any(waits(w.kernel) for w in (one.work, other.work) if w.kernel)
        if not linked:
            compared.add((first, second))
            candidates.add(one.work, other.work, sure=surely and not waiting)
        for pair in () if linked else pairs(one.work, other.work, iterations, trace, clash=True):
            clear |= set(_keys(pair))
            _tell_shared(pair, found, launches.given(pair, iterations))
    done = Order(streams, lenient=False).run(events)
    both = list(_in_threads(done, partners)) if threads else []
    for one, other in both:
        for pair in pairs(one.work, other.work, iterations, trace, clash=True):
            if pair.key not in trace.allocated:
                clear |= set(_keys(pair))
                _tell_shared(pair, found)
    for one, other in (*concurrent(done, partners), *both):
        possible = (
            pairs(one.work, other.work, iterations, trace, clash=False),
            with_host(one.work, other.work, iterations, trace, loosely=True),
        )
        for pair in chain(*possible):
            if clear.isdisjoint(_keys(pair)):
                _tell_assumed(pair, found, launches.given(pair, iterations))
    asked = (e.event for e in events if isinstance(e, Wait | Follow) and e.event is not None)
    if any(is_got(d.work.stream) for d in done) or any(map(streams.is_any, asked)):
        done = Order(streams, lenient=True, apart=True).run(events)
        places_ = {id(d): number for number, d in enumerate(done)}
        for one, other in concurrent(done, partners):
            linked = trace.linked and one.work.captured and other.work.captured
            if not linked and (places_[id(one)], places_[id(other)]) not in compared:
                candidates.add(one.work, other.work, sure=False)
    for candidate in candidates.nearest():
        _tell_candidate(candidate, clear, iterations, trace, found)


def _in_one_stream(events: Iterable[Event]) -> bool:
    """Whether all work is put into the default stream of one device, where it comes in its order."""
    if any(isinstance(e, Use) or (isinstance(e, Work) and e.early) for e in events):
        return False
    places_ = {(e.stream, e.device, e.captured) for e in events if isinstance(e, Work)}
    return places_ <= {(DEFAULT, const(0), False)} and not any(isinstance(e, Replay) for e in events)


def _in_threads(done: list[Done], partners: Sequence[int]) -> Iterator[tuple[Done, Done]]:
    """Pairs of work of two threads of the host that both do all of it, but for what the default stream orders."""
    free = [n for n, d in enumerate(done) if d.work.kernel and d.work.stream != DEFAULT]
    for at, one in enumerate(free):
        yield from ((done[one], done[other]) for other in free[at:] if partners[one] >> other & 1)


def _partners(work: Sequence[Work], iterations: Iterations) -> list[int]:
    """Pieces of work, as bits, that may share an object with each piece, so that it matters; one of the two writes.

    One of the two is a kernel, or one the host and the other a copy, or a function in a stream, that goes on beside it.
    """
    kernels, hosts = _bits(one.kernel != "" for one in work), _bits(_on_host(one) for one in work)
    itself, calls = _bits(one.by_host for one in work), _bits(one.what == CALLBACK for one in work)
    copies = _bits(_copies_later(one) for one in work)
    objects = [
        [(keys, t.writes) for t in one.touches for keys in _objects(one, t, iterations, deep=calls > 0)] for one in work
    ]
    users: dict[Set[str], int] = {}
    writers: dict[Set[str], int] = {}
    for number, own in enumerate(objects):
        for keys, writes in own:
            users[keys] = users.get(keys, 0) | 1 << number
            writers[keys] = writers.get(keys, 0) | writes << number
    with_users, with_writers = _of_common_objects(users), _of_common_objects(writers)
    found: list[int] = []
    for one, own in zip(work, objects, strict=True):
        others = 0
        for keys, writes in own:
            others |= (with_users if writes else with_writers)[keys]
        able = kernels | (copies if _on_host(one) else hosts if _copies_later(one) else 0)
        able |= calls if one.by_host else itself if one.what == CALLBACK else 0
        found.append(others if one.kernel else others & able)
    return found


def _bits(which: Iterable[bool]) -> int:
    return sum(1 << number for number, it_is in enumerate(which) if it_is)


def _on_host(work: Work) -> bool:
    """Whether work is the host's own, or that of a function of the host in a stream."""
    return work.by_host or work.what == CALLBACK


def _of_common_objects(users: Mapping[Set[str], int]) -> dict[Set[str], int]:
    """The users of all sets that have a key in common with each one; memory that may be anywhere is in all of them."""
    sets = list(users)
    holding: dict[str, list[int]] = {}
    for number, keys in enumerate(sets):
        for key in keys:
            holding.setdefault(key, []).append(number)
    anywhere = {number for key, numbers in holding.items() if key.startswith(ANYWHERE) for number in numbers}
    everyone = _all_of(users.values())
    found = [
        everyone if number in anywhere else _all_of(users[sets[n]] for n in anywhere) for number in range(len(sets))
    ]
    for numbers in {tuple(numbers) for numbers in holding.values()}:
        common = _all_of(users[sets[number]] for number in numbers)
        for number in numbers:
            found[number] |= common
    return dict(zip(sets, found, strict=True))


def _copies_later(work: Work) -> bool:
    return any(touch.locked for touch in work.touches)


def _all_of(works: Iterable[int]) -> int:
    found = 0
    for bits in works:
        found |= bits
    return found


def _objects(work: Work, touch: Touch, iterations: Iterations, *, deep: bool = False) -> Iterator[Set[str]]:
    """Keys of the objects that a touch is in or, of what was found in memory, of those which hold it, in several sets.

    `deep`: of all that hold each other, as for what the host uses.
    The large ones among these are few, for all the touches that there are.
    """
    for place in places(touch.at):
        holders = holders_of(place.key, iterations.holders) if work.by_host or deep else ()
        for key in holders or (iterations.holders.get(place.key, place.key),):
            yield frozenset((key,))
        yield frozenset(iterations.objects(place))
        if touch.found and work.what == CALLBACK:
            yield frozenset(iterations.held_in(place))


def _keys(pair: Pair) -> Iterator[tuple[Launched, Launched, str]]:
    one, other = _launched(pair.one), _launched(pair.other)
    yield one, other, pair.name
    yield other, one, pair.name


def _launched(work: Work) -> Launched:
    return work.span, work.kernel


# ---------------------------------------------------------------- words


class _Launches(Struct):
    """The launches of a trace, with the keys of the objects that each touches; `using` those of these objects."""

    touched: dict[Launched, Set[str]]
    using: dict[Set[str], tuple[Launched, ...]] = field(default_factory=dict[Set[str], tuple[Launched, ...]])

    def given(self, pair: Pair, iterations: Iterations) -> tuple[Launched, ...]:
        """Those that get what a copy brings or takes, where the pair is of that and the host; all, if none does."""
        if pair.one.kernel or pair.other.kernel:
            return ()
        _, copy, _ = _host_and_copy(pair)
        here = _touched(copy, iterations)
        if here not in self.using:
            using = (launched for launched, keys in self.touched.items() if not here.isdisjoint(keys))
            self.using[here] = tuple(using) or tuple(self.touched)
        return self.using[here]


def _launches(work: Iterable[Work], iterations: Iterations) -> _Launches:
    touched: dict[Launched, Set[str]] = {}
    for one in work:
        if one.kernel:
            touched[_launched(one)] = touched.get(_launched(one), frozenset()) | _touched(one, iterations)
    return _Launches(touched)


def _touched(work: Work, iterations: Iterations) -> frozenset[str]:
    """The keys of all objects that work touches."""
    return frozenset[str]().union(*(keys for t in work.touches for keys in _objects(work, t, iterations)))


def _tell_shared(pair: Pair, found: Beside, others: tuple[Launched, ...] = ()) -> None:
    if others:
        host, copy, writes = _host_and_copy(pair)
        does = "writes" if writes else "reads"
        note = HostNote(host.span, f"{_uses(pair, host)} while {_placed(copy)} may go on, which {does} it")
        for launched in others:
            found.shared.setdefault(launched, {})[note] = None
    for work, _, note in _notes(pair):
        found.shared.setdefault(_launched(work), {})[note] = None


def _notes(pair: Pair) -> Iterator[tuple[Work, Work, HostNote]]:
    """What is said of each launch of the two, with the other one."""
    for work, other, writes, own in _both(pair):
        if other.by_host:
            does = f"which {'writes' if own else 'reads'} it"
            yield work, other, HostNote(other.span, f"{_uses(pair, other)} while this kernel may run, {does}")
            continue
        does = f"writes '{pair.name}', too" if writes else f"reads '{pair.name}', which this kernel writes"
        if writes and not own:
            does = f"writes '{pair.name}', which this kernel reads"
        yield work, other, HostNote(other.span, f"{_what(work, other)} may run at the same time and {does}")


def _tell_at_once(
    one: Work, other: Work, iterations: Iterations, trace: Trace, waits: Callable[[str], bool], found: Beside
) -> None:
    told = one.told | other.told
    for pair in chain(pairs(one, other, iterations, trace, clash=True), with_host(one, other, iterations, trace)):
        for key, a, b in accesses_at_once(one, other, waits):
            if iterations.origins.get(key, key) != pair.key:
                continue
            for work, _, note in _notes(pair):
                own, its = (a, b) if work is one else (b, a)
                found.at_once.setdefault(_launched(work), {})[AtOnce(pair.name, own, its, told, note)] = None


def _tell_candidate(
    candidate: Candidate,
    clear: Set[tuple[Launched, Launched, str]],
    iterations: Iterations,
    trace: Trace,
    found: Beside,
) -> None:
    one, other, touches = candidate.one, candidate.other, candidate.touches
    name, key = named(candidate.key, iterations, trace), iterations.origins.get(candidate.key, candidate.key)
    pair = Pair(one, other, name, key, (touches[0].writes, touches[1].writes))
    by_host = one.by_host or other.by_host
    if not candidate.sure and (by_host or not clear.isdisjoint(_keys(pair))):
        return
    uses = {id(one): used_by(one, touches[0]), id(other): used_by(other, touches[1])}
    for work, beside, note in _notes(pair):
        own, its = uses[id(work)], uses[id(beside)]
        if isinstance(own, LaunchedAs) and its is not None:
            fact, told = _other_elements(pair, work, beside), one.told | other.told
            extent = next((t.extent for t in touches if t.extent is not None), None)
            may_meet = MayMeet(name, candidate.key, own, its, told, candidate.sure, note, fact, extent)
            found.may_meet.setdefault(_launched(work), []).append(may_meet)


def _tell_assumed(pair: Pair, found: Beside, others: tuple[Launched, ...] = ()) -> None:
    if others:
        host, copy, _ = _host_and_copy(pair)
        fact = _assumption(f"{_placed(copy)} is done with '{pair.name}' before {_uses(pair, host)}", host)
        for launched in others:
            found.assumed.setdefault(launched, {})[fact] = None
    for work, other, _, _ in _both(pair):
        if other.by_host:
            fact = _assumption(f"is done with '{pair.name}' before {_uses(pair, other)}", other)
            found.assumed.setdefault(_launched(work), {})[fact] = None
            continue
        found.assumed.setdefault(_launched(work), {})[_other_elements(pair, work, other)] = None


def _other_elements(pair: Pair, work: Work, other: Work) -> Fact:
    text = f"touches other elements of '{pair.name}' than {_what(work, other)}, which may run at the same time"
    return _assumption(text, other)


def _assumption(text: str, of: Work) -> Fact:
    return Fact(TRUE, FactKind.ASSUMPTION, text, of.span)


def _host_and_copy(pair: Pair) -> tuple[Work, Work, bool]:
    """The use by the host, the copy or the function in a stream beside it, and whether that writes."""
    if pair.one.by_host or (_on_host(pair.one) and not pair.other.by_host):
        return pair.one, pair.other, pair.writes[1]
    return pair.other, pair.one, pair.writes[0]


def _both(pair: Pair) -> Iterator[tuple[Work, Work, bool, bool]]:
    """Each launch of the two, the other one, and whether that and it itself write."""
    if pair.one.kernel:
        yield pair.one, pair.other, pair.writes[1], pair.writes[0]
    if pair.other.kernel and _launched(pair.one) != _launched(pair.other):
        yield pair.other, pair.one, pair.writes[0], pair.writes[1]


def _uses(pair: Pair, host: Work) -> str:
    if not host.by_host:
        return f"{_placed(host)} may use '{pair.name}'"
    (touch,) = host.touches
    does = "writes" if touch.writes else "reads"
    return f"the host {does} '{pair.name}' at {_at(host.span)}"


def _what(work: Work, other: Work) -> str:
    if _launched(work) == _launched(other):
        return "another run of this launch"
    return _placed(other)


def _placed(work: Work) -> str:
    return f"{work.what} at {_at(work.span)}"


def _at(span: Span) -> str:
    return f"{_name_of_file(span.file)}:{span.line}"


@cache
def _name_of_file(path: str) -> str:
    return PurePath(path).name
