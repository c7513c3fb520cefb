"""What loops leave in variables, however many ways there are through their bodies."""

from hgrd.symbolic.loops.invariants import invariants, keeps
from hgrd.terms import Origin, Symbol, Term, const, eq, ite, lt, var

HELD = Symbol("x", 0, 9, Origin.UNKNOWN)
START = var(HELD)


def chosen_often(one: Term, two: Term) -> Term:
    """A choice in 60 steps, each between what the step before has chosen: 2**60 ways."""
    for step in range(60):
        test = eq(var(Symbol(f"n{step}", 0, 9, Origin.INPUT)), const(step % 7))
        one, two = ite(test, one, two), ite(test, two, one)
    return one


def test_a_choice_that_no_test_of_the_path_stands_behind_says_nothing():
    new = Symbol("new", 0, 9, Origin.DATA)
    chosen = ite(lt(var(new), const(7)), var(new), const(0))
    assert invariants((const(0), ()), (chosen, ()), HELD, lambda s: s is not new) == ()


def test_all_ways_leave_what_was_there():
    first = const(3)
    assert keeps(chosen_often(START, first), START, first)


def test_one_way_leaves_something_else():
    assert not keeps(chosen_often(START, const(4)), START, const(3))
