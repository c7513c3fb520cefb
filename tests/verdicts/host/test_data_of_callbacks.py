"""Functions of the host in streams, beside copies and kernels: memory that they find by pointers in their data."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check

PROGRAM = """
#include <cstdlib>
#include <cuda_runtime.h>
#include <memory>
struct Inner { float *data; };
struct Job { float *in = nullptr, *out = nullptr; Inner *inner = nullptr; int n = 0; };
struct Outer { Job *job; };
static void halve(void *p) { auto *j = static_cast<Job *>(p); for (int i = 0; i < 1024; i++) j->out[i] = j->in[i] / 2; }
static void look(void *p) { auto *j = static_cast<Job *>(p); for (int i = 0; i < 1024; i++) j->n += j->in[i] > 0; }
static void check(void *p) { auto *j = static_cast<const Job *>(p); if (j->in[0] < 0) exit(1); }
static void dig(void *p) { auto *j = static_cast<Job *>(p); for (int i = 0; i < 1024; i++) j->inner->data[i] = i; }
static void outer(void *p) { auto *o = static_cast<Outer *>(p); for (int i = 0; i < 1024; i++) o->job->out[i] = i; }
static void next(void *p) { static_cast<Job *>(p)[1].out[0] = 1; }
static void mark(void *p) { static_cast<Job *>(p)->n++; }
static void raw(void *p) { auto *x = static_cast<float *>(p); for (int i = 0; i < 1024; i++) x[i] = i; }
void unseen(void *p);
__global__ void put(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = i; }
__global__ void get(const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i]; }
int main(int argc, char **argv) {
  int rounds = atoi(argv[1]), total = 0; const int bytes = 4096;
  Job job, two[2]; auto owned = std::make_unique<Job>(); Inner inner; job.inner = &inner; Outer out{&job};
  cudaMallocHost(&job.in, bytes), cudaMallocHost(&job.out, bytes), cudaMallocHost(&inner.data, bytes);
  for (Job &j : two) cudaMallocHost(&j.in, bytes), cudaMallocHost(&j.out, bytes);
  cudaMallocHost(&owned->in, bytes), cudaMallocHost(&owned->out, bytes);
  float *x, *y, *z, *plain; cudaMalloc(&x, bytes), cudaMalloc(&y, bytes), cudaMalloc(&z, bytes);
  cudaMallocHost(&plain, bytes);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t e; cudaEventCreate(&e);
  cudaDeviceSynchronize();
  for (int r = 0; r < rounds; r++) { BODY cudaStreamSynchronize(b); }
  cudaDeviceSynchronize();
}
"""
ORDER = "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e);"
PUT, GET = "put<<<4, 256, 0, b>>>(x);", "get<<<4, 256, 0, b>>>(y, z);"


def calls(function: str, data: str) -> str:
    return f"cudaLaunchHostFunc(a, {function}, {data});"


def up(source: str) -> str:
    return f"cudaMemcpyAsync(y, {source}, bytes, cudaMemcpyHostToDevice, b); {GET}"


def down(to: str) -> str:
    return f"{PUT} cudaMemcpyAsync({to}, x, bytes, cudaMemcpyDeviceToHost, b);"


MEET = {  # a function of the host, and what uses the same memory on another stream
    "what it writes is copied": (calls("halve", "&job"), up("job.out")),
    "what it reads is filled by a copy": (calls("look", "&job"), down("job.in")),
    "what it writes is filled by a kernel": (calls("halve", "&job"), "put<<<4, 256, 0, b>>>(job.out);"),
    "an owned record": (calls("halve", "owned.get()"), up("owned->out")),
    "a pointer behind another one": (calls("dig", "&job"), up("job.inner->data")),
    "the same by its name": (calls("dig", "&job"), up("inner.data")),
    "a record in a record": (calls("outer", "&out"), up("job.out")),
    "the same element": (calls("halve", "&two[1]"), up("two[1].out")),
    "the next element": (calls("next", "&two[0]"), up("two[1].out")),
    "no record": (calls("raw", "job.out"), up("job.out")),
    "a lambda": ("cudaLaunchHostFunc(a, [](void *p) { static_cast<Job *>(p)->out[3] = 1; }, &job);", up("job.out")),
}
APART = {  # what it does not touch
    "both read": (calls("check", "&job"), up("job.in")),
    "another element": (calls("halve", "&two[0]"), up("two[1].out")),
    "another member": (calls("look", "&job"), up("job.out")),
    "no pointer is followed": (calls("mark", "&job"), down("job.in")),
    "other memory": (calls("halve", "&job"), up("plain")),
}


BESIDE = {  # a function of the host, and what the host does itself
    "a member is read": (calls("mark", "&job"), "total += job.n;"),
    "a member is written": (calls("mark", "&job"), "job.n = 0;"),
    "what a member leads to is read": (calls("halve", "&job"), "total += job.out[5];"),
    "what a member leads to is written": (calls("look", "&job"), "job.in[5] = 1;"),
    "an element is read": (calls("mark", "&two[1]"), "total += two[1].n;"),
    "a member of an owned record": (calls("mark", "owned.get()"), "total += owned->n;"),
    "not known what it does": ("cudaLaunchHostFunc(a, unseen, &job);", "total += job.n;"),
}
BESIDE_APART = {
    "a member that it does not write": (calls("mark", "&job"), "total += job.out != nullptr;"),
    "what it only reads": (calls("check", "&job"), "total += job.in[5] > 0;"),
    "another array": (calls("halve", "&job"), "total += plain[5] > 0;"),
    "another element's": (calls("halve", "&two[0]"), "total += two[1].out[5] > 0;"),
}


def outcomes(folder: Path, body: str) -> tuple[set[Outcome], set[str]]:
    """The outcomes of the kernels that are launched, and what is open of them."""
    report = check(folder, PROGRAM.replace("BODY", body))
    found = [n for k in report.kernels for n in k.launches if n.launch_span is not None]
    return {n.outcome for n in found}, {o.reason for n in found for o in n.open_pairs}


@pytest.mark.parametrize("name", MEET)
def test_nothing_orders_them(tmp_path: Path, name: str) -> None:
    function, other = MEET[name]
    for body in (f"{function} {other}", f"{ORDER} {function} {other}"):
        found, reasons = outcomes(tmp_path, body)
        assert found == {Outcome.UNKNOWN}
        assert all("the callback at" in reason for reason in reasons)
    assert outcomes(tmp_path, f"{function} {ORDER} {other}") == ({Outcome.SAFE}, set())


@pytest.mark.parametrize("name", APART)
def test_they_use_other_memory(tmp_path: Path, name: str) -> None:
    function, other = APART[name]
    assert outcomes(tmp_path, f"{function} {other}") == ({Outcome.SAFE}, set())


@pytest.mark.parametrize("name", BESIDE)
def test_the_host_goes_on_beside_it(tmp_path: Path, name: str) -> None:
    function, use = BESIDE[name]
    launch = "put<<<4, 256, 0, a>>>(z);"
    for early in (
        f"{launch} {function} {use}",
        f"{launch} cudaEventRecord(e, a); {function} cudaEventSynchronize(e); {use}",
    ):
        found, reasons = outcomes(tmp_path, f"{early} cudaStreamSynchronize(a);")
        assert found == {Outcome.UNKNOWN}
        assert all("while the callback at" in reason for reason in reasons)
    for wait in ("cudaStreamSynchronize(a);", "cudaEventRecord(e, a); cudaEventSynchronize(e);"):
        assert outcomes(tmp_path, f"{launch} {function} {wait} {use}") == ({Outcome.SAFE}, set())


@pytest.mark.parametrize("name", BESIDE_APART)
def test_the_host_uses_something_else_beside_it(tmp_path: Path, name: str) -> None:
    function, use = BESIDE_APART[name]
    body = f"put<<<4, 256, 0, a>>>(z); {function} {use} cudaStreamSynchronize(a);"
    assert outcomes(tmp_path, body) == ({Outcome.SAFE}, set())
