"""Effort of the solver, in counts that are the same on every machine."""

from __future__ import annotations

from msgspec import Struct


class Effort(Struct, frozen=True):
    """An amount of work: `queries` decided, and `units` of z3's resource count (some ten million a second)."""

    queries: int = 0
    units: int = 0

    def since(self, before: Effort) -> Effort:
        """The work done after `before`."""
        return Effort(self.queries - before.queries, self.units - before.units)

    def exceeds(self, limit: Effort) -> bool:
        """Whether either count is above its limit."""
        return self.queries > limit.queries or self.units > limit.units
