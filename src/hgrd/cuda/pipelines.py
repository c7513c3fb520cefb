"""Pipelines of asynchronous copies by the names of their classes, which our header defines: `cuda::pipeline`.

CUDA C++ Programming Guide, "Pipeline"; CUDA C++ Core Libraries, "cuda::pipeline".
"""

from __future__ import annotations

from typing import Final

_CLASS: Final = "cuda::pipeline<"
_OF_THREAD: Final = "cuda::pipeline<3>"
STAGE_SIZE: Final = 16
"""Bytes that a stage of a pipeline takes in shared memory: arrivals of those who commit, and of those who release."""


def is_pipeline(class_name: str) -> bool:
    """Whether a class of this name is one of pipelines."""
    return class_name.startswith(_CLASS)


def is_of_thread(class_name: str) -> bool:
    """Whether it is that of pipelines that each thread has for itself, which order no two threads."""
    return class_name == _OF_THREAD
