"""Programs of seven shapes and any size: each is one kernel without races, with its launch.

`python -m benchmarks.scaling.kernels SHAPE SIZE` prints one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Final

_TILE: Final = "__shared__ float tile[128];"
_BARRIER: Final = "__syncthreads();"


@dataclass(frozen=True, slots=True)
class Shape:
    """`write` makes the program of a size; `sizes` are those to measure; `unit` says what is counted."""

    unit: str
    sizes: Sequence[int]
    write: Callable[[int], str]


def barriers(size: int) -> str:
    """Writes of a tile, reads of it by another thread, and a barrier between each and the next."""
    steps = ["tile[t] = v;" if k % 2 == 0 else f"v += tile[{127 - k % 100} ^ t];" for k in range(size + 1)]
    return _program(_TILE, *_between(steps, _BARRIER))


def accesses(size: int) -> str:
    """Writes of the elements of one record, all in one phase."""
    return _program(*(f"data[{size} * i + {k}] = v;" for k in range(size)))


def loops(size: int) -> str:
    """Loops one after the other, in each of which the threads of a block fill a row of their own."""
    rows = [f"for (int r = t; r < 240; r += 128) rows[{k}][r] = v;" for k in range(size)]
    return _program(f"__shared__ char rows[{size}][240];", *rows)


def conditionals(size: int) -> str:
    """Tests one after the other, each with an access and a change of what the later ones store."""
    lines: list[str] = []
    for k in range(size):
        lines += [f"if (i % {k + 2} == 0) {{", f"  data[{size} * i + {k}] = v;", "  v += n;", "}"]
    return _program(*lines)


def chained(size: int) -> str:
    """Tests one after the other, each with an access and a change of what the later ones test."""
    lines = ["int s = n;"]
    for k in range(size):
        lines += [f"if (s % {k + 2} == i % {k + 3}) {{", f"  data[{size} * i + {k}] = v;", "  s += n;", "}"]
    return _program(*lines)


def nested(size: int) -> str:
    """Loops within one another, each with two barriers, behind a write and behind a read."""
    heads = [[f"for (int r{k} = 0; r{k} < n; ++r{k}) {{", f"tile[t] = v + r{k};", _BARRIER] for k in range(size)]
    tail = ["v += tile[127 - t];", _BARRIER, "}"]
    return _program(_TILE, *chain(*heads), *tail * size)


def innermost(size: int) -> str:
    """Loops within one another, and two barriers in the innermost alone."""
    heads = [f"for (int r{k} = 0; r{k} < 4; ++r{k}) {{" for k in range(size)]
    return _program(_TILE, *heads, "tile[t] = v;", _BARRIER, "v += tile[127 - t];", _BARRIER, *"}" * size)


SHAPES: Final[Mapping[str, Shape]] = MappingProxyType(
    {
        "barriers": Shape("barriers", (1, 2, 5, 10, 20, 50, 100, 200), barriers),
        "accesses": Shape("accesses", (1, 2, 5, 10, 20, 50, 100, 200), accesses),
        "loops": Shape("sequential loops", (1, 2, 5, 10, 20, 50, 100, 200), loops),
        "conditionals": Shape("conditionals", (1, 2, 5, 10, 20, 30, 40, 50), conditionals),
        "chained": Shape("conditionals on each other", (1, 2, 5, 10, 20, 30, 40, 50), chained),
        "nested": Shape("nested synchronised loops", tuple(range(1, 13)), nested),
        "innermost": Shape("loops around a synchronised one", tuple(range(1, 13)), innermost),
    }
)


def _between(steps: Sequence[str], line: str) -> list[str]:
    return [text for step in steps for text in (step, line)][:-1]


def _program(*body: str) -> str:
    """Threads beyond `width` leave at once, unless they are needed at a barrier."""
    return "\n".join(
        (
            "__global__ void kernel(float *data, int n, int width) {",
            "  int t = threadIdx.x;",
            "  int i = blockIdx.x * blockDim.x + t;",
            "  float v = 1;",
            *(() if _BARRIER in body else ("  if (i >= width) return;",)),
            *(f"  {line}" for line in body),
            "}",
            "",
            "void run(float *data, int n, int width) {",
            "  kernel<<<(width + 127) / 128, 128>>>(data, n, width);",
            "}",
            "",
        )
    )


if __name__ == "__main__":
    print(SHAPES[sys.argv[1]].write(int(sys.argv[2])))
