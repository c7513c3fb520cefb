"""Value names: terms that are equal for equal values, symbols and names."""

from __future__ import annotations

from hgrd.program.types import BoolType, FloatType, IntType, Type
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.state import symbols_in
from hgrd.symbolic.values import OPAQUE, Choice, Composite, FloatValue, NullValue, Pointer, Value
from hgrd.terms import Origin, Symbol, Term, as_int, const, ite, ne, read, var
from hgrd.terms.interval import of_type


def identity_of(value: Value) -> Term | None:
    """Identity of a value: a term that is equal for equal values; None if there is none."""
    match value:
        case Term():
            return as_int(value)
        case FloatValue(key=key):
            return key
        case Composite(cells=cells) if cells and len(cells) <= 4:
            parts = [identity_of(c.value) for _, c in sorted(cells.items())]
            known = [p for p in parts if p is not None]
            return read("record of", *known) if len(known) == len(parts) else None
        case _:
            return None


def address_of(value: Value, objects: dict[str, int]) -> Term | None:
    """Identity of a pointer to memory that threads share: the number of its object, and the place in it."""
    found = _place(value, objects)
    return None if found is None else read("record of", *found)


def _place(value: Value, objects: dict[str, int]) -> tuple[Term, Term] | None:
    match value:
        case NullValue():
            return const(0), const(0)
        case Pointer(target=target, offset=offset) if target.space in SHARED_SPACES:
            return const(objects.setdefault(target.key, len(objects) + 1)), offset
        case Choice(condition=condition, then=then, otherwise=otherwise):
            one, two = _place(then, objects), _place(otherwise, objects)
            if one is None or two is None:
                return None
            return ite(condition, one[0], two[0]), ite(condition, one[1], two[1])
        case _:
            return None


def symbol_of(value: Value) -> Symbol | None:
    """Symbol that a fresh scalar value consists of; None if it has several or none."""
    symbols = symbols_in(value) if isinstance(value, Term | FloatValue) else frozenset[Symbol]()
    return next(iter(symbols)) if len(symbols) == 1 else None


def named(name: str, type_: Type, origin: Origin) -> Value:
    """Value of a name, the same at every call."""
    match type_:
        case BoolType():
            return ne(var(Symbol(name, 0, 1, origin)), const(0))
        case IntType():
            return var(Symbol(name, *type_.range, origin))
        case FloatType():
            return FloatValue(var(Symbol(name, *of_type(64, True), origin)))
        case _:
            return OPAQUE
