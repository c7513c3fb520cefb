"""Interface of synchronisation idioms, and the proofs that they may ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from hgrd.cuda.memory_model import Level, Scope
from hgrd.program.span import Span
from hgrd.protocol.model import Access
from hgrd.races.acquire_release.events import Acquire
from hgrd.races.acquire_release.flaws import Flaw
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import Term


class Idiom(Protocol):
    """Synchronisation idiom: its conditions on any two accesses of one protocol.

    A new idiom overrides the methods that apply to it (the defaults say nothing), and gets one line in
    `hgrd.races.sync.synchronization.IDIOMS`.
    """

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """The conditions under which this idiom does not order the first thread's `a` and the second one's `b`."""
        return ()

    def assumptions(self, a: Access, b: Access) -> Iterable[tuple[str, Span | None]]:
        """The assumptions of the constraints on the two, in words, and their places (None: the whole kernel)."""
        return ()

    def explains(self, before: Access, after: Access, acquire: Acquire) -> bool | None:
        """Whether it is known what an acquire of `after` says of `before`, if fences and scopes suffice.

        None: the acquire is none of this idiom.
        """
        return None

    def unclear(self, a: Access, b: Access) -> Access | None:
        """A write that may order the two in a way which the constraints do not describe; None if there is none."""
        return None

    def flaws(self, before: Access, after: Access, needed: Scope) -> Iterable[Flaw]:
        """The mistakes that keep this idiom from ordering `before` before `after` at the scope that is needed."""
        return ()

    def rings(self, level: Level | None) -> tuple[str, ...]:
        """The rings of barriers by which threads may be ordered in further ways, by name."""
        return ()

    def misuse(self, a: Access, b: Access) -> Flaw | None:
        """A mistake of one of the two accesses itself, said where there is no other flaw; None if there is none."""
        return None

    def set_by_third_party(self, a: Access, b: Access) -> Access | None:
        """A write after one of the two that the other one waits for, and that a third thread may make instead.

        None if there is none.
        """
        return None

    def without_third_party(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Further conditions under which no third thread has ended a wait of one for the other."""
        return ()


class Proofs(Protocol):
    """Proofs that two accesses never touch the same place at once.  False: it is not proved."""

    def ordered_or_disjoint(self, a: Access, b: Access) -> bool:
        """Barriers order the two, or they touch different places."""
        ...

    def disjoint_across_blocks(self, a: Access, b: Access) -> bool:
        """No two threads of different blocks touch the same place with them, whatever the order."""
        ...

    def disjoint_across_threads(self, a: Access, b: Access) -> bool:
        """No two threads that share the memory touch the same place with them, whatever the order."""
        ...

    def disjoint_within_block(self, a: Access, b: Access) -> bool:
        """No two threads of one block touch the same place with them, whatever the order."""
        ...
