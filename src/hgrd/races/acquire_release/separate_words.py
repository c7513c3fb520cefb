"""Separate words of one object: accesses that never touch the same bytes, whichever threads make them.

    while (atomicCAS(&account[k].lock, 0, 1) != 0);
    account[k].sum += x;
    atomicExch(&account[k].lock, 0);

What the thread that has the lock writes to the other members of the record does not change the lock.  For
synchronisation, separate words are objects of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.span import Span
from hgrd.protocol.model import Access, Item, Observation, Protocol, ProtocolLoop, accesses
from hgrd.races.acquire_release.places import Place, may_overlap, place_of
from hgrd.symbolic.values import MemoryObject

_MOST: Final = 64  # accesses of an object that are compared with each other

_Made: TypeAlias = tuple[str, Span, tuple[Span, ...]]
"""Where in the program an object, by its key, is accessed."""


class SeparateWords(Struct, frozen=True):
    """A protocol in which separate words of the objects that it observes are objects of their own."""

    protocol: Protocol
    _words: Mapping[_Made, MemoryObject]

    def of(self, access: Access) -> Access:
        """An access of the protocol as it was, with the word that it goes to for its target."""
        word = self._words.get(_made(access))
        return access if word is None else replace(access, target=word)


def separate_words(protocol: Protocol) -> SeparateWords:
    """The protocol with its separate words."""
    words = _words(protocol)
    if not words:
        return SeparateWords(protocol, words)
    symbols, memory = protocol.symbols, protocol.memory
    observed = {name: _looking_at_word(o, words) for name, o in symbols.observed.items()}
    of_object = [(key, word.key) for (key, _, _), word in words.items()]
    declared = {word: memory.declared[key] for key, word in of_object if key in memory.declared}
    written = memory.written | {word for key, word in of_object if key in memory.written}
    begins = [
        replace(b, key=w.key) for b in memory.begins for w in set(words.values()) if w.key.startswith(f"{b.key}#")
    ]
    apart = SeparateWords(protocol, words)
    whole = replace(
        protocol,
        items=_with_words(protocol.items, apart),
        symbols=replace(symbols, observed=observed),
        memory=replace(
            memory, written=written, declared={**memory.declared, **declared}, begins=(*memory.begins, *begins)
        ),
    )
    return SeparateWords(whole, words)


def _made(one: Access | Observation) -> _Made:
    return one.target.key, one.span, one.stack


def _looking_at_word(observation: Observation, words: Mapping[_Made, MemoryObject]) -> Observation:
    word = words.get(_made(observation))
    return observation if word is None else replace(observation, target=word)


def _with_words(items: tuple[Item, ...], words: SeparateWords) -> tuple[Item, ...]:
    found: list[Item] = []
    for item in items:
        match item:
            case Access():
                found.append(words.of(item))
            case ProtocolLoop(items=inner):
                found.append(replace(item, items=_with_words(inner, words)))
            case _:
                found.append(item)
    return tuple(found)


# ---------------------------------------------------------------- which accesses go to one word


def _words(protocol: Protocol) -> dict[_Made, MemoryObject]:
    """The words of the objects that are observed and have more than one."""
    found: dict[_Made, MemoryObject] = {}
    observations = protocol.symbols.observed.values()
    everything = accesses(protocol.items)
    for key in sorted({o.target.key for o in observations}):
        here = [a for a in everything if a.target.key == key]
        made = {_made(a) for a in here}
        if len(made) < 2 or not all(_made(o) in made for o in observations if o.target.key == key):
            continue
        groups = _groups(here)
        for number, group in enumerate(groups if len(groups) > 1 else ()):
            word = replace(here[0].target, key=f"{key}#{number}")
            found |= dict.fromkeys(group, word)
    return found


def _groups(here: Iterable[Access]) -> list[frozenset[_Made]]:
    """The accesses of one object, those together that may overlap."""
    places: dict[Place, set[_Made]] = {}
    for access in here:
        places.setdefault(place_of(access), set()).add(_made(access))
    groups: list[tuple[frozenset[_Made], list[Place]]] = []
    for place, made in places.items() if len(places) <= _MOST else ():
        near = [g for g in groups if not made.isdisjoint(g[0]) or any(may_overlap(place, p) for p in g[1])]
        groups = [g for g in groups if g not in near]
        groups.append((frozenset(made).union(*(g[0] for g in near)), [place, *(p for g in near for p in g[1])]))
    return [made for made, _ in groups]
