"""A plain interpreter of kernels, to compare the executor's speed with.

It walks the tree of the program's IR for one thread after the other, each until it ends or comes to
`__syncthreads()`, and knows nothing else: no schedules, no traces, no model of memory.  Variables are entries of a
dictionary, arrays are lists of Python numbers, and results are reduced to their C types with the same functions as in
`simulate.scalars`.  It covers what simple kernels need, and raises NotImplementedError at everything else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import BinaryOp, Expression, Place, Storage
from hgrd.program.layout import size_of
from hgrd.program.program import Function
from hgrd.program.types import ArrayType, PointerType, Type
from hgrd.simulate.scalars import binary, convert, fit, unary

Value = Any  # int, float or Pointer
Steps = Generator[None, None, str | None]  # yields at barriers; "break", "continue" or "return" at the end
BREAK, CONTINUE, RETURN = "break", "continue", "return"


@dataclass(slots=True)
class Pointer:
    """A place in an array: `offset` in bytes, of elements of `size` bytes."""

    cells: list[Any]
    size: int
    offset: int


def interpret(
    kernel: Function, grid: tuple[int, int, int], block: tuple[int, int, int], arguments: list[Value]
) -> None:
    """Runs a launch; arrays are passed as Pointers, and are as the kernel leaves them."""
    for bz in range(grid[2]):
        for by in range(grid[1]):
            for bx in range(grid[0]):
                shared: dict[str, Pointer] = {}
                threads = [
                    Thread(kernel, shared, ((x, y, z), (bx, by, bz), block, grid), arguments).run()
                    for z in range(block[2])
                    for y in range(block[1])
                    for x in range(block[0])
                ]
                while threads:
                    threads = [thread for thread in threads if next(thread, RETURN) is None]


class Thread:
    """One thread; `indexes` are threadIdx, blockIdx, blockDim, gridDim."""

    def __init__(
        self,
        kernel: Function,
        shared: dict[str, Pointer],
        indexes: tuple[tuple[int, int, int], ...],
        arguments: list[Value],
    ) -> None:
        self.kernel = kernel
        self.shared = shared
        self.builtins = dict(zip(("threadIdx", "blockIdx", "blockDim", "gridDim"), indexes, strict=True))
        self.values = {p.key: value for p, value in zip(kernel.parameters, arguments, strict=True)}

    def run(self) -> Generator[None, None, None]:
        assert self.kernel.body is not None
        yield from self.execute(self.kernel.body)

    # ------------------------------------------------------------ statements

    def execute(self, s: st.Statement) -> Steps:
        match s:
            case st.Block(body=body):
                for part in body:
                    left = yield from self.execute(part)
                    if left is not None:
                        return left
            case st.Evaluate(expression=ir.Call(function=function)) if function.name == "__syncthreads":
                yield
            case st.Evaluate(expression=e):
                self.evaluate(e)
            case st.Declare(variable=v, initial=initial):
                if v.storage is Storage.SHARED:
                    self.shared.setdefault(v.key, _array(v.type))
                elif initial is not None:
                    self.values[v.key] = self.evaluate(initial)
            case st.If(condition=condition, then=then, otherwise=otherwise):
                if self.evaluate(condition):
                    return (yield from self.execute(then))
                if otherwise is not None:
                    return (yield from self.execute(otherwise))
            case st.Loop(condition=condition, step=step, body=body):
                while condition is None or self.evaluate(condition):
                    left = yield from self.execute(body)
                    if left == RETURN:
                        return left
                    if left == BREAK:
                        break
                    if step is not None:
                        self.evaluate(step)
            case st.Break():
                return BREAK
            case st.Continue():
                return CONTINUE
            case st.Return(value=None):
                return RETURN
            case _:
                raise NotImplementedError(s)
        return None

    # ------------------------------------------------------------ expressions

    def evaluate(self, e: Expression) -> Value:
        known = _EVALUATE.get(type(e))
        if known is None:
            raise NotImplementedError(e)
        return known(self, e)

    def load(self, place: Place) -> Value:
        if isinstance(place, ir.VariablePlace):
            return self.values[place.variable.key]
        if isinstance(place, ir.Deref):
            pointer = self.evaluate(place.pointer)
            return pointer.cells[pointer.offset // pointer.size]
        if isinstance(place, ir.FieldPlace) and isinstance(place.base, ir.VariablePlace):
            return self.builtins[place.base.variable.name][place.field.offset // 4]
        raise NotImplementedError(place)

    def store(self, place: Place, value: Value) -> Value:
        if isinstance(place, ir.VariablePlace):
            self.values[place.variable.key] = value
        elif isinstance(place, ir.Deref):
            pointer = self.evaluate(place.pointer)
            pointer.cells[pointer.offset // pointer.size] = value
        else:
            raise NotImplementedError(place)
        return value

    def constant(self, e: ir.IntConst | ir.FloatConst) -> Value:
        return e.value

    def loaded(self, e: ir.Load) -> Value:
        return self.load(e.place)

    def address(self, e: ir.AddressOf) -> Value:
        """Of shared arrays, and of arrays in arrays."""
        if isinstance(e.place, ir.VariablePlace) and e.place.variable.storage is Storage.SHARED:
            return self.shared[e.place.variable.key]
        if isinstance(e.place, ir.Deref):
            return self.evaluate(e.place.pointer)
        raise NotImplementedError(e)

    def moved(self, e: ir.PointerAdd) -> Value:
        pointer = self.evaluate(e.pointer)
        return Pointer(pointer.cells, pointer.size, pointer.offset + self.evaluate(e.index) * e.stride)

    def unary(self, e: ir.Unary) -> Value:
        return unary(e.op, self.evaluate(e.operand), e.type)

    def binary(self, e: ir.Binary) -> Value:
        return _binary(e.op, self.evaluate(e.left), self.evaluate(e.right), e.type)

    def logical(self, e: ir.Logical) -> Value:
        left = bool(self.evaluate(e.left))
        return int(left if left is not e.conjunction else bool(self.evaluate(e.right)))

    def conditional(self, e: ir.Conditional) -> Value:
        return self.evaluate(e.then if self.evaluate(e.condition) else e.otherwise)

    def converted(self, e: ir.Convert) -> Value:
        value = self.evaluate(e.operand)
        return value if isinstance(value, Pointer) else convert(value, e.type)

    def assigned(self, e: ir.Assign) -> Value:
        return self.store(e.place, self.evaluate(e.value))

    def updated(self, e: ir.Update) -> Value:
        if isinstance(e.type, PointerType):
            raise NotImplementedError(e)
        old = self.load(e.place)
        operand = self.evaluate(e.value)
        shifts = e.op in (BinaryOp.SHL, BinaryOp.SHR)
        right = operand if shifts else convert(operand, e.compute_type)
        new = convert(_binary(e.op, convert(old, e.compute_type), right, e.compute_type), e.type)
        self.store(e.place, new)
        return old if e.postfix else new


_EVALUATE: dict[type, Callable[[Thread, Any], Value]] = {
    ir.IntConst: Thread.constant,
    ir.FloatConst: Thread.constant,
    ir.Load: Thread.loaded,
    ir.AddressOf: Thread.address,
    ir.PointerAdd: Thread.moved,
    ir.Unary: Thread.unary,
    ir.Binary: Thread.binary,
    ir.Logical: Thread.logical,
    ir.Conditional: Thread.conditional,
    ir.Convert: Thread.converted,
    ir.Assign: Thread.assigned,
    ir.Update: Thread.updated,
}


_OPERATORS: dict[BinaryOp, Callable[[Value, Value], Value]] = {
    BinaryOp.ADD: operator.add,
    BinaryOp.SUB: operator.sub,
    BinaryOp.MUL: operator.mul,
    BinaryOp.EQ: operator.eq,
    BinaryOp.NE: operator.ne,
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
}


def _binary(op: BinaryOp, left: Value, right: Value, type_: Type) -> Value:
    known = _OPERATORS.get(op)
    return binary(op, left, right, type_) if known is None else fit(known(left, right), type_)


def _array(type_: Type) -> Pointer:
    """A shared array of scalars, of any number of dimensions."""
    count = 1
    while isinstance(type_, ArrayType):
        assert type_.count is not None
        count *= type_.count
        type_ = type_.of
    size = size_of(type_, {})
    assert size is not None
    return Pointer([0] * count, size, 0)
