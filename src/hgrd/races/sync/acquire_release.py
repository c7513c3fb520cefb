"""What a thread has acquired before an access, and what it releases after it.

An acquire is an atomic or a volatile read on whose value it depends that the access is reached, with a fence
behind it; a release is a fence behind the access with a write of the flag or lock behind that (CUDA
Programming Guide, "Memory Fence Functions"; HGRD, section 5.2).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Scope, Space, narrowest
from hgrd.protocol.model import Access, Barrier, Fence, Item, Observation, Protocol, ProtocolLoop, accesses
from hgrd.races.sync.program_order import Placement, Spot, certain, placement, precedes
from hgrd.terms import FALSE, TRUE, Op, Origin, Symbol, Term, conj, const, negate, substitute, symbols_of, var

_MOST = 24  # ways of acquiring, or of releasing, that are looked at
_TRIED = (-2, -1, 0, 1, 2, 3)  # values of flags


class Acquire(Struct, frozen=True):
    """Where `when` holds, `seen` was made at `offset` before the access, and what it found passed `test`.

    By the thread itself, or by another one of its block that it has met at a barrier since (`delegated`).
    `scope` is the narrowest of the atomic and of the fence behind it; `fenced`: there is one.
    """

    seen: Observation
    offset: Term
    symbol: Symbol
    test: Term
    when: Term
    scope: Scope
    fenced: bool
    delegated: bool
    spot: Spot


class Release(Struct, frozen=True):
    """Where `when` holds, `write` is performed at `offset` after the access, by the thread or a delegate.

    `scope` is the narrowest of the write and of the fence between the two; `fenced`: there is one.
    """

    write: Access
    offset: Term
    when: Term
    scope: Scope
    fenced: bool
    spot: Spot


def modifies(access: Access) -> bool:
    """Whether an access can change what it touches."""
    if not access.changes:
        return False
    if access.kind is AccessKind.ATOMIC and access.value is not None:
        if access.operation in ("add", "sub", "or", "xor") and access.value is const(0):
            return False
        if access.operation == "cas" and access.compare is access.value:
            return False
    return True


def exclude(a: Access, b: Access) -> bool:
    """Whether no thread makes both in one iteration: they stand in different branches."""
    return any(negate(g) in b.guards for g in a.guards)


def reads_volatile(access: Access) -> bool:
    """A read that needs no fence behind a wait: volatile accesses of a thread are not reordered by the compiler."""
    return access.kind is AccessKind.READ and access.volatile


def scope_of(access: Access) -> Scope:
    """The threads that see the access as one: an atomic's scope; of a volatile access, all (PTX, "Volatile")."""
    if access.scope is not None:
        return access.scope
    return Scope.SYSTEM if access.volatile else Scope.THREAD


