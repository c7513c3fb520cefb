"""Ablation: a launch without the knowledge of some classes of facts (HGRD, Table 4).

Knowledge of a class may stand in the launch itself, without a fact that could be dropped: constant extents and
arguments, values that two of them share, sizes of objects.  A new symbol replaces it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.kinds import FactKind
from hgrd.host.launches.abstraction import LaunchAbstraction
from hgrd.host.model import LaunchSite
from hgrd.symbolic.values import Cell, Choice, Composite, MemoryObject, Pointer, PointerValue, Value, terms_in
from hgrd.terms import Origin, Symbol, Term, as_int, const, symbols_of, var
from hgrd.terms.interval import of_type

_LIMITS: Final = (((1 << 31) - 1, 65535, 65535), (1024, 1024, 64))  # of the grid, of a block
_AXES: Final = "xyz"


def without(site: LaunchSite, classes: frozenset[FactKind], names: Sequence[str]) -> LaunchSite:
    """The launch as the remaining classes describe it; `names` are those of the kernel's parameters.

    Asserts are conditions of the path like others, so their facts can be dropped here; `run_host(asserts=False)` also
    drops what they say of paths that end earlier.
    """
    if not classes:
        return site
    if FactKind.LOOP_BOUND in classes:
        site = _with_any_iteration(site)
    kept = tuple(f for f in site.facts if f.kind not in classes)
    contents = tuple(h for h in site.contents if h.fact.kind not in classes)
    launch = _Launch(classes)
    grid, block = launch.extents("grid", site.grid, _LIMITS[0]), launch.extents("block", site.block, _LIMITS[1])
    labels = (*names, *(f"argument {i}" for i in range(len(names), len(site.arguments))))
    arguments = tuple(launch.value(a, label) for a, label in zip(site.arguments, labels, strict=False))
    known = () if FactKind.CONSTANT_MEMORY in classes else site.constants
    constants = tuple(replace(c, value=launch.held(c.value, c.target.name)) for c in known)
    return replace(
        site, facts=kept, grid=grid, block=block, arguments=arguments, constants=constants, contents=contents
    )


def _with_any_iteration(site: LaunchSite) -> LaunchSite:
    """Numbers of iterations (`i#`), which are at least 0, become any numbers."""
    values = (*site.arguments, *(c.value for c in site.constants))
    terms = [*site.grid, *site.block, *(t for a in values for t in terms_in(a)), *(f.term for f in site.facts)]
    terms += [t for h in site.contents for t in h.fill.terms()]
    counts = [s for s in symbols_of(*terms) if "#" in s.name]
    seen = LaunchAbstraction({var(s): _any(s.name, *of_type(32, True)) for s in counts}, {})
    grid, block = (tuple(map(seen.term, extents)) for extents in (site.grid, site.block))
    return replace(
        site,
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]),
        arguments=tuple(map(seen.value, site.arguments)),
        facts=tuple(replace(f, term=seen.term(f.term)) for f in site.facts),
        constants=tuple(replace(c, value=seen.composite(c.value)) for c in site.constants),
        contents=tuple(replace(h, fill=h.fill.mapped(seen.term)) for h in site.contents),
    )


class _Launch(Struct):
    """Ablation of one launch; a value that shares a symbol of `seen`, those of earlier values, is related to them."""

    classes: frozenset[FactKind]
    seen: set[Symbol] = field(default_factory=set[Symbol])

    def extents(
        self, name: str, extents: tuple[Term, Term, Term], limits: tuple[int, int, int]
    ) -> tuple[Term, Term, Term]:
        x, y, z = (
            self._extent(f"{name}.{axis}", extent, limit)
            for axis, extent, limit in zip(_AXES, extents, limits, strict=True)
        )
        return x, y, z

    def _extent(self, name: str, extent: Term, limit: int) -> Term:
        """A constant extent is knowledge of a dimension, a computed one of a relation.

        An axis without a value of the host has the extent 1 (a dim3's default), which stays.
        """
        if extent is const(1) and not name.endswith(".x"):
            return extent
        gone = FactKind.DIMENSION if extent.is_const else FactKind.RELATION
        return _any(name, 1, limit) if gone in self.classes else extent

    def value(self, value: Value, name: str) -> Value:
        match value:
            case Term():
                return self._number(as_int(value), name)
            case Composite():
                return self.composite(value, name)
            case Pointer() | Choice():
                return self._pointer(value)
            case _:
                return value

    def composite(self, value: Composite, name: str) -> Composite:
        members = {o: Cell(self.value(c.value, f"{name}+{o}"), c.size) for o, c in sorted(value.cells.items())}
        return replace(value, cells=members)

    def held(self, value: Composite, name: str) -> Composite:
        """The contents of constant memory: constants stay, values that share symbols with others are relations."""
        fixed = {o: c for o, c in value.cells.items() if isinstance(c.value, Term) and as_int(c.value).is_const}
        return replace(value, cells={**self.composite(value, name).cells, **fixed})

    def _number(self, number: Term, name: str) -> Term:
        """A number that shares no symbol with earlier values keeps its own, since facts may speak of them."""
        symbols = symbols_of(number)
        related = bool(symbols & self.seen)
        self.seen |= symbols
        gone = FactKind.CONSTANT if number.is_const else FactKind.RELATION if related else None
        return _any(name, *_range(number)) if gone in self.classes else number

    def _pointer(self, value: PointerValue) -> PointerValue:
        if FactKind.ALLOCATION not in self.classes:
            return value
        match value:
            case Pointer(target=target):
                return replace(value, target=_unsized(target))
            case Choice(then=a, otherwise=b):
                return replace(value, then=self._pointer(a), otherwise=self._pointer(b))
            case _:
                return value


def _unsized(target: MemoryObject) -> MemoryObject:
    return replace(target, size=None)


def _range(number: Term) -> tuple[int, int]:
    """The range of the smallest integer type that has all values of the number."""
    for bits, signed in ((32, True), (32, False), (64, True), (64, False)):
        low, high = of_type(bits, signed)
        if low <= number.low and number.high <= high:
            return low, high
    return number.low, number.high


def _any(name: str, low: int, high: int) -> Term:
    return var(Symbol(f"{name}'any", low, high, Origin.INPUT))
