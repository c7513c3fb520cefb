"""Names of CUDA's record types: those that its own headers define, and clang does not print."""

from __future__ import annotations

from typing import Final

VECTOR_BASES: Final = (
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "float",
    "double",
)

VECTORS: Final = tuple(f"{base}{count}" for base in VECTOR_BASES for count in (1, 2, 3, 4))
"""CUDA C++ Programming Guide, "Built-in Vector Types": int1 to int4, and so on."""

SMALL_FLOATS: Final = ("__half", "__half2", "__nv_bfloat16", "__nv_bfloat162", "__nv_fp8_e4m3", "__nv_fp8_e5m2")
"""Numbers of 8 and 16 bits, and pairs of them; their operators are members that read the number, or replace it."""

_OTHERS: Final = """
    dim3
    curandStateXORWOW curandStateMRG32k3a curandStatePhilox4_32_10 curandStateMtgp32
    curandStateSobol32 curandStateScrambledSobol32 curandStateSobol64 curandStateScrambledSobol64
    cudaExtent cudaPos cudaPitchedPtr cudaLaunchAttribute cudaLaunchAttributeValue
    cudaLaunchConfig_st cudaKernelNodeParams
    timeval timespec
"""

RECORDS: Final = (*VECTORS, *SMALL_FLOATS, *_OTHERS.split())
"""All of them; their layouts stand in `hgrd.source.declarations.cuda_types`."""
