"""Makes random host code around a launch, and says what it launches for given inputs.

    assert(p >= 1 && p <= 8);  if (p < q) return;  int d0 = (p * q);  for (int s = 1; s < d0; s *= 2) { launch }

What the host code does is computed on the trees that it is printed from, not by hgrd.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from random import Random

from tests.fuzz.spellings import PLAIN, Spelling
from tests.fuzz.tree import Body, Tree, body, lines, name, tree, value

INPUTS = ("p", "q", "e")
_LAUNCH = "kernel<<<dim3(, ), dim3(, )>>>(a, w, in, , , );"
_ALLOCATE = "cudaMalloc(&a,  * 4); cudaMalloc(&w,  * 8); cudaMalloc(&in,  * 4);"
_BLOCKS = ((4, 1), (4, 1), (8, 1), (33, 1), (40, 1), (64, 1), (1, 1))
_FEW = ((2, 1), (3, 1), (4, 1), (4, 1), (1, 1), (2, 1), (3, 1), (34, 1))
_PLANES = ((4, 2), (8, 5), (2, 3), (16, 3), (1, 4))


@dataclass(frozen=True, slots=True)
class Launch:
    """Extents along x and y, and the values of the parameters n, u and c; how many elements the arrays have.

    `deep`: the extent of the blocks along z, `layers` that of the grid, which no host code here has.
    """

    grid: tuple[int, int]
    block: tuple[int, int]
    n: int
    u: int
    c: int
    sizes: tuple[int, int, int]
    deep: int = 1
    layers: int = 1

    @property
    def extents(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Of the grid, and of its blocks."""
        return (*self.grid, self.layers), (*self.block, self.deep)

    @property
    def threads(self) -> int:
        return prod((*self.grid, *self.block, self.deep, self.layers))

    @property
    def fails(self) -> bool:
        """An extent is 0: CUDA returns an error, and the program goes on."""
        return self.threads == 0


@dataclass(frozen=True, slots=True)
class Most:
    """The largest launches that the host code is followed to: their threads, and the rounds of its loops."""

    threads: int = 200
    rounds: int = 12


MOST = Most()


@dataclass
class _Spent:
    """`rounds` of loops so far."""

    most: Most
    rounds: int = 0


class RefusedError(Exception):
    """The inputs are not allowed, or mean nothing."""


class LargeError(RefusedError):
    """The inputs mean more threads or launches than are run here."""


@dataclass
class HostMaker:
    random: Random
    flat: bool
    few: bool
    derived: list[str] = field(default_factory=list[str])

    def make(self) -> tuple[Tree, ...]:
        if self.random.random() < 0.4:
            return (self.allocation(512), self.launch([]))
        statements: list[Tree] = []
        for p in INPUTS:
            low, high = self.random.choice(((1, 8), (0, 6), (1, 4), (-4, 9), (2, 16), (3, 3)))
            check = tree("(@ && @)", tree("(@ <= @)", low, name(p)), tree("(@ <= @)", name(p), high))
            if self.random.random() < 0.9:
                statements.append(tree("assert@;", check))
        names = [*INPUTS]
        statements += [self.statement(names) for _ in range(self.random.randint(0, 4))]
        loop = self.random.random()
        if loop < 0.25:
            inner = [*names, "s"]
            step = self.random.choice(("s++", "s *= 2", "s += 3"))
            launch = [self.statement(inner)] if self.random.random() < 0.4 else []
            statements.append(
                tree(
                    f"for (int s = 1; s < @; {step}) {{@}}",
                    self.expression(names, 1),
                    body(*launch, self.launch(inner)),
                )
            )
        elif loop < 0.4:
            statements.append(tree("if (@) {@}", self.condition(names), body(self.launch(names))))
        else:
            statements.append(self.launch(names))
        return (self.allocation(512), *statements)

    def allocation(self, size: int) -> Tree:
        return tree(
            "cudaMalloc(&a, @ * 4); cudaMalloc(&w, @ * 8); cudaMalloc(&in, @ * 4);", size, size, size, kept=True
        )

    def statement(self, names: list[str]) -> Tree:
        match self.random.randrange(5):
            case 0:
                return tree("assert(@);", self.condition(names))
            case 1:
                return tree("if (@) return;", self.condition(names))
            case 2:
                return tree("if (@) exit(1);", self.condition(names))
            case _:
                d = f"d{len(self.derived)}"
                self.derived.append(d)
                made = tree(f"int {d} = @;", self.expression(names, 2))
                names.append(d)
                return made

    def launch(self, names: list[str]) -> Tree:
        known = not names or self.random.random() < 0.5
        x, y = self.random.choice((_FEW if self.few else _BLOCKS) if self.flat else _PLANES)
        width = tree("@", x) if known or self.random.random() < 0.6 else self.positive(names)
        grid = tree("@", self.random.choice((1, 1, 2, 3)))
        if names and self.random.random() < 0.4:
            top = self.expression(names, 1)
            grid = tree("(@ / @)", tree("(@ + @)", top, x - 1), x) if x > 1 and self.random.random() < 0.5 else top
        rows = 2 if not self.flat and self.random.random() < 0.1 else 1
        values = (
            self.expression(names, 1) if names else tree("@", self.random.choice((1, 2, 3, 4, 5, 8, 40)))
            for _ in range(3)
        )
        return tree("kernel<<<dim3(@, @), dim3(@, @)>>>(a, w, in, @, @, @);", grid, rows, width, y, *values, kept=True)

    def positive(self, names: list[str]) -> Tree:
        return self.random.choice(
            (name(self.random.choice(names)), tree("(@ * @)", name(self.random.choice(names)), 2))
        )

    def leaf(self, names: list[str]) -> Tree:
        if self.random.random() < 0.3 or not names:
            return tree("@", self.random.choice((0, 1, 2, 3, 4, 8, 16)))
        return name(self.random.choice(names))

    def expression(self, names: list[str], depth: int) -> Tree:
        if depth == 0 or self.random.random() < 0.3:
            return self.leaf(names)
        left, right = self.expression(names, depth - 1), self.leaf(names)
        form = self.random.choice(
            ("(@ + @)", "(@ + @)", "(@ - @)", "(@ * @)", "(@ / @)", "(@ % @)", "min(@, @)", "max(@, @)", "(@ << @)")
        )
        if form in ("(@ / @)", "(@ % @)") or form == "(@ << @)":
            right = tree("@", self.random.choice((1, 2, 3, 4)))
        if self.random.random() < 0.1:
            return tree("(@ ? @ : @)", self.condition(names), left, right)
        return tree(form, left, right)

    def condition(self, names: list[str]) -> Tree:
        form = self.random.choice(("(@ < @)", "(@ <= @)", "(@ == @)", "(@ != @)"))
        return tree(form, self.expression(names, 1), self.leaf(names))


