from pathlib import Path

from hgrd.engine.inputs import Failure, Inputs, collect

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
