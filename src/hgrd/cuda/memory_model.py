"""Kinds of memory accesses and the memory that threads share."""

from enum import Enum


class AccessKind(Enum):
    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


class Space(Enum):
    GLOBAL = "global"
    SHARED = "shared"


class Level(Enum):
    """Which two threads meet: of one warp; of one block but two warps; of two blocks."""

    INTRA_WARP = "intra-warp"
    INTRA_BLOCK = "intra-block"
    INTER_BLOCK = "inter-block"
