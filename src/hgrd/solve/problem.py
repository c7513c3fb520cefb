"""A query as a list of conditions, and the exact check of a model against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.solve.query import Model, Query
from hgrd.terms import EvaluationError, Op, Symbol, Term, const, evaluate, ge, lt, ne, var
from hgrd.terms.rewrite import bottom_up

MOST_SHIFT: Final = 4096  # evaluation refuses larger counts
Contents: TypeAlias = Callable[[str, tuple[int, ...]], int]


class Condition(Struct, frozen=True):
    """A Boolean term that must hold; `facts` is the bit of the fact that it comes from.

    Conditions of the accesses themselves, as guards, count as one more fact (`access_bit`).
    """

    term: Term
    facts: int


class Same(NamedTuple):
    """An equality: equal to `symbol`, given `facts`."""

    symbol: Symbol
    facts: int


class Problem(Struct, frozen=True):
    """Conditions of a query: everything that must hold except the overlap itself.

    `strict` are the terms that are evaluated in every execution of both accesses: their divisors are
    not 0, and their soft wraps are those that a proof may assume to be in range.
    """

    query: Query
    conditions: tuple[Condition, ...]
    symbols: tuple[Symbol, ...]  # in an order that does not depend on names
    shared: frozenset[Symbol]
    strict: frozenset[Term]
    ranges: Mapping[str, tuple[int, int]]  # of the elements of arrays that are read
    same: Mapping[Symbol, Same]  # symbols that conditions say are equal to another one
    truths: Mapping[Term, int]  # the conditions, taken apart, with their facts

    @property
    def addresses(self) -> tuple[Term, Term]:
        return self.query.first.address, self.query.second.address

    @property
    def roots(self) -> tuple[Term, ...]:
        return (*(c.term for c in self.conditions), *self.addresses)


def restricted(problem: Problem, extra: Term) -> Problem:
    """The problem with one more condition on the accesses."""
    condition = Condition(extra, access_bit(problem.query))
    return replace(
        problem, conditions=(*problem.conditions, condition), truths={**problem.truths, extra: condition.facts}
    )


def access_bit(query: Query) -> int:
    """The bit after those of the facts; a contradiction without this bit is one among the facts."""
    return 1 << len(query.facts)


def pose(query: Query) -> Problem:
    """The problem of a query."""
    stated = [Condition(fact, 1 << i) for i, fact in enumerate(query.facts)]
    access = access_bit(query)
    for axis in (*query.axes, *query.first.axes, *query.second.axes):
        index = var(axis.symbol)
        stated += [Condition(ge(index, const(0)), access), Condition(lt(index, axis.extent), access)]
    stated += [Condition(g, access) for g in (*query.first.guards, *query.second.guards, *query.between)]
    stated = [c for c in stated if c.term.op is not Op.TRUE]
    addresses = (query.first.address, query.second.address)
    roots = (*(c.term for c in stated), *addresses)
    strict: set[Term] = set()
    defined: list[Condition] = []
    for root, facts in (*((c.term, c.facts) for c in stated), *((a, access) for a in addresses)):
        for t in _needed(root, strict):
            defined += [Condition(condition, facts) for condition in _defined(t)]
    ranges: dict[str, tuple[int, int]] = {}
    for t in bottom_up(roots):
        if t.op is Op.READ:
            low, high = ranges.get(t.array, (t.low, t.high))
            ranges[t.array] = max(low, t.low), min(high, t.high)
    private = {*query.first.private, *query.second.private}
    symbols = tuple(t.symbol for t in bottom_up(roots) if t.op is Op.VAR)
    shared = frozenset(s for s in symbols if s not in private)
    conditions = (*stated, *(c for c in defined if c.term.op is not Op.TRUE))
    return Problem(query, conditions, symbols, shared, frozenset(strict), ranges, _same(stated), _truths(stated))


def _truths(conditions: Iterable[Condition]) -> dict[Term, int]:
    found: dict[Term, int] = {}
    for c in conditions:
        for part in c.term.args if c.term.op is Op.AND else (c.term,):
            found.setdefault(part, c.facts)
    return found


def _same(conditions: Iterable[Condition]) -> dict[Symbol, Same]:
    """The conditions x == y, each symbol mapped to one that stands for all equal to it."""
    found: dict[Symbol, Same] = {}
    for c in conditions:
        if c.term.op is Op.EQ and all(a.op is Op.VAR for a in c.term.args):
            (x, why_x), (y, why_y) = (found.get(a.symbol, Same(a.symbol, 0)) for a in c.term.args)
            if x != y:
                facts = why_x | why_y | c.facts
                found = {s: Same(x, k.facts | facts) if k.symbol == y else k for s, k in found.items()}
                found[y] = Same(x, facts)
    return found


def _needed(root: Term, seen: set[Term]) -> Iterable[Term]:
    """Subterms that every evaluation of a true `root` evaluates, each once over all calls."""
    stack = list(root.args) if root.op is Op.AND else [root]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        yield t
        stack.extend(t.args[:1] if t.op in (Op.ITE, Op.AND, Op.OR) else t.args)


def _defined(t: Term) -> tuple[Term, ...]:
    """Conditions for `t` to have a value."""
    match t.op:
        case Op.DIV | Op.MOD:
            return (ne(t.args[1], const(0)),)
        case Op.SHL | Op.SHR | Op.ONES_BELOW:
            return (ge(t.args[1], const(0)), lt(t.args[1], const(MOST_SHIFT)))
        case _:
            return ()


class Recorder:
    """Array contents within their ranges; records the elements that are read."""

    def __init__(self, contents: Contents, ranges: Mapping[str, tuple[int, int]]) -> None:
        self._contents = contents
        self._ranges = ranges
        self.seen: dict[tuple[str, tuple[int, ...]], int] = {}

    def __call__(self, array: str, index: tuple[int, ...]) -> int:
        low, high = self._ranges[array]
        value = min(max(self._contents(array, index), low), high)
        self.seen[array, index] = value
        return value


def confirm(problem: Problem, values: Mapping[Symbol, int], contents: Contents) -> Model | None:
    """The model, if it meets every condition with exact semantics and the bytes overlap; else None."""
    if any(not s.low <= values[s] <= s.high for s in problem.symbols):
        return None
    recorder = Recorder(contents, problem.ranges)
    try:
        *truths, first, second = evaluate(problem.roots, values, recorder)
    except EvaluationError:
        return None
    query = problem.query
    if not all(truths) or not -query.first.size < first - second < query.second.size:
        return None
    return Model(_complete(query, values), dict(recorder.seen))


def _complete(query: Query, values: Mapping[Symbol, int]) -> dict[Symbol, int]:
    """The values, and one for each declared symbol that nothing depends on."""
    complete = {s: min(max(0, s.low), s.high) for s in (*query.shared, *query.first.private, *query.second.private)}
    complete.update(values)
    return complete
