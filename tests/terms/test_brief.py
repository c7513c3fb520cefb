"""Choices by an index, written in short."""

from hgrd.terms import Origin, Symbol, brief, const, eq, ite, mul, show, var

INDEX = var(Symbol("i", 0, 9, Origin.LOOP))
ELEMENT = var(Symbol("SIZE[i]", 0, 9, Origin.INPUT))


def test_elements_stand_for_choices_by_an_index():
    chosen = ELEMENT
    for n in range(4):
        chosen = ite(eq(mul(INDEX, const(4)), const(4 * n)), const(1 << n), chosen)
    assert show(brief(mul(chosen, const(3)))) == "SIZE[i] * 3"


def test_choices_of_a_few_constants_stay():
    two = ite(eq(INDEX, const(0)), const(5), const(7))
    assert show(brief(two)) == show(two)


def test_many_constants_are_listed():
    chosen = const(0)
    for n in range(6):
        chosen = ite(eq(INDEX, const(n)), const(10 + n), chosen)
    assert show(brief(chosen)) == "{15, 14, 13, 12, …}"
