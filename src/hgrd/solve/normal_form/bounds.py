"""Intervals of atoms, each end with the facts it rests on, and their propagation through claims."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct, field

from hgrd.solve.normal_form.formula import AtMost, Claim, Equal
from hgrd.solve.normal_form.poly import Mono, Poly


class Span(NamedTuple):
    """low <= value <= high, given the facts in `facts` (a bit set)."""

    low: int
    high: int
    facts: int = 0


class Infeasible(Exception):  # noqa: N818  (a result, not an error)
    """The claims contradict each other; `facts` are those involved."""

    def __init__(self, facts: int) -> None:
        super().__init__("contradiction")
        self.facts = facts


class Bounds(Struct):
    """low[a] <= a <= high[a] for every atom a, given the facts in low_facts[a] and high_facts[a]."""

    low: list[int] = field(default_factory=list[int])
    high: list[int] = field(default_factory=list[int])
    low_facts: list[int] = field(default_factory=list[int])
    high_facts: list[int] = field(default_factory=list[int])

    def new(self, span: Span) -> int:
        self.low.append(span.low)
        self.high.append(span.high)
        self.low_facts.append(span.facts)
        self.high_facts.append(span.facts)
        return len(self.low) - 1

    def of_atom(self, atom: int) -> Span:
        return Span(self.low[atom], self.high[atom], self.low_facts[atom] | self.high_facts[atom])

    def of_mono(self, mono: Mono) -> Span:
        if len(mono) == 1:
            return self.of_atom(mono[0])
        low = high = 1
        facts = 0
        for atom, run in groupby(mono):
            a, b = self._power(atom, len(list(run)))
            corners = (low * a, low * b, high * a, high * b)
            low, high = min(corners), max(corners)
            facts |= self.low_facts[atom] | self.high_facts[atom]
        return Span(low, high, facts)

    def _power(self, atom: int, exponent: int) -> tuple[int, int]:
        low, high = self.low[atom], self.high[atom]
        if exponent == 1:
            return low, high
        a, b = sorted((low**exponent, high**exponent))
        return (0 if exponent % 2 == 0 and low < 0 < high else a), b

    def of_poly(self, p: Poly) -> Span:
        low = high = facts = 0
        for mono, c in p.items():
            span = self.of_mono(mono) if mono else Span(1, 1)
            low += c * (span.low if c > 0 else span.high)
            high += c * (span.high if c > 0 else span.low)
            facts |= span.facts
        return Span(low, high, facts)

    def lower(self, atom: int, value: int, facts: int) -> bool:
        """Raise the lower end; True if that changes it."""
        if value <= self.low[atom]:
            return False
        self.low[atom], self.low_facts[atom] = value, facts
        self._check(atom)
        return True

    def upper(self, atom: int, value: int, facts: int) -> bool:
        """Reduce the upper end; True if that changes it."""
        if value >= self.high[atom]:
            return False
        self.high[atom], self.high_facts[atom] = value, facts
        self._check(atom)
        return True

    def _check(self, atom: int) -> None:
        if self.low[atom] > self.high[atom]:
            raise Infeasible(self.low_facts[atom] | self.high_facts[atom])


def propagate(claims: Iterable[Claim], bounds: Bounds, rounds: int = 6) -> None:
    """Tighten `bounds` through the comparisons among the claims.

    Raises Infeasible where an interval becomes empty.
    """
    flat: list[tuple[list[tuple[Mono, int]], int, int]] = []
    for claim in claims:
        match claim.formula:
            case AtMost(p):
                flat.append(_side(p, 1, claim.facts))
            case Equal(p):
                flat.append(_side(p, 1, claim.facts))
                flat.append(_side(p, -1, claim.facts))
            case _:
                pass
    for _ in range(rounds):
        changed = [_tighten(terms, rest, facts, bounds) for terms, rest, facts in flat]
        if not any(changed):
            return


def _side(p: Poly, sign: int, facts: int) -> tuple[list[tuple[Mono, int]], int, int]:
    return [(mono, sign * c) for mono, c in p.items() if mono], sign * p.get((), 0), facts


def _tighten(terms: list[tuple[Mono, int]], rest: int, facts: int, bounds: Bounds) -> bool:
    """sum of terms + rest <= 0: no term may exceed what the minima of the others leave."""
    minima: list[int] = []
    reasons: list[int] = []
    for mono, c in terms:
        if len(mono) == 1:
            a = mono[0]
            minima.append(c * bounds.low[a] if c > 0 else c * bounds.high[a])
            reasons.append(bounds.low_facts[a] if c > 0 else bounds.high_facts[a])
        else:
            span = bounds.of_mono(mono)
            minima.append(c * span.low if c > 0 else c * span.high)
            reasons.append(span.facts)
    total = sum(minima) + rest
    if total > 0:
        raise Infeasible(_union(reasons) | facts)
    changed = False
    for i, (mono, c) in enumerate(terms):
        room = minima[i] - total  # c * mono <= room
        if len(mono) == 1:
            a = mono[0]
            news = room // c < bounds.high[a] if c > 0 else -(room // -c) > bounds.low[a]
            if news:
                why = _union(reasons[:i]) | _union(reasons[i + 1 :]) | facts
                changed |= bounds.upper(a, room // c, why) if c > 0 else bounds.lower(a, -(room // -c), why)
        elif c > 0 and len(mono) == 2:
            why = _union(reasons[:i]) | _union(reasons[i + 1 :]) | facts
            changed |= _tighten_product(mono, room // c, why, bounds)
    return changed


def _tighten_product(mono: Mono, most: int, why: int, bounds: Bounds) -> bool:
    """f * g <= most with f >= 1 and g >= 0: g <= most / f."""
    changed = False
    for f, g in (mono, mono[::-1]):
        if bounds.low[f] >= 1 and bounds.low[g] >= 0 <= most:
            reason = why | bounds.low_facts[f] | bounds.low_facts[g]
            changed |= bounds.upper(g, most // bounds.low[f], reason)
    return changed


def _union(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result
