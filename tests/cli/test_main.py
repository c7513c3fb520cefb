"""Bad input: one clear message on standard error, exit status 2, nothing on standard output."""

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

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


def test_help_is_quick():
    def seconds() -> float:
        begin = perf_counter()
        assert hgrd("--help").returncode == 0
        return perf_counter() - begin

    assert min(seconds() for _ in range(5)) < 0.5  # 0.1 s on an idle machine; loading z3 alone takes longer


def test_usage_errors():
    assert refused("check", "--bogus", "a.cu") == "hgrd: error: unrecognized arguments: --bogus (see 'hgrd --help')"


def test_missing_file(tmp_path: Path):
    file = tmp_path / "a.cu"
    assert refused("check", str(file)) == f"hgrd: error: {file}: no such file or directory"


def test_directory_without_cuda(tmp_path: Path):
    (tmp_path / "a.c").write_text("int main() { return 0; }\n")
    assert refused("check", str(tmp_path)) == (
        f"hgrd: error: {tmp_path}: no CUDA source (.cu, .cuh) with a kernel or a launch below this directory"
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