def text(kernel: str, host: tuple[Tree, ...], wide: str, spelling: Spelling) -> str:
    inputs = ", ".join(f"int {p}" for p in INPUTS)
    code = "\n".join(lines(host)).replace("kernel<<<", f"{kernel}<<<")
    if spelling is not PLAIN:
        allocated = code.index("\n")
        code = f"{code[:allocated]} {spelling.code}{code[allocated:]}"
        code = code.replace(">>>(a, w, in,", f">>>({spelling.a}, w, {spelling.read},")
    return f"void run_{kernel}({inputs}) {{\n  int *a, *in; {wide} *w;\n{code}\n}}\n"


def launches(host: tuple[Tree, ...], inputs: Mapping[str, int], most: Most = MOST) -> list[Launch]:
    """All launches in order, also those that fail, up to an assertion that does not hold.

    Raises RefusedError if that comes first, or something has no meaning.
    """
    found: list[Launch] = []
    sizes = [0, 0, 0]
    try:
        for event in _run(host, dict(inputs), _Spent(most)):
            match event:
                case Launch():
                    found.append(
                        Launch(event.grid, event.block, event.n, event.u, event.c, (sizes[0], sizes[1], sizes[2]))
                    )
                case _:
                    sizes = list(event)
    except _LeftError:
        pass
    except LargeError:
        raise
    except RefusedError:
        if not found:
            raise
    except ArithmeticError as error:
        raise RefusedError from error
    return found


class _LeftError(Exception):
    pass


def _run(statements: tuple[Tree, ...], names: dict[str, int], spent: _Spent) -> Iterator[Launch | tuple[int, ...]]:
    for s in statements:
        form = s.form()
        values = lambda s=s: [value(x, names) for x in s.operands()]  # noqa: E731
        if form == _LAUNCH:
            gx, gy, bx, by, n, u, c = values()
            if not (gx > 0 and bx > 0):
                gx = bx = 0
            if gx * gy * bx * by > spent.most.threads:
                raise LargeError
            yield Launch((gx, gy), (bx, by), n, u, c, (0, 0, 0))
        elif form == _ALLOCATE:
            yield tuple(values())
        elif form.startswith("assert"):
            if not values()[0]:
                raise RefusedError
        elif form in ("if () return;", "if () exit(1);"):
            if values()[0]:
                raise _LeftError
        elif form.startswith("int "):
            names[form.split()[1]] = values()[0]
        elif form.startswith("if"):
            if values()[0]:
                yield from _run(_inside(s), names, spent)
        else:
            yield from _loop(s, names, spent)


def _loop(s: Tree, names: dict[str, int], spent: _Spent) -> Iterator[Launch | tuple[int, ...]]:
    step = s.form().split("; ")[2].split(")")[0]
    names["s"] = 1
    while names["s"] < value(s.operands()[0], names):
        spent.rounds += 1
        if spent.rounds > spent.most.rounds:
            raise LargeError
        yield from _run(_inside(s), names, spent)
        now = names["s"]
        names["s"] = {"s++": now + 1, "s *= 2": now * 2, "s += 3": now + 3}[step]


def _inside(s: Tree) -> tuple[Tree, ...]:
    return next(part.statements for part in s.parts if isinstance(part, Body))
