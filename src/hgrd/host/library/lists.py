"""Lists: initializer lists, and vectors of pointers or records with a known number of elements."""

from __future__ import annotations

from hgrd.host.containers.elements import fixed_count
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.library_names import holds_numbers
from hgrd.host.memory.array_contents import container_with
from hgrd.program.types import POINTER_SIZE, ArrayType, OpaqueType, Type
from hgrd.symbolic.state import EMPTY, Region, State
from hgrd.symbolic.values import NULL, Cell, Composite, MemoryObject, NullValue, Pointer, PointerValue, Value
from hgrd.terms import Term, const


def listed(call: LibraryCall) -> Value | None:
    """`begin`, `end`, `size` and copies of a `std::initializer_list`, whose value is the address of its array."""
    if call.name == "initializer_list" and len(call.arguments) == 1:
        return Composite({0: Cell(NULL, POINTER_SIZE)}, POINTER_SIZE)
    given = call.arguments[-1] if call.arguments else None
    here = given.target if isinstance(given, Pointer) else None
    cell = None if here is None else call.state.store.get(here.key, EMPTY).cells.get(0)
    match call.name, None if cell is None else cell.value:
        case "initializer_list", (Pointer() | NullValue()) as array:
            return Composite({0: Cell(array, POINTER_SIZE)}, POINTER_SIZE)
        case "size", NullValue():
            return const(0)
        case "begin", Pointer() as array:
            return array
        case "end", Pointer(target=MemoryObject(element=ArrayType() as type_) as array):
            size = call.machine.size(type_)
            return None if size is None else Pointer(array, const(size))
        case "size", Pointer(target=MemoryObject(element=ArrayType(count=int() as count))):
            return const(count)
        case _:
            return None


def list_length(state: State, place: Pointer, type_: Type | None) -> int | None:
    """The number of elements of a vector of pointers or records, given where it or its elements are; None: unknown."""
    target = place.target
    match type_:
        case OpaqueType(name=name) if name.startswith("std::array") and not holds_numbers(name):
            return fixed_count(type_)
        case OpaqueType(name=name) if name.startswith("std::vector") and not holds_numbers(name):
            owner, at = target.key, place.offset.value if place.offset.is_const else -1
        case _ if _has_pointers(state.store.get(target.key, EMPTY)):
            owner, at = container_with(target.key)
        case _:
            return None
    cell = state.store.get(owner, EMPTY).cells.get(at)
    return cell.value.value if cell is not None and isinstance(cell.value, Term) and cell.value.is_const else None


def _has_pointers(elements: Region) -> bool:
    return any(isinstance(cell.value, PointerValue) for cell in elements.cells.values())
