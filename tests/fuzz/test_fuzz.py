"""Random kernels in fixed number, and those that once went wrong.  For more: `python -m tests.fuzz --help`."""

from pathlib import Path

import pytest

from tests.checking import check, expected, observed
from tests.fuzz.campaign import campaign
from tests.fuzz.case import make
from tests.fuzz.hosts import RefusedError, launches
from tests.fuzz.oracle import Seen
from tests.fuzz.schedules import in_turn
from tests.fuzz.tally import Tally
from tests.fuzz.tree import body, name, smaller, tree, value

KEPT = sorted((Path(__file__).parent / "kept").glob("*.cu"))


@pytest.mark.parametrize("first", [0, 500, 900])
def test_no_verdict_is_contradicted(first: int):
    tally = Tally()
    failed = list(campaign(first, 20, 20, tally))
    assert [(f.case.seed, f.failures) for f in failed] == []
    assert tally.kernels > 4 and tally.safe and tally.race and tally.runs >= tally.kernels


@pytest.mark.parametrize("file", KEPT, ids=lambda f: f.stem)
def test_kept(file: Path, tmp_path: Path):
    text = file.read_text()
    assert observed(check(tmp_path, text), text) == expected(text)


@pytest.mark.parametrize(
    "seed",
    [
        5400093,  # a lock is given back and taken again in one line
        5400335,  # a grid of 64 blocks
        5400383,  # contents that one thread has to find where others store
    ],
)
def test_what_the_model_of_a_witness_shows_is_not_left_out(seed: int):
    tally = Tally()
    assert list(campaign(seed, 1, 1, tally)) == []
    assert (tally.kernels, tally.race, tally.incomplete) == (1, 1, 0)


def test_what_overflows_in_host_code_is_refused():
    fours = tree("int d0 = @;", tree("(@ / @)", tree("(@ * @)", name("p"), 8), 2))
    launch = tree("kernel<<<dim3(@, @), dim3(@, @)>>>(a, w, in, @, @, @);", 1, 1, 4, 1, name("d0"), 0, 0)
    assert [x.n for x in launches((fours, launch), {"p": 3, "q": 0, "e": 0})] == [12]
    with pytest.raises(RefusedError):
        launches((fours, launch), {"p": 1 << 30, "q": 0, "e": 0})


def test_in_turn_every_thread_makes_a_step():
    choose = in_turn(2)
    assert [choose(ready) for ready in ((0, 1, 2), (0, 1, 3), (0, 1, 3), (0, 3), (0, 1))] == [2, 0, 1, 3, 0]


def test_host_code_is_computed_as_c_has_it():
    p = name("p")
    assert value(tree("(@ / @)", p, 2), {"p": -3}) == -1
    assert value(tree("(@ % @)", p, 2), {"p": -3}) == -1
    assert value(tree("(@ ? @ : @)", tree("(@ < @)", p, 0), 5, p), {"p": -3}) == 5


def test_what_the_host_refuses_is_not_launched():
    case = next(c for c in map(make, range(100)) if c.host is not None and not c.is_fixed and "assert" in c.text())
    with pytest.raises(RefusedError):
        case.launched(dict.fromkeys(("p", "q", "e"), 1 << 40))


def test_a_program_goes_on_behind_a_launch_that_fails():
    s = name("s")
    launch = tree("kernel<<<dim3(@, @), dim3(@, @)>>>(a, w, in, @, @, @);", tree("(@ % @)", s, 2), 1, 4, 1, 0, 0, 0)
    rounds = tree("for (int s = 1; s < @; s++) {@}", 5, body(launch))
    found = launches((rounds,), dict.fromkeys(("p", "q", "e"), 0))
    assert [x.grid for x in found if not x.fails] == [(1, 1), (1, 1)]
    assert [x.fails for x in found] == [False, True, False, True]


def test_a_race_counts_in_the_runs_in_which_it_has_stored_different_values():
    one, other = ((4, "write"), (5, "write"), "global"), ((4, "write"), (4, "write"), "global")
    seen = Seen(together={(frozenset({one, other}), frozenset({one, other})), (frozenset({one}), frozenset())})
    assert not seen.never_without(one, frozenset({other}))
    assert seen.never_without(one, frozenset({other}), differing=True)


def test_every_smaller_case_is_smaller():
    case = make(3)
    size = len(case.text())
    assert all(len(less.text()) <= size + 2 for less in case.smaller())
    assert list(smaller((tree("x = @;", tree("(@ + @)", 2, name("t")), kept=True),)))
