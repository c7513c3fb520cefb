"""Static pruning: accesses that the analysis has proved race-free need no logging (GRace, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import LaunchReport
from hgrd.program.span import Span
from hgrd.simulate.trace import Arrive, Fenced, MemoryOrder, Observer, Sites, Touch, TraceSite


def proved_in(report: LaunchReport) -> Callable[[TraceSite], bool]:
    """Test of sites: whether a site is in no race and no open pair of a launch, for runs that its facts allow.

    Where the analysis has left out a part of the kernel, no site is proved: that part could race with any.
    """
    suspects: set[tuple[Span, AccessKind]] = set()
    for pair in (*report.findings, *report.open_pairs):
        if pair.first is None or pair.second is None:
            return lambda _: False
        suspects |= {(site.span, site.kind) for site in (pair.first, pair.second)}
    return lambda site: (site.span, site.kind) not in suspects


class Pruned(Struct):
    """An observer that forwards unproved accesses, and always barriers, fences and synchronising accesses."""

    inner: Observer
    sites: Sites
    proved: Callable[[TraceSite], bool]
    passed: int = 0
    dropped: int = 0
    _known: dict[int, bool] = field(default_factory=dict[int, bool])

    def touch(self, event: Touch, /) -> None:
        known = self._known.get(event.site)
        if known is None:
            known = self._known[event.site] = self.proved(self.sites.sites[event.site])
        if known and event.kind is not AccessKind.ATOMIC and event.order is MemoryOrder.PLAIN:
            self.dropped += len(event.threads)
        else:
            self.passed += len(event.threads)
            self.inner.touch(event)

    def arrive(self, event: Arrive, /) -> None:
        self.inner.arrive(event)

    def fenced(self, event: Fenced, /) -> None:
        self.inner.fenced(event)
