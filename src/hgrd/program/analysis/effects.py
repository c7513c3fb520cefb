"""Effects of code: what it may change, by a walk over its text and the functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce

from msgspec import Struct, field

from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.types import PointerType
from hgrd.program.walk import nodes


class Effects(Struct, frozen=True):
    """Variables assigned by name; those whose address is taken; stores through other pointers."""

    assigned: frozenset[ir.Variable]
    exposed: frozenset[ir.Variable]
    through_pointers: bool
    arrays: frozenset[ir.Variable]  # assigned at an index
    calls: frozenset[str]
    launches: bool  # a kernel, or an unknown function

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.assigned | other.assigned,
            self.exposed | other.exposed,
            self.through_pointers or other.through_pointers,
            self.arrays | other.arrays,
            self.calls | other.calls,
            self.launches or other.launches,
        )


NOTHING = Effects(frozenset(), frozenset(), False, frozenset(), frozenset(), False)


def local_effects(root: object) -> Effects:
    """Effects of the text itself, calls not followed (a call may store through its pointer arguments)."""
    assigned: set[ir.Variable] = set()
    exposed: set[ir.Variable] = set()
    arrays: set[ir.Variable] = set()
    calls: set[str] = set()
    through = launches = False
    decayed: set[int] = set()
    for node in nodes(root):
        match node:
            case ir.Assign(place=place) | ir.Update(place=place):
                variable, indexed = written(place)
                if variable is None:
                    through = True
                else:
                    (arrays if indexed else assigned).add(variable)
            case ir.Deref(pointer=pointer):
                decayed.update(id(n) for n in _decay_chain(pointer))
            case ir.Call(function=function):
                calls.add(function.key)
            case ir.Construct(constructor=constructor) if constructor is not None:
                calls.add(constructor.key)
            case ir.IndirectCall():
                through = launches = True
            case ir.Launch():
                launches = True
            case st.Assembly(outputs=outputs) if outputs:
                through = True
            case _:
                pass
    for node in nodes(root):
        if isinstance(node, ir.AddressOf) and id(node) not in decayed:
            variable = named(node.place)
            if variable is not None:
                exposed.add(variable)
            through = through or (variable is None and _is_pointer_member(node.place))
    return Effects(frozenset(assigned), frozenset(exposed), through, frozenset(arrays), frozenset(calls), launches)


def _is_pointer_member(place: ir.Place) -> bool:
    """Whether a place holds a pointer in a record: who gets its address may change it, as `std::swap` does."""
    return isinstance(place, ir.FieldPlace) and isinstance(place.field.type, PointerType)


def _decay_chain(pointer: ir.Expression) -> Iterator[ir.AddressOf]:
    """The `&array` nodes that only serve an immediate `[…]`."""
    while isinstance(pointer, ir.PointerAdd | ir.Convert):
        pointer = pointer.pointer if isinstance(pointer, ir.PointerAdd) else pointer.operand
    if isinstance(pointer, ir.AddressOf):
        yield pointer


def written(place: ir.Place) -> tuple[ir.Variable | None, bool]:
    """Variable that a store to `place` changes (and whether at an index); None: it goes through a pointer."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable, False
        case ir.FieldPlace(base=base):
            return written(base)
        case ir.AfterPlace(place=inner):
            return written(inner)
        case ir.Deref(pointer=pointer):
            chain = list(_decay_chain(pointer))
            if chain:
                return written(chain[0].place)[0], True
            return None, True
        case _:
            return None, False


def named(place: ir.Place) -> ir.Variable | None:
    match place:
        case ir.VariablePlace(variable=variable):
            return variable
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return named(base)
        case ir.Deref(pointer=pointer):
            chain = list(_decay_chain(pointer))
            return named(chain[0].place) if chain else None
        case _:
            return None


class EffectTable(Struct):
    """Table of the effects of functions, calls followed; computed on demand."""

    functions: Mapping[str, Function]
    known: dict[str, Effects]
    parts: dict[tuple[int, ...], Effects] = field(default_factory=dict[tuple[int, ...], Effects])

    def of(self, *parts: object) -> Effects:
        """Effects of pieces of a program with everything that they call."""
        identity = tuple(map(id, parts))
        if identity not in self.parts:
            own = local_effects(parts)
            self.parts[identity] = reduce(lambda e, key: e | self._of_function(key), sorted(own.calls), own)
        return self.parts[identity]

    def _of_function(self, key: str) -> Effects:
        if key in self.known:
            return self.known[key]
        self.known[key] = NOTHING  # recursion: the outer activation completes it
        function = self.functions.get(key)
        if function is not None and function.body is not None:
            self.known[key] = self.of(function.body)
        return self.known[key]
