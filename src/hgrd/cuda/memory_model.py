"""Kinds of memory accesses, the memory that threads share, and how far atomics, fences and barriers reach.

CUDA C++ Programming Guide, "Memory Fence Functions" and "Atomic Functions"; PTX ISA, "Scope".
"""

from enum import Enum


class AccessKind(Enum):
    """What one access does to memory."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


class Space(Enum):
    """Memory that several threads can reach."""

    GLOBAL = "global"
    SHARED = "shared"
    CLUSTER = "cluster"  # shared memory that blocks of a cluster access in each other


class Level(Enum):
    """How near two threads are: in one warp; in one block but two warps; in two blocks."""

    INTRA_WARP = "intra-warp"
    INTRA_BLOCK = "intra-block"
    INTER_BLOCK = "inter-block"


class Scope(Enum):
    """The threads that take part in a barrier, or that see an atomic or a fence as such; from narrow to wide.

    THREAD is the calling thread alone.  CLUSTER is the blocks of one cluster: of two blocks, it is not known to cover
    both.
    """

    THREAD = "thread"
    WARP = "warp"
    BLOCK = "block"
    CLUSTER = "cluster"
    DEVICE = "device"
    SYSTEM = "system"

    def covers(self, level: Level) -> bool:
        """Whether any two threads at this level are within the scope."""
        return level in _COVERED[self]

    def includes(self, other: "Scope") -> bool:
        """Whether it is at least as wide as the other one."""
        return _WIDTH[self] >= _WIDTH[other]


def narrowest(*scopes: Scope) -> Scope:
    """The scope within which all of these hold."""
    return min(scopes, key=_WIDTH.__getitem__)


def needed_scope(level: Level | None) -> Scope:
    """The narrowest scope that covers the level; None: that covers all of them."""
    return next(scope for scope in Scope if all(map(scope.covers, Level if level is None else (level,))))


_COVERED = {
    Scope.THREAD: frozenset[Level](),
    Scope.WARP: frozenset({Level.INTRA_WARP}),
    Scope.BLOCK: frozenset({Level.INTRA_WARP, Level.INTRA_BLOCK}),
    Scope.CLUSTER: frozenset({Level.INTRA_WARP, Level.INTRA_BLOCK}),
    Scope.DEVICE: frozenset(Level),
    Scope.SYSTEM: frozenset(Level),
}
_WIDTH = {scope: width for width, scope in enumerate(Scope)}
