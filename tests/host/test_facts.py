"""One class of facts each: with the code that establishes it, and without."""

from pathlib import Path

import pytest

from hgrd.host.model import FactKind
from hgrd.host.wording import say, say_value
from hgrd.symbolic.values import Pointer
from tests.host.programs import facts, launch


def test_an_assert_is_a_fact(tmp_path: Path) -> None:
    main = "void run(int* data, int n) { assert(n % 4 == 0 && n > 8); kernel<<<1, n>>>(data, n); }"
    assert facts(launch(tmp_path, main), FactKind.ASSERT) == ["n % 4 == 0", "8 < n"]


def test_asserts_can_be_left_out(tmp_path: Path) -> None:
    main = "void run(int* data, int n) { assert(n % 4 == 0); kernel<<<1, n>>>(data, n); }"
    assert (
        launch(tmp_path, main, asserts=False).facts == launch(tmp_path, main.replace("assert(n % 4 == 0);", "")).facts
    )


def test_an_assertion_of_the_programs_own_is_an_assert(tmp_path: Path) -> None:
    main = """
    [[noreturn]] void assertion_failed(const char*);
    #define MUST(c) do { if (c) (void)0; else assertion_failed(#c); } while (0)
    void run(int* data, int n) { MUST(n > 4 && n < 9); kernel<<<1, n>>>(data, n); }
    """
    assert facts(launch(tmp_path, main), FactKind.ASSERT) == ["4 < n", "n < 9"]
    assert launch(tmp_path, main, asserts=False).facts == ()


def test_a_guard_that_exits_is_a_fact(tmp_path: Path) -> None:
    main = "void run(int* data, int n) { if (n < 1 || n > 99) exit(1); kernel<<<1, n>>>(data, n); }"
    assert facts(launch(tmp_path, main), FactKind.GUARD) == ["1 <= n", "n <= 99"]


def test_a_guard_in_a_called_function_is_a_fact(tmp_path: Path) -> None:
    main = """
    void need(bool holds) { if (!holds) { fprintf(stderr, "no"); abort(); } }
    void run(int* data, int n) { need(n > 7); kernel<<<1, n>>>(data, n); }
    """
    assert facts(launch(tmp_path, main), FactKind.GUARD) == ["7 < n"]


def test_a_guard_that_returns_or_throws_is_a_fact(tmp_path: Path) -> None:
    main = """
    int run(int* data, int n) {
        if (n < 3) return 1;
        if (n > 30) throw 2;
        kernel<<<1, n>>>(data, n);
        return 0;
    }
    """
    assert facts(launch(tmp_path, main), FactKind.GUARD) == ["3 <= n", "n <= 30"]


CAUGHT = """
int positive(int n) { if (n < 1) throw 1; return n; }
int run(int* data, int n, char** argv) {
    try {
        n = atoi(argv[1]);
        positive(n);
    } catch (int) {
        printf("bad");
    }
    kernel<<<1, n>>>(data, n);
    return 0;
}
"""


def test_what_is_thrown_and_caught_makes_no_fact(tmp_path: Path) -> None:
    assert facts(launch(tmp_path, CAUGHT), FactKind.GUARD) == []
    for leaves in ('printf("bad"); return 1;', "exit(1);", "throw;", "if (n) return 1; else abort();"):
        assert facts(launch(tmp_path, CAUGHT.replace('printf("bad");', leaves)), FactKind.GUARD) == ["1 <= n"]


def test_what_holds_in_a_body_that_may_throw_is_a_fact_there(tmp_path: Path) -> None:
    main = """
    void run(int* data, int n) {
        try {
            if (n < 1) throw 1;
            kernel<<<1, n>>>(data, n);
        } catch (int) {
            printf("bad");
        }
    }
    """
    assert facts(launch(tmp_path, main), FactKind.GUARD) == ["1 <= n"]


def test_a_check_that_only_prints_is_no_fact(tmp_path: Path) -> None:
    main = 'void run(int* data, int n) { if (n < 1) printf("hm"); kernel<<<1, n>>>(data, n); }'
    assert launch(tmp_path, main).facts[:-1] == ()


def test_the_branch_of_a_launch_is_a_fact(tmp_path: Path) -> None:
    main = "void run(int* data, int n) { if (n == 64) kernel<<<1, n>>>(data, n); }"
    assert facts(launch(tmp_path, main), FactKind.GUARD) == ["n == 64"]


def test_a_loop_bounds_its_iterator(tmp_path: Path) -> None:
    main = "void run(int* data, int n) { for (int i = 4; i < n; i += 2) kernel<<<1, 32>>>(data, i); }"
    site = launch(tmp_path, main)
    assert facts(site, FactKind.LOOP_BOUND) == ["4 < n", "i.iteration# * 2 + 4 < n"]
    assert str(site.arguments[1]) == "i.iteration# * 2 + 4"


def test_the_iterator_behind_a_loop(tmp_path: Path) -> None:
    main = "void run(int* data, int n) { int i = 0; while (i < n - 16) i += 16; kernel<<<1, 32>>>(data, i); }"
    expected = ["n - 16 <= i.iteration#end * 16", "i.iteration#end <= 0 || (i.iteration#end - 1) * 16 < n - 16"]
    assert facts(launch(tmp_path, main), FactKind.LOOP_BOUND) == expected


