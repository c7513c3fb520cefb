"""Arguments that may be, or lead to, one object, as far as the calls of a function in the program show.

    add(out, in, in);  scale(model, model->weights);  copy(p + n, p);

A function that is followed for any arguments has parameters that are not assumed to be different objects, where some
call of it gives two of them what comes from the same variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

from hgrd.host.linking.library_names import copies_memory
from hgrd.host.linking.link import Linked
from hgrd.host.linking.pointer_sources import PointerSources, Root, leads, pointee
from hgrd.program import expressions as ir
from hgrd.program.expressions import Variable
from hgrd.program.program import Function
from hgrd.program.types import RecordType, Type
from hgrd.program.walk import nodes


def shared_arguments(linked: Linked) -> Mapping[str, frozenset[tuple[int, int]]]:
    """The pairs of parameters that some call gives related pointers, by the keys of the functions that are called.

    The second one of a pair may be in what the first one leads to, or be the same where the pair is there both ways.
    """
    quiet = quiet_functions(linked)
    calls = [found for key in linked.uses for found in _calls(linked.functions[key], quiet)]
    shared: dict[str, frozenset[tuple[int, int]]] = {}
    while True:
        before = dict(shared)
        for caller, called, given in calls:
            known = shared.get(called, frozenset())
            shared[called] = known | _related(caller, given, shared)
        if shared == before:
            return shared


def _related(
    caller: Function, given: list[set[Root]], shared: Mapping[str, frozenset[tuple[int, int]]]
) -> frozenset[tuple[int, int]]:
    number = {p: n for n, p in enumerate(caller.parameters)}
    same = shared.get(caller.ref.key, frozenset())

    def holds(one: Root, other: Root) -> bool:
        if None in (one.base, other.base) or one.meets(other):
            return one.inside or not other.inside
        if not isinstance(one.base, Variable) or not isinstance(other.base, Variable):
            return False
        pair = number.get(one.base, -1), number.get(other.base, -1)
        return pair in same or (pair[::-1] in same and bool(one.path or other.path))

    pairs = permutations(range(len(given)), 2)
    return frozenset((i, j) for i, j in pairs if any(holds(a, b) for a in given[i] for b in given[j]))


def quiet_functions(linked: Linked) -> frozenset[str]:
    """The keys of functions of the program that store no pointers in what they are given."""
    quiet = {key for key in linked.uses if not any(_stores_pointers(linked.functions[key]))}
    while True:
        loud = {key for key in quiet if any(f not in quiet and f in linked.uses for f in linked.uses[key].functions)}
        if not loud:
            return frozenset(quiet)
        quiet -= loud


def _stores_pointers(function: Function) -> Iterator[bool]:
    for node in nodes(function.body):
        match node:
            case ir.Assign(place=place, value=value):
                yield leads(value.type) and _reaches(place)
            case ir.Call(function=called, arguments=arguments):
                yield copies_memory(called.name) and any(leads(pointee(a)) for a in arguments)
            case ir.IndirectCall():
                yield True
            case _:
                pass


def _reaches(place: ir.Place) -> bool:
    """Whether a place is reached through a pointer."""
    match place:
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return _reaches(base)
        case _:
            return not isinstance(place, ir.VariablePlace)


def _calls(caller: Function, quiet: frozenset[str]) -> Iterator[tuple[Function, str, list[set[Root]]]]:
    """The calls in a function: of what, and where each argument comes from."""
    sources = PointerSources.of_function(caller, quiet)
    for node in nodes(caller.body):
        match node:
            case ir.Call(function=called, arguments=arguments) if called.user_code:
                yield caller, called.key, [sources.given(a) for a in arguments]
            case ir.Construct(constructor=called, arguments=arguments) if called is not None and called.user_code:
                yield caller, called.key, [set[Root](), *map(sources.given, arguments)]
            case _:
                pass


def repeating_records(linked: Linked) -> frozenset[str]:
    """The keys of records two of whose members some function gives pointers that may lead to one object."""
    quiet = quiet_functions(linked)
    return frozenset(key for function in linked.uses for key in _repeating(linked.functions[function], quiet))


def _repeating(function: Function, quiet: frozenset[str]) -> Iterator[str]:
    sources = PointerSources.of_function(function, quiet)
    given: dict[str, list[tuple[str | int, set[Root]]]] = {}
    for node in nodes(function.body):
        match node:
            case ir.Assign(place=ir.FieldPlace(base=base, field=member), value=value):
                if isinstance(record := _type_of(base), RecordType):
                    given.setdefault(record.key, []).append((member.name, sources.given(value)))
            case ir.Aggregate(parts=parts, type=RecordType(key=key)):
                given.setdefault(key, []).extend((at, sources.given(value)) for at, value in parts)
            case _:
                pass
    for key, members in given.items():
        pairs = permutations(members, 2)
        if any(m != n and any(a.meets(b) for a in one for b in other) for (m, one), (n, other) in pairs):
            yield key


def _type_of(place: ir.Place) -> Type | None:
    match place:
        case ir.VariablePlace(variable=variable):
            return variable.type
        case ir.FieldPlace(field=member):
            return member.type
        case ir.Deref(type=type_):
            return type_
        case _:
            return None
