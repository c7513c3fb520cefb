"""Launch sites from host code."""

from pathlib import Path

import pytest

from hgrd.host.model import FactKind, LaunchSite
from hgrd.host.printer import print_facts
from hgrd.host.run import run_host
from hgrd.host.wording import say_value
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from hgrd.symbolic.values import Choice, Pointer
from tests.host.programs import KERNEL, facts, host, launch


def test_extents_of_dim3(tmp_path: Path) -> None:
    main = """
    void run(int* d, int w, int h) {
        dim3 block(16, 8);
        dim3 grid((w + block.x - 1) / block.x, (h + 7) / 8);
        grid.z = 2;
        kernel<<<grid, block>>>(d, w);
    }
    """
    site = launch(tmp_path, main)
    assert site.configuration == "<<<((w + 15) / 16, (h + 7) / 8, 2), (16, 8)>>>"
    assert [str(t) for t in site.block] == ["16", "8", "1"]


def test_rounding_idioms(tmp_path: Path) -> None:
    main = """
    #include <cmath>
    #include <algorithm>
    void run(int* d, int n) {
        if (n < 1) return;
        kernel<<<(int)ceil((float)n / 256), std::min(n, 1024)>>>(d, std::max(n, 64));
    }
    """
    site = launch(tmp_path, main)
    assert site.configuration == "<<<(0 <= n ? (n + 255) / 256 : n / 256), min(n, 1024)>>>"
    assert str(site.arguments[1]) == "max(n, 64)"


def test_a_choice_with_a_free_arm_is_an_input(tmp_path: Path) -> None:
    main = """
    int main(int argc, char** argv) {
        int n = argc > 1 ? atoi(argv[1]) : 100;
        if (n > 500) exit(1);
        int* d; cudaMalloc(&d, 128);
        kernel<<<1, 32>>>(d, n);
    }
    """
    site = launch(tmp_path, main)
    assert str(site.arguments[1]) == "n"
    assert [f.text for f in site.facts] == ["n <= 500"]


def test_a_choice_that_tests_what_else_depends_on_stays(tmp_path: Path) -> None:
    main = "void run(int* d, int m, int n) { kernel<<<1, m>>>(d, m == 7 ? n : 100); }"
    assert str(launch(tmp_path, main).arguments[1]) == "(m == 7 ? n : 100)"
    free = main.replace("<<<1, m>>>", "<<<1, 32>>>")
    assert str(launch(tmp_path, free).arguments[1]) == "n"
    for asserted, left in (("m > 7", "(m == 7 ? n : 100)"), ("m < 9", "n"), ("m != n", "(m == 7 ? n : 100)")):
        guarded = free.replace("{ kernel", f"{{ if (!({asserted})) return; kernel")
        assert str(launch(tmp_path, guarded).arguments[1]) == left


def test_a_choice_of_constants_stays(tmp_path: Path) -> None:
    main = "void run(int* d, int n) { int block = n > 100 ? 256 : 32; kernel<<<1, block>>>(d, n); }"
    assert launch(tmp_path, main).configuration == "<<<1, (100 < n ? 256 : 32)>>>"


def test_scanned_values_are_inputs(tmp_path: Path) -> None:
    main = 'int main() { int n = 5; scanf("%d", &n); int* d; cudaMalloc(&d, 128); kernel<<<n, 32>>>(d, n); }'
    assert launch(tmp_path, main).configuration == "<<<n, 32>>>"


def test_error_checks_do_not_branch(tmp_path: Path) -> None:
    main = """
    #define CHECK(call) do { cudaError_t e = call; if (e != cudaSuccess) { printf("%d", e); exit(1); } } while (0)
    int main() {
        int* d;
        CHECK(cudaMalloc(&d, 400));
        kernel<<<1, 32>>>(d, 100);
        CHECK(cudaGetLastError());
    }
    """
    site = launch(tmp_path, main)
    assert [(a.target.name, str(a.target.size)) for a in site.arguments if isinstance(a, Pointer)] == [("d", "400")]


def test_every_allocation_is_an_object(tmp_path: Path) -> None:
    source = (
        KERNEL
        + """
    __global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
    int* make(int n) { int* p; cudaMalloc(&p, n * sizeof(int)); return p; }
    int main() { int *a = make(8), *b = make(8); copy<<<1, 8>>>(a + 2, b); }
    """
    )
    (site,) = host(tmp_path, source).launches
    a, b = site.arguments
    assert isinstance(a, Pointer) and isinstance(b, Pointer)
    assert a.target.key != b.target.key
    assert str(a.offset) == "8"


