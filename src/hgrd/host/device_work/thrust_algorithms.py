"""Algorithms of Thrust for memory of the device: they run in the stream of their policy, and the host waits for them.

    thrust::reduce(v.begin(), v.end());                                        // in the default stream
    thrust::sort(thrust::cuda::par_nosync.on(stream), v.begin(), v.end());     // the host goes on

Thrust, "Execution policies": no stream but that of the policy is ordered before them.
"""

from __future__ import annotations

import re
from typing import Final

from hgrd.host.concurrency.trace import Policy
from hgrd.host.device_work.work import Role, add_work, held_touches, touches_of, used_later
from hgrd.host.execution.host_uses import writes_range
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.library_names import ALGORITHMS
from hgrd.host.memory.pointer_origins import IN
from hgrd.program import expressions as ir
from hgrd.program.types import OpaqueType, PointerType
from hgrd.program.walk import nodes
from hgrd.symbolic.values import NULL, OPAQUE, Composite, MemorySpace, Pointer, Value, pointed_to

_ON: Final = 2  # arguments of `on`: the policy and the stream
_DEFAULT: Final = Policy(NULL, waits=True)
_LATER: Final = "par_nosync"  # the policy of algorithms that return before they are done
_BY_NAME: Final = {"par": _DEFAULT, "device": _DEFAULT, _LATER: Policy(NULL, waits=False), "host": None, "seq": None}
_VECTOR: Final = re.compile(r"thrust::(device_vector|host_vector|device_reference)(?:<.*>)?::(?:operator\s?)?(.*)")
_NAMES: Final = ALGORITHMS | frozenset(
    (
        "transform", "transform_if", "transform_reduce", "transform_inclusive_scan", "transform_exclusive_scan",
        "inclusive_scan", "exclusive_scan", "inclusive_scan_by_key", "exclusive_scan_by_key", "reduce_by_key",
        "sort_by_key", "stable_sort_by_key", "unique_by_key", "unique_by_key_copy", "unique_count", "merge_by_key",
        "for_each", "for_each_n", "sequence", "tabulate", "generate", "generate_n", "gather", "gather_if", "scatter",
        "scatter_if", "copy_if", "uninitialized_copy", "uninitialized_fill", "shuffle_copy", "count_if", "find_if",
        "find_if_not", "all_of", "any_of", "none_of", "remove_if", "remove_copy_if", "replace_if", "replace_copy_if",
        "partition", "stable_partition", "partition_copy", "partition_point", "is_partitioned",
    )
)  # fmt: skip


def note_policy(call: LibraryCall, value: Value) -> None:
    """`policy.on(stream)`: algorithms with this policy run in the stream."""
    if call.name != "on" or len(call.arguments) < _ON or call.machine.speculative:
        return
    if isinstance(value, Composite) and value.origin is not None:
        known = _policy(call)
        if known is not None:
            call.run.trace.policies[value.origin] = Policy(call.arguments[1], known.waits)


def is_thrust(call: LibraryCall) -> bool:
    """Whether a call is one of an algorithm that gets memory of the device, and runs there."""
    known = call.name in _NAMES and not call.call.function.user_code
    return known and _policy(call) is not None and any(map(_is_of_device, call.arguments))


def add_thrust(call: LibraryCall) -> bool:
    """Adds an algorithm, which may use all memory that it gets; the result: whether the host may wait for more."""
    policy, first = _policy(call) or _DEFAULT, 1 if _is_policy(call) else 0
    touches = [
        used_later(call, value, touch)
        for place, value in enumerate(call.arguments[first:])
        if _is_of_device(value)
        for touch in touches_of(call, value, None, writes=writes_range(call.name, place))
    ]
    add_work(call, "the algorithm", policy.stream, touches, waits=policy.waits)
    return policy.waits


def add_element_access(call: LibraryCall) -> bool:
    """Adds copies of elements of vectors in memory of the device: `float x = v[3]`, `host_vector<int> h = v`.

    They are in the default stream, and the host waits for them (Thrust, "Vectors"); False: the call makes none.
    """
    touches = [t for value, role in _accessed(call) for t in held_touches(call, value, role)]
    if touches:
        add_work(call, "the copy", NULL, touches, waits=True)
    return bool(touches)


def _accessed(call: LibraryCall) -> list[tuple[Value, Role]]:
    """The vectors of the device, or references to their elements, of which a call copies elements."""
    matched = _VECTOR.fullmatch(call.call.function.qualified)
    class_, method = (matched[1], matched[2]) if matched else ("", "")
    if class_ == "device_reference":
        return [(_vector_of(call), Role.UNKNOWN if method == "=" else Role.READ)] if method != "&" else []
    others = [(call.arguments[index], Role.READ) for index in range(1, len(call.arguments)) if _is_vector(call, index)]
    assigned = class_ == "device_vector" and method == "="
    return [*others, *([(call.arguments[0], Role.UNKNOWN)] if assigned else [])]


def _vector_of(call: LibraryCall) -> Value:
    """The vector of whose element a call gets a reference, where it has just been made: `v[3]`; else the reference."""
    for node in nodes(call.call.arguments[0]):
        if isinstance(node, ir.Call) and node.function.qualified.startswith("thrust::device_vector"):
            vector = node.arguments[0]
            if not any(isinstance(part, ir.Call | ir.IndirectCall | ir.Assign | ir.Update) for part in nodes(vector)):
                return call.machine.evaluate(call.state, vector)
    return call.arguments[0]


def _is_vector(call: LibraryCall, index: int) -> bool:
    type_ = call.type_of(index)
    own = type_.to if isinstance(type_, PointerType) else type_
    return isinstance(own, OpaqueType) and own.name.startswith("thrust::device_vector")


def _is_of_device(value: Value) -> bool:
    return any(target.space is MemorySpace.GLOBAL for target in pointed_to(value))


def _policy(call: LibraryCall) -> Policy | None:
    """Where an algorithm runs; None: on the host."""
    first = call.arguments[0] if call.arguments else None
    if isinstance(first, Pointer) and first.target.name in _BY_NAME and _is_policy(call):
        return _BY_NAME[first.target.name]
    if not _is_policy(call):
        return _DEFAULT
    given = call.argument(0)
    if not isinstance(given, Composite) or given.origin is None:
        return Policy(OPAQUE, waits=True)
    held = call.run.origins.closed({IN + given.origin})
    latest = reversed(call.run.trace.policies.items())
    return next((policy for key, policy in latest if IN + key in held), Policy(OPAQUE, waits=True))


def _is_policy(call: LibraryCall) -> bool:
    """Whether the first argument is a policy, or leads to one."""
    type_ = call.type_of(0)
    own = type_.to if isinstance(type_, PointerType) else type_
    return isinstance(own, OpaqueType) and own.name.endswith("policy")
