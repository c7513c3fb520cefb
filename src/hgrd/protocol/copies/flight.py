"""Copies in flight: what a copy accesses, and how far it is from being waited for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.protocol.copies.conditions import unmet
from hgrd.protocol.copies.own import meets
from hgrd.protocol.model import Access
from hgrd.terms import Symbol, Term, conj, const, eq, negate, substitute, symbols_of, var

NOT_SURE = "an asynchronous copy may have ended there, or may not"
Values: TypeAlias = Mapping[Symbol, Term]


class Flight(Struct, frozen=True):
    """A copy that a thread has begun and not waited for, as a place behind that sees it.

    `guards`: under these it goes on, besides those of its accesses.  `at`: the numbers of iterations that are looked at
    of loops around the place.  `committed`: it is in a batch, and `later` more have been committed since.  `ahead`:
    as many before it are still to be waited for one by one; None: not known.  `doubt`: why it is not certain that it
    goes on; "": it is.
    """

    accesses: tuple[Access, ...]
    queue: str
    guards: tuple[Term, ...] = ()
    at: tuple[tuple[Symbol, int], ...] = ()
    committed: bool = False
    later: int = 0
    ahead: Term | None = None
    doubt: str = ""

    @property
    def shared(self) -> bool:
        """Whether a pipeline of several threads counts it, whose commits say when it has ended."""
        return bool(self.accesses[0].pipeline)

    @property
    def iterations(self) -> Values:
        """The iterations that are looked at, by the symbol of their loop."""
        return {binder: const(number) for binder, number in self.at}

    def known(self, around: Iterable[Term]) -> frozenset[Term]:
        """What holds where it goes on, if that is so `around`."""
        here = substitute(tuple(around), self.iterations)
        return frozenset((*here, *self.guards, *self.accesses[0].guards))

    def split(self, conditions: tuple[Term, ...], around: frozenset[Term]) -> tuple[Flight | None, Flight | None]:
        """It where all of the conditions hold, and where not; None where that cannot be."""
        left = unmet(substitute(conditions, self.iterations), self.known(around))
        if left is None:
            return None, self
        if not left:
            return self, None
        return (
            replace(self, guards=(*self.guards, *left)),
            replace(self, guards=(*self.guards, negate(conj(*left)))),
        )

    def made(self, guards: tuple[Term, ...] = ()) -> tuple[Access, ...]:
        """Its accesses, as they may be made at a place that is reached under these guards.

        Where those who have waited for its batch come after it, too, it is not certain that it goes on.
        """
        doubt = self.doubt or (NOT_SURE if self.shared else "")
        there = (eq(var(binder), const(number)) for binder, number in self.at)
        more = (*self.guards, *there, *guards)
        return tuple(
            replace(a, guards=tuple(dict.fromkeys((*a.guards, *more))), supposed=a.supposed or doubt, again=True)
            for a in self.accesses
        )

    def of(self, values: Values, guards: tuple[Term, ...] = (), doubt: str = "") -> Flight:
        """It with other values of symbols: as another iteration sees it, where `guards` hold."""
        ahead = None if self.ahead is None else substitute((self.ahead,), values)[0]
        return replace(
            self,
            accesses=tuple(_of(a, values) for a in self.accesses),
            guards=tuple(dict.fromkeys((*substitute(self.guards, values), *guards))),
            ahead=ahead,
            doubt=self.doubt or doubt,
        )

    def meets(self, access: Access) -> bool:
        """Whether its own thread may make an access to what it reads or writes meanwhile."""
        seen = _of(access, self.iterations)
        if not self.possible(frozenset(seen.guards)):
            return False
        known = self.known(access.guards)
        return any(meets(seen, _of(copied, self.iterations), known) for copied in self.accesses)

    def among(self, around: frozenset[Term]) -> bool:
        """Whether it may go on where all of `around` holds."""
        return unmet(self.guards, frozenset(substitute(tuple(around), self.iterations))) is not None

    def possible(self, known: frozenset[Term] = frozenset()) -> bool:
        """Whether it may go on at all, where what is known holds."""
        return unmet((*self.guards, *self.accesses[0].guards), known) is not None

    def told(self, around: frozenset[Term]) -> Flight:
        """It without the guards that hold anyway."""
        return replace(self, guards=tuple(g for g in self.guards if unmet((g,), around) != ()))

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols of its terms."""
        found = [t for a in self.accesses for t in _terms(a)]
        return symbols_of(*found, *self.guards, *(() if self.ahead is None else (self.ahead,)))


def _terms(access: Access) -> tuple[Term, ...]:
    once = () if access.once is None else access.once.terms
    return (access.offset, *access.guards, *access.bounds, *access.endings, *once)


def _of(access: Access, values: Values) -> Access:
    (offset,) = substitute((access.offset,), values)
    once = access.once
    return replace(
        access,
        offset=offset,
        guards=substitute(access.guards, values),
        bounds=substitute(access.bounds, values),
        endings=substitute(access.endings, values),
        beginnings=substitute(access.beginnings, values),
        once=None if once is None else replace(once, terms=substitute(once.terms, values)),
    )
