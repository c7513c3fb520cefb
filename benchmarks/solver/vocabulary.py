"""Words to write race queries with: a kernel's index expressions as two threads see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from hgrd import terms as t
from hgrd.solve.query import Axis, Party, Query
from hgrd.terms import Origin, Symbol, Term
from hgrd.terms.build import read_between

INT: Final = (-(1 << 31), (1 << 31) - 1)
_BLOCK_LIMITS: Final = {"x": 1024, "y": 1024, "z": 64}
_GRID_LIMITS: Final = {"x": INT[1], "y": 65535, "z": 65535}

Operand: TypeAlias = "Expr | int"
IndexFunction: TypeAlias = "Callable[[Thread], Operand]"


class Expr:
    """A term with operators."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    def __add__(self, other: Operand) -> Expr:
        return Expr(t.add(self.term, as_term(other)))

    def __radd__(self, other: int) -> Expr:
        return Expr(t.add(t.const(other), self.term))

    def __sub__(self, other: Operand) -> Expr:
        return Expr(t.sub(self.term, as_term(other)))

    def __rsub__(self, other: int) -> Expr:
        return Expr(t.sub(t.const(other), self.term))

    def __mul__(self, other: Operand) -> Expr:
        return Expr(t.mul(self.term, as_term(other)))

    __rmul__ = __mul__

    def __floordiv__(self, other: Operand) -> Expr:
        return Expr(t.div(self.term, as_term(other)))

    def __mod__(self, other: Operand) -> Expr:
        return Expr(t.mod(self.term, as_term(other)))

    def __and__(self, other: Operand) -> Expr:
        return Expr(t.bit_and(self.term, as_term(other)))

    def __xor__(self, other: Operand) -> Expr:
        return Expr(t.bit_xor(self.term, as_term(other)))

    def __lshift__(self, other: Operand) -> Expr:
        return Expr(t.shl(self.term, as_term(other)))

    def __rshift__(self, other: Operand) -> Expr:
        return Expr(t.shr(self.term, as_term(other)))

    def __lt__(self, other: Operand) -> Term:
        return t.lt(self.term, as_term(other))

    def __le__(self, other: Operand) -> Term:
        return t.le(self.term, as_term(other))

    def __gt__(self, other: Operand) -> Term:
        return t.gt(self.term, as_term(other))

    def __ge__(self, other: Operand) -> Term:
        return t.ge(self.term, as_term(other))

    def is_(self, other: Operand) -> Term:
        return t.eq(self.term, as_term(other))

    def is_not(self, other: Operand) -> Term:
        return t.ne(self.term, as_term(other))


def as_term(value: Operand) -> Term:
    return value.term if isinstance(value, Expr) else t.const(value)


def either(*conditions: Term) -> Term:
    return t.disj(*conditions)


def unless(condition: Term) -> Term:
    return t.negate(condition)


def unsigned(value: Expr) -> Expr:
    """Reduced to 32 bits, as part of the meaning."""
    return Expr(t.wrap(value.term, 32, False, soft=False))


def signed(value: Expr) -> Expr:
    return Expr(t.wrap(value.term, 32, True, soft=False))


def element(array: str, index: Expr) -> Expr:
    """array[index] of an int array."""
    return Expr(read_between(array, (index.term,), *INT))


@dataclass
class Extent:
    """blockDim or gridDim."""

    x: Any
    y: Any
    z: Any

    def __iter__(self) -> Iterator[tuple[str, Operand]]:
        return iter((("x", self.x), ("y", self.y), ("z", self.z)))


@dataclass
class Thread:
    """One of the two threads: its indexes, private values and guards."""

    number: int
    sketch: Sketch
    private: list[Symbol] = field(default_factory=list)
    axes: list[Axis] = field(default_factory=list)
    guards: list[Term] = field(default_factory=list)
    index: dict[str, Expr] = field(default_factory=dict)

    def local(self, name: str, low: int = INT[0], high: int = INT[1], origin: Origin = Origin.LOOP) -> Expr:
        """A value of the thread's own; the same name is the same value."""
        symbol = Symbol(f"{name}_{self.number}", low, high, origin)
        if symbol not in self.private:
            self.private.append(symbol)
        return Expr(t.var(symbol))

    def at(self, index: Operand, *guards: Term) -> Operand:
        """The index, accessed only under the guards."""
        self.guards += guards
        return index

    def __getattr__(self, name: str) -> Expr:
        """tx, bx, ...: threadIdx and blockIdx; x, y, z: the global index."""
        if len(name) == 1:
            return self.index["b" + name] * getattr(self.sketch.block_dim, name) + self.index["t" + name]
        return self.index[name]

    def axis(self, name: str, extent: Operand, origin: Origin) -> None:
        """A private index below `extent`; 0 where the extent is 1."""
        if extent == 1:
            self.index[name] = Expr(t.const(0))
            return
        high = as_term(extent).high - 1
        self.index[name] = self.local(name, 0, high, origin)
        self.axes.append(Axis(self.private[-1], as_term(extent)))


