"""Pointers that maps hold by keys: whether elements by different keys may be one pointer.

m["a"] = p; m["b"] = q; std::swap(m["a"], m["b"]);    // "b" has what "a" had before
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from msgspec import Struct, field

from hgrd.host.concurrency.addresses import Lookup
from hgrd.host.memory.closure import Closure
from hgrd.host.memory.pointer_origins import IN, PointerOrigins
from hgrd.symbolic.names import Names
from hgrd.terms import Term

_MAP: Final = re.compile(r"std::\w+::(?:operator\[\]|at)\((?P<map>.+?) \+ 0, ")


class Held(Enum):
    """What elements of a map are by different keys."""

    APART = auto()  # each has an object of its own
    ONCE = auto()  # nothing shows that one is the same as another
    MIXED = auto()  # one may be what another is, or was


class KeyedPointers(Struct):
    """The pointers in the maps of a run, by what it has stored there by keys that are known.

    `lookups` say how elements were got, by their keys.
    """

    origins: PointerOrigins
    closure: Closure
    lookups: Mapping[str, Lookup]
    names: Names
    known: dict[str, Held] = field(default_factory=dict[str, Held])

    def held(self, element: str) -> Held | None:
        """What the map holds that an element is of, by the element's name; None: it is of no map."""
        found = _MAP.match(element)
        if found is None:
            return None
        if found["map"] not in self.known:
            self.known[found["map"]] = self._held_in(found["map"])
        return self.known[found["map"]]

    def _held_in(self, map_: str) -> Held:
        keys: dict[str, set[tuple[str, Term]]] = {}
        elements: set[str] = set()
        for element, got in self.lookups.items():
            of_map = _MAP.match(got.name)
            if got.sure and of_map is not None and of_map["map"] == map_:
                elements.add(element)
                for name in self.origins.held.get(element, ()):
                    keys.setdefault(name, set()).add((got.name.partition(", ")[2], got.index))
        stored = {name: places for name, places in keys.items() if not name.startswith(IN)}
        if any(
            len(places) > 1 or self._again(name, places) or self._of_map(name, map_) for name, places in stored.items()
        ):
            return Held.MIXED
        all_ = {name for name in self.closure.of((IN + map_,)) if not name.startswith(IN)} - elements - {map_}
        return Held.APART if all_ <= stored.keys() else Held.ONCE

    def _again(self, name: str, places: set[tuple[str, Term]]) -> bool:
        """Whether a loop stores one object in many elements."""
        made = self.names.index.get(name, -1)
        return any(self.names.index.get(s.name, -1) > made for _, index in places for s in index.symbols)

    def _of_map(self, name: str, map_: str) -> bool:
        """Whether a pointer was itself found in the map."""
        return name in self.origins.loaded and IN + map_ in self.closure.of((name,))
