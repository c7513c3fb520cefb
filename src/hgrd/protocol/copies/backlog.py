"""Backlog of pipelines: how many batches a thread has committed and not waited for, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hgrd.protocol.copies.conditions import unmet
from hgrd.protocol.copies.flight import Flight
from hgrd.protocol.model import CopyStep
from hgrd.terms import Symbol, Term, add, const, mul, substitute, var
from hgrd.terms.linear import difference

_Conditions = tuple[Term, ...]


class Waiting(Struct, frozen=True):
    """As many batches, and one more for each of these conditions that holds."""

    sure: Term
    more: tuple[_Conditions, ...] = ()


class Backlog(Struct, frozen=True):
    """The batches by pipeline, of which those left out have none; None: not known."""

    by_queue: tuple[tuple[str, Waiting | None], ...] = ()

    def of(self, queue: str) -> Waiting | None:
        return dict(self.by_queue).get(queue, Waiting(const(0)))

    def _with(self, queue: str, waiting: Waiting | None) -> Backlog:
        return Backlog(tuple(sorted({**dict(self.by_queue), queue: waiting}.items())))

    # ------------------------------------------------------------ steps

    def committed(self, step: CopyStep, around: frozenset[Term]) -> Backlog:
        """It behind another batch."""
        known = self.of(step.queue)
        left = unmet(step.guards, around)
        if known is None or left is None:
            return self
        if left:
            return self._with(step.queue, replace(known, more=(*known.more, left)))
        return self._with(step.queue, replace(known, sure=add(known.sure, const(1))))

    def awaited(self, step: CopyStep, around: frozenset[Term]) -> Backlog:
        """It behind a wait for the oldest batch; other waits leave open what a pipeline counts."""
        known = self.of(step.queue)
        left = unmet(step.guards, around)
        if not step.oldest and step.queue:
            return self._with(step.queue, None)
        if not step.oldest or known is None or left is None:
            return self
        if left in known.more:
            at = known.more.index(left)
            return self._with(step.queue, replace(known, more=(*known.more[:at], *known.more[at + 1 :])))
        if left or (known.sure.is_const and known.sure.value + len(known.more) == 0):
            return self._with(step.queue, None if left else known)
        return self._with(step.queue, replace(known, sure=add(known.sure, const(-1))))

    def behind(self, flight: Flight, queue: str, around: frozenset[Term]) -> Iterator[Flight]:
        """A copy that has just been committed, behind all of these batches."""
        known = self.of(queue)
        if known is None:
            yield flight
            return
        found = [replace(flight, ahead=known.sure)]
        for conditions in known.more:
            both = [(f, f.split(conditions, around)) for f in found]
            found = [
                replace(f, ahead=add(f.ahead, const(1))) for _, (f, _) in both if f is not None and f.ahead is not None
            ]
            found += [f for _, (_, f) in both if f is not None]
        yield from found

    # ------------------------------------------------------------ iterations

    def at(self, binder: Symbol, number: Term, around: Iterable[Term] = ()) -> Backlog:
        """It as seen where the iteration is another one, with what holds around there."""
        held = frozenset(around)
        return Backlog(tuple((q, None if w is None else _at(w, {binder: number}, held)) for q, w in self.by_queue))

    def growing(self, following: Backlog, binder: Symbol) -> Backlog:
        """What it is in each iteration, where it is `following` in the second one."""
        found = self
        for queue, after in following.by_queue:
            before = self.of(queue)
            if before is None or after is None or before.more or after.more:
                found = found._with(queue, None)
                continue
            by = difference(after.sure, before.sure)
            grown = add(before.sure, mul(by, var(binder))) if by.is_const else None
            found = found._with(queue, None if grown is None else Waiting(grown))
        return found

    def unknown(self) -> Backlog:
        """It where nothing is known."""
        return Backlog(tuple((q, None) for q, _ in self.by_queue))


def _at(waiting: Waiting, values: dict[Symbol, Term], around: frozenset[Term]) -> Waiting:
    (sure,) = substitute((waiting.sure,), values)
    more: list[_Conditions] = []
    for conditions in waiting.more:
        left = unmet(substitute(conditions, values), around)
        if left:
            more.append(left)
        elif left is not None:
            sure = add(sure, const(1))
    return Waiting(sure, tuple(more))
