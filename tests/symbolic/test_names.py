"""Names of symbols."""

from hgrd.symbolic.names import Names, hidden
from hgrd.terms import Origin, Symbol


def test_names_are_unique_and_readable():
    names = Names()
    assert [names.unique(base) for base in ("n", "n", "m", "n")] == ["n", "n'2", "m", "n'3"]


def test_the_same_thing_keeps_its_name():
    names = Names()
    assert names.of(("key", 1), "n") == "n"
    assert names.of(("key", 2), "n") == "n'2"
    assert names.of(("key", 1), "other") == "n"


def test_hidden_names_cost_nothing():
    names = Names()
    names.unique(hidden("n"))
    assert names.unique("n") == "n"
    assert hidden(hidden("n")) == hidden("n")


def test_a_mark_tells_older_symbols_from_newer_ones():
    names = Names()
    before = names.fresh("before", 0, 1, Origin.DATA)
    mark = names.mark()
    behind = names.fresh("behind", 0, 1, Origin.DATA)
    assert (names.older(before, mark), names.older(behind, mark)) == (True, False)
    assert names.older(Symbol("stranger", 0, 1, Origin.DATA), mark)
