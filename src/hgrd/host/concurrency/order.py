"""Order of work on the device, by streams, events and what the host waits for.

Work in one stream comes in its order.  Work in the default stream waits for all before it in the streams that wait for
that stream, and these wait for it (CUDA Programming Guide, "Streams"; CUDA Runtime API, "Stream synchronization
behavior").  A stream that waits for an event comes after what the event was recorded behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.concurrency.addresses import DEFAULT, GOT, Address, Place, places
from hgrd.host.concurrency.completed import ALWAYS, NONE, Completed, joined, needed, numbers, piece, under
from hgrd.host.concurrency.contradictions import exclusive
from hgrd.host.concurrency.found_places import are_other_elements, is_numbered, meets, of_other_keys, other_parts
from hgrd.host.concurrency.trace import Begin, End, Event, Follow, Join, Mark, Replay, Use, Wait, Work
from hgrd.terms import Op, Term, const, negate
from hgrd.terms.rewrite import bottom_up

Stream: TypeAlias = tuple[Address, Term | None]
"""A stream: its address; of a default stream, the device, too."""


class Done(Struct, frozen=True):
    """Work, and what is complete before it begins.  `replay`: of which launch of a graph it is a part, 0: of none."""

    work: Work
    known: Completed
    replay: int = 0


class Streams(Struct, frozen=True):
    """What is known of streams.

    `made`: whether they wait for the default stream, by the keys in the trace of streams that the program has made (and
    of objects that hold them); `blocking`: whether others do (None: it is not known).  `origins` and `holders` have, by
    the keys of addresses, the keys in the trace, and those of the objects that hold them; `offsets`: where they were
    found there, `stored_at_both`: whether the program may store one handle at two places of an object; `alike`: whether
    two objects, by their keys in the trace, may be one.
    """

    made: Mapping[str, bool]
    blocking: bool | None
    origins: Mapping[str, str]
    holders: Mapping[str, str]
    offsets: Mapping[str, tuple[Term, int]]
    stored_at_both: Callable[[str, Term, Term], bool] = lambda _, __, ___: False
    alike: Callable[[str, str], bool] = lambda _, __: False

    def may_be(self, one: Address, other: Address) -> bool:
        """Whether two addresses may be one, as far as it is known where they were found, and what is stored there."""
        pairs = [(p, q) for p in places(one) for q in places(other)]
        return any(meets(p, q, self.holders, self.offsets) or self._may_hold_one(p, q) for p, q in pairs)

    def _may_hold_one(self, one: Place, other: Place) -> bool:
        """Whether the program stores one handle at the two places of one object that two were found at."""
        holder = self.holders.get(one.key)
        if holder is None or holder != self.holders.get(other.key):
            return False
        return self.stored_at_both(self.origins.get(holder, holder), self._at(one), self._at(other))

    def is_unclear(self, one: Address, other: Address) -> bool:
        """Whether two events were found in two objects that may be one, at places of these that may be one."""
        pairs = [(p, q) for p in places(one) for q in places(other) if p.key in self.holders and q.key in self.holders]
        others = [(p, q) for p, q in pairs if self.holders[p.key] != self.holders[q.key]]
        found = [(p, q) for p, q in others if not other_parts(self._at(p), self._at(q))]
        return any(self.alike(self.holders[p.key], self.holders[q.key]) for p, q in found)

    def may_be_element(self, one: Address, other: Address) -> bool:
        """Whether two addresses are elements of one array, the same members of its records."""
        found = ((p, q) for p in places(one) for q in places(other))
        held = ((p, q) for p, q in found if self.holders.get(p.key, p.key) == self.holders.get(q.key, q.key))
        return any(not other_parts(self._at(p), self._at(q)) for p, q in held)

    def _at(self, place: Place) -> Term:
        """The place of an address in the array that it is an element of."""
        return self.offsets[place.key][0] if place.key in self.offsets else place.offset

    def waits(self, address: Address, *, lenient: bool) -> bool:
        """Whether a stream waits for the default stream (and that for it)."""
        known = [self._waits(p) for p in places(address)]
        return any(k is not False for k in known) if lenient else all(known)

    def may_wait(self, address: Address) -> bool:
        """Whether it is not known if a stream waits for the default stream."""
        return self.waits(address, lenient=True) and not self.waits(address, lenient=False)

    def _waits(self, place: Place) -> bool | None:
        made = self._made(place)
        if made is not None:
            return made
        got = place.key.startswith(GOT)
        return None if got and self.blocking is False else self.blocking

    def _made(self, place: Place) -> bool | None:
        key = self.origins.get(place.key, place.key)
        holder = self.origins.get(self.holders.get(place.key, ""), "")
        return self.made.get(key, self.made.get(holder))

    def is_any(self, address: Address) -> bool:
        """Whether what the program has computed, and no iteration of a loop, says which of several an address is."""
        found = [self.offsets[p.key][0] for p in places(address) if p.key in self.offsets]
        terms = (*found, *(p.offset for p in places(address)))
        read = any(term.op is Op.READ for term in bottom_up(terms))
        return read or any(not is_numbered(s) for term in terms for s in term.symbols)

    def differ(self, one: Stream, other: Stream) -> bool:
        """Whether two streams are not one, as far as is known: those of one array, unless by the same index."""
        if one[0] == DEFAULT == other[0]:
            a, b = one[1], other[1]
            return a is not b and a is not None and b is not None and a.is_const and b.is_const
        if DEFAULT in (one[0], other[0]):
            return all(self._made(p) is not None for s in (one, other) if s[0] != DEFAULT for p in places(s[0]))
        here, there = set(places(one[0])), set(places(other[0]))
        known = all(self._known(p) for p in here | there)
        return not here & there and (known or all(self._stand_apart(p, q) for p in here for q in there))

    def _stand_apart(self, one: Place, other: Place) -> bool:
        """Whether two streams were found at different members of records, or by different keys of one map."""
        holder = self.holders.get(one.key)
        found = holder is not None and holder == self.holders.get(other.key)
        parts = found and other_parts(self._at(one), self._at(other)) and not self._may_hold_one(one, other)
        return of_other_keys(one, other) or parts

    def _known(self, place: Place) -> bool:
        return self._made(place) is not None and not place.offset.symbols


def is_got(stream: Address) -> bool:
    """Whether a stream is got from the library in a way that may give another one each time."""
    return any(p.key.startswith(GOT) for p in places(stream))


class _Left(Struct):
    """Streams, one of which work is in, that the host has not waited for; `choices`: those of its waits for others."""

    names: frozenset[str]
    choices: frozenset[Term] = ALWAYS


class Order(Struct):
    """Work so far, and what comes before what is next.

    `lenient`: whatever may order work does so, else what surely does.  `cautious`: so are streams that may be one,
    `apart`: not even those that are got from the library in one way, nor events by unknown numbers, and only streams
    that surely wait for the default stream do; `exact`: a wait for a stream is one for no other one.
    `everything` is all work and what comes before it, `devices` have that of each device, and `left` what is left of
    the streams of work, by their names.  `host` is what the thread of the host that is followed knows to be complete,
    `outer` what those know that have begun it (and what their events stand for), `ended` what threads know at the end.
    """

    facts: Streams
    lenient: bool
    cautious: bool = False
    apart: bool = False
    exact: bool = False
    done: list[Done] = field(default_factory=list[Done])
    host: Completed = NONE
    everything: Completed = NONE
    devices: dict[Term, Completed] = field(default_factory=dict[Term, Completed])
    streams: dict[Stream, Completed] = field(default_factory=dict[Stream, Completed])
    events: dict[Address, Completed] = field(default_factory=dict[Address, Completed])
    early: list[tuple[Address, Completed]] = field(default_factory=list["tuple[Address, Completed]"])
    begun: dict[Stream, Completed] = field(default_factory=dict[Stream, Completed])
    followed: dict[Stream, Completed] = field(default_factory=dict[Stream, Completed])
    left: dict[str, dict[int, _Left]] = field(default_factory=dict[str, "dict[int, _Left]"])
    replays: int = 0
    outer: list[tuple[Completed, dict[Address, Completed]]] = field(
        default_factory=list["tuple[Completed, dict[Address, Completed]]"]
    )
    ended: dict[str, tuple[Completed, dict[Address, Completed]]] = field(
        default_factory=dict[str, "tuple[Completed, dict[Address, Completed]]"]
    )

    def run(self, events: Iterable[Event]) -> list[Done]:
        """The work among the events, each with what is complete before it begins."""
        for event in events:
            match event:
                case Work():
                    self._put(event)
                case Use():
                    self._use(event)
                case Wait():
                    self._wait(event)
                case Mark(event=marked, stream=stream):
                    known = self._behind((stream, self._device(stream, event.device)), every=event.every_stream)
                    self.events[marked] = joined(self._before(event), under(known, event.choices))
                case Follow(stream=stream, event=marked):
                    known = under(self._marked(marked, every=event.every), event.choices)
                    self._follow((stream, self._device(stream, event.device)), known, every=event.every_stream)
                case Replay():
                    self._replay(event)
                case Begin():
                    self.outer.append((self.host, dict(self.events)))
                case End(thread=thread) if self.outer:
                    self.ended[thread] = self.host, self.events
                    self.host, self.events = self.outer.pop()
                case Join(thread=thread, every=every):
                    self._join(thread, every=every)
                case _:
                    pass
        return self.done

    def _before(self, event: Mark) -> Completed:
        """What an event may still stand for, that was recorded before: all of it, unless it surely is recorded anew."""
        known = self.events.get(event.event, NONE)
        if event.every or (self.lenient and len(event.choices) > 1):
            return known
        return under(known, frozenset(map(negate, event.choices))) if self.lenient and event.choices else NONE

    def _device(self, stream: Address, device: Term) -> Term | None:
        return device if stream == DEFAULT else None

    def _join(self, thread: str, *, every: bool) -> None:
        """The host waits for one of its threads, or for all of them, for all that is known."""
        if every:
            for name in self.ended:
                if name == thread or name.startswith(f"{thread} of "):
                    self._join(name, every=False)
            return
        known = [self.ended[thread]] if thread in self.ended else self.ended.values() if self.lenient else ()
        for host, events in known:
            self.host = joined(self.host, host)
            self.events |= events

    # ------------------------------------------------------------ work

    def _put(self, work: Work) -> None:
        stream = (work.stream, self._device(work.stream, work.device))
        before = self._behind(stream, work=True)
        begins = self.begun.get(stream, before) if work.early else before
        early = tuple(t for t in work.touches if t.early)
        if work.early and early:
            first = self._add(Done(replace(work, touches=early), joined(self.host, begins)))
            before = joined(before, piece(first))
        self.begun[stream] = begins if work.kernel else joined(before, piece(len(self.done)))
        known = joined(self.host, before)
        number = self._add(Done(work, known))
        self.streams[stream] = joined(before, piece(number))
        if work.waits:
            self.host = joined(self.host, under(self.streams[stream], work.choices))

    def _use(self, use: Use) -> None:
        """What the host does itself begins after all that it has waited for, and is complete before it goes on."""
        work = Work(
            "the host", "", use.span, DEFAULT, const(0), (use.touch,), (), use.choices, by_host=True, told=use.told,
            sure=use.sure, within=use.within,
        )  # fmt: skip
        self.done.append(Done(work, self.host))
        self.host = joined(self.host, piece(len(self.done) - 1))

    def _add(self, done: Done) -> int:
        self.done.append(done)
        number, device = len(self.done) - 1, done.work.device
        left = _Left(frozenset(p.key for p in places(done.work.stream)))
        for name in left.names:
            self.left.setdefault(name, {})[number] = left
        whole = joined(done.known, piece(number))
        self.everything = joined(self.everything, whole)
        self.devices[device] = joined(self.devices.get(device, NONE), whole)
        return number

    def _replay(self, replay: Replay) -> None:
        self.replays += 1
        stream = (replay.stream, self._device(replay.stream, replay.device))
        before = self._behind(stream, work=True)
        known = joined(self.host, before)
        captured = [d.work for d in self.done if d.work.captured and not d.replay]
        for work in captured:
            launched = replace(work, choices=work.choices | replay.choices, told=work.told | replay.choices)
            before = joined(before, piece(self._add(Done(launched, known, self.replays))))
        self.streams[stream] = before

    def _behind(self, stream: Stream, *, every: bool = False, work: bool = False) -> Completed:
        """What is complete before work that is put into a stream now, without what the host has waited for.

        Of `work`, streams that are not known to be one are two, except for what they follow.
        """
        found = NONE
        for other, known in self.streams.items():
            if self._same(stream, other, every=every, work=work) or self._default_orders(stream, other):
                found = joined(found, known)
        for other, known in self.followed.items() if work else ():
            if self._same(stream, other, every=every):
                found = joined(found, known)
        for other, known in self.early:
            if self.facts.may_be_element(stream[0], other):
                found = joined(found, known)
        return found

    def _same(self, one: Stream, other: Stream, *, every: bool, work: bool = False) -> bool:
        if every and self.facts.may_be_element(one[0], other[0]):
            return True
        if self.cautious and self.facts.may_be(one[0], other[0]):
            return True
        if self.lenient and not self.exact and (self.cautious or not work):
            return not self.facts.differ(one, other)
        return one == other and ((self.lenient and not self.apart) or not is_got(one[0]))

    def _default_orders(self, one: Stream, other: Stream) -> bool:
        """Whether one is the default stream, and the other waits for it."""
        if (one[0] == DEFAULT) == (other[0] == DEFAULT):
            return False
        return self.facts.waits(other[0] if one[0] == DEFAULT else one[0], lenient=self.lenient and not self.apart)

    # ------------------------------------------------------------ events and waits

    def _marked(self, event: Address, *, every: bool) -> Completed:
        """What is complete when an event is."""
        found = NONE
        for other, known in self.events.items():
            every_one = every and self.facts.may_be_element(event, other)
            unclear = self.lenient and event != other and self.facts.is_unclear(event, other)
            lenient = self.lenient and (unclear or self.facts.may_be(event, other))
            lenient = lenient and (self.cautious or not are_other_elements(event, other))
            told = not self.apart or not (unclear or self.facts.is_any(event) or self.facts.is_any(other))
            if other == event or (told and (every_one or lenient)):
                found = joined(found, known)
        return found

    def _follow(self, stream: Stream, known: Completed, *, every: bool) -> None:
        self.streams.setdefault(stream, self._behind(stream) if self.lenient else NONE)
        for other in list(self.streams):
            if other == stream or (every and self._same(stream, other, every=True)):
                self.streams[other] = joined(self.streams[other], known)
        if self.lenient:
            self.followed[stream] = joined(self.followed.get(stream, NONE), known)
        if every:
            self.early.append((stream[0], known))

    def _wait(self, wait: Wait) -> None:
        seen = wait.sure or (wait.polls and self.lenient and not wait.looks)
        if not (seen or self.cautious):
            return
        if wait.event is not None:
            known = self._marked(wait.event, every=wait.every)
        elif wait.stream is not None:
            stream = (wait.stream, self._device(wait.stream, wait.device))
            known = joined(self._behind(stream, every=wait.every), self._one_of(wait))
        else:
            known = self._of_device(wait)
        self.host = joined(self.host, under(known, wait.choices))

    def _one_of(self, wait: Wait) -> Completed:
        """Work that is in one of several streams, all of which have been waited for with this one."""
        found = NONE
        name = wait.stream.key if isinstance(wait.stream, Place) else None
        for number, left in self.left.pop(name, {}).items() if name is not None else ():
            left.names -= {name}
            left.choices |= wait.choices
            found = found if left.names else joined(found, piece(number, left.choices))
        return found

    def _of_device(self, wait: Wait) -> Completed:
        if wait.every or not wait.sure:
            return self.everything
        if not self.lenient or wait.device.is_const:
            found = self.devices.get(wait.device, NONE)
            others = (known for device, known in self.devices.items() if self.lenient and not device.is_const)
            for known in others:
                found = joined(found, known)
            return found
        return self.everything


def concurrent(done: list[Done], partners: Sequence[int]) -> Iterator[tuple[Done, Done]]:
    """Pairs of work that may run at the same time, the first one put on the device earlier.

    `partners` are the other work, as bits, that each piece is to be paired with.
    """
    never_both = cache(exclusive)  # the choices are few, for all the work that there is
    for later, two in enumerate(done):
        before = partners[later] & ((1 << later) - 1)
        for choices, bits in two.known.items():
            before &= -1 if choices else ~bits
        for earlier in numbers(before):
            one, choices = done[earlier], needed(two.known, earlier)
            if choices is not None and choices <= (one.work.choices | two.work.choices):
                continue
            if _together(one, two) and not never_both(one.work.choices, two.work.choices):
                yield one, two


def _together(one: Done, two: Done) -> bool:
    """Whether both run: the work of a graph does so where that is launched, in the order that it was captured in.

    Of captured work itself, that of one graph is compared.
    """
    if one.replay or two.replay:
        return one.replay != two.replay and all(d.replay or not d.work.captured for d in (one, two))
    return one.work.captured == two.work.captured and _is_of_one_graph(one.work, two.work)


def _is_of_one_graph(one: Work, other: Work) -> bool:
    return one.graph == other.graph