def test_pointers_that_swap(tmp_path: Path) -> None:
    source = (
        KERNEL
        + """
    __global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
    void run(int steps) {
        int *a, *b;
        cudaMalloc(&a, 64);
        cudaMalloc(&b, 64);
        for (int i = 0; i < steps; i++) { copy<<<1, 8>>>(a, b); int* t = a; a = b; b = t; }
    }
    """
    )
    (site,) = host(tmp_path, source).launches
    a, b = site.arguments
    assert isinstance(a, Choice) and isinstance(b, Choice)
    assert a.condition is b.condition
    assert (a.then, a.otherwise) == (b.otherwise, b.then)


SWAPPED_AGAIN = """
__global__ void copy(int* to, const int* from) {{ to[threadIdx.x] = from[threadIdx.x]; }}
void run(int steps, int more) {{
    int *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    for (int i = 0; i < {first}; i++) {{ int* t = a; a = b; b = t; }}
    for (int i = 0; i < more; i++) {{ copy<<<1, 8>>>(a, b); {body} }}
}}
"""


def test_pointers_that_swap_in_a_second_loop(tmp_path: Path) -> None:
    """They differ in both loops; the end of the first one says which of them is which where its count is known."""
    swap = "int* t = a; a = b; b = t;"
    (site,) = host(tmp_path, KERNEL + SWAPPED_AGAIN.format(first="steps", body=swap)).launches
    a, b = site.arguments
    assert isinstance(a, Choice) and isinstance(b, Choice)
    assert a.condition is b.condition
    assert (a.then, a.otherwise) == (b.otherwise, b.then)
    assert isinstance(a.then, Choice) and isinstance(b.then, Choice)
    assert a.then.condition is b.then.condition
    assert (a.then.then, a.then.otherwise) == (b.then.otherwise, b.then.then)
    for count, name in (("100", "a"), ("101", "b")):
        (site,) = host(tmp_path, KERNEL + SWAPPED_AGAIN.format(first=count, body=swap)).launches
        (a, _) = site.arguments
        assert isinstance(a, Choice) and isinstance(a.then, Pointer)
        assert a.then.target.name == name


def test_pointers_that_are_set_do_not_swap(tmp_path: Path) -> None:
    """From the second iteration on they are what the first one has made of them."""
    body = "a = first; b = second;"
    source = SWAPPED_AGAIN.replace(
        "for (int i = 0; i < {first}", "int *first = b, *second = a;\nfor (int i = 0; i < {first}"
    )
    (site,) = host(tmp_path, KERNEL + source.format(first="steps", body=body)).launches
    for argument, name in zip(site.arguments, "ba", strict=True):
        assert isinstance(argument, Choice) and isinstance(argument.otherwise, Pointer)
        assert (str(argument.condition), argument.otherwise.target.name) == ("i# == 0", name)


def test_a_pointer_that_may_be_set_may_stay(tmp_path: Path) -> None:
    source = SWAPPED_AGAIN.format(first="0", body="if (steps > i) a = b;")
    (site,) = host(tmp_path, KERNEL + source).launches
    (a, b) = site.arguments
    assert isinstance(a, Choice) and isinstance(a.then, Pointer) and isinstance(b, Pointer)
    assert isinstance(a.otherwise, Choice)
    assert {a.otherwise.then, a.otherwise.otherwise} == {a.then, b}


def test_what_a_break_leaves_is_unknown(tmp_path: Path) -> None:
    main = """
    void run(int* d, const int* h, int n) {
        int found = 1;
        for (int i = 0; i < n; i++) if (h[i]) { found = i; break; }
        kernel<<<1, 32>>>(d, found);
    }
    """
    assert str(launch(tmp_path, main).arguments[1]) == "found"


def test_a_loop_keeps_what_it_does_not_change(tmp_path: Path) -> None:
    main = """
    struct Options { int n, m; };
    void parse(Options* o);
    int main() {
        Options o; parse(&o);
        int* h = (int*)malloc(o.n * 4);
        for (int i = 0; i < o.n; i++) h[i] = i;
        int* d; cudaMalloc(&d, o.n * 4);
        kernel<<<o.n, 32>>>(d, o.n);
    }
    """
    site = launch(tmp_path, main)
    assert site.configuration == "<<<o.n, 32>>>"
    assert [f.text for f in site.facts] == ["1 <= o.n * 4", "n == o.n"]


