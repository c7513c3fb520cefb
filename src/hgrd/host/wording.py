"""Texts of terms, values and places, in source words."""

from __future__ import annotations

from collections.abc import Mapping

from hgrd.program.layout import size_of
from hgrd.program.types import ArrayType, OpaqueType, PointerType, Record, RecordType, Type, VoidType
from hgrd.symbolic.values import Choice, Composite, FloatValue, FunctionValue, MemoryObject, NullValue, Pointer, Value
from hgrd.terms import Op, Term, brief, show
from hgrd.terms.rewrite import bottom_up, rebuild

TEXT_LIMIT = 200


def plain(term: Term) -> Term:
    """The term without wraps that a correct program does not depend on."""
    done: dict[Term, Term] = {}
    for t in bottom_up((term,)):
        if t.op is Op.WRAP and t.wrap_to[2]:
            done[t] = done[t.args[0]]
        else:
            done[t] = rebuild(t, tuple(done[a] for a in t.args)) if t.args else t
    return done[term]


def say(term: Term) -> str:
    """The text of a term, one line of at most TEXT_LIMIT characters."""
    simple = brief(plain(term))
    if _tree_size(simple, TEXT_LIMIT) >= TEXT_LIMIT:
        return "…"
    text = show(simple)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def _tree_size(term: Term, limit: int) -> int:
    """The size of the term written out, at most `limit`."""
    sizes: dict[Term, int] = {}
    for t in bottom_up((term,)):
        sizes[t] = min(limit, 1 + sum(sizes[a] for a in t.args))
    return sizes[term]


def say_value(value: Value) -> str:
    """The text of a value, such as a launch argument."""
    match value:
        case Term():
            return say(value)
        case FloatValue(exact=(numerator, denominator)) if denominator == 1:
            return f"{say(numerator)} (float)"
        case FloatValue():
            return "a float"
        case Pointer(target=target, offset=offset):
            return f"&{target.name}" + (f" + {say(offset)} bytes" if not offset.is_const or offset.value else "")
        case Choice(condition=condition, then=a, otherwise=b):
            return f"({say(condition)} ? {say_value(a)} : {say_value(b)})"
        case NullValue():
            return "null"
        case FunctionValue(function=function):
            return function.qualified
        case Composite(cells=cells):
            return "{" + ", ".join(say_value(cell.value) for _, cell in sorted(cells.items())[:12]) + "}"
        case _:
            return "?"


def place_name(target: MemoryObject, offset: int, records: Mapping[str, Record]) -> tuple[str, Type | None]:
    """The name and type of the scalar at an offset of an object: `args.width`, `d_in[0]`; type None: unknown."""
    if target.element is None:
        return (target.name if offset == 0 else f"{target.name}+{offset}"), None
    size = size_of(target.element, records)
    if size and offset >= size:
        text, type_ = _member(f"{target.name}[{offset // size}]", target.element, offset % size, records)
    else:
        text, type_ = _member(target.name, target.element, offset, records)
    return text, type_


def _member(prefix: str, type_: Type, offset: int, records: Mapping[str, Record]) -> tuple[str, Type | None]:
    match type_:
        case RecordType(key=key) | OpaqueType(name=key) if key in records:
            for field in records[key].fields:
                size = size_of(field.type, records)
                if size is not None and field.offset <= offset < field.offset + size:
                    name = f"{prefix}.{field.name}" if field.name else prefix
                    return _member(name, field.type, offset - field.offset, records)
            return f"{prefix}+{offset}", None
        case ArrayType(of=element):
            size = size_of(element, records)
            if size:
                return _member(f"{prefix}[{offset // size}]", element, offset % size, records)
            return prefix, None
        case _:
            return (prefix if offset == 0 else f"{prefix}+{offset}"), type_


def pointee(type_: Type | None) -> Type | None:
    """The type that a pointer type points to; None for `void *` and other types."""
    return type_.to if isinstance(type_, PointerType) and not isinstance(type_.to, VoidType) else None
