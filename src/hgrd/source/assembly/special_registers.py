"""Predefined registers as what CUDA C++ calls them (PTX ISA, "Special Registers")."""

from __future__ import annotations

from hgrd.cuda.ptx.registers import MACHINE_REGISTERS
from hgrd.program.expressions import (
    Binary,
    BinaryOp,
    Call,
    Expression,
    FieldPlace,
    FunctionRef,
    IntConst,
    Load,
    Storage,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from hgrd.program.span import Span
from hgrd.program.types import INT, UINT, Field, IntType, RecordType, Type

_VECTORS = {"%tid": "threadIdx", "%ctaid": "blockIdx", "%ntid": "blockDim", "%nctaid": "gridDim"}
_COMPONENTS = {"x": 0, "y": 4, "z": 8}


def special_register(name: str, span: Span) -> Expression | None:
    """The value of a predefined register; None: it is not known."""
    vector, _, component = name.partition(".")
    if vector in _VECTORS and component in _COMPONENTS:
        return _component(_VECTORS[vector], component, span)
    match name:
        case "%laneid":
            return _lane(span)
        case "%warpid":
            return called("ptx.warpid", (), UINT, span)
        case "WARP_SZ":
            return IntConst(32, INT, span)
        case _ if name.startswith("%lanemask_"):
            return _lane_mask(name.removeprefix("%lanemask_"), span)
        case _ if name in MACHINE_REGISTERS:
            function, bits = MACHINE_REGISTERS[name]
            return called(function, (), IntType(bits, False), span)
        case _:
            return None


def called(name: str, arguments: tuple[Expression, ...], type_: Type, span: Span) -> Call:
    """A call of one of CUDA's device functions, or of a function that stands for an instruction."""
    return Call(FunctionRef(name, name, name, type_), arguments, type_, span)


def _component(vector: str, component: str, span: Span) -> Expression:
    type_ = RecordType("dim3" if vector.endswith("Dim") else "uint3")
    place = VariablePlace(Variable(vector, vector, type_, Storage.BUILTIN, span), span)
    return Load(FieldPlace(place, Field(component, UINT, _COMPONENTS[component]), span), UINT, span)


def _lane(span: Span) -> Expression:
    return called("__lane_id", (), UINT, span)


def _lane_mask(which: str, span: Span) -> Expression | None:
    """Lanes less than, equal to or greater than the thread's own, by their bits."""

    def bit(number: int) -> Expression:
        return Binary(BinaryOp.SHL, IntConst(number, UINT, span), _lane(span), UINT, span)

    def below(number: int) -> Expression:
        return Binary(BinaryOp.SUB, bit(number), IntConst(1, UINT, span), UINT, span)

    match which:
        case "eq":
            return bit(1)
        case "lt":
            return below(1)
        case "le":
            return below(2)
        case "ge":
            return Unary(UnaryOp.BIT_NOT, below(1), UINT, span)
        case "gt":
            return Unary(UnaryOp.BIT_NOT, below(2), UINT, span)
        case _:
            return None
