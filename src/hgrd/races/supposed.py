"""Whether a race needs contents that the program, which makes them itself, need not ever make.

What the program has computed before a launch, on the host or in another kernel, takes some values only, and which is
not known.  As a rule an array of such values keeps threads apart: a permutation, offsets of parts, sorted keys,
counters that begin at running sums.  Its elements differ, ascend, or lie as far apart as the parts are long, and what
it has one thread work on is not what others come to by other such arrays.  A race that is there all the same, with
whatever else the kernel is given, needs nothing in particular of them.  Numbers of a narrow range, as bytes, are not
looked at: many of them repeat in any case.  How long parts are may be given, where they begin made of that: so what is
given is small where what is made lies far apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from hgrd.program.memory import Space
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.orders import Party as Side
from hgrd.protocol.phases import Phases
from hgrd.protocol.stored import ADDRESSES, element
from hgrd.races.contents import Made, contents, made_by
from hgrd.races.parties import plain_name
from hgrd.races.queries import Posed, query_of
from hgrd.races.sites import listed
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.symbolic.fills import Between, Pattern
from hgrd.symbolic.linear import linear
from hgrd.terms import Op, Term, add, conj, const, disj, eq, le, mul, ne, sub
from hgrd.terms.rewrite import arrays_of, bottom_up, unwrapped

_FAR: Final = 1 << 12  # apart: longer than parts are, in elements
_FARTHER: Final = 4  # bits: in the next array, so that sums of two arrays' elements lie apart, too
_MOST: Final = 4  # arrays that are told apart so
_SHORT: Final = 63  # what is given, then: the product of two is less than _FAR
_PART: Final = 64  # elements: parts that lie behind each other, each of the same length
_ALLOCATION: Final = 1 << 40  # bytes: no allocation is longer


@dataclass(frozen=True, slots=True)
class _Look:
    """An element that a thread (`side`) looks at: the array or object by what tells it from others, and by its name.

    `block`: whose it is, where each of two blocks has such an object of its own.
    """

    array: str
    name: str
    place: Term
    value: Term
    side: Side
    block: Side | None = None


@dataclass(frozen=True, slots=True)
class Suppositions:
    """`reads`: those that find what the program has `made`, or what has been computed from that, by their symbols.

    Of the arrays in `filled` more is known than where their numbers begin.
    """

    made: Made
    reads: Mapping[str, Access]
    filled: frozenset[str] = frozenset()

    def of(self, posed: Posed, decide: Callable[[Query], Answer]) -> str:
        """What a conflict supposes of contents that the program makes; "": nothing in particular."""
        if not self.made.objects:
            return ""
        query = posed.query
        seen = (look for party in Side for look in self._looks(posed, party))
        looks = list(dict.fromkeys(look for look in seen if look.value.high - look.value.low > _FAR))
        if not looks:
            return ""
        first, second = ((p.address, p.guards, p.size) for p in (query.first, query.second))
        shapes = self._shapes(query, looks)
        narrower = (query_of(posed.naming, posed.facts, first, second, (*query.between, *said)) for said in shapes)
        if all(isinstance(decide(q), Conflict) for q in narrower):
            return ""
        names = tuple(dict.fromkeys(look.name for look in looks))
        spans = {m.target.name: m.span for m in self.made.objects.values()}
        where = next((f" ({Path(spans[n].file).name}:{spans[n].line})" for n in names if n in spans), "")
        return f"it depends on values that the program computes: {listed(names)}{where}"

    def _shapes(self, query: Query, looks: list[_Look]) -> Iterator[tuple[Term, ...]]:
        """What the arrays may hold, in each of a few simple ways."""
        rising = _rising(looks)
        yield (*rising, *self._short(query)) if rising else ()
        yield (*_in_step(looks), *_not_met(looks))

    def _short(self, query: Query) -> Iterator[Term]:
        """What is given to the kernel, and says how far its threads go, is small: not what says where they are."""
        addresses = (query.first.address, query.second.address)
        guards = [g for g in (*query.first.guards, *query.second.guards) if not _is_flag(g)]
        begins = arrays_of(*(t for a in addresses for t in linear(a)[1] if t.op is Op.READ))
        places = begins | arrays_of(*self._compared(guards))
        for t in bottom_up((*addresses, *guards)):
            if t.op is not Op.READ or self.made.holds(t.array) or t.array in places | self.filled:
                continue
            if len(t.args) == 1 and _is_number(t) and t.high - t.low > _FAR:
                yield conj(le(const(0), t), le(t, const(_SHORT)))

    def _compared(self, guards: list[Term]) -> Iterator[Term]:
        """What stands against numbers that the program makes, as `to` in `from[e] < to[e]`: one of the same kind."""
        for t in bottom_up(guards):
            if t.op in (Op.LT, Op.LE, Op.EQ):
                atoms = {unwrapped(a): n for a, n in linear(sub(*t.args))[1].items()}
                signs = {n > 0 for a, n in atoms.items() if a.op is Op.READ and self.made.holds(a.array)}
                yield from (a for a, n in atoms.items() if a.op is Op.READ and (n < 0) in signs)

    def _looks(self, posed: Posed, side: Side) -> Iterator[_Look]:
        """What one thread looks at to know where to go, and to know where to look."""
        party = posed.query.first if side is Side.FIRST else posed.query.second
        todo = [party.address, *(g for g in party.guards if not _is_flag(g))]
        seen: set[Term] = set()
        while todo:
            for t in bottom_up((todo.pop(),)):
                if t in seen:
                    continue
                seen.add(t)
                if t.op is Op.READ and len(t.args) == 1 and self.made.holds(t.array):
                    yield _Look(t.array, t.array, t.args[0], t, side)
                read = self.reads.get(plain_name(t.symbol)) if t.op is Op.VAR else None
                if read is not None:
                    (place,) = posed.naming.of((read.offset,), side)
                    todo.append(place)
                    of_block = read.space is Space.SHARED and not posed.naming.same_block
                    yield _Look(read.target.key, read.target.name, place, t, side, side if of_block else None)


def suppositions(protocol: Protocol, relation: Phases) -> Suppositions:
    """Of a kernel at a launch, as it was read."""
    made = made_by(protocol)
    if not made.objects:
        return Suppositions(made, {})
    telling = [h for h in protocol.contents if not _is_natural(h.fill.pattern)]
    filled = (element(h.target, const(0), h.fill.type, h.fill.size)[0] for h in telling)
    return Suppositions(made, contents(protocol, relation, made).reads, frozenset(filled))


def _is_natural(pattern: Pattern) -> bool:
    """Whether all that is known is that numbers are not negative, as drawn ones are not, and what they are below."""
    return isinstance(pattern, Between) and 0 <= pattern.low <= _SHORT


def _is_flag(guard: Term) -> bool:
    """Whether it compares one value with a constant: flags are the same for many."""
    core = guard.args[0] if guard.op is Op.NOT else guard
    sides = [unwrapped(t) for t in core.args if not t.is_const]
    return len(core.args) == 2 and len(sides) == 1 and sides[0].op in (Op.READ, Op.VAR)


def _rising(looks: list[_Look]) -> tuple[Term, ...]:
    """Each array on its own: elements are far above those before them."""
    gaps = {array: _FAR << _FARTHER * n for n, array in enumerate(sorted({look.array for look in looks})[:_MOST])}
    pairs = ((a, b) for a, b in combinations(looks, 2) if a.array == b.array)
    return tuple(t for a, b in pairs for t in _far_apart(a, b, gaps.get(a.array)))


def _in_step(looks: list[_Look]) -> tuple[Term, ...]:
    """All arrays alike, as one tells where a part begins, and another one where it ends."""
    return tuple(eq(look.value, mul(look.place, const(_PART))) for look in looks if _is_number(look.value))


def _not_met(looks: list[_Look]) -> Iterator[Term]:
    """No thread finds in one array what the other thread finds in another one.

    What one list has a thread work on (the columns of a level, the vertices of a colour), and what another one has its
    neighbour touch: lists are made so that this is not the same.
    """
    numbers = [look for look in looks if _is_number(look.value)]
    common = {a.value for a, b in combinations(numbers, 2) if a.value is b.value}
    own = [look for look in numbers if look.value not in common]
    yield from (ne(a.value, b.value) for a, b in combinations(own, 2) if a.side is not b.side and a.array != b.array)


def _is_number(value: Term) -> bool:
    """Whether it is found in memory, and no address."""
    return value.op is Op.READ and value.high < ADDRESSES


def _far_apart(a: _Look, b: _Look, gap: int | None) -> Iterator[Term]:
    """What stands behind something else is far above it; what different blocks have is far apart in any case.

    `gap`: so far, and not much farther; None: anywhere above it.
    """
    below, above = (_above(one.value, two.value, gap) for one, two in ((a, b), (b, a)))
    if a.block is not b.block:
        yield disj(below, above)
    else:
        yield disj(le(b.place, a.place), below)
        yield disj(le(a.place, b.place), above)


def _above(low: Term, high: Term, gap: int | None) -> Term:
    if low.high == ADDRESSES:
        return le(add(low, const(_ALLOCATION)), high)
    if gap is None:
        return le(add(low, const(_FAR)), high)
    return conj(le(add(low, const(gap)), high), le(high, add(low, const(gap << (_FARTHER - 1)))))
