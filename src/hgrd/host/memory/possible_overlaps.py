"""Possible overlaps: pairs of objects that a launch knows and that may be one, by where pointers to them were found.

float *m = model->m, *v = model->v;               // two places of one record: apart, unless it may hold one twice
if (!m) cudaMalloc(&m, n), model->m = m;          // a new object, stored at one place: `v` leads elsewhere
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, product
from math import gcd, inf

from msgspec.structs import replace

from hgrd.host.memory.array_contents import container_with
from hgrd.host.memory.closure import Closure
from hgrd.host.memory.pointer_origins import ANYTHING, IN, OR, PointerOrigins
from hgrd.host.model import PossibleOverlap
from hgrd.symbolic.state import Condition
from hgrd.symbolic.values import Composite, MemoryObject, Value, pointed_to
from hgrd.terms import Op, Term, sub
from hgrd.terms.linear import difference, linear


def possible_overlaps(
    origins: PointerOrigins,
    values: Iterable[Value],
    known: Iterable[str],
    path: Iterable[Condition],
    names: Mapping[str, str],
) -> Iterator[PossibleOverlap]:
    """The pairs of objects that a launch with these values knows and that may be one, if `may_be_one` says so.

    `known` are the keys of variables of the device, which kernels know by name.  `names` are those of the objects.
    """
    pointers = [{t.key: t for t in pointed_to(p)} for value in values for p in _pointers_in(value)]
    targets = list({key: t for pointer in pointers for key, t in pointer.items()}.values())
    apart = tuple(c.term for c in path)
    for a, b in combinations(targets, 2):
        if (a.external or b.external) and _by_two(pointers, a.key, b.key):
            pairs = product(a.key.split(OR), b.key.split(OR))
            elsewhere = tuple((one, other) for one, other in pairs if _found_apart(origins, one, other, apart))
            yield PossibleOverlap(a.key, b.key, f"{names[a.key]} and {names[b.key]}", elsewhere=elsewhere)
    for holder in dict.fromkeys((*(t.key for t in targets), *known)):
        for t in (t for t in targets if t.key != holder):
            yield PossibleOverlap(holder, t.key, f"{names[t.key]} and a pointer found in memory", inside=True)


def _pointers_in(value: Value) -> Iterator[Value]:
    """The pointers in a value, each with its alternatives."""
    match value:
        case Composite(cells=cells):
            for cell in cells.values():
                yield from _pointers_in(cell.value)
        case _:
            yield value


def _by_two(pointers: Iterable[Mapping[str, MemoryObject]], one: str, other: str) -> bool:
    """Whether different pointers lead to two objects: one pointer leads to one of its alternatives."""
    return sum(1 for targets in pointers if one in targets or other in targets) > 1


def decided_by(origins: PointerOrigins, *, once: bool) -> Callable[[PossibleOverlap], PossibleOverlap | None]:
    """What is left of a pair, for all that a run has stored when it is over: None if the objects are not one.

    `once`: it has made each launch in the order of the program, and no call of a function is left out: what code that
    is not followed may store after a launch does not count.  Where the objects may be one only if functions store
    pointers that are taken to copy what they get, the pair says so.
    """
    full = Closure(origins.steps)
    parts: dict[tuple[float, bool], Closure] = {}

    def part(written: float, *, copies: bool) -> Closure:
        return parts.setdefault((written, copies), Closure(origins.steps_of(written, copies=copies)))

    def decide(pair: PossibleOverlap) -> PossibleOverlap | None:
        if not may_be_one(origins, pair, full):
            return None
        written = pair.written if once and not pair.inside and pair.written is not None else inf
        if written != inf and not may_be_one(origins, pair, part(written, copies=False)):
            return None
        if not origins.copied or may_be_one(origins, pair, part(written, copies=True)):
            return pair
        return replace(pair, copiers=_copiers(origins, pair, full))

    return decide


def _copiers(origins: PointerOrigins, pair: PossibleOverlap, closure: Closure) -> tuple[str, ...]:
    """The functions that two objects have to do with and that are taken to copy what they get."""
    names = {name.removeprefix(IN) for name in closure.of((pair.first, IN + pair.first, pair.second))}
    return tuple(sorted({copier for (key, _), copier in origins.copied.items() if key in names}))


def may_be_one(origins: PointerOrigins, pair: PossibleOverlap, closure: Closure) -> bool:
    """Whether the objects of a pair may be one, for all that is known by now; `closure` is that of `steps`."""
    second = closure.bits((pair.second,))
    if pair.inside:
        return bool(second & closure.bits(origins.held.get(pair.first, ())))
    first = closure.bits((pair.first,))
    if (first | second) & closure.bits((ANYTHING,)):
        return True
    alternatives = product(pair.first.split(OR), pair.second.split(OR))
    return any(_are_one(origins, one, other, closure, (one, other) in pair.elsewhere) for one, other in alternatives)


def _are_one(origins: PointerOrigins, one: str, other: str, closure: Closure, elsewhere: bool) -> bool:
    """Whether two objects may be one; `elsewhere`: pointers to them were found at different places of one object."""
    holder = _common_holder(origins, one, other)
    if holder is not None and one != other:
        return not elsewhere or _repeats(origins, holder, closure)
    if _stored_elsewhere(origins, one, other) or _stored_elsewhere(origins, other, one):
        return False
    return bool(closure.bits((one,)) & closure.bits((other,)))


def _stored_elsewhere(origins: PointerOrigins, made: str, found: str) -> bool:
    """Whether an object is stored at one place alone, and the pointer to the other one was found at another place."""
    loaded = None if origins.anywhere else origins.loaded.get(found)
    if loaded is None or made in origins.loaded or made not in origins.own.get(loaded.holder, ()):
        return False
    holders = [key for key, held in origins.held.items() if made in held]
    if holders != [loaded.holder] or any(made in others for others in origins.may_be.values()):
        return False
    places = origins.own_at.get((loaded.holder, made), set())
    return len(places) == 1 and all(place.is_const and differ(place, loaded.offset, ()) for place in places)


def _common_holder(origins: PointerOrigins, one: str, other: str) -> str | None:
    """The object in one generation of which the pointers to two objects were found; None: there is none.

    Generations do not matter where pointers stay at their places.
    """
    a, b = origins.loaded.get(one), origins.loaded.get(other)
    if a is None or b is None or a.holder != b.holder:
        return None
    return a.holder if a.generation == b.generation or _keeps_places(origins, a.holder) else None


def _keeps_places(origins: PointerOrigins, holder: str) -> bool:
    """Whether all that is stored in an object is the program's, each pointer at one place of it alone."""
    visible = {name for names in origins.visible.of(holder).values() for name in names}
    return origins.held.get(holder, set()) | visible | origins.anywhere <= origins.own.get(holder, set())


