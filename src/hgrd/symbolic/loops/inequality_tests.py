"""Loops with inequality tests: `for (p = first; p != last; p++)`.

Unlike `p < last`, such a test in one iteration does not imply that it held in the iterations before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from hgrd.program.types import INT
from hgrd.terms import Op, Symbol, Term, conj, const, disj, le, lt, mod, ne, negate, sub, symbols_of, var
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import bottom_up, rebuild, substitute


def never_equal(test: Term | None, counter: Symbol, first: int, steady: Callable[[Symbol], bool]) -> Term:
    """The condition that the two sides of a loop's test were never equal from iteration `first` to `counter`.

    `test` is the test as a term in `counter`, which counts iterations (None: unknown).  Only differences that change by
    the same amount every iteration count; `steady` says which symbols are the same in all iterations.
    """
    return conj(
        *(
            disj(lt(var(counter), const(first)), lt(const(0), rising.first), lt(rising.here, const(0)), rising.skips)
            for rising in _rising(test, counter, first, steady)
        )
    )


def can_be_equal(test: Term | None, counter: Symbol, first: int, steady: Callable[[Symbol], bool]) -> Term:
    """The condition that such a test ends the loop at all: its two sides meet; TRUE where it is not the only test."""
    return conj(
        *(
            conj(le(rising.first, const(0)), negate(rising.skips))
            for rising in _rising(test, counter, first, steady)
            if test is not None and test.op is not Op.AND
        )
    )


def highest_before_equal(test: Term, counter: Symbol) -> int | None:
    """The last iteration before the two sides are equal, where constants decide it; None if unknown or never."""
    if test.op is not Op.NOT or test.args[0].op is not Op.EQ:
        return None
    start, atoms = linear(sub(*test.args[0].args))
    slope = atoms.pop(var(counter), 0)
    if atoms or not slope or start % slope or -start // slope < 0:
        return None
    return -start // slope - 1


class _Rising(Struct, frozen=True):
    """A difference that grows every iteration: its `first` value, its value `here`, and whether it `skips` 0."""

    first: Term
    here: Term
    skips: Term


def _rising(test: Term | None, counter: Symbol, first: int, steady: Callable[[Symbol], bool]) -> Iterator[_Rising]:
    for part in () if test is None else test.args if test.op is Op.AND else (test,):
        if part.op is not Op.NOT or part.args[0].op is not Op.EQ:
            continue
        apart = sub(*part.args[0].args)
        atoms = linear(apart)[1]
        slope = atoms.pop(var(counter), 0)
        if slope and not _wraps(apart, counter) and all(s != counter and steady(s) for s in symbols_of(*atoms)):
            here = apart if slope > 0 else sub(const(0), apart)
            (begin,) = substitute((here,), {counter: const(first)})
            yield _Rising(begin, here, ne(mod(begin, const(abs(slope))), const(0)))


def _wraps(apart: Term, counter: Symbol) -> bool:
    """Whether the counter may wrap by design; signed overflow of `int` and wider types is undefined."""
    done: dict[Term, Term] = {}
    for t in bottom_up((apart,)):
        parts = tuple(done[x] for x in t.args)
        overflows = t.op is Op.WRAP and t.wrap_to[0] >= INT.bits and t.wrap_to[1]
        done[t] = parts[0] if overflows else rebuild(t, parts)
    return any(t.op is Op.WRAP and counter in symbols_of(t) for t in bottom_up((done[apart],)))
