"""What holds of a variable at the start of every iteration."""

from hgrd.symbolic.invariants import invariants
from hgrd.terms import Origin, Symbol, const, ite, lt, var

START = Symbol("x", 0, 100, Origin.UNKNOWN)
NEW = Symbol("new", 0, 100, Origin.DATA)


def test_a_choice_that_no_test_of_the_path_stands_behind_says_nothing():
    chosen = ite(lt(var(NEW), const(7)), var(NEW), const(0))
    assert invariants((const(0), ()), (chosen, ()), START, lambda s: s is not NEW) == ()
