"""Work of NVIDIA's numeric libraries: it runs in the stream that a function gets, or that its handle was given.

A handle that was given none uses the default stream, and functions return before the work is done (cuBLAS,
"cublasSetStream"; cuFFT, "cufftSetStream"; cuRAND, "curandSetStream"; NCCL, "CUDA Stream Semantics").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hgrd.host.concurrency.trace import HandleStream, Touch, choices_of
from hgrd.host.device_work.library_extents import extents_of, with_extent
from hgrd.host.device_work.work import Role, add_work, touches_in_role
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.library.stream_handles import stream_of_handle
from hgrd.program.types import OpaqueType, PointerType
from hgrd.symbolic.values import MemorySpace, Value, pointed_to

_LIBRARIES: Final = ("cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nccl")
_SETTING: Final = re.compile(r"(cublas|cufft|curand|cusparse|cudnn|cusolver\w\w)SetStream(_v2)?")
_MAKING: Final = re.compile(r"(cublas|cusparse|cudnn|cusolver\w\w)Create(_v2)?|curandCreateGenerator")
_UPDATING_LAST: Final = re.compile(
    r"cublas([SDCZH](gemm|gemv|gbmv|symv|hemv|sbmv|hbmv|spmv|hpmv|trmv|trsv|tpmv|tpsv|tbmv|tbsv|ger|geru|gerc|syr2?|her2?"
    r"|spr2?|hpr2?|gemm3m|symm|hemm|syrk|herk|syr2k|her2k|syrkx|herkx|trmm|trsm|geam|dgmm|axpy|copy)"
    r"(StridedBatched)?|Gemm(StridedBatched)?Ex|AxpyEx|SgemmEx|CgemmEx)(_v2|_64)*"
)
_UPDATING: Final = re.compile(r"cublas([SDCZ](scal|swap|rot|rotm)|Csscal|Zdscal|ScalEx|RotEx)(_v2|_64)*|ncclBcast")
_FROM_TO: Final = re.compile(r"cufftExec\w+|nccl(AllReduce|Reduce|AllGather|ReduceScatter|Broadcast)")
_WRITING: Final = re.compile(r"curandGenerate(?!Seeds)\w*|ncclRecv")
_READING: Final = re.compile(r"ncclSend")
_REDUCING: Final = re.compile(
    r"cublas([SDCZ](dot|dotu|dotc|nrm2|asum)|Scnrm2|Dznrm2|Scasum|Dzasum|I[sdcz]am(ax|in))(_v2|_64)*"
)
_MATMUL: Final = "cublasLtMatmul"  # it gets descriptions between the matrices, and its roles go by the argument
_MATRICES: Final = {3: Role.READ, 5: Role.READ, 8: Role.READ, 10: Role.WRITTEN, 13: Role.UPDATED}


def is_numeric(call: LibraryCall) -> bool:
    """Whether a function is one of NVIDIA's numeric libraries."""
    return call.name.startswith(_LIBRARIES) and not call.call.function.user_code


def add_numeric(call: LibraryCall) -> bool:
    """Adds what a function of a numeric library puts on the device; the result: whether the host may wait for it."""
    trace, first = call.run.trace, call.argument(0)
    if first is None:
        return True
    if _SETTING.fullmatch(call.name):
        loops = tuple(loop.binder for loop in trace.inside)
        trace.handles[trace.address_of(first)] = HandleStream(call.stream(1), choices_of(call.state), loops)
        return False
    if _MAKING.fullmatch(call.name):
        trace.made_handles |= {t.key for t in pointed_to(first)}
        return True
    touches, stream = list(_touches(call)), _stream(call, first)
    if touches and stream is not None:
        add_work(call, call.name, stream, touches)
    return call.name != _MATMUL and _role(call.name, 0, 1) is Role.UNKNOWN


def _stream(call: LibraryCall, handle: Value) -> Value | None:
    """The stream that a function works in; None: nothing is known of its handle, which comes from elsewhere."""
    return call.stream(len(call.arguments) - 1) if _gets_stream(call.name) else stream_of_handle(call, handle)


def _gets_stream(name: str) -> bool:
    """Whether the last argument of a function is a stream."""
    return name.startswith("nccl") or name == _MATMUL


def _touches(call: LibraryCall) -> Iterator[Touch]:
    """The memory that a function gets pointers to, besides variables of the host."""
    first, last = (0 if call.name.startswith("nccl") else 1), len(call.arguments) - _gets_stream(call.name)
    indexes = [index for index in range(first, last) if _leads_to_memory(call, index)]
    extents = extents_of(call)
    for number, index in enumerate(indexes):
        value = call.argument(index)
        role = _role_at(call, index, number, len(indexes))
        if value is not None and role is not None:
            touches, extent = touches_in_role(call, value, role), extents.get(index)
            yield from touches if extent is None else (with_extent(touch, extent) for touch in touches)


def _role_at(call: LibraryCall, index: int, number: int, count: int) -> Role | None:
    """What a function does with an argument that is one of so many pointers; None: nothing on the device."""
    if call.name == _MATMUL:
        return _MATRICES.get(index)
    if _REDUCING.fullmatch(call.name):  # what they leave is behind the last argument, perhaps on the host
        return Role.WRITTEN if index == len(call.arguments) - 1 else Role.READ
    return _role(call.name, number, count)


def _role(name: str, number: int, count: int) -> Role:
    """What a function does with one of so many pointers."""
    last = number == count - 1
    if _UPDATING_LAST.fullmatch(name):
        return Role.UPDATED if last else Role.READ
    if _FROM_TO.fullmatch(name):
        overwritten = name.endswith(("C2R", "Z2D"))  # cuFFT, "In-place and out-of-place transforms"
        return Role.WRITTEN if last else Role.UPDATED if overwritten else Role.READ
    known = ((_UPDATING, Role.UPDATED), (_WRITING, Role.WRITTEN), (_READING, Role.READ))
    return next((role for names, role in known if names.fullmatch(name)), Role.UNKNOWN)


def _leads_to_memory(call: LibraryCall, index: int) -> bool:
    type_, value = call.type_of(index), call.argument(index)
    if isinstance(type_, PointerType) and isinstance(type_.to, OpaqueType):
        return False
    targets = () if value is None else pointed_to(value)
    return any(t.external or t.space is MemorySpace.GLOBAL for t in targets)
