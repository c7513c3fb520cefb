"""decide() against enumeration, on queries with tiny domains and every operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from hgrd import terms as t
from hgrd.solve.decide import Budget, decide
from hgrd.solve.query import Axis, Conflict, Model, Party, Proved, Query, Undecided
from hgrd.solve.session import Session
from hgrd.terms import Op, Origin, Symbol, Term
from hgrd.terms.build import read_between
from hgrd.terms.rewrite import bottom_up

N = Symbol("n", -2, 3, Origin.INPUT)
M = Symbol("m", 1, 3, Origin.DIMENSION)
PRIVATE = tuple((Symbol(f"t{k}", 0, 2, Origin.THREAD), Symbol(f"j{k}", -1, 0, Origin.LOOP)) for k in (1, 2))
FULL = Budget(
    launches=2,
    more_launches=5,
    rounds=40,
    first_effort=300_000,
    effort=300_000,
    fallback_effort=500_000,
    bit_effort=500_000,
)
PROVER = replace(FULL, launches=0, more_launches=0, wrap_rounds=0)  # without a wrapping query proofs stay qualified

OPERATORS = (t.add, t.sub, t.mul, t.div, t.mod, t.bit_and, t.bit_or, t.bit_xor, t.shr, t.minimum, t.maximum)

Reads = dict[tuple[str, tuple[int, ...]], int]


class MissingError(Exception):
    """A read whose value is still to be chosen."""

    def __init__(self, key: tuple[str, tuple[int, ...]]) -> None:
        super().__init__(key)
        self.key = key


class Drawer:
    """Random terms and queries from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def integer(self, symbols: tuple[Symbol, ...], depth: int) -> Term:
        random = self.random
        if depth == 0 or random.random() < 0.15:
            return t.var(random.choice(symbols)) if random.random() < 0.7 else t.const(random.randint(-3, 6))
        a, b = self.integer(symbols, depth - 1), self.integer(symbols, depth - 1)
        match random.randrange(19):
            case 0:
                return t.ite(self.condition(symbols, depth - 1), a, b)
            case 1 | 2:
                return t.wrap(a, random.choice([2, 3, 4]), random.random() < 0.5, soft=random.random() < 0.5)
            case 3 | 4 | 5:
                return t.wrap(random.choice([t.add, t.mul])(a, b), 4, random.random() < 0.5, soft=True)
            case 6:
                return read_between("a", (a,), 0, 1)
            case 7:
                return t.mul(a, t.const(random.randint(-2, 4)))
            case kind:
                return OPERATORS[kind - 8](a, b)

    def condition(self, symbols: tuple[Symbol, ...], depth: int) -> Term:
        random = self.random
        a, b = self.integer(symbols, depth), self.integer(symbols, depth)
        p = random.choice([t.ne, t.le, t.lt, t.eq])(a, b)
        if random.random() < 0.3:
            q = random.choice([t.ne, t.le])(self.integer(symbols, depth), b)
            return random.choice([t.conj, t.disj])(p, q)
        return p

    def query(self) -> Query:
        random = self.random
        scale = random.choice([1, 2, 4])
        parties: list[Party] = []
        for private in PRIVATE:
            symbols = (N, M, *private)
            guards = tuple(self.condition(symbols, 1) for _ in range(random.choice([0, 0, 1, 2])))
            address = t.add(t.mul(self.integer(symbols, 3), t.const(scale)), t.const(random.randint(0, 1)))
            axes = (Axis(private[0], t.var(M)),)
            parties.append(Party(private, axes, guards, address, random.choice([scale, 1, 2])))
        if random.random() < 0.3:  # both do the same
            renamed = {a: t.var(b) for a, b in zip(*PRIVATE, strict=True)}
            *guards, address = t.substitute((*parties[0].guards, parties[0].address), renamed)
            parties[1] = Party(PRIVATE[1], parties[1].axes, tuple(guards), address, parties[0].size)
        facts = tuple(self.condition((N, M), 1) for _ in range(random.choice([0, 0, 1, 2])))
        apart = t.ne(t.var(PRIVATE[0][0]), t.var(PRIVATE[1][0]))
        return Query((N, M), (), facts, parties[0], parties[1], (apart,))


def conditions_of(query: Query, facts: tuple[Term, ...]) -> tuple[Term, ...]:
    axes = (*query.axes, *query.first.axes, *query.second.axes)
    within = tuple(t.lt(t.var(a.symbol), a.extent) for a in axes)
    return (*facts, *within, *query.first.guards, *query.second.guards, *query.between)


def valuations() -> Iterator[dict[Symbol, int]]:
    symbols = (N, M, *PRIVATE[0], *PRIVATE[1])
    for values in product(*(range(s.low, s.high + 1) for s in symbols)):
        yield dict(zip(symbols, values, strict=True))


def conflicts(query: Query, facts: tuple[Term, ...]) -> Iterator[tuple[dict[Symbol, int], Reads]]:
    """Every conflict, with the contents it looks at."""
    roots = (*conditions_of(query, facts), query.first.address, query.second.address)
    for values in valuations():
        yield from ((values, reads) for reads in branches(query, roots, values, {}))


def branches(query: Query, roots: tuple[Term, ...], values: dict[Symbol, int], reads: Reads) -> Iterator[Reads]:
    try:
        if meets(query, roots, values, reads):
            yield reads
    except MissingError as missing:
        for value in (0, 1):
            yield from branches(query, roots, values, {**reads, missing.key: value})


def meets(query: Query, roots: tuple[Term, ...], values: Mapping[Symbol, int], reads: Reads) -> bool:
    def look(array: str, index: tuple[int, ...]) -> int:
        if (array, index) not in reads:
            raise MissingError((array, index))
        return reads[array, index]

    try:
        *truths, first, second = t.evaluate(roots, values, look)
    except t.EvaluationError:
        return False
    return all(truths) and first < second + query.second.size and second < first + query.first.size


def is_conflict(query: Query, model: Model) -> bool:
    roots = (*conditions_of(query, query.facts), query.first.address, query.second.address)
    inside = all(s.low <= v <= s.high for s, v in model.values.items())
    return (
        inside
        and all(v in (0, 1) for v in model.reads.values())
        and meets(query, roots, model.values, dict(model.reads))
    )


def some_wraps(wraps: tuple[Term, ...], values: Mapping[Symbol, int], reads: Reads) -> bool:
    """Does one of the soft wraps change its value here?"""
    for w in wraps:
        inner, outer = t.evaluate((w.args[0], w), values, lambda array, index: reads.get((array, index), 0))
        if inner != outer:
            return True
    return False


@pytest.mark.parametrize("seed", range(120))
def test_agrees_with_enumeration(seed: int) -> None:
    check(Drawer(seed).query(), PROVER if seed % 2 else FULL)


def check(query: Query, budget: Budget) -> str:
    with Session() as session:
        answer = decide(query, budget, session)
    match answer:
        case Conflict(model):
            assert is_conflict(query, model)
        case Proved(used, _, no_wrap, wraps_at):
            soft = [x for x in bottom_up(conditions_of(query, query.facts)) if x.op is Op.WRAP]
            assert all(w.wrap_to[2] for w in no_wrap), soft
            facts = tuple(fact for i, fact in enumerate(query.facts) if i in used)
            for values, reads in conflicts(query, facts):
                assert some_wraps(no_wrap, values, reads), (values, reads)
            assert wraps_at is None or is_conflict(query, wraps_at)
        case Undecided():
            pass
    return type(answer).__name__ + (" qualified" if isinstance(answer, Proved) and answer.no_wrap else "")
