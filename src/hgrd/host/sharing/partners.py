"""Partners of work: the other pieces of work that may use an object which it uses, as far as their pointers say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from hgrd.host.concurrency.addresses import ANYWHERE, places
from hgrd.host.concurrency.host_uses import holders_of
from hgrd.host.concurrency.iterations import Iterations
from hgrd.host.concurrency.trace import CALLBACK, Touch, Work


def partners_of(work: Sequence[Work], iterations: Iterations) -> list[int]:
    """Pieces of work, as bits, that may share an object with each piece, so that it matters; one of the two writes.

    Both are work on the device, or one is the host and the other a kernel, a function in a stream, or a copy that goes
    on beside the host.
    """
    itself, calls = _bits(one.by_host for one in work), _bits(one.what == CALLBACK for one in work)
    beside_host = _bits(one.kernel != "" or _copies_later(one) for one in work) | calls
    objects = [
        [(keys, t.writes) for t in one.touches for keys in objects_of(one, t, iterations, deep=calls > 0)]
        for one in work
    ]
    users: dict[Set[str], int] = {}
    writers: dict[Set[str], int] = {}
    for number, own in enumerate(objects):
        for keys, writes in own:
            users[keys] = users.get(keys, 0) | 1 << number
            writers[keys] = writers.get(keys, 0) | writes << number
    with_users, with_writers = _of_common_objects(users), _of_common_objects(writers)
    found: list[int] = []
    for number, (one, own) in enumerate(zip(work, objects, strict=True)):
        others = 0
        for keys, writes in own:
            others |= (with_users if writes else with_writers)[keys]
        goes_on = beside_host >> number & 1
        found.append(others & beside_host if one.by_host else others if goes_on else others & ~itself)
    return found


def _bits(which: Iterable[bool]) -> int:
    return sum(1 << number for number, it_is in enumerate(which) if it_is)


def on_host(work: Work) -> bool:
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


def objects_of(work: Work, touch: Touch, iterations: Iterations, *, deep: bool = False) -> Iterator[Set[str]]:
    """Keys of the objects that a touch is in or, of what was found in memory, of those which hold it, in several sets.

    `deep`: of all that hold each other, as for what the host uses.
    The large ones among these are few, for all the touches that there are.
    """
    for place in places(touch.at):
        holders = holders_of(place.key, iterations.holders) if work.by_host or deep else ()
        for key in holders or (iterations.holders.get(place.key, place.key),):
            yield frozenset((key,))
        yield frozenset(iterations.objects(place))
        if touch.found:
            yield frozenset(iterations.held_in(place))
