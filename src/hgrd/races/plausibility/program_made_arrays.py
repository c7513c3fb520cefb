"""Whether a race needs contents that the program, which makes them itself, need not ever make.

What the program has computed before a launch, on the host or in another kernel, takes some values only, and which is
not known.  As a rule an array of such values keeps threads apart: a permutation, offsets of parts, sorted keys,
counters that begin at running sums.  Its elements differ, ascend, or lie as far apart as the parts are long, and what
it has one thread work on is not what others come to by other such arrays.  A race that is there all the same, with
whatever else the kernel is given, needs nothing in particular of them.  Numbers of a narrow range, as bytes, are not
looked at: many of them repeat in any case.  How long parts are may be given, where they begin made of that: so what is
given is small where what is made lies far apart.

Arrays may also be kept in step from launch to launch, each telling a part of an element's state: who is in the frontier
has been visited, who leads a group is in none.  No element need be in a state that two threads find parts of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Final

from msgspec import Struct

from hgrd.cuda.memory_model import Space
from hgrd.protocol.inference.read_only_memory import ADDRESSES, element
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import Phases
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.encoding.query_assembly import query_of
from hgrd.races.plausibility.computed_values import Made, computed_values, made_by
from hgrd.races.results.sites import listed
from hgrd.races.threads.two_threads import SUFFIX, plain_name
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.symbolic.array_patterns import Between, Pattern
from hgrd.terms import Op, Term, add, conj, const, disj, div, eq, le, mul, ne, sub, symbols_of
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import arrays_of, bottom_up, unwrapped

_FAR: Final = 1 << 12  # apart: longer than parts are, in elements
_FARTHER: Final = 4  # bits: in the next array, so that sums of two arrays' elements lie apart, too
_MOST: Final = 4  # arrays that are told apart so
_SHORT: Final = 63  # what is given, then: the product of two is less than _FAR
_PART: Final = 64  # elements: parts that lie behind each other, each of the same length
_ALLOCATION: Final = 1 << 40  # bytes: no allocation is longer


class _Look(Struct, frozen=True):
    """An element that a thread (`side`) looks at: the array or object by what tells it from others, and by its name.

    `place`: where in the array (in elements) or object (in bytes), `index`: which element it is.  `block`: whose it is,
    where each of two blocks has such an object of its own.
    """

    array: str
    name: str
    place: Term
    value: Term
    index: Term
    side: Side
    block: Side | None = None


class ProgramMadeArrays(Struct, frozen=True):
    """`reads`: those that find what the program has `made`, or what has been computed from that, by their symbols.

    Of the arrays in `filled` more is known than where their numbers begin.
    """

    made: Made
    reads: Mapping[str, Access]
    filled: frozenset[str] = frozenset()

    def of(self, encoded: EncodedPair, decide: Callable[[Query], Answer]) -> str:
        """What a conflict supposes of contents that the program makes; "": nothing in particular."""
        if not self.made.objects:
            return ""
        return self._of_places(encoded, decide) or self._of_states(encoded, decide)

    def _of_places(self, encoded: EncodedPair, decide: Callable[[Query], Answer]) -> str:
        """What tells threads where to go need not lead them to one place."""
        seen = (look for party in Side for look in self._looks(encoded, party))
        looks = list(dict.fromkeys(look for look in seen if look.value.high - look.value.low > _FAR))
        shapes = self._shapes(encoded.query, looks) if looks else ()
        if all(isinstance(decide(_narrowed(encoded, said)), Conflict) for said in shapes):
            return ""
        return self._reason(looks)

    def _of_states(self, encoded: EncodedPair, decide: Callable[[Query], Answer]) -> str:
        """What threads ask, each of another array, need not be so of one element."""
        tests = {side: [look for look in self._tests(encoded, side) if self.made.holds(look.name)] for side in Side}
        met: list[_Look] = []
        apart: list[Term] = []
        for side in Side:
            others = [(look, look.index) for look in tests[side.other]]
            led = [(look, look.value) for look in self._looks(encoded, side.other) if self.made.holds(look.name)]
            for test, (look, place) in product(tests[side], (*others, *led)):
                if place is look.value or look.name != test.name:
                    met += (look, test)
                    apart.append(ne(place, test.index))
        if not met or isinstance(decide(_narrowed(encoded, tuple(apart))), Conflict):
            return ""
        return self._reason(met)

    def _reason(self, looks: list[_Look]) -> str:
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

    def _looks(self, encoded: EncodedPair, side: Side) -> Iterator[_Look]:
        """What one thread looks at to know where to go, and to know where to look."""
        party = encoded.query.first if side is Side.FIRST else encoded.query.second
        todo = [party.address, *(g for g in party.guards if not _is_flag(g))]
        seen: set[Term] = set()
        while todo:
            for look in self._in(todo.pop(), encoded, side, seen):
                todo.append(look.place)
                yield look

    def _tests(self, encoded: EncodedPair, side: Side) -> Iterator[_Look]:
        """The elements of which one thread asks whether they are some constant, before it makes its access."""
        party = encoded.query.first if side is Side.FIRST else encoded.query.second
        own = (g for g in encoded.passed if any(s.name.endswith(SUFFIX[side]) for s in symbols_of(g)))
        for guard in filter(_is_flag, (*party.guards, *own)):
            (tested,) = _sides(guard)
            if tested.op is Op.VAR or len(tested.args) == 1:
                yield from (look for look in self._in(tested, encoded, side, set()) if look.value is tested)

    def _in(self, term: Term, encoded: EncodedPair, side: Side, seen: set[Term]) -> Iterator[_Look]:
        """The elements that a thread looks at whose values stand in a term, but for those in parts that were `seen`."""
        for t in bottom_up((term,)):
            if t in seen:
                continue
            seen.add(t)
            if t.op is Op.READ and len(t.args) == 1 and self.made.holds(t.array):
                yield _Look(t.array, t.array, t.args[0], t, t.args[0], side)
            read = self.reads.get(plain_name(t.symbol)) if t.op is Op.VAR else None
            if read is not None:
                (place,) = encoded.threads.of((read.offset,), side)
                of_block = read.space is Space.SHARED and not encoded.threads.same_block
                index = div(place, const(read.size))
                yield _Look(read.target.key, read.target.name, place, t, index, side, side if of_block else None)


def program_made_arrays(protocol: Protocol, relation: Phases) -> ProgramMadeArrays:
    """Of a kernel at a launch, as it was read."""
    made = made_by(protocol)
    if not made.objects:
        return ProgramMadeArrays(made, {})
    telling = [h for h in protocol.memory.contents if not _is_natural(h.fill.pattern)]
    filled = (element(h.target, const(0), h.fill.type, h.fill.size)[0] for h in telling)
    return ProgramMadeArrays(made, computed_values(protocol, relation, made).reads, frozenset(filled))


def _is_natural(pattern: Pattern) -> bool:
    """Whether all that is known is that numbers are not negative, as drawn ones are not, and what they are below."""
    return isinstance(pattern, Between) and 0 <= pattern.low <= _SHORT


def _narrowed(encoded: EncodedPair, said: tuple[Term, ...]) -> Query:
    query = encoded.query
    first, second = ((p.address, p.guards, p.size) for p in (query.first, query.second))
    return query_of(encoded.threads, encoded.facts, first, second, (*query.between, *said))


def _is_flag(guard: Term) -> bool:
    """Whether it compares one value with a constant: flags are the same for many."""
    sides = _sides(guard)
    return len(_core(guard).args) == 2 and len(sides) == 1 and sides[0].op in (Op.READ, Op.VAR)


def _core(guard: Term) -> Term:
    return guard.args[0] if guard.op is Op.NOT else guard


def _sides(guard: Term) -> list[Term]:
    """What it compares, but for constants."""
    return [unwrapped(t) for t in _core(guard).args if not t.is_const]


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