def test_launch_by_function(tmp_path: Path) -> None:
    main = """
    void run(int* d, int n) {
        void* arguments[] = {&d, &n};
        cudaLaunchCooperativeKernel((void*)kernel, dim3(n), dim3(64), arguments, 0, 0);
    }
    """
    site = launch(tmp_path, main)
    assert site.configuration == "<<<n, 64>>>"
    assert site.cooperative
    assert [str(site.arguments[1])] == ["n"]


def test_launch_by_configuration(tmp_path: Path) -> None:
    main = """
    void run(int* d, int n) {
        cudaLaunchConfig_t config = {0};
        config.gridDim = dim3(n, 2);
        config.blockDim = 64;
        cudaLaunchKernelEx(&config, kernel, d, 5);
    }
    """
    site = launch(tmp_path, main)
    assert site.configuration == "<<<(n, 2), 64>>>"
    assert say_value(site.arguments[1]) == "5"


def test_launch_by_graph_node(tmp_path: Path) -> None:
    main = """
    void run(int* d, int n) {
        cudaKernelNodeParams p = {0};
        void* arguments[2] = {(void*)&d, &n};
        p.func = (void*)kernel;
        p.gridDim = dim3(3, 1, 1);
        p.blockDim = dim3(n);
        p.kernelParams = (void**)arguments;
        cudaGraphNode_t node; cudaGraph_t graph;
        cudaGraphAddKernelNode(&node, graph, 0, 0, &p);
    }
    """
    site = launch(tmp_path, main)
    assert (site.kernel.name, site.configuration) == ("kernel", "<<<3, n>>>")
    assert say_value(site.arguments[1]) == "n"


def test_template_and_function_pointer(tmp_path: Path) -> None:
    source = (
        KERNEL
        + """
    template <int BLOCK, class F> void with(F f, int* d, int n) { f<<<n / BLOCK, BLOCK>>>(d, n); }
    void run(int* d, int n) { with<128>(kernel, d, n); }
    """
    )
    (site,) = host(tmp_path, source).launches
    assert (site.kernel.name, site.configuration) == ("kernel", "<<<n / 128, 128>>>")


def test_files_are_linked(tmp_path: Path) -> None:
    caller = """#include <cuda_runtime.h>
    void start(int* d, int n);
    int main() { int* d; cudaMalloc(&d, 64); start(d, 16); }
    """
    callee = KERNEL + "void start(int* d, int n) { kernel<<<1, n>>>(d, n); }"
    run = host(tmp_path, caller, callee)
    assert [site.configuration for site in run.launches] == ["<<<1, 16>>>"]
    assert [site.stack[0].line for site in run.launches] == [3]


def test_a_launch_no_entry_reaches_is_still_found(tmp_path: Path) -> None:
    main = """
    void left_over(int* d, int n) { kernel<<<1, n>>>(d, n); }
    int main() { return 0; }
    """
    assert launch(tmp_path, main).configuration == "<<<1, n>>>"


def test_the_same_launch_twice_keeps_common_facts(tmp_path: Path) -> None:
    main = """
    static void go(int* d, int n) { kernel<<<1, n>>>(d, n); }
    void run(int* d, int n) { if (n < 2) return; go(d, n); if (n > 9) go(d, n); }
    """
    assert [f.text for f in launch(tmp_path, main).facts] == ["2 <= n"]


def test_device_limits_are_known(tmp_path: Path) -> None:
    main = """
    int main() {
        int grid, block; cudaDeviceProp p; int* d;
        cudaGetDeviceProperties(&p, 0);
        cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
        cudaMalloc(&d, 64);
        kernel<<<grid, block>>>(d, p.warpSize);
    }
    """
    site = launch(tmp_path, main)
    assert (site.block[0].low, site.block[0].high) == (1, 1024)
    assert str(site.arguments[1]) == "32"


def test_a_loop_longer_than_an_int(tmp_path: Path) -> None:
    main = """
    void run(int* d, float* h) {
        long n = 3000000000;
        for (long i = 0; i < n; i++) h[i] = i;
        kernel<<<n / 1000, 32>>>(d, 1);
    }
    """
    assert launch(tmp_path, main).configuration == "<<<3000000, 32>>>"


