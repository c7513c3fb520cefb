"""Where the items of a protocol stand in program order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hgrd.protocol.model import Access, Item, Protocol, ProtocolLoop
from hgrd.terms import Symbol

Step = tuple[tuple[Item, ...], int]


class Spot(Struct, frozen=True, eq=False):
    """An item, and the sequences that lead to it with the index in each, outermost first.

    Every item has one: two spots are the same only if they are one object.
    """

    item: Item
    path: tuple[Step, ...]

    @property
    def depth(self) -> int:
        """Loops around the item."""
        return len(self.path) - 1

    @property
    def around(self) -> tuple[ProtocolLoop, ...]:
        """The loops that contain the item, outermost first."""
        found = (items[i] for items, i in self.path[:-1])
        return tuple(item for item in found if isinstance(item, ProtocolLoop))


Accesses = Sequence[tuple[Spot, Access]]


class Placement(Struct, frozen=True):
    """All items of a protocol, in program order; accesses also by number, by the symbol of what they got, and by
    the key of the object that they change.
    """

    spots: tuple[Spot, ...]
    _numbers: Mapping[int, Spot]
    _results: Mapping[Symbol, Accesses]
    _changes: Mapping[str, Accesses]

    def of(self, access: Access) -> Spot:
        return self._numbers[access.number]

    def giving(self, symbol: Symbol) -> Accesses:
        """The reads and atomics that got `symbol`."""
        return self._results.get(symbol, ())

    def changes(self, key: str) -> Accesses:
        """What may leave something else in the object with this key."""
        return self._changes.get(key, ())


def placement(protocol: Protocol) -> Placement:
    spots = tuple(_walk(protocol.items, ()))
    numbers: dict[int, Spot] = {}
    results: dict[Symbol, list[tuple[Spot, Access]]] = {}
    changes: dict[str, list[tuple[Spot, Access]]] = {}
    for spot in spots:
        match spot.item:
            case Access() as access:
                numbers.setdefault(access.number, spot)
                if access.result is not None:
                    results.setdefault(access.result, []).append((spot, access))
                if access.changes:
                    changes.setdefault(access.target.key, []).append((spot, access))
            case _:
                pass
    return Placement(spots, numbers, results, changes)


def _walk(items: tuple[Item, ...], prefix: tuple[Step, ...]) -> Iterator[Spot]:
    for index, item in enumerate(items):
        path = (*prefix, (items, index))
        yield Spot(item, path)
        if isinstance(item, ProtocolLoop):
            yield from _walk(item.items, path)


def meeting(a: Spot, b: Spot) -> int:
    """The depth of the innermost sequence that both stand in, in the same iteration of the loops around it."""
    depth = 0
    for (x, i), (y, j) in zip(a.path, b.path, strict=False):
        if x is not y:
            return depth - 1
        if i != j:
            return depth
        depth += 1
    return depth - 1


def precedes(a: Spot, b: Spot) -> bool:
    """Within one iteration of the loops around both, `a` comes first."""
    at = meeting(a, b)
    return a.path[at][1] < b.path[at][1]


def certain(a: Spot, b: Spot) -> bool:
    """Nothing but its own guards keeps `a` from being performed where `b` is: it is in no further loop."""
    return meeting(a, b) == a.depth


def may_follow(spot: Spot, there: Spot) -> bool:
    """Whether an item may be performed after another one: behind it, or in a later iteration."""
    at = meeting(spot, there)
    return at > 0 or spot.path[at][1] > there.path[at][1]