class Handshakes(Struct, frozen=True):
    """Acquires and releases around the accesses of a protocol."""

    protocol: Protocol
    placement: Placement
    _acquires: dict[int, tuple[Acquire, ...]] = field(default_factory=dict[int, tuple[Acquire, ...]])
    _releases: dict[int, tuple[Release, ...]] = field(default_factory=dict[int, tuple[Release, ...]])

    def acquires(self, access: Access) -> tuple[Acquire, ...]:
        """What has been acquired before `access`, where the program says so."""
        if access.number not in self._acquires:
            here = self.placement.of(access)
            found = [*self._own_acquires(access, here), *self._delegated_acquires(access, here)]
            self._acquires[access.number] = _telling(found)[:_MOST]
        return self._acquires[access.number]

    def releases(self, access: Access) -> tuple[Release, ...]:
        """Writes that come after `access`, or are the access itself."""
        if access.number not in self._releases:
            here = self.placement.of(access)
            found = [*self._own_releases(access, here), *self._delegated_releases(access, here)]
            self._releases[access.number] = tuple(dict.fromkeys(found))[:_MOST]
        return self._releases[access.number]

    # ------------------------------------------------------------ by the thread itself

    def _own_acquires(self, access: Access, here: Spot) -> Iterator[Acquire]:
        known = known_to(access)
        for condition in (*access.guards, *access.endings):
            for symbol, test, when in self._tests(condition):
                seen = self.protocol.symbols.observed[symbol.name]
                spot = self._made_at(seen, here)
                if spot is None:
                    continue
                yield Acquire(seen, seen.offset, symbol, test, when, seen.scope, False, False, spot)
                for scope, given in self._fences(spot, here, known):
                    scope = narrowest(seen.scope, scope)
                    yield Acquire(seen, seen.offset, symbol, test, conj(when, given), scope, True, False, spot)

    def _own_releases(self, access: Access, here: Spot) -> Iterator[Release]:
        if modifies(access) and scope_of(access) is not Scope.THREAD:
            yield Release(access, access.offset, TRUE, scope_of(access), True, here)
        before = known_to(access)
        for write, spot in self._writes_behind(here):
            own = conj(*(g for g in write.guards if g not in before))
            yield Release(write, write.offset, own, scope_of(write), False, spot)
            for scope, given in self._fences(here, spot, before | known_to(write)):
                yield Release(write, write.offset, conj(given, own), narrowest(scope, scope_of(write)), True, spot)

    def _writes_behind(self, here: Spot) -> Iterator[tuple[Access, Spot]]:
        for spot in self.placement.spots:
            write = spot.item
            if not isinstance(write, Access) or not modifies(write) or scope_of(write) is Scope.THREAD:
                continue
            if precedes(here, spot) and certain(spot, here):
                yield write, spot

    # ------------------------------------------------------------ by another thread of the block

    def _delegated_acquires(self, access: Access, here: Spot) -> Iterator[Acquire]:
        for condition, given in self._conditions(access, here):
            for symbol, test, when in self._tests(condition):
                seen = self.protocol.symbols.observed[symbol.name]
                spot = self._made_at(seen, here)
                barrier = None if spot is None else self._barrier(spot, here, known_to(access))
                one = None if barrier is None else self._someone(conj(when, given), (seen.offset,), here)
                if spot is None or barrier is None or one is None:
                    continue
                rest, (offset,) = one
                yield Acquire(seen, offset, symbol, test, rest, seen.scope, False, True, spot)
                parts = frozenset((*_parts(when), *_parts(given), *barrier.item.guards))
                fences = (*self._fences(spot, barrier, parts), *self._fences(spot, here, known_to(access)))
                for scope, also in fences:
                    if also is TRUE:
                        yield Acquire(seen, offset, symbol, test, rest, narrowest(seen.scope, scope), True, True, spot)

    def _delegated_releases(self, access: Access, here: Spot) -> Iterator[Release]:
        before = known_to(access)
        for write, spot in self._writes_behind(here):
            barrier = next(self._passed(here, spot, before), None)
            one = None if barrier is None else self._someone(conj(*write.guards), (write.offset,), here, spot)
            if barrier is None or one is None:
                continue
            rest, (offset,) = one
            yield Release(write, offset, rest, scope_of(write), False, spot)
            fences = (*self._fences(here, barrier, before), *self._fences(barrier, spot, known_to(write)))
            for scope, also in fences:
                if also is TRUE:
                    yield Release(write, offset, rest, narrowest(scope, scope_of(write)), True, spot)

    def handed_to_somebody(self, access: Access) -> frozenset[int]:
        """The numbers of writes behind a barrier that some thread of the block makes, it is not known which."""
        here, before = self.placement.of(access), known_to(access)
        return frozenset(
            write.number
            for write, spot in self._writes_behind(here)
            if any(self._passed(here, spot, before)) and not self._is_of_one(write, here, spot)
        )

    def _is_of_one(self, write: Access, *spots: Spot) -> bool:
        """Whether all that its guards ask of a thread is to be one that every block has."""
        when = conj(*write.guards)
        one = self._someone(when, (write.offset,), *spots)
        return one is not None and set(_parts(one[0])) <= set(_parts(when))

    def delegates(self, access: Access, there: Spot) -> bool:
        """Whether a barrier of the block stands between an access and what another thread does for all behind."""
        return any(self._passed(self.placement.of(access), there, known_to(access)))

    def _conditions(self, access: Access, here: Spot) -> Iterator[tuple[Term, Term]]:
        """What holds at the access, also in terms of values that one thread of the block has handed over.

        With the condition under which that thread has written them: `if (t == 0) last = …; __syncthreads();
        if (last) …`.
        """
        for condition in (*access.guards, *access.endings):
            yield condition, TRUE
            for symbol in symbols_of(condition):
                write = self._handed_over(symbol, here)
                if write is not None and write.value is not None:
                    yield substitute((condition,), {symbol: write.value})[0], conj(*write.guards)

    def _handed_over(self, symbol: Symbol, here: Spot) -> Access | None:
        """The only write of a shared variable that a read gave `symbol` of, with a barrier between them."""
        reads = self.placement.giving(symbol)
        if len(reads) != 1 or reads[0][1].space is not Space.SHARED:
            return None
        got, read = reads[0]
        writes = self.placement.changes(read.target.key)
        if len(writes) != 1:
            return None
        written, write = writes[0]
        same = write.offset is read.offset and write.size == read.size and read.offset.is_const
        in_order = certain(written, got) and self._barrier(written, got, known_to(read)) is not None
        return write if same and in_order and precedes(written, here) else None

    def _barrier(self, first: Spot, last: Spot, known: frozenset[Term]) -> Spot | None:
        """A barrier of the block that all its threads pass between the two, whether the first is performed or not."""
        return next((spot for spot in self._passed(first, last, known) if certain(spot, last)), None)

    def _passed(self, first: Spot, last: Spot, known: frozenset[Term]) -> Iterator[Spot]:
        """Barriers of the block that all its threads pass before the last, and after the first in its iteration."""
        for spot in self.placement.spots:
            item = spot.item
            if not isinstance(item, Barrier) or not item.of_block or not known.issuperset(item.guards):
                continue
            if precedes(first, spot) and precedes(spot, last) and certain(spot, first):
                yield spot

    def _someone(self, when: Term, terms: tuple[Term, ...], *spots: Spot) -> tuple[Term, tuple[Term, ...]] | None:
        """A thread that every block has and that meets `when`: what remains of it, and the terms as it sees them.

        What remains may speak of what a block's threads have in common, and of the loops around all `spots`.
        """
        threads = [s for s in self.protocol.configuration.thread if s is not None]
        around = [{i.binder.name for i in s.around} for s in spots]
        shared = around[0].intersection(*around)
        own = (self.protocol.symbols.private | {s.name for s in threads}) - shared
        for index in _candidates(when, threads):
            rest, *seen = substitute((when, *terms), index)
            if rest is not FALSE and not any(s.name in own for s in symbols_of(rest, *seen)):
                return rest, tuple(seen)
        return None

    # ------------------------------------------------------------ one way or another

    def alternatives(self, access: Access) -> Iterator[tuple[tuple[Symbol, Term, Spot], ...]]:
        """Tests of what was observed, at least one of which has been passed by the thread (or one of its block).

        As where the last to arrive goes on at once, and the others wait for it.
        """
        here = self.placement.of(access)
        for condition in (*access.guards, *access.endings):
            parts = condition.args if condition.op is Op.OR else (condition,)
            tested = [p for p in parts if self._observed_in(p)]
            found = [t for p in tested if (t := self._latest(p, here)) is not None]
            if len(tested) < 2 or len(found) < len(tested):
                continue
            by_itself = len(tested) == len(parts)
            if by_itself or all(self._barrier(s, here, known_to(access)) is not None for _, _, s in found):
                yield tuple(found)

    def _latest(self, test: Term, here: Spot) -> tuple[Symbol, Term, Spot] | None:
        """What was observed last of what a test is about, if it cannot be what was there before."""
        made = [(s, self._made_at(self.protocol.symbols.observed[s.name], here)) for s in self._observed_in(test)]
        spots = [(s, spot) for s, spot in made if spot is not None]
        if len(spots) < len(made):
            return None
        symbol, last = spots[0]
        for other, spot in spots[1:]:
            symbol, last = (other, spot) if precedes(last, spot) else (symbol, last)
        key = self.protocol.symbols.observed[symbol.name].target.key
        before = [s for s, _ in spots if s != symbol and self.protocol.symbols.observed[s.name].target.key == key]
        return None if any(_passes_unchanged(test, symbol, s) for s in before) else (symbol, test, last)

    # ------------------------------------------------------------ parts

    def polls(self, access: Access) -> bool:
        """A volatile read that does nothing but make a loop go on until another thread has written."""
        if access.kind is not AccessKind.READ or not access.volatile:
            return False
        loops = self.placement.of(access).around
        if not loops or not all(isinstance(i, Access) and i.kind is AccessKind.READ for i in loops[-1].items):
            return False
        loop = loops[-1]
        tested = (self.protocol.symbols.observed[s.name] for t in loop.tests for s in self._observed_in(t))
        if any((seen.span, seen.stack) == (access.span, access.stack) for seen in tested):
            return True
        made = (s for s in symbols_of(*loop.tests) if s.name in loop.local and s.origin is Origin.DATA)
        return len(loop.items) == 1 and any(made)  # `do x = flag; while (x < 0);`: what the last iteration has read

    def _tests(self, condition: Term) -> Iterator[tuple[Symbol, Term, Term]]:
        """A condition as a test of what was observed, where the rest of it does not hold already."""
        parts = condition.args if condition.op is Op.OR else (condition,)
        tested = [(p, self._observed_in(p)) for p in parts]
        tests = [(p, symbols) for p, symbols in tested if symbols]
        if len(tests) == 1 and len(tests[0][1]) == 1:
            test, (symbol,) = tests[0]
            yield symbol, test, conj(*(negate(p) for p, symbols in tested if not symbols))

    def _observed_in(self, term: Term) -> tuple[Symbol, ...]:
        return tuple(
            s for s in sorted(symbols_of(term), key=lambda s: s.name) if s.name in self.protocol.symbols.observed
        )

    def _made_at(self, seen: Observation, here: Spot) -> Spot | None:
        """The access behind an observation, before `here`."""
        before = [
            s
            for s in self.placement.spots
            if isinstance(s.item, Access)
            and (s.item.span, s.item.stack, s.item.target.key) == (seen.span, seen.stack, seen.target.key)
            and precedes(s, here)
        ]
        return before[-1] if before else None

    def _fences(self, first: Spot, last: Spot, known: frozenset[Term]) -> Iterator[tuple[Scope, Term]]:
        """Fences that the thread performs between two items, and under which further condition."""
        for spot in self.placement.spots:
            fence = spot.item
            if not isinstance(fence, Fence | Barrier) or not (precedes(first, spot) and precedes(spot, last)):
                continue
            if not (certain(spot, first) or certain(spot, last)):
                continue
            if isinstance(fence, Barrier) and not fence.of_block:
                continue
            scope = fence.scope if isinstance(fence, Fence) else Scope.BLOCK
            yield scope, conj(*(g for g in fence.guards if g not in known))


