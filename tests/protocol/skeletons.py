"""Skeletons of kernels: loops, choices and barriers around accesses of one array, with an oracle.

A skeleton is a tree of Python values that `source` prints as CUDA and `Thread` runs.  The oracle runs all
threads of one block and counts, for every two of them, the barriers that both took part in: two accesses
are unordered if that number is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, combinations
from typing import NamedTuple, TypeAlias

THREADS, N, M, CELLS, LONGEST = 34, 3, 2, 96, 400


class MeaninglessError(Exception):
    """Threads disagree on a barrier, run too long, or leave the array."""


@dataclass(frozen=True)
class Expression:
    """A C expression of t, n, m and counters, which Python understands as well (no negative operands)."""

    text: str

    def value(self, names: dict[str, int]) -> int:
        return int(eval(self.text.replace("/", "//").replace("&&", "and"), {}, names))


@dataclass(frozen=True)
class Access:
    write: bool
    index: Expression


@dataclass(frozen=True)
class Sync:
    """`kind`: "block", "warp", "lanes" (a mask of the low `size` lanes) or "tile" (of `size` threads)."""

    kind: str
    size: int = 0

    def members(self, thread: int) -> range:
        """The threads that wait for each other."""
        warp = thread // 32 * 32
        match self.kind:
            case "block":
                return range(THREADS)
            case "warp":
                return range(warp, warp + 32)
            case "lanes":
                return range(warp, warp + self.size)
            case _:
                first = thread // self.size * self.size
                return range(first, first + self.size)

    def text(self) -> str:
        match self.kind:
            case "block":
                return "__syncthreads();"
            case "warp":
                return "__syncwarp();"
            case "lanes":
                return f"__syncwarp({hex((1 << self.size) - 1)});"
            case _:
                return f"cg::tiled_partition<{self.size}>(cg::this_thread_block()).sync();"


@dataclass(frozen=True)
class Branch:
    test: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Leave:
    """if (test) break; or continue, or return."""

    test: Expression
    word: str


@dataclass(frozen=True)
class Loop:
    """for (counter = first; test; counter += stride) body; `behind`: the test comes at the end."""

    counter: str
    first: Expression
    test: Expression
    stride: int
    body: tuple[Statement, ...]
    behind: bool


Statement: TypeAlias = Access | Sync | Branch | Leave | Loop
Body: TypeAlias = tuple[Statement, ...]

# ---------------------------------------------------------------- printing

HEAD = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"


def source(name: str, body: Body) -> str:
    lines = [
        f"__global__ void {name}(int n, int m) {{",
        f"  __shared__ int cells[{CELLS}]; int t = threadIdx.x, sink = 0;",
        *_lines(body, 1),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _lines(body: Body, depth: int) -> Iterator[str]:
    pad = "  " * depth
    for statement in body:
        match statement:
            case Access(write=True, index=index):
                yield f"{pad}cells[{index.text}] = t;"
            case Access(index=index):
                yield f"{pad}sink += cells[{index.text}];"
            case Sync():
                yield f"{pad}{statement.text()}"
            case Branch(test=test, then=then, otherwise=otherwise):
                yield f"{pad}if ({test.text}) {{"
                yield from _lines(then, depth + 1)
                if otherwise:
                    yield f"{pad}}} else {{"
                    yield from _lines(otherwise, depth + 1)
                yield f"{pad}}}"
            case Leave(test=test, word=word):
                yield f"{pad}if ({test.text}) {word};"
            case Loop(counter=k, first=first, test=test, stride=stride, body=inner, behind=behind):
                if behind:
                    yield f"{pad}int {k} = {first.text};"
                    yield f"{pad}do {{"
                    yield from _lines(inner, depth + 1)
                    yield f"{pad}  {k} += {stride};"
                    yield f"{pad}}} while ({test.text});"
                else:
                    yield f"{pad}for (int {k} = {first.text}; {test.text}; {k} += {stride}) {{"
                    yield from _lines(inner, depth + 1)
                    yield f"{pad}}}"


# ---------------------------------------------------------------- running


class Touch(NamedTuple):
    """An access that a thread makes after so many barriers of all kinds."""

    thread: int
    met: int
    number: int
    write: bool


@dataclass
class Thread:
    """One thread's run: its barriers in order, and its accesses by cell."""

    number: int
    names: dict[str, int]
    numbers: dict[int, int]
    barriers: list[tuple[int, Sync]] = field(default_factory=list[tuple[int, Sync]])
    touches: list[tuple[int, Touch]] = field(default_factory=list[tuple[int, Touch]])
    rounds: int = 0

    def run(self, body: Body) -> str:
        """The word that control leaves `body` with: "" at its end, "break", "continue", "return"."""
        for statement in body:
            match statement:
                case Access(write=write, index=index):
                    cell = index.value(self.names)
                    if not 0 <= cell < CELLS:
                        raise MeaninglessError
                    touch = Touch(self.number, len(self.barriers), self.numbers[id(statement)], write)
                    self.touches.append((cell, touch))
                case Sync():
                    if self.number not in statement.members(self.number):
                        raise MeaninglessError
                    self.barriers.append((id(statement), statement))
                case Branch(test=test, then=then, otherwise=otherwise):
                    if word := self.run(then if test.value(self.names) else otherwise):
                        return word
                case Leave(test=test, word=word):
                    if test.value(self.names):
                        return word
                case Loop():
                    if self._loop(statement) == "return":
                        return "return"
        return ""

    def _loop(self, loop: Loop) -> str:
        k = loop.counter
        self.names[k] = loop.first.value(self.names)
        entered = loop.behind
        while entered or loop.test.value(self.names):
            entered = False
            self.rounds += 1
            if self.rounds > LONGEST:
                raise MeaninglessError
            word = self.run(loop.body)
            if word in ("break", "return"):
                return word
            if not (word == "continue" and loop.behind):  # the step of a do-while stands in its body
                self.names[k] += loop.stride
        return ""


