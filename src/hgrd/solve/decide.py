"""The decision procedure: from a query to an answer, cheap means first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.solve.effort import Effort
from hgrd.solve.normal_form.bounds import Infeasible, Span
from hgrd.solve.normal_form.elements import in_elements
from hgrd.solve.normal_form.lemmas import Lemmas
from hgrd.solve.normal_form.prepare import Known, Normal, normal_form, survey
from hgrd.solve.problem import Problem, access_bit, pose, restricted
from hgrd.solve.query import Answer, Conflict, Model, Proved, Query, Scrutiny, Undecided
from hgrd.solve.session import Session
from hgrd.solve.steps.pinned import search_near
from hgrd.solve.steps.reading import read_plainly
from hgrd.solve.steps.refute import Found, Outcome, Refuted, SearchLimit, Stuck, search
from hgrd.solve.steps.smtlib import ask
from hgrd.solve.steps.told_elements import contradicted
from hgrd.solve.steps.wrapping import (
    Harmless,
    Open,
    Wraps,
    check_wraps,
    forced_by_constants,
    in_range,
    leans_on_wraps,
    unusual_wraps,
)
from hgrd.solve.z3_process import Arithmetic, Solver, fact_indexes
from hgrd.symbolic.limits import TimeLimitError
from hgrd.terms import Op, Term, conj, const, disj, lt, negate, show
from hgrd.terms.interval import of_type
from hgrd.terms.rewrite import bottom_up


class Budget(Struct, frozen=True):
    """Limits of each step, in counts that do not depend on the machine.

    Efforts are in z3 resource units (some ten million a second), each for all checks of one step.
    """

    launches: int = 6
    launch_rows: int = 8192
    more_launches: int = 80
    more_rows: int = 16_384
    rounds: int = 150
    first_effort: int = 200_000
    effort: int = 1_000_000
    wrap_rounds: int = 16
    wrap_effort: int = 300_000
    bit_effort: int = 10_000_000
    fallback_effort: int = 5_000_000
    lemmas: Lemmas = field(default_factory=Lemmas)


DEFAULT: Final = Budget()
_MOST_SPLITS: Final = 3
_MOST_CASES: Final = 2
_SMALL: Final = 64
_MOST_TOLD: Final = 12  # times that elements of arrays are told


def decide(query: Query, budget: Budget = DEFAULT, session: Session | None = None) -> Answer:
    """Decide whether the query has a valuation.  A query that makes a step fail is Undecided; no exception leaves.

    The answer depends on the query and the budget alone, not on what the session decided before.
    """
    if session is None:
        with Session() as own:
            return decide(query, budget, own)
    plain = in_elements(query)
    return session.remember(plain, budget, lambda: _guarded(plain, budget, session))


class Decider(Struct, frozen=True):
    """The decision procedure for the queries of one program; `spent` is the effort of all of them so far."""

    session: Session
    budget: Budget = DEFAULT

    def __call__(self, query: Query) -> Answer:
        return decide(query, self.budget, self.session)

    @property
    def spent(self) -> Effort:
        return self.session.spent


def decide_all(queries: Iterable[Query], session: Session, budget: Budget = DEFAULT) -> list[Answer]:
    """Answers to many queries, in the order of the queries."""
    return [decide(query, budget, session) for query in queries]


def _guarded(query: Query, budget: Budget, session: Session) -> Answer:
    try:
        answer = _with_tables(query, budget, session)
        session.conflicts += isinstance(answer, Conflict)
        return answer
    except TimeLimitError as error:
        return Undecided(str(error))
    except Exception as error:  # one odd query must not cost the others their answers
        return Undecided(f"{type(error).__name__}: {error}")
    finally:
        session.solver.close()


def _with_tables(query: Query, budget: Budget, session: Session) -> Answer:
    """The answer, where elements of arrays that are known are what they are: they are told as far as a model errs."""
    for _ in range(_MOST_TOLD):
        answer = _Decision(pose(query), budget, session.solver, expecting=session.conflicts > 0).answer()
        told = contradicted(query, answer.model) if isinstance(answer, Conflict) else ()
        if not told:
            return answer
        query = replace(query, between=(*query.between, *told))
    return Undecided("no conflict was found with the contents that arrays have")


class _Decision:
    """State of the procedure for one problem.

    Small launches come first if a conflict is expected (`expecting`), else after the first search for a proof, which
    rarely needs them.  The answer is the same either way: a conflict that a small launch shows is reported as that
    launch shows it.
    """

    def __init__(
        self, problem: Problem, budget: Budget, solver: Solver, *, expecting: bool = False, cases: int = 0
    ) -> None:
        self.cases = cases  # how many times it has been split into cases
        self.expecting = expecting
        self.small: Outcome | None = None
        self.budget = budget
        self.solver = solver
        self.problem = problem
        self.tried = 0

    def answer(self) -> Answer:
        try:
            known = survey(self.problem)
        except Infeasible as contradiction:
            return self._proved(contradiction.facts, "bounds")
        if self.problem.query.tables and not self.cases:
            exact = self._go_through(known)
            if isinstance(exact, Found):
                return Conflict(exact.model, "enumeration")
            if isinstance(exact, Refuted):
                return self._proved(exact.facts, "enumeration")
        answer = self._first_answer(known)
        if (
            isinstance(answer, Conflict)
            and self.cases < _MOST_CASES
            and self.problem.query.scrutiny is not Scrutiny.NONE
        ):
            return self._at_usual_sizes(answer)
        return answer

    def _at_usual_sizes(self, conflict: Conflict) -> Answer:
        """The same conflict, or, where it needs wraps at sizes that nobody uses, one without: or that there is none."""
        wraps = unusual_wraps(self.problem, conflict.model)
        if not wraps:
            return conflict
        usual = self._case(conj(*(w.usual for w in wraps)))
        if isinstance(usual, Conflict):
            return usual
        avoided = self._case(conj(*(w.avoided for w in wraps)))
        if isinstance(avoided, Conflict):
            return avoided
        if not (isinstance(usual, Proved) and isinstance(avoided, Proved)):
            return conflict
        no_wrap = _merged((*usual.no_wrap, *avoided.no_wrap), [w.wrap for w in wraps])
        return replace(avoided, used=usual.used | avoided.used, no_wrap=no_wrap, wraps_at=conflict.model)

    def _case(self, condition: Term) -> Answer:
        smaller, budget = restricted(self.problem, condition), replace(self.budget, launches=0)
        return _Decision(smaller, budget, self.solver, cases=self.cases + 1).answer()

    def _first_answer(self, known: Known) -> Answer:
        divisor = _of_open_sign(self.problem, known)
        if divisor is not None or self.expecting:
            small = self._small(known)
            if isinstance(small, Found):
                return Conflict(small.model, "launch")
        if divisor is not None:
            return self._by_sign(divisor)
        plain = known.loose & self.problem.strict
        try:
            return self._prove(known, normal_form(self.problem, known, plain))
        except Infeasible as contradiction:
            return self._weighed(contradiction.facts, "bounds", known, self._assumed(known))

    def _by_sign(self, divisor: Term) -> Answer:
        """Split into both signs of the divisor: with a known sign it has a quotient and a remainder."""
        proofs: list[Proved] = []
        budget = replace(self.budget, launches=0)
        for sign in (lt(const(0), divisor), lt(divisor, const(0))):
            half = _Decision(restricted(self.problem, sign), budget, self.solver).answer()
            if not isinstance(half, Proved):
                return half
            proofs.append(half)
        first, second = proofs
        methods = dict.fromkeys((*first.method.split(", "), *second.method.split(", ")))
        no_wrap = tuple(dict.fromkeys((*first.no_wrap, *second.no_wrap)))
        wraps_at = first.wraps_at or second.wraps_at
        return Proved(first.used | second.used, ", ".join(methods), no_wrap, wraps_at)

    def _prove(self, known: Known, normal: Normal) -> Answer:
        reasons: dict[str, None] = {}
        for method, attempt in self._attempts(known, normal):
            match attempt():
                case Refuted(facts):
                    if method == "enumeration":  # which wraps as C does
                        return self._proved(facts, method)
                    assumed = normal.assumed if method == "lemmas" else self._assumed(known)
                    return self._weighed(facts, method, known, assumed)
                case Found(model):
                    return self._simplest(known, model, method)
                case Stuck(reason):
                    reasons.setdefault(reason)
        return Undecided("; ".join(reasons), self.tried)

    def _attempts(self, known: Known, normal: Normal) -> Iterator[tuple[str, Callable[[], Outcome]]]:
        """The remaining steps, by name."""
        budget = self.budget
        yield "lemmas", partial(self._lemmas, normal, SearchLimit(budget.rounds, budget.first_effort, Arithmetic.OLD))
        yield "launch", lambda: self._small(known)
        yield "enumeration", lambda: self._by_addresses(known)
        if normal.opaque_bits:
            yield "bits", lambda: self._ask(known, budget.bit_effort, bits=True)
        yield "lemmas", partial(self._lemmas, normal, SearchLimit(budget.rounds, budget.effort, Arithmetic.NEW))
        yield "launch", lambda: self._launches(known, budget.more_launches, budget.more_rows, seed=7)
        yield "nonlinear", lambda: self._ask(known, budget.fallback_effort, bits=False)

    def _simplest(self, known: Known, model: Model, method: str) -> Conflict:
        """The conflict in a small launch, if there is one: easier to read than the model of z3."""
        small = self._small(known)
        return Conflict(small.model, "launch") if isinstance(small, Found) else Conflict(model, method)

    def _small(self, known: Known) -> Outcome:
        if self.small is None:
            self.small = self._launches(known, self.budget.launches, self.budget.launch_rows, seed=1)
        return self.small

    def _launches(self, known: Known, launches: int, rows: int, seed: int) -> Outcome:
        from hgrd.solve.steps.launches import try_launches  # it loads numpy, which a proof does not need

        tried = try_launches(self.problem, known.spans, launches=launches, rows=rows, seed=seed)
        self.tried += tried.launches
        if tried.model is None or leans_on_wraps(known, tried.model):
            return Stuck("no conflict in small launches")
        return Found(tried.model)

    def _go_through(self, known: Known) -> Outcome:
        from hgrd.solve.steps.exhaustive import go_through  # it loads numpy

        return go_through(self.problem, known.spans)

    def _by_addresses(self, known: Known) -> Outcome:
        from hgrd.solve.steps.exhaustive import refute_by_addresses

        return refute_by_addresses(self.problem, known.spans)

    def _lemmas(self, normal: Normal, effort: SearchLimit) -> Outcome:
        outcome = search(self.problem, normal, self.solver, self.budget.lemmas, effort)
        if isinstance(outcome, Stuck) and outcome.near is not None:
            model = search_near(self.problem, outcome.near, self.solver, self.budget.lemmas, effort)
            return Found(model) if model is not None else outcome
        return outcome

    def _ask(self, known: Known, effort: int, *, bits: bool) -> Outcome:
        return ask(self.problem, read_plainly(self.problem, known), self.solver, effort, bits=bits)

    def _assumed(self, known: Known) -> tuple[Term, ...]:
        """Wraps that steps other than the lemmas assume to be in range."""
        return read_plainly(self.problem, known).assumed

    def _weighed(self, facts: int, method: str, known: Known, assumed: tuple[Term, ...]) -> Answer:
        """The answer for a proof that assumes some wraps to be in range: it is asked again with exact wraps."""
        scrutiny = self.problem.query.scrutiny
        if not assumed or scrutiny is Scrutiny.NONE:
            return self._proved(facts, method)
        budget = self.budget
        how = SearchLimit(budget.wrap_rounds, budget.wrap_effort)
        match check_wraps(self.problem, known, self.solver, budget.lemmas, how, full=scrutiny is Scrutiny.FULL):
            case Harmless(stronger):
                return self._proved(stronger, method)
            case Wraps(model, realistic=True):
                return Conflict(model, "wrap")
            case Wraps(model) if forced_by_constants(self.problem, known, model):
                return Conflict(model, "wrap")
            case Wraps(model):
                return self._assuming(facts, method, known, assumed, model)
            case Open():
                return self._assuming(facts, method, known, assumed, None)

    def _assuming(
        self, facts: int, method: str, known: Known, assumed: tuple[Term, ...], example: Model | None
    ) -> Answer:
        """A proof that rests on an assumption; where small launches already violate that, it has to be exact."""
        if not self._wraps_in_small_launches(known, assumed):
            return self._proved(facts, method, assumed, example)
        common = frozenset(t for t in assumed if self._wraps_in_small_launches(known, (t,)))
        plain = (known.loose & self.problem.strict) - common
        try:
            exact = self._lemmas(
                normal_form(self.problem, known, plain), SearchLimit(self.budget.rounds, self.budget.effort)
            )
        except Infeasible as contradiction:
            exact = Refuted(contradiction.facts)
        rest = tuple(t for t in assumed if t not in common)
        match exact:
            case Refuted(stronger):
                return self._proved(stronger, method, rest, example)
            case Found(model) if not leans_on_wraps(known, model):
                return Conflict(model, "wrap")
            case _:
                pass
        wrapping = self._where_they_wrap(common)
        if wrapping is not None:
            within = self._proved(facts, method, rest, example)
            return replace(within, used=within.used | wrapping.used, no_wrap=_merged(rest, wrapping.no_wrap))
        larger = self._launches(known, self.budget.more_launches, self.budget.more_rows, seed=7)
        if isinstance(larger, Found):
            return Conflict(larger.model, "launch")
        return Undecided("what wraps around in small launches was not decided", self.tried)

    def _where_they_wrap(self, wraps: Collection[Term]) -> Proved | None:
        """A proof of all cases in which one of the wraps takes effect, above its range or below; None without one."""
        if self.cases == _MOST_CASES or len(wraps) > _MOST_SPLITS:
            return None
        used: frozenset[int] = frozenset()
        no_wrap: tuple[Term, ...] = ()
        for wrap in sorted(wraps, key=show):
            low, high = of_type(*wrap.wrap_to[:2])
            for case in (lt(wrap.args[0], const(low)), lt(const(high), wrap.args[0])):
                answer = self._case(case)
                if not isinstance(answer, Proved):
                    return None
                used, no_wrap = used | answer.used, _merged(no_wrap, answer.no_wrap)
        return Proved(used, "lemmas", no_wrap)

    def _wraps_in_small_launches(self, known: Known, wraps: tuple[Term, ...]) -> bool:
        """Whether two threads of a small launch make the accesses, at any addresses, while a wrap takes effect."""
        from hgrd.solve.steps.launches import try_launches

        query = self.problem.query
        some = disj(*(negate(in_range(t)) for t in wraps))
        first, second = (replace(party, address=const(0)) for party in (query.first, query.second))
        anywhere = pose(replace(query, first=first, second=second, between=(*query.between, some)))
        spans = {symbol: _small_part(span) for symbol, span in known.spans.items()}
        if try_launches(anywhere, spans, launches=4, rows=256, seed=1).model is not None:
            return True
        if any(t.arrays for t in wraps):  # values read from arrays are not bounded by small sizes
            return False
        try:
            normal = normal_form(anywhere, replace(known, spans=spans))
        except Infeasible:
            return False
        effort = SearchLimit(self.budget.wrap_rounds, self.budget.wrap_effort)
        return isinstance(search(anywhere, normal, self.solver, self.budget.lemmas, effort), Found)

    def _proved(self, facts: int, method: str, no_wrap: tuple[Term, ...] = (), wraps_at: Model | None = None) -> Proved:
        """`facts` without the accesses' own bit: the facts exclude each other, whatever is accessed."""
        access = access_bit(self.problem.query)
        used = frozenset(fact_indexes(facts & ~access))
        return Proved(used, method if facts & access else "infeasible", no_wrap, wraps_at)


def _merged(some: Iterable[Term], more: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys((*some, *more)))


def _small_part(span: Span) -> Span:
    """The small numbers of the interval, as in a first test run: sizes; negative ones only if there are no others."""
    low = max(span.low, min(0, span.high))
    return Span(low, min(span.high, max(_SMALL, 2 * low)))


def _of_open_sign(problem: Problem, known: Known) -> Term | None:
    """A symbol that every execution divides by and that the bounds leave without a sign; None if none or too many."""
    found: dict[Term, None] = {}
    for t in bottom_up(problem.roots):
        if t.op in (Op.DIV, Op.MOD) and t in problem.strict and t.args[1].op is Op.VAR:
            span = known.spans.get(t.args[1].symbol)
            if span is not None and span.low < 0 < span.high:
                found.setdefault(t.args[1])
    return next(iter(found)) if 0 < len(found) <= _MOST_SPLITS else None