def _passes_unchanged(test: Term, symbol: Symbol, before: Symbol) -> bool:
    """Whether a test may be passed by the value that was found before: tried out where it is about nothing else."""
    same = substitute((test,), {symbol: var(before)})[0]
    if set(symbols_of(same)) != {before}:
        return same is not FALSE
    values = (const(n) for n in _TRIED if before.low <= n <= before.high)
    return any(substitute((same,), {before: value})[0] is not FALSE for value in values)


def _candidates(when: Term, threads: list[Symbol]) -> Iterator[dict[Symbol, Term]]:
    """Indexes of threads that may meet a condition: the first one's, and those that it names."""
    first = {s: const(0) for s in threads}
    yield first
    named = {
        t.args[0].symbol: t.args[1]
        for t in _parts(when)
        if t.op is Op.EQ and t.args[0].op is Op.VAR and t.args[0].symbol in threads and t.args[1].is_const
    }
    if named:
        yield {**first, **named}


def steady(protocol: Protocol) -> Protocol:
    """The protocol without what it says of the values of reads that locks or flags order.

    That threads agree on what they have read since the last barrier is argued from there being no race; where
    something else than barriers orders a read and a write, there is none, and the values still differ.
    """
    if not protocol.symbols.observed:
        return protocol
    handshakes = Handshakes(protocol, placement(protocol))
    everything = accesses(protocol.items)
    ordered = {a.number for a in everything if handshakes.acquires(a)}
    if not ordered:
        return protocol
    reads = {a.result.name: a for a in everything if a.kind is AccessKind.READ and a.result is not None}
    known = protocol.uniform
    broadcast = {n: loops for n, loops in known.broadcast.items() if n in reads and reads[n].number not in ordered}
    in_iteration = known.in_iteration
    if any(n in in_iteration and read.number in ordered for n, read in reads.items()):
        in_iteration = {}  # others may be made of them
    uniform = replace(known, broadcast=broadcast, in_iteration=in_iteration)
    return replace(protocol, items=_forgetful(protocol.items, ordered), uniform=uniform)


