"""Model of the Mersenne twister (C++ [rand.eng.mers]): what it draws is the same in every library."""

from __future__ import annotations

from random import Random
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Generator, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import OpaqueType

_OWNER: Final = "std::mersenne_twister_engine"
_WORDS: Final = 624
_MASK: Final = 0xFFFFFFFF
_FACTOR: Final = 1812433253
_DEFAULT_SEED: Final = 5489


def generator_model(function: FunctionRef) -> Model | None:
    """The model of a member of std::mt19937; None: of another class."""
    owner, _, name = function.qualified.rpartition("::")
    if owner != _OWNER or "2567483615" not in map(str, function.template_args):
        return _constructed if owner == _OWNER and name == "mersenne_twister_engine" else None
    return _drawn if name == "operator()" else None


def _constructed(call: LibraryCall) -> Value | None:
    """An engine with a seed; of another engine than mt19937 nothing is known."""
    place, type_ = call.pointer(0), call.pointee(0)
    name = type_.name if isinstance(type_, OpaqueType) else ""
    seed = _DEFAULT_SEED if len(call.arguments) == 1 else call.number(1)
    known = place.offset is not None and isinstance(seed, int) and ", 32, 624, 397, 31, 2567483615, 11," in name
    if not known or place.offset is None or seed is None:
        return None
    place.target.cells[place.offset] = Cell(Generator(_seeded(seed)), type_ or OpaqueType(""), 1)
    return UNKNOWN


def _seeded(seed: int) -> tuple[int, tuple[int, ...], None]:
    words = [seed & _MASK]
    for i in range(1, _WORDS):
        before = words[-1]
        words.append((_FACTOR * (before ^ (before >> 30)) + i) & _MASK)
    return 3, (*words, _WORDS), None


def _drawn(call: LibraryCall) -> Value | None:
    place = call.pointer(0)
    cell = None if place.offset is None else place.target.cells.get(place.offset)
    generator = _of(cell)
    if generator is None or generator.state is None:
        return UNKNOWN
    engine = Random()
    engine.setstate(generator.state)
    number = engine.getrandbits(32)
    version, words, _ = engine.getstate()
    generator.state = version, words, None
    return number


def _of(cell: Cell | None) -> Generator | None:
    return cell.value if cell is not None and isinstance(cell.value, Generator) else None
