"""Pipelines of asynchronous copies by the names of their functions: `cuda::pipeline` of libcu++.

CUDA C++ Programming Guide, "Pipeline"; CUDA C++ Core Libraries, "cuda::pipeline".
"""

from __future__ import annotations

from enum import Enum
from typing import Final

OF_THREAD: Final = "cuda::pipeline<cuda::thread_scope_thread>"
"""The class of pipelines that each thread has for itself: they order what one thread has copied, and no two threads."""
_TYPE = "cuda::pipeline<"
_CLASS = "cuda::pipeline::"


class PipelineCall(Enum):
    """What a function does to a pipeline."""

    NOTHING = "makes a pipeline, or takes or gives back a stage, of which one thread has always enough"
    COMMIT = "ends a batch"
    OLDEST = "waits for the oldest batch that was not waited for"
    OTHER = "does something that is not understood, or orders several threads"


_FUNCTIONS = {
    _CLASS + "producer_acquire": PipelineCall.NOTHING,
    _CLASS + "consumer_release": PipelineCall.NOTHING,
    _CLASS + "producer_commit": PipelineCall.COMMIT,
    _CLASS + "consumer_wait": PipelineCall.OLDEST,
}


def pipeline_call(qualified: str, class_name: str, result: str) -> PipelineCall | None:
    """What a function of a library does to a pipeline of this class, or to its `result`; None of others."""
    if qualified == "cuda::make_pipeline" or result.startswith(_TYPE):
        return PipelineCall.NOTHING if result == OF_THREAD else PipelineCall.OTHER
    if not qualified.startswith("cuda::pipeline"):
        return None
    return _FUNCTIONS.get(qualified, PipelineCall.OTHER) if class_name == OF_THREAD else PipelineCall.OTHER