def _forgetful(items: tuple[Item, ...], numbers: set[int]) -> tuple[Item, ...]:
    """The reads of these numbers without the symbol of what they got."""
    found: list[Item] = []
    for item in items:
        match item:
            case Access(kind=AccessKind.READ, number=number) if number in numbers:
                found.append(replace(item, result=None))
            case ProtocolLoop(items=inner):
                found.append(replace(item, items=_forgetful(inner, numbers)))
            case _:
                found.append(item)
    return tuple(found)


def _telling(acquires: list[Acquire]) -> tuple[Acquire, ...]:
    """Without those that say no more than another one of the same observation."""

    def says_less(a: Acquire, b: Acquire) -> bool:
        weaker = _parts(b.when) < _parts(a.when) or (b.when is a.when and a != b and not a.scope.includes(b.scope))
        alike = a.symbol == b.symbol and a.delegated == b.delegated
        return alike and b.scope.includes(a.scope) and b.fenced >= a.fenced and weaker

    found = [a for a in dict.fromkeys(acquires) if a.when is not FALSE]
    return tuple(a for a in found if not any(says_less(a, b) for b in found))


def _parts(term: Term) -> frozenset[Term]:
    return frozenset(term.args) if term.op is Op.AND else frozenset() if term is TRUE else frozenset((term,))


def known_to(access: Access) -> frozenset[Term]:
    return frozenset((*access.guards, *access.endings))
