"""Program-made arrays: whether a race needs contents that the program, which computes them, may never produce.

Values that the program has computed before a launch, on the host or in another kernel, are only some of all values,
and it is unknown which.  As a rule an array of such values keeps threads apart: a permutation, offsets of parts, sorted
keys, counters that begin at running sums.  Numbers of one record that the host reads and gives a kernel are made for
each other: a stride is above a width.  Its elements differ, ascend, or are as far apart as the parts are long, and
an element that it gives to one thread is not one that other threads reach through other such arrays.  A race that
exists even so, with any other input of the kernel, needs no particular contents of these arrays.  Numbers of a narrow
range, such as bytes, are left out: many of them repeat in any case.  The lengths of parts may be input, with their
begins computed from them: so input is assumed small where computed values are assumed far apart.

Arrays may also be kept consistent from launch to launch, each with a part of an element's state: an element of the
frontier has been visited, the leader of a group is in none.  There need not be an element whose state combines the
parts that two threads find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.memory_model import Space
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import Phases
from hgrd.races.encoding.array_facts import array_of
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.encoding.query_assembly import query_of
from hgrd.races.plausibility.computed_values import Made, computed_values, made_by
from hgrd.races.results.sites import listed
from hgrd.races.threads.two_threads import SUFFIX, plain_name
from hgrd.solve.query import Answer, Conflict, Query
from hgrd.symbolic.addresses import ADDRESSES
from hgrd.symbolic.array_patterns import Between, Pattern
from hgrd.terms import Op, Origin, Term, add, conj, const, disj, div, eq, le, mul, ne, sub, symbols_of
from hgrd.terms.linear import difference, linear
from hgrd.terms.rewrite import arrays_of, bottom_up, unwrapped

BY_PROGRAM: Final = "it depends on values that the program computes"  # begins the reason
_FAR: Final = 1 << 12  # distance of elements that are far apart: more elements than a part has
_FARTHER: Final = 4  # bits more for the next array, so that sums of elements of two arrays are apart, too
_MOST: Final = 4  # arrays that get distances of their own
_SHORT: Final = 63  # bound of input values then: the product of two is less than _FAR
_PART: Final = 64  # elements of each of several consecutive parts of equal length
_ELEMENT: Final = 16  # bytes: few elements are larger
_ALLOCATION: Final = 1 << 40  # bytes: no allocation is longer


class _Look(Struct, frozen=True):
    """An element that a thread (`side`) reads: `array` is the key of its array or object, `name` the name of that.

    `place`: its offset in the array (in elements) or object (in bytes), `index`: its number.  `block`: the side with
    the object, if each of two blocks has its own; None otherwise.
    """

    array: str
    name: str
    place: Term
    value: Term
    index: Term
    side: Side
    block: Side | None = None


class ProgramMadeArrays(Struct, frozen=True):
    """Program-made arrays of a kernel; `reads`, by symbol, find values that the program `made`, or computed from these.

    About the arrays in `filled` more is known than a lower bound of their numbers.
    """

    made: Made
    reads: Mapping[str, Access]
    filled: frozenset[str] = frozenset()

    def of(self, encoded: EncodedPair, decide: Callable[[Query], Answer]) -> str:
        """The doubt about a conflict that needs particular contents that the program makes; "" if it needs none."""
        if not self.made.objects:
            return ""
        return self._of_places(encoded, decide) or self._of_states(encoded, decide)

    def _of_places(self, encoded: EncodedPair, decide: Callable[[Query], Answer]) -> str:
        """The doubt that values that decide the places of accesses may never lead to one place; "": no doubt."""
        seen = (look for party in Side for look in self._looks(encoded, party))
        looks = list(dict.fromkeys(look for look in seen if look.value.high - look.value.low > _FAR))
        shapes = self._shapes(encoded.query, looks) if looks else ()
        if all(isinstance(decide(_narrowed(encoded, said)), Conflict) for said in shapes):
            return ""
        return self._reason(looks)

    def _of_states(self, encoded: EncodedPair, decide: Callable[[Query], Answer]) -> str:
        """The doubt that the threads' tests, each in another array, may never hold for one element; "": no doubt."""
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
        return f"{BY_PROGRAM}: {listed(names)}{where}"

    def _shapes(self, query: Query, looks: list[_Look]) -> Iterator[tuple[Term, ...]]:
        """Simple shapes of the arrays' contents, each as conditions on the elements that the threads read.

        Begins that rise, equal parts, begins with lengths and strides that are short, and strides above widths.
        """
        rising = _rising(looks)
        yield (*rising, *self._short(query)) if rising else ()
        yield (*_in_step(looks), *_not_met(looks))
        atoms = {unwrapped(t) for party in (query.first, query.second) for t in linear(party.address)[1]}
        begins, lengths = ([k for k in looks if (k.value in atoms) is begin] for begin in (True, False))
        if begins and lengths:
            yield (*_rising(begins), *map(_is_short, (k.value for k in lengths if _is_number(k.value))))
        of_host = [look for look in dict.fromkeys(replace(k, side=Side.FIRST) for k in looks) if _is_of_host(look)]
        for one, other in ((0, 1), (1, 0)) if len(of_host) > 1 else ():
            yield tuple(_multiple(pair[one], pair[other]) for pair in _in_order(of_host))

    def _short(self, query: Query) -> Iterator[Term]:
        """Conditions that input values which bound the work of threads are small; those that give places stay free."""
        addresses = (query.first.address, query.second.address)
        guards = [g for g in (*query.first.guards, *query.second.guards) if not _is_flag(g)]
        begins = arrays_of(*(t for a in addresses for t in linear(a)[1] if t.op is Op.READ))
        places = begins | arrays_of(*self._compared(guards))
        for t in bottom_up((*addresses, *guards)):
            if t.op is not Op.READ or self.made.holds(t.array) or t.array in places | self.filled:
                continue
            if len(t.args) == 1 and _is_number(t) and t.high - t.low > _FAR:
                yield _is_short(t)

    def _compared(self, guards: list[Term]) -> Iterator[Term]:
        """Reads compared with program-made numbers, as `to` in `from[e] < to[e]`: they are of the same kind."""
        for t in bottom_up(guards):
            if t.op in (Op.LT, Op.LE, Op.EQ):
                atoms = {unwrapped(a): n for a, n in linear(sub(*t.args))[1].items()}
                signs = {n > 0 for a, n in atoms.items() if a.op is Op.READ and self.made.holds(a.array)}
                yield from (a for a, n in atoms.items() if a.op is Op.READ and (n < 0) in signs)

    def _looks(self, encoded: EncodedPair, side: Side) -> Iterator[_Look]:
        """The elements that decide the place of a thread's access, and those that decide the places of these."""
        party = encoded.query.first if side is Side.FIRST else encoded.query.second
        todo = [party.address, *(g for g in party.guards if not _is_flag(g))]
        seen: set[Term] = set()
        while todo:
            for look in self._in(todo.pop(), encoded, side, seen):
                todo.append(look.place)
                yield look

    def _tests(self, encoded: EncodedPair, side: Side) -> Iterator[_Look]:
        """The elements that one thread compares with a constant before it makes its access."""
        party = encoded.query.first if side is Side.FIRST else encoded.query.second
        own = (g for g in encoded.passed if any(s.name.endswith(SUFFIX[side]) for s in symbols_of(g)))
        for guard in filter(_is_flag, (*party.guards, *own)):
            (tested,) = _sides(guard)
            if tested.op is Op.VAR or len(tested.args) == 1:
                yield from (look for look in self._in(tested, encoded, side, set()) if look.value is tested)

    def _in(self, term: Term, encoded: EncodedPair, side: Side, seen: set[Term]) -> Iterator[_Look]:
        """The elements read by a thread whose values are in a term, without those in subterms that were `seen`."""
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
    """The program-made arrays of a kernel at a launch."""
    made = made_by(protocol)
    if not made.objects:
        return ProgramMadeArrays(made, {})
    telling = [h for h in protocol.memory.contents if not _is_natural(h.fill.pattern)]
    filled = (array_of(h) for h in telling)
    return ProgramMadeArrays(made, computed_values(protocol, relation, made).reads, frozenset(filled))


