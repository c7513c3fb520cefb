"""Names for symbols: readable, unique, and the same for the same thing."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct, field

from hgrd.terms import Origin, Symbol


def hidden(base: str) -> str:
    """A name for what only a trial run sees: it must not cost the real thing its name."""
    return base if base.endswith("~") else f"{base}~"


class Names(Struct):
    """Hands out symbols.  `index` orders them by creation; `owners`: whose contents names are, by key."""

    taken: dict[str, int] = field(default_factory=dict[str, int])
    stable: dict[Hashable, str] = field(default_factory=dict[Hashable, str])
    index: dict[str, int] = field(default_factory=dict[str, int])
    owners: dict[str, str] = field(default_factory=dict[str, str])

    def unique(self, base: str) -> str:
        """`base`, or base'2, base'3 … if it is taken."""
        count = self.taken.get(base, 0) + 1
        self.taken[base] = count
        name = base if count == 1 else f"{base}'{count}"
        self.index[name] = len(self.index)
        return name

    def of(self, key: Hashable, base: str, owner: str = "") -> str:
        """The same name for the same key; `owner`: for what an object holds, the key of the object."""
        name = self.stable.get(key)
        if name is None:
            name = self.stable[key] = self.unique(base)
            self.owners[name] = owner
        return name

    def fresh(self, base: str, low: int, high: int, origin: Origin) -> Symbol:
        return Symbol(self.unique(base), low, high, origin)

    def mark(self) -> int:
        """Symbols created from now on have an index that is not below the mark."""
        return len(self.index)

    def older(self, symbol: Symbol, mark: int) -> bool:
        return self.index.get(symbol.name, -1) < mark
