"""The elements that the threads of a launch touch, as far as the form of the kernel shows: one row for each access."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.concurrency.rows import Row
from hgrd.host.linking.kernel_accesses import Access, KernelUses, Member, Test, bare, member_of
from hgrd.program import expressions as ir
from hgrd.program.expressions import Storage
from hgrd.program.types import IntType
from hgrd.terms import (
    FALSE,
    TRUE,
    Op,
    Origin,
    Symbol,
    Term,
    add,
    const,
    div,
    ge,
    gt,
    le,
    lt,
    maximum,
    minimum,
    mul,
    sub,
    var,
)
from hgrd.terms.linear import from_linear, linear

_MOST: Final = (1 << 40) - 1
_THREAD: Final = var(Symbol("number of the thread in the grid", 0, _MOST, Origin.INPUT))
_OPERATIONS: Final[Mapping[ir.BinaryOp, Callable[[Term, Term], Term]]] = {
    ir.BinaryOp.ADD: add, ir.BinaryOp.SUB: sub, ir.BinaryOp.MUL: mul, ir.BinaryOp.DIV: div,
    ir.BinaryOp.LT: lt, ir.BinaryOp.LE: le, ir.BinaryOp.GT: gt, ir.BinaryOp.GE: ge,
}  # fmt: skip


class LaunchedKernel(Struct, frozen=True):
    """A kernel with the numbers that it is given, by their places among its parameters, and its extents along x."""

    uses: KernelUses
    given: Mapping[Member, Term]
    grid: Term
    block: Term

    def rows(self, pointer: Member) -> tuple[tuple[Row, ...], bool]:
        """The elements behind a pointer that are surely touched; and whether these are all."""
        accesses = self.uses.accesses.get(pointer, ())
        rows = [self._row(access) for access in accesses]
        found = tuple(row for row in rows if row is not None)
        return found, pointer in self.uses.whole and len(found) == len(rows)

    def _row(self, access: Access) -> Row | None:
        at = const(0) if access.index is None else self._value(access.index)
        if at is None or access.tests is None or access.stride <= 0:
            return None
        bounds = _bounds(self._tests(access.tests))
        constant, atoms = linear(at)
        step = atoms.pop(_THREAD, 0)
        start = from_linear((constant, atoms))
        if bounds is None or _mentions(start):
            return None
        low, highs = bounds
        high = minimum_of(highs if access.again and highs else (*highs, mul(self.grid, self.block)))
        size = const(access.stride)
        begin, step = mul(start, size), step * access.stride
        row = Row(begin, step, access.stride, low, high, access.stores, access.reads, access.span)
        return replace(row, constant=access.constant, maybe=access.maybe)

    def _tests(self, tests: Iterable[Test]) -> list[Term | None]:
        return [term for test, holds in tests for term in self._test(test, holds=holds)]

    def _test(self, test: ir.Expression, *, holds: bool) -> list[Term | None]:
        match bare(test):
            case ir.Logical(conjunction=conjunction, left=left, right=right) if conjunction is holds:
                return [*self._test(left, holds=holds), *self._test(right, holds=holds)]
            case ir.Unary(op=ir.UnaryOp.NOT, operand=operand):
                return self._test(operand, holds=not holds)
            case ir.Binary() as comparison:
                known = self._value(comparison)
                return [None if known is None or not known.is_bool else known if holds else _not(known)]
            case _:
                return [None]

    def _value(self, expression: ir.Expression) -> Term | None:
        """The value of an expression in terms of the host, and of the thread's number; None: it is not known."""
        if _is_number(expression):
            return _THREAD
        rest = _besides_number(expression)
        if rest is not None:
            values = [self._value(part) for part in rest]
            known = [value for value in values if value is not None]
            return reduce(add, known, _THREAD) if len(known) == len(values) else None
        match expression:
            case ir.Convert(operand=operand, type=IntType()):
                return self._value(operand)
            case ir.IntConst(value=value):
                return const(value)
            case ir.Load(place=place):
                return self._at(place)
            case ir.Binary(op=op, left=left, right=right) if op in _OPERATIONS:
                one, other = self._value(left), self._value(right)
                if one is None or other is None or (op is ir.BinaryOp.DIV and not other.is_const):
                    return None
                return None if op is ir.BinaryOp.DIV and other.value == 0 else _OPERATIONS[op](one, other)
            case _:
                return None

    def _at(self, place: ir.Place) -> Term | None:
        found = member_of(place)
        if found is None:
            return None
        variable, _ = found
        if variable.storage is Storage.BUILTIN:
            return self._builtin(_name(place))
        initial = self.uses.initials.get(variable)
        if initial is None:
            return self.given.get(found)
        return None if variable in self.uses.stepped and not _is_number(bare(initial)) else self._value(initial)

    def _builtin(self, name: str) -> Term | None:
        match name:
            case "blockDim.x":
                return self.block
            case "gridDim.x":
                return self.grid
            case "threadIdx.x" if self.grid == const(1):
                return _THREAD
            case "blockIdx.x" if self.block == const(1):
                return _THREAD
            case _:
                return None


