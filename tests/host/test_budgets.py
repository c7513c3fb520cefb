"""Budgets of host code: what is too large to be followed whole costs no other function its launches."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.host.linking.link import link
from hgrd.host.linking.shared_arguments import shared_arguments
from hgrd.host.model import HostRun, LaunchSite
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from hgrd.symbolic.limits import TimeLimitError
from tests.host.programs import host

LARGE = "int v = 0; " + "v = v * 3 + 1;" * 300
KERNELS = """
#include <cuda_runtime.h>
struct Pair { int *x, *y; };
__global__ void one(int *a, int n) { a[threadIdx.x] = n; }
__global__ void two(int *a, const int *b) { a[threadIdx.x] = b[threadIdx.x]; }
__global__ void rows(int **a) { a[threadIdx.x][0] = 1; }
"""


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)


def followed(folder: Path, functions: str, calls: str, *, before: str = "") -> HostRun:
    """A program whose main is too large; `calls` come after what is followed of it, `before` comes before."""
    main = f"int main(int argc, char **argv) {{ int *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); {before} "
    return host(folder, f"{KERNELS}{functions}{main}{LARGE} {calls} }}")


def said(sites: tuple[LaunchSite, ...]) -> list[tuple[str, str, bool]]:
    return [(site.kernel.name, site.configuration, site.any_caller) for site in sites]


def reasons(run: HostRun) -> set[str]:
    return {note.text for note in run.cut.values()}


def test_kernels_whose_work_is_not_compared_in_time_are_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_long(*_: object, **__: object) -> None:
        raise TimeLimitError

    main = "int main() { int *a; cudaMalloc(&a, 4096); one<<<1, 1>>>(a, 1); }"
    assert host(tmp_path, KERNELS + main).cut == {}
    monkeypatch.setattr("hgrd.host.run.find_beside", too_long)
    run = host(tmp_path, KERNELS + main)
    assert [key for key in run.cut if "one" in key] == list(run.cut)
    assert reasons(run) == {"the time limit was reached: what main puts on the device at the same time is not known"}


SMALL = "void small(int *a, int n) { one<<<1, n>>>(a, n); }"


def test_functions_that_a_large_main_calls_are_followed_on_their_own(tmp_path: Path) -> None:
    run = followed(tmp_path, SMALL, "small(a, 32);")
    assert said(run.launches) == [("one", "<<<1, n>>>", True)]
    assert run.cut == {}
    assert run.launches[0].beside == ()


def test_what_a_large_main_itself_launches_may_be_launched_again(tmp_path: Path) -> None:
    run = followed(tmp_path, SMALL, "small(a, 32); one<<<1, 8>>>(a, 1);")
    assert said(run.launches) == [("one", "<<<1, n>>>", True)]
    assert reasons(run) == {"main is too large to be followed whole"}


def test_launches_with_the_facts_of_main_are_kept_beside_those_for_any_arguments(tmp_path: Path) -> None:
    run = followed(tmp_path, SMALL, "small(a, argc);", before="small(a, 32);")
    assert said(run.launches) == [("one", "<<<1, 32>>>", False), ("one", "<<<1, n>>>", True)]
    assert run.cut == {}


def test_callers_come_before_what_they_call(tmp_path: Path) -> None:
    """Their arguments are facts; a function with a further call is followed for any arguments."""
    outer = f"{SMALL} void outer(int *a) {{ small(a, 64); small(a, 96); }}"
    run = followed(tmp_path, outer, "outer(a);")
    assert said(run.launches) == [("one", "<<<1, 64>>>", True), ("one", "<<<1, 96>>>", True)]
    assert run.cut == {}
    run = followed(tmp_path, outer, "outer(a); small(a, argc);")
    assert said(run.launches)[2:] == [("one", "<<<1, n>>>", True)]
    assert run.cut == {}


def test_large_functions_cost_others_nothing(tmp_path: Path) -> None:
    """Three functions that nobody calls, and a small one after them."""
    large = "".join(f"void large{i}(int *a) {{ {LARGE} one<<<1, {i}>>>(a, v); }}" for i in (1, 2, 3))
    run = host(tmp_path, f"{KERNELS}{large}void last(int *a, int *b) {{ two<<<1, 5>>>(a, b); }}")
    assert said(run.launches) == [("two", "<<<1, 5>>>", False)]
    assert reasons(run) == {"large1 is too large to be followed whole"}
    assert [key for key in run.cut if "one" in key] == list(run.cut)


def test_a_function_whose_address_is_taken_may_be_given_anything(tmp_path: Path) -> None:
    copy = "void copy(int *a, int *b) { two<<<1, 8>>>(a, b); }"
    run = followed(tmp_path, copy, "void (*f)(int *, int *) = argc > 1 ? copy : nullptr; f(a, b);")
    assert [(o.first, o.second) for site in run.launches for o in site.overlaps if not o.inside] == [("a'2", "b'2")]


def test_a_kernel_that_finds_pointers_in_memory_may_be_launched_again(tmp_path: Path) -> None:
    """What the rest of main puts there is not known."""
    run = followed(tmp_path, "void go(int **a) { rows<<<1, 8>>>(a); }", "go(&a);")
    assert said(run.launches) == [("rows", "<<<1, 8>>>", True)]
    assert reasons(run) == {"main is too large to be followed whole"}


@pytest.mark.parametrize(
    ("use", "cut"),
    [
        ("cudaFuncSetAttribute(one, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096);", set[str]()),
        ("void (*f)(int *, int) = one; f<<<1, 9>>>(a, 1);", {"main is too large to be followed whole"}),
    ],
)
def test_a_kernel_whose_attributes_are_set_is_not_launched_by_that(tmp_path: Path, use: str, cut: set[str]) -> None:
    run = followed(tmp_path, SMALL, f"{use} small(a, 32);")
    assert reasons(run) == cut


STREAM = "cudaStream_t s; cudaStreamCreate(&s);"


@pytest.mark.parametrize(("before", "told"), [("", 0), (STREAM, 1)])
def test_other_streams_of_callers_that_are_not_followed_are_an_assumption(
    tmp_path: Path, before: str, told: int
) -> None:
    run = followed(tmp_path, SMALL, "small(a, 32);", before=before)
    text = "nothing that callers of small put on other streams uses its memory at the same time"
    assert [fact.text for site in run.launches for fact in site.beside] == [text] * told


@pytest.mark.parametrize(
    ("calls", "related"),
    [
        ("copy(a, b);", False),
        ("copy(a, a);", True),
        ("copy(a + 8, a);", True),
        ("copy(argc > 1 ? a : b, b);", True),
        ("copy(a, b); copy(b, b + 1);", True),
        ("int *c = a; copy(c, b);", False),
        ("int *c = b; c = a; copy(c, b);", True),
        ("Pair p = {a, a}; copy(p.x, p.y);", True),
        ("Pair p = {a, nullptr}; p.y = p.x; copy(p.x, p.y);", True),
        ("Pair p; Pair *q = &p; q->x = a; q->y = a; copy(q->x, q->y);", True),
        ("Pair p; Pair q = p; copy(q.x, p.y);", False),
        ("Pair p; Pair q = p; copy(q.x, p.x);", True),
        ("Pair p; cudaMalloc(&p.x, 64); cudaMalloc(&p.y, 64); copy(p.x, p.y);", False),
        ("Pair p; cudaMalloc(&p.x, 64); p.y = p.x; copy(p.x, p.y);", True),
        ("Pair p; fill(&p); Pair q; fill(&q); copy(p.x, q.x);", False),
        ("Pair p; Pair q; both(&p, &q); copy(p.x, q.x);", True),
        ("Pair p; Pair q; quiet(&p, &q); copy(p.x, q.x);", False),
        ("pass(a, b);", False),
        ("pass(a, a);", True),
        ("copy(get(a), get(b));", False),
        ("copy(get(a), a);", True),
        ("copy(a, nullptr);", False),
    ],
)
def test_arguments_that_calls_show_to_be_related(tmp_path: Path, calls: str, related: bool) -> None:
    functions = """
    int *get(int *p);
    void fill(Pair *p) { cudaMalloc(&p->x, 64); p->y = p->x; }
    void both(Pair *p, Pair *q) { fill(p); q->x = p->x; }
    void quiet(Pair *p, Pair *q) { *p->x = *q->x; }
    void copy(int *a, int *b) { two<<<1, 8>>>(a, b); }
    void pass(int *c, int *d) { copy(c, d); }
    """
    run = followed(tmp_path, functions, calls)
    assert any(not o.inside for o in run.launches[-1].overlaps) == related
    linked = link((parse_file(str(tmp_path / "a.cu"), SourceOptions()),), lambda _: True)[0]
    (copy,) = (f for f in linked.functions.values() if f.ref.name == "copy")
    assert shared_arguments(linked).get(copy.ref.key, frozenset()) == ({(0, 1), (1, 0)} if related else set())


@pytest.mark.parametrize(("call", "cut"), [("set(&x, &y, a);", 0), ("set(&x, &x, a);", 1)])
def test_host_memory_with_two_names_is_not_followed_for_any_arguments(tmp_path: Path, call: str, cut: int) -> None:
    functions = "void set(int *m, int *n, int *a) { *m = 8; *n = 64; one<<<1, 1>>>(a, *m); }"
    run = followed(tmp_path, functions, f"int x, y; {call}")
    assert said(run.launches) == [("one", "<<<1, 1>>>", True)]
    assert len(run.cut) == cut


def test_a_launch_that_constants_rule_out_is_found_in_any_function(tmp_path: Path) -> None:
    never = "void other(int *a) { const bool debug = false; if (debug) one<<<1, 7>>>(a, 1); }"
    run = host(tmp_path, f"{KERNELS}void first(int *a, int *b) {{ two<<<1, 8>>>(a, b); }}{never}")
    assert said(run.launches) == [("two", "<<<1, 8>>>", False), ("one", "<<<1, 7>>>", False)]
    assert [note.text for note in run.notes] == ["the program as it stands never makes this launch"]


@pytest.mark.parametrize(
    ("call", "pairs", "overlaps"),
    [
        ("use(&p, a);", set[tuple[int, int]](), []),
        ("use(&p, p.x);", {(0, 1), (1, 0)}, ["p.x and b"]),
        ("fill(&p, &q); use(&p, q.x);", {(0, 1)}, ["p.x and b"]),
        ("fill(&p, &q); pass(&p, q.x);", {(0, 1)}, ["p.x and b"]),
    ],
)
def test_a_record_may_hold_what_another_argument_is(
    tmp_path: Path, call: str, pairs: set[tuple[int, int]], overlaps: list[str]
) -> None:
    """What it holds in different members is not related by that."""
    functions = """
    void fill(Pair *p, Pair *q) { q->x = p->x; }
    void use(Pair *p, int *b) { two<<<1, 8>>>(p->x, b); two<<<1, 8>>>(p->x, p->y); }
    void pass(Pair *p, int *b) { use(p, b); }
    """
    run = followed(tmp_path, functions, call, before="Pair p, q;")
    linked = link((parse_file(str(tmp_path / "a.cu"), SourceOptions()),), lambda _: True)[0]
    (use,) = (f for f in linked.functions.values() if f.ref.name == "use")
    assert shared_arguments(linked).get(use.ref.key, frozenset()) == pairs
    assert [o.text for o in run.launches[-2].overlaps if not o.inside] == overlaps
    assert [o.text for o in run.launches[-1].overlaps if not o.inside] == []