def test_containers(tmp_path: Path) -> None:
    main = """
    #include <vector>
    void run(int* d, int n) {
        std::vector<int> a(n), b = a, c;
        c.CHANGE;
        kernel<<<b.size(), 32>>>(d, c.size() + c.size());
    }
    """
    for change, size in (
        ("push_back(1)", "2"),
        ("emplace_back(1)", "2"),
        ("insert(c.begin(), 1)", "c.size() + c.size()"),
    ):
        site = launch(tmp_path, main.replace("CHANGE", change))
        assert site.configuration == "<<<n, 32>>>"
        assert say_value(site.arguments[1]) == size


def test_recursion_ends(tmp_path: Path) -> None:
    main = """
    int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); }
    void run(int* d, int n) { kernel<<<1, 32>>>(d, f(n)); }
    """
    assert len(host(tmp_path, KERNEL + main).launches) == 1


TWO_MORE = """
__global__ void other(int* data, int n) { data[0] = n; }
__global__ void longer(int* data, long n) { data[0] = n; }
typedef void (*Kernel)(int*, int);
"""


def test_a_pointer_is_any_kernel_of_its_type_whose_address_is_taken(tmp_path: Path) -> None:
    main = """
    Kernel chosen(Kernel, Kernel, void (*)(int*, long));
    int main() {
        int* d; cudaMalloc(&d, 128);
        Kernel k = chosen(kernel, other, longer);
        k<<<1, 32>>>(d, 7);
    }
    """
    run = host(tmp_path, KERNEL + TWO_MORE + main)
    assert [(s.kernel.name, s.configuration, str(s.arguments[1])) for s in run.launches] == [
        ("kernel", "<<<1, 32>>>", "7"),
        ("other", "<<<1, 32>>>", "7"),
    ]
    assert run.notes == ()


def test_a_kernel_that_is_launched_by_name_alone_is_behind_no_pointer(tmp_path: Path) -> None:
    main = "void run(Kernel k, int* d) { k<<<1, 32>>>(d, 1); other<<<2, 32>>>(d, 2); }"
    run = host(tmp_path, KERNEL + TWO_MORE + main)
    assert [(s.kernel.name, s.configuration) for s in run.launches] == [("other", "<<<2, 32>>>")]
    assert [note.text for note in run.notes] == ["a launch of a kernel that is not known here"]


RULED_OUT = """
    int main(int argc, char** argv) {
        bool debug = DEBUG;
        int n = 4;
        int* d; cudaMalloc(&d, 128);
        if (debug) other<<<3, 32>>>(d, 3); else kernel<<<2, 32>>>(d, n);
        if (debug) n = 5;
        kernel<<<1, 64>>>(d, n);
    }
"""


WIDTHS = """
    template <int W> __global__ void of_width(int* data) { data[threadIdx.x / W] = 1; }
    static int chosen(int most) { int w = 4; while (w < most) w *= 2; return w; }
    template <int W> void go(int* d) { of_width<W><<<1, 64>>>(d); }
    void dispatch(int w, int* d) {
        switch (w) {
            case 32: go<32>(d); break;
            case 64: go<64>(d); break;
            default: throw 1;
        }
    }
    int main() { int* d; cudaMalloc(&d, 128); dispatch(chosen(MOST), d); }
"""


@pytest.mark.parametrize(("most", "dead"), [("32", 64), ("64", 32)])
def test_cases_that_constants_rule_out_have_launches_that_are_never_made(tmp_path: Path, most: str, dead: int) -> None:
    run = host(tmp_path, WIDTHS.replace("MOST", most))
    assert [note.text for note in run.notes] == ["the program as it stands never makes this launch"]
    assert [f"ILi{dead}E" in site.kernel.key for site in run.never] == [True]
    assert [f"ILi{dead}E" in site.kernel.key for site in run.launches] == [False]


@pytest.mark.parametrize(("debug", "dead"), [("false", "16:20"), ("argc > 1", None)])
def test_launches_that_constants_rule_out_are_found_all_the_same(tmp_path: Path, debug: str, dead: str | None) -> None:
    run = host(tmp_path, KERNEL + TWO_MORE + RULED_OUT.replace("DEBUG", debug))
    last = "4" if dead else "(1 < argc ? 5 : 4)"
    assert sorted((s.kernel.name, s.configuration, say_value(s.arguments[1])) for s in run.launches) == [
        ("kernel", "<<<1, 64>>>", last),
        ("kernel", "<<<2, 32>>>", "4"),
        ("other", "<<<3, 32>>>", "3"),
    ]
    told = [(f"{n.span.line}:{n.span.column}", n.text) for n in run.notes]
    assert told == ([] if dead is None else [(dead, "the program as it stands never makes this launch")])


