"""Bad input: one clear message on standard error, exit status 2, nothing on standard output."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hgrd import __version__


def hgrd(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hgrd", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **environment}
    )


def refused(*arguments: str) -> str:
    done = hgrd(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("\n")
    assert done.stderr.count("\n") == 1
    return done.stderr.rstrip("\n")


def test_version():
    done = hgrd("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"hgrd {__version__}\n", "")


def test_help_loads_no_heavy_library():
    script = (
        "import sys\nfrom hgrd.cli.main import entry\nsys.argv = ['hgrd', '--help']\n"
        "try:\n    entry()\nexcept SystemExit:\n"
        "    print('loaded:', *({'z3', 'numpy', 'orjson'} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_usage_errors():
    assert refused("check", "--bogus", "a.cu") == "hgrd: error: unrecognized arguments: --bogus (see 'hgrd --help')"


def test_missing_file(tmp_path: Path):
    file = tmp_path / "a.cu"
    assert refused("check", str(file)) == f"hgrd: error: {file}: no such file or directory"


def test_directory_without_cuda(tmp_path: Path):
    (tmp_path / "a.c").write_text("int main() { return 0; }\n")
    assert refused("check", str(tmp_path)) == (
        f"hgrd: error: {tmp_path}: no source with a kernel or a launch below this directory"
    )


def test_empty_file(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_bytes(b"")
    assert refused("check", str(file)) == f"hgrd: error: {file}: the file is empty"


def test_binary_file(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_bytes(b"\x7fELF\x02\x01\x01\0\0\0")
    assert refused("check", str(file)) == f"hgrd: error: {file}: not a source file: it holds binary data"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may read everything")
def test_unreadable_file(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("__global__ void k() {}\n")
    file.chmod(0)
    assert refused("check", str(file)) == f"hgrd: error: {file}: cannot be read (Permission denied)"


def test_syntax_error_that_leaves_nothing(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("__global__ void k(int *a { a[0 = 1; }\n")
    assert refused("check", str(file)).startswith(f"hgrd: error: {file}: no kernel left to analyse: {file}:1:")


def test_syntax_error_in_one_of_two_kernels(tmp_path: Path):
    """What can be analysed is; the kernel with the error is unknown, and the status says that something is amiss."""
    file = tmp_path / "a.cu"
    file.write_text(
        "__global__ void good(int *a) { a[threadIdx.x] = 1; }\n__global__ void bad(int *a) { a[threadIdx.x] = 1 }\n"
    )
    done = hgrd("check", str(file), "--format", "json", "--grid-dim", "1")
    report = json.loads(done.stdout)
    assert done.returncode == 2
    assert {k["name"]: k["outcome"] for k in report["kernels"]} == {"good": "safe", "bad": "unknown"}
    assert [m["text"] for m in report["messages"]] == ["expected ';' after expression"]


def test_no_kernel(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("int main() { return 0; }\n")
    assert refused("check", str(file)) == f"hgrd: error: {file}: it defines no kernel"


def test_unknown_kernel(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("__global__ void there(int *a) { a[threadIdx.x] = 1; }\n")
    assert refused("check", "--kernel=gone", str(file)) == "hgrd: error: --kernel gone: no such kernel (there: there)"


def test_unknown_compiler(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("__global__ void k(int *a) { a[threadIdx.x] = 1; }\n")
    assert "no-such-clang" in refused("check", "--clang=no-such-clang", str(file))


def test_doctor_fails_without_a_compiler():
    assert hgrd("doctor").returncode == 0
    assert hgrd("doctor", "--clang=no-such-clang").returncode == 2


SAFE = """\
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}
int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  k<<<4, 32>>>(a, 100);
}
"""


def test_the_exit_status_tells_races_from_missing_input(tmp_path: Path):
    safe, racy, gone = tmp_path / "safe.cu", tmp_path / "racy.cu", tmp_path / "gone.cu"
    safe.write_text(SAFE)
    racy.write_text(SAFE.replace("a[i] = 1", "a[0] = i"))
    assert hgrd("check", str(safe)).returncode == 0
    assert hgrd("check", str(racy)).returncode == 1
    assert hgrd("check", str(safe), str(gone)).returncode == 2
    assert hgrd("check", str(racy), str(gone)).returncode == 1


def test_what_is_missing_from_a_report_is_named_in_it(tmp_path: Path):
    safe, gone = tmp_path / "safe.cu", tmp_path / "gone.cu"
    safe.write_text(SAFE)
    done = hgrd("check", "--format=json", str(safe), str(gone))
    report = json.loads(done.stdout)
    assert done.stderr == f"hgrd: error: {gone}: no such file or directory\n"
    assert report["failures"] == [{"file": str(gone), "reason": "no such file or directory"}]
    assert report["files"] == [str(safe)]
    assert [(kernel["name"], kernel["outcome"]) for kernel in report["kernels"]] == [("k", "safe")]


def test_unknown_fails_if_asked_for(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("__device__ void elsewhere(int *);\n" + SAFE.replace("a[i] = 1", "elsewhere(a)"))
    assert hgrd("check", str(file)).returncode == 0
    assert hgrd("check", "--fail-on-unknown", str(file)).returncode == 1


def test_sources_in_latin_1_are_read(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_bytes(b"// caf\xe9\n" + SAFE.encode())
    done = hgrd("check", str(file))
    assert (done.returncode, done.stderr) == (0, "")


def test_options_stand_in_for_host_code(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("__global__ void k(int *a, int n) {\n  a[threadIdx.x % n] = threadIdx.x;\n}\n")
    launch = ("--block-dim=32", "--grid-dim=1")
    assert hgrd("check", str(file), *launch, "--param", "n=32").returncode == 0
    assert hgrd("check", str(file), *launch, "--assume", "n >= 32").returncode == 0
    assert hgrd("check", str(file), *launch, "--assume", "n == 31").returncode == 1


def test_witnesses_are_replayed_unless_asked_not_to(tmp_path: Path):
    file = tmp_path / "a.cu"
    file.write_text("__global__ void k(int *a, int n) {\n  a[threadIdx.x % n] = threadIdx.x;\n}\n")
    launch = ("--block-dim=32", "--grid-dim=1", "--assume", "n == 31")
    with_replay, without = hgrd("check", str(file), *launch), hgrd("check", str(file), *launch, "--no-replay")
    assert (with_replay.returncode, without.returncode) == (1, 1)
    assert "  confidence: confirmed: the witness was replayed and the conflict seen\n" in with_replay.stdout
    assert "  confidence: definite: the witness was evaluated with exact C semantics\n" in without.stdout
    assert "; 1 witness replayed; " in with_replay.stdout
    assert "witness replayed" not in without.stdout


@pytest.mark.parametrize(("options", "shown"), [((), 11), (("-v",), 15)])
def test_of_many_errors_some_are_shown(tmp_path: Path, options: tuple[str, ...], shown: int):
    file = tmp_path / "a.cu"
    lines = [f"absent{i} x{i};" for i in range(15)]
    file.write_text("\n".join([*lines, "__global__ void kernel(int *a) { a[threadIdx.x] = 1; }"]))
    done = hgrd("check", str(file), *options)
    errors = [line for line in done.stderr.splitlines() if ": error: " in line]
    assert len(errors) == shown
    assert ("5 more errors" in errors[-1]) is not bool(options)


@pytest.mark.parametrize(
    "kernel",
    [
        "__global__ void k(int *a) { a[0] = threadIdx.x; break; }",
        "__global__ void k(int *a) { a[0] = threadIdx.x; continue; }",
        "#include <cooperative_groups.h>\n__global__ void k(int *a) {\n"
        "  auto none = cooperative_groups::tiled_partition<0>(cooperative_groups::this_thread_block());\n"
        "  a[none.thread_rank()] = none.meta_group_size();\n}",
    ],
)
def test_what_no_compiler_takes_is_no_internal_error(tmp_path: Path, kernel: str):
    file = tmp_path / "a.cu"
    file.write_text(f"{kernel}\nint main() {{ int *a; cudaMalloc(&a, 4096); k<<<1, 64>>>(a); }}\n")
    done = hgrd("check", str(file))
    assert done.returncode in (0, 1, 2)
    assert "internal error" not in done.stdout + done.stderr


@pytest.mark.parametrize("code", ["HGRD002", "hgrd002", "2"])
def test_a_rule_is_explained(code: str):
    done = hgrd("explain", code)
    page = Path(__file__).parents[2] / "docs" / "rules" / "HGRD002.md"
    assert (done.returncode, done.stdout, done.stderr) == (0, page.read_text(), "")


def test_a_rule_that_is_not_there():
    assert refused("explain", "HGRD099").startswith(
        "hgrd: error: argument CODE: there is no rule 'HGRD099'; there are HGRD001, "
    )