def test_a_loop_over_nothing_that_matters_is_no_fact(tmp_path: Path) -> None:
    main = """
    void run(int* data, int* h, int n) {
        for (int i = 0; i < n; i++) h[i] = i;
        kernel<<<1, n>>>(data, n);
    }
    """
    assert facts(launch(tmp_path, main), FactKind.LOOP_BOUND) == []


OPTIONS = """
#include <cstring>
int main(int argc, char** argv) {
    int n = 64, chosen = 1;
    int* data;
    cudaMalloc((void**)&data, 4096);
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "-n") == 0) {
            n = atoi(argv[i + 1]);
            if (n % 32 != 0) { fprintf(stderr, "%d", n); exit(1); }
        } else if (strcmp(argv[i], "-f") == 0) {
            n = 96;
        } else if (strcmp(argv[i], "-c") == 0) {
            chosen = atoi(argv[i + 1]);
        }
    }
    kernel<<<1, n>>>(data, chosen);
}
"""


def test_what_a_loop_tests_of_each_new_value_holds_behind_it(tmp_path: Path) -> None:
    assert facts(launch(tmp_path, OPTIONS), FactKind.LOOP_BOUND) == ["n % 32 == 0"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n = 64", "n = 50"),  # the first value
        ("n = 96", "n = 100"),  # another one
        ("n = 96", "n++"),
        ("chosen = atoi", "n = atoi"),
        ("exit(1)", "n++"),
        ("{ fprintf", "if (i < 4) { fprintf"),
        ("    }\n    kernel", "    n += i; }\n    kernel"),
    ],
)
def test_what_a_loop_does_not_test_of_every_value_is_no_fact(tmp_path: Path, old: str, new: str) -> None:
    assert old in OPTIONS
    assert facts(launch(tmp_path, OPTIONS.replace(old, new)), FactKind.LOOP_BOUND) == []


def test_the_range_to_which_a_loop_cuts_each_new_value(tmp_path: Path) -> None:
    main = """
    extern "C" int getopt(int, char* const*, const char*);
    extern char* optarg;
    int main(int argc, char** argv) {
        int n = 8, c;
        int* data;
        cudaMalloc((void**)&data, 4096);
        while ((c = getopt(argc, argv, "n:s")) != -1) {
            switch (c) {
                case 'n': n = atoi(optarg); if (n > 100) n = 100; break;
                case 's': n = 1; break;
                default: return 1;
            }
        }
        kernel<<<1, n>>>(data, n);
    }
    """
    assert facts(launch(tmp_path, main), FactKind.LOOP_BOUND) == ["n <= 100"]
    assert facts(launch(tmp_path, main.replace("n = 100", "n = 101")), FactKind.LOOP_BOUND) == []


def test_an_allocation_has_a_size(tmp_path: Path) -> None:
    main = """
    int main(int argc, char** argv) {
        int n = atoi(argv[1]);
        int* d_data;
        cudaMalloc((void**)&d_data, n * sizeof(int));
        kernel<<<1, 32>>>(d_data, n);
    }
    """
    site = launch(tmp_path, main)
    assert facts(site, FactKind.ALLOCATION) == ["1 <= n * 4"]
    data = site.arguments[0]
    assert isinstance(data, Pointer)
    assert data.target.name == "d_data"
    assert data.target.size is not None and say(data.target.size) == "n * 4"


def test_a_pitch_is_at_least_the_width(tmp_path: Path) -> None:
    main = """
    void run(int w, int h) {
        int* d; size_t pitch;
        cudaMallocPitch(&d, &pitch, w * sizeof(int), h);
        kernel<<<h, 32>>>(d, pitch / sizeof(int));
    }
    """
    site = launch(tmp_path, main)
    assert facts(site, FactKind.ALLOCATION) == ["w * 4 <= pitch", "1 <= pitch * h"]
    assert say_value(site.arguments[1]) == "pitch / 4"


def test_a_constant_through_two_calls(tmp_path: Path) -> None:
    main = """
    void inner(int* d, int c) { kernel<<<1, 32>>>(d, c); }
    void outer(int* d, int c) { inner(d, 2 * c); }
    int main() { int* d; cudaMalloc(&d, 128); outer(d, 2); }
    """
    assert facts(launch(tmp_path, main), FactKind.CONSTANT) == ["n == 4"]


def test_relations_through_a_struct(tmp_path: Path) -> None:
    main = """
    struct Size { int w, h; };
    void launch(int* d, Size s) { kernel<<<s.h, 32>>>(d, s.w); }
    int main(int argc, char** argv) {
        int side = atoi(argv[1]);
        Size s = {side, side};
        int* d; cudaMalloc(&d, 128);
        launch(d, s);
    }
    """
    site = launch(tmp_path, main)
    assert facts(site, FactKind.RELATION) == ["n == side"]
    assert site.configuration == "<<<side, 32>>>"


def test_a_fact_about_something_else_is_left_out(tmp_path: Path) -> None:
    main = "void run(int* d, int n, int m) { if (m < 3) return; assert(n > 1); kernel<<<1, n>>>(d, n); }"
    assert [fact.text for fact in launch(tmp_path, main).facts if fact.kind is not FactKind.RELATION] == ["1 < n"]
