"""Beginnings of words: what a flag or counter may hold when the kernel begins."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hgrd.host.model import Beginning
from hgrd.protocol.model import Access, MemoryFacts
from hgrd.terms import symbols_of
from hgrd.terms.interval import wrapped


def beginnings_of(memory: MemoryFacts, word: Access) -> list[Beginning]:
    """What may be at the place of an access when the kernel begins, as far as the program says it."""
    key = word.target.key
    known = [b for b in memory.begins if b.key == key]
    declared = memory.declared.get(key, ())
    return [b for b in (_with_declared(known, declared) if known else declared) if _is_there(b, word)]


def _with_declared(known: list[Beginning], declared: tuple[Beginning, ...]) -> Iterator[Beginning]:
    for beginning in known:
        if beginning.number is not None or beginning.kernel or beginning.anything:
            yield beginning
        else:
            yield from (replace(b, besides=(*b.besides, *beginning.besides)) for b in declared)


def _is_there(beginning: Beginning, word: Access) -> bool:
    """Whether a beginning is that of some bytes of a word; a kernel that is given another word has left another one."""
    if not word.offset.is_const:
        return not any(s.name in beginning.varying for s in symbols_of(word.offset))
    first, end = word.offset.value, word.offset.value + word.size
    within = beginning.first < end and (beginning.end is None or first < beginning.end)
    return within and not any(a <= first and end <= b for a, b in beginning.besides)


def number_at(beginning: Beginning, size: int, *, signed: bool) -> int | None:
    """The number that `size` bytes begin with; None: it is unknown."""
    if beginning.number is None or not beginning.size or size % beginning.size:
        return None
    part = beginning.number & ((1 << 8 * beginning.size) - 1)
    whole = sum(part << 8 * at for at in range(0, size, beginning.size))
    return wrapped(whole, 8 * size, signed)
