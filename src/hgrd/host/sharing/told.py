"""Told of launches: what is said of each where work may run at the same time, what is assumed and what is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cache
from itertools import chain
from pathlib import PurePath
from typing import TypeAlias

from msgspec import Struct, field

from hgrd.host.concurrency.iterations import Iterations
from hgrd.host.concurrency.trace import CALLBACK, Trace, Work
from hgrd.host.kinds import FactKind
from hgrd.host.model import AtOnce, Fact, HostNote, LaunchedAs, MayMeet
from hgrd.host.sharing.at_once import accesses_at_once
from hgrd.host.sharing.candidates import Candidate, used_by
from hgrd.host.sharing.meeting import Pair, named, pairs, with_host
from hgrd.host.sharing.partners import objects_of, on_host
from hgrd.program.span import Span
from hgrd.terms import TRUE

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


def keys_of(pair: Pair) -> Iterator[tuple[Launched, Launched, str]]:
    """What a pair is known by, seen from each of the two: their places and kernels, and the object that they share."""
    one, other = _launched(pair.one), _launched(pair.other)
    yield one, other, pair.name
    yield other, one, pair.name


def _launched(work: Work) -> Launched:
    return work.span, work.kernel


class Launches(Struct):
    """The launches of a trace, with the keys of the objects that each touches; `using` those of these objects."""

    touched: dict[Launched, Set[str]]
    using: dict[Set[str], tuple[Launched, ...]] = field(default_factory=dict[Set[str], tuple[Launched, ...]])

    def given(self, pair: Pair, iterations: Iterations) -> tuple[Launched, ...]:
        """Those that use what the work of a pair without kernels does, first of all what both use; all, if none does.

        Of a pair of the host and other work, it is what that uses.
        """
        if pair.one.kernel or pair.other.kernel:
            return ()
        later, earlier, _ = _two_without_kernel(pair)
        used = [_touched(work, iterations) for work in ((earlier,) if on_host(later) else (earlier, later))]
        common, any_ = frozenset[str].intersection(*used), frozenset[str].union(*used)
        return self._that_use(common) or self._that_use(any_) or tuple(self.touched)

    def _that_use(self, keys: Set[str]) -> tuple[Launched, ...]:
        if keys not in self.using:
            using = (launched for launched, others in self.touched.items() if not keys.isdisjoint(others))
            self.using[keys] = tuple(using)
        return self.using[keys]


def launches_of(work: Iterable[Work], iterations: Iterations) -> Launches:
    """The launches among pieces of work, with what each touches in any iteration."""
    touched: dict[Launched, Set[str]] = {}
    for one in work:
        if one.kernel:
            touched[_launched(one)] = touched.get(_launched(one), frozenset()) | _touched(one, iterations)
    return Launches(touched)


def _touched(work: Work, iterations: Iterations) -> frozenset[str]:
    """The keys of all objects that work touches."""
    return frozenset[str]().union(*(keys for t in work.touches for keys in objects_of(work, t, iterations)))


def tell_shared(pair: Pair, found: Beside, others: tuple[Launched, ...] = ()) -> None:
    """Tells the launches of a pair, or `others` where it has none, that the two use the same elements at once."""
    for launched in others:
        found.shared.setdefault(launched, {})[_without_kernel(pair)] = None
    for work, _, note in _notes(pair):
        found.shared.setdefault(_launched(work), {})[note] = None


def _without_kernel(pair: Pair) -> HostNote:
    """What is said of a pair neither of which is a kernel."""
    later, earlier, writes = _two_without_kernel(pair)
    does = "writes" if writes else "reads"
    return HostNote(later.span, f"{_uses(pair, later)} while {_placed(earlier)} may go on, which {does} it")


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


def tell_at_once(
    one: Work,
    other: Work,
    iterations: Iterations,
    trace: Trace,
    launches: Launches,
    found: Beside,
) -> None:
    """Tells the launches of two pieces of work that nothing orders which accesses of these are at once.

    Where neither is a launch, it tells those that use the same memory.
    """
    told = one.told | other.told
    for pair in chain(pairs(one, other, iterations, trace, clash=True), with_host(one, other, iterations, trace)):
        for key, a, b in accesses_at_once(one, other):
            if iterations.origins.get(key, key) != pair.key:
                continue
            for work, _, note in _notes(pair):
                own, its = (a, b) if work is one else (b, a)
                found.at_once.setdefault(_launched(work), {})[AtOnce(pair.name, own, its, told, note)] = None
            for launched in launches.given(pair, iterations):
                both = AtOnce(pair.name, a, b, told, _without_kernel(pair))
                found.at_once.setdefault(launched, {})[both] = None


def tell_candidate(
    candidate: Candidate,
    clear: Set[tuple[Launched, Launched, str]],
    iterations: Iterations,
    trace: Trace,
    launches: Launches,
    found: Beside,
) -> None:
    """Tells launches of work beside them of which the elements that it uses decide whether the two meet.

    `clear` are the pairs of which it is told already that they do.
    """
    one, other, touches = candidate.one, candidate.other, candidate.touches
    name, key = named(candidate.key, iterations, trace), iterations.origins.get(candidate.key, candidate.key)
    pair = Pair(one, other, name, key, (touches[0].writes, touches[1].writes))
    by_host = one.by_host or other.by_host
    if not candidate.sure and (by_host or not clear.isdisjoint(keys_of(pair))):
        return
    uses = {id(one): used_by(one, touches[0]), id(other): used_by(other, touches[1])}
    extent = next((t.extent for t in touches if t.extent is not None), None)
    told = one.told | other.told
    for work, beside, note in _notes(pair):
        own, its = uses[id(work)], uses[id(beside)]
        if isinstance(own, LaunchedAs) and its is not None:
            fact = _other_elements(pair, work, beside)
            may_meet = MayMeet(name, candidate.key, own, its, told, candidate.sure, note, fact, extent)
            found.may_meet.setdefault(_launched(work), []).append(may_meet)
    own, its = uses[id(one)], uses[id(other)]
    for launched in launches.given(pair, iterations):
        if own is not None and its is not None:
            fact, note = _assumed(pair, launched), _without_kernel(pair)
            may_meet = MayMeet(name, candidate.key, own, its, told, False, note, fact, extent)
            found.may_meet.setdefault(launched, []).append(may_meet)


def tell_assumed(pair: Pair, found: Beside, others: tuple[Launched, ...] = ()) -> None:
    """Tells the launches of a pair, or `others` where it has none, that the two are assumed not to meet."""
    for launched in others:
        found.assumed.setdefault(launched, {})[_assumed(pair, launched)] = None
    for work, other, _, _ in _both(pair):
        if other.by_host:
            fact = _assumption(f"is done with '{pair.name}' before {_uses(pair, other)}", other.span)
            found.assumed.setdefault(_launched(work), {})[fact] = None
            continue
        found.assumed.setdefault(_launched(work), {})[_other_elements(pair, work, other)] = None


def _assumed(pair: Pair, launched: Launched) -> Fact:
    """What is assumed of a pair neither of which is a kernel, for a launch that uses the same memory."""
    later, earlier, _ = _two_without_kernel(pair)
    if on_host(later):
        return _assumption(f"{_placed(earlier)} is done with '{pair.name}' before {_uses(pair, later)}", later.span)
    text = f"copies, fills and library calls that may run at the same time touch different elements of '{pair.name}'"
    return _assumption(text, launched[0])


def _other_elements(pair: Pair, work: Work, other: Work) -> Fact:
    text = f"touches other elements of '{pair.name}' than {_what(work, other)}, which may run at the same time"
    return _assumption(text, other.span)


def _assumption(text: str, at: Span) -> Fact:
    return Fact(TRUE, FactKind.ASSUMPTION, text, at)


def _two_without_kernel(pair: Pair) -> tuple[Work, Work, bool]:
    """The later one of two, neither of which is a kernel, or what the host does; the other, and whether that writes."""
    if pair.one.by_host or (on_host(pair.one) and not pair.other.by_host):
        return pair.one, pair.other, pair.writes[1]
    return pair.other, pair.one, pair.writes[0]


def _both(pair: Pair) -> Iterator[tuple[Work, Work, bool, bool]]:
    """Each launch of the two, the other one, and whether that and it itself write."""
    if pair.one.kernel:
        yield pair.one, pair.other, pair.writes[1], pair.writes[0]
    if pair.other.kernel and _launched(pair.one) != _launched(pair.other):
        yield pair.other, pair.one, pair.writes[0], pair.writes[1]


def _uses(pair: Pair, work: Work) -> str:
    if work.what == CALLBACK:
        return f"{_placed(work)} may use '{pair.name}'"
    does = "writes" if pair.writes[work is pair.other] else "reads"
    if not work.by_host:
        return f"{_placed(work)} {does} '{pair.name}'"
    return f"the host {does} '{pair.name}' at {_at(work.span)}"


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
