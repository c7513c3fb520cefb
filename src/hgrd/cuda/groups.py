"""Cooperative groups by the names of their types and functions.

CUDA C++ Programming Guide, "Cooperative Groups".
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from msgspec import Struct

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Scope


class GroupCall(Enum):
    """What a function or method of cooperative groups does."""

    MAKE = "makes a group"
    PART = "makes a group out of one whose threads meet for that"
    BARRIER = "waits for all threads of the group"
    ARRIVE = "arrives at a barrier without waiting"
    WAIT = "waits for those that have arrived"
    COMPLETE = "waits for copies, and for all threads of the group"
    SHAPE = "tells the size of a group, or the place of a thread in it"
    SHUFFLE = "hands on values among threads of a warp"
    VOTE = "collects predicates or equal values of threads of a warp"
    REDUCE = "folds values of all threads of the group"
    SCAN = "folds values of the threads before"
    COPY = "copies memory asynchronously"
    LEAD = "tells one thread of the group, whichever it is, that it is chosen"
    REMOTE = "gives pointers to shared memory of another block"


class Group(Struct, frozen=True):
    """A type of cooperative groups.

    `size` is that of a tile whose type says it, else None.  `parent` is the group that a tile is a part of; None: its
    type does not say that.
    """

    kind: str
    size: int | None = None
    parent: Group | None = None

    @property
    def scope(self) -> Scope:
        """How far a barrier of the group reaches, where all threads of that scope are in the group."""
        if self.size is not None:
            return Scope.WARP if self.size <= WARP_SIZE else Scope.BLOCK
        return _SCOPES.get(self.kind, Scope.BLOCK)

    @property
    def partial(self) -> bool:
        """Whether it can have some threads of a warp only, and its type does not say which."""
        return self.size is None and self.kind in _PARTIAL


NAMESPACE = "cooperative_groups::"
HANDLE_SIZE = 8
"""Bytes of a handle of a group.  CUDA does not say how large they are; no program can count on it."""

_GROUP = re.compile(
    r"cooperative_groups::(?:__\w+::|experimental::)*"
    r"(thread_block_tile|thread_block|multi_grid_group|grid_group|coalesced_group|thread_group|cluster_group)\b"
    r"(?:<(\d+))?"
)
_PARENT = re.compile(r",\s*(?:const\s+)?((?:\w+::)*\w+(?:<.*>)?)")
_WITHIN_BLOCK = re.compile(r"cooperative_groups::thread_block(_tile<(?!.*coalesced).*)?")
_SCOPES = {
    "grid_group": Scope.DEVICE,
    "multi_grid_group": Scope.DEVICE,
    "cluster_group": Scope.CLUSTER,
    "coalesced_group": Scope.WARP,
}
_PARTIAL = ("thread_block_tile", "coalesced_group", "thread_group")

FUNCTIONS: dict[str, GroupCall] = {
    **dict.fromkeys(("this_thread_block", "this_grid", "this_multi_grid", "this_cluster"), GroupCall.MAKE),
    **dict.fromkeys(
        (
            "tiled_partition", "experimental_tiled_partition", "coalesced_threads", "binary_partition",
            "labeled_partition",
        ),
        GroupCall.PART,
    ),
    **dict.fromkeys(("sync", "synchronize"), GroupCall.BARRIER),
    "barrier_arrive": GroupCall.ARRIVE,
    "barrier_wait": GroupCall.WAIT,
    **dict.fromkeys(("wait", "__wait_prior"), GroupCall.COMPLETE),
    **dict.fromkeys(
        (
            "thread_rank", "block_rank", "cluster_rank", "grid_rank", "num_threads", "num_blocks", "num_clusters",
            "num_grids", "size", "group_size", "thread_index", "block_index", "meta_group_rank", "meta_group_size",
            "group_index", "group_dim", "dim_threads", "dim_blocks", "dim_grid", "is_valid", "query_shared_rank",
            "cluster_index", "dim_clusters",
        ),
        GroupCall.SHAPE,
    ),
    **dict.fromkeys(("shfl", "shfl_up", "shfl_down", "shfl_xor"), GroupCall.SHUFFLE),
    **dict.fromkeys(("any", "all", "ballot", "match_any", "match_all"), GroupCall.VOTE),
    "reduce": GroupCall.REDUCE,
    **dict.fromkeys(("inclusive_scan", "exclusive_scan"), GroupCall.SCAN),
    "memcpy_async": GroupCall.COPY,
    "__leads": GroupCall.LEAD,
    "__of_leader": GroupCall.SHUFFLE,
    "map_shared_rank": GroupCall.REMOTE,
}  # fmt: skip
"""By name, unqualified; a function of such a name is one of groups only where a group is given or named."""
WRITES: dict[str, int] = {"match_all": 2}
"""By name, the number of the argument that a further result is stored to; the group is argument 0."""

TELLING_NOTHING = frozenset({"sync", "synchronize", "this_grid", "grid_group", "thread_group"})
"""Functions of any group that tell a thread nothing of where it is; with the names of types, which construct."""

TELLING_OF_BLOCK = frozenset(
    {
        "this_thread_block", "tiled_partition", "thread_rank", "size", "num_threads", "group_size", "thread_index",
        "group_dim", "dim_threads", "meta_group_rank", "meta_group_size", "shfl", "shfl_up", "shfl_down", "shfl_xor",
        "any", "all", "ballot", "thread_block", "thread_block_tile",
    }
)  # fmt: skip
"""Functions that tell a thread its place in the group, or what others of the group have given."""


def is_within_block(name: str) -> bool:
    """Whether a type of this name is the block, or a tile of it: a group that all blocks have alike."""
    return _WITHIN_BLOCK.fullmatch(name) is not None


@cache
def group_type(name: str) -> Group | None:
    """The group that a type of this name is, or that a qualified name of a method belongs to; None of other names."""
    match = _GROUP.match(name)
    if match is None:
        return None
    parent = _PARENT.match(name, match.end()) if match[2] else None
    return Group(match[1], int(match[2]) if match[2] else None, None if parent is None else group_type(parent[1]))


def is_group(name: str) -> bool:
    """Whether a type of this name is a group, or belongs to one."""
    return name.startswith(NAMESPACE)


def makes_group(name: str) -> bool:
    """Whether a function of this name gives a group."""
    return FUNCTIONS.get(name) in (GroupCall.MAKE, GroupCall.PART)


def waits_for_group(name: str) -> bool:
    """Whether a function of this name is a barrier of a group, or a part of one."""
    return FUNCTIONS.get(name) in (GroupCall.BARRIER, GroupCall.ARRIVE, GroupCall.WAIT, GroupCall.COMPLETE)
