"""Functions of the host as work in a stream, with what they use of what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from hgrd.host.concurrency.followed_pointers import followed_pointers, written_bytes
from hgrd.host.concurrency.rows import bytes_from
from hgrd.host.concurrency.trace import CALLBACK, Touch, pointers_of
from hgrd.host.device_work.names import runtime_name
from hgrd.host.device_work.work import add_work, touches_of
from hgrd.host.execution.library_call import LibraryCall
from hgrd.program import expressions as ir
from hgrd.symbolic.pointers import move
from hgrd.symbolic.values import FunctionValue, Pointer, Value
from hgrd.terms import const

_INVOKER: Final = "__invoke"  # what a lambda without captures is converted to
_CALLBACKS: Final = ("cudaLaunchHostFunc", "cudaStreamAddCallback")  # stream, function, what that gets


def is_callback(call: ir.Call) -> bool:
    """Whether a call gives a function of the host to a stream, to be called with what it is given."""
    return not call.function.user_code and runtime_name(call.function.name) in _CALLBACKS


def add_callback(call: LibraryCall) -> None:
    """A function of the host as work in a stream: it may use what it is given, and what pointers in that lead to."""
    given = call.argument(1)
    key = _with_body(given.function, call.run.linked.operators) if isinstance(given, FunctionValue) else ""
    function = call.run.linked.functions.get(key)
    index = -1 if function is None else len(function.parameters) - 1
    written, stored = call.run.text.mod_sets.of(key), call.run.text.mod_sets.stored(key)
    writes, stores = written is None or index in written, index in stored
    kinds = None if function is None or function.body is None else call.run.text.mod_sets.kinds_stored(key)
    follows = followed_pointers(key, call.run.linked.functions, call.run.linked.records)
    own = [
        replace(t, writes=writes, reads=True, stores=stores, kinds=kinds)
        for v in call.arguments[2:3]
        for t in touches_of(call, v, None, writes=writes)
    ]
    deep = [replace(t, found=True, follows=follows) for t in own if follows is None or follows]
    parts = written_bytes(key, call.run.linked.functions, call.run.linked.records)
    if parts is not None:
        own = [replace(t, writes=False, stores=False) for t in own]
        own += [t for v in call.arguments[2:3] for part in sorted(parts) for t in _part_touches(call, v, part)]
    add_work(call, CALLBACK, call.stream(0), [*own, *deep])


def _with_body(function: ir.FunctionRef, operators: Mapping[str, tuple[str, ...]]) -> str:
    """The key of a function; of a lambda that is given as a function, that of its body."""
    owner, _, name = function.qualified.rpartition("::")
    bodies = operators.get(owner, ()) if name == _INVOKER else ()
    return bodies[0] if len(bodies) == 1 else function.key


def _part_touches(call: LibraryCall, value: Value, part: tuple[int, int]) -> list[Touch]:
    """Bytes of what a pointer leads to, which may be written."""
    row = replace(bytes_from(const(part[1] - part[0]), stores=True), maybe=True)
    parts = (move(p, const(part[0])) for p in pointers_of(value) if isinstance(p, Pointer))
    return [
        replace(t, stores=False, rows=(row,), covered=True)
        for p in parts
        for t in touches_of(call, p, None, writes=True)
    ]
