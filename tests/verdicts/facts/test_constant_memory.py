"""Contents of constant memory at a launch: by initialisers and copies, unless other code may have changed them.

Each program is safe if `columns` (and `table`, `shape`) hold what the host put there, and races if that is unknown.
"""

from pathlib import Path

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.host.model import FactKind
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.checking import check

TEXT = """
#include <cstdlib>
struct Shape { float scale; int columns; };
__constant__ int columns;
__constant__ int table[4] = {1, 64, 3, 4};
__constant__ Shape shape;
__constant__ int *data;
__global__ void fill(float *a) { a[blockIdx.x * INDEX + threadIdx.x] = blockIdx.x; }
/*functions*/
int main(int argc, char **argv) {
  float *a;
  cudaMalloc(&a, 4096);
  int n = 64, zero = 0;
  MAIN
  LAUNCH;
}
"""
COPY = "cudaMemcpyToSymbol(columns, &n, sizeof n);"
CLEAR = "int m = 0; cudaMemcpyToSymbol(columns, &m, sizeof m);"
CLEAR_TABLE = "int m = 0; cudaMemcpyToSymbol(table, &m, sizeof m, 4);"


def program(main: str, index: str = "columns", functions: str = "", launch: str = "fill<<<4, 64>>>(a)") -> str:
    text = TEXT.replace("/*functions*/", functions)
    return text.replace("MAIN", main).replace("INDEX", index).replace("LAUNCH", launch)


def verdict(folder: Path, text: str, **options: object) -> Outcome:
    (kernel,) = check(folder, text, **options).kernels
    return kernel.outcome


KNOWN = {
    "a copy": program(COPY),
    "the address of the symbol": program("cudaMemcpyToSymbol(&columns, &n, sizeof n);"),
    "two copies": program("cudaMemcpyToSymbol(columns, &zero, sizeof n); " + COPY),
    "on no stream": program("cudaMemcpyToSymbolAsync(columns, &n, sizeof n, 0, cudaMemcpyHostToDevice, 0);"),
    "the default kind": program("cudaMemcpyToSymbol(columns, &n, sizeof n, 0, cudaMemcpyDefault);"),
    "in both arms": program(f"if (argc > 1) {{ {COPY} }} else {{ n = 128; {COPY} }}"),
    "in a function": program("set(n);", functions=f"void set(int n) {{ {COPY} }}"),
    "behind what another file does": program(
        "other(); set(n);", functions=f"void other(); void set(int n) {{ {COPY} }}"
    ),
    "what main alone copies": program(COPY + "other();", functions="void other();"),
    "on the device that is chosen": program("cudaSetDevice(1);" + COPY),
    "in a method": program("S().set(n);", functions=f"struct S {{ ~S() {{}} void set(int n) {{ {COPY} }} }};"),
    "in a loop before the launch": program("", launch=f"for (int i = 0; i < 3; i++) {{ {COPY} fill<<<4, 64>>>(a); }}"),
    "a copy back": program(COPY + "cudaMemcpyFromSymbol(&n, columns, sizeof n);"),
    "what the host reads": program(COPY + "int m = columns;"),
    "an initialiser": program("", "table[1]"),
    "another element": program("cudaMemcpyToSymbol(table, &zero, 4, 8);", "table[1]"),
    "an element": program("cudaMemcpyToSymbol(table, &n, 4, 8);", "table[2]"),
    "an array": program("int values[4] = {0, 0, 0, n}; cudaMemcpyToSymbol(table, values, sizeof values);", "table[3]"),
    "a member": program("Shape s; s.columns = n; cudaMemcpyToSymbol(shape, &s, sizeof s);", "shape.columns"),
    "an index that is not constant": program(
        "int values[4] = {64, 65, 66, 67}; cudaMemcpyToSymbol(table, values, sizeof values);", "table[blockIdx.x / 4]"
    ),
}
UNKNOWN = {
    "no copy": program(""),
    "a copy behind the launch": program("", launch=f"fill<<<4, 64>>>(a); {COPY}"),
    "only in one arm": program(f"if (argc > 1) {{ {COPY} }}"),
    "of another value in one arm": program(f"if (argc > 1) n = 3; {COPY}"),
    "another value in time": program(f"n = 3; {COPY} n = 64;"),
    "a second copy": program(COPY + "cudaMemcpyToSymbol(columns, &zero, sizeof n);"),
    "a second copy in a loop": program(
        COPY, launch="for (int i = 0; i < 3; i++) { fill<<<4, 64>>>(a); cudaMemcpyToSymbol(columns, &zero, 4); }"
    ),
    "a loop that may not run": program(f"for (int i = 0; i < argc; i++) {{ {COPY} }}"),
    "an address": program("void *p; cudaGetSymbolAddress(&p, columns); cudaMemset(p, 0, 4);" + COPY),
    "an address behind the copy": program(COPY + "void *p; cudaGetSymbolAddress(&p, columns); cudaMemset(p, 0, 4);"),
    "an address that goes elsewhere": program(COPY + "set(&columns);", functions="void set(const void *symbol);"),
    "a copy through a pointer": program(
        "set(&columns, n);", functions="void set(const void *symbol, int n) { cudaMemcpyToSymbol(symbol, &n, 4); }"
    ),
    "on a stream": program(
        "cudaStream_t s; cudaStreamCreate(&s);"
        "cudaMemcpyToSymbolAsync(columns, &n, sizeof n, 0, cudaMemcpyHostToDevice, s);"
    ),
    "from page-locked memory": program(
        "int *m; cudaMallocHost(&m, 4); *m = n;"
        "cudaMemcpyToSymbolAsync(columns, m, sizeof n, 0, cudaMemcpyHostToDevice, 0);"
    ),
    "from the device": program("cudaMemcpyToSymbol(columns, a, sizeof n, 0, cudaMemcpyDeviceToDevice);"),
    "a part of a number": program("cudaMemcpyToSymbol(columns, &n, 2);"),
    "a part of a number before": program(COPY + "cudaMemcpyToSymbol(columns, &zero, 2);"),
    "a size that is not known": program("cudaMemcpyToSymbol(columns, &n, atoi(argv[1]));"),
    "an offset that is not known": program("cudaMemcpyToSymbol(table, &zero, 4, atoi(argv[1]));", "table[1]"),
    "over an initialiser": program("cudaMemcpyToSymbol(table, &zero, 4, 4);", "table[1]"),
    "an element that is not known": program("cudaMemcpyToSymbol(table, &n, 4, 4 * argc);", "table[1]"),
    "another member": program("Shape s; s.scale = n; cudaMemcpyToSymbol(shape, &s, sizeof s);", "shape.columns"),
    "an element that may be another": program("", "table[threadIdx.x % 2]"),
    "the end of an object": program(COPY + "{ Last last; }", functions=f"struct Last {{ ~Last() {{ {CLEAR} }} }};"),
    "an object from before": program(
        "static First first;", "table[1]", f"struct First {{ First() {{ {CLEAR_TABLE} }} }}; First before;"
    ),
    "a function that a thread runs": program(
        COPY + "std::thread thread(clear); thread.join();", functions=f"#include <thread>\nvoid clear() {{ {CLEAR} }}"
    ),
    "a function in an object": program(
        COPY + "std::function<void()> f = clear; f();",
        functions=f"#include <functional>\nvoid clear() {{ {CLEAR} }}",
    ),
    "a lambda that a library calls": program(
        COPY + f"int v[2]; std::for_each(v, v + 2, [](int) {{ {CLEAR} }});", functions="#include <algorithm>"
    ),
    "on another device": program(COPY + "cudaSetDevice(1);"),
    "in another context": program(COPY + "cuCtxSetCurrent(0);", functions="#include <cuda.h>"),
    "behind the end of a thread": program(COPY + "cudaThreadExit();"),
    "beside streams that do not wait": program(
        "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);"
        "cudaMemcpyToSymbolAsync(columns, &n, sizeof n, 0, cudaMemcpyHostToDevice, 0);",
        launch="fill<<<4, 64, 0, s>>>(a)",
    ),
    "on a device that has been reset": program(COPY + "cudaDeviceReset();"),
    "a graph that may copy": program(
        "cudaGraphExec_t graph; cudaStream_t s; /* captured */" + COPY + "cudaGraphLaunch(graph, s);"
    ),
    "what another file may call": program(COPY + "other();", functions=f"void clear() {{ {CLEAR} }} void other();"),
}


