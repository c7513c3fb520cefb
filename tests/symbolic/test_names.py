"""Names of symbols: no two are the same, whatever bases they are made of."""

from hgrd.symbolic.names import Names


def test_a_base_that_is_a_name_already_gives_another_one():
    names = Names()
    made = [names.unique(base) for base in ("a", "a", "a'2", "a", "a'2", "a'3")]
    assert made == ["a", "a'2", "a'2'2", "a'3", "a'2'3", "a'3'2"]
    assert len(names.index) == len(made)


def test_a_number_that_is_taken_is_left_out():
    names = Names()
    assert [names.unique(base) for base in ("a'2", "a", "a")] == ["a'2", "a", "a'3"]
