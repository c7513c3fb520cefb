"""Bound memory: what the textures and surfaces stand for that a launch knows.

surf2Dread(&v, surfaces[t & 1], …);   // which one that is may not be known: if two surfaces that the program makes
surf2Dwrite(v, surfaces[t + 1 & 1], …);   // may be of one array, each may be of the memory of any
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.launches.abstraction import LaunchAbstraction
from hgrd.host.memory.possible_overlaps import decided_by, differ, possible_overlaps
from hgrd.host.model import BoundMemory, MadeSurface
from hgrd.symbolic.values import Pointer, Value, terms_in
from hgrd.terms import Op, Term, symbols_of, var
from hgrd.terms.parity import with_parities

_NUMBERS = 1 << 40  # what is never more is no handle


def bound_at(run: HostRunState, values: Iterable[Value]) -> list[BoundMemory]:
    """What the textures and surfaces are bound to that a launch with these values knows, references among them."""
    numbers = dict.fromkeys(t for value in values for t in terms_in(value))
    handles = dict.fromkeys(var(s) for t in numbers for s in symbols_of(t))
    named = (run.bound[key] for key in run.linked.globals if key in run.bound)
    given = [run.bound[h.symbol.name] for h in handles if h.symbol.name in run.bound]
    known = {bound.handle for bound in given}
    others = [t for n in numbers for t in _alternatives(n) if t not in known and t.op in (Op.VAR, Op.READ)]
    others = [t for t in dict.fromkeys(others) if t.high > _NUMBERS]
    return [bound for bound in (*named, *given) if bound.memory] + [*_one_of_all(run, others)]


def _alternatives(handle: Term) -> Iterator[Term]:
    if handle.op is Op.ITE:
        for arm in handle.args[1:]:
            yield from _alternatives(arm)
    else:
        yield handle


def seen_at_launch(seen: LaunchAbstraction, bound: BoundMemory) -> BoundMemory:
    """What a texture or surface stands for, in the terms of a launch."""
    handle = seen.term(bound.handle) if isinstance(bound.handle, Term) else bound.handle
    memory = tuple(Pointer(seen.place(p.target), seen.term(p.offset)) for p in bound.memory)
    return BoundMemory(handle, memory, bound.unknown)


def _one_of_all(run: HostRunState, handles: list[Term]) -> Iterator[BoundMemory]:
    """What handles stand for of which it is not known which they are: textures, or surfaces of which two may be of
    one array.
    """
    apart = not run.surfaces or (_are_apart(run) and not any(_may_be_one(a, b) for a, b in combinations(handles, 2)))
    kinds = [made for made in (run.textures, {} if apart else run.surfaces) if made]
    made = [made for kind in kinds for made in kind.values()]
    memory = tuple({p.target.key: p for calls in made for one in calls for p in one.memory}.values())
    unknown = not all(_is_known(calls) for calls in made)
    for handle in handles if kinds else ():
        yield BoundMemory(handle, memory, unknown)


def _is_known(made: list[MadeSurface]) -> bool:
    """Whether what one call makes is known."""
    followed = [one for one in made if one.followed]
    return bool(followed) and all(one.memory for one in followed)


def _may_be_one(one: Term, other: Term) -> bool:
    """Whether two handles are elements of one table that may be the same."""
    if one.op is not Op.READ or other.op is not Op.READ or one.payload != other.payload:
        return False
    return not differ(with_parities(one.args[0]), with_parities(other.args[0]), ())


def _are_apart(run: HostRunState) -> bool:
    """Whether each surface that the program makes is of an array of its own."""
    surfaces = [made for made in chain(*run.surfaces.values()) if made.followed]
    places = [place for made in surfaces for place in made.memory]
    names = {place.target.key: place.target.name for place in places}
    known = all(map(_is_known, run.surfaces.values())) and all(made.own for made in surfaces)
    if not known or len(names) < len(places):
        return False
    overlaps = possible_overlaps(run.origins, places, (), (), names)
    decide = decided_by(run.origins, once=False)
    return not any(decide(overlap) for overlap in overlaps if not overlap.inside)
