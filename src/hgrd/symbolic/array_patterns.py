"""Array patterns: facts of many elements of an object at once, which a loop has filled."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.program.span import Span
from hgrd.program.types import IntType, PointerType, Type
from hgrd.symbolic.addresses import ADDRESSES
from hgrd.symbolic.polynomials import as_term, constant_difference, difference, divisible
from hgrd.symbolic.values import MemoryObject, Value
from hgrd.terms import TRUE, Term, add, as_int, conj, const, mul

_MOST_HOLES: Final = 4


class Run(Struct, frozen=True):
    """Elements of a type that stand one after the other, up to `end`, each at least `gap` above the one before.

    They are from `low` to `high` (None: unknown bounds).  `times`: there are some if all of these are positive (None:
    that is not known).  `assumes_no_overflow` as in `ArrayPattern`.
    """

    end: Term
    type: IntType
    size: int
    gap: int
    low: Term | None
    high: Term | None
    times: tuple[Term, ...] | None
    assumes_no_overflow: bool


class Stored(Struct, frozen=True):
    """One store: of `value`, at `offset` bytes, under a condition; or all those of a loop: a `run` from there on."""

    target: MemoryObject
    offset: Term
    value: Value
    type: Type
    size: int | None
    when: Term = TRUE
    run: Run | None = None

    def under(self, condition: Term) -> Stored:
        """The store, made where a further condition holds."""
        return replace(self, when=conj(condition, self.when))


class Affine(Struct, frozen=True):
    """Element k is `first + step * k`, as a value of the type to which `wrap` cuts it (None: it needs no cutting)."""

    first: Term
    step: Term
    wrap: tuple[int, bool] | None = None


class Ascending(Struct, frozen=True):
    """Each element is at least `gap` (at least 0) above the one before; `after` is what would come next, if known."""

    gap: int
    after: Term | None = None


class Between(Struct, frozen=True):
    """No element is below `low`; where `below` is positive, all are below it (None: no such bound)."""

    low: int
    below: Term | None


class Distinct(Struct, frozen=True):
    """No two elements are equal."""


class Apart(Struct, frozen=True):
    """Any two elements, which are addresses, are at least `by` bytes apart."""

    by: Term


class Listed(Struct, frozen=True):
    """Element k is `values[k]` (None: it is not known what it is).

    What follows from that: whether all are known and differ, `gap` as of `Ascending` (None: they do not ascend), and
    the least and the greatest one.
    """

    values: tuple[int | None, ...]
    distinct: bool
    gap: int | None
    low: int | None
    high: int | None


def listed(values: tuple[int | None, ...]) -> Listed:
    """The elements of an array, one by one."""
    known = [v for v in values if v is not None]
    if not known or len(known) < len(values):
        return Listed(values, False, None, None, None)
    gap = min((b - a for a, b in pairwise(known)), default=0)
    return Listed(values, len(set(known)) == len(known), gap if gap >= 0 else None, min(known), max(known))


Pattern: TypeAlias = Affine | Ascending | Apart | Between | Distinct | Listed


def all_differ(pattern: Pattern) -> bool:
    """Whether no two elements are equal, by the pattern alone."""
    match pattern:
        case Affine(step=step, wrap=None):
            return step.is_const and step.value != 0
        case Ascending(gap=gap):
            return gap > 0
        case Distinct():
            return True
        case Apart(by=by):
            return by.low > 0
        case Listed(distinct=distinct):
            return distinct
        case _:
            return False


def pattern_terms(pattern: Pattern) -> tuple[Term, ...]:
    match pattern:
        case Affine(first=first, step=step):
            return first, step
        case Ascending() | Distinct() | Listed():
            return ()
        case Apart(by=by):
            return (by,)
        case Between(below=below):
            return () if below is None else (below,)


def mapped_pattern(pattern: Pattern, change: Callable[[Term], Term]) -> Pattern:
    match pattern:
        case Affine(first=first, step=step):
            return replace(pattern, first=change(first), step=change(step))
        case Ascending():
            return replace(pattern, after=None)
        case Distinct() | Listed():
            return pattern
        case Apart(by=by):
            return replace(pattern, by=change(by))
        case Between(below=below):
            return replace(pattern, below=None if below is None else change(below))


class ArrayPattern(Struct, frozen=True):
    """What holds of the elements 0 <= k < `count` that lie in `ranges` and not in `holes`.

    Element k is the `size` bytes at `start + stride * k`, as a value of `type`, a pointer as its address; `stride` may
    be negative, but elements do not overlap.  Nothing is said of k > `most`.  `assumes_no_overflow`: it holds if
    nothing signed overflows where the elements are computed.  `ranges` are (first byte, byte after the last) of what
    has been copied, () for all bytes; `holes` are (first byte, number) of what has been stored since.  `owner`: a
    region that must still be the same object (None: any).
    """

    start: Term
    stride: int
    count: Term
    type: IntType | PointerType
    size: int
    pattern: Pattern
    span: Span
    most: int = (1 << 31) - 1
    assumes_no_overflow: bool = False
    ranges: tuple[tuple[Term, Term], ...] = ()
    holes: tuple[tuple[Term, int], ...] = ()
    owner: object = None

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest value that an element may have."""
        return self.type.range if isinstance(self.type, IntType) else (0, ADDRESSES)

    def terms(self) -> tuple[Term, ...]:
        """The terms in it, without those of the next element."""
        ranges = (t for pair in self.ranges for t in pair)
        return (self.start, self.count, *ranges, *(o for o, _ in self.holes), *pattern_terms(self.pattern))

    def mapped(self, change: Callable[[Term], Term]) -> ArrayPattern:
        """The pattern with all terms changed, without the next element and the owner."""
        return replace(
            self,
            start=change(self.start),
            count=change(self.count),
            pattern=mapped_pattern(self.pattern, change),
            ranges=tuple((change(a), change(b)) for a, b in self.ranges),
            holes=tuple((change(o), size) for o, size in self.holes),
            owner=None,
        )

    def at(self, k: Term) -> Term:
        """The offset of an element."""
        return add(self.start, mul(k, const(self.stride)))

    def beside(self, stored: Stored) -> ArrayPattern | None:
        """The pattern after a store; None: nothing is left of it."""
        if stored.size is None:
            return None
        if self.passes(stored.offset, stored.size):
            return self
        longer = self._extended(stored)
        if longer is not None:
            return longer
        if len(self.holes) == _MOST_HOLES:
            return None
        return replace(self, holes=(*self.holes, (stored.offset, stored.size)))

    def beside_bytes(self, offset: Term, size: Term) -> ArrayPattern | None:
        """The pattern after other bytes have been written there; None: nothing is left of it."""
        end = add(offset, size)
        for low, high in self.ranges:
            after, before = constant_difference(offset, high), constant_difference(low, end)
            if (after is not None and after >= 0) or (before is not None and before >= 0):
                return self
        if not size.is_const or len(self.holes) == _MOST_HOLES:
            return None
        return replace(self, holes=(*self.holes, (offset, size.value)))

    def element(self, offset: Term) -> Term | None:
        """The number of the element at an offset; None unless all elements stand there one behind the other."""
        if self.ranges or self.holes or self.stride != self.size:
            return None
        bytes_ = difference(offset, self.start)
        if any(c % self.size for c in bytes_.values()):
            return None
        return as_term({monomial: c // self.size for monomial, c in bytes_.items()})

    def holds_at(self, offset: Term) -> bool:
        """Whether certainly one of the elements of which the pattern says something is at an offset."""
        k = self.element(offset)
        if k is None or k.low < 0 or k.high > self.most:
            return False
        return as_term(difference(self.count, k)).low >= 1

    def is_whole(self, target: MemoryObject) -> bool:
        """Whether the elements are all that the object has."""
        if target.size is None or self.element(const(0)) is not const(0) or self.most < self.count.high - 1:
            return False
        return constant_difference(mul(self.count, const(self.size)), target.size) == 0

    def passes(self, offset: Term, size: int) -> bool:
        """Whether bytes certainly lie between the elements (another member of the same records)."""
        lane = divisible(offset, self.start, abs(self.stride))
        return lane is not None and lane >= self.size and lane + size <= abs(self.stride)

    def _extended(self, stored: Stored) -> ArrayPattern | None:
        """The pattern with one element more, where the store continues an ascending row: `start[n] = sum`."""
        match self.pattern:
            case Ascending(after=Term() as after) if not self.ranges:
                value = stored.value if stored.type == self.type else None
                if not isinstance(value, Term) or constant_difference(stored.offset, self.at(self.count)) != 0:
                    return None
                if constant_difference(as_int(value), after) != 0:
                    return None
                return replace(self, count=add(self.count, const(1)), pattern=replace(self.pattern, after=None))
            case _:
                return None

    def moved(self, by: Term, low: Term, high: Term) -> ArrayPattern:
        """The pattern of a copy of the bytes [low, high), moved by `by` bytes."""
        ranges = ((low, high), *self.ranges)
        return replace(
            self,
            start=add(self.start, by),
            ranges=tuple((add(a, by), add(b, by)) for a, b in ranges),
            holes=tuple((add(o, by), size) for o, size in self.holes),
            owner=None,
        )