@pytest.mark.parametrize("text", KNOWN.values(), ids=KNOWN)
def test_what_is_known(tmp_path: Path, text: str):
    assert verdict(tmp_path, text) is Outcome.SAFE
    assert verdict(tmp_path, text, without=frozenset({FactKind.CONSTANT_MEMORY})) is Outcome.RACE


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_known(tmp_path: Path, text: str):
    assert verdict(tmp_path, text) is Outcome.RACE


def linked(folder: Path, *texts: str) -> set[Outcome]:
    files = [folder / f"{name}.cu" for name, _ in zip("abc", texts, strict=False)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    report = analyze(tuple(parse_file(str(file), SourceOptions()) for file in files), AnalysisOptions())
    return {kernel.outcome for kernel in report.kernels}


KERNEL = "__global__ void fill(float *a) { a[blockIdx.x * columns + threadIdx.x] = threadIdx.x; }\n"
LAUNCH = "void run(float *a) { fill<<<4, 64>>>(a); }\n"
SET = "void set(int n) { cudaMemcpyToSymbol(columns, &n, sizeof n); }\n"
MAIN = "void set(int); void run(float *); int main() { float *a; cudaMalloc(&a, 4096); set(64); run(a); }\n"
HERE, ELSEWHERE = "__constant__ int columns;\n", "extern __constant__ int columns;\n"


def test_one_variable_of_several_files(tmp_path: Path):
    assert linked(tmp_path, HERE + KERNEL + LAUNCH + SET, MAIN) == {Outcome.SAFE}
    assert linked(tmp_path, HERE + KERNEL + LAUNCH, ELSEWHERE + SET + MAIN) == {Outcome.SAFE}
    assert linked(tmp_path, ELSEWHERE + KERNEL + LAUNCH, HERE + SET + MAIN) == {Outcome.SAFE}


def test_a_variable_of_each_file(tmp_path: Path):
    """Which of them the copy writes, and which the kernel reads, their name does not say."""
    assert linked(tmp_path, HERE + KERNEL + LAUNCH, HERE + SET + MAIN) == {Outcome.RACE}
    static = f"static {HERE}"
    assert linked(tmp_path, static + KERNEL + LAUNCH, static + SET + MAIN) == {Outcome.RACE}


def test_a_variable_that_no_file_defines(tmp_path: Path):
    assert linked(tmp_path, ELSEWHERE + KERNEL + LAUNCH, ELSEWHERE + SET + MAIN) == {Outcome.RACE}


def test_an_initialiser_without_main(tmp_path: Path):
    """Where some copy is in the program, it may have been made before."""
    initialised = HERE.replace(";", " = 64;")
    assert linked(tmp_path, initialised + KERNEL + LAUNCH) == {Outcome.SAFE}
    assert linked(tmp_path, initialised + KERNEL + LAUNCH + SET) == {Outcome.RACE}


def test_pointers_lead_where_the_host_has_them_lead(tmp_path: Path):
    text = """
    __constant__ float *data;
    __global__ void copy(float *a) { data[threadIdx.x] = 1; a[threadIdx.x + 1] = 2; }
    int main() {
      float *a, *b;
      cudaMalloc(&a, 4096), cudaMalloc(&b, 4096);
      cudaMemcpyToSymbol(data, &SOURCE, sizeof a);
      copy<<<1, 64>>>(a);
    }
    """
    assert verdict(tmp_path, text.replace("SOURCE", "a")) is Outcome.RACE
    assert verdict(tmp_path, text.replace("SOURCE", "b")) is Outcome.SAFE


MADE = """
struct Table { int of[COUNT]; constexpr Table() : of() { for (int i = 0; i < COUNT; i++) of[i] = VALUE; } };
__constant__ Table table;
__global__ void scatter(int *a) { a[blockIdx.x * 8 + table.of[threadIdx.x]] = threadIdx.x; }
int main() { int *a; cudaMalloc(&a, 4096); scatter<<<4, 8>>>(a); }
"""


def test_a_constructor_that_fills_a_table(tmp_path: Path):
    """The constructor is run iteration by iteration: what it leaves is known, the same or different."""
    text = MADE.replace("COUNT", "8")
    assert verdict(tmp_path, text.replace("VALUE", "7 - i")) is Outcome.SAFE
    assert verdict(tmp_path, text.replace("VALUE", "i / 2")) is Outcome.RACE


@pytest.mark.parametrize("value", ["99 - i", "i / 2"])
def test_a_table_that_is_not_followed(tmp_path: Path, value: str):
    """What a long loop computes is unknown, and is no input that may be anything."""
    assert verdict(tmp_path, MADE.replace("COUNT", "100").replace("VALUE", value)) is Outcome.UNKNOWN


@pytest.mark.parametrize("how", ["cudaMemcpyToSymbol(table, h, sizeof h);", "p = *(Whole *)h;"])
def test_a_table_that_the_host_computes(tmp_path: Path, how: str):
    """A loop of the host computes it: it is run; a loop that reads it from outside: an input."""
    text = """
    struct Whole { int of[8]; };
    int from_outside();
    __constant__ int table[8];
    __global__ void scatter(int *a, Whole p) { a[blockIdx.x * 8 + TABLE[threadIdx.x]] = threadIdx.x; }
    int main() {
      int *a, h[8];
      Whole p{};
      cudaMalloc(&a, 4096);
      for (int i = 0; i < 8; i++) h[i] = VALUE;
      HOW
      scatter<<<4, 8>>>(a, p);
    }
    """
    text = text.replace("HOW", how).replace("TABLE", "p.of" if "Whole" in how else "table")
    assert verdict(tmp_path, text.replace("VALUE", "7 - i")) is Outcome.SAFE
    assert verdict(tmp_path, text.replace("VALUE", "7 - i / 2")) is Outcome.RACE
    assert verdict(tmp_path, text.replace("VALUE", "from_outside()")) is Outcome.RACE


def test_a_table_that_is_a_permutation(tmp_path: Path):
    """Its initialiser tells, for sixteen elements, too, unless something may write it."""
    text = """
    __constant__ unsigned char order[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, LAST};
    __global__ void scatter(int *a) { int t = threadIdx.x; a[(t & ~15) + order[t & 15]] = t; }
    int from_outside();
    int main() { int *a; cudaMalloc(&a, 4096); COPY scatter<<<1, 64>>>(a); }
    """
    copy = "char h[16]; for (auto &x : h) x = from_outside(); cudaMemcpyToSymbol(order, h, 16);"
    assert verdict(tmp_path, text.replace("LAST", "15").replace("COPY", "")) is Outcome.SAFE
    assert verdict(tmp_path, text.replace("LAST", "11").replace("COPY", "")) is Outcome.RACE
    assert verdict(tmp_path, text.replace("LAST", "15").replace("COPY", copy)) is Outcome.RACE
