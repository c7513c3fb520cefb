"""Properties of single accesses on which synchronisation rests: scope, effect, conditions."""

from __future__ import annotations

from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.protocol.model import Access
from hgrd.terms import Term, const, negate


def scope_of(access: Access) -> Scope:
    """The threads that see an access as a single one: an atomic's scope; all for a volatile one (PTX, "Volatile")."""
    if access.scope is not None:
        return access.scope
    return Scope.SYSTEM if access.volatile else Scope.THREAD


def modifies(access: Access) -> bool:
    """Whether an access can change the bytes it touches."""
    if not access.changes:
        return False
    if access.kind is AccessKind.ATOMIC and access.value is not None:
        if access.operation in ("add", "sub", "or", "xor") and access.value is const(0):
            return False
        if access.operation == "cas" and access.compare is access.value:
            return False
    return True


def exclude(a: Access, b: Access) -> bool:
    """Whether no thread performs both in one iteration, since they stand in different branches."""
    return any(negate(g) in b.guards for g in a.guards)


def reads_volatile(access: Access) -> bool:
    """Whether a read needs no fence after a wait: the compiler does not reorder a thread's volatile accesses."""
    return access.kind is AccessKind.READ and access.volatile


def known_at(access: Access) -> frozenset[Term]:
    """The conditions that hold where the access is performed."""
    return frozenset((*access.guards, *access.endings))
