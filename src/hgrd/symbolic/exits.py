"""Exits of one iteration of a loop."""

from __future__ import annotations

from msgspec import Struct

from hgrd.symbolic.state import State


class IterationExits(Struct, frozen=True):
    """The exits of an iteration: the state before the next test (None: never reached), and those that break out.

    `returns`: it may return from the function; `returned` are then the states in which it does.
    """

    after: State | None
    breaks: list[State]
    returns: bool
    returned: tuple[State, ...] = ()

    def alive(self) -> list[State]:
        """The reachable exits that stay in the function."""
        return [s for s in (self.after, *self.breaks) if s is not None and s.alive]
