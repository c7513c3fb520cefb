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
}


def runtime_name(name: str) -> str:
    """The name of the runtime's function that a function is, also one of the driver or of another dialect."""
    name = cuda_name(name).removesuffix("_v2")
    return _DRIVER.get(name, name)
