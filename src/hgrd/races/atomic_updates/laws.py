"""Laws of atomic updates: what the results of two of them at one place say of each other.

Atomic read-modify-writes of a place come one after the other, each on what the one before has left (CUDA Programming
Guide, "Atomic Functions"; PTX ISA, "Atomicity").  If all updates of the place are of one kind that leads in one
direction, the later one of any two finds what the earlier one has left, or something farther on:

    old = atomicAdd(&count, 1);      no other thread gets the same number
    atomicOr(&mask, bit) & bit       is 0 for the first thread that sets the bit alone
    atomicMin(&level[v], l) > l      holds for the first thread that comes with the least l alone
    atomicExch(&mark, m) != m        for the first one alone, if all threads leave the same mark
    old = atomicCAS(&own, 0, me)     is 0 for the first one alone; all others find its `me`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from hgrd.cuda.memory_model import AccessKind
from hgrd.protocol.model import Access
from hgrd.terms import TRUE, Term, add, bit_and, conj, const, disj, eq, le, ne, sub

_NO_LIMIT: Final = (1 << 31) - 1

Kind: TypeAlias = Literal["up", "down", "max", "min", "or", "and", "exch", "cas"]


class Law(Struct, frozen=True):
    """Kind of the updates of a place.  `mark`: what all of them leave, or what a compare-and-swap expects."""

    kind: Kind
    mark: Term | None = None

    @property
    def counts(self) -> bool:
        """Whether the updates count, up or down: each takes as many numbers as it adds for its thread alone."""
        return self.kind in ("up", "down")


class Update(Struct, frozen=True):
    """One update: what it found, and its operand (of a counter: how much it counts)."""

    found: Term
    operand: Term


def law_of(access: Access, same_for_all: Callable[[Term], bool]) -> Law | None:
    """The law that an atomic obeys together with others that have the same one; None: it obeys none.

    `same_for_all`: whether a term has one value for all threads of the grid, at all times.
    """
    value = access.value
    if access.kind is not AccessKind.ATOMIC or value is None:
        return None
    match access.operation:
        case "inc" if value.low >= _NO_LIMIT:  # it begins again at its operand
            return Law("up")
        case "add" | "sub":
            up = _goes_up(access, value)
            return None if up is None else Law("up" if up else "down")
        case "max" | "min" | "or" | "and" if _of_its_type(value, access):
            return Law(access.operation)
        case "exch" if same_for_all(value) and _of_its_type(value, access):
            return Law("exch", value)
        case "cas" if access.compare is not None and same_for_all(access.compare):
            typed = _of_its_type(value, access) and _of_its_type(access.compare, access)
            return Law("cas", access.compare) if typed else None
        case _:
            return None


def amount_of(access: Access) -> Term:
    """How much an update of a counter counts, up or down."""
    if access.operation == "inc" or access.value is None:
        return const(1)
    value = access.value
    if value.low >= _half(access):  # `atomicAdd(&top, -1)` of an unsigned counter
        return sub(const(2 * _half(access)), value)
    return sub(const(0), value) if value.high < 0 else value


def unlike(law: Law, one: Update, two: Update, total: Term | None = None) -> Term:
    """What holds of any two updates of one place, if all updates of it obey the law.

    `total`: the most that all of them count up together, if that is known.
    """
    if law.kind == "up" and total is not None:
        return disj(_counted(one, two, total), _counted(two, one, total))
    either = disj(_later(law, one, two), _later(law, two, one))
    if law.kind == "cas" and law.mark is not None:
        neither = conj(eq(one.found, two.found), ne(one.found, law.mark))
        return disj(either, neither, *(_leaves_mark(law.mark, update) for update in (one, two)))
    return either


def _counted(one: Update, two: Update, total: Term) -> Term:
    """What holds if the second one came after the first one, and no more than the total is counted."""
    end = add(two.found, two.operand)
    return conj(le(add(one.found, one.operand), two.found), le(end, add(one.found, total)))


def _later(law: Law, one: Update, two: Update) -> Term:
    """What holds if the second one came after the first one."""
    match law.kind:
        case "up":
            return le(add(one.found, one.operand), two.found)
        case "down":
            return le(two.found, sub(one.found, one.operand))
        case "max":
            return conj(le(one.found, two.found), le(one.operand, two.found))
        case "min":
            return conj(le(two.found, one.found), le(two.found, one.operand))
        case "or":
            return eq(bit_and(two.found, one.operand), one.operand)
        case "and":
            return eq(bit_and(two.found, one.operand), two.found)
        case "exch":
            return eq(two.found, one.operand)
        case "cas":
            return TRUE if law.mark is None else conj(eq(one.found, law.mark), eq(two.found, one.operand))


def _leaves_mark(mark: Term, update: Update) -> Term:
    """Whether a compare-and-swap leaves what it expects, so that the next one succeeds as well."""
    return conj(eq(update.found, mark), eq(update.operand, mark))


def _goes_up(access: Access, value: Term) -> bool | None:
    """Whether an addition or subtraction only counts up, or only down; None: neither is known."""
    half = _half(access)
    if value.low >= 0 and value.high < half:
        more = True
    elif (value.low >= half and value.high < 2 * half) or (value.low > -half and value.high < 0):
        more = False
    else:
        return None
    return more if access.operation == "add" else not more


def _half(access: Access) -> int:
    return 1 << (8 * access.size - 1)


def _of_its_type(value: Term, access: Access) -> bool:
    """Whether the operand is a number of the type of what is found, if that is known."""
    found = access.result
    return found is not None and found.low <= value.low and value.high <= found.high
