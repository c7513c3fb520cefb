"""Facts about the IR of small programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from hgrd.program.expressions import Call, IntConst, Launch, Load, Storage, Unsupported, UnsupportedPlace, Variable
from hgrd.program.program import Function, Program, Side
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, Declare, DoWhile, Goto, Label, Switch, UnsupportedStatement
from hgrd.program.types import INT, ArrayType, FloatType, OpaqueType, PointerType, Record, RecordType
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file


@pytest.fixture
def lower(tmp_path: Path):
    def run(text: str, **files: str) -> Program:
        for name, content in files.items():
            (tmp_path / f"{name}.h").write_text(content)
        path = tmp_path / "test.cu"
        path.write_text(text)
        return parse_file(str(path), SourceOptions())

    return run


def below(node: object) -> Iterator[object]:
    yield node
    if isinstance(node, Struct):
        for name in node.__struct_fields__:
            yield from below(getattr(node, name))
    elif isinstance(node, tuple):
        for part in node:
            yield from below(part)


def named(program: Program, name: str) -> Function:
    (found,) = [f for f in program.functions.values() if f.ref.name == name and f.body is not None]
    return found


def every(node: object, kind: type) -> list:
    return [found for found in below(node) if isinstance(found, kind)]


def test_function_facts(lower) -> None:
    program = lower("""
        constexpr int shared_helper(int x) { return x; }
        namespace deep { __device__ int d() { return 1; } }
        __host__ __device__ int both() { return 2; }
        [[noreturn]] void leave();
        int many(const char *format, ...) { return 0; }
        __global__ void __launch_bounds__(128 * 2, 4) kernel(int *p) { p[0] = deep::d(); }
        void stop() { exit(1); }
    """)
    assert {f.ref.name: f.side for f in program.functions.values() if f.body is not None} == {
        "shared_helper": Side.BOTH,
        "d": Side.DEVICE,
        "both": Side.BOTH,
        "many": Side.HOST,
        "kernel": Side.KERNEL,
        "stop": Side.HOST,
    }
    assert named(program, "d").ref.qualified == "deep::d"
    assert named(program, "kernel").ref.key == "_Z6kernelPi"
    assert program.kernels() == (named(program, "kernel"),)
    assert named(program, "many").variadic
    assert program.functions["_Z5leavev"].noreturn
    assert program.functions["_Z5leavev"].body is None
    assert program.functions["exit"].noreturn
    assert not program.functions["exit"].user_code


def test_launch_bounds_are_computed(lower) -> None:
    program = lower("""
        template <int N> __global__ void __launch_bounds__(N) kernel(int *p) { p[0] = N; }
        void run() { kernel<96><<<1, 96>>>(nullptr); }
    """)
    assert named(program, "kernel").max_threads == 96
    assert named(program, "kernel").ref.template_args == (96,)


def test_storage_of_variables(lower) -> None:
    program = lower("""
        int host; __device__ int device; __constant__ int fixed; __managed__ int managed;
        __global__ void kernel(int n) {
            __shared__ float tile[4];
            extern __shared__ int dynamic[];
            static int kept;
            int own = warpSize + fixed + device + managed;
            tile[0] = dynamic[own] + kept + n;
        }
        void run() { static int calls; calls++; }
    """)
    found: dict[str, Storage] = {}
    for function in ("kernel", "run"):
        found |= {v.name: v.storage for v in every(named(program, function).body, Variable)}
    assert found == {
        "tile": Storage.SHARED,
        "dynamic": Storage.SHARED,
        "kept": Storage.DEVICE,
        "own": Storage.LOCAL,
        "warpSize": Storage.BUILTIN,
        "fixed": Storage.CONSTANT,
        "device": Storage.DEVICE,
        "managed": Storage.DEVICE,
        "n": Storage.PARAMETER,
        "calls": Storage.STATIC,
    }
    assert {g.variable.name: g.variable.storage for g in program.globals.values()} == {
        "host": Storage.GLOBAL,
        "device": Storage.DEVICE,
        "fixed": Storage.CONSTANT,
        "managed": Storage.DEVICE,
    }
    dynamic = next(v for v in every(named(program, "kernel").body, Variable) if v.name == "dynamic")
    assert dynamic.type == ArrayType(INT, None)


def test_variables_have_keys_of_their_own(lower) -> None:
    program = lower("""
        __global__ void kernel(int i) { { int i = 1; i++; } { int i = 2; i++; } i++; }
    """)
    keys = {v.key for v in every((named(program, "kernel").body, named(program, "kernel").parameters), Variable)}
    assert keys == {"_Z6kerneli::i", "_Z6kerneli::i#1", "_Z6kerneli::i#2"}


def test_a_launch_has_its_configuration(lower) -> None:
    program = lower("""
        __global__ void kernel(int *p, int n) {}
        void run(int *p, int n, cudaStream_t s) { kernel<<<n, dim3(8, 4), 16 * 2, s>>>(p, n); kernel<<<1, 2>>>(p, 3); }
    """)
    first, second = every(named(program, "run").body, Launch)
    grid, block = first.grid, first.block
    assert grid.constructor.name == block.constructor.name == "dim3"
    assert [a.value for a in block.arguments] == [8, 4, 1]
    assert [a.value for a in grid.arguments[1:]] == [1, 1]
    assert isinstance(first.shared_bytes, IntConst)
    assert first.shared_bytes.value == 32
    assert first.stream is not None
    assert (second.shared_bytes, second.stream) == (None, None)
    assert first.kernel.function.key == "_Z6kernelPii"


def test_volatile_is_of_the_object_not_of_what_it_points_to(lower) -> None:
    program = lower("""
        __global__ void kernel(volatile int *p, int *volatile q) { int a = p[0]; int b = *q; }
    """)
    loads = every(named(program, "kernel").body, Load)
    shown = [(type(load.place).__name__, load.volatile) for load in loads]
    assert shown == [("Deref", True), ("VariablePlace", False), ("Deref", False), ("VariablePlace", True)]


def test_constants_are_folded(lower) -> None:
    program = lower("""
        enum Mode { A, B = 5, C }; enum class Small : unsigned char { X = 250 };
        struct S { static const int size = 4; };
        const int WIDTH = 1 << 4; constexpr float HALF = 0.5f;
        template <int N> struct T { enum { twice = 2 * N }; };
        int a() { return WIDTH * S::size + C; }
        int b() { return (int)Small::X + T<21>::twice; }
        unsigned c() { return -1; }
        int d() { return sizeof(double[3]) + alignof(float4); }
    """)
    values = {n: every(named(program, n).body, IntConst)[0].value for n in "abcd"}
    assert values == {"a": 70, "b": 292, "c": 2**32 - 1, "d": 40}


def test_what_does_not_compile_is_unsupported_where_it_stands(lower) -> None:
    program = lower("""__global__ void kernel(int *p) {
        p[0] = 1;
        p[1] = missing(2);
        p[2] = 3;
    }""")
    found = [n for n in below(named(program, "kernel").body) if isinstance(n, Unsupported | UnsupportedPlace)]
    assert [(n.reason, n.span.line) for n in found] == [("does not compile", 3)]
    assert [(d.span.line, d.error) for d in program.diagnostics] == [(3, True)]


def test_labels_and_gotos(lower) -> None:
    program = lower("__global__ void kernel(int n) { again: n++; if (n) goto again; goto out; out:; }")
    kernel = named(program, "kernel")
    assert [s.name for s in every(kernel.written, Label)] == ["again", "out"]
    assert [s.target for s in every(kernel.written, Goto)] == ["again", "out"]
    assert not every(kernel.body, Goto | Label | UnsupportedStatement)
    assert len(every(kernel.body, DoWhile)) == 1


def test_a_body_without_gotos_is_as_written(lower) -> None:
    program = lower("__global__ void kernel(int n) { nobody_comes_here: n++; }")
    kernel = named(program, "kernel")
    assert kernel.written is None
    assert [s.name for s in every(kernel.body, Label)] == ["nobody_comes_here"]


def test_cases_in_inner_statements(lower) -> None:
    program = lower("""__device__ int kernel(int n) {
        switch (n) {
            case 1: do { n--; if (n == 7) break;
            case 2 ... 4: n -= 2;
            default: if (n == 8) { case 9: n = 5; break; }
            } while (n > 0);
        }
        return n;
    }""")
    (switch,) = every(named(program, "kernel").written, Switch)
    assert [(case.values, case.default, case.body[0].target) for case in switch.cases] == [
        (((1, 1),), False, "case"),
        (((2, 4),), False, "case.1"),
        ((), True, "case.2"),
        (((9, 9),), False, "case.3"),
    ]
    assert not every(named(program, "kernel").body, Switch | Goto | UnsupportedStatement)


def test_a_kernel_template_that_nothing_instantiates(lower) -> None:
    program = lower("""
        template <class T, int N> __global__ void kernel(T *p, int n) { p[n + N] = p[n]; int i = N * 2; }
        template <class T> __global__ void used(T *p) { p[0] = 1; }
        template <class T> void host(T *p) { kernel<T, 3><<<1, 1>>>(p, 1); }
        void run() { used<<<1, 1>>>((short *)nullptr); }
    """)
    assert [(t.name, t.types) for t in program.uninstantiated] == [("kernel", None)]
    kernel = named(program, "kernel")
    assert kernel.parameters[0].type == PointerType(OpaqueType("T"))
    assert every(kernel.body, Unsupported) == []
    assert named(program, "used").ref.template_args == ("short",)


def test_spans_show_the_use_of_a_macro_and_its_text(lower, tmp_path: Path) -> None:
    program = lower(
        '#include "other.h"\n#define SET(x) \\\n  x = other(1)\nvoid f(int a) {\n  SET(a); }', other="int other(int);"
    )
    file = str(tmp_path / "test.cu")
    (call,) = every(named(program, "f").body, Call)
    assert call.span == Span(file, 5, 3, Span(file, 3, 7))
    assert program.functions["_Z5otheri"].span == Span(str(tmp_path / "other.h"), 1, 5)


def test_inline_assembly_of_the_host_keeps_its_template(lower) -> None:
    program = lower(r"""int spin() {
        int out;
        __asm__ volatile("pause\n\t"  // a comment
                         "mov %1, %0;" : "=r"(out) : "r"(7));
        return out;
    }""")
    (found,) = every(named(program, "spin").body, Assembly)
    assert found.template == "pause\n\tmov %1, %0;"
    assert len(found.outputs) == 1
    assert [v.value for v in found.inputs] == [7]


def test_device_code_is_read_as_the_device_sees_it(lower) -> None:
    program = lower("""
        __host__ __device__ int side() {
        #ifdef __CUDA_ARCH__
            return 1;
        #else
            return 2;
        #endif
        }
        __global__ void kernel(int *p) {
        #if __CUDA_ARCH__ >= 300
            p[0] = 3;
        #endif
        }
        int host() {
        #ifdef __CUDA_ARCH__
            return 4;
        #else
            return 5;
        #endif
        }
    """)
    values = {n: [c.value for c in every(named(program, n).body, IntConst)] for n in ("side", "kernel", "host")}
    assert values == {"side": [1], "kernel": [0, 3], "host": [5]}


LAYOUTS = """#include <cuda_fp16.h>
struct Empty {}; struct Tag { char tag; }; struct Pair : Tag { char second; };
struct Inherits : Empty, Pair { int value; short last; };
struct alignas(16) Aligned { int a; __align__(8) char b; };
struct Virtual { virtual void f(); int a; }; struct Derived : Virtual { char b; double c; };
struct NonPod { NonPod(); double d; char c; }; struct Tail : NonPod { char in_padding; };
struct Bits { unsigned a : 3; unsigned b : 30; char c; short d : 5, e : 12; };
union Mixed { char raw[9]; int i; double d; };
struct Vectors { char c; float3 f3; float4 f4; double2 d2; uchar4 u4; dim3 d; bool last; };
struct Members { int *p; int &r; int (*f)(int); float grid[3][5]; Mixed mixed; long double ld; __half h; };
template <class T, int N> struct Array { T data[N]; struct Inner { T t; char c; } inner[2]; };
struct Instances { Array<char, 3> a; Array<double, 2>::Inner b; typedef short Word; Word w; };
struct Anonymous { int kind; union { struct { short x, y; }; double d; }; enum { A, B } e; };
"""


def test_layouts_are_those_of_the_compiler(lower) -> None:
    instance = "void use(Inherits, Derived, Tail *, Bits, Vectors, Members *, Instances, Anonymous, Aligned) {}"
    program = lower(LAYOUTS + instance)
    checks: list[str] = []
    for record in program.records.values():
        if "unnamed" in record.key or (record.key not in LAYOUTS and "<" not in record.key) or not record.complete:
            continue
        checks.append(
            f"static_assert(sizeof({record.key}) == {record.size} && alignof({record.key}) == {record.align});"
        )
        checks += [
            f"static_assert(__builtin_offsetof({record.key}, {field.name}) == {field.offset});"
            for field in record.fields
            if field.name and field.bits is None and not isinstance(field.type, PointerType)
        ]
    assert len(checks) > 60
    assert lower(LAYOUTS + instance + "\n".join(checks)).diagnostics == ()


def test_a_record_of_unknown_size_is_incomplete(lower) -> None:
    program = lower(
        "#include <vector>\nstruct Holder { std::vector<int> v; int n; }; int f(Holder *h) { return h->n; }"
    )
    assert not program.records["Holder"].complete


def test_structures_that_are_unnamed_or_local(lower) -> None:
    program = lower("""
        typedef struct { int key; float value; } Entry;
        typedef struct { char c; } *Handle;
        __global__ void kernel(Entry *e, Handle h) {
            struct Local { double d; } l; l.d = h->c;
            e[1].value = l.d;
        }
    """)
    entry, handle = (p.type.to for p in named(program, "kernel").parameters)
    assert isinstance(entry, RecordType)
    assert isinstance(handle, RecordType)
    assert (program.records[entry.key].size, program.records[handle.key].size) == (8, 1)
    local = next(d.variable.type for d in every(named(program, "kernel").body, Declare))
    assert program.records[local.key] == Record(
        "_Z6kernelP5EntryP3$_0::Local", "Local", 8, 8, program.records[local.key].fields
    )
    assert program.records[local.key].fields[0].type == FloatType(64)


def test_same_name_in_two_scopes(lower) -> None:
    program = lower("""
        namespace a { struct V { int x; }; int f(V *v) { return sizeof(*v); } }
        namespace b { struct V { double x, y; }; int g(V *v) { return sizeof(*v); } }
        template <class T> struct W { struct V { T t[3]; }; V v; int h(V *w) { return sizeof(*w); } };
        int i() { W<char> x; W<int> y; return x.h(&x.v) + y.h(&y.v); }
    """)
    sizes = {
        f.ref.qualified: every(f.body, IntConst)[0].value for f in program.functions.values() if f.ref.name in "fgh"
    }
    assert sizes == {"a::f": 4, "b::g": 16, "W<char>::h": 3, "W<int>::h": 12}


def test_methods_of_library_classes_have_qualified_names(lower) -> None:
    program = lower("""
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void kernel(int *p) {
            cg::thread_block block = cg::this_thread_block();
            auto tile = cg::tiled_partition<16>(block);
            p[tile.thread_rank()] = 1;
            tile.sync();
            block.sync();
            __syncthreads();
        }
    """)
    calls = [c.function for c in every(named(program, "kernel").body, Call)]
    assert [(c.qualified, c.template_args[:1]) for c in calls if c.name == "sync"] == [
        ("cooperative_groups::thread_block_tile::sync", (16,)),
        ("cooperative_groups::thread_block::sync", ()),
    ]
    assert [c.template_args[:1] for c in calls if c.name == "tiled_partition"] == [(16,)]
    assert every(named(program, "kernel").body, Unsupported) == []
