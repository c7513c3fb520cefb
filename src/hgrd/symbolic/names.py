"""Names of symbols: readable, unique, and stable for the same key."""

from __future__ import annotations

import re
from collections.abc import Hashable, Set
from itertools import islice

from msgspec import Struct, field

from hgrd.terms import Origin, Symbol


def hidden(base: str) -> str:
    """The name of a symbol that only a speculative run sees: it leaves `base` free for the recorded run."""
    return base if base.endswith("~") else f"{base}~"


def unnumbered(key: str) -> str:
    """The key of an object without its numbers: the same for what the same code makes when it runs again."""
    return re.sub(r"['@]\d+", "", key)


class Names(Struct):
    """A source of symbols.  `index` orders names by creation; `owners`: the key of the object a name is read from.

    `asked` are the keys whose names have been asked for, in order.
    """

    taken: dict[str, int] = field(default_factory=dict[str, int])
    stable: dict[Hashable, str] = field(default_factory=dict[Hashable, str])
    index: dict[str, int] = field(default_factory=dict[str, int])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    asked: list[tuple[Hashable, ...]] = field(default_factory=list[tuple[Hashable, ...]])

    def unique(self, base: str) -> str:
        """A new name: `base`, or base'2, base'3 … if it is taken."""
        count = self.taken.get(base, 0) + 1
        while (name := base if count == 1 else f"{base}'{count}") in self.index:
            count += 1
        self.taken[base] = count
        self.index[name] = len(self.index)
        return name

    def of(self, key: tuple[Hashable, ...], base: str, owner: str = "") -> str:
        """The name of a key, always the same; `owner`: the key of the object whose contents it names ("": none).

        A name for contents has the key of the object in its key.
        """
        self.asked.append(key)
        name = self.stable.get(key)
        if name is None:
            name = self.stable[key] = self.unique(base)
            self.owners[name] = owner
        return name

    def has_asked(self, parts: Set[Hashable], since: int) -> bool:
        """Whether a key with one of these parts is among those asked for since the one of this number."""
        return any(part in parts for key in islice(self.asked, since, None) for part in key)

    def fresh(self, base: str, low: int, high: int, origin: Origin) -> Symbol:
        """A new symbol with its bounds (both inclusive)."""
        return Symbol(self.unique(base), low, high, origin)

    def mark(self) -> int:
        """A mark in the order of creation: later symbols have an index not below it."""
        return len(self.index)

    def older(self, symbol: Symbol, mark: int) -> bool:
        """Whether a symbol was created before the mark (or elsewhere)."""
        return self.index.get(symbol.name, -1) < mark
