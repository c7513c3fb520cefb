from pathlib import Path

from hgrd.engine.folders import Selection
from hgrd.engine.inputs import Failure, Inputs, collect
from hgrd.findings.model import Message
from hgrd.program.span import NOWHERE

KERNEL = "__global__ void k(int *a) { a[0] = 1; }\n"
MAIN = "int main() { return 0; }\n"


def made(folder: Path, **files: str) -> list[str]:
    """Files by name, with `__` for the dot and `_in_` for the slash."""
    paths: list[str] = []
    for name, text in files.items():
        path = folder / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        paths.append(str(path))
    return paths


def test_files_with_one_main_are_one_program(tmp_path: Path):
    files = made(tmp_path, a__cu=KERNEL, b__cu=MAIN)
    assert collect(files) == Inputs((tuple(files),), ())


def test_every_main_is_a_program(tmp_path: Path):
    first, second = made(tmp_path, a__cu=KERNEL + MAIN, b__cu=KERNEL + MAIN)
    assert collect([first, second, first]) == Inputs(((first,), (second,)), ())


def test_files_go_with_the_main_of_their_folder(tmp_path: Path):
    a, k, b, c = made(tmp_path, x_in_a__cu=MAIN, x_in_k__cu=KERNEL, y_in_b__cu=MAIN, z_in_c__cu=KERNEL)
    assert collect([a, k, b, c]).programs == ((a, k), (b,), (c,))


def test_files_beside_two_mains_are_a_program_of_their_own(tmp_path: Path):
    a, b, k = made(tmp_path, a__cu=MAIN, b__cu=MAIN, k__cu=KERNEL)
    assert collect([a, b, k]).programs == ((a,), (b,), (k,))


def test_an_included_file_belongs_to_its_includer(tmp_path: Path):
    a, k = made(tmp_path, a__cu='#include "k.cu"\n' + MAIN, k__cu=KERNEL)
    assert collect([k, a]).programs == ((a,),)


def test_a_main_may_stand_in_a_header(tmp_path: Path):
    _, a, b = made(tmp_path, main__h=MAIN, a__cu='#include "main.h"\n' + KERNEL, b__cu='#include "main.h"\n' + KERNEL)
    assert collect([a, b]).programs == ((a,), (b,))


def test_a_main_that_is_only_mentioned_is_none(tmp_path: Path):
    said = '/* int main() { */ // main()\nconst char *usage = "main(\\"x\\")";\n'
    paths = made(tmp_path, said__h=said, a__cu='#include "said.h"\n' + MAIN, b__cu='#include "said.h"\n' + KERNEL)[1:]
    assert collect(paths).programs == (tuple(paths),)


def test_a_directory_stands_for_its_cuda_sources_and_the_host_sources_beside_them(tmp_path: Path):
    made(tmp_path, h__h=KERNEL, tools_in_t__cpp=MAIN, tools_in_u__cu=MAIN)
    k, host, plain, used = made(tmp_path, k__cu=KERNEL, host__cpp=MAIN, plain__cu="int x;\n", used__cuh=KERNEL)
    assert collect([str(tmp_path)]).programs == ((k, used, host, plain),)


def test_the_main_may_stand_above_the_kernels(tmp_path: Path):
    main, kernels, _ = made(tmp_path, main__cpp=MAIN, x_in_k__cu=KERNEL, y_in_other__cpp=MAIN)
    assert collect([str(tmp_path)]).programs == ((kernels, main),)
    assert collect([str(tmp_path / "x")]).programs == ((kernels,),)


def test_a_cuda_source_of_host_code_alone_belongs_to_the_kernels_beside_it(tmp_path: Path):
    kernels, main, _ = made(tmp_path, x_in_k__cu=KERNEL, x_in_main__cu=MAIN, y_in_other__cu=MAIN)
    assert collect([str(tmp_path)]) == Inputs(((kernels, main),), ())


def test_what_cannot_be_read_is_said_and_costs_nothing_else(tmp_path: Path):
    (good,) = made(tmp_path, a__cu=KERNEL)
    missing = str(tmp_path / "missing.cu")
    assert collect([missing, good]) == Inputs(((good,),), (Failure(missing, "no such file or directory"),))


def test_host_programs_beside_cuda_sources_are_left_out_unless_named(tmp_path: Path):
    cuda, host = made(tmp_path, cuda__cu=KERNEL + MAIN, host__cpp=MAIN)
    assert collect([str(tmp_path)]).programs == ((cuda,),)
    assert collect([cuda, host]).programs == ((cuda,), (host,))


