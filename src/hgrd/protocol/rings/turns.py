"""Turns of a role at pipelines: which batch each of its steps is for.

The n-th commit of each thread is of batch n, and so is what it does before it to acquire a stage; likewise its n-th
release, and the wait before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from hgrd.protocol.barrier_names import Turn
from hgrd.protocol.copies.conditions import follows
from hgrd.protocol.model import ProtocolLoop
from hgrd.protocol.rings.sequences import Index, Ring, Step, behind_loop, inside_loop
from hgrd.protocol.rings.sites import Site
from hgrd.terms import Term, add, const, le, substitute, var


def turns_of(ring: Ring, sites: Iterable[Site]) -> tuple[Step, ...] | None:
    """The steps at the ring of those who get to these sites, in program order; None: their batches are not known."""
    in_order = sorted((s for s in sites if s.named.turn is not None), key=_place)
    counters = {_turn(s).counter for s in in_order if s.named.number.value in ring.numbers}
    found: list[Step] = []
    for counter in sorted(counters):
        counted = [s for s in in_order if _turn(s).counter == counter]
        indexes = _indexes(counted)
        if indexes is None or not _in_pairs(counted):
            return None
        for site, at in zip(counted, indexes, strict=True):
            if site.named.number.value in ring.numbers:
                found.append(Step(site, at, None) if site.arrives else Step(site, None, at.plus(-_turn(site).back)))
    return tuple(sorted(found, key=lambda s: _place(s.site)))


def _turn(site: Site) -> Turn:
    assert site.named.turn is not None
    return site.named.turn


def _place(site: Site) -> tuple[int, int]:
    return site.top, site.inner


def _indexes(sites: list[Site]) -> list[Index] | None:
    """The batch of each step that is counted together; None: it is not known."""
    now: Index | None = Index(0)
    found: list[Index] = []
    for top, group in groupby(sites, lambda s: s.top):
        part = list(group)
        loop, arriving = part[0].loop, sum(s.arrives for s in part)
        after = behind_loop(loop, top, now, arriving)
        if loop is not None:
            now = inside_loop(loop, top, now, arriving)
        for site in part:
            if now is None or not all(_made(one, site) for one in sites if one.arrives):
                return None
            found.append(now)
            now = now.plus(1) if site.arrives else now
        now = now if loop is None else after
    return found


def _made(one: Site, site: Site) -> bool:
    """Whether a thread that gets to a site has made the arrivals at another one that the program puts before that."""
    if one.top > site.top or (one.loop is None and _place(one) >= _place(site)):
        return True
    wanted, known = tuple(one.chosen), tuple(site.chosen)
    if site.loop is not None:
        first = const(0 if one.loop is not site.loop or _place(one) < _place(site) else 1)
        known = (*known, *site.loop.tests, le(first, var(site.loop.binder)))
    if one.loop is not None:
        wanted = substitute(wanted, {one.loop.binder: _last(one.loop, site, early=_place(one) < _place(site))})
    return all(follows(condition, known) for condition in wanted)


def _last(loop: ProtocolLoop, site: Site, *, early: bool) -> Term:
    """The last iteration of a loop in which a site that is in the loop, or behind it, finds something done."""
    if loop is site.loop:
        return add(var(loop.binder), const(0 if early else -1))
    return add(const(loop.count.low) if loop.count.low == loop.count.high else var(loop.count), const(-1))


def _in_pairs(sites: list[Site]) -> bool:
    """Whether each wait for what others commit is followed by the release of just that, before the next one."""
    open_: Site | None = None
    for site in sites:
        if _turn(site).back:
            return True
        if site.arrives and (open_ is None or open_.loop is not site.loop or open_.chosen != site.chosen):
            return False
        if not site.arrives and open_ is not None:
            return False
        open_ = None if site.arrives else site
    return open_ is None
