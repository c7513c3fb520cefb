"""Extensions of PyTorch: tensors, dispatch over the types of elements, the facts of their checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.findings.model import Confidence, Outcome
from tests.checking import check

HEADERS = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
"""
SHIFT = """
template <class T> __global__ void shift(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) out[i] = in[i + 1] * T(2);
}
"""
LAUNCH = """
    int n = x.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "shifted", [&] {
        shift<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("shifted", &shifted, "shifted", py::arg("x")); }
"""


def shifted(out: str) -> str:
    return f"{HEADERS}{SHIFT}torch::Tensor shifted(torch::Tensor x) {{\n    auto out = {out};\n{LAUNCH}"


def outcome(folder: Path, text: str) -> Outcome:
    (kernel,) = check(folder, text).kernels
    return kernel.outcome


@pytest.mark.parametrize(
    "out",
    (
        "torch::empty_like(x)",
        "torch::zeros({x.size(0)}, x.options())",
        "torch::empty(x.sizes(), torch::dtype(x.dtype()).device(x.device()))",
        "x.clone()",
    ),
)
def test_a_new_tensor_is_memory_of_its_own(out: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, shifted(out)) is Outcome.SAFE


@pytest.mark.parametrize(
    "out", ("x", "x.detach()", "x.view({-1})", "x.reshape({-1})", "x.contiguous()", "x.slice(0, 1)")
)
def test_a_view_shares_the_memory(out: str, tmp_path: Path) -> None:
    assert outcome(tmp_path, shifted(out)) is not Outcome.SAFE


def test_an_instance_for_each_type(tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, shifted("torch::empty_like(x)")).kernels
    assert [x.configuration for x in kernel.launches] == ["<<<(x.numel_ + 255) / 256, 256>>>"] * 3


ROWS = """
__global__ void rows(float *out, int width, int count) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < count)
        for (int c = 0; c < width; c++) out[r * width + c] = r;
}
void fill(at::Tensor out) {
    %s
    rows<<<(out.size(0) + 127) / 128, 128>>>(out.data_ptr<float>(), %s, out.size(0));
}
"""


def test_sizes_are_not_negative(tmp_path: Path) -> None:
    text = HEADERS + ROWS % ("", "out.size(1)")
    (kernel,) = check(tmp_path, text).kernels
    assert kernel.outcome is Outcome.SAFE


WINDOWS = """
__global__ void windows(float *out, int step) {
    for (int c = 0; c < 4; c++) out[blockIdx.x * step + c] = blockIdx.x;
}
void fill(at::Tensor out) {
    %s
    windows<<<8, 1>>>(out.data_ptr<float>(), out.stride(0));
}
"""


def test_what_is_checked_is_a_fact(tmp_path: Path) -> None:
    assert outcome(tmp_path, HEADERS + WINDOWS % "TORCH_CHECK(out.stride(0) >= 4, out.stride(0));") is Outcome.SAFE
    (kernel,) = check(tmp_path, HEADERS + WINDOWS % "").kernels
    assert kernel.outcome is Outcome.RACE
    assert Confidence.CONFIRMED not in {f.confidence for f in kernel.findings}


ACCESSORS = """
__global__ void add(at::PackedTensorAccessor32<float, 2, at::RestrictPtrTraits> to) {
    to[blockIdx.x][threadIdx.x%s] = 1.0f + threadIdx.x;
}
void fill(at::Tensor out) {
    TORCH_CHECK(out.stride(1) == 1 && out.stride(0) == 64);
    add<<<16, 64>>>(out.packed_accessor32<float, 2, at::RestrictPtrTraits>());
}
"""


def test_accessors(tmp_path: Path) -> None:
    assert outcome(tmp_path, HEADERS + ACCESSORS % "") is Outcome.SAFE
    assert outcome(tmp_path, HEADERS + ACCESSORS % " / 2") is Outcome.RACE


def test_small_numbers_are_read_and_written_whole(tmp_path: Path) -> None:
    text = """
        #include <c10/util/Half.h>
        #include <c10/util/BFloat16.h>
        #include <c10/util/complex.h>
        template <class T> __global__ void scale(T *p, float by) {
            p[threadIdx.x] = p[threadIdx.x] * T(by);
        }
        int main() {
            void *p;
            cudaMalloc(&p, 4096);
            scale<<<1, 64>>>((c10::Half *)p, 2.0f);
            scale<<<1, 64>>>((c10::BFloat16 *)p, 2.0f);
            scale<<<1, 64>>>((c10::complex<float> *)p, 2.0f);
        }
    """
    assert outcome(tmp_path, text) is Outcome.SAFE
    assert outcome(tmp_path, text.replace("p[threadIdx.x] =", "p[threadIdx.x / 2] =")) is Outcome.RACE


def test_functions_of_complex_numbers(tmp_path: Path) -> None:
    text = """
        #include <c10/util/complex.h>
        __global__ void conjugate(c10::complex<float> *p) {
            p[threadIdx.x] = std::conj(p[threadIdx.x]) * std::abs(p[threadIdx.x]);
        }
        int main() {
            c10::complex<float> *p;
            cudaMalloc(&p, 4096);
            conjugate<<<1, 64>>>(p);
        }
    """
    assert outcome(tmp_path, text) is Outcome.SAFE
    assert outcome(tmp_path, text.replace("p[threadIdx.x] =", "p[threadIdx.x / 2] =")) is Outcome.RACE


SUMS = """
#include <ATen/cuda/DeviceUtils.cuh>
__global__ void sums(const float *in, float *out, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float s = i < n ? in[i] : 0;
    for (int by = 16; by > 0; by /= 2) s += WARP_SHFL_DOWN(s, by);
    if (%s) out[blockIdx.x] = s + WARP_BALLOT(1);
}
void sum(at::Tensor x, at::Tensor out) {
    TORCH_CHECK(x.is_contiguous(at::MemoryFormat::ChannelsLast3d));
    sums<<<(x.numel() + 31) / 32, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
}
"""


def test_shuffles_of_a_warp(tmp_path: Path) -> None:
    assert outcome(tmp_path, HEADERS + SUMS % "threadIdx.x == 0") is Outcome.SAFE
    assert outcome(tmp_path, HEADERS + SUMS % "threadIdx.x < 2") is Outcome.RACE