def test_cuda_sources_may_have_other_names(tmp_path: Path):
    (remark,) = made(tmp_path, r__c='// - <<<1, 2>>>\nvoid f() { puts("<<< no, not __global__ >>>"); }\n')
    assert collect([str(tmp_path)]).programs == ()
    made(tmp_path, k__h=KERNEL)
    launches, main = made(tmp_path, l__c="void g(int *a) { k<<<1, 2>>>(a); }\n", m__cpp='#include "k.h"\n' + MAIN)
    assert collect([str(tmp_path)]).programs == ((launches, main, remark),)


def test_kernels_may_stand_in_headers_only(tmp_path: Path):
    made(tmp_path, k__hpp=KERNEL)
    (user,) = made(tmp_path, user__cu='#include "k.hpp"\n' + MAIN)
    assert collect([str(tmp_path)]).programs == ((user,),)


USES = "void launch(int *);\nint main() { launch(nullptr); return 0; }\n"
DEFINES = KERNEL + "void launch(int *a) { k<<<1, 1>>>(a); }\n"
CALLS = "__global__ void k(int *);\nint main() { k<<<1, 1>>>(nullptr); return 0; }\n"


def test_several_mains_share_what_they_use(tmp_path: Path):
    a, b, c, k, rest = made(
        tmp_path, a__cu=USES, b__cu=MAIN, c__cu=CALLS, k__cu=DEFINES, r__cu=KERNEL.replace("k(", "r(")
    )
    assert collect([a, b, c, k, rest]).programs == ((a, k), (b,), (c, k), (rest,))


def test_what_is_declared_is_not_shared(tmp_path: Path):
    a, b, k = made(tmp_path, a__cu=USES, b__cu="void launch(int *);\n" + MAIN, k__cu=DEFINES)
    assert collect([a, b, k]).programs == ((a, k), (b,))


def test_a_program_uses_its_own_function_of_a_name(tmp_path: Path):
    files = made(tmp_path, x_in_a__cu=USES, x_in_k__cu=DEFINES, y_in_b__cu=USES, y_in_k__cu=DEFINES)
    assert collect(files).programs == (tuple(files[:2]), tuple(files[2:]))


def test_a_program_uses_functions_of_other_folders_and_of_those_what_they_use(tmp_path: Path):
    a, k, b, c = made(
        tmp_path,
        x_in_a__cu=USES,
        x_in_k__cu=DEFINES,
        y_in_b__cu="void more(int *);\nint main() { more(nullptr); return 0; }\n",
        z_in_c__cu="void launch(int *);\n__global__ void m() {}\nvoid more(int *a) { m<<<1, 1>>>(); launch(a); }\n",
    )
    assert collect([a, k, b, c]).programs == ((a, k), (k, b, c))


def test_a_member_is_used_where_its_class_is(tmp_path: Path):
    _, a, b, k, m = made(
        tmp_path,
        r__h="struct R { void run(int *); };\n",
        a__cu='#include "r.h"\nint main() { R r; r.run(nullptr); return 0; }\n',
        b__cu="int main() { int R, run = 1; return run; }\n",
        k__cu='#include "r.h"\n' + KERNEL + "void R::run(int *a) { k<<<1, 1>>>(a); }\n",
        m__cu="struct R { void run(int *); };\n" + KERNEL + "void R::run(int *a) { k<<<1, 1>>>(a); }\n",
    )
    assert collect([a, b, k, m]).programs == ((a, k), (b,), (m,))


def test_host_sources_elsewhere_belong_to_the_kernels_that_they_call(tmp_path: Path):
    _, k, main, _, _ = made(
        tmp_path,
        launch__h="void launch(int *);\n",
        x_in_k__cu=DEFINES,
        y_in_main__cpp='#include "../launch.h"\nint main() { launch(nullptr); return 0; }\n',
        y_in_declares__cpp='#include "../launch.h"\nint unrelated;\n',
        y_in_says__cpp="int launch;\n",
    )
    assert collect([str(tmp_path)]).programs == ((k, main),)


