"""Which two accesses can be performed with no barrier between them, and at which iterations.

Faial's aligned form (seed paper, section 4) as a relation instead of a rewritten program: inside a loop
that synchronises, all threads are in the same iteration between two barriers; what stands behind the last
barrier of an iteration runs together with what stands before the first one of the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from hgrd.program.memory import Level
from hgrd.protocol.model import Access, Barrier, Item, Protocol, ProtocolLoop, Scope
from hgrd.terms import Symbol, Term

Path: TypeAlias = tuple[tuple[tuple[Item, ...], int], ...]


class Party(Enum):
    FIRST = 1
    SECOND = 2


@dataclass(frozen=True, slots=True)
class Same:
    """Both are in the same iteration."""

    binder: Symbol


@dataclass(frozen=True, slots=True)
class Next:
    """`later` is one iteration ahead of the other."""

    binder: Symbol
    later: Party


@dataclass(frozen=True, slots=True)
class At:
    """`party` is in its first iteration."""

    binder: Symbol
    party: Party


@dataclass(frozen=True, slots=True)
class Last:
    """`party` is in the last iteration; the other one, behind the loop, knows their `count`."""

    binder: Symbol
    count: Symbol
    party: Party


@dataclass(frozen=True, slots=True)
class Skipped:
    """The loop had no iteration, as `party`, behind it, knows."""

    count: Symbol
    party: Party


@dataclass(frozen=True, slots=True)
class Without:
    """A barrier was not passed: not all of its `guards` hold, on which all threads agree."""

    guards: tuple[Term, ...]


Relation: TypeAlias = Same | Next | At | Last | Skipped | Without


@dataclass(frozen=True, slots=True)
class Order:
    """One way to be unordered: the relations hold.

    `exact` is False where a barrier that may order the two was left out of account.
    """

    relations: tuple[Relation, ...] = ()
    exact: bool = True


_COUNTING = {
    Level.INTER_BLOCK: frozenset({Scope.DEVICE, Scope.SYSTEM}),
    Level.INTRA_BLOCK: frozenset({Scope.BLOCK, Scope.DEVICE, Scope.SYSTEM}),
    Level.INTRA_WARP: frozenset({Scope.WARP, Scope.BLOCK, Scope.DEVICE, Scope.SYSTEM}),
}


@dataclass(frozen=True, slots=True)
class Phases:
    """The relation for one kernel; `uniform` tells conditions that all threads of a block agree on."""

    paths: dict[int, Path]
    uniform: Callable[[Term], bool]

    def unordered(self, a: Access, b: Access, level: Level) -> tuple[Order, ...]:
        """The ways in which `a` (by the first) and `b` (by the second) can meet at `level`; () for none."""
        walk = _Walk(self, a, b, level)
        pa, pb = self.paths[a.number], self.paths[b.number]
        return tuple(replace(walk, common=walk.tests(pa) | walk.tests(pb)).meet(pa, pb))

    def repeated(self, a: Access) -> bool:
        """Whether a thread may perform the access more than once: it stands in a loop."""
        return len(self.paths[a.number]) > 1

    def ordered_alike(self, a: Access, b: Access) -> bool:
        """Whether no barrier of any level plays a role."""
        return all(self.unordered(a, b, level) == (Order(),) for level in Level)


def phases(protocol: Protocol, uniform: Callable[[Term], bool]) -> Phases:
    paths: dict[int, Path] = {}

    def visit(items: tuple[Item, ...], prefix: Path) -> None:
        for index, item in enumerate(items):
            here = (*prefix, (items, index))
            match item:
                case Access():
                    paths[item.number] = here
                case ProtocolLoop():
                    visit(item.items, here)
                case _:
                    pass

    visit(protocol.items, ())
    return Phases(paths, uniform)


@dataclass(frozen=True, slots=True)
class _Walk:
    """`common`: tests of synchronising loops around an access; all threads make them alike."""

    phases: Phases
    a: Access
    b: Access
    level: Level
    common: frozenset[Term] = frozenset()

    # ------------------------------------------------------------ barriers

    def _relevant(self, item: Item) -> bool:
        return isinstance(item, Barrier) and item.scope in _COUNTING[self.level] and item.mask is None

    def _beyond(self, barrier: Barrier) -> tuple[Term, ...]:
        """The conditions of the barrier that do not follow from the two accesses being made."""
        return tuple(g for g in barrier.guards if not self._implied(g))

    def _implied(self, guard: Term) -> bool:
        in_a, in_b = guard in self.a.guards, guard in self.b.guards
        shared = guard in self.common or self.phases.uniform(guard)
        return (in_a and in_b) or ((in_a or in_b) and shared)

    def _has_barrier(self, items: tuple[Item, ...]) -> bool:
        return any(self._relevant(i) or (isinstance(i, ProtocolLoop) and self._has_barrier(i.items)) for i in items)

    def _synchronises(self, loop: ProtocolLoop) -> bool:
        """Whether every iteration passes a barrier, for all threads alike."""
        known = {*loop.guards, *loop.tests}
        return any(
            isinstance(i, Barrier) and self._relevant(i) and all(g in known for g in i.guards) for i in loop.items
        )

    def tests(self, path: Path) -> frozenset[Term]:
        """Tests of the synchronising loops on a path."""
        loops = [items[i] for items, i in path]
        return frozenset(t for i in loops if isinstance(i, ProtocolLoop) and self._synchronises(i) for t in i.tests)

    # ------------------------------------------------------------ the relation

    def meet(self, pa: Path, pb: Path) -> list[Order]:
        """Both accesses lie in the sequence pa[0][0] (the same for both)."""
        (items, i), (_, j) = pa[0], pb[0]
        if i == j:
            return self._same_item(items[i], pa, pb)
        if i < j:
            return _product(
                self._tail(pa, Party.FIRST), self._free(items[i + 1 : j], Party.SECOND), self._head(pb, Party.SECOND)
            )
        return _product(
            self._tail(pb, Party.SECOND), self._free(items[j + 1 : i], Party.FIRST), self._head(pa, Party.FIRST)
        )

    def _same_item(self, item: Item, pa: Path, pb: Path) -> list[Order]:
        if not isinstance(item, ProtocolLoop) or not self._has_barrier(item.items):
            return [Order()]
        if not self._synchronises(item):
            return [Order(exact=False)]
        inner_a, inner_b, binder = pa[1:], pb[1:], item.binder
        found = [_with(o, Same(binder)) for o in self.meet(inner_a, inner_b)]
        ahead = _product(self._to_end(inner_a, Party.FIRST), self._from_start(inner_b, Party.SECOND))
        found += [_with(o, Next(binder, Party.SECOND)) for o in ahead]
        behind = _product(self._to_end(inner_b, Party.SECOND), self._from_start(inner_a, Party.FIRST))
        found += [_with(o, Next(binder, Party.FIRST)) for o in behind]
        return found

    def _free(self, items: tuple[Item, ...], behind: Party) -> list[Order]:
        """Ways to pass all of `items` without meeting a barrier."""
        order = Order()
        for item in items:
            if isinstance(item, Barrier) and self._relevant(item):
                beyond = self._beyond(item)
                if not beyond:
                    return []
                agreed = all(map(self.phases.uniform, beyond))
                order = _with(order, Without(beyond)) if agreed else replace(order, exact=False)
            elif isinstance(item, ProtocolLoop) and self._has_barrier(item.items):
                if self._synchronises(item):
                    order = _with(order, Skipped(item.count, behind))
                else:
                    order = replace(order, exact=False)
        return [order]

    def _tail(self, path: Path, party: Party) -> list[Order]:
        """From the access to the end of the item that contains it, the other being behind that item."""
        item = path[0][0][path[0][1]]
        if not isinstance(item, ProtocolLoop) or not self._has_barrier(item.items):
            return [Order()]
        if not self._synchronises(item):
            return [Order(exact=False)]
        return [_with(o, Last(item.binder, item.count, party)) for o in self._to_end(path[1:], party)]

    def _head(self, path: Path, party: Party) -> list[Order]:
        """From the start of the item that contains the access to the access."""
        item = path[0][0][path[0][1]]
        if not isinstance(item, ProtocolLoop) or not self._has_barrier(item.items):
            return [Order()]
        if not self._synchronises(item):
            return [Order(exact=False)]
        return [_with(o, At(item.binder, party)) for o in self._from_start(path[1:], party)]

    def _to_end(self, path: Path, party: Party) -> list[Order]:
        items, i = path[0]
        return _product(self._tail(path, party), self._free(items[i + 1 :], party))

    def _from_start(self, path: Path, party: Party) -> list[Order]:
        items, i = path[0]
        return _product(self._free(items[:i], party), self._head(path, party))


def _with(order: Order, relation: Relation) -> Order:
    return replace(order, relations=(*order.relations, relation))


def _product(*parts: list[Order]) -> list[Order]:
    result = [Order()]
    for part in parts:
        result = [Order((*x.relations, *y.relations), x.exact and y.exact) for x in result for y in part]
    return result
