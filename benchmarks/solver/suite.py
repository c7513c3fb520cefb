"""The queries, each with the answer it must get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from benchmarks.solver.vocabulary import Sketch
from hgrd.solve.query import Query

Draw: TypeAlias = Callable[[Sketch], None]
_CHAPTERS = ("rows", "matrices", "shared", "loops")


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    race: bool
    mode: str
    draw: Draw

    def query(self) -> Query:
        sketch = Sketch(self.mode)
        self.draw(sketch)
        return sketch.build()


def race(mode: str = "any") -> Callable[[Draw], Draw]:
    """Marks a function that draws a query with a conflict: between any threads, or as `mode` says."""
    return lambda draw: _marked(draw, True, mode)


def safe(mode: str = "any") -> Callable[[Draw], Draw]:
    """Marks a function that draws a query without one."""
    return lambda draw: _marked(draw, False, mode)


def _marked(draw: Draw, race: bool, mode: str) -> Draw:
    draw.case = Case(draw.__name__, race, mode, draw)  # type: ignore[attr-defined]
    return draw


def cases() -> list[Case]:
    """All cases in the order of the chapters."""
    modules = [import_module(f"benchmarks.solver.{chapter}") for chapter in _CHAPTERS]
    return [value.case for module in modules for value in vars(module).values() if hasattr(value, "case")]
