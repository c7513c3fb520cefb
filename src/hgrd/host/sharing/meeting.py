"""Meeting in memory: whether two pieces of work, or one and the host, use the same objects, and the same elements.

Each uses the elements that its arguments lead it to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, product
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.concurrency.addresses import ANYWHERE, DEFAULT, UNKNOWN, Address, Place, places, ways
from hgrd.host.concurrency.found_places import any_numbers, meets, other_keys, other_members, other_places
from hgrd.host.concurrency.host_uses import holders_of
from hgrd.host.concurrency.iterations import Iterations
from hgrd.host.concurrency.keyed_pointers import Held
from hgrd.host.concurrency.rows import apart, meet
from hgrd.host.concurrency.trace import CALLBACK, Touch, Trace, Work
from hgrd.host.memory.pointer_origins import ANYTHING, IN
from hgrd.program.types import POINTER_SIZE, OpaqueType, RecordType
from hgrd.terms import Origin, Term
from hgrd.terms.linear import difference, linear

_MARKS: Final = re.compile(r"'\d+|~")
_POINTER: Final = ("pointer", POINTER_SIZE)
_NOWHERE: Final = ("number", UNKNOWN)


class Pair(Struct, frozen=True):
    """Two pieces of work that touch an object, by its name and key, which one of them writes."""

    one: Work
    other: Work
    name: str
    key: str
    writes: tuple[bool, bool]


def name_of(place: Place, iterations: Iterations, trace: Trace) -> str:
    return named(place.key, iterations, trace)


def named(key: str, iterations: Iterations, trace: Trace) -> str:
    """The name of an object, by its key in iterations."""
    key = iterations.origins.get(key, key)
    return _MARKS.sub("", trace.names.get(key, key))


def pairs(one: Work, other: Work, iterations: Iterations, trace: Trace, *, clash: bool) -> Iterator[Pair]:
    """The objects that two pieces of work share and one writes; `clash`: only where they use the same elements."""
    if one.by_host or other.by_host:
        return
    told: set[str] = set()
    for a in one.touches:
        for b in other.touches:
            if not (a.writes or b.writes):
                continue
            if not (a.found or b.found):
                found = _meeting_place(one, a, other, b, iterations, trace, clash=clash)
            else:
                found = _led_to(a, b, one.choices | other.choices, iterations)
            if found is None:
                continue
            name = name_of(found, iterations, trace)
            if name not in told:
                told.add(name)
                yield Pair(one, other, name, iterations.origins.get(found.key, found.key), (a.writes, b.writes))


def _meeting_place(
    one: Work, a: Touch, other: Work, b: Touch, iterations: Iterations, trace: Trace, *, clash: bool
) -> Place | None:
    """A place of the first of two touches that is, or may be, in an object which the other one uses, too."""
    both = [(p, q) for p, q in product(places(a.at), places(b.at)) if not _of_other_iterations(p, q, iterations, trace)]
    meeting = (
        p
        for p, q in both
        if _may_meet(p, q, iterations) or (not clash and _lead_to_one(p, q, iterations, loosely=True))
    )
    found = next(meeting, None)
    if found is None or (clash and not _clash(one, a, other, b, iterations)):
        shared = (p for p, q in both if iterations.may_be_shared(p.key, q.key) and not _other_bytes(a, b))
        numbered = (
            p
            for p, q in both
            if _by_any_numbers(p, q, iterations)
            and not (_other_bytes(a, b) or _found_alike(p, one.stream, other.stream, iterations))
        )
        return next(chain((p for p, q in both if _mixed(p, q, iterations, trace)), shared, numbered), None)
    return found


def _of_other_iterations(one: Place, other: Place, iterations: Iterations, trace: Trace) -> bool:
    """Whether two places are in objects that two iterations of a loop have made."""
    made = iterations.origins.get(one.key) if one.key != other.key else None
    return made in trace.allocated and made == iterations.origins.get(other.key)


def _by_any_numbers(one: Place, other: Place, iterations: Iterations) -> bool:
    """Whether two pointers were found in one object by numbers that the program computes, which may be equal.

    What a counter gives that threads of the host share, or a function that is not followed, may be so:
    `slots[next.fetch_add(1) % 4]`.
    """
    holder = iterations.holders.get(one.key)
    if holder is None or holder != iterations.holders.get(other.key) or iterations.keyed(holder) is not None:
        return False
    a, b = iterations.offsets[one.key][0], iterations.offsets[other.key][0]
    computed = any(s.origin is Origin.COMPUTED for s in chain(a.symbols, b.symbols))
    return computed and any_numbers(linear(difference(a, b))[1]) and not other_places(a, b)


def _found_alike(place: Place, stream: Address, other: Address, iterations: Iterations) -> bool:
    """Whether the number by which a pointer was found says which stream its work is in, too."""
    if not isinstance(stream, Place) or not isinstance(other, Place):
        return False
    found = iterations.offsets.get(stream.key)
    if found is None or iterations.holders[stream.key] != iterations.holders.get(other.key):
        return False
    atoms, numbers = linear(found[0])[1], linear(iterations.offsets[place.key][0])[1]
    return any_numbers(atoms) and atoms.keys() <= numbers.keys()


def _led_to(a: Touch, b: Touch, choices: frozenset[Term], iterations: Iterations) -> Place | None:
    """A place that one of two touches uses, and to which a pointer leads that is found in what the other one uses."""
    if a.found and b.found:
        return None
    direct, deep = (b, a) if a.found else (a, b)
    for place, tests in ways(direct.at):
        for holder, others in ways(deep.at):
            if _leads_to(holder, place, deep.follows, iterations) and not iterations.exclusive(
                tests | choices, others | choices
            ):
                return place
    return None


def _leads_to(holder: Place, place: Place, follows: frozenset[tuple[int, int]] | None, iterations: Iterations) -> bool:
    """Whether a place is got by pointers the first of which stands in such bytes from the holder's address on."""
    way = holders_of(place.key, iterations.holders)
    if holder.key not in way[1:]:
        held = iterations.held_in(holder)
        return any(key in held and iterations.origins.get(key, key) == key for key in way)
    found, _ = iterations.offsets[way[way.index(holder.key) - 1]]
    at = difference(found, holder.offset)
    return follows is None or not at.is_const or any(first <= at.value < last for first, last in follows)


