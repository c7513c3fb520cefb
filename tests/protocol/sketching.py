"""Makes random skeletons that have a meaning at the launches they are run at."""

from dataclasses import dataclass, field
from random import Random

from tests.protocol.skeletons import (
    Access,
    Body,
    Branch,
    Expression,
    Leave,
    Loop,
    MeaninglessError,
    Statement,
    Sync,
    in_order,
    races,
)

MOST = 6  # accesses
TRIALS = ((3, 2), (0, 0), (1, 3))  # values of n and m


@dataclass
class Sketcher:
    """`uniform`: counters that all threads agree on; `syncs`: the barriers to draw from."""

    random: Random
    counters: int = 0
    uniform: list[str] = field(default_factory=list[str])
    syncs: tuple[Sync, ...] = ()

    def skeleton(self) -> Body:
        while True:
            self.counters, self.uniform = 0, []
            self.syncs = self.random.choice(
                [
                    (Sync("block"),),
                    (Sync("block"),),
                    (Sync("block"), Sync("warp")),
                    (Sync("block"), Sync("lanes", self.random.choice((2, 16)))),
                    (Sync("tile", self.random.choice((2, 8, 32))), Sync("block")),
                ]
            )
            body = self.block((), 0, together=True, looped=False)
            found = list(in_order(body))
            if 1 < len(found) <= MOST and any(a.write for a in found) and self.means_something(body):
                return body

    def means_something(self, body: Body) -> bool:
        try:
            for n, m in TRIALS:
                races(body, n, m)
        except MeaninglessError:
            return False
        return True

    def block(self, counters: tuple[str, ...], depth: int, *, together: bool, looped: bool) -> Body:
        """`together`: all threads come here alike."""
        size = self.random.randint(2, 4) if depth == 0 else self.random.randint(1, 3)
        return tuple(self.statement(counters, depth, together=together, looped=looped) for _ in range(size))

    def statement(self, counters: tuple[str, ...], depth: int, *, together: bool, looped: bool) -> Statement:
        choice = self.random.random()
        barrier = together or self.random.random() < 0.1
        if choice < 0.4 or (depth == 3 and choice < 0.6):
            return Access(self.random.random() < 0.6, self.index(counters))
        if choice < 0.6:
            return self.random.choice(self.syncs) if barrier else Access(True, self.index(counters))
        if choice < 0.7 and (looped or depth):
            words = ("break", "continue", "return") if looped else ("return",)
            words = words[:2] if len(counters) > 1 else words  # see docs/limitations.md
            return Leave(self.test(counters, alike=self.random.random() < 0.7), self.random.choice(words))
        if choice < 0.82 and depth < 3:
            alike = self.random.random() < 0.7
            test = self.test(counters, alike=alike)
            then, otherwise = (
                self.block(counters, depth + 1, together=together and alike, looped=looped) for _ in range(2)
            )
            return Branch(test, then, otherwise if self.random.random() < 0.5 else ())
        if depth < 3:
            return self.loop(counters, depth, together=together)
        return Access(True, self.index(counters))

    def loop(self, counters: tuple[str, ...], depth: int, *, together: bool) -> Loop:
        k = f"k{self.counters}"
        self.counters += 1
        alike = self.random.random() < 0.8
        outer = [c for c in counters if c in self.uniform]
        firsts = ["0", "0", "0", "1", *outer] if alike else ["t / 16", "t"]
        bounds = ["n", "m", "n", "3", "2", *(f"{c} + 1" for c in outer)] if alike else ["t / 8", "n + t / 16"]
        if alike:
            self.uniform.append(k)
        test = Expression(f"{k} < {self.random.choice(bounds)}")
        body = self.block((*counters, k), depth + 1, together=together and alike, looped=True)
        first, stride = Expression(self.random.choice(firsts)), self.random.choice((1, 1, 1, 2))
        return Loop(k, first, test, stride, body, self.random.random() < 0.2)

    def index(self, counters: tuple[str, ...]) -> Expression:
        moving = [x for c in counters for x in (c, f"t + {c}", f"t + {c} % 2 * 40")]
        return Expression(self.random.choice(["t", "t", "t + 1", "t + 1", "0", "5", "t / 32", *moving, *moving]))

    def test(self, counters: tuple[str, ...], *, alike: bool) -> Expression:
        uniform = [c for c in counters if c in self.uniform]
        if alike:
            of_counters = [x for c in uniform for x in (f"{c} % 2 == 0", f"{c} == 1", f"{c} < m", f"{c} + 1 < n")]
            return Expression(self.random.choice(["n > 1", "m > 2", "n > m", *of_counters, *of_counters]))
        of_counters = [x for c in counters for x in (f"t == {c}", f"t > {c} + 1")]
        return Expression(self.random.choice(["t < 5", "t % 2 == 0", "t < n", "t >= 32", "t < 16", *of_counters]))
