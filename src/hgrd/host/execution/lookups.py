"""Lookups of handles: how code that is not followed gets a pointer, so that the same is known to be the same.

std::map<int, cudaStream_t> streams;              // streams[0] is one stream, streams[1] another one
"""

from __future__ import annotations

from typing import Final

from hgrd.host.concurrency.trace import Lookup
from hgrd.host.execution.library_call import LibraryCall
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType
from hgrd.program.walk import nodes
from hgrd.symbolic.values import Pointer, Value
from hgrd.terms import Term, as_int, const, show

_KEYED: Final = ("std::map", "std::unordered_map")
_NAMES: Final = ("operator[]", "at")


def lookup_of(call: LibraryCall) -> Lookup | None:
    """How a call gets a pointer; the numbers in its arguments tell which one.

    None: its body is followed, or an argument is not known.
    """
    function = call.machine.functions.get(call.call.function.key)
    followed = function is not None and function.body is not None
    if call.machine.speculative or followed or not isinstance(call.call.type, PointerType):
        return None
    index: list[Term] = []
    said = [_said(call, number, index) for number in range(len(call.arguments))]
    texts = [text for text in said if text is not None]
    if len(texts) < len(said):
        return None
    if len(index) > 1:
        texts += map(show, index)
        index = []
    named = call.call.function
    sure = named.qualified.startswith(_KEYED) and named.name in _NAMES
    return Lookup(f"{named.key}({', '.join(texts)})", index[0] if index else const(0), sure)


def record_lookup(call: LibraryCall, value: Value, got: Lookup | None) -> None:
    """Adds how a call has got a pointer to what nobody else has named."""
    if got is not None and isinstance(value, Pointer) and value.target.external:
        call.run.trace.lookups.setdefault(value.target.key, got)


def _said(call: LibraryCall, number: int, index: list[Term]) -> str | None:
    """What tells an argument from others; a number goes to `index`.  None: that is not known."""
    written = call.call.arguments[number] if number < len(call.call.arguments) else None
    value = call.argument(number)
    match value:
        case Term():
            index.append(as_int(value))
            return ""
        case Pointer(target=target, offset=offset) if written is None or not _is_temporary(written):
            return f"{target.key} + {show(offset)}"
        case _:
            parts = list(nodes(written))
            return None if any(isinstance(n, ir.Load) for n in parts) else " ".join(map(_word, parts))


def _is_temporary(written: ir.Expression) -> bool:
    return any(isinstance(n, ir.TemporaryPlace | ir.StringConst) for n in nodes(written))


def _word(node: object) -> str:
    match node:
        case ir.Call(function=function):
            return function.key
        case ir.VariablePlace(variable=variable):
            return variable.key
        case ir.FieldPlace(field=member):
            return member.name
        case ir.StringConst(value=value) | ir.IntConst(value=value):
            return repr(value)
        case _:
            return ""