def minimum_of(terms: Iterable[Term]) -> Term:
    """The least of some terms, of which there is one at least."""
    first, *rest = terms
    for term in rest:
        first = minimum(first, term)
    return first


def _mentions(term: Term) -> bool:
    return not term.symbols.isdisjoint(_THREAD.symbols)


def _not(test: Term) -> Term:
    if test.op in (Op.LT, Op.LE):
        one, other = test.args
        return le(other, one) if test.op is Op.LT else lt(other, one)
    return FALSE if test is TRUE else TRUE if test is FALSE else test


def _bounds(tests: Iterable[Term | None]) -> tuple[Term, tuple[Term, ...]] | None:
    """The first number of a thread that passes tests, and what its number is below; None: they are of another form."""
    low, highs = const(0), list[Term]()
    for test in tests:
        if test is TRUE:
            continue
        if test is None or test.op not in (Op.LT, Op.LE):
            return None
        constant, atoms = linear(sub(*test.args))
        factor = atoms.pop(_THREAD, 0)
        rest, more = from_linear((constant, atoms)), const(0 if test.op is Op.LT else 1)
        if _mentions(rest) or factor not in (1, -1):
            return None
        if factor == 1:
            highs.append(sub(more, rest))
        else:
            low = maximum(low, add(sub(rest, more), const(1)))
    return low, tuple(highs)


def _is_number(expression: ir.Expression) -> bool:
    """Whether an expression is the number of the thread in the grid, along x."""
    match bare(expression):
        case ir.Binary(op=ir.BinaryOp.ADD, left=left, right=right):
            return any(
                _builtin(one) == "threadIdx.x" and _is_product(other) for one, other in ((left, right), (right, left))
            )
        case _:
            return False


def _besides_number(expression: ir.Expression) -> tuple[ir.Expression, ...] | None:
    """What a sum adds to the number of the thread, in whatever order; None: it does not, or is that number."""
    parts = list(_summands(expression))
    thread = next((part for part in parts if _builtin(part) == "threadIdx.x"), None)
    block = next((part for part in parts if _is_product(part)), None)
    if thread is None or block is None or len(parts) < 3:
        return None
    return tuple(part for part in parts if part is not thread and part is not block)


def _summands(expression: ir.Expression) -> Iterator[ir.Expression]:
    match bare(expression):
        case ir.Binary(op=ir.BinaryOp.ADD, left=left, right=right):
            yield from _summands(left)
            yield from _summands(right)
        case part:
            yield part


def _is_product(expression: ir.Expression) -> bool:
    match bare(expression):
        case ir.Binary(op=ir.BinaryOp.MUL, left=left, right=right):
            return {_builtin(left), _builtin(right)} == {"blockIdx.x", "blockDim.x"}
        case _:
            return False


def _builtin(expression: ir.Expression) -> str:
    one = bare(expression)
    return _name(one.place) if isinstance(one, ir.Load) else ""


def _name(place: ir.Place) -> str:
    match place:
        case ir.FieldPlace(base=ir.VariablePlace(variable=variable), field=member):
            return f"{variable.name}.{member.name}" if variable.storage is Storage.BUILTIN else ""
        case _:
            return ""
