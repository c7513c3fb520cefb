"""Entry points of host code, and which launches have been found for any arguments although a run was cut short.

Where `main` is too large to be followed whole, functions that it calls are followed on their own, for any arguments:
callers before what they call.  That covers all calls of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Final

from msgspec import Struct, field

from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.held_pointers import finds_pointers
from hgrd.host.linking.link import LaunchPlace, Linked
from hgrd.host.linking.shared_arguments import repeating_records, shared_arguments
from hgrd.host.model import HostNote
from hgrd.program.program import Function
from hgrd.program.types import PointerType, RecordType, Type
from hgrd.symbolic.limits import OUT_OF_TIME, StepLimitError, TimeLimitError

_MAIN_SHARE: Final = 2  # main may take 1 / _MAIN_SHARE of the time
_SHARE: Final = 4  # and any other function 1 / _SHARE of what is left


class Cut(Struct, frozen=True):
    """A run that was cut short: why, the launches that it may not have come to, and the keys of their kernels."""

    note: HostNote
    places: frozenset[LaunchPlace]
    kernels: frozenset[str]


class EntryPoints(Struct):
    """What has been followed so far: `whole`, by their keys, functions on their own to their end; `cuts`.

    `callers` are those of functions, `anyhow` the functions that are called in a way that shows no arguments, `owners`
    the functions that a launch stands in.
    """

    linked: Linked
    whole: set[str] = field(default_factory=set[str])
    cuts: list[Cut] = field(default_factory=list[Cut])
    callers: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    anyhow: frozenset[str] = frozenset()
    owners: dict[LaunchPlace, set[str]] = field(default_factory=dict[LaunchPlace, "set[str]"])
    _shared: Mapping[str, frozenset[tuple[int, int]]] | None = None
    _repeating: frozenset[str] | None = None

    def __post_init__(self) -> None:
        for caller, uses in self.linked.uses.items():
            for mentioned in uses.functions:
                for key in (mentioned, *self.linked.overriders.get(mentioned, ())):
                    self.callers.setdefault(key, set()).update({caller} - {key})
            for place in uses.launches:
                self.owners.setdefault(place, set()).add(caller)
        overriding = frozenset(key for found in self.linked.overriders.values() for key in found)
        unseen = (key for key in self.linked.uses if self.linked.called_unseen(self.linked.functions[key]))
        self.anyhow = self.linked.taken.union(overriding, unseen)

    def cut(self, entry: Function, why: str, limit: StepLimitError | None) -> None:
        """An entry point was not followed to its end, because of a limit (None: it is nested too deeply)."""
        left = (limit.left if limit else None) or (entry.body,)
        statements = tuple(s for s in left if s is not None)
        places = frozenset[LaunchPlace]().union(*map(self.linked.launches_in, statements))
        self.cuts.append(Cut(HostNote(entry.span, why), places, self.linked.kernels_in(statements)))

    def covered(self) -> set[str]:
        """The functions whose launches have been found for all of their calls."""
        found = set(self.whole)
        able = [k for k in self.linked.uses if self.callers.get(k) and k not in self.anyhow]
        while more := {key for key in able if key not in found and self.callers[key] <= found}:
            found |= more
        return found

    def open_places(self) -> frozenset[LaunchPlace]:
        """The launches that runs may not have come to, and that no function on its own has covered."""
        covered = self.covered()
        return frozenset(p for cut in self.cuts for p in cut.places if not self.owners.get(p, set()) <= covered)

    def open_in(self, function: Function) -> frozenset[LaunchPlace]:
        """The launches that it takes a run of this function on its own to find."""
        below = self.linked.launches_below(function.ref.key) if self.cuts else frozenset[LaunchPlace]()
        return frozenset() if not below or function.ref.key in self.covered() else below & self.open_places()

    def cut_kernels(self, run: HostRunState) -> dict[str, HostNote]:
        """By the keys of kernels that may have further launches, why these were not found.

        What a function on its own shows is not all there is to a kernel that gets pointers by memory or by textures.
        """
        found: dict[str, HostNote] = {}
        open_ = self.open_places()
        for cut in self.cuts:
            left = {place.kernel for place in cut.places & open_}
            for key in cut.kernels:
                own = key in self.linked.taken or bool(run.bound) or bool({key, ""} & left)
                if own or finds_pointers(self.linked, key):
                    found.setdefault(key, cut.note)
        return found

    def shared(self, function: Function) -> frozenset[tuple[int, int]]:
        """The pairs of a function's parameters of which the second one may be in what the first one leads to."""
        if self._shared is None:
            self._shared = shared_arguments(self.linked)
        return self._shared.get(function.ref.key, frozenset())

    def repeats(self, type_: Type) -> bool:
        """Whether a pointer leads to a record two of whose members the program may give the same pointer."""
        if self._repeating is None:
            self._repeating = repeating_records(self.linked)
        match type_:
            case PointerType(to=RecordType(key=key)):
                return key in self._repeating
            case _:
                return False


def share_of(deadline: float, entry: Function) -> float:
    """The value of perf_counter() until which an entry point may be followed, if all of them may until `deadline`."""
    now = perf_counter()
    return now + (deadline - now) / (_MAIN_SHARE if entry.ref.key == "main" else _SHARE)


def why_cut(entry: Function, limit: StepLimitError | RecursionError) -> str:
    """What to say of an entry point that was not followed to its end."""
    match limit:
        case TimeLimitError():
            return f"{OUT_OF_TIME}: {entry.ref.name} is not followed whole"
        case StepLimitError():
            return f"{entry.ref.name} is too large to be followed whole"
        case _:
            return f"{entry.ref.name} is nested too deeply to be followed whole"
