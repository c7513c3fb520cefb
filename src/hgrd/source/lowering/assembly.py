"""Lowering of inline assembly."""

from __future__ import annotations

from hgrd.program.program import Side
from hgrd.program.statements import Statement
from hgrd.source.assembly.statement import AsmStatement, lowered, unknown
from hgrd.source.assembly.text import AsmText, read_asm
from hgrd.source.clang.ast import Node, inner, span_of
from hgrd.source.lowering.context import Context, place_type


def assembly(node: Node, to: Context) -> list[Statement]:
    """Inline assembly: PTX of device code as what it stands for, that of the host's processor as it is."""
    span = span_of(node)
    text = read_asm(span)
    operands = inner(node)
    outputs = len(text.outputs) if text is not None else sum(map(_is_place, operands))
    if text is None or len(operands) != outputs + len(text.inputs) or not all(map(_is_place, operands[:outputs])):
        text = None
        operands.sort(key=_is_place, reverse=True)
        outputs = sum(map(_is_place, operands))
    places = [to.place(operand) for operand in operands[:outputs]]
    asm = AsmStatement(
        text or AsmText("whose text macros make"),
        tuple((place, place_type(place)) for place in places),
        tuple(to.value(operand) for operand in operands[outputs:]),
        span,
        to.function.side is Side.KERNEL,
    )
    return [unknown(asm)] if text is None or to.function.side is Side.HOST else lowered(asm, to.key)


def _is_place(operand: Node) -> bool:
    return operand.get("valueCategory", "prvalue") != "prvalue"
