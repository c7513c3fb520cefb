"""Random kernels with an oracle: what they do is also computed thread by thread.

A kernel is a tree of Python values that `source` prints as CUDA and `Thread` runs.  It works on one array, of
shared memory in one block, or of global memory in two; indexes are sums of products of the numbers of the
thread and the block, of counters and of a parameter `n`, with an operation on the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeAlias

THREADS, BLOCKS, N, CELLS = 40, 2, 3, 256
_OFFSET = 96  # indexes may be negative before it is added


@dataclass(frozen=True)
class Index:
    """constant + the sum of coefficient * variable, perhaps divided, reduced or masked.

    "low" is a device function: the smaller of the value and `operand`.
    """

    constant: int
    terms: tuple[tuple[int, str], ...]
    operator: str = ""  # one of OPERATORS
    operand: int = 1

    def text(self) -> str:
        total = " + ".join([*(f"{c} * {v}" for c, v in self.terms), str(self.constant)])
        if self.operator == "low":
            return f"low({total}, {self.operand})"
        return f"(({total}) {self.operator} {self.operand})" if self.operator else total

    def value(self, names: dict[str, int]) -> int:
        total = self.constant + sum(c * names[v] for c, v in self.terms)
        operand = self.operand
        quotient = abs(total) // operand * (1 if total >= 0 else -1)
        return {
            "": total,
            "/": quotient,
            "%": total - quotient * operand,
            "&": total & operand,
            ">>": total >> operand,
            "low": min(total, operand),
        }[self.operator]


@dataclass(frozen=True)
class Access:
    write: bool
    index: Index


@dataclass(frozen=True)
class Sync:
    pass


@dataclass(frozen=True)
class Branch:
    """if (left < right) then, else otherwise."""

    left: Index
    right: Index
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Leave:
    """if (left < right) break; or continue."""

    left: Index
    right: Index
    word: str


@dataclass(frozen=True)
class For:
    """`step` is "+c", "*2" or "/2"; the loop runs while counter < bound ("/2": while counter > 0)."""

    counter: str
    first: Index
    bound: Index
    step: str
    body: tuple[Statement, ...]
    test_behind: bool


@dataclass(frozen=True)
class Change:
    """x += amount, or x = amount - x."""

    variable: str
    amount: Index
    mirror: bool


@dataclass(frozen=True)
class Put:
    """local[at & 3] = value; or y = local[at & 3]."""

    at: Index
    value: Index | None


@dataclass(frozen=True)
class Point:
    """int *p = left < right ? &y : &z; *p += amount."""

    left: Index
    right: Index
    amount: Index


@dataclass(frozen=True)
class Switch:
    """On on & 3; the first case falls through into the second."""

    on: Index
    cases: tuple[tuple[Statement, ...], ...]


Statement: TypeAlias = Access | Sync | Branch | Leave | For | Change | Put | Point | Switch

OPERATORS = {"/": (2, 3, 4, 8), "%": (2, 3, 4, 8), "&": (1, 3, 6, 7), ">>": (1, 2), "low": (5, 20, 44)}
FUNCTIONS = """
__device__ int low(int value, int limit) {
  if (value < limit) return value;
  return limit;
}
"""

# ---------------------------------------------------------------- printing


@dataclass(frozen=True)
class Kernel:
    body: tuple[Statement, ...]
    shared: bool


def source(name: str, kernel: Kernel) -> str:
    array = f"__shared__ int cells[{CELLS}];" if kernel.shared else "int b = blockIdx.x;"
    head = f"__global__ void {name}(int n{'' if kernel.shared else ', int *cells'}) {{"
    variables = "int t = threadIdx.x, x = 0, y = t, z = 0, sink = 0, local[4] = {0, 1, 2, 3};"
    lines = [head, f"  {array}", f"  {variables}", *_lines(kernel.body, 1), "}"]
    return "\n".join(lines) + "\n"


def _lines(body: tuple[Statement, ...], depth: int) -> Iterator[str]:
    pad = "  " * depth
    for statement in body:
        match statement:
            case Access(write=True, index=index):
                yield f"{pad}cells[{_OFFSET} + {index.text()}] = t;"
            case Access(index=index):
                yield f"{pad}sink += cells[{_OFFSET} + {index.text()}];"
            case Sync():
                yield f"{pad}__syncthreads();"
            case Change(variable=x, amount=amount, mirror=mirror):
                yield f"{pad}{x} = {amount.text()} - {x};" if mirror else f"{pad}{x} += {amount.text()};"
            case Branch(left=left, right=right, then=then, otherwise=otherwise):
                yield f"{pad}if ({left.text()} < {right.text()}) {{"
                yield from _lines(then, depth + 1)
                if otherwise:
                    yield f"{pad}}} else {{"
                    yield from _lines(otherwise, depth + 1)
                yield f"{pad}}}"
            case Put(at=at, value=None):
                yield f"{pad}y = local[({at.text()}) & 3];"
            case Put(at=at, value=Index() as value):
                yield f"{pad}local[({at.text()}) & 3] = {value.text()};"
            case Point(left=left, right=right, amount=amount):
                yield f"{pad}{{ int *p = {left.text()} < {right.text()} ? &y : &z; *p += {amount.text()}; }}"
            case Switch(on=on, cases=cases):
                yield f"{pad}switch (({on.text()}) & 3) {{"
                for number, inner in enumerate(cases):
                    yield f"{pad}  {'default' if number == 2 else f'case {number}'}: {{"
                    yield from _lines(inner, depth + 2)
                    yield f"{pad}  }}{'' if number == 0 else ' break;'}"
                yield f"{pad}}}"
            case Leave(left=left, right=right, word=word):
                yield f"{pad}if ({left.text()} < {right.text()}) {word};"
            case For():
                yield from _loop(statement, depth)


def _loop(loop: For, depth: int) -> Iterator[str]:
    pad, i = "  " * depth, loop.counter
    test = f"{i} > 0" if loop.step == "/2" else f"{i} < {loop.bound.text()}"
    step = f"{i} {loop.step[0]}= {loop.step[1:]}"
    if loop.test_behind:
        yield f"{pad}int {i} = {loop.first.text()};"
        yield f"{pad}do {{"
        yield from _lines(loop.body, depth + 1)
        yield f"{pad}  {step};"
        yield f"{pad}}} while ({test});"
    else:
        yield f"{pad}for (int {i} = {loop.first.text()}; {test}; {step}) {{"
        yield from _lines(loop.body, depth + 1)
        yield f"{pad}}}"


# ---------------------------------------------------------------- running


@dataclass
class Thread:
    """One thread's run: `trace` has, for each access, how many barriers came before, its number, kind and cell.

    The number of an access is its place among the kernel's accesses in the order of the text.
    """

    names: dict[str, int]
    numbers: dict[int, int]
    trace: list[tuple[int, int, bool, int]] = field(default_factory=list[tuple[int, int, bool, int]])
    barriers: int = 0
    rounds: int = 0

    def run(self, body: tuple[Statement, ...]) -> str:
        """The word that control leaves `body` with: "" at its end, "break", "continue"."""
        for statement in body:
            match statement:
                case Access(write=write, index=index):
                    cell = _OFFSET + index.value(self.names)
                    self.trace.append((self.barriers, self.numbers[id(statement)], write, cell))
                case Sync():
                    self.barriers += 1
                case Change(variable=x, amount=amount, mirror=mirror):
                    value = amount.value(self.names)
                    self.names[x] = value - self.names[x] if mirror else self.names[x] + value
                case Branch(left=left, right=right, then=then, otherwise=otherwise):
                    taken = left.value(self.names) < right.value(self.names)
                    if word := self.run(then if taken else otherwise):
                        return word
                case Leave(left=left, right=right, word=word):
                    if left.value(self.names) < right.value(self.names):
                        return word
                case For():
                    self._loop(statement)
                case Put(at=at, value=value):
                    cell = f"local[{at.value(self.names) & 3}]"
                    if value is None:
                        self.names["y"] = self.names[cell]
                    else:
                        self.names[cell] = value.value(self.names)
                case Point(left=left, right=right, amount=amount):
                    variable = "y" if left.value(self.names) < right.value(self.names) else "z"
                    self.names[variable] += amount.value(self.names)
                case Switch(on=on, cases=cases):
                    number = min(on.value(self.names) & 3, 2)
                    for inner in cases[0:2] if number == 0 else cases[number : number + 1]:
                        if word := self.run(inner):
                            return word
        return ""

    def _loop(self, loop: For) -> None:
        i = loop.counter
        self.names[i] = loop.first.value(self.names)
        entered = loop.test_behind
        while entered or self._goes_on(loop):
            entered = False
            self.rounds += 1
            if self.rounds > 2000:
                raise OverflowError("it runs too long")
            word = self.run(loop.body)
            if word == "break":
                return
            if word == "continue" and loop.test_behind:  # the step stands in the body
                continue
            amount = int(loop.step[1:])
            now = self.names[i]
            self.names[i] = {"+": now + amount, "*": now * amount, "/": abs(now) // amount * (1 if now > 0 else -1)}[
                loop.step[0]
            ]

    def _goes_on(self, loop: For) -> bool:
        now = self.names[loop.counter]
        return now > 0 if loop.step == "/2" else now < loop.bound.value(self.names)


def in_order(body: tuple[Statement, ...]) -> Iterator[Access]:
    """The accesses in the order of the text."""
    for statement in body:
        match statement:
            case Access():
                yield statement
            case Branch(then=then, otherwise=otherwise):
                yield from in_order((*then, *otherwise))
            case For(body=inner):
                yield from in_order(inner)
            case Switch(cases=cases):
                yield from in_order(tuple(s for inner in cases for s in inner))
            case _:
                pass


def numbers_in(kernel: Kernel) -> dict[int, int]:
    """The number of each access, by its identity."""
    return {id(access): number for number, access in enumerate(in_order(kernel.body))}


def names_of(t: int, b: int, n: int) -> dict[str, int]:
    """What a thread knows at first."""
    return {"t": t, "b": b, "n": n, "x": 0, "y": t, "z": 0} | {f"local[{i}]": i for i in range(4)}


def races(kernel: Kernel) -> dict[tuple[int, int], set[str]]:
    """The levels at which two accesses (by number) meet.  OverflowError for a kernel without meaning."""
    numbers = numbers_in(kernel)
    touched: dict[int, set[Touch]] = {}
    for b in range(1 if kernel.shared else BLOCKS):
        for t in range(THREADS):
            thread = Thread(names_of(t, b, N), numbers)
            thread.run(kernel.body)
            for phase, number, write, cell in thread.trace:
                if not 0 <= cell < CELLS:
                    raise OverflowError("out of bounds")
                touched.setdefault(cell, set()).add(Touch(b, t, phase, number, write))
    found: dict[tuple[int, int], set[str]] = {}
    for group in touched.values():
        for one, two in combinations(group, 2):
            level = one.meets(two)
            if level:
                found.setdefault((min(one.number, two.number), max(one.number, two.number)), set()).add(level)
    return found


class Touch(NamedTuple):
    """A thread's access to some cell."""

    block: int
    thread: int
    phase: int
    number: int
    write: bool

    def meets(self, other: Touch) -> str:
        """The level at which the two race; "" if they do not."""
        if not (self.write or other.write):
            return ""
        if self.block != other.block:
            return "grid"
        if self.phase != other.phase or self.thread == other.thread:
            return ""
        return "warp" if self.thread // 32 == other.thread // 32 else "block"
