"""Changes of objects by the host and by kernels, and the choices of the program that lead to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from hgrd.host.model import Beginning
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.symbolic.values import Value
from hgrd.terms import Term

_CHOSEN: Final = (ConditionKind.BRANCH, ConditionKind.GUARD)


class Change(Struct, frozen=True):
    """A change of an object, at a time, on a path: `held` is what it may hold then, as far as that is known.

    It replaces the bytes from `first` to before `end` (None: to the end); `adds`: it may leave them as they are.
    `arguments` are those of a launch.
    """

    time: int
    path: tuple[Condition, ...]
    held: tuple[Beginning, ...]
    first: int = 0
    end: int | None = None
    adds: bool = False
    arguments: tuple[Value, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether it is nothing but that some function may have stored some number."""
        return self.adds and all(beginning.anything for beginning in self.held)


def choices_of(path: Iterable[Condition]) -> frozenset[Term]:
    """The conditions on a path that the program has chosen by."""
    return frozenset(c.term for c in path if c.kind in _CHOSEN and not c.ended)
