"""Arguments that give what they hold away."""

from __future__ import annotations

from hgrd.program.expressions import AddressOf, Call, Convert, Deref, Expression


def is_moved(argument: Expression) -> bool:
    """Whether an argument is written `std::move(…)`."""
    match argument:
        case AddressOf(place=Deref(pointer=inner)) | Convert(operand=inner):
            return is_moved(inner)
        case Call(function=function):
            return function.name in ("move", "forward")
        case _:
            return False
