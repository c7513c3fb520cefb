"""Names of the runtime's functions, whichever dialect a program calls them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.cuda.spelling import cuda_name

_DRIVER: Final[Mapping[str, str]] = {
    "cuStreamSynchronize": "cudaStreamSynchronize",
    "cuCtxSynchronize": "cudaDeviceSynchronize",
    "cudaThreadSynchronize": "cudaDeviceSynchronize",
    "cuEventSynchronize": "cudaEventSynchronize",
    "cuEventRecord": "cudaEventRecord",
    "cudaEventRecordWithFlags": "cudaEventRecord",
    "cuStreamWaitEvent": "cudaStreamWaitEvent",
    "cudaDeviceReset": "cudaFree",
    "cudaFreeHost": "cudaFree",
    "cudaFreeArray": "cudaFree",
    "cuMemFree": "cudaFree",
    "cuMemFreeAsync": "cudaFreeAsync",
    "cuMemFreeHost": "cudaFree",
    "cuStreamDestroy": "cudaStreamDestroy",
    "cuEventDestroy": "cudaEventDestroy",
    "cuGraphLaunch": "cudaGraphLaunch",
}
_STORING_NOTHING: Final = frozenset(  # they take handles and memory, and store no pointer but that of a new handle
    (
        "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaEventCreate",
        "cudaEventCreateWithFlags", "cuStreamCreate", "cuStreamCreateWithPriority", "cuEventCreate",
        "cudaFree", "cudaFreeAsync", "cudaHostRegister", "cudaHostUnregister", "cudaMemset", "cudaMemsetAsync",
        "cudaMemset2D", "cudaMemset2DAsync", "cudaMemPrefetchAsync", "cudaMemAdvise", "cudaStreamSynchronize",
        "cudaStreamWaitEvent", "cudaStreamQuery", "cudaStreamDestroy", "cudaStreamAttachMemAsync", "cudaEventRecord",
        "cudaEventSynchronize", "cudaEventQuery", "cudaEventDestroy", "cudaEventElapsedTime", "cudaGraphLaunch",
        "cudaGraphDestroy", "cudaGraphExecDestroy", "cudaGraphUpload", "cudaDeviceSynchronize", "cudaSetDevice",
        "cudaDestroyTextureObject", "cudaDestroySurfaceObject", "cudaMemPoolTrimTo", "cudaFuncSetAttribute",
    )
)  # fmt: skip


def runtime_name(name: str) -> str:
    """The name of the runtime's function that a function is, also one of the driver or of another dialect."""
    name = cuda_name(name).removesuffix("_v2")
    return _DRIVER.get(name, name)


def stores_nothing(name: str) -> bool:
    """Whether a function of the runtime or the driver stores no pointer that it gets, neither at once nor for later."""
    return runtime_name(name) in _STORING_NOTHING
