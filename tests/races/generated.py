"""Random kernels with an oracle: what they do is also computed thread by thread.

A kernel is a tree of Python values that `source` prints as CUDA and `Thread` runs.  It works on one array, of
shared memory in one block, or of global memory in two; indexes are sums of products of the numbers of the
thread and the block, of counters and of a parameter `n`, with an operation on the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
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


Statement: TypeAlias = Access | Sync | Branch | Leave | For | Change

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
    lines = [head, f"  {array}", "  int t = threadIdx.x, x = 0, y = t, sink = 0;", *_lines(kernel.body, 1), "}"]
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
            case _:
                pass


def numbers_in(kernel: Kernel) -> dict[int, int]:
    """The number of each access, by its identity."""
    return {id(access): number for number, access in enumerate(in_order(kernel.body))}


def races(kernel: Kernel) -> dict[tuple[int, int], set[str]]:
    """The levels at which two accesses (by number) meet.  OverflowError for a kernel without meaning."""
    numbers = numbers_in(kernel)
    touched: dict[int, set[Touch]] = {}
    for b in range(1 if kernel.shared else BLOCKS):
        for t in range(THREADS):
            thread = Thread({"t": t, "b": b, "n": N, "x": 0, "y": t}, numbers)
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


# ---------------------------------------------------------------- making


@dataclass
class Maker:
    """`uniform`: names that all threads agree on."""

    random: Random
    counters: int = 0
    uniform: tuple[str, ...] = ("n", "x", "b")

    def kernel(self) -> Kernel:
        shared = self.random.random() < 0.6
        names = ("t", "n", "x", "y") if shared else ("t", "n", "x", "y", "b")
        while True:
            self.counters = 0
            kernel = Kernel(self.block(names, depth=0, barriers=True), shared)
            if any(a.write for a in in_order(kernel.body)) and len(list(in_order(kernel.body))) > 1:
                try:
                    races(kernel)
                except OverflowError:
                    continue
                return kernel

    def block(self, scope: tuple[str, ...], depth: int, *, barriers: bool, leaves: str = "") -> tuple[Statement, ...]:
        """`barriers`: all threads come here alike.  `leaves`: how break may depend on threads, if it may stand here."""
        size = self.random.randint(1, 4 if depth == 0 else 3)
        return tuple(self.statement(scope, depth, barriers, leaves) for _ in range(size))

    def statement(self, scope: tuple[str, ...], depth: int, barriers: bool, leaves: str) -> Statement:
        choice = self.random.random()
        if choice < 0.45 or (depth == 2 and choice < 0.7):
            return Access(self.random.random() < 0.6, self.index(scope))
        if choice < 0.6 and barriers:
            return Sync()
        if choice < 0.64 and leaves:
            names = tuple(v for v in scope if v in self.uniform) if leaves == "together" else scope
            word = self.random.choice(("break", "continue"))
            return Leave(self.small(names), self.small(names), word)
        if choice < 0.7:
            variable = "x" if barriers and self.random.random() < 0.5 else "y"
            names = tuple(v for v in scope if v in self.uniform) if variable == "x" else scope
            return Change(variable, self.small(names), self.random.random() < 0.3)
        if depth >= 2:
            return Access(True, self.index(scope))
        if choice < 0.82:
            return self.branch(scope, depth, barriers, leaves)
        return self.loop(scope, depth, barriers)

    def branch(self, scope: tuple[str, ...], depth: int, barriers: bool, leaves: str) -> Branch:
        together = self.random.random() < 0.4
        names = tuple(v for v in scope if v in self.uniform) if together else scope
        inner = barriers and together
        leaves = "" if leaves == "together" and not inner else leaves
        then = self.block(scope, depth + 1, barriers=inner, leaves=leaves)
        otherwise = self.block(scope, depth + 1, barriers=inner, leaves=leaves) if self.random.random() < 0.4 else ()
        return Branch(self.small(names), self.small(names), then, otherwise)

    def loop(self, scope: tuple[str, ...], depth: int, barriers: bool) -> For:
        counter = f"i{self.counters}"
        self.counters += 1
        together = self.random.random() < 0.7
        step = self.random.choice(("+1", "+1", "+2", "+3", "*2", "/2"))
        names = tuple(v for v in scope if v in self.uniform and v not in "xy") if together else ("t", "n")
        first = Index(self.random.randint(1 if step == "*2" else 0, 3), ((1, self.random.choice(names)),))
        if step in ("*2", "/2"):
            first = Index(self.random.choice((1, 4, 8)), ())
        bound = Index(self.random.randint(1, 9), ((1, self.random.choice(names)),))
        if together:
            self.uniform += (counter,)
        inside = barriers and together
        body = self.block((*scope, counter), depth + 1, barriers=inside, leaves="together" if inside else "alone")
        return For(counter, first, bound, step, body, self.random.random() < 0.2)

    def small(self, names: tuple[str, ...]) -> Index:
        terms = ((self.random.choice((1, 1, 2, -1)), self.random.choice(names)),) if self.random.random() < 0.6 else ()
        return Index(self.random.randint(0, 6), terms)

    def index(self, names: tuple[str, ...]) -> Index:
        count = self.random.choice((1, 1, 2, 2, 3))
        chosen = dict.fromkeys(self.random.choice(("t", *names)) for _ in range(count))
        terms = tuple((self.random.choice((1, 1, 1, 2, 4, -1)), v) for v in chosen)
        operator = self.random.choice(("", "", "", "", "", *OPERATORS))
        operand = self.random.choice(OPERATORS[operator]) if operator else 1
        return Index(self.random.randint(0, 40), terms, operator, operand)
