"""Compatible signatures: which functions a pointer to a function type may point to."""

from __future__ import annotations

from hgrd.program.program import Function
from hgrd.program.types import FunctionType, IntType, OpaqueType, PointerType, RecordType, Type


def callable_as(function: Function, type_: FunctionType) -> bool:
    """Whether a pointer of this type may point to the function; True where a type is unknown."""
    if type_.returns is None:
        return True
    if function.body is None:  # its parameters are not kept
        return _alike(function.returns, type_.returns)
    if function.variadic or len(function.parameters) != len(type_.parameters):
        return function.variadic
    pairs = zip(function.parameters, type_.parameters, strict=True)
    return _alike(function.returns, type_.returns) and all(_alike(p.type, t) for p, t in pairs)


def _alike(a: Type, b: Type) -> bool:
    """Whether two types may be equal; what pointers point to is not compared (const, casts)."""
    match a, b:
        case (OpaqueType(), _) | (_, OpaqueType()):
            return True
        case PointerType(), PointerType():
            return True
        case IntType(bits=m), IntType(bits=n):
            return m == n
        case RecordType(key=m), RecordType(key=n):
            return m == n
        case _:
            return a == b