@dataclass
class Sketch:
    """A query under construction."""

    mode: str
    facts: list[Term] = field(default_factory=list)
    shared: list[Symbol] = field(default_factory=list)
    block_dim: Extent = field(default_factory=lambda: Extent(1, 1, 1))
    grid_dim: Extent = field(default_factory=lambda: Extent(1, 1, 1))
    accesses: tuple[IndexFunction, IndexFunction] | None = None
    sizes: tuple[int, int] = (4, 4)
    scale: int = 4

    def value(self, name: str, low: int = INT[0], high: int = INT[1], origin: Origin = Origin.INPUT) -> Expr:
        """What all threads agree on."""
        symbol = Symbol(name, low, high, origin)
        self.shared.append(symbol)
        return Expr(t.var(symbol))

    def positive(self, name: str, high: int = INT[1]) -> Expr:
        return self.value(name, 1, high)

    def power_of_two(self, name: str, least: int, most: int) -> Expr:
        """2**least ... 2**most"""
        result = self.value(name, 1 << least, 1 << most)
        self.assume(t.disj(*(result.is_(1 << k) for k in range(least, most + 1))))
        return result

    def sizes_of(self, *names: str, most: int = INT[1]) -> tuple[Expr, ...]:
        return tuple(self.positive(name, most) for name in names)

    def assume(self, *facts: Term) -> None:
        self.facts += facts

    def launch(self, block: Sequence[int | None] = (), grid: Sequence[Operand | None] = ()) -> tuple[Extent, Extent]:
        """blockDim and gridDim; missing axes are 1."""
        return self.block(*block), self.grid(*grid)

    def block(self, x: int | None = 1, y: int | None = 1, z: int | None = 1) -> Extent:
        """None: any that CUDA allows."""
        sizes = [self._extent("bd" + a, v, _BLOCK_LIMITS[a]) for a, v in zip("xyz", (x, y, z), strict=True)]
        self.block_dim = Extent(*sizes)
        if (x, y, z).count(None) > 1:
            self.assume(sizes[0] * sizes[1] * sizes[2] <= 1024)
        return self.block_dim

    def grid(self, x: Operand | None = 1, y: Operand | None = 1, z: Operand | None = 1) -> Extent:
        """None: any that CUDA allows; an expression: as the host computes it."""
        sizes = [self._extent("gd" + a, v, _GRID_LIMITS[a]) for a, v in zip("xyz", (x, y, z), strict=True)]
        self.grid_dim = Extent(*sizes)
        return self.grid_dim

    def _extent(self, name: str, value: Operand | None, limit: int) -> Operand:
        if isinstance(value, int):
            return value
        result = self.value(name, 1, limit, Origin.DIMENSION)
        if value is not None:
            self.assume(result.is_(value))
        return result

    def access(self, first: IndexFunction, second: IndexFunction | None = None) -> None:
        """Both threads' element indexes (of ints)."""
        self.accesses = (first, second or first)

    def access_bytes(
        self, size: int, first: IndexFunction, other: int = 0, second: IndexFunction | None = None
    ) -> None:
        """Both threads' byte addresses, with the sizes of the accesses."""
        self.access(first, second)
        self.sizes, self.scale = (size, other or size), 1

    def build(self) -> Query:
        assert self.accesses is not None
        one_block = self.mode in ("intra", "warp")
        threads = [Thread(number, self) for number in (1, 2)]
        shared_axes = self._shared_blocks(threads) if one_block else []
        parties: list[Party] = []
        for thread, index, size in zip(threads, self.accesses, self.sizes, strict=True):
            for axis, extent in self.block_dim:
                thread.axis("t" + axis, extent, Origin.THREAD)
            if not one_block:
                for axis, extent in self.grid_dim:
                    thread.axis("b" + axis, extent, Origin.BLOCK)
            address = t.mul(as_term(index(thread)), t.const(self.scale))
            parties.append(Party(tuple(thread.private), tuple(thread.axes), tuple(thread.guards), address, size))
        between = self._between(*threads)
        return Query(tuple(self.shared), tuple(shared_axes), tuple(self.facts), *parties, between)

    def _shared_blocks(self, threads: list[Thread]) -> list[Axis]:
        axes: list[Axis] = []
        for name, extent in self.grid_dim:
            index = Expr(t.const(0))
            if extent != 1:
                index = self.value("b" + name, 0, as_term(extent).high - 1, Origin.BLOCK)
                axes.append(Axis(self.shared[-1], as_term(extent)))
            for thread in threads:
                thread.index["b" + name] = index
        return axes

    def _between(self, one: Thread, two: Thread) -> tuple[Term, ...]:
        def differ(names: list[str]) -> Term:
            return t.disj(*(one.index[n].is_not(two.index[n]) for n in names))

        threads, blocks = ["tx", "ty", "tz"], ["bx", "by", "bz"]
        match self.mode:
            case "any":
                return (differ(threads + blocks),)
            case "inter":
                return (differ(blocks),)
            case "intra":
                return (differ(threads),)
            case _:
                return (differ(threads), (self._warp(one)).is_(self._warp(two)))

    def _warp(self, thread: Thread) -> Expr:
        block = self.block_dim
        return (thread.tx + block.x * (thread.ty + block.y * thread.tz)) // 32
