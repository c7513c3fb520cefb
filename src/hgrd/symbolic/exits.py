"""How one iteration of a loop may end."""

from __future__ import annotations

from msgspec import Struct

from hgrd.symbolic.state import State


class IterationExits(Struct, frozen=True):
    """How an iteration ends: the state before the next test, and the states that break out.

    `returns`: it may leave the function; `returned` are then the states in which it does.
    """

    after: State | None
    breaks: list[State]
    returns: bool
    returned: tuple[State, ...] = ()

    def alive(self) -> list[State]:
        return [s for s in (self.after, *self.breaks) if s is not None and s.alive]
