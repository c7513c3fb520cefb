"""Targets of the pointers that a whole program stores in memory, where its kernels may find them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from hgrd.host.memory.closure import Closure
from hgrd.host.memory.pointer_origins import IN, PointerOrigins
from hgrd.host.model import HeldPointers
from hgrd.symbolic.values import Value, pointed_to


class StoredTargets(Struct):
    """What is held by objects, from one launch to the next, after the host code has been followed.

    `held` is by the keys of objects, and `beyond` has the keys of what the pointers in them lead to.
    """

    origins: PointerOrigins
    closure: Closure
    held: dict[str, tuple[HeldPointers, ...]] = field(default_factory=dict[str, tuple[HeldPointers, ...]])
    beyond: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def of(self, values: Iterable[Value], known: Iterable[str]) -> list[HeldPointers]:
        """What a kernel with these arguments, and these variables, may find in memory."""
        found: list[HeldPointers] = []
        seen: set[str] = set()
        todo = [*(t.key for value in values for t in pointed_to(value)), *known]
        while todo:
            holder = todo.pop()
            if holder in seen:
                continue
            seen.add(holder)
            if holder not in self.held:
                held = self.held[holder] = tuple(self._held_in(holder))
                targets = frozenset[str]().union(*(one.targets for one in held))
                self.beyond[holder] = frozenset(t for t in targets if not t.startswith(IN))
            found += self.held[holder]
            todo += self.beyond[holder] - seen
        return found

    def _held_in(self, holder: str) -> Iterator[HeldPointers]:
        """What the program puts in an object, and in those that it may be, by members."""
        members: dict[str, set[str]] = {}
        for key in {name.removeprefix(IN) for name in self.closure.of((holder,))}:
            for member, names in self.origins.visible.of(key).items():
                members.setdefault(member, set()).update(names)
        for member, names in members.items():
            yield HeldPointers(holder, member, self.closure.of(names))
