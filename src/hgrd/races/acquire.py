"""What a thread has acquired before an access, and what it releases after it.

An acquire is an atomic or a volatile read on whose value it depends that the access is reached, with a fence
behind it; a release is a fence behind the access with a write of the flag or lock behind that (CUDA
Programming Guide, "Memory Fence Functions"; HGRD, section 5.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hgrd.program.memory import AccessKind
from hgrd.protocol.model import Access, Barrier, Fence, Item, Observation, Protocol, ProtocolLoop, Scope, accesses
from hgrd.races.placement import Placement, Spot, certain, meeting, placement, precedes
from hgrd.terms import FALSE, TRUE, Op, Symbol, Term, conj, const, negate, symbols_of

_WIDTH = {Scope.WARP: 0, Scope.BLOCK: 1, Scope.DEVICE: 2, Scope.SYSTEM: 3}
_MOST = 16  # ways of acquiring, or of releasing, that are looked at


@dataclass(frozen=True, slots=True)
class Acquire:
    """Where `when` holds, `seen` was made before the access and what it found passed `test`.

    `scope` is the narrowest of the atomic and of the fence behind it; `fenced`: there is one.
    """

    seen: Observation
    symbol: Symbol
    test: Term
    when: Term
    scope: Scope
    fenced: bool
    spot: Spot


@dataclass(frozen=True, slots=True)
class Release:
    """Where `when` holds, the thread performs `write` after the access, with a fence between the two."""

    write: Access
    when: Term
    scope: Scope
    spot: Spot


def narrower(*scopes: Scope) -> Scope:
    return min(scopes, key=_WIDTH.__getitem__)


def at_least(scope: Scope, wanted: Scope) -> bool:
    return _WIDTH[scope] >= _WIDTH[wanted]


def modifies(access: Access) -> bool:
    """Whether an access can change what it touches."""
    if not access.changes:
        return False
    if access.kind is AccessKind.ATOMIC and access.value is not None:
        if access.operation in ("add", "sub", "or", "xor") and access.value is const(0):
            return False
        if access.operation == "cas" and access.compare is access.value:
            return False
    return True


def scope_of(access: Access) -> Scope:
    """Who sees the access as one: an atomic's scope; a volatile access is seen by all (PTX, "Volatile")."""
    if access.scope is not None:
        return access.scope
    return Scope.SYSTEM if access.volatile else Scope.WARP


@dataclass(frozen=True, slots=True)
class Handshakes:
    """Acquires and releases around the accesses of a protocol."""

    protocol: Protocol
    placement: Placement

    def acquires(self, access: Access) -> tuple[Acquire, ...]:
        """What the thread has acquired before `access`, where the program says so."""
        found: list[Acquire] = []
        here = self.placement.of(access)
        known = {*access.guards, *access.endings}
        for condition in (*access.guards, *access.endings):
            for symbol, test, when in self._tests(condition):
                seen = self.protocol.observed[symbol.name]
                spot = self._made_at(seen, here)
                if spot is None:
                    continue
                fences = list(self._fences(spot, here, known))
                found += [
                    Acquire(seen, symbol, test, conj(when, given), narrower(seen.scope, scope), True, spot)
                    for scope, given in fences
                ]
                if not fences:
                    found.append(Acquire(seen, symbol, test, when, seen.scope, False, spot))
        return _telling(found)[:_MOST]

    def releases(self, access: Access) -> tuple[Release, ...]:
        """Writes that the thread makes after `access` and after a fence, each at most once."""
        found: list[Release] = []
        here = self.placement.of(access)
        for spot in self.placement.spots:
            write = spot.item
            if not isinstance(write, Access) or not modifies(write) or scope_of(write) is Scope.WARP:
                continue
            if not precedes(here, spot) or not certain(spot, here):
                continue
            known = {*access.guards, *access.endings, *write.guards, *write.endings}
            for scope, given in self._fences(here, spot, known):
                scope = narrower(scope, scope_of(write))
                found.append(
                    Release(write, conj(given, *(g for g in write.guards if g not in known_to(access))), scope, spot)
                )
        return tuple(dict.fromkeys(found))[:_MOST]

    def polls(self, access: Access) -> bool:
        """A volatile read that does nothing but make a loop go on until another thread has written."""
        if access.kind is not AccessKind.READ or not access.volatile:
            return False
        loops = self.placement.of(access).around
        if not loops or not all(isinstance(i, Access) and i.kind is AccessKind.READ for i in loops[-1].items):
            return False
        tested = (self.protocol.observed[s.name] for t in loops[-1].tests for s in self._observed_in(t))
        return any((seen.span, seen.stack) == (access.span, access.stack) for seen in tested)

    def _tests(self, condition: Term) -> Iterator[tuple[Symbol, Term, Term]]:
        """A condition as a test of what was observed, where the rest of it does not hold already."""
        parts = condition.args if condition.op is Op.OR else (condition,)
        tested = [(p, self._observed_in(p)) for p in parts]
        tests = [(p, symbols) for p, symbols in tested if symbols]
        if len(tests) == 1 and len(tests[0][1]) == 1:
            test, (symbol,) = tests[0]
            yield symbol, test, conj(*(negate(p) for p, symbols in tested if not symbols))

    def _observed_in(self, term: Term) -> tuple[Symbol, ...]:
        return tuple(s for s in sorted(symbols_of(term), key=lambda s: s.name) if s.name in self.protocol.observed)

    def _made_at(self, seen: Observation, here: Spot) -> Spot | None:
        """The access behind an observation, before `here`."""
        before = [
            s
            for s in self.placement.spots
            if isinstance(s.item, Access)
            and (s.item.span, s.item.stack, s.item.target.key) == (seen.span, seen.stack, seen.target.key)
            and precedes(s, here)
        ]
        return before[-1] if before else None

    def _fences(self, first: Spot, last: Spot, known: set[Term]) -> Iterator[tuple[Scope, Term]]:
        """Fences that the thread performs between two items, and under which further condition."""
        for spot in self.placement.spots:
            fence = spot.item
            if not isinstance(fence, Fence | Barrier) or not (precedes(first, spot) and precedes(spot, last)):
                continue
            if not (certain(spot, first) or certain(spot, last)) or _skipped(first, spot, last):
                continue
            scope = fence.scope if isinstance(fence, Fence) else narrower(fence.scope, Scope.BLOCK)
            yield scope, conj(*(g for g in fence.guards if g not in known))


