"""The model of a library function, found by its name."""

from __future__ import annotations

from typing import Final

from hgrd.host.concrete.library.call import Model
from hgrd.host.concrete.library.cpp.algorithms import algorithm_model
from hgrd.host.concrete.library.cpp.containers import container_model
from hgrd.host.concrete.library.cpp.generators import generator_model
from hgrd.host.concrete.library.cpp.given_code import given_code_model
from hgrd.host.concrete.library.cpp.maps import map_model
from hgrd.host.concrete.library.cpp.queues import queue_model
from hgrd.host.concrete.library.cpp.records import record_model
from hgrd.host.concrete.library.cpp.smart_pointers import smart_pointer_model
from hgrd.host.concrete.library.cpp.texts import text_model
from hgrd.host.concrete.library.cpp.threads import thread_model
from hgrd.host.concrete.library.cpp.wrappers import function_model, list_model, reference_model
from hgrd.host.concrete.library.cuda.runtime import runtime_model
from hgrd.program.expressions import FunctionRef

_OF_CLASSES: Final = (
    map_model,
    text_model,
    list_model,
    smart_pointer_model,
    reference_model,
    function_model,
    thread_model,
    container_model,
    queue_model,
    generator_model,
    record_model,
    given_code_model,
)


def model_of(function: FunctionRef) -> Model | None:
    """The model of a library function; None: it has none."""
    found = next((model for model in (find(function) for find in _OF_CLASSES) if model is not None), None)
    if found is None and "::" not in function.qualified.removeprefix("std::"):
        found = algorithm_model(function.qualified) or runtime_model(function.name)
    return found or algorithm_model(function.qualified)
