"""Trial: a run of a kernel on given inputs, with the races and barriers that the access model found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hgrd.program.expressions import Variable
from hgrd.program.layout import size_of
from hgrd.program.linked import Tables
from hgrd.program.program import Function
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, Type
from hgrd.simulate.detectors.access_model import AccessModel, BarrierUse, Race
from hgrd.simulate.detectors.moments import LaunchShape
from hgrd.simulate.execute import execute, prepare
from hgrd.simulate.launch import ConcreteLaunch, Extent3, RunOutcome
from hgrd.simulate.lockstep.memory import Memory
from hgrd.simulate.replay.witness_memory import scalar_of
from hgrd.simulate.scalars import dtype_of
from hgrd.simulate.trace import TraceSite

_FUEL = 1 << 34


class InputError(ValueError):
    """An input that does not fit the kernel; the message is for the user."""


class Inputs(Struct, frozen=True):
    """Inputs of a kernel: numbers by parameter, and for pointers how the array is made.

    An array is "zeros", "iota" (0, 1, 2, …), "random", "perm" (a permutation of 0, 1, 2, …), each with
    ":COUNT" elements or as many as the launch has threads, or the name of a file of numpy's (.npy).
    """

    grid: Extent3
    block: Extent3
    numbers: Mapping[str, float]
    arrays: Mapping[str, str]
    shared_bytes: int = 0
    seed: int = 0

    @property
    def block_threads(self) -> int:
        x, y, z = self.block
        return x * y * z

    @property
    def threads(self) -> int:
        x, y, z = self.grid
        return x * y * z * self.block_threads


class Trial(Struct, frozen=True):
    """Result of a trial: `arrays` after the run, by parameter; `names` of objects in global memory, by number."""

    kernel: str
    inputs: Inputs
    outcome: RunOutcome
    races: tuple[Race, ...]
    barriers: tuple[BarrierUse, ...]
    sites: tuple[TraceSite, ...]
    names: Mapping[int, str]
    arrays: Mapping[str, NDArray[Any]]
    seconds: float


def try_out(tables: Tables, kernel: Function, inputs: Inputs) -> Trial:
    """Runs a kernel.  Raises InputError, and UnsupportedError where a parameter has no size."""
    begin = perf_counter()
    names = {p.name for p in kernel.parameters}
    for name in (*inputs.numbers, *inputs.arrays):
        if name not in names:
            raise InputError(f"kernel '{kernel.ref.name}' has no parameter {name}")
    executable = prepare(tables, kernel)
    memory, arrays = Memory(), dict[str, NDArray[Any]]()
    arguments: list[int | float] = []
    for parameter in kernel.parameters:
        if isinstance(parameter.type, PointerType):
            arrays[parameter.name] = _array(tables, parameter, parameter.type.to, inputs)
            arguments.append(int(memory.allocate(parameter.name, arrays[parameter.name])))
        else:
            arguments.append(_number(parameter, inputs))
    launch = ConcreteLaunch(inputs.grid, inputs.block, tuple(arguments), inputs.shared_bytes)
    model = AccessModel(LaunchShape(launch.block_threads, launch.blocks))
    outcome = execute(executable, launch, memory, model, _FUEL)
    races, barriers = model.races(), model.barriers()
    sites = tuple(executable.sites.sites)
    seconds = perf_counter() - begin
    shown = {number: target.name for number, target in memory.objects.items()}
    return Trial(kernel.ref.name, inputs, outcome, races, barriers, sites, shown, arrays, seconds)


def _number(parameter: Variable, inputs: Inputs) -> int | float:
    if not isinstance(parameter.type, IntType | BoolType | FloatType):
        raise InputError(f"parameter {parameter.name} is neither a number nor a pointer")
    if parameter.name not in inputs.numbers:
        raise InputError(f"parameter {parameter.name} has no value (--param {parameter.name}=…)")
    value = inputs.numbers[parameter.name]
    if isinstance(parameter.type, FloatType):
        return float(value)
    if value != int(value):
        raise InputError(f"parameter {parameter.name} is a whole number, not {value}")
    return int(value)


def _array(tables: Tables, parameter: Variable, element: Type, inputs: Inputs) -> NDArray[Any]:
    wanted = inputs.arrays.get(parameter.name, "zeros")
    scalar = scalar_of(element)
    dtype = np.dtype("u1") if scalar is None else dtype_of(scalar)
    bytes_ = 1 if scalar is not None else size_of(element, tables.records) or 1
    if dtype is None or isinstance(scalar, PointerType):
        raise InputError(f"parameter {parameter.name}: arrays of pointers are not supported")
    if wanted.endswith(".npy"):
        return _loaded(wanted, dtype)
    kind, _, count = wanted.partition(":")
    if count and not count.isdecimal():
        raise InputError(f"parameter {parameter.name}: '{wanted}' is not KIND:COUNT")
    return _made(kind, bytes_ * (int(count) if count else inputs.threads), dtype, inputs.seed)


def _loaded(file: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    try:
        array = np.load(Path(file), allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: {error}") from None
    if array.dtype.kind != dtype.kind and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise InputError(f"{file}: {array.dtype} cannot be {dtype}")
    return np.array(array, dtype, order="C")


def _made(kind: str, count: int, dtype: np.dtype[Any], seed: int) -> NDArray[Any]:
    numbers = np.random.default_rng(seed)
    match kind:
        case "zeros":
            return np.zeros(count, dtype)
        case "iota":
            return np.arange(count).astype(dtype)
        case "perm":
            return numbers.permutation(count).astype(dtype)
        case "random" if dtype.kind == "f":
            return numbers.random(count).astype(dtype)
        case "random":
            return numbers.integers(0, count, count).astype(dtype)
        case _:
            raise InputError(f"'{kind}' is none of zeros, iota, random, perm, and no .npy file")


def dump(trial: Trial, name: str, file: str) -> None:
    """Writes an array, as the kernel has left it, in numpy's format.  Raises InputError."""
    if name not in trial.arrays:
        raise InputError(f"kernel '{trial.kernel}' has no array {name}")
    try:
        np.save(Path(file), trial.arrays[name], allow_pickle=False)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