def steady(protocol: Protocol) -> Protocol:
    """The protocol without what it says of the values of reads that locks or flags order.

    That threads agree on what they have read since the last barrier is argued from there being no race; where
    something else than barriers orders a read and a write, there is none, and the values still differ.
    """
    if not protocol.observed:
        return protocol
    handshakes = Handshakes(protocol, placement(protocol))
    everything = accesses(protocol.items)
    ordered = {a.number for a in everything if handshakes.acquires(a)}
    if not ordered:
        return protocol
    agreed = {
        a.result.name
        for a in everything
        if a.kind is AccessKind.READ and a.result is not None and a.number not in ordered
    }
    broadcast = {name: loops for name, loops in protocol.broadcast.items() if name in agreed}
    return replace(protocol, items=_forgetful(protocol.items, ordered), broadcast=broadcast)


def _forgetful(items: tuple[Item, ...], numbers: set[int]) -> tuple[Item, ...]:
    """The reads of these numbers without the symbol of what they got."""
    found: list[Item] = []
    for item in items:
        match item:
            case Access(kind=AccessKind.READ, number=number) if number in numbers:
                found.append(replace(item, result=None))
            case ProtocolLoop(items=inner):
                found.append(replace(item, items=_forgetful(inner, numbers)))
            case _:
                found.append(item)
    return tuple(found)


def _telling(acquires: list[Acquire]) -> tuple[Acquire, ...]:
    """Without those that say no more than another one of the same observation."""

    def says_less(a: Acquire, b: Acquire) -> bool:
        weaker = _parts(b.when) < _parts(a.when) or (b.when is a.when and a != b and not at_least(a.scope, b.scope))
        return a.symbol is b.symbol and at_least(b.scope, a.scope) and b.fenced >= a.fenced and weaker

    found = [a for a in dict.fromkeys(acquires) if a.when is not FALSE]
    return tuple(a for a in found if not any(says_less(a, b) for b in found))


def _parts(term: Term) -> frozenset[Term]:
    return frozenset(term.args) if term.op is Op.AND else frozenset() if term is TRUE else frozenset((term,))


def known_to(access: Access) -> frozenset[Term]:
    return frozenset((*access.guards, *access.endings))


def _skipped(first: Spot, middle: Spot, last: Spot) -> bool:
    """Whether `middle` may belong to an iteration that has neither of the others in it."""
    inner = max(meeting(first, middle), meeting(middle, last))
    return middle.depth > inner