def with_host(one: Work, other: Work, iterations: Iterations, trace: Trace, *, loosely: bool = False) -> Iterator[Pair]:
    """The memory that the host uses itself and a kernel, a copy or a function in a stream does, and one of them writes.

    Not where both use visibly different elements.  `loosely`: also where a pointer that is not known may lead there.
    """
    if one.by_host == other.by_host:
        return
    host, kernel = (one, other) if one.by_host else (other, one)
    (used,) = host.touches
    for touch in kernel.touches:
        if not (kernel.kernel or touch.locked or kernel.what == CALLBACK):
            continue
        if (touch.writes or used.writes) and not _other_kind(used, touch) and not _visibly_apart(used, touch):
            choices = host.choices | kernel.choices
            if _is_anywhere(touch):
                found = _common_memory(used, choices, iterations, trace)
            elif touch.found and kernel.what == CALLBACK:
                found = _led_to(used, touch, choices, iterations)
            else:
                found = _common_place(used, touch, choices, iterations, loosely=loosely)
            if found is not None:
                name, key = name_of(found, iterations, trace), iterations.origins.get(found.key, found.key)
                writes = (used.writes, touch.writes) if host is one else (touch.writes, used.writes)
                yield Pair(one, other, name, key, writes)
                return


def _common_memory(used: Touch, choices: frozenset[Term], iterations: Iterations, trace: Trace) -> Place | None:
    """A place that the host uses under choices of the program, in memory that it has made for kernels, too.

    A pointer that is read or written by what the library returns is in an object of the library's.
    """
    for place, tests in ways(used.at):
        numbers = used.kinds is None or _POINTER not in used.kinds
        objects = iterations.objects(place) if numbers else {iterations.origins.get(place.key, place.key)}
        common = (numbers and place.key.startswith(ANYWHERE)) or not objects.isdisjoint(trace.common)
        if common and trace.common and not iterations.exclusive(tests | choices, choices):
            return place
    return None


def with_early(one: Work, other: Work, iterations: Iterations, trace: Trace) -> Iterator[Pair]:
    """The memory that a kernel and one that begins before its end both use, and one of them writes."""
    if not any(work.early and all(t.early for t in work.touches) for work in (one, other)):
        return
    for pair in pairs(one, other, iterations, trace, clash=False):
        uses = ((a, b) for a in one.touches for b in other.touches if a.writes or b.writes)
        if not all(_visibly_apart(a, b) for a, b in uses if _common_place(a, b, frozenset(), iterations) is not None):
            yield pair


def _common_place(
    a: Touch, b: Touch, choices: frozenset[Term], iterations: Iterations, *, loosely: bool = False
) -> Place | None:
    """A place in an object that both may use at once, under choices of the program."""
    there, held = list(ways(b.at)), a.kinds is not None and not b.found and _POINTER not in a.kinds
    for place, tests in ways(a.at):
        known = holders_of(place.key, iterations.holders)[1:] if b.found else ()
        meet_there = (
            q.key in known
            or iterations.may_be_shared(place.key, q.key)
            or _may_meet(place, q, iterations, loosely=loosely)
            or (held and _lead_to_one(place, q, iterations, loosely=loosely))
            for q, _ in there
        )
        meeting = (way for way, meets_ in zip(there, meet_there, strict=True) if meets_)
        if any(not iterations.exclusive(tests | choices, others | choices) for _, others in meeting):
            return place
    return None


def _other_kind(used: Touch, touch: Touch) -> bool:
    """Whether the host reads numbers of other kinds than those that the kernel writes."""
    return not used.writes and used.kinds is not None and touch.kinds is not None and used.kinds.isdisjoint(touch.kinds)


