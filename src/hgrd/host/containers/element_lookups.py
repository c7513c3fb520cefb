"""Lookups of handles: how code that is not followed gets a pointer, so that the same is known to be the same.

std::map<int, cudaStream_t> streams;              // streams[0] is one stream, streams[1] another one
"""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.host.concurrency.addresses import Address, Lookup, Result
from hgrd.host.containers.element_changes import elements_since
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.library_names import ADDRESSING, is_keyed, keeps_object
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType
from hgrd.program.walk import nodes
from hgrd.symbolic.values import Choice, MemorySpace, Pointer, Value
from hgrd.terms import Term, as_int, const, show, var


def lookup_of(call: LibraryCall) -> Lookup | None:
    """How a call gets a pointer; the numbers in its arguments tell which one.

    None: its body is followed, or an argument is not known.
    """
    function = call.machine.functions.get(call.call.function.key)
    followed = function is not None and function.body is not None
    if call.machine.speculative or followed or not isinstance(call.call.type, PointerType):
        return None
    if call.span in call.run.text.stepped:
        return _stepped(call)
    index: list[Term] = []
    said = [_said(call, number, index) for number in range(len(call.arguments))]
    texts = [text for text in said if text is not None]
    if len(texts) < len(said):
        return None
    sure = len(index) <= 1 and _is_sure(call, index)
    if len(index) > 1:
        texts += map(show, index)
        index = []
    name = f"{call.call.function.key}({', '.join(texts)})"
    return Lookup(name, index[0] if index else const(0), sure, elements_since(call.state))


def _stepped(call: LibraryCall) -> Lookup | None:
    """The element that an iterator leads to, by the iteration of the only loop around it, which only steps it."""
    loops, iterator = call.run.trace.inside, call.arguments[0]
    if len(loops) != 1 or not isinstance(iterator, Pointer):
        return None
    return Lookup(f"element({iterator.target.key})", as_int(var(loops[0].binder)), True, elements_since(call.state))


def _is_sure(call: LibraryCall, index: list[Term]) -> bool:
    """Whether a call with the same arguments gets the same: an element of a map, or of what keeps its elements."""
    named, loops = call.call.function, call.run.trace.inside
    if is_keyed(named) or not loops:
        return is_keyed(named) or keeps_object(named)
    match call.arguments[:1]:
        case (Pointer(target=target),) if keeps_object(named):
            got = call.run.trace.lookups.get(target.key)
            of_iteration = len(loops) == 1 and any(loops[0].binder in term.symbols for term in index)
            older = call.machine.names.index.get(target.key, -1) <= loops[0].mark
            return of_iteration or (got is not None and got.sure) or (older and target.space is not MemorySpace.LOCAL)
        case _:
            return False


def record_lookup(call: LibraryCall, value: Value, got: Lookup | None, mark: int) -> None:
    """Adds how a call has got a pointer to what nobody else has named; names from `mark` on are new."""
    if call.machine.speculative or not isinstance(value, Pointer) or not value.target.external:
        return
    key = value.target.key
    new = call.machine.names.index.get(key, -1) >= mark
    if got is not None and (new or not keeps_object(call.call.function)):
        call.run.trace.lookups.setdefault(key, got)
    if new:
        call.run.trace.results.setdefault(key, Result(tuple(_given(call)), call.span in call.run.text.stepped))


def _given(call: LibraryCall) -> Iterator[Term | Address]:
    """The numbers and addresses that a call gets; where a variable is that it gets does not matter."""
    for number, argument in enumerate(call.arguments):
        for value in (argument, call.argument(number)):
            match value:
                case Term():
                    yield as_int(value)
                case Pointer(target=target) if target.space is MemorySpace.LOCAL:
                    pass
                case Pointer() | Choice():
                    yield call.run.trace.address_of(value)
                case _:
                    pass


def _said(call: LibraryCall, number: int, index: list[Term]) -> str | None:
    """What tells an argument from others; a number goes to `index`.  None: that is not known."""
    written = call.call.arguments[number] if number < len(call.call.arguments) else None
    if call.call.function.library_name in ADDRESSING and isinstance(address := call.arguments[number], Pointer):
        return _place(call, address, index)
    value = call.argument(number)
    match value:
        case Term():
            index.append(as_int(value))
            return ""
        case Pointer() if written is None or not _is_temporary(written):
            return _place(call, value, index)
        case _ if isinstance(address := call.arguments[number], Pointer) and address.target.external:
            return _place(call, address, index)
        case _:
            parts = list(nodes(written))
            return None if any(isinstance(n, ir.Load) for n in parts) else " ".join(map(_word, parts))


def _place(call: LibraryCall, address: Pointer, index: list[Term]) -> str:
    """What tells an address from others: how it was got itself, if that is sure."""
    got = call.run.trace.lookups.get(address.target.key)
    if got is not None and got.sure:
        if got.index != const(0):
            index.append(got.index)
        return f"{got.name} + {show(address.offset)}"
    if address.offset.symbols:
        index.append(address.offset)
        return address.target.key
    return f"{address.target.key} + {show(address.offset)}"


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
