"""Work that may run at the same time and touches the same memory: what a verdict on one of two kernels assumes.

Each uses the elements that its arguments lead it to.  Where these show that it is the same ones, there is nothing to
assume.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.host.concurrency.contradictions import exclusive
from hgrd.host.concurrency.host_uses import Uses, holders_of
from hgrd.host.concurrency.iterations import Iterations, meets
from hgrd.host.concurrency.order import Done, Order, Streams, concurrent
from hgrd.host.concurrency.rows import apart, meet
from hgrd.host.concurrency.trace import (
    ANYWHERE,
    DEFAULT,
    UNKNOWN,
    Event,
    Place,
    Replay,
    Touch,
    Trace,
    Use,
    Work,
    places,
    ways,
)
from hgrd.host.kinds import FactKind
from hgrd.host.model import Fact, HostNote
from hgrd.program.span import Span
from hgrd.terms import TRUE, Term, const

Launched: TypeAlias = tuple[Span, str]
"""The place of a launch, and the key of its kernel."""
_MARKS: Final = re.compile(r"'\d+|~")
_NOWHERE: Final = ("number", UNKNOWN)


class Beside(Struct):
    """What is told of launches: what is assumed, and what shows that this does not hold; each once, in order."""

    assumed: dict[Launched, dict[Fact, None]] = field(default_factory=dict[Launched, "dict[Fact, None]"])
    shared: dict[Launched, dict[HostNote, None]] = field(default_factory=dict[Launched, "dict[HostNote, None]"])


class _Pair(Struct, frozen=True):
    """Two pieces of work that touch an object, by its name and key, which one of them writes."""

    one: Work
    other: Work
    name: str
    key: str
    writes: tuple[bool, bool]


def find_beside(trace: Trace, iterations: Iterations, blocking: bool, threads: bool, found: Beside) -> None:
    """Adds what the launches of a trace may run beside.

    `blocking`: streams of unknown kind wait for the default stream.  `threads`: several threads of the host run this,
    with any arguments.
    """
    inside = {key: found.holder for key, found in iterations.found.items()}
    events = list(iterations.of(Uses(inside, iterations.may_be).without_others(trace.events)))
    if _in_one_stream(events):
        return
    streams = Streams(trace.made, blocking, iterations.origins, iterations.holders, iterations.offsets)
    clear: set[tuple[Launched, Launched, str]] = set()
    done = Order(streams, lenient=True).run(events)
    partners = _partners([d.work for d in done], iterations)
    for one, other in concurrent(done, partners):
        for pair in _with_host(one.work, other.work, iterations, trace):
            clear |= set(_keys(pair))
            _tell_shared(pair, found)
        for pair in _with_early(one.work, other.work, iterations, trace):
            clear |= set(_keys(pair))
            _tell_shared(pair, found)
        linked = trace.linked and one.work.captured and other.work.captured
        for pair in () if linked else _pairs(one.work, other.work, iterations, trace, clash=True):
            clear |= set(_keys(pair))
            _tell_shared(pair, found)
    done = Order(streams, lenient=False).run(events)
    both = list(_in_threads(done, partners)) if threads else []
    for one, other in both:
        for pair in _pairs(one.work, other.work, iterations, trace, clash=True):
            if pair.key not in trace.allocated:
                clear |= set(_keys(pair))
                _tell_shared(pair, found)
    for one, other in (*concurrent(done, partners), *both):
        pairs = (
            _pairs(one.work, other.work, iterations, trace, clash=False),
            _with_host(one.work, other.work, iterations, trace, loosely=True),
        )
        for pair in chain(*pairs):
            if clear.isdisjoint(_keys(pair)):
                _tell_assumed(pair, found)


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
    """Pieces of work, as bits, that may share an object with each piece; one of the two is a kernel, and one writes."""
    users: dict[str, int] = {}
    writers: dict[str, int] = {}
    kernels = sum(1 << number for number, one in enumerate(work) if one.kernel)
    objects = [{(key, t.writes) for t in one.touches for key in _objects(one, t, iterations)} for one in work]
    for number, own in enumerate(objects):
        for key, writes in own:
            users[key] = users.get(key, 0) | 1 << number
            writers[key] = writers.get(key, 0) | writes << number
    found: list[int] = []
    anywhere = {key for key in users if key.startswith(ANYWHERE)}
    any_user, any_writer = (_all_of(of, of) for of in (users, writers))
    for one, own in zip(work, objects, strict=True):
        others = 0
        for key, writes in own:
            others |= (any_user if writes else any_writer) if key in anywhere else 0
            others |= _all_of(users if writes else writers, {key} | anywhere)
        found.append(others if one.kernel else others & kernels)
    return found


def _all_of(works: Mapping[str, int], keys: Iterable[str]) -> int:
    found = 0
    for key in keys:
        found |= works[key]
    return found


def _objects(work: Work, touch: Touch, iterations: Iterations) -> set[str]:
    """Keys of the objects that a touch is in or, of what was found in memory, of those which hold it."""
    if work.by_host:
        known = {key for p in places(touch.at) for key in holders_of(p.key, iterations.holders)}
        return known.union(*map(iterations.objects, places(touch.at)))
    known = {iterations.holders.get(p.key, p.key) for p in places(touch.at)}
    return known.union(*map(iterations.objects, places(touch.at)))


def _name(place: Place, iterations: Iterations, trace: Trace) -> str:
    key = iterations.origins.get(place.key, place.key)
    return _MARKS.sub("", trace.names.get(key, key))


def _keys(pair: _Pair) -> Iterator[tuple[Launched, Launched, str]]:
    one, other = _launched(pair.one), _launched(pair.other)
    yield one, other, pair.name
    yield other, one, pair.name


def _launched(work: Work) -> Launched:
    return work.span, work.kernel


# ---------------------------------------------------------------- sharing


def _pairs(one: Work, other: Work, iterations: Iterations, trace: Trace, *, clash: bool) -> Iterator[_Pair]:
    """The objects that two pieces of work share and one writes; `clash`: only where they use the same elements."""
    if one.by_host or other.by_host or not (one.kernel or other.kernel):
        return
    told: set[str] = set()
    for a in one.touches:
        for b in other.touches:
            if not (a.writes or b.writes) or a.found or b.found:
                continue
            found = next((p for p in places(a.at) if any(_may_meet(p, q, iterations) for q in places(b.at))), None)
            if found is None or (clash and not _clash(one, a, other, b)):
                continue
            name = _name(found, iterations, trace)
            if name not in told:
                told.add(name)
                yield _Pair(one, other, name, iterations.origins.get(found.key, found.key), (a.writes, b.writes))


def _with_host(
    one: Work, other: Work, iterations: Iterations, trace: Trace, *, loosely: bool = False
) -> Iterator[_Pair]:
    """The memory that the host uses itself and a kernel does, which one of them writes; not where visibly apart.

    `loosely`: also where a pointer that is not known may lead there.
    """
    if not (one.by_host or other.by_host) or not (one.kernel or other.kernel):
        return
    host, kernel = (one, other) if one.by_host else (other, one)
    (used,) = host.touches
    for touch in kernel.touches:
        if _is_anywhere(touch):
            continue
        if (touch.writes or used.writes) and not _other_kind(used, touch) and not _visibly_apart(used, touch):
            found = _common_place(used, touch, host.choices | kernel.choices, iterations, loosely=loosely)
            if found is not None:
                name, key = _name(found, iterations, trace), iterations.origins.get(found.key, found.key)
                writes = (used.writes, touch.writes) if host is one else (touch.writes, used.writes)
                yield _Pair(one, other, name, key, writes)
                return


def _with_early(one: Work, other: Work, iterations: Iterations, trace: Trace) -> Iterator[_Pair]:
    """The memory that a kernel and one that begins before its end both use, and one of them writes."""
    if not any(work.early and all(t.early for t in work.touches) for work in (one, other)):
        return
    for pair in _pairs(one, other, iterations, trace, clash=False):
        uses = ((a, b) for a in one.touches for b in other.touches if a.writes or b.writes)
        if not all(_visibly_apart(a, b) for a, b in uses if _common_place(a, b, frozenset(), iterations) is not None):
            yield pair


def _common_place(
    a: Touch, b: Touch, choices: frozenset[Term], iterations: Iterations, *, loosely: bool = False
) -> Place | None:
    """A place in an object that both may use at once, under choices of the program."""
    there = list(ways(b.at))
    for place, tests in ways(a.at):
        known = holders_of(place.key, iterations.holders)[1:] if b.found else ()
        meet_there = (q.key in known or _may_meet(place, q, iterations, loosely=loosely) for q, _ in there)
        meeting = (way for way, meets_ in zip(there, meet_there, strict=True) if meets_)
        if any(not exclusive(tests | choices, others | choices) for _, others in meeting):
            return place
    return None


def _other_kind(used: Touch, touch: Touch) -> bool:
    """Whether the host reads numbers of other kinds than those that the kernel writes."""
    return not used.writes and used.kinds is not None and touch.kinds is not None and used.kinds.isdisjoint(touch.kinds)


def _visibly_apart(a: Touch, b: Touch) -> bool:
    """Whether two uses of one object are of different bytes, by the rows of elements that each keeps to."""
    if not isinstance(a.at, Place) or not isinstance(b.at, Place) or a.at.key != b.at.key:
        return False
    x, y = a.at.offset, b.at.offset
    both = ((r, s) for r in a.rows for s in b.rows if r.stores or s.stores)
    return a.covered and b.covered and all(apart(r, x, s, y) for r, s in both)


def _may_meet(one: Place, other: Place, iterations: Iterations, *, loosely: bool = True) -> bool:
    """Whether two addresses may lead to one object; `loosely`: also where one was got by a pointer not known."""
    if any(p.key.startswith(_NOWHERE) or p.key == DEFAULT.key for p in (one, other)):
        return False
    if one.key.startswith(ANYWHERE) or other.key.startswith(ANYWHERE):
        return True
    if meets(one, other, iterations.holders, iterations.offsets):
        return True
    return loosely and any(key in iterations.objects(p) for p, key in ((one, other.key), (other, one.key)))


def _clash(one: Work, a: Touch, other: Work, b: Touch) -> bool:
    """Whether two uses of memory are of the same elements, for all that the host's code and the kernels' form show."""
    if _is_anywhere(a) or _is_anywhere(b):
        return True
    if not isinstance(a.at, Place) or not isinstance(b.at, Place) or a.at.key != b.at.key:
        return False
    if not ((a.stores and (b.stores or b.reads)) or (b.stores and a.reads)):
        return False
    again = one.kernel == other.kernel and one.numbers == other.numbers and None not in one.numbers
    if again and all(x.at == y.at for x, y in zip(one.touches, other.touches, strict=False)):
        return True
    if any(meet(r, a.at.offset, s, b.at.offset) for r in a.rows for s in b.rows if r.stores or s.stores):
        return True
    return a.at == b.at and not (a.whole and b.whole) and _alike(one, other)


def _is_anywhere(touch: Touch) -> bool:
    return isinstance(touch.at, Place) and touch.at.key.startswith(ANYWHERE)


def _alike(one: Work, other: Work) -> bool:
    """Whether no number that one of the two kernels gets tells which elements it uses that the other one does not."""
    numbers = set(one.numbers), set(other.numbers)
    return None not in numbers[0] | numbers[1] and (numbers[0] <= numbers[1] or numbers[1] <= numbers[0])


# ---------------------------------------------------------------- words


def _tell_shared(pair: _Pair, found: Beside) -> None:
    for work, other, writes, own in _both(pair):
        if other.by_host:
            note = HostNote(
                other.span, f"{_uses(pair, other)} while this kernel may run, which {'writes' if own else 'reads'} it"
            )
            found.shared.setdefault(_launched(work), {})[note] = None
            continue
        does = f"writes '{pair.name}', too" if writes else f"reads '{pair.name}', which this kernel writes"
        if writes and not own:
            does = f"writes '{pair.name}', which this kernel reads"
        note = HostNote(other.span, f"{_what(work, other)} may run at the same time and {does}")
        found.shared.setdefault(_launched(work), {})[note] = None


def _tell_assumed(pair: _Pair, found: Beside) -> None:
    for work, other, _, _ in _both(pair):
        if other.by_host:
            text = f"is done with '{pair.name}' before {_uses(pair, other)}"
            found.assumed.setdefault(_launched(work), {})[Fact(TRUE, FactKind.ASSUMPTION, text, other.span)] = None
            continue
        text = f"touches other elements of '{pair.name}' than {_what(work, other)}, which may run at the same time"
        fact = Fact(TRUE, FactKind.ASSUMPTION, text, other.span)
        found.assumed.setdefault(_launched(work), {})[fact] = None


def _both(pair: _Pair) -> Iterator[tuple[Work, Work, bool, bool]]:
    """Each launch of the two, the other one, and whether that and it itself write."""
    if pair.one.kernel:
        yield pair.one, pair.other, pair.writes[1], pair.writes[0]
    if pair.other.kernel and _launched(pair.one) != _launched(pair.other):
        yield pair.other, pair.one, pair.writes[0], pair.writes[1]


def _uses(pair: _Pair, host: Work) -> str:
    (touch,) = host.touches
    does = "writes" if touch.writes else "reads"
    return f"the host {does} '{pair.name}' at {PurePath(host.span.file).name}:{host.span.line}"


def _what(work: Work, other: Work) -> str:
    if _launched(work) == _launched(other):
        return "another run of this launch"
    return f"{other.what} at {PurePath(other.span.file).name}:{other.span.line}"
