"""Kept pointers: what a function that is not followed may store in the objects that it changes.

buffer.copy_from(other);   // void copy_from(const Buffer &other): elsewhere; it is taken to copy what `other` holds
view.set(pointer);         // void set(const float *pointer): it may keep the pointer
"""

from __future__ import annotations

from hgrd.host.containers.elements import has_numbers
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.execution.unmodelled_stores import written_by
from hgrd.host.linking.library_names import adds_elements, is_of_program, is_special
from hgrd.host.linking.mangled_names import takes_constants
from hgrd.host.memory.unknowns import direct_targets
from hgrd.program.expressions import Call
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, RecordType, Type
from hgrd.symbolic.values import Value


def record_kept(run: HostRunState, call: Call, arguments: tuple[Value, ...], sources: set[str], *, own: bool) -> None:
    """A function gets arguments, and may store what these lead to, the `sources`, in the objects that it changes.

    `own`: its body is there, but is not followed.
    """
    run.handed.record_spread(run.origins, call, direct_targets(arguments[:1]))
    written = (t for t in direct_targets(written_by(call, arguments)) if not has_numbers(run, t))
    copier = "" if own or not _is_taken_to_copy(call) else call.function.qualified
    run.origins.record_written(written, sources, copier, adds=not own and adds_elements(call.function))


def _is_taken_to_copy(call: Call) -> bool:
    """Whether a function is a method of the program that gets numbers and records, these by reference to const.

    Constructors and operators are not: those of a view keep what they get.
    """
    method = is_of_program(call.function) and not is_special(call.function) and takes_constants(call.function.key)
    return method and all(_is_copied(a.type) for a in call.arguments[1:])


def _is_copied(type_: Type) -> bool:
    match type_:
        case PointerType(to=RecordType(), reference=True) | IntType() | FloatType() | BoolType():
            return True
        case _:
            return False
