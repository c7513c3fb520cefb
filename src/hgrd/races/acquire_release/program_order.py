"""Program order of the items of a protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hgrd.protocol.model import Access, Item, Protocol, ProtocolLoop
from hgrd.terms import Symbol

Step = tuple[tuple[Item, ...], int]


class Position(Struct, frozen=True, eq=False):
    """Position of an item: the sequences that lead to it with the index in each, outermost first.

    Every item has one: two positions are the same only if they are one object.
    """

    item: Item
    path: tuple[Step, ...]

    @property
    def depth(self) -> int:
        """The number of loops around the item."""
        return len(self.path) - 1

    @property
    def around(self) -> tuple[ProtocolLoop, ...]:
        """The loops that contain the item, outermost first."""
        found = (items[i] for items, i in self.path[:-1])
        return tuple(item for item in found if isinstance(item, ProtocolLoop))


Accesses = Sequence[tuple[Position, Access]]


class ProgramOrder(Struct, frozen=True):
    """All items of a protocol, in program order.

    Accesses are also found by number, by the symbol of their result, and by the key of the object that they change.
    """

    positions: tuple[Position, ...]
    _numbers: Mapping[int, Position]
    _results: Mapping[Symbol, Accesses]
    _changes: Mapping[str, Accesses]

    def of(self, access: Access) -> Position:
        """The position of an access."""
        return self._numbers[access.number]

    def giving(self, symbol: Symbol) -> Accesses:
        """The reads and atomics whose result is `symbol`; () if there are none."""
        return self._results.get(symbol, ())

    def changes(self, key: str) -> Accesses:
        """The accesses that may leave another value in the object with this key; () if there are none."""
        return self._changes.get(key, ())


def program_order(protocol: Protocol) -> ProgramOrder:
    """The program order of a protocol's items."""
    positions = tuple(_walk(protocol.items, ()))
    numbers: dict[int, Position] = {}
    results: dict[Symbol, list[tuple[Position, Access]]] = {}
    changes: dict[str, list[tuple[Position, Access]]] = {}
    for position in positions:
        match position.item:
            case Access() as access:
                numbers.setdefault(access.number, position)
                if access.result is not None:
                    results.setdefault(access.result, []).append((position, access))
                if access.changes:
                    changes.setdefault(access.target.key, []).append((position, access))
            case _:
                pass
    return ProgramOrder(positions, numbers, results, changes)


def _walk(items: tuple[Item, ...], prefix: tuple[Step, ...]) -> Iterator[Position]:
    for index, item in enumerate(items):
        path = (*prefix, (items, index))
        yield Position(item, path)
        if isinstance(item, ProtocolLoop):
            yield from _walk(item.items, path)


def meeting(a: Position, b: Position) -> int:
    """The depth of the innermost sequence that contains both, in the same iteration of the loops around it."""
    depth = 0
    for (x, i), (y, j) in zip(a.path, b.path, strict=False):
        if x is not y:
            return depth - 1
        if i != j:
            return depth
        depth += 1
    return depth - 1


def precedes(a: Position, b: Position) -> bool:
    """Whether `a` comes before `b` within one iteration of the loops around both."""
    at = meeting(a, b)
    return a.path[at][1] < b.path[at][1]


def certain(a: Position, b: Position) -> bool:
    """Whether only the guards of `a` can keep it from being performed where `b` is: it is in no further loop."""
    return meeting(a, b) == a.depth


def may_follow(position: Position, other: Position) -> bool:
    """Whether an item may be performed after another one: it stands after it, or runs in a later iteration."""
    at = meeting(position, other)
    return at > 0 or position.path[at][1] > other.path[at][1]