def in_order(body: Body) -> Iterator[Access]:
    """The accesses in the order of the text."""
    for statement in body:
        match statement:
            case Access():
                yield statement
            case Branch(then=then, otherwise=otherwise):
                yield from in_order((*then, *otherwise))
            case Loop(body=inner):
                yield from in_order(inner)
            case _:
                pass


def run(body: Body, n: int = N, m: int = M) -> list[Thread]:
    """All threads of the block; MeaninglessError if two of them do not meet at the same barriers."""
    numbers = {id(access): number for number, access in enumerate(in_order(body))}
    threads: list[Thread] = []
    for t in range(THREADS):
        thread = Thread(t, {"t": t, "n": n, "m": m}, numbers)
        ended = thread.run(body) == "return"
        threads.append(thread)
        if ended:
            thread.names["ended"] = 1
    for one, two in combinations(threads, 2):
        mine, theirs = common(one, two.number), common(two, one.number)
        shorter, longer = (one, two) if len(mine) <= len(theirs) else (two, one)
        if mine[: len(theirs)] != theirs[: len(mine)]:
            raise MeaninglessError
        if len(mine) != len(theirs) and "ended" not in shorter.names and longer is not shorter:
            raise MeaninglessError
    return threads


def common(thread: Thread, other: int) -> list[int]:
    """The barriers that a thread waits at for another one."""
    return [key for key, sync in thread.barriers if other in sync.members(thread.number)]


def races(body: Body, n: int = N, m: int = M) -> dict[tuple[int, int], set[str]]:
    """The levels at which two accesses (by number) meet."""
    threads = run(body, n, m)
    met: dict[tuple[int, int], list[int]] = {}
    cells: dict[int, set[Touch]] = {}
    for thread in threads:
        for cell, touch in thread.touches:
            cells.setdefault(cell, set()).add(touch)
    found: dict[tuple[int, int], set[str]] = {}
    for group in cells.values():
        for one, two in combinations(sorted(group), 2):
            if one.thread == two.thread or not (one.write or two.write):
                continue
            level = "warp" if one.thread // 32 == two.thread // 32 else "block"
            levels = found.setdefault((min(one.number, two.number), max(one.number, two.number)), set())
            if level not in levels and _met(threads, met, one, two) == _met(threads, met, two, one):
                levels.add(level)
    return {pair: levels for pair, levels in found.items() if levels}


def _met(threads: list[Thread], known: dict[tuple[int, int], list[int]], touch: Touch, other: Touch) -> int:
    """How many barriers with the other thread come before the access."""
    key = (touch.thread, other.thread)
    if key not in known:
        shared = (other.thread in sync.members(touch.thread) for _, sync in threads[touch.thread].barriers)
        known[key] = [0, *accumulate(shared)]
    return known[key][touch.met]
