"""Origins of pointers whose targets the run does not know: what they may be equal to.

    float *x = lib_input(handle), *y = lib_output(handle);   // both may be what `handle` holds
    int *p = table[i], *q = table[j];                        // the same element, if i == j

A pointer that comes in from outside has an object of its own.  Two such objects are assumed not to overlap only if
nothing in the program relates them: neither were they got from the same object, nor was one of them given to the code
that returned the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import inf
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.memory.array_contents import ELEMENTS, SHARED_ELEMENTS, container_with
from hgrd.host.memory.closure import Closure
from hgrd.host.memory.holding_types import is_handle, is_open, may_hold
from hgrd.host.memory.loaded_pointers import Loaded
from hgrd.host.memory.pointers_in_values import pointers_at, pointers_in
from hgrd.host.memory.stored_twice import Part, Stored, StoredPointers, part_at
from hgrd.host.memory.visible_stores import VisibleStores
from hgrd.program.types import OpaqueType
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import EMPTY, INITIAL, Generation, State
from hgrd.symbolic.values import (
    Composite,
    FloatValue,
    MemoryObject,
    MemorySpace,
    NullValue,
    Pointer,
    Value,
    may_be_any,
    pointed_to,
)
from hgrd.terms import Origin, Symbol, Term, add, const, symbols_of, var
from hgrd.terms.parity import with_parities

ANYTHING: Final = "?"
OR: Final = " or "  # between the keys of alternatives in the key of the object that stands for them
IN: Final = "in "  # begins the name of what an object holds


class PointerOrigins(Struct):
    """What pointers may lead to, by keys of objects.

    What an object K holds has the name `in K`, what this holds in turn `in in K`.

    `held`: what has been stored in an object, or may have been by code that is not followed, by any name of it;
    `stored`: by this name.  `may_be`: what an object from outside may be, or be a part of.  `loaded`: the place of the
    pointer that led to an object from outside.
    `own`: objects of which every element of another one has its own, since each iteration of a loop makes one, or which
    are stored at one place of it only; `own_at` has the places of an object where pointers to another one were stored.
    `calls` are names for the results of calls.  `unseen` are the pairs of an object and a name that only code that is
    not followed may have stored in it, each with how many it may have stored before; `written` is that number by now.
    `copied` are those of them that only functions may have stored which are taken to copy, with the names of these.
    `elsewhere` is what may also be stored at other places of an object than `own_at` has, `added` what became elements
    of containers in it.  `elements` are the keys of the elements of containers, each of which is known by its place.
    `anywhere` is what is stored through pointers that may lead to any object.  `carried` are the contents
    with which iterations of loops begin, `begun` is after how many names the last one began.
    """

    held: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    stored: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    may_be: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    loaded: dict[str, Loaded] = field(default_factory=dict[str, Loaded])
    own: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    own_at: dict[tuple[str, str], set[Term]] = field(default_factory=dict[tuple[str, str], set[Term]])
    calls: dict[tuple[str, tuple[Value, ...]], str] = field(default_factory=dict[tuple[str, tuple[Value, ...]], str])
    visible: VisibleStores = field(default_factory=VisibleStores)
    placed: StoredPointers = field(default_factory=StoredPointers)
    unseen: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    written: int = 0
    copied: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    elsewhere: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    added: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    elements: set[str] = field(default_factory=set[str])
    anywhere: set[str] = field(default_factory=set[str])
    carried: set[Generation] = field(default_factory=lambda: {INITIAL})
    begun: int = 0

    def record_store(self, machine: Machine, address: Value, value: Value) -> None:
        """A value is stored at an address."""
        times, index = Counter(named_in(value)), machine.names.index
        found = set(times)
        if may_be_any(address):
            self.anywhere |= found | ({ANYTHING} if may_be_any(value) else set())
        for place in pointers_in(address) if found else ():
            self.visible.put(machine.records, place.target, place.offset, value)
            first = min((index.get(s.name, inf) for s in symbols_of(place.offset)), default=inf)
            within = {p.target.key: at for at, p in pointers_at(value)}
            for key in found:  # at two places, an object is that of neither
                offset = add(place.offset, const(within.get(key, 0)))
                self.own_at.setdefault((place.target.key, key), set()).add(offset)
            alone = {key for key in found if times[key] == 1 and len(self.own_at[place.target.key, key]) == 1}
            here = {IN + name for name in self.closed({place.target.key})}
            alone -= {key for key in alone & self.loaded.keys() if not here.isdisjoint(self.closed({key}))}
            fixed = place.offset.is_const and not place.target.key.endswith((ELEMENTS, SHARED_ELEMENTS))
            own = alone if fixed else {key for key in alone if self._is_of_iteration(machine, key, first)}
            own |= {key for key in alone if self._is_made_now(machine, key)}
            self._record_own(place.target.key, found, own)
            self.stored.setdefault(place.target.key, set()).update(found)
            for name in self.closed({place.target.key}):
                holder = name.removeprefix(IN)
                self.held.setdefault(holder, set()).update(found)
                if holder != place.target.key:
                    self.elsewhere.setdefault(holder, set()).update(found)
                for key in found:
                    self.unseen.pop((holder, key), None)
                    self.copied.pop((holder, key), None)
            self._record_place(machine, place, value)

    def _is_of_iteration(self, machine: Machine, key: str, first: float) -> bool:
        """Whether an object came up after the symbol with the index `first`, that of a loop's iteration, and in this.

        if (i % 4 == 0) q = make();   // what `q` leads to may have come up in an iteration before
        """
        index, loaded = machine.names.index, self.loaded.get(key)
        carried = loaded if loaded is not None and loaded.generation in self.carried else None
        if carried is not None and all(index.get(s.name, -1) < first for s in symbols_of(carried.offset)):
            return False
        return index.get(key, -1) > first

    def _is_made_now(self, machine: Machine, key: str) -> bool:
        """Whether the program makes an object in the iteration that runs, so that the next one makes another."""
        made = key not in self.loaded and not self.may_be.get(key)
        return made and machine.names.index.get(key, -1) >= self.begun

    def _record_place(self, machine: Machine, place: Pointer, value: Value) -> None:
        index = machine.names.index
        for at, pointer in pointers_at(value):
            where = add(place.offset, const(at))
            last = max((index.get(s.name, -1) for s in where.symbols if s.origin is Origin.LOOP), default=None)
            made = index.get(pointer.target.key, -1)
            own = "~" in pointer.target.key if last is None else made > last
            stored = replace(self._found_at(pointer, own=own), place=where)
            if not any("~" in s.name for s in symbols_of(where, stored.at)):
                part = part_at(machine.records, place.target, where)
                self._put(place.target, replace(stored, part=part, into=place.target.element))

    def record_added(
        self, machine: Machine, target: MemoryObject, value: Value, binder: Symbol | None, which: str
    ) -> None:
        """A value becomes an element of its own, in each iteration of a loop with this number or once."""
        index = machine.names.index
        for at, pointer in pointers_at(value):
            own = binder is not None and index.get(pointer.target.key, -1) > index.get(binder.name, -1)
            part = part_at(machine.records, target, const(at))
            stored = replace(self._found_at(pointer, own=own or "~" in pointer.target.key), part=part, added=which)
            self._put(target, stored if binder is None else replace(stored, place=var(binder)))

    def _put(self, target: MemoryObject, stored: Stored) -> None:
        elements = target.key.endswith(ELEMENTS)  # which are in none of the objects that they lead to
        names = self.closed(self.may_be.get(target.key, ()) if elements else {target.key})
        for name in {*names, target.key} if target.external else (target.key,):
            self.placed.put(name.removesuffix(ELEMENTS), stored)

    def _found_at(self, pointer: Pointer, *, own: bool) -> Stored:
        """A pointer, by the place that it was found at, if that is known."""
        loaded = self.loaded.get(pointer.target.key)
        if loaded is None or pointer.offset != const(0):
            return Stored(pointer.target.key, pointer.offset, own=own)
        return Stored(loaded.holder, loaded.offset, found=True)

    def stored_twice(self, holder: str, closure: Closure) -> frozenset[Part]:
        """The parts of which two elements of an object may hold one pointer that the program stores there."""
        if self.anywhere:
            return frozenset((Part(0, 0),))
        names = closure.of((holder,)) if self._has_others(holder) else (holder,)
        return self.placed.twice(name.removesuffix(ELEMENTS) for name in names if not name.startswith(IN))

    def stored_at_both(self, holder: str, one: Term, other: Term, closure: Closure) -> bool:
        """Whether the program may store one pointer at two places of an object."""
        if self.anywhere:
            return True
        names = closure.of((holder,)) if self._has_others(holder) else {holder}
        known = {name for n in names if not n.startswith(IN) for name in (n, n.removesuffix(ELEMENTS))}
        return self.placed.at_both(known, one, other)

    def _has_others(self, key: str) -> bool:
        """Whether an object was found in memory, and may have other names; the elements of a container have none."""
        return key in self.loaded and not key.endswith(ELEMENTS)

    def _record_own(self, holder: str, stored: set[str], by_element: set[str]) -> None:
        """Of what is stored, `by_element` are objects of which the element has its own; what is stored twice is not."""
        own = self.own.setdefault(holder, set())
        own -= stored - by_element
        own |= by_element - (self.held.get(holder, set()) - own)

    def record_load(self, target: MemoryObject, generation: Generation, offset: Term, value: Value) -> None:
        """A value was found in memory of unknown contents."""
        match value:
            case Pointer(target=found) if found.external:
                copied = target.space is MemorySpace.LOCAL and isinstance(target.element, OpaqueType)
                at = with_parities(offset)
                self.loaded.setdefault(found.key, Loaded(target.key, generation, at, target.element, copied))
            case Composite(cells=cells):
                for at, cell in cells.items():
                    self.record_load(target, generation, add(offset, const(at)), cell.value)
            case _:
                pass

    def begin_iteration(self, machine: Machine, state: State) -> None:
        self.carried.update(region.generation for region in state.store.values())
        self.begun = machine.names.mark()

    def record_result(self, targets: Iterable[MemoryObject], sources: Iterable[str]) -> None:
        """Code that is not followed returned pointers to these objects, made from these sources."""
        given = set(sources)
        for target in targets:
            self.may_be.setdefault(target.key, set()).update(given)

    def record_object(self, key: str, sources: Iterable[str]) -> Composite:
        """Code that is not followed made an object of a library's class, which keeps what it was made from."""
        self.held.setdefault(key, set()).update(sources)
        return Composite({}, 8, key)

    def names_of_call(self, function: str, arguments: tuple[Value, ...]) -> set[str]:
        """A name for what a call returns, the same for equal arguments."""
        if not all(isinstance(a, Term | FloatValue | Pointer | NullValue) for a in arguments):
            return set()
        return {self.calls.setdefault((function, arguments), f"{IN}result {len(self.calls)}")}

    def inside(self, values: Iterable[Value]) -> set[str]:
        """The keys of the objects that unfollowed code can get to through objects of library classes in the values."""
        held = (IN + name.removeprefix(IN) for value in values for name in named_in(value))
        return {name for name in self.closed(held) if not name.startswith(IN)}

    def record_written(
        self, targets: Iterable[MemoryObject], sources: Iterable[str], copier: str = "", *, adds: bool = False
    ) -> None:
        """Code that is not followed may have stored pointers in these objects.

        `copier`: code that is taken to copy; `adds`: what it stores become elements of a container there.
        """
        given = set(sources)
        for target in (t for t in targets if given and not is_handle(t.element)):
            self.stored.setdefault(target.key, set()).update(given)
            for name in self.closed({target.key}) if target.external else (target.key,):
                self.record_written_key(name.removeprefix(IN), given, copier, adds=adds)

    def record_lost(self, targets: Iterable[MemoryObject]) -> None:
        """Code that is there, but is not followed, may have stored any pointer in these objects."""
        self.record_written((t for t in targets if may_hold(t.element)), (ANYTHING,))

    def record_written_key(self, key: str, sources: Iterable[str], copier: str = "", *, adds: bool = False) -> None:
        """As `record_written`, for the object of a key."""
        given = set(sources)
        held = self.held.setdefault(key, set())
        for name in given - held:
            self.unseen[key, name] = self.written
            self.written += 1
        for name in given:
            if not copier:
                self.copied.pop((key, name), None)
            elif name not in held:
                self.copied[key, name] = copier
        held.update(given)
        (self.added if adds else self.elsewhere).setdefault(key, set()).update(given)
        own = self.own.get(key)
        if own:
            own -= self.closed(given)

    def record_copy(self, machine: Machine, state: State, to: Value, source: Value) -> None:
        """Memory at an address is copied to another."""
        for place, origin in product(pointers_in(to), pointers_in(source)):
            if place.target.key == origin.target.key and may_hold(place.target.element):  # which may hold one twice now
                self.record_written_key(place.target.key, (f"{place.target.key}, copied",))
            whole = self.visible.copied(machine.records, place, origin, state.store.get(origin.target.key, EMPTY))
            if whole or self._copied_members(machine, place.target, origin.target):
                continue
            if may_hold(origin.target.element) and is_open(state, origin.target):
                self.visible.put_names(place.target.key, (IN + origin.target.key,))

    def _copied_members(self, machine: Machine, to: MemoryObject, source: MemoryObject) -> bool:
        seen = {name for names in self.visible.of(source.key).values() for name in names}
        hidden = not self.held.get(source.key, set()) <= seen
        return not hidden and self.visible.copied_members(machine.records, to, source)

    def record_kernel(self, kernel: str, targets: Iterable[MemoryObject], known: Iterable[str]) -> None:
        """A kernel that stores pointers got these objects, and assigns to these variables of the device by name."""
        given = list(targets)
        for key in (*(t.key for t in given), *known):
            self.visible.put_names(key, (f"{IN}kernel {kernel}", *(t.key for t in given)))

    def record_unknown(self, values: Iterable[Value]) -> None:
        """The values come from code that the run does not follow, though it is there: they may lead anywhere."""
        for target in (t for value in values for t in pointed_to(value)):
            self.may_be.setdefault(target.key, set()).add(ANYTHING)
            self.held.setdefault(target.key, set()).add(ANYTHING)

    def record_inside(self, holder: Value, value: Value, *, same: bool) -> None:
        """What a value leads to may be in what another one does; `same`: or be the same."""
        holders, keys = ({t.key for t in pointed_to(v)} for v in (holder, value))
        for key in keys if holders else ():
            others = holders - {key}
            self.may_be.setdefault(key, set()).update(IN + other for other in others)
            self.may_be[key].update(others if same else ())

    def closed(self, first: Iterable[str]) -> set[str]:
        """The names of all that these names may be, or hold, by what is known up to now."""
        found: set[str] = set()
        todo = set(first)
        while todo:
            name = todo.pop()
            found.add(name)
            todo.update(n for n in self.steps(name) if n not in found)
        return found

    def steps(self, name: str) -> Iterator[str]:
        """What has a name may be, or hold, this, by what is known of it alone."""
        return self._inside(name.removeprefix(IN), self._held) if name.startswith(IN) else self._is(name)

    def steps_of(self, written: float, *, copies: bool = False) -> Callable[[str], Iterator[str]]:
        """As `steps`, without what code that is not followed may have stored after so many stores of it.

        if (gpu) copy<<<n, 256>>>(m->data, v->data);   // one call of this function does not make both:
        else host_copy(m, v);                          // what this may store in `m` is not what the kernel gets

        `copies`: nor what only those may have stored that are taken to copy.
        """
        copied = self.copied if copies else {}

        def held(key: str) -> Iterator[str]:
            pairs = ((key, name) for name in self._held(key))
            return (pair[1] for pair in pairs if self.unseen.get(pair, -1) < written and pair not in copied)

        return lambda name: self._inside(name.removeprefix(IN), held) if name.startswith(IN) else self._is(name)

    def _is(self, key: str) -> Iterator[str]:
        """What an object may be."""
        yield from self.may_be.get(key, ())
        if OR in key:
            yield from key.split(OR)
        if key in self.elements:
            owner, at = container_with(key)
            yield from (name for name in self._inside(owner, self._held) if not self._is_beside(owner, at, name))
            return
        if key in self.loaded:
            yield IN + self.loaded[key].holder
        if key.endswith((ELEMENTS, SHARED_ELEMENTS)):
            yield IN + container_with(key)[0]

    def _is_beside(self, owner: str, at: int, name: str) -> bool:
        """Whether an object is stored in another one, but is not what the container at this offset of it has."""
        if name in self.elsewhere.get(owner, ()):
            return False
        if name in self.added.get(owner, ()):
            return not self.own_at.get((owner, name))
        if name.startswith(IN) or name in self.elements:
            return False
        places = self.own_at.get((owner, name), ())
        return bool(places) and all(place.is_const and place.value != at for place in places)

    def _held(self, key: str) -> Iterable[str]:
        return self.held.get(key, set()) | self.anywhere

    def _inside(self, key: str, held: Callable[[str], Iterable[str]]) -> Iterator[str]:
        """What an object may hold, or (`in K`) what the objects may hold that it holds; `held` has what is stored."""
        yield from held(key)
        if key.startswith(IN):
            yield from map(_inside_of, self._inside(key.removeprefix(IN), held))
        contents = (IN + container_with(key)[0],) if key in self.elements else ()
        for name in (*self._is(key), *contents):
            yield _inside_of(name)
            if name.startswith(IN):
                yield name


def _inside_of(name: str) -> str:
    """The name of what the objects of a name hold."""
    return name if name.startswith(IN + IN) else IN + name


def named_in(value: Value) -> Iterator[str]:
    """The names of what a value points to, or of what its unknown parts may."""
    match value:
        case Composite(cells=cells, origin=origin):
            if origin is not None:
                yield IN + origin
            for cell in cells.values():
                yield from named_in(cell.value)
        case _:
            yield from (target.key for target in pointed_to(value))