def _is_natural(pattern: Pattern) -> bool:
    """Whether the pattern only says that numbers are not negative, and at most gives an upper bound."""
    return isinstance(pattern, Between) and 0 <= pattern.low <= _SHORT


def _narrowed(encoded: EncodedPair, said: tuple[Term, ...]) -> Query:
    query = encoded.query
    first, second = ((p.address, p.guards, p.size) for p in (query.first, query.second))
    return query_of(encoded.threads, encoded.facts, first, second, (*query.between, *said))


def _is_flag(guard: Term) -> bool:
    """Whether a guard compares one value with a constant: many elements have equal flags."""
    sides = _sides(guard)
    return len(_core(guard).args) == 2 and len(sides) == 1 and sides[0].op in (Op.READ, Op.VAR)


def _core(guard: Term) -> Term:
    return guard.args[0] if guard.op is Op.NOT else guard


def _sides(guard: Term) -> list[Term]:
    """The operands of a comparison that are not constants."""
    return [unwrapped(t) for t in _core(guard).args if not t.is_const]


def _rising(looks: list[_Look]) -> tuple[Term, ...]:
    """Rising contents, array by array: elements are far above those before them."""
    gaps = {array: _FAR << _FARTHER * n for n, array in enumerate(sorted({look.array for look in looks})[:_MOST])}
    pairs = ((a, b) for a, b in combinations(looks, 2) if a.array == b.array)
    return tuple(t for a, b in pairs for t in _far_apart(a, b, gaps.get(a.array)))


