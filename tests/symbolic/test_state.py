"""States: conditions on a path, cells of memory, and joining."""

from hgrd.program.span import NOWHERE
from hgrd.symbolic.state import EMPTY, Condition, ConditionKind, Region, State, choose, common_length, merge
from hgrd.symbolic.values import NULL, OPAQUE, Cell, Choice, Composite, FloatValue, MemoryObject, MemorySpace, Pointer
from hgrd.terms import FALSE, TRUE, Origin, Symbol, Term, conj, const, disj, ite, lt, negate, var

N, M = (var(Symbol(name, -100, 100, Origin.INPUT)) for name in "nm")
POSITIVE, SMALL = lt(const(0), N), lt(M, const(9))


def when(*terms: Term, kind: ConditionKind = ConditionKind.BRANCH, cell: int | None = None) -> State:
    state = State({}, ())
    for term in terms:
        state.assume(term, kind, NOWHERE)
    if cell is not None:
        state.store["x"] = EMPTY.with_cell(0, Cell(const(cell), 4))
    return state


def conditions(state: State | None) -> list[Term]:
    return [] if state is None else [c.term for c in state.path]


def pointer(key: str, offset: Term) -> Pointer:
    return Pointer(MemoryObject(key, key, MemorySpace.GLOBAL, None, None, NOWHERE), offset)


# ---------------------------------------------------------------- paths


def test_conditions_are_kept_once_and_in_parts():
    assert conditions(when(conj(POSITIVE, SMALL), POSITIVE, TRUE)) == [POSITIVE, SMALL]


def test_a_contradiction_kills():
    assert when(POSITIVE).alive
    assert not when(POSITIVE, negate(POSITIVE)).alive
    assert not when(FALSE).alive


def test_a_copy_goes_its_own_way():
    state = when(POSITIVE)
    copy = state.copy()
    copy.assume(SMALL, ConditionKind.BRANCH, NOWHERE)
    copy.store["x"] = EMPTY
    assert (conditions(state), state.store) == ([POSITIVE], {})
    copy.assume(negate(SMALL), ConditionKind.BRANCH, NOWHERE)
    state.assume(negate(SMALL), ConditionKind.BRANCH, NOWHERE)
    assert (copy.alive, conditions(state)) == (False, [POSITIVE, negate(SMALL)])


def test_a_path_that_was_replaced_is_what_counts():
    state, other = when(POSITIVE), when(SMALL)
    state.path = other.path
    state.assume(SMALL, ConditionKind.BRANCH, NOWHERE)
    state.assume(negate(POSITIVE), ConditionKind.BRANCH, NOWHERE)
    assert (state.alive, conditions(state)) == (True, [SMALL, negate(POSITIVE)])


def test_guard():
    assert when(POSITIVE, SMALL).guard() is conj(POSITIVE, SMALL)
    assert State({}, ()).guard() is TRUE


def test_what_is_known_of_a_value_is_incidental():
    kinds = {kind: Condition(POSITIVE, kind, NOWHERE).incidental for kind in ConditionKind}
    assert {kind for kind, incidental in kinds.items() if not incidental} == {
        ConditionKind.BRANCH,
        ConditionKind.GUARD,
        ConditionKind.ASSERT,
        ConditionKind.LOOP,
    }


# ---------------------------------------------------------------- joining


def test_a_join_forgets_the_choice_and_remembers_the_values():
    joined = merge((when(SMALL, POSITIVE, cell=1), when(SMALL, negate(POSITIVE), cell=2)))
    assert joined is not None
    assert conditions(joined) == [SMALL]
    assert joined.store["x"].cells == {0: Cell(ite(POSITIVE, const(1), const(2)), 4)}


def test_a_join_of_a_guard_and_a_way_around():
    joined = merge((when(POSITIVE, SMALL, cell=1), when(negate(POSITIVE), cell=1)))
    assert joined is not None
    assert conditions(joined) == [disj(conj(POSITIVE, SMALL), negate(POSITIVE))]
    assert joined.store["x"].cells == {0: Cell(const(1), 4)}


def test_the_dead_are_not_joined():
    alive = when(POSITIVE)
    assert merge((when(FALSE), alive, when(FALSE))) is alive
    assert merge((when(FALSE),)) is None


def test_what_is_incidental_holds_where_it_was_seen():
    left, right = when(POSITIVE), when(negate(POSITIVE))
    left.assume(SMALL, ConditionKind.VALUE, NOWHERE)
    assert conditions(merge((left, right))) == [disj(negate(POSITIVE), SMALL)]


def test_a_cell_that_only_one_side_knows_is_lost():
    joined = merge((when(POSITIVE, cell=1), when(negate(POSITIVE))))
    assert joined is not None
    assert joined.store["x"].cells == {}
    assert joined.store["x"].generation != EMPTY.generation


def test_common_length():
    assert common_length(when(SMALL, POSITIVE), when(SMALL, negate(POSITIVE))) == 1


# ---------------------------------------------------------------- memory


def test_cells_that_overlap_are_forgotten():
    region = Region().with_cell(0, Cell(const(1), 4)).with_cell(4, Cell(const(2), 4))
    whole = region.with_cell(0, Cell(const(3), 8))
    assert (whole.cells, whole.generation) == ({0: Cell(const(3), 8)}, region.generation)
    part = region.with_cell(2, Cell(const(4), 2))
    assert part.cells == {2: Cell(const(4), 2), 4: Cell(const(2), 4)}
    assert part.generation != region.generation


# ---------------------------------------------------------------- choices


def test_choose():
    assert choose(POSITIVE, const(1), const(1)) is const(1)
    assert choose(POSITIVE, const(1), const(2)) is ite(POSITIVE, const(1), const(2))
    assert choose(POSITIVE, pointer("a", const(0)), pointer("a", const(4))) == pointer(
        "a", ite(POSITIVE, const(0), const(4))
    )
    a, b = pointer("a", const(0)), pointer("b", const(0))
    assert choose(POSITIVE, a, b) == Choice(POSITIVE, a, b)
    assert choose(POSITIVE, a, NULL) == Choice(POSITIVE, a, NULL)
    assert choose(POSITIVE, const(1), a) is OPAQUE


def test_choose_between_records_and_floats():
    one, two = (Composite({0: Cell(const(i), 4), 4: Cell(const(7), 4)}, 8) for i in (1, 2))
    assert choose(POSITIVE, one, two) == Composite(
        {0: Cell(ite(POSITIVE, const(1), const(2)), 4), 4: Cell(const(7), 4)}, 8
    )
    x, y = FloatValue(const(1)), FloatValue(const(2))
    assert choose(POSITIVE, x, FloatValue(const(1))) == x
    assert choose(POSITIVE, x, y) == choose(POSITIVE, x, y) != choose(negate(POSITIVE), x, y)
