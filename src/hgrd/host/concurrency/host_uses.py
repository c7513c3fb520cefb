"""Uses of memory by the host itself: over all iterations of a loop, and which of them matter.

for (int i = 0; i < n; i++) x[i] = 0;             // writes n elements of x
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.concurrency.addresses import ANYWHERE, Place, places
from hgrd.host.concurrency.trace import CALLBACK, Event, Loop, Touch, Use, Work
from hgrd.host.memory.pointer_origins import IN
from hgrd.terms import Op, Symbol, Term, add, const, maximum, minimum, sub, symbols_of, var
from hgrd.terms.linear import from_linear, linear

_DEPTH: Final = 8


def in_all(touch: Touch, binder: Symbol, bounds: Iterable[Term]) -> Touch:
    """What a use touches in all iterations of a loop; where its elements are not a row, no more than the object."""
    unknown = replace(touch, rows=(), covered=False)
    if not isinstance(touch.at, Place) or not touch.covered:
        return unknown if binder in _symbols(touch) else touch
    if binder not in _symbols(touch):
        return touch
    (row,) = touch.rows
    constant, atoms = linear(touch.at.offset)
    step = atoms.pop(var(binder), 0)
    start = from_linear((constant, atoms))
    if row.step or binder in symbols_of(start, *row.terms()):
        return unknown
    low, high = _limits(binder, bounds)
    return replace(touch, at=Place(touch.at.key, start), rows=(replace(row, step=step, low=low, high=high),))


def is_all(binder: Symbol, bounds: Iterable[Term]) -> bool:
    """Whether conditions on the iterations of a loop say no more than where their numbers begin and end."""
    for bound in bounds:
        if binder not in bound.symbols:
            continue
        if bound.op not in (Op.LT, Op.LE) or linear(sub(*bound.args))[1].get(var(binder)) not in (1, -1):
            return False
    return True


def _symbols(touch: Touch) -> frozenset[Symbol]:
    terms = [p.offset for p in places(touch.at)] + [t for row in touch.rows for t in row.terms()]
    return frozenset(symbols_of(*terms))


def _limits(binder: Symbol, bounds: Iterable[Term]) -> tuple[Term, Term]:
    """The first number of an iteration, and what the numbers are below."""
    low, high = const(max(binder.low, 0)), const(binder.high + 1)
    for bound in bounds:
        if bound.op not in (Op.LT, Op.LE):
            continue
        constant, atoms = linear(sub(*bound.args))
        factor = atoms.pop(var(binder), 0)
        rest, more = from_linear((constant, atoms)), const(0 if bound.op is Op.LT else 1)
        if binder in symbols_of(rest):
            continue
        if factor == 1:
            high = minimum(high, sub(more, rest))
        elif factor == -1:
            low = maximum(low, add(sub(rest, more), const(1)))
    return low, high


class Uses(Struct, frozen=True):
    """The memory that kernels, or copies beside the host, touch so that uses by the host could matter.

    `holders` are the keys of the objects in which pointers were found, by the keys of what these lead to; `may_be` has
    the keys of objects that a pointer may lead to besides.  `touched` and `written` are keys of objects; memory in
    `common` is what a pointer of which nothing is known may lead to.
    """

    holders: Mapping[str, str]
    may_be: Callable[[str], Set[str]]
    common: Set[str] = frozenset()
    touched: Set[str] = frozenset()
    written: Set[str] = frozenset()

    def without_others(self, events: Iterable[Event]) -> list[Event]:
        """The events, without uses by the host of other memory."""
        known = list(events)
        touched = {key for t in _touches(known) for key in self._objects(t)}
        written = {key for t in _touches(known) if t.writes for key in self._objects(t)}
        return list(replace(self, touched=touched, written=written)._kept(known))

    def _objects(self, touch: Touch) -> set[str]:
        known = {key for p in places(touch.at) for key in holders_of(p.key, self.holders)}
        known = known.union(*(self.may_be(p.key) for p in places(touch.at)))
        known = known.union(*(self.may_be(IN + p.key) for p in places(touch.at) if touch.found))
        anywhere = any(key.startswith(ANYWHERE) for key in known)
        return known | self.common if anywhere else known

    def _kept(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            match event:
                case Use(touch=touch):
                    if not self._objects(touch).isdisjoint(self.touched if touch.writes else self.written):
                        yield event
                case Loop(body=body):
                    kept = list(self._kept(body))
                    if kept:
                        yield event if len(kept) == len(body) else replace(event, body=kept)
                case _:
                    yield event


def _touches(events: Iterable[Event]) -> Iterator[Touch]:
    for event in events:
        if isinstance(event, Loop):
            yield from _touches(event.body)
        elif isinstance(event, Work):
            yield from (t for t in event.touches if event.kernel or t.locked or event.what == CALLBACK)


def holders_of(key: str, holders: Mapping[str, str]) -> list[str]:
    """The object of this key, that in which a pointer to it was found, and so on."""
    found = [key]
    while found[-1] in holders and len(found) < _DEPTH:
        found.append(holders[found[-1]])
    return found