def _found_apart(origins: PointerOrigins, one: str, other: str, held: tuple[Term, ...]) -> bool:
    """Whether the pointers to two objects were found at different places of one, where the conditions hold."""
    together = _common_holder(origins, one, other) is not None
    return together and differ(origins.loaded[one].offset, origins.loaded[other].offset, held)


def _repeats(origins: PointerOrigins, holder: str, closure: Closure) -> bool:
    """Whether an object may hold a pointer twice, for all that the program shows."""
    names = closure.bits((holder,))
    stores = {key: stored for key, stored in origins.stored.items() if closure.bits((key,)) & names}
    apart = _own(origins, stores) | {holder, container_with(holder)[0]}
    inside = {name for name in closure.of((IN + holder,)) if not name.startswith(IN)} - apart
    return not inside <= _never_inside(origins, holder, closure).difference(origins.anywhere, *stores.values())


def _own(origins: PointerOrigins, stores: Mapping[str, set[str]]) -> set[str]:
    """The objects that an object holds at one place alone, for all that is stored in it by whatever name.

    Where several names are of objects that the program makes, it is one of these.
    """
    found = Counter(name for stored in stores.values() for name in stored)
    open_ = {name for key, stored in stores.items() if _is_from_outside(origins, key) for name in stored}
    alone = {name for key in stores for name in origins.own.get(key, ())} - {n for n in open_ if found[n] > 1}
    return alone.difference(*(stored - origins.own.get(key, set()) for key, stored in stores.items()))


def _never_inside(origins: PointerOrigins, holder: str, closure: Closure) -> set[str]:
    """What an object found in memory may be, none of which it holds if that is stored in none of them.

    Frame *frame = frames[i];   // one of those made here, none of which is inside another one
    """
    names = set(closure.of((holder,))) - {holder}
    keys = {name.removeprefix(IN).removeprefix(IN) for name in names}
    results = {name.removeprefix(IN) for name in origins.calls.values()}
    return set() if keys & results or any(_is_from_outside(origins, key) for key in keys) else names


def _is_from_outside(origins: PointerOrigins, key: str) -> bool:
    """Whether an object was found in memory, or came from code that is not followed."""
    return OR in key or key in origins.loaded or bool(origins.may_be.get(key))


def differ(one: Term, other: Term, held: Iterable[Term]) -> bool:
    """Whether two offsets are never equal, where the conditions hold."""
    between = difference(one, other)
    constant, atoms = linear(between)
    if not atoms:
        return constant != 0
    common = gcd(*(abs(n) for n in atoms.values()))
    if constant % common or not sub(one, other).low <= 0 <= sub(one, other).high:
        return True
    return any(_says_differ(term, constant, atoms) for term in held)


def _says_differ(term: Term, constant: int, atoms: Mapping[Term, int]) -> bool:
    if term.op is not Op.NOT or term.args[0].op is not Op.EQ:
        return False
    told, parts = linear(difference(*term.args[0].args))
    if parts.keys() != atoms.keys():
        return False
    one = next(iter(parts))
    factor, rest = divmod(atoms[one], parts[one])
    return rest == 0 and told * factor == constant and all(n * factor == atoms[t] for t, n in parts.items())
