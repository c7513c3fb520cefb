"""`hgrd simulate`: a kernel on given inputs."""

from pathlib import Path

import numpy as np
import pytest

from tests.cli.test_main import hgrd, refused

SOURCE = """__global__ void sums(const float *in, float *out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    BARRIER
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "sums.cu"
    file.write_text(SOURCE.replace("BARRIER", "__syncthreads();"))
    return file


LAUNCH = ("--kernel", "sums", "--grid", "2", "--block", "64")


def test_a_correct_kernel(program: Path, tmp_path: Path):
    out = tmp_path / "out.npy"
    done = hgrd("simulate", str(program), *LAUNCH, "--param=n=128", "--array=in=iota", f"--dump=out={out}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("sums<<<(2, 1, 1), (64, 1, 1)>>>: finished; 0 races, 0 redundant barriers; ")
    assert np.load(out)[:3].tolist() == [sum(range(64)), sum(range(64, 128)), 0]


def test_a_race_and_a_barrier_for_nothing(program: Path):
    program.write_text(SOURCE.replace("BARRIER", "").replace("n ? ", "n ? (__syncthreads(), 0) + "))
    done = hgrd("simulate", str(program), *LAUNCH, "--param=n=128")
    assert done.returncode == 1
    assert f"{program}:7:24: error: data race on shared memory in kernel 'sums': this read\n" in done.stdout
    assert f"{program}:7:16: note: and this write\n" in done.stdout
    assert f"{program}:4:19: note: this barrier alone kept nothing from racing in this run\n" in done.stdout
    assert ": finished; 1 race, 1 redundant barrier; " in done.stdout


def test_divergence(program: Path):
    program.write_text(SOURCE.replace("BARRIER", "if (t < 40) __syncthreads(); else { __syncthreads(); }"))
    done = hgrd("simulate", str(program), *LAUNCH, "--param=n=128")
    assert done.returncode == 1
    assert f"{program}:8:17: error: barrier divergence in kernel 'sums'\n" in done.stdout
    assert ": stopped; " in done.stdout


def test_arrays(tmp_path: Path):
    file = tmp_path / "k.cu"
    file.write_text(
        "struct P { int x, y; };\n"
        "__global__ void k(int *a, const short *p, double *r, P *s, bool b, float f) {\n"
        "  int t = threadIdx.x;\n"
        "  a[p[t]] += 10 * t + b + int(f * 4);\n"
        "  r[t] *= 2;\n"
        "  s[t].y = 5;\n"
        "}\n"
    )
    np.save(tmp_path / "a.npy", np.arange(100, 108, dtype=np.int32))
    dumps = [f"--dump={name}={tmp_path / name}.npy" for name in ("p", "r", "s")]
    given = [f"--array=a={tmp_path / 'a.npy'}", "--array=p=perm", "--array=r=random", "--param=b=1", "--param=f=0.25"]
    launch = ("--kernel=k", "--grid=1", "--block=8")
    done = hgrd("simulate", str(file), *launch, *given, *dumps, f"--dump=a={tmp_path / 'b.npy'}")
    assert (done.returncode, done.stderr) == (0, "")
    p, b = np.load(tmp_path / "p.npy"), np.load(tmp_path / "b.npy")
    assert sorted(p.tolist()) == list(range(8))
    assert b[p].tolist() == [100 + p[t] + 10 * t + 2 for t in range(8)]
    assert np.load(tmp_path / "s.npy").view(np.int32).tolist() == [0, 5] * 8
    assert ((np.load(tmp_path / "r.npy") > 0) & (np.load(tmp_path / "r.npy") < 2)).all()


def test_what_cannot_be_run_says_why(program: Path, tmp_path: Path):
    def said(*arguments: str) -> str:
        return refused("simulate", str(program), *arguments)

    assert said(*LAUNCH) == "hgrd: error: parameter n has no value (--param n=…)"
    assert said(*LAUNCH, "--param=n=0.5") == "hgrd: error: parameter n is a whole number, not 0.5"
    assert said(*LAUNCH, "--param=n=1", "--array=x=zeros") == "hgrd: error: kernel 'sums' has no parameter x"
    assert "none of zeros, iota, random, perm" in said(*LAUNCH, "--param=n=1", "--array=in=ones")
    assert "No such file" in said(*LAUNCH, "--param=n=1", "--array=in=there-is-none.npy")
    assert said(*LAUNCH, "--param=n=1", "--dump=n=x.npy") == "hgrd: error: kernel 'sums' has no array n"
    assert "no kernel sum (there: sums)" in said("--kernel=sum", "--grid=1", "--block=1")


def test_outside_of_an_array(program: Path):
    done = hgrd("simulate", str(program), *LAUNCH, "--param=n=128", "--array=in=zeros:100")
    assert done.returncode == 2
    assert f"{program}:4:18: error: the run ends here: byte 400 of in, which has 400\n" in done.stdout
