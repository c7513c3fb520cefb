"""Random kernels with an oracle: what they do is also computed thread by thread.

A kernel is a tree of Python values that `source` prints as CUDA and `trace` runs for one thread.  One block,
one shared array; indexes are sums of products of the thread number, counters and a parameter `n`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

THREADS, N, CELLS = 40, 3, 256
_OFFSET = 96  # indexes may be negative before it is added


@dataclass(frozen=True)
class Index:
    """constant + the sum of coefficient * variable, perhaps divided or reduced."""

    constant: int
    terms: tuple[tuple[int, str], ...]
    operator: str = ""  # "/" or "%"
    divisor: int = 1

    def text(self) -> str:
        total = " + ".join([*(f"{c} * {v}" for c, v in self.terms), str(self.constant)])
        return f"({total}) {self.operator} {self.divisor}" if self.operator else total

    def value(self, names: dict[str, int]) -> int:
        total = self.constant + sum(c * names[v] for c, v in self.terms)
        quotient = abs(total) // self.divisor * (1 if total >= 0 else -1)
        return {"": total, "/": quotient, "%": total - quotient * self.divisor}[self.operator]


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


Statement: TypeAlias = Access | Sync | Branch | For | Change

# ---------------------------------------------------------------- printing


def source(name: str, body: tuple[Statement, ...]) -> str:
    lines = [f"__global__ void {name}(int n) {{", f"  __shared__ int cells[{CELLS}];"]
    lines += ["  int t = threadIdx.x, x = 0, y = t, sink = 0;", *_lines(body, 1), "}"]
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

    def run(self, body: tuple[Statement, ...]) -> None:
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
                    self.run(then if taken else otherwise)
                case For():
                    self._loop(statement)

    def _loop(self, loop: For) -> None:
        i = loop.counter
        self.names[i] = loop.first.value(self.names)
        entered = loop.test_behind
        while entered or self._goes_on(loop):
            entered = False
            self.run(loop.body)
            amount = int(loop.step[1:])
            now = self.names[i]
            self.names[i] = {"+": now + amount, "*": now * amount, "/": abs(now) // amount * (1 if now > 0 else -1)}[
                loop.step[0]
            ]
            if len(self.trace) + self.barriers > 2000:
                raise OverflowError("it runs too long")

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


def races(body: tuple[Statement, ...]) -> dict[tuple[int, int], set[str]]:
    """The levels at which two accesses (by number) meet.  OverflowError for a kernel without meaning."""
    numbers = {id(access): number for number, access in enumerate(in_order(body))}
    touched: dict[tuple[int, int], set[tuple[int, int, bool]]] = {}
    for t in range(THREADS):
        thread = Thread({"t": t, "n": N, "x": 0, "y": t}, numbers)
        thread.run(body)
        for phase, number, write, cell in thread.trace:
            if not 0 <= cell < CELLS:
                raise OverflowError("out of bounds")
            touched.setdefault((phase, cell), set()).add((t, number, write))
    found: dict[tuple[int, int], set[str]] = {}
    for group in touched.values():
        for t, a, write_a in group:
            for u, b, write_b in group:
                if t < u and (write_a or write_b):
                    pair = (min(a, b), max(a, b))
                    found.setdefault(pair, set()).add("warp" if t // 32 == u // 32 else "block")
    return found


# ---------------------------------------------------------------- making


@dataclass
class Maker:
    """`uniform`: names that all threads agree on."""

    random: Random
    counters: int = 0
    uniform: tuple[str, ...] = ("n", "x")

    def kernel(self) -> tuple[Statement, ...]:
        while True:
            self.counters = 0
            body = self.block(("t", "n", "x", "y"), depth=0, barriers=True)
            if any(a.write for a in in_order(body)) and len(list(in_order(body))) > 1:
                try:
                    races(body)
                except OverflowError:
                    continue
                return body

    def block(self, scope: tuple[str, ...], depth: int, *, barriers: bool) -> tuple[Statement, ...]:
        size = self.random.randint(1, 4 if depth == 0 else 3)
        return tuple(self.statement(scope, depth, barriers) for _ in range(size))

    def statement(self, scope: tuple[str, ...], depth: int, barriers: bool) -> Statement:
        choice = self.random.random()
        if choice < 0.45 or (depth == 2 and choice < 0.7):
            return Access(self.random.random() < 0.6, self.index(scope))
        if choice < 0.6 and barriers:
            return Sync()
        if choice < 0.7:
            variable = "x" if barriers and self.random.random() < 0.5 else "y"
            names = tuple(v for v in scope if v in self.uniform) if variable == "x" else scope
            return Change(variable, self.small(names), self.random.random() < 0.3)
        if depth >= 2:
            return Access(True, self.index(scope))
        if choice < 0.82:
            return self.branch(scope, depth, barriers)
        return self.loop(scope, depth, barriers)

    def branch(self, scope: tuple[str, ...], depth: int, barriers: bool) -> Branch:
        together = self.random.random() < 0.4
        names = tuple(v for v in scope if v in self.uniform) if together else scope
        inner = barriers and together
        then = self.block(scope, depth + 1, barriers=inner)
        otherwise = self.block(scope, depth + 1, barriers=inner) if self.random.random() < 0.4 else ()
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
        body = self.block((*scope, counter), depth + 1, barriers=inside)
        return For(counter, first, bound, step, body, self.random.random() < 0.2)

    def small(self, names: tuple[str, ...]) -> Index:
        terms = ((self.random.choice((1, 1, 2, -1)), self.random.choice(names)),) if self.random.random() < 0.6 else ()
        return Index(self.random.randint(0, 6), terms)

    def index(self, names: tuple[str, ...]) -> Index:
        count = self.random.choice((1, 1, 2, 2, 3))
        chosen = dict.fromkeys(self.random.choice(("t", *names)) for _ in range(count))
        terms = tuple((self.random.choice((1, 1, 1, 2, 4, -1)), v) for v in chosen)
        operator = self.random.choice(("", "", "", "", "/", "%"))
        return Index(self.random.randint(0, 40), terms, operator, self.random.choice((2, 3, 4, 8)) if operator else 1)
