"""Layouts of the types that CUDA builds in: they stand in precompiled headers, which clang does not print."""

from __future__ import annotations

from hgrd.program.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UINT,
    ULONG,
    VOID,
    Field,
    FloatType,
    IntType,
    PointerType,
    Record,
    RecordType,
    Type,
)

_ELEMENTS: tuple[tuple[str, Type, int], ...] = (
    ("char", CHAR, 1),
    ("uchar", IntType(8, False), 1),
    ("short", IntType(16, True), 2),
    ("ushort", IntType(16, False), 2),
    ("int", INT, 4),
    ("uint", UINT, 4),
    ("long", LONG, 8),
    ("ulong", ULONG, 8),
    ("longlong", LONG, 8),
    ("ulonglong", ULONG, 8),
    ("float", FLOAT, 4),
    ("double", DOUBLE, 8),
)


def _record(name: str, align: int, *members: tuple[str, Type, int], size: int = 0) -> Record:
    offset = 0
    fields: list[Field] = []
    for member, type_, width in members:
        fields.append(Field(member, type_, offset))
        offset += width
    return Record(name, name, size or -(-offset // align) * align, align, tuple(fields))


def _vectors() -> dict[str, Record]:
    made: dict[str, Record] = {}
    for base, type_, width in _ELEMENTS:
        for count in (1, 2, 3, 4):
            # CUDA C++ programming guide, "Built-in Vector Types": 2 and 4 elements are aligned, up to 16.
            align = width if count in (1, 3) else min(width * count, 16)
            name = f"{base}{count}"
            made[name] = _record(name, align, *((member, type_, width) for member in "xyzw"[:count]))
    return made


_HALF = FloatType(16)
_DIM3 = RecordType("dim3")


def _launches() -> dict[str, Record]:
    """The records that say how a kernel is launched."""
    grid = ("gridDim", _DIM3, 12), ("blockDim", _DIM3, 12)
    pointer = PointerType(VOID)
    attributes = PointerType(RecordType("cudaLaunchAttribute"))
    found = (
        _record(
            "cudaLaunchConfig_st",
            8,
            *grid,
            ("dynamicSmemBytes", ULONG, 8),
            ("stream", pointer, 8),
            ("attrs", attributes, 8),
            ("numAttrs", UINT, 4),
        ),
        _record(
            "cudaKernelNodeParams",
            8,
            ("func", pointer, 8),
            *grid,
            ("sharedMemBytes", UINT, 8),
            ("kernelParams", PointerType(pointer), 8),
            ("extra", PointerType(pointer), 8),
        ),
    )
    return {record.key: record for record in found}


LAUNCH_RECORDS = _launches()

PRELUDE_RECORDS: dict[str, Record] = {
    **_vectors(),
    "dim3": _record("dim3", 4, ("x", UINT, 4), ("y", UINT, 4), ("z", UINT, 4)),
    "__half": _record("__half", 2, ("__x", _HALF, 2)),
    "__half2": _record("__half2", 4, ("x", RecordType("__half"), 2), ("y", RecordType("__half"), 2)),
    "__nv_bfloat16": _record("__nv_bfloat16", 2, ("__x", _HALF, 2)),
    "__nv_bfloat162": _record(
        "__nv_bfloat162", 4, ("x", RecordType("__nv_bfloat16"), 2), ("y", RecordType("__nv_bfloat16"), 2)
    ),
    "__nv_fp8_e4m3": _record("__nv_fp8_e4m3", 1, ("__x", IntType(8, False), 1)),
    "__nv_fp8_e5m2": _record("__nv_fp8_e5m2", 1, ("__x", IntType(8, False), 1)),
    "curandStateXORWOW": _record("curandStateXORWOW", 8, size=48),
    "curandStateMRG32k3a": _record("curandStateMRG32k3a", 8, size=72),
    "curandStatePhilox4_32_10": _record("curandStatePhilox4_32_10", 16, size=64),
    "curandStateMtgp32": _record("curandStateMtgp32", 8, size=4120),
    "curandStateSobol32": _record("curandStateSobol32", 4, size=140),
    "curandStateScrambledSobol32": _record("curandStateScrambledSobol32", 4, size=140),
    "curandStateSobol64": _record("curandStateSobol64", 8, size=536),
    "curandStateScrambledSobol64": _record("curandStateScrambledSobol64", 8, size=536),
    "cudaExtent": _record("cudaExtent", 8, ("width", ULONG, 8), ("height", ULONG, 8), ("depth", ULONG, 8)),
    "cudaPos": _record("cudaPos", 8, ("x", ULONG, 8), ("y", ULONG, 8), ("z", ULONG, 8)),
    "cudaPitchedPtr": _record(
        "cudaPitchedPtr",
        8,
        ("ptr", PointerType(VOID), 8),
        ("pitch", ULONG, 8),
        ("xsize", ULONG, 8),
        ("ysize", ULONG, 8),
    ),
    "cudaLaunchAttribute": _record(
        "cudaLaunchAttribute", 8, ("id", INT, 8), ("val", RecordType("cudaLaunchAttributeValue"), 64)
    ),
    "cudaLaunchAttributeValue": Record(
        "cudaLaunchAttributeValue",
        "cudaLaunchAttributeValue",
        64,
        8,
        (
            *(Field(name, INT, 0) for name in ("cooperative", "priority", "programmaticStreamSerializationAllowed")),
            Field("clusterDim", RecordType("uint3"), 0),
        ),
    ),
    **LAUNCH_RECORDS,
    "timeval": _record("timeval", 8, ("tv_sec", LONG, 8), ("tv_usec", LONG, 8)),
    "timespec": _record("timespec", 8, ("tv_sec", LONG, 8), ("tv_nsec", LONG, 8)),
}

_HANDLES = (
    "cudaStream_t cudaEvent_t cudaGraph_t cudaGraphExec_t cudaGraphNode_t cudaArray_t cudaMipmappedArray_t "
    "cudaMemPool_t cudaFunction_t cudaKernel_t CUstream CUevent CUcontext CUmodule CUfunction CUarray "
    "cublasHandle_t cublasLtHandle_t cusparseHandle_t cusolverDnHandle_t curandGenerator_t cudnnHandle_t"
)

PRELUDE_TYPES: dict[str, Type] = {
    **{name: RecordType(name) for name in PRELUDE_RECORDS},
    **{name: PointerType(VOID) for name in _HANDLES.split()},
    "half": RecordType("__half"),
    "half2": RecordType("__half2"),
    "nv_bfloat16": RecordType("__nv_bfloat16"),
    "nv_bfloat162": RecordType("__nv_bfloat162"),
    "cuComplex": RecordType("float2"),
    "cuFloatComplex": RecordType("float2"),
    "cuDoubleComplex": RecordType("double2"),
    "cufftComplex": RecordType("float2"),
    "cufftDoubleComplex": RecordType("double2"),
    "cufftReal": FLOAT,
    "cufftDoubleReal": DOUBLE,
    "cufftHandle": INT,
    "curandState": RecordType("curandStateXORWOW"),
    "curandState_t": RecordType("curandStateXORWOW"),
    **{f"{name}_t": RecordType(name) for name in PRELUDE_RECORDS if name.startswith("curandState")},
    "cudaLaunchConfig_t": RecordType("cudaLaunchConfig_st"),
    "cudaLaunchAttribute_st": RecordType("cudaLaunchAttribute"),
    "cudaLaunchAttributeID": INT,
    "cudaTextureObject_t": ULONG,
    "cudaSurfaceObject_t": ULONG,
    "CUdeviceptr": ULONG,
    "cudaError_t": INT,
    "cudaError": INT,
    "cudaMemcpyKind": INT,
    "CUresult": INT,
    "CUdevice": INT,
    "memory_order": INT,
    "memory_order_t": INT,
    "thread_scope": INT,
}

GROUPS = frozenset(
    (
        *("thread_group", "thread_block", "grid_group", "coalesced_group", "thread_block_tile", "cluster_group"),
        *("multi_grid_group", "plus", "less", "greater", "bit_and", "bit_or", "bit_xor"),
    )
)
BUILTIN_VARIABLES = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"))
NORETURN = frozenset(
    (
        *("exit", "abort", "_Exit", "_exit", "quick_exit", "__assert_fail", "__assert", "terminate", "longjmp"),
        *("__trap", "__builtin_trap", "__builtin_unreachable", "__builtin_abort"),
    )
)
