"""Work that libraries put on the device: algorithms of CUB, and functions of NVIDIA's numeric libraries."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, decided, outcomes_of_launches

PROGRAM = """
#include <cuda_runtime.h>
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cublasLt.h>
#include <cufft.h>
#include <curand.h>
#include <nccl.h>
__global__ void get(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
struct Twice { __device__ float operator()(float v) const { return 2 * v; } };
struct Less { __device__ bool operator()(float v, float w) const { return v < w; } };
HELPERS
int main(int argc, char **argv) {
  const int n = 1024; float *x, *y, *z, *sum; cudaMalloc(&x, 4096), cudaMalloc(&y, 4096), cudaMalloc(&z, 4096);
  cudaMalloc(&sum, 4); void *tmp = nullptr; size_t bytes = 0;
  cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t e; cudaEventCreate(&e); cudaStream_t streams[2] = {a, b};
  BODY
  cudaDeviceSynchronize();
}
"""
GET = "get<<<4, 256, 0, b>>>(y, z, n);"
WAITS = {
    "": False,
    "cudaStreamSynchronize(a);": True,
    "cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0);": True,
    "cudaEventRecord(e, b); cudaStreamWaitEvent(b, e, 0);": False,
}
UNSIZED = ("a sort with two buffers", "cuBLASLt", "cuFFT", "NCCL")  # it is not known which elements they use
SIZED = "{0}; cudaMalloc(&tmp, bytes); {0};"
DEVICE_WIDE = {
    "a scan": "cub::DeviceScan::ExclusiveSum(tmp, bytes, x, y, n, STREAM)",
    "a scan in place": "cub::DeviceScan::ExclusiveSum(tmp, bytes, y, n, STREAM)",
    "a reduction": "cub::DeviceReduce::Sum(tmp, bytes, x, y, n, STREAM)",
    "a selection": "cub::DeviceSelect::Flagged(tmp, bytes, x, z + 1, y, sum, n, STREAM)",
    "a sort": "cub::DeviceRadixSort::SortKeys(tmp, bytes, x, y, n, 0, 32, STREAM)",
    "a sort with two buffers": "cub::DeviceRadixSort::SortKeys(tmp, bytes, keys, n, 0, 32, STREAM)",
    "a scan with bytes as storage": "cub::DeviceScan::ExclusiveSum((char *)tmp, bytes, x, y, n, STREAM)",
    "a sort in place": "cub::DeviceMergeSort::SortKeys(tmp, bytes, y, n, Less(), STREAM)",
}
CREATED = "cublasHandle_t h; cublasCreate(&h); const float one = 1; "
GEMM = "cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 32, 32, 32, &one, x, 32, x, 32, &one, y, 32);"
NUMERIC = {
    "cuBLAS": CREATED + "cublasSetStream(h, STREAM); " + GEMM,
    "cuBLAS, set last": CREATED + "cublasSetStream(h, 0); cublasSetStream(h, STREAM); " + GEMM,
    "cuBLASLt": "cublasLtHandle_t h; float one = 1;"
                "cublasLtMatmul(h, 0, &one, x, 0, x, 0, &one, y, 0, y, 0, 0, tmp, 0, STREAM);",
    "cuFFT": "cufftHandle p; cufftPlan1d(&p, 512, CUFFT_C2C, 1); cufftSetStream(p, STREAM);"
             "cufftExecC2C(p, (cufftComplex *)x, (cufftComplex *)y, CUFFT_FORWARD);",
    "cuRAND": "curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT); curandSetStream(g, STREAM);"
              "curandGenerateUniform(g, y, n);",
    "NCCL": "ncclComm_t c; ncclAllReduce(x, y, n, ncclFloat, ncclSum, c, STREAM);",
}  # fmt: skip


def outcomes(tmp_path: Path, body: str, helpers: str = "") -> set[Outcome]:
    report = check(tmp_path, PROGRAM.replace("HELPERS", helpers).replace("BODY", body))
    assert decided(report) == (1, 1)
    return outcomes_of_launches(report)


def outcome(name: str, *, ordered: bool) -> Outcome:
    return Outcome.SAFE if ordered else Outcome.UNKNOWN if name in UNSIZED else Outcome.RACE


@pytest.mark.parametrize("stream", ["a", "streams[0]"])
@pytest.mark.parametrize(("wait", "ordered"), WAITS.items())
@pytest.mark.parametrize("name", DEVICE_WIDE)
def test_algorithms_for_the_whole_device(tmp_path: Path, name: str, wait: str, ordered: bool, stream: str) -> None:
    call = SIZED.format(DEVICE_WIDE[name].replace("STREAM", stream))
    body = f"cub::DoubleBuffer<float> keys(x, y); {call} {wait} {GET}"
    assert outcomes(tmp_path, body) == {outcome(name, ordered=ordered)}


@pytest.mark.parametrize("name", DEVICE_WIDE)
def test_algorithms_in_the_stream_of_the_kernel(tmp_path: Path, name: str) -> None:
    call = SIZED.format(DEVICE_WIDE[name].replace("STREAM", "b"))
    assert outcomes(tmp_path, f"cub::DoubleBuffer<float> keys(x, y); {call} {GET}") == {Outcome.SAFE}


def test_without_storage_an_algorithm_does_nothing(tmp_path: Path) -> None:
    assert outcomes(tmp_path, DEVICE_WIDE["a scan"].replace("STREAM", "a") + ";" + GET) == {Outcome.SAFE}


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ("cub::DeviceScan::ExclusiveSum(tmp, bytes, y, x, n, a);", Outcome.SAFE),
        ("cub::DeviceScan::ExclusiveSum(tmp, bytes, z, x, n, a);", Outcome.RACE),
        ("cub::DeviceSelect::If(tmp, bytes, y, x, sum, n, Twice(), a);", Outcome.SAFE),
        ("cub::DeviceReduce::Sum(tmp, bytes, cub::CountingInputIterator<int>(0), sum, n, a);", Outcome.SAFE),
        (
            "cub::TransformInputIterator<float, Twice, float *> twice(z, Twice());"
            "cub::DeviceReduce::Sum(tmp, bytes, twice, sum, n, a);",
            Outcome.UNKNOWN,
        ),
        ("cub::DeviceFor::Bulk(n, [=] __device__(int i) { y[i] = i; }, a);", Outcome.UNKNOWN),
    ],
)
def test_what_algorithms_read_and_write(tmp_path: Path, call: str, outcome: Outcome) -> None:
    assert outcomes(tmp_path, f"cudaMalloc(&tmp, 4096); {call} {GET}") == {outcome}


@pytest.mark.parametrize("stream", ["a", "streams[0]"])
@pytest.mark.parametrize(("wait", "ordered"), WAITS.items())
@pytest.mark.parametrize("name", NUMERIC)
def test_functions_of_numeric_libraries(tmp_path: Path, name: str, wait: str, ordered: bool, stream: str) -> None:
    call = NUMERIC[name].replace("STREAM", stream)
    assert outcomes(tmp_path, f"{call} {wait} {GET}") == {outcome(name, ordered=ordered)}


@pytest.mark.parametrize("name", NUMERIC)
def test_functions_in_the_stream_of_the_kernel(tmp_path: Path, name: str) -> None:
    assert outcomes(tmp_path, f"{NUMERIC[name].replace('STREAM', 'b')} {GET}") == {Outcome.SAFE}


@pytest.mark.parametrize(
    ("setting", "outcome"),
    [
        ("", Outcome.RACE),
        ("cublasSetStream(h, b);", Outcome.SAFE),
        ("if (argc > 1) cublasSetStream(h, b);", Outcome.UNKNOWN),
        ("for (int i = 0; i < argc; i++) cublasSetStream(h, i > 5 ? a : b);", Outcome.UNKNOWN),
        ("cublasHandle_t other; cublasCreate(&other); cublasSetStream(other, b);", Outcome.UNKNOWN),
    ],
)
def test_streams_of_handles(tmp_path: Path, setting: str, outcome: Outcome) -> None:
    assert outcomes(tmp_path, f"{CREATED} {setting} {GEMM} {GET}") == {outcome}


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ("cublasSaxpy(h, n, &one, y, 1, x, 1);", Outcome.SAFE),
        ("cublasSaxpy(h, n, &one, x, 1, y, 1);", Outcome.RACE),
        ("cublasSscal(h, n, &one, y, 1);", Outcome.RACE),
        ("cublasSscal(h, n, &one, x, 1);", Outcome.SAFE),
        ("cublasSscal(h, n, &one, argc > 1 ? x : y, 1);", Outcome.UNKNOWN),
    ],
)
def test_what_functions_read_and_write(tmp_path: Path, call: str, outcome: Outcome) -> None:
    assert outcomes(tmp_path, f"{CREATED} cublasSetStream(h, a); {call} {GET}") == {outcome}


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ("ncclAllReduce(z, x, n, ncclFloat, ncclSum, c, a);", Outcome.UNKNOWN),
        ("ncclAllReduce(y, x, n, ncclFloat, ncclSum, c, a);", Outcome.SAFE),
        ("ncclSend(z, n, ncclFloat, 1, c, streams[0]);", Outcome.UNKNOWN),
        ("ncclRecv(x, n, ncclFloat, 1, c, a);", Outcome.SAFE),
    ],
)
def test_what_collectives_read_and_write(tmp_path: Path, call: str, outcome: Outcome) -> None:
    """The kernel reads `y` and writes `z`."""
    assert outcomes(tmp_path, f"ncclComm_t c; {call} {GET}") == {outcome}


BUFFERS = "struct Buffers { CLASS Buffers(float *, float *); float *current() const; };"


@pytest.mark.parametrize("members", ["", "float *first = nullptr;"])
@pytest.mark.parametrize(("given", "outcome"), [("x, z", Outcome.UNKNOWN), ("x, y", Outcome.SAFE)])
def test_objects_of_which_no_code_is_seen_give_what_they_got(
    tmp_path: Path, members: str, given: str, outcome: Outcome
) -> None:
    """The kernel writes what `z` leads to."""
    body = f"Buffers all({given}); get<<<4, 256>>>(all.current(), z, n);"
    assert outcomes(tmp_path, body, BUFFERS.replace("CLASS", members)) == {outcome}


@pytest.mark.parametrize("name", ["Pair", "cuPair", "CUPair"])
def test_classes_of_the_program_hold_pointers_whatever_their_names(tmp_path: Path, name: str) -> None:
    class_ = f"struct {name} {{ {name}(float *, float *); float *current() const; }};"
    body = f"{name} all(x, z); get<<<4, 256>>>(all.current(), z, n);"
    assert outcomes(tmp_path, body, class_) == {Outcome.UNKNOWN}


AT_ONCE = "get<<<1, 32, 0, b>>>(FROM, z, 32);"


@pytest.mark.parametrize(
    ("call", "read", "outcome"),
    [
        ("cublasSgemm(h, NN, 32, 16, 32, &one, x, 32, x, 32, &one, y, 32);", "y + 32 * 16", Outcome.SAFE),
        ("cublasSgemm(h, NN, 32, 16, 32, &one, x, 32, x, 32, &one, y, 32);", "y + 32 * 16 - 1", Outcome.RACE),
        ("cublasSgemm(h, NN, 32, 8, 32, &one, x, 32, x, 32, &one, y, 64);", "y + 32", Outcome.SAFE),
        ("cublasSgemm(h, NN, 32, 8, 32, &one, x, 32, x, 32, &one, y, 64);", "y + 64", Outcome.RACE),
        ("cublasSgemm(h, NN, 32, 8, 32, &one, x, 32, x, 32, &one, y, 48);", "y + 32", Outcome.RACE),
        ("cublasSgemv(h, CUBLAS_OP_N, 8, 32, &one, x, 8, x, 1, &one, y, 1);", "y + 8", Outcome.SAFE),
        ("cublasSgemv(h, CUBLAS_OP_T, 8, 32, &one, x, 8, x, 1, &one, y, 1);", "y + 8", Outcome.RACE),
        ("cublasSger(h, 16, 4, &one, x, 1, x, 1, y, 16);", "y + 64", Outcome.SAFE),
        ("cublasSger(h, 16, 4, &one, x, 1, x, 1, y, 16);", "y + 63", Outcome.RACE),
        ("cublasScopy(h, 8, x, 1, y, 32);", "y + 225", Outcome.SAFE),
        ("cublasScopy(h, 8, x, 1, y, 32);", "y + 224", Outcome.RACE),
        ("cublasDscal(h, 16, &two, (double *)y, 1);", "y + 32", Outcome.SAFE),
        ("cublasDscal(h, 16, &two, (double *)y, 1);", "y + 31", Outcome.RACE),
        ("cublasSnrm2(h, 32, z, 1, &sum_);", "y", Outcome.UNKNOWN),
        ("cublasSnrm2(h, 32, z + 32, 1, &sum_);", "y", Outcome.SAFE),
        ("cub::DeviceReduce::Sum(tmp, bytes, x, y, 100, a);", "y + 1", Outcome.SAFE),
        ("cub::DeviceReduce::Sum(tmp, bytes, x, y + 1, 100, a);", "y", Outcome.RACE),
        ("cub::DeviceScan::InclusiveSum(tmp, bytes, x, y, 100, a);", "y + 100", Outcome.SAFE),
        ("cub::DeviceScan::InclusiveSum(tmp, bytes, x, y, 100, a);", "y + 99", Outcome.RACE),
        ("curandGenerateUniform(g, y, 100);", "y + 100", Outcome.SAFE),
        ("curandGenerateUniform(g, y, 100);", "y + 99", Outcome.RACE),
        ("curandGenerateNormalDouble(g, (double *)y, 50, 0, 1);", "y + 99", Outcome.RACE),
    ],
)
def test_elements_that_functions_use(tmp_path: Path, call: str, read: str, outcome: Outcome) -> None:
    """They work in stream a; the kernel in stream b reads 32 elements from `read` on, and writes 32 of `z`."""
    ready = (
        f"{CREATED} const double two = 2; float sum_; cublasSetStream(h, a); cudaMalloc(&tmp, bytes = 4096);"
        "curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT); curandSetStream(g, a);"
    )
    call = call.replace("NN", "CUBLAS_OP_N, CUBLAS_OP_N")
    assert outcomes(tmp_path, f"{ready} {call} {AT_ONCE.replace('FROM', read)}") == {outcome}


SCALED = "cudaStream_t before; cublasGetStream(h, &before); cublasSetStream(h, a); cublasSscal(h, 1, &one, sum, 1);"


@pytest.mark.parametrize(("back", "outcome"), [("cublasSetStream(h, before);", Outcome.SAFE), ("", Outcome.RACE)])
def test_handles_that_get_their_streams_back(tmp_path: Path, back: str, outcome: Outcome) -> None:
    body = f"{CREATED} cublasSetStream(h, b); {SCALED} {back} {GEMM} {GET}"
    assert outcomes(tmp_path, body) == {outcome}


@pytest.mark.parametrize(("wait", "outcome"), [("cudaStreamSynchronize(a);", Outcome.SAFE), ("", Outcome.RACE)])
def test_results_in_memory_that_the_host_reads(tmp_path: Path, wait: str, outcome: Outcome) -> None:
    body = (
        "float *m; cudaMallocManaged(&m, 4); get<<<4, 256, 0, a>>>(y, z, n); cudaMalloc(&tmp, bytes = 4096);"
        f"cub::DeviceReduce::Sum(tmp, bytes, z, m, n, a); {wait} if (m[0] > 1) return 1;"
    )
    assert outcomes(tmp_path, body) == {outcome}