def test_an_unknown_kernel_is_noted(tmp_path: Path) -> None:
    main = "void run(void (*k)(int*, int), int* d) { k<<<1, 32>>>(d, 1); }"
    run = host(tmp_path, KERNEL + main)
    assert [note.text for note in run.notes] == ["a launch of a kernel that is not known here"]


def test_printed(tmp_path: Path) -> None:
    source = KERNEL + "void run(int* d, int n) {\n  assert(n > 4);\n  kernel<<<n, 64>>>(d, 3); }"
    file = tmp_path / "a.cu"
    assert print_facts(host(tmp_path, source)) == (
        f"{file}:9:3: kernel<<<n, 64>>>\n"
        "  argument 0: &d\n"
        "  argument 1: 3\n"
        f"  assert    4 < n  [{file}:8:3]\n"
        f"  constant  n == 3  [{file}:9:3]\n"
    )


def test_facts_survive_gotos_to_a_common_end(tmp_path: Path) -> None:
    main = """
    int main(int argc, char** argv) {
        int n = atoi(argv[1]);
        int* d = nullptr;
        cudaError_t status = cudaMalloc(&d, n * sizeof(int));
        if (status != cudaSuccess) goto end;
        if (n % 64 != 0) { WAY }
        kernel<<<n / 64, 64>>>(d, n);
        status = cudaGetLastError();
        if (status != cudaSuccess) { fprintf(stderr, "no"); goto end; }
    end:
        cudaFree(d);
        return status;
    }
    """
    jumped = launch(tmp_path, main.replace("WAY", "goto end;"))
    returned = launch(tmp_path, main.replace("WAY", "cudaFree(d); return status;"))
    assert [f.text for f in jumped.facts] == [f.text for f in returned.facts] == ["1 <= n * 4", "n % 64 == 0"]
    assert jumped.configuration == "<<<n / 64, 64>>>"


def test_a_retried_launch(tmp_path: Path) -> None:
    main = """
    void run(int* d, int n) {
        int tries = 0;
        if (n < 1) goto end;
    again:
        kernel<<<n, 32 << tries>>>(d, n);
        if (cudaGetLastError() != cudaSuccess && ++tries < 3) goto again;
    end:;
    }
    """
    site = launch(tmp_path, main)
    assert "1 <= n" in [f.text for f in site.facts]


CUT = """
__global__ void before(int *a) {{}}
__global__ void around(int *a) {{}}
__global__ void behind(int *a) {{}}
__global__ void elsewhere(int *a) {{}}
__global__ void chosen(int *a) {{}}

void never_called(int *a) {{ elsewhere<<<1, 1>>>(a); }}
void last(int *a) {{ behind<<<1, 1>>>(a); }}

void part(int *a, int n) {{
  {first}
  for (int i = 0; i < n; i++) {{
    around<<<1, 1>>>(a);
    int v = 0;
    {steps}
  }}
  {last}
}}

int main(int argc, char **argv) {{
  int *a;
  cudaMalloc(&a, 4096);
  before<<<1, 1>>>(a);
  around<<<1, 1>>>(a);
  behind<<<1, 1>>>(a);
  if (argc > 2) before<<<1, 2>>>(a);
  part(a, argc);
}}
"""


def test_kernels_that_code_beyond_a_limit_may_launch_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been left behind is not launched again; what a loop or a later statement launches may be.

    What a function called there launches is found on its own.
    """
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    steps = "v = v * 3 + 1;" * 300
    for first, last, cut in (
        ("", "", {"around"}),
        ("last(a);", "", {"around"}),
        ("", "last(a); behind<<<1, 1>>>(a);", {"around", "behind"}),
        ("", "last(a);", {"around"}),
        ("", "void (*which)(int *) = n ? chosen : before; which<<<1, 1>>>(a);", {"around", "before", "chosen"}),
    ):
        run = host(tmp_path, CUT.format(first=first, last=last, steps=steps))
        assert {key.lstrip("_Z0123456789").removesuffix("Pi") for key in run.cut} == cut
        assert {note.text for note in run.cut.values()} == {"main is too large to be followed whole"}
    assert host(tmp_path, CUT.format(first="", last="", steps="")).cut == {}


def test_only_launches_of_the_wanted_kernels_are_followed(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        KERNEL
        + """
    __global__ void other(int* data) { data[threadIdx.x] = 0; }
    void both(int* d, int n) { other<<<1, n>>>(d); kernel<<<2, n>>>(d, n); }
    void alone(int* d, int n) { other<<<3, n>>>(d); }
    """
    )
    program = parse_file(str(tmp_path / "a.cu"), SourceOptions())
    for wanted in ({"kernel"}, {"other"}, {"kernel", "other"}):
        sites = run_host((program,), wants=wanted.__contains__).launches
        assert {site.kernel.name for site in sites} == wanted
        assert len(sites) == ("kernel" in wanted) + 2 * ("other" in wanted)


DISPATCH = """
    template <bool Wide> __global__ void fill(int* data, int stride) { data[0] = Wide ? stride : 0; }
    template <bool Wide> void go(int* d, int stride) { fill<Wide><<<1, 32>>>(d, stride); }
    int main(int argc, char** argv) {
        const bool wide = WIDE;
        int* d; cudaMalloc(&d, 128);
        if (wide) go<true>(d, 8);
        if (!wide) go<false>(d, 4);
    }
