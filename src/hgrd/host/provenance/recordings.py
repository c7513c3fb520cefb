"""Recordings: what a CUDA graph does to objects each time it is launched (CUDA Programming Guide, "CUDA Graphs").

Launches and copies that a stream captures are not performed then, but whenever the graph is launched, again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, field

from hgrd.host.model import LaunchSite
from hgrd.host.provenance.changes import Change, choices_of
from hgrd.program.span import NOWHERE
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.symbolic.values import Value
from hgrd.terms import Term, conj, negate


class Entered(Struct, frozen=True):
    """A kernel, by its key, where it is launched with arguments: `keys` are those of the objects that it knows.

    `seen`: what the kernel sees of a value of the host.
    """

    kernel: str
    arguments: tuple[Value, ...]
    keys: tuple[str, ...]
    seen: Callable[[Term], Term]


class Recorded(Struct, frozen=True):
    """A change of the object with a key."""

    key: str
    change: Change


class RecordedLaunch(Struct, frozen=True):
    """A launch, as it was recorded."""

    site: LaunchSite
    entered: Entered


class Recording(Struct):
    """What is recorded into a graph where `choices` hold, in order."""

    choices: frozenset[Term]
    entries: list[Recorded | RecordedLaunch] = field(default_factory=list[Recorded | RecordedLaunch])

    def is_on(self, path: Iterable[Condition]) -> bool:
        """Whether everything on a path is recorded, and not performed."""
        return self.choices <= choices_of(path)

    def is_off(self) -> Condition:
        """That nothing is recorded."""
        return Condition(negate(conj(*self.choices)), ConditionKind.BRANCH, NOWHERE)

    def is_certain(self, change: Change) -> bool:
        """Whether a change is made whenever the graph is launched."""
        return choices_of(change.path) <= self.choices
