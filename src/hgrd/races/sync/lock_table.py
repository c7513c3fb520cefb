"""Recognition of locks: the objects that are changed only by taking a lock or by giving it back.

HGRD, section 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Scope, narrowest
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.races.acquire_release.accesses import exclude, modifies, scope_of
from hgrd.races.acquire_release.events import Acquire, AcquireRelease
from hgrd.races.acquire_release.program_order import Position, meeting, precedes
from hgrd.races.sync.idiom import Proofs
from hgrd.terms import FALSE, TRUE, Term, const, ne, substitute


class Lock(Struct, frozen=True):
    """Object that is a lock, with the accesses that take it, give it back, and give it back without having it.

    `scope`: how far order passes through the threads that hold it in between.
    `of_block`: threads of different blocks never have one of its places in common.
    `atomic_only`: atomic operations alone change it.
    """

    scope: Scope
    of_block: bool
    atomic_only: bool
    taken_by: tuple[Access, ...]
    given_by: tuple[Access, ...]
    opened_by: tuple[Access, ...]


def find_locks(protocol: Protocol, events: AcquireRelease, proofs: Proofs) -> Mapping[str, Lock]:
    """The locks of a protocol by the key of their object."""
    keys = sorted({o.target.key for o in protocol.symbols.observed.values()})
    everything = accesses(protocol.items)
    found = {key: _lock([a for a in everything if a.target.key == key], events, proofs) for key in keys}
    return {key: lock for key, lock in found.items() if lock is not None}


def _lock(here: list[Access], events: AcquireRelease, proofs: Proofs) -> Lock | None:
    """The object of these accesses as a lock; None if it is not one."""
    changes = [a for a in here if modifies(a)]
    taking = [a for a in changes if takes(a, events)]
    taken = {a.value for a in taking}
    free = {a.compare for a in taking if a.compare is not None}
    if len(taken) != 1 or len(free) > 1:
        return None
    giving = [a for a in changes if a not in taking and _gives_back(a, taken, free, events)]
    others = [a for a in changes if a not in taking and a not in giving]
    opening = [o for o in others if not all(proofs.ordered_or_disjoint(o, t) for t in taking)]
    of_lock = [*taking, *giving, *opening]
    return Lock(
        narrowest(*(_passed_on(c, events) for c in of_lock)),
        all(proofs.disjoint_across_blocks(c, d) for c in of_lock for d in of_lock if c.number <= d.number),
        all(c.updates for c in of_lock),
        tuple(taking),
        tuple(giving),
        tuple(_without_having_it(o, events) for o in opening),
    )


# ---------------------------------------------------------------- acquires of a lock


def takes_lock(acquire: Acquire) -> bool:
    """Whether the test tells that the lock was free, and now belongs to the thread that made the acquire."""
    seen = acquire.seen
    if seen.value is None or _with(acquire, seen.value) is not FALSE:
        return False
    match seen.operation:
        case "cas":
            return seen.compare is not None and _with(acquire, seen.compare) is TRUE
        case "exch":
            return True
        case _:
            return False


def _with(acquire: Acquire, value: Term) -> Term:
    """The test of an acquire for this value."""
    return substitute((acquire.test,), {acquire.symbol: value})[0]


def changed_between(acquire: Acquire, here: Position, events: AcquireRelease) -> bool:
    """Whether the thread may change the object of an acquire between the acquire and a position after it."""
    access = here.item
    return any(
        isinstance(p.item, Access)
        and p.item.target.key == acquire.seen.target.key
        and modifies(p.item)
        and precedes(acquire.position, p)
        and precedes(p, here)
        and not (isinstance(access, Access) and meeting(p, here) == here.depth and exclude(p.item, access))
        for p in events.order.positions
    )


def _taken_before(access: Access, events: AcquireRelease) -> list[Acquire]:
    """The acquires by which the thread itself has taken the lock before it changes it."""
    return [a for a in _taken_any(access, events) if a.offset is access.offset]


def _taken_any(access: Access, events: AcquireRelease) -> list[Acquire]:
    """The acquires by which the thread itself has taken a lock of the same object: this one or another one."""
    return [
        a
        for a in events.acquires(access)
        if a.seen.target.key == access.target.key and a.when is TRUE and not a.delegated and takes_lock(a)
    ]


# ---------------------------------------------------------------- changes of a lock


def takes(access: Access, events: AcquireRelease) -> bool:
    """Whether an access exchanges the lock for the taken value, and does not by that give back what it has taken."""
    if access.kind is not AccessKind.ATOMIC or access.value is None or not access.value.is_const:
        return False
    if access.operation == "cas":
        back = any(a.seen.value is access.compare for a in _taken_before(access, events))
        return (
            not back and access.compare is not None and access.compare.is_const and access.compare is not access.value
        )
    if access.operation != "exch" or any(a.seen.value is not access.value for a in _taken_before(access, events)):
        return False
    return access.value.value != 0 or _tested(access, events)


def _tested(access: Access, events: AcquireRelease) -> bool:
    """Whether a thread goes on to another access only if it has found the lock free with this one."""
    later = (a for a in accesses(events.protocol.items) if a.number > access.number)
    return any(q.position.item is access and takes_lock(q) for a in later for q in events.acquires(a))


def _gives_back(access: Access, taken: set[Term | None], free: set[Term], events: AcquireRelease) -> bool:
    """Whether an access writes the free value, once, by the thread that has the lock."""
    (held,) = taken
    left = None if held is None else _left_by(access, held.value)
    if left is None or held is None or left == held.value:
        return False
    if free and const(left) not in free:
        return False
    here = events.order.of(access)
    return any(
        here.depth == meeting(a.position, here) and not changed_between(a, here, events)
        for a in _taken_before(access, events)
    )


def _left_by(access: Access, held: int) -> int | None:
    """The value that a write leaves of the value `held`; None if it is unknown."""
    if access.value is None or not access.value.is_const:
        return None
    value = access.value.value
    match access.operation if access.kind is AccessKind.ATOMIC else "exch":
        case "exch" | "store":
            return value
        case "cas" if access.compare is const(held):
            return value
        case "add":
            return held + value
        case "sub":
            return held - value
        case "and":
            return held & value
        case "xor":
            return held ^ value
        case _:
            return None


def _without_having_it(write: Access, events: AcquireRelease) -> Access:
    """The write where its thread has not taken the lock that it gives back: one that it has may be this one."""
    here = events.order.of(write)
    taken = (
        a
        for a in _taken_any(write, events)
        if a.offset is not write.offset
        if here.depth == meeting(a.position, here) and not changed_between(a, here, events)
    )
    another = dict.fromkeys(ne(a.offset, write.offset) for a in taken)
    return replace(write, guards=(*write.guards, *another))


def _passed_on(change: Access, events: AcquireRelease) -> Scope:
    """The scope within which what was released before `change` is acquired through it.

    Atomic operations carry on what was released before them; a store begins anew (PTX ISA, "Release pattern" and
    "Observation order"), and hands on only what its own thread has acquired.
    """
    if change.updates:
        return scope_of(change)
    acquired = [narrowest(scope_of(change), a.scope) for a in _taken_any(change, events) if a.fenced]
    return next((scope for scope in reversed(Scope) if scope in acquired), Scope.THREAD)
