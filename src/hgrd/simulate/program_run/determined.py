"""Kernels whose accesses follow from what they find in memory: in all schedules they make the same ones, or race.

A run in lock-step of such a kernel that has no race stands for all runs (Betts et al., "GPUVerify", OOPSLA 2012,
section 3).  Left out are kernels that look at what others do meanwhile: atomic operations whose results are used,
flags, clocks, votes of lanes that happen to be there; and those where floating-point numbers, which a run here may
round otherwise, decide anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, cast

from hgrd.cuda.atomics import atomic_function, is_atomic_object
from hgrd.cuda.builtins import Kind, builtin
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.linked import Tables
from hgrd.program.types import BoolType, FloatType, IntType, OpaqueType, PointerType, RecordType, Type, VoidType
from hgrd.program.walk import nodes
from hgrd.simulate.execute import Executable

_ORDERLESS: Final = frozenset({"add", "sub", "min", "max", "and", "or", "xor"})
_AGREED: Final = (Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUCE)
_PLAIN: Final = frozenset(
    {
        Kind.BLOCK_BARRIER, Kind.WARP_BARRIER, Kind.FENCE, Kind.LANE, Kind.LOAD, Kind.STORE, Kind.COPY, Kind.FILL,
        Kind.SILENT, Kind.STOP, Kind.ASSERT, Kind.SPECIFICATION, Kind.NUMBER, Kind.NUMBERS, Kind.VECTOR, Kind.ADDRESS,
    }
)  # fmt: skip
_NUMBERS: Final = (BoolType, IntType, FloatType)
_GROUPS: Final = "cooperative_groups::"
_OF_GROUPS: Final = frozenset(
    {
        "this_thread_block", "this_grid", "tiled_partition", "sync", "thread_rank", "size", "num_threads", "num_blocks",
        "block_rank", "thread_index", "block_index", "group_index", "group_dim", "dim_threads", "dim_blocks",
        "meta_group_rank", "meta_group_size", "shfl", "shfl_up", "shfl_down", "shfl_xor", "any", "all", "ballot",
        "is_valid",
    }
)  # fmt: skip


def is_determined(tables: Tables, executable: Executable) -> bool:
    """Whether the accesses of a kernel are the same in all schedules, unless some of them race."""
    found = list(_nodes_of(tables, executable))
    dropped = {id(n.expression) for n in found if isinstance(n, st.Evaluate)}
    return all(_is_plain(executable, node, dropped=id(node) in dropped) for node in found)


def floats_decide(tables: Tables, executable: Executable) -> bool:
    """Whether a kernel makes anything but numbers of the same kind out of floating-point numbers."""
    found = list(_nodes_of(tables, executable))
    unions = [r for r in tables.records.values() if r.union and any(isinstance(f.type, FloatType) for f in r.fields)]
    punned = any(n.field in r.fields for n in found if isinstance(n, ir.FieldPlace) for r in unions)
    return punned or any(_decides(executable, node) for node in found)


def _nodes_of(tables: Tables, executable: Executable) -> Iterator[object]:
    """The nodes of all functions that a kernel may run."""
    functions = (tables.functions.get(key) for key in executable.unit.codes)
    return (node for f in functions if f is not None and f.body is not None for node in nodes(f.body))


def _is_plain(executable: Executable, node: object, *, dropped: bool) -> bool:
    """Whether a part of a kernel does the same in all schedules; `dropped`: its value is not used."""
    match node:
        case ir.Load(volatile=True) | ir.Launch() | ir.Throw() | ir.Unsupported() | st.UnsupportedStatement():
            return False
        case ir.Construct(type=RecordType(key=name) | OpaqueType(name=name)):
            return "coalesced" not in name
        case ir.Call(function=function) if function.key not in executable.unit.codes:
            return _is_plain_call(node, dropped=dropped)
        case _:
            return not getattr(node, "volatile", False)


def _is_plain_call(call: ir.Call, *, dropped: bool) -> bool:
    function, types = call.function, [a.type for a in call.arguments]
    atomic = atomic_function(function.name)
    if atomic is not None:
        return dropped and atomic.operation in _ORDERLESS
    if function.user_code or is_atomic_object(function.qualified):
        return False
    group = _group(call.type) or (_group(types[0]) if types else None)
    if group is not None:
        return function.name in _OF_GROUPS and "coalesced" not in group
    row = builtin(function.name)
    if row is None:  # of numbers alone, as those of mathematics
        return bool(types) and all(isinstance(t, _NUMBERS) for t in (call.type, *types))
    return row.kind in _PLAIN or (row.kind in _AGREED and row.masked)


def _group(type_: Type) -> str | None:
    """The class of cooperative groups that a type is, or leads to."""
    type_ = type_.to if isinstance(type_, PointerType) else type_
    return type_.name if isinstance(type_, OpaqueType) and type_.name.startswith(_GROUPS) else None


def _decides(executable: Executable, node: object) -> bool:
    match node:
        case ir.Comma() | ir.Construct() | ir.IndirectCall() | st.Evaluate() | st.Declare() | st.Return():
            return False
        case ir.Call(function=function) if function.key in executable.unit.codes:
            return False
        case ir.Call(function=function, arguments=arguments, type=VoidType()):
            return _stores_as_integers(function, arguments)
        case ir.Convert(operand=operand, type=PointerType(to=to)) if isinstance(operand.type, PointerType):
            return _is_read_otherwise(operand.type.to, to)
        case _:
            return not isinstance(getattr(node, "type", None), FloatType) and any(map(_is_float, _operands(node)))


def _is_read_otherwise(held: Type, read: Type) -> bool:
    """Whether a pointer to floating-point numbers becomes one to something else (records of them are not)."""
    return isinstance(held, FloatType | RecordType) and not isinstance(read, FloatType | RecordType)


def _stores_as_integers(function: ir.FunctionRef, arguments: Iterable[ir.Expression]) -> bool:
    """Whether a function may store floating-point numbers, or what it makes of them, as integers."""
    row = builtin(function.name)
    if row is None or row.kind is not Kind.NUMBERS:
        return row is not None and row.kind is Kind.COPY
    types = (a.type for a in arguments)
    return any(isinstance(t, PointerType) and isinstance(t.to, IntType) for t in types)


def _operands(node: object) -> Iterator[object]:
    for name in cast("Iterable[str]", getattr(node, "__struct_fields__", ())):
        part = getattr(node, name)
        yield from cast("tuple[object, ...]", part) if isinstance(part, tuple) else (part,)


def _is_float(part: object) -> bool:
    return isinstance(part, ir.Expression) and isinstance(part.type, FloatType)
