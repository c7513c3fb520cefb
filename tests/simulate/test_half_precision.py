"""half and bfloat16: every operation is rounded once to the type (CUDA Math API, "Half Precision Intrinsics")."""

from pathlib import Path

import numpy as np
import pytest

from tests.simulate.running import run

X = np.array([0.1, 0.5, 1.5, 2.75, 3.3, 100.1, -0.3, -7.7], np.float32)
H = X.astype(np.float16)
F = H.astype(np.float32)


def rounded(values: object) -> list[float]:
    return np.asarray(values, np.float64).astype(np.float16).astype(np.float64).tolist()


VALUES = {
    "__half2float(__float2half(x) + __float2half(0.3f))": rounded(H + np.float16(0.3)),
    "float(half(x) * half(x))": rounded(H * H),
    "(float)-half(x)": rounded(-H),
    "__half2float(__hfma(h, h, half(0.1f)))": rounded(F.astype(np.float64) * F + np.float16(0.1)),
    "__half2float(hsqrt(__habs(h)))": rounded(np.sqrt(np.abs(F))),
    "__half2float(__hadd_sat(h, h))": rounded(np.clip(F + F, 0, 1)),
    "__half2float(__hmax(h, half(1)))": rounded(np.maximum(F, 1)),
    "__half2float(__hfma_relu(h, half(-1), half(0)))": rounded(np.maximum(-F, 0)),
    "__half2int_rd(h)": np.floor(F).tolist(),
    "__half2int_ru(h)": np.ceil(F).tolist(),
    "__half2int_rn(h)": np.rint(F).tolist(),
    "(int)h": np.trunc(F).tolist(),
    "__half_as_ushort(h)": H.view(np.uint16).astype(float).tolist(),
    "__half2float(__ushort_as_half(0x3c00))": [1.0] * 8,
    "__float2half_rz(0.1f) < __float2half_ru(0.1f)": [1.0] * 8,
    "__half2float(__float2half_rd(-0.1f))": [float(np.nextafter(np.float16(-0.1), np.float16(-1)))] * 8
    if float(np.float16(-0.1)) > float(np.float32(-0.1))
    else [float(np.float16(-0.1))] * 8,
    "__hgt(h, half(1)) + 2 * (h <= half(0.5)) + 4 * __hne(h, h)": ((F > 1) + 2 * (F <= 0.5)).tolist(),
    "__low2float(p) + 10 * __high2float(p)": (F + 20.0).tolist(),
    "__high2float(__lowhigh2highlow(p))": F.tolist(),
    "__half22float2(__hmul2(p, p)).x": rounded(H * H),
    "float(__halves2half2(h, half(3)).y)": [3.0] * 8,
    "__hbeq2(p, p) + 2 * __hbgt2(p, make_half2(half(0), half(0)))": (1 + 2 * (F > 0)).tolist(),
    "__heq2_mask(p, make_half2(half(9), half(2)))": [float(0xFFFF0000)] * 8,
    "(float)__float2bfloat16(1.00390625f)": [1.0] * 8,
    "(float)(nv_bfloat16(1.5f) * nv_bfloat16(3.0f))": [4.5] * 8,
    "__bfloat162float(__float2bfloat16_ru(1.001f))": [1.0078125] * 8,
    "__bfloat162float(__float2bfloat16_rz(-1.999f))": [-1.9921875] * 8,
    "changed(h)": rounded((H + np.float16(2)) * np.float16(0.5) + np.float16(1)),
}


@pytest.mark.parametrize("text", VALUES)
def test_a_value(tmp_path: Path, text: str):
    kernel = f"""
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    __device__ float changed(half h) {{ h += half(2); h *= half(0.5f); h++; return h; }}
    __global__ void k(double *out, const float *given) {{
      float x = given[threadIdx.x]; half h = __float2half(x); half2 p = __floats2half2_rn(x, 2);
      out[threadIdx.x] = {text};
    }}"""
    out = np.zeros(8)
    run(tmp_path, kernel, 1, 8, out, X.copy())
    assert out.tolist() == VALUES[text]