def _visibly_apart(a: Touch, b: Touch) -> bool:
    """Whether two uses of one object are of different bytes, by the rows of elements that each keeps to."""
    same = isinstance(a.at, Place) and isinstance(b.at, Place) and a.at.key == b.at.key
    return same and _other_bytes(a, b)


def _other_bytes(a: Touch, b: Touch) -> bool:
    """Whether two uses are of different bytes, if they are of one object."""
    if not isinstance(a.at, Place) or not isinstance(b.at, Place):
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
        return not _keyed_apart(one, other, iterations)
    return loosely and any(key in iterations.objects(p) for p, key in ((one, other.key), (other, one.key)))


def _lead_to_one(one: Place, other: Place, iterations: Iterations, *, loosely: bool = False) -> bool:
    """Whether two pointers may lead to one object that the program has put where the library holds it.

    Not if they were found at different places: of one object, or as other members of one class, or by other keys of a
    map whose elements differ (`loosely`: surely do).
    """
    shared = iterations.objects(one) & iterations.objects(other)
    a, b = iterations.holders.get(one.key), iterations.holders.get(other.key)
    if not any(key != ANYTHING and (a != b or not key.startswith(IN)) for key in shared):
        return False
    if a is None or b is None:
        return True
    (x, _), (y, _) = iterations.offsets[one.key], iterations.offsets[other.key]
    keyed = iterations.keyed(a)
    if a == b and keyed is None:
        return meets(one, other, iterations.holders, iterations.offsets)
    if a == b and isinstance(iterations.types[one.key], OpaqueType):
        return True  # parts of what one key has, or of what two have
    if a == b or other_keys(a, b):
        differ = a != b or other_places(x, y)
        return not differ or keyed is Held.MIXED or (loosely and keyed is not Held.APART)
    members = isinstance(of_class := iterations.types[one.key], RecordType) and of_class == iterations.types[other.key]
    return not (members and other_members(x, y))


def _keyed_apart(one: Place, other: Place, iterations: Iterations) -> bool:
    """Whether two pointers were found in one map by different keys, each of which has an object of its own."""
    a = iterations.holders.get(one.key)
    if a is None or a != iterations.holders.get(other.key) or iterations.keyed(a) is not Held.APART:
        return False
    return other_places(iterations.offsets[one.key][0], iterations.offsets[other.key][0])


def _mixed(one: Place, other: Place, iterations: Iterations, trace: Trace) -> bool:
    """Whether two pointers may be one, where the library hides which of those that the program has stored they are.

    Not if they were found at different places that nothing shows to be the same: see `_lead_to_one`.
    """
    a, b = iterations.holders.get(one.key), iterations.holders.get(other.key)
    if one.key == other.key:
        return False
    objects, others = iterations.objects(one), iterations.objects(other)
    if iterations.repeats(one.key, other.key):
        return not (objects & others).isdisjoint(trace.once | trace.again)
    if (told := iterations.may_be_same(one.key, other.key)) is not None:
        return told
    made = objects & trace.once
    if len(made) == 1 and made == others & trace.once:
        return True
    found_alike = iterations.origins.get(one.key) == iterations.origins.get(other.key)
    elements = found_alike or (a is not None and a == b and iterations.keyed(a) is None)  # see Iterations.may_be_shared
    hidden = not elements and not (objects & others).isdisjoint(trace.once | trace.again)
    if hidden and _lead_to_one(one, other, iterations):
        return True
    return a is not None and b is not None and (a == b or other_keys(a, b)) and iterations.keyed(a) is Held.MIXED


def _clash(one: Work, a: Touch, other: Work, b: Touch, iterations: Iterations) -> bool:
    """Whether two uses of memory are of the same elements, for all that the host's code and the kernels' form show."""
    if _is_anywhere(a) or _is_anywhere(b):
        return True
    return any(
        p.key == q.key
        and _clash_at(one, replace(a, at=p), other, replace(b, at=q))
        and ((a.at == p and b.at == q) or _in_other_streams(one, tests, other, others, iterations))
        for p, tests in ways(a.at)
        for q, others in ways(b.at)
    )


def _in_other_streams(
    one: Work, tests: frozenset[Term], other: Work, others: frozenset[Term], iterations: Iterations
) -> bool:
    """Whether two pieces of work may be in two streams where these choices are made."""
    made = tests | others | one.choices | other.choices
    return any(
        u != v and not iterations.exclusive(made | first | second, made | first | second)
        for u, first in ways(one.stream)
        for v, second in ways(other.stream)
    )


def _clash_at(one: Work, a: Touch, other: Work, b: Touch) -> bool:
    """As `_clash`, of uses by pointers that lead to one object."""
    if not isinstance(a.at, Place) or not isinstance(b.at, Place):
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
    if None in numbers[0] | numbers[1]:
        return False
    if one.kernel == other.kernel:
        return one.numbers == other.numbers
    return numbers[0] <= numbers[1] or numbers[1] <= numbers[0]
