"""The model of a library function, found by its name."""

from __future__ import annotations

from hgrd.host.concrete.library.algorithms import algorithm_model
from hgrd.host.concrete.library.call import Model
from hgrd.host.concrete.library.containers import container_model
from hgrd.host.concrete.library.generators import generator_model
from hgrd.host.concrete.library.records import record_model
from hgrd.host.concrete.library.references import reference_model
from hgrd.host.concrete.library.runtime import runtime_model
from hgrd.program.expressions import FunctionRef


def model_of(function: FunctionRef) -> Model | None:
    """The model of a library function; None: it has none."""
    found = (
        reference_model(function) or container_model(function) or generator_model(function) or record_model(function)
    )
    if found is None and "::" not in function.qualified.removeprefix("std::"):
        found = algorithm_model(function.qualified) or runtime_model(function.name)
    return found or algorithm_model(function.qualified)
