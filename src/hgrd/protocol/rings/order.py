"""Order that rings of barriers make: what those who have waited at one know of the arrivals at another one.

That a thread cannot arrive at a barrier again before its phase has ended is what makes the n-th arrivals of all threads
one phase, and is proved here.  It follows from what the thread has waited for, and from what those have waited for
whose arrivals it has waited for.  The argument goes by time: before the first arrival that comes too early, all waits
have been for the phases that they seem to be for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hgrd.protocol.ring_events import Lags
from hgrd.protocol.rings.sequences import Index, Ring, Step
from hgrd.protocol.rings.sites import Site

Role = Mapping[str, tuple[Step, ...]]
"""The steps of some threads, by ring."""


def lags_of(rings: Sequence[Ring], roles: Iterable[Role]) -> Lags:
    """How far the arrivals at one ring may lag behind those at another one; rings that are not related are left out."""
    lags: dict[tuple[str, str], int] = {(r.name, r.name): 0 for r in rings}
    for role in roles:
        for one in role:
            arrivals = [s for s in role[one] if s.arrival is not None]
            for other in role:
                leads = [_lead(step, role[other]) for step in arrivals]
                if leads:
                    lag = min(0, *leads)
                    lags[one, other] = max(lag, lags.get((one, other), lag))
    names = [r.name for r in rings]
    for middle in names:
        for one in names:
            for other in names:
                first, second = lags.get((one, middle)), lags.get((middle, other))
                if first is not None and second is not None:
                    lags[one, other] = max(first + second, lags.get((one, other), first + second))
    return lags


def too_early(ring: Ring, roles: Iterable[Role], lags: Lags) -> bool:
    """Whether a thread may arrive at a barrier of the ring again before the phase of its last arrival has ended."""
    return any(
        step.arrival is not None and not _in_time(ring, step, role, lags)
        for role in roles
        for step in role.get(ring.name, ())
    )


def stuck(ring: Ring, roles: Iterable[Role], lags: Lags) -> bool:
    """Whether an arrival at the ring comes only after all threads have made it: it would never be made."""
    others = {two for one, two in lags if one == ring.name and two != ring.name}
    back = (lags[ring.name, o] + lags[o, ring.name] for o in others if (o, ring.name) in lags)
    leads = (_lead(s, role[ring.name]) for role in roles for s in role.get(ring.name, ()) if s.arrival is not None)
    return any(lag >= 0 for lag in back) or any(lead >= 0 for lead in leads)


def _in_time(ring: Ring, step: Step, role: Role, lags: Lags) -> bool:
    assert step.arrival is not None
    if step.arrival.last < ring.size:
        return True
    leads = ((_lead(step, role[other]), lags.get((other, ring.name))) for other in role)
    return any(lag is not None and lead + lag >= -ring.size for lead, lag in leads)


def _lead(step: Step, others: Iterable[Step]) -> int:
    """How far the last wait before an arrival is ahead of this, at least, of those that are made if the arrival is.

    Where there has been none, it is for the arrival -1, which nobody makes.
    """
    at = step.arrival
    assert at is not None
    waits = [(w.waits, w.site) for w in others if w.waits is not None and w.site.chosen <= step.site.chosen]
    if at.loop is None:
        early = (w.first for w, site in waits if site.loop is None and _before(site, step.site))
        return max((-1, *early)) - at.first
    prior = max((-1, *(w.first for w, site in waits if w.loop is None and site.top < at.top)))
    found = [_ahead(w, step, prior, early=_before(site, step.site)) for w, site in waits if w.loop is at.loop]
    return max((prior - at.last, *(x for x in found if x is not None)))


def _ahead(wait: Index, step: Step, prior: int, *, early: bool) -> int | None:
    """By how much a wait is ahead of an arrival, where the iterations of one loop count both.

    `early`: it comes before it in an iteration, or behind the loop.  `prior`: what was known above the loop.
    """
    at = step.arrival
    assert at is not None
    if wait.per != at.per or (wait.behind and not at.behind):
        return None
    if wait.behind == at.behind:
        return wait.first - at.first if early else None if at.behind else min(wait.first - wait.per, prior) - at.first
    return min(wait.first - wait.per, prior) - at.first


def _before(one: Site, other: Site) -> bool:
    return (one.top, one.inner) < (other.top, other.inner)
