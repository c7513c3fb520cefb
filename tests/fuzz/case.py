"""A random kernel with its host code: made from a seed, printed, and the launches that it can have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from tests.fuzz import hosts
from tests.fuzz.devices import WIDE, Maker
from tests.fuzz.hosts import INPUTS, MOST, HostMaker, Launch, Most, RefusedError
from tests.fuzz.spellings import PLAIN, SPELLINGS, Spelling
from tests.fuzz.talks import Talker
from tests.fuzz.tree import Tree, lines, smaller

_TRIES = 60
_SPELLED = 0.4


@dataclass(frozen=True, slots=True)
class Case:
    """`host` is None where nothing launches the kernel: it is judged for all launches.

    `flat`: blocks are rows of threads.  `talks`: it makes order by locks, flags or counters.
    """

    seed: int
    wide: str
    flat: bool
    talks: bool
    kernel: tuple[Tree, ...]
    host: tuple[Tree, ...] | None
    spelling: Spelling = PLAIN

    @property
    def name(self) -> str:
        return f"k{self.seed}"

    def text(self) -> str:
        head = f"__global__ void {self.name}(int *a, {self.wide} *w, const int *in, int n, unsigned u, short c) {{"
        kernel = "\n".join((head, *lines(self.kernel), "}")) + "\n"
        return kernel if self.host is None else kernel + hosts.text(self.name, self.host, self.wide, self.spelling)

    def launches(self, random: Random, wanted: int) -> list[Launch]:
        """Launches for some inputs that the host code allows."""
        found: list[Launch] = []
        for _ in range(_TRIES if self.host is not None else wanted):
            inputs = {p: random.randint(-2, 9) for p in INPUTS}
            try:
                found += (launch for launch in self.launched(inputs) if not launch.fails)
            except RefusedError:
                continue
            if len(found) >= wanted or self.is_fixed:
                break
        return found[: 2 * wanted] if len(found) <= 2 * wanted else random.sample(found, wanted)

    def launched(self, inputs: dict[str, int], most: Most = MOST) -> list[Launch]:
        """The launches for these inputs.  Raises RefusedError."""
        if self.host is not None:
            return hosts.launches(self.host, inputs, most)
        random = Random(repr(sorted(inputs.items())))
        block = random.choice(
            ((2, 1), (4, 1), (7, 1), (2, 1), (3, 1), (33, 1)) if self.flat else ((4, 2), (2, 3), (8, 5))
        )
        grid = (random.choice((1, 2, 3)), 1)
        return [Launch(grid, block, inputs["p"], abs(inputs["q"]), inputs["e"], (1024, 1024, 1024))]

    @property
    def is_fixed(self) -> bool:
        """Whether there is only one launch."""
        return self.host is not None and len(self.host) == 2 and "for" not in self.host[1].form()

    def smaller(self):
        for less in smaller(self.kernel):
            yield replace(self, kernel=less)
        if self.host is not None:
            for less in smaller(self.host):
                yield replace(self, host=less)
        if self.spelling is not PLAIN:
            yield replace(self, spelling=PLAIN)


def make(seed: int) -> Case:
    random = Random(seed)
    flat, talks = random.random() < 0.8, random.random() < 0.5
    wide = random.choice(WIDE)
    kernel = (Talker if talks else Maker)(random, wide, flat).make()
    host = None if flat and random.random() < 0.2 else HostMaker(random, flat, talks).make()
    spelling = random.choice(SPELLINGS) if host is not None and random.random() < _SPELLED else PLAIN
    return Case(seed, wide, flat, talks, kernel, host, spelling)
