"""Bound memory: what the textures and surfaces stand for that a launch knows."""

from __future__ import annotations

from collections.abc import Iterable

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.launches.abstraction import LaunchAbstraction
from hgrd.host.model import BoundMemory
from hgrd.symbolic.values import Pointer, Value, terms_in
from hgrd.terms import Term, symbols_of, var


def bound_at(run: HostRunState, values: Iterable[Value]) -> list[BoundMemory]:
    """What the textures and surfaces are bound to that a launch with these values knows, references among them."""
    handles = dict.fromkeys(var(s) for value in values for t in terms_in(value) for s in symbols_of(t))
    named = (run.bound[key] for key in run.linked.globals if key in run.bound)
    given = (run.bound[h.symbol.name] for h in handles if h.symbol.name in run.bound)
    return [bound for bound in (*named, *given) if bound.memory]


def seen_at_launch(seen: LaunchAbstraction, bound: BoundMemory) -> BoundMemory:
    """What a texture or surface stands for, in the terms of a launch."""
    handle = seen.term(bound.handle) if isinstance(bound.handle, Term) else bound.handle
    return BoundMemory(handle, tuple(Pointer(seen.place(p.target), seen.term(p.offset)) for p in bound.memory))