"""


@pytest.mark.parametrize(("wide", "notes"), [("true", 1), ("argc > 1", 0)])
def test_what_the_program_says_of_a_launch_that_it_never_makes(tmp_path: Path, wide: str, notes: int) -> None:
    """An instance of a template that constants rule out need not be looked at if another one is launched."""
    run = host(tmp_path, DISPATCH.replace("WIDE", wide))
    launched, never = ([say_value(site.arguments[1]) for site in sites] for sites in (run.launches, run.never))
    assert (launched, never) == ((["8"], ["4"]) if notes else (["8", "4"], []))
    assert [note.text for note in run.notes] == ["the program as it stands never makes this launch"] * notes


TILES = """
    template <int Side> __global__ void tile(int* data, int width) {
        data[(blockIdx.y * Side + threadIdx.y) * width + blockIdx.x * Side + threadIdx.x] = 1;
    }
    int main(int argc, char** argv) {
        int side = SIDE, width = 1024;
        int* d; cudaMalloc(&d, width * width * 4);
        dim3 block(side, side), grid(width / side, width / side);
        if (side == 16) tile<16><<<grid, block>>>(d, width); else tile<32><<<grid, block>>>(d, width);
    }
"""


@pytest.mark.parametrize(("side", "launched", "never"), [("32", [32], [16]), ("argc + 8", [16, 32], [])])
def test_of_a_template_that_is_launched_a_launch_that_is_never_made_is_told_apart(
    tmp_path: Path, side: str, launched: list[int], never: list[int]
) -> None:
    run = host(tmp_path, TILES.replace("SIDE", side))

    def sides(sites: tuple[LaunchSite, ...]) -> list[int]:
        return sorted(16 if "ILi16E" in site.kernel.key else 32 for site in sites)

    assert (sides(run.launches), sides(run.never)) == (launched, never)


SNAPPED = """
    __global__ void kernel(int* data, int n) {}
    int main(int argc, char** argv) {
        unsigned size = SIZE;
        int bit;
        for (bit = 31; bit >= 0; bit--) if (size & (1u << bit)) break;
        int* d; cudaMalloc(&d, 128);
        kernel<<<1, 32>>>(d, 2 << bit);
    }
"""


@pytest.mark.parametrize(("size", "known"), [("1000", "1024"), ("argc", None)])
def test_loops_in_which_constants_decide_all_are_run(tmp_path: Path, size: str, known: str | None) -> None:
    (site,) = host(tmp_path, SNAPPED.replace("SIZE", size)).launches
    said = say_value(site.arguments[1])
    assert said == known if known else "iteration" in said


OCCUPANCY = """
    __global__ void MAX kernel(int* data, int n) {}
    int main() {
        int grid, block; int* d; cudaMalloc(&d, 4096);
        cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0 LIMIT);
        kernel<<<grid, block>>>(d, 1);
    }
"""


@pytest.mark.parametrize(
    ("most", "limit", "whole"), [("", "", True), ("", ", 100", False), ("__launch_bounds__(100)", "", False)]
)
def test_blocks_for_occupancy_are_of_whole_warps(tmp_path: Path, most: str, limit: str, whole: bool) -> None:
    (site,) = host(tmp_path, OCCUPANCY.replace("MAX", most).replace("LIMIT", limit)).launches
    assert ("block % 32 == 0" in facts(site, FactKind.ASSUMPTION)) is whole