def test_what_many_programs_share_is_analysed_by_itself(tmp_path: Path):
    (k,) = made(tmp_path, k__cu=DEFINES)
    mains = [made(tmp_path, **{f"m{number}__cu": USES + KERNEL.replace("k(", "m(")})[0] for number in range(9)]
    eight = collect([k, *mains[:8]])
    assert eight == Inputs(tuple((k, main) for main in mains[:8]), ())
    text = f"{k} belongs to 9 programs: it is analysed by itself, for any caller"
    nine = Inputs((*((main,) for main in mains), (k,)), (), (Message(NOWHERE, text, error=False),))
    assert collect([k, *mains]) == nine


def test_a_build_says_what_is_linked(tmp_path: Path):
    _, a, b, k, m, rest = made(
        tmp_path,
        CMakeLists__txt="add_executable(x a.cu k.cu)\nadd_executable(y b.cu m.cu)\nadd_library(none gone.cu)\n",
        a__cu=MAIN,
        b__cu=MAIN,
        k__cu=KERNEL,
        m__cu=KERNEL,
        r__cu=KERNEL,
    )
    assert collect([str(tmp_path)]).programs == ((k, a), (m, b), (rest,))
    assert collect([a, b, k, m, rest]).programs == ((a,), (b,), (k, m, rest))


def test_a_file_of_several_targets_is_in_several_programs(tmp_path: Path):
    _, a, b, k = made(tmp_path, Makefile="x: a.cu k.cu\ny: b.cu k.cu\n", a__cu=MAIN, b__cu=MAIN, k__cu=KERNEL)
    assert collect([str(tmp_path)]).programs == ((k, a), (k, b))


def test_one_target_with_several_mains_is_several_programs(tmp_path: Path):
    _, a, b, k = made(tmp_path, Makefile="x: a.cu b.cu k.cu\n", a__cu=MAIN, b__cu=MAIN, k__cu=KERNEL)
    assert collect([str(tmp_path)]).programs == ((k, a), (k, b))


def test_what_no_build_names_belongs_to_the_only_program(tmp_path: Path):
    _, a, k, rest = made(tmp_path, Makefile="x: a.cu k.cu\n", a__cu=MAIN, k__cu=KERNEL, r__cu=KERNEL)
    assert collect([str(tmp_path)]).programs == ((k, rest, a),)


def test_a_build_that_names_too_little_loses_no_caller(tmp_path: Path):
    _, a, b, k = made(tmp_path, Makefile="x: a.cu k.cu\ny: b.cu $(shell ls)\n", a__cu=USES, b__cu=USES, k__cu=DEFINES)
    assert collect([str(tmp_path)]).programs == ((k, a), (k, b))


def test_host_sources_that_are_linked_with_kernels_belong_to_them(tmp_path: Path):
    _, k, main, _ = made(
        tmp_path,
        CMakeLists__txt="add_executable(x app/main.cpp src/k.cu)\nadd_executable(z app/tool.cpp)\n",
        src_in_k__cu=KERNEL,
        app_in_main__cpp=MAIN,
        app_in_tool__cpp=MAIN,
    )
    assert collect([str(tmp_path)]).programs == ((k, main),)


def test_an_included_source_that_is_linked_elsewhere_stays_a_source(tmp_path: Path):
    _, api, k, test = made(
        tmp_path,
        CMakeLists__txt="add_library(x api.cu k.cu)\nadd_executable(t test.cu)\n",
        api__cu=KERNEL.replace("k(", "m("),
        k__cu=KERNEL,
        test__cu='#include "k.cu"\n' + MAIN,
    )
    assert collect([str(tmp_path)]).programs == ((api, k), (test,))


def test_vendored_code_is_left_out_and_said(tmp_path: Path):
    own, theirs, _ = made(tmp_path, own__cu=KERNEL, vendor_in_v__cu=KERNEL, external_in_plain__cpp="int x;\n")
    text = f"{tmp_path}/vendor is left out (1 CUDA sources): vendored code, or made by a build; --vendored has it"
    assert collect([str(tmp_path)]) == Inputs(((own,),), (), (Message(NOWHERE, text, error=False),))
    assert collect([str(tmp_path)], selection=Selection(vendored=True)) == Inputs(((own, theirs),), ())
    assert collect([str(tmp_path / "vendor")]) == Inputs(((theirs,),), ())
    assert collect([str(tmp_path), theirs]).programs == ((own, theirs),)


def test_what_is_excluded_is_no_program(tmp_path: Path):
    own, _ = made(tmp_path, own__cu=KERNEL, tests_in_t__cu=KERNEL)
    assert collect([str(tmp_path)], selection=Selection(("tests",))) == Inputs(((own,),), ())