def _in_step(looks: list[_Look]) -> tuple[Term, ...]:
    """Equal contents of all arrays, since one may give the begin of a part, and another one its end."""
    return tuple(eq(look.value, mul(look.place, const(_PART))) for look in looks if _is_number(look.value))


def _not_met(looks: list[_Look]) -> Iterator[Term]:
    """Conditions that no thread finds in one array the value that the other thread finds in another array.

    One list gives the items of a thread (the columns of a level, the vertices of a colour), another one the items that
    its neighbour touches: lists are made so that these differ.
    """
    numbers = [look for look in looks if _is_number(look.value)]
    common = {a.value for a, b in combinations(numbers, 2) if a.value is b.value}
    own = [look for look in numbers if look.value not in common]
    yield from (ne(a.value, b.value) for a, b in combinations(own, 2) if a.side is not b.side and a.array != b.array)


def _is_short(number: Term) -> Term:
    return conj(le(const(0), number), le(number, const(_SHORT)))


def _is_of_host(look: _Look) -> bool:
    """Whether the host has read an element and gave the kernel its value: it is the same for all threads."""
    return not any(s.origin is Origin.THREAD for s in symbols_of(look.place))


def _in_order(looks: list[_Look]) -> Iterator[tuple[_Look, _Look]]:
    """Pairs of elements: of one array, the first has the smaller index by a constant; others by the arrays' names."""
    for a, b in permutations(looks, 2):
        between = difference(b.place, a.place)
        if a.array < b.array or (a.array == b.array and between.is_const and between.value > 0):
            yield a, b


def _multiple(low: _Look, high: _Look) -> Term:
    """The condition that one number is far above a multiple of another, as a stride in bytes is above a width."""
    return conj(le(const(1), low.value), le(add(mul(low.value, const(_ELEMENT)), const(_FAR)), high.value))


def _is_number(value: Term) -> bool:
    """Whether a value is read from memory, and is not an address."""
    return value.op is Op.READ and value.high < ADDRESSES


def _far_apart(a: _Look, b: _Look, gap: int | None) -> Iterator[Term]:
    """Conditions that later elements are far above earlier ones; those of different blocks are far apart in any case.

    `gap`: the least distance, which is not exceeded by much; None: far above, without an upper limit.
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
