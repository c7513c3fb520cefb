"""A conflict that only exists because a soft wrap takes effect at sizes nobody uses is none."""

import pytest
from msgspec.structs import replace

from hgrd.solve import decide as solve
from hgrd.solve.decide import decide
from hgrd.solve.query import Axis, Conflict, Model, Party, Proved, Query, Scrutiny
from hgrd.solve.session import Session
from hgrd.terms import Origin, Symbol, Term, add, const, disj, le, mul, ne, var, wrap

WIDTH = 2048
NONE, REALISTIC, FULL = Scrutiny.NONE, Scrutiny.REALISTIC, Scrutiny.FULL


def rows(pitch: Symbol, facts: tuple[Term, ...]) -> Query:
    """Two threads of a row-wise write, the pitch converted to a 32-bit integer."""
    stride = wrap(var(pitch), 32, True, soft=True)
    parties: list[Party] = []
    for suffix in ("@1", "@2"):
        x = Symbol(f"x{suffix}", 0, WIDTH - 1, Origin.THREAD)
        y = Symbol(f"y{suffix}", 0, WIDTH - 1, Origin.THREAD)
        axes = (Axis(x, const(WIDTH)), Axis(y, const(WIDTH)))
        parties.append(Party((x, y), axes, (), mul(add(mul(var(y), stride), var(x)), const(4)), 4))
    pairs = zip(parties[0].private, parties[1].private, strict=True)
    distinct = disj(*(ne(var(a), var(b)) for a, b in pairs))
    return Query((pitch,), (), facts, parties[0], parties[1], (distinct,))


def test_a_pitch_that_wraps_to_nothing_is_no_conflict():
    pitch = Symbol("pitch", 0, 1 << 40, Origin.INPUT)
    answer = decide(rows(pitch, (le(const(WIDTH), var(pitch)),)))
    assert isinstance(answer, Proved)
    assert answer.no_wrap


def test_a_pitch_below_the_width_is_a_conflict():
    pitch = Symbol("pitch", 0, 1 << 40, Origin.INPUT)
    answer = decide(rows(pitch, (le(const(1), var(pitch)),)))
    assert isinstance(answer, Conflict)
    assert answer.model.values[pitch] < WIDTH


@pytest.mark.parametrize("scrutiny", [FULL, REALISTIC, NONE])
def test_so_it_is_where_small_launches_are_tried_first_because_others_conflict(scrutiny: Scrutiny):
    pitch = Symbol("pitch", 0, 1 << 40, Origin.INPUT)
    with Session() as session:
        assert isinstance(decide(rows(pitch, (le(const(1), var(pitch)),)), session=session), Conflict)
        query = replace(rows(pitch, (le(const(WIDTH), var(pitch)),)), scrutiny=scrutiny)
        answer = decide(query, session=session)
    assert isinstance(answer, Proved)
    assert bool(answer.no_wrap) == (scrutiny is not NONE)


def test_how_far_wraps_are_looked_into():
    pitch = Symbol("pitch", 0, 1 << 40, Origin.INPUT)
    query = rows(pitch, (le(const(WIDTH), var(pitch)),))
    full, realistic, none = (decide(replace(query, scrutiny=s)) for s in (FULL, REALISTIC, NONE))
    assert isinstance(full, Proved)
    assert isinstance(realistic, Proved)
    assert isinstance(none, Proved)
    assert (full.no_wrap, full.wraps_at is None) == (realistic.no_wrap, False)
    assert realistic.no_wrap
    assert realistic.wraps_at is None
    assert none.no_wrap == ()


def test_small_launches_that_wrap_are_conflicts_however_far_others_are_looked_into():
    n = Symbol("n", 1, 255, Origin.INPUT)
    x, y = (Symbol(f"x{k}", 0, 1023, Origin.THREAD) for k in "12")
    parties = [
        Party((s,), (Axis(s, const(1024)),), (), wrap(mul(var(s), var(n)), 8, False, soft=True), 1) for s in (x, y)
    ]
    query = Query((n,), (), (), parties[0], parties[1], (ne(var(x), var(y)),))
    for scrutiny in (FULL, REALISTIC):
        assert isinstance(decide(replace(query, scrutiny=scrutiny)), Conflict)


def test_a_hash_that_wraps_counts_at_usual_sizes_also_where_a_huge_one_is_found_first(monkeypatch: pytest.MonkeyPatch):
    i = Symbol("i", 0, (1 << 31) - 1, Origin.LOOP)
    one, other = (Symbol(f"t@{n}", 0, 1023, Origin.THREAD) for n in (1, 2))
    hashed = wrap(mul(var(i), const(1000003)), 32, False, soft=True)
    first = Party((one,), (Axis(one, const(1024)),), (), add(hashed, const(9)), 1)
    second = Party((other,), (Axis(other, const(1024)),), (), add(const(5000), var(other)), 1)
    huge = Conflict(Model({i: 1723960341, one: 0, other: 0}, {}), "lemmas")
    answers = iter([huge])
    later = solve._Decision._first_answer  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(solve._Decision, "_first_answer", lambda *given: next(answers, None) or later(*given))  # pyright: ignore[reportPrivateUsage]
    answer = decide(Query((i,), (), (), first, second, ()))
    assert isinstance(answer, Conflict)
    assert answer.model.values[i] <= 1 << 20
