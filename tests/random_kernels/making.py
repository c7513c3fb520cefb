"""Makes random kernels that have a meaning: they end, and stay within their array."""

from dataclasses import dataclass
from random import Random

from tests.random_kernels.computed import (
    OPERATORS,
    Access,
    Branch,
    Change,
    For,
    Index,
    Kernel,
    Leave,
    Point,
    Put,
    Statement,
    Switch,
    Sync,
    in_order,
    races,
)


@dataclass
class Maker:
    """`uniform`: names that all threads agree on."""

    random: Random
    counters: int = 0
    uniform: tuple[str, ...] = ("n", "x", "b")

    def kernel(self) -> Kernel:
        shared = self.random.random() < 0.6
        names = ("t", "n", "x", "y", "z", "local[1]", "local[2]", *(() if shared else "b"))
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
        if choice < 0.82:
            return self.rare(scope, depth)
        if depth >= 2:
            return Access(True, self.index(scope))
        if choice < 0.9:
            return self.branch(scope, depth, barriers, leaves)
        return self.loop(scope, depth, barriers)

    def rare(self, scope: tuple[str, ...], depth: int) -> Statement:
        form = self.random.randrange(4 if depth < 2 else 3)
        match form:
            case 0:
                return Put(self.small(scope), self.small(scope))
            case 1:
                return Put(self.small(scope), None)
            case 2:
                return Point(self.small(scope), self.small(scope), self.small(scope))
            case _:
                cases = tuple(self.block(scope, depth + 1, barriers=False) for _ in range(3))
                return Switch(self.small(scope), cases)

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
