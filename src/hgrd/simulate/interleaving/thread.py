"""One thread of the interleaving semantics: a plain interpreter of the program's IR.

It is a reference to compare with, kept simple: expressions are evaluated node by node, and every variable lies in
memory as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Expression, FunctionRef, Place, Storage, Variable
from hgrd.program.program import Function, Program
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, PointerType, Type, VoidType
from hgrd.simulate import scalars
from hgrd.simulate.interleaving import heap
from hgrd.simulate.interleaving.bit_fields import bit_field, kept
from hgrd.simulate.interleaving.heap import Heap, address_of, number_of
from hgrd.simulate.interleaving.steps import Running, Where
from hgrd.simulate.interleaving.thread_memory import ThreadMemory
from hgrd.simulate.scalars import Scalar, UndefinedError
from hgrd.simulate.trace import MemoryOrder

Dimensions = tuple[int, int, int]


class Returned(Struct, frozen=True):
    """A statement has left the function."""

    value: Scalar


_Leaving = Returned | str | None  # "break" or "continue"


class ExitedError(Exception):
    """The thread has ended itself (`__trap`, `exit`)."""


DeviceCall: TypeAlias = "Callable[[Thread, ir.Call, Sequence[Scalar]], Running[Scalar] | None]"
"""Gives the run of a function that CUDA defines; None for other functions."""


class World(Struct, frozen=True):
    """Common data of all threads of a launch; `variables` are the numbers of shared and global objects."""

    program: Program
    heap: Heap
    variables: Mapping[str, int]
    functions: Sequence[FunctionRef]  # with a taken address
    grid: Dimensions
    block: Dimensions
    patience: int  # loop iterations and calls of a thread
    device_call: DeviceCall


class Thread(ThreadMemory):
    """A thread, by its linear number in the launch; `run` is the generator of its steps."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.number = number
        x, y, z = world.block
        block, self.inside = divmod(number, x * y * z)
        super().__init__(world.heap, block, world.program.records)
        self.index = (self.inside % x, self.inside // x % y, self.inside // (x * y))
        gx, gy, _ = world.grid
        self.block_index = (self.block % gx, self.block // gx % gy, self.block // (gx * gy))
        self.patience = world.patience
        self._frames: list[dict[str, int]] = []  # addresses of variables
        self._where: list[tuple[Span, int]] = []
        indexes = {
            "threadIdx": self.index,
            "blockIdx": self.block_index,
            "blockDim": world.block,
            "gridDim": world.grid,
        }
        self._builtins = {
            name: self.new(b"".join(n.to_bytes(4, "little") for n in value)) for name, value in indexes.items()
        } | {"warpSize": self.new((32).to_bytes(4, "little"))}

    def run(self, kernel: Function, arguments: Sequence[Scalar]) -> Running[None]:
        try:
            yield from self._enter(kernel, arguments)
        except ExitedError:
            return

    def where(self) -> Where:
        """The barrier variables here."""
        return tuple(self._where)

    # ------------------------------------------------------------ places

    def address(self, place: Place) -> Running[int]:
        match place:
            case ir.VariablePlace(variable=variable):
                return self._variable(variable)
            case ir.Deref(pointer=pointer):
                return scalars.integer((yield from self.value(pointer)))
            case ir.FieldPlace(base=base, field=member):
                return (yield from self.address(base)) + member.offset
            case ir.TemporaryPlace(value=value, type=type_):
                address = self.temporary(type_)
                yield from self._initialise(address, type_, value)
                return address
            case ir.AfterPlace(effect=ir.Assign() | ir.Update() as effect, place=target) if effect.place == target:
                return (yield from self._assign(effect))[0]
            case ir.AfterPlace(effect=effect, place=target):
                yield from self.value(effect)
                return (yield from self.address(target))
            case ir.UnsupportedPlace(reason=reason):
                raise UndefinedError(reason)

    def _variable(self, variable: Variable) -> int:
        if variable.storage in (Storage.LOCAL, Storage.PARAMETER):
            return self._frames[-1][variable.key]
        if variable.storage is Storage.BUILTIN:
            return self._builtins[variable.name]
        return address_of(self.world.variables[variable.key])

    # ------------------------------------------------------------ expressions

    def value(self, e: Expression) -> Running[Scalar]:
        match e:
            case ir.IntConst(value=value):
                return value
            case ir.Load(place=place, type=type_, span=span, volatile=volatile):
                address = yield from self.address(place)
                order = MemoryOrder.VOLATILE if volatile else MemoryOrder.PLAIN
                return (yield from self.load(address, type_, span, place, order))
            case ir.Binary(op=op, left=left, right=right, type=type_):
                a = yield from self.value(left)
                return scalars.binary(op, a, (yield from self.value(right)), type_)
            case ir.Convert(operand=operand, type=type_):
                return scalars.convert((yield from self.value(operand)), type_)
            case ir.PointerAdd(pointer=pointer, index=index, stride=stride):
                a = scalars.integer((yield from self.value(pointer)))
                return a + stride * scalars.integer((yield from self.value(index)))
            case ir.AddressOf(place=place):
                return (yield from self.address(place))
            case ir.Assign() | ir.Update():
                return (yield from self._assign(e))[1]
            case ir.FloatConst(value=value, type=type_):
                return scalars.convert(value, type_)
            case ir.Unary(op=op, operand=operand, type=type_):
                return scalars.unary(op, (yield from self.value(operand)), type_)
            case ir.Logical(conjunction=conjunction, left=left, right=right):
                first = bool((yield from self.value(left)))
                return int(bool((yield from self.value(right)))) if first is conjunction else int(first)
            case ir.Conditional(condition=condition, then=then, otherwise=otherwise):
                return (yield from self.value(then if (yield from self.value(condition)) else otherwise))
            case ir.PointerDifference(left=left, right=right, stride=stride, type=type_):
                a = scalars.integer((yield from self.value(left)))
                return scalars.fit((a - scalars.integer((yield from self.value(right)))) // stride, type_)
            case ir.Comma(left=left, right=right):
                yield from self.value(left)
                return (yield from self.value(right))
            case _:
                return (yield from self._rare_value(e))

    def _rare_value(self, e: Expression) -> Running[Scalar]:
        match e:
            case ir.Call(function=function, arguments=arguments):
                return (yield from self._call(e, function, arguments))
            case ir.IndirectCall(callee=callee, arguments=arguments, type=type_, span=span):
                number = number_of(scalars.integer((yield from self.value(callee)))) - heap.FIRST_FUNCTION
                if not 0 <= number < len(self.world.functions):
                    raise UndefinedError("a call through a pointer to no function")
                call = ir.Call(self.world.functions[number], arguments, type_, span)
                return (yield from self._call(call, call.function, arguments))
            case ir.Aggregate(type=type_) | ir.Construct(type=type_):
                address = self.temporary(type_)
                yield from self._initialise(address, type_, e)
                return (yield from self.load(address, type_, e.span, e))
            case ir.New():
                return (yield from self._new(e))
            case ir.NullPointer():
                return 0
            case ir.FunctionAddress(function=function):
                return address_of(heap.FIRST_FUNCTION + list(self.world.functions).index(function))
            case ir.StringConst(value=text):
                return self.new(text.encode() + b"\0")
            case ir.Unsupported(reason=reason):
                raise UndefinedError(reason)
            case _:
                raise UndefinedError(type(e).__name__)

    def _assign(self, e: ir.Assign | ir.Update) -> Running[tuple[int, Scalar]]:
        """The address that was written, and the value of the expression (C++17 evaluates the right side first)."""
        order = MemoryOrder.VOLATILE if e.volatile else MemoryOrder.PLAIN
        operand = yield from self.value(e.value)
        address = yield from self.address(e.place)
        if isinstance(e, ir.Assign):
            yield from self.store(address, operand, e.value.type, e.place.span, e.place, order)
            field = bit_field(e.place)
            return address, operand if field is None else kept(operand, field)
        old = yield from self.load(address, e.type, e.place.span, e.place, order)
        if e.stride:
            amount = e.stride * scalars.integer(operand)
            new = scalars.fit(scalars.integer(old) + (amount if e.op is ir.BinaryOp.ADD else -amount), e.type)
        else:
            new = scalars.binary(e.op, scalars.convert(old, e.compute_type), operand, e.compute_type)
            new = scalars.convert(new, e.type)
        yield from self.store(address, new, e.type, e.place.span, e.place, order)
        field = bit_field(e.place)
        return address, old if e.postfix else new if field is None else kept(new, field)

    def _new(self, e: ir.New) -> Running[Scalar]:
        """The address of new memory, with its first value."""
        count = 1 if e.count is None else scalars.integer((yield from self.value(e.count)))
        size = self.size(e.allocated)
        address = address_of(self.world.heap.add(bytes(count * size)))
        if isinstance(e.initial, ir.Construct):
            for i in range(count):
                yield from self._initialise(address + i * size, e.allocated, e.initial)
        elif e.initial is not None and e.initial != ir.Aggregate((), e.initial.type, e.initial.span):
            yield from self._initialise(address, e.allocated, e.initial)
        return address

    def _initialise(self, address: int, type_: Type, e: Expression) -> Running[None]:
        """The first value of private memory, constructed in place."""
        match e, type_:
            case ir.Construct(constructor=None), _:
                return
            case ir.Construct(constructor=FunctionRef() as constructor), ArrayType(of=element, count=int(count)):
                for i in range(count):
                    at = address + i * self.size(element)
                    yield from self._initialise(at, element, ir.Construct(constructor, e.arguments, element, e.span))
            case ir.Construct(constructor=FunctionRef() as constructor, arguments=arguments), _:
                values = yield from self._values(arguments)
                yield from self.call(ir.Call(constructor, arguments, VoidType(), e.span), [address, *values])
            case ir.Aggregate(parts=parts), _:
                for offset, part in parts:
                    yield from self._initialise(address + offset, part.type, part)
            case _:
                yield from self.store(address, (yield from self.value(e)), type_, e.span, e)

    # ------------------------------------------------------------ calls

    def _call(self, call: ir.Call, function: FunctionRef, arguments: Sequence[Expression]) -> Running[Scalar]:
        return (yield from self.call(call, (yield from self._values(arguments))))

    def _values(self, arguments: Sequence[Expression]) -> Running[list[Scalar]]:
        values: list[Scalar] = []
        for argument in arguments:
            values.append((yield from self.value(argument)))  # noqa: PERF401 (no yield in comprehensions)
        return values

    def call(self, call: ir.Call, values: Sequence[Scalar]) -> Running[Scalar]:
        """A call with evaluated arguments, of a function of CUDA or of the program."""
        self._spend()
        known = self.world.device_call(self, call, values)
        if known is not None:
            return (yield from known)
        function = self.world.program.functions.get(call.function.key)
        if function is None or function.body is None:
            raise UndefinedError(f"a call of {call.function.qualified}, which has no body")
        self._where.append((call.span, 0))
        result = yield from self._enter(function, values)
        self._where.pop()
        return result

    def _enter(self, function: Function, values: Sequence[Scalar]) -> Running[Scalar]:
        if len(self._frames) > 60:
            raise UndefinedError("recursion deeper than 60 calls")
        frame: dict[str, int] = {}
        mark = self.mark()
        for parameter, value in zip(function.parameters, values, strict=False):
            frame[parameter.key] = self.new(self.pack(value, parameter.type))
        self._frames.append(frame)
        assert function.body is not None
        leaving = yield from self._run(function.body)
        self._frames.pop()
        self.end_since(mark)
        return leaving.value if isinstance(leaving, Returned) else 0

    def _spend(self) -> None:
        self.patience -= 1
        if self.patience < 0:
            raise UndefinedError("a thread that does not come to an end")

    # ------------------------------------------------------------ statements

    def _run(self, s: st.Statement) -> Running[_Leaving]:
        match s:
            case st.Block(body=body):
                return (yield from self._sequence(body))
            case st.Evaluate(expression=expression):
                mark = self.mark()
                yield from self.value(expression)
                self.end_since(mark)
            case st.Declare(variable=variable, initial=initial):
                yield from self._declare(variable, initial)
            case st.If(condition=condition, then=then, otherwise=otherwise):
                branch = then if (yield from self.value(condition)) else otherwise
                return None if branch is None else (yield from self._run(branch))
            case st.Loop(condition=condition, step=step, body=body, span=span):
                return (yield from self._loop(condition, step, body, span))
            case st.DoWhile(condition=condition, body=body, span=span):
                return (yield from self._loop(condition, None, body, span, entered=True))
            case st.Switch():
                return (yield from self._switch(s))
            case st.Break():
                return "break"
            case st.Continue():
                return "continue"
            case st.Return(value=value):
                return Returned(0 if value is None else (yield from self.value(value)))
            case st.Label():
                return None
            case st.Goto():  # without its label: in a body that compiles only in part
                raise UndefinedError("goto")
            case st.Assembly():
                raise UndefinedError("inline assembly")
            case st.UnsupportedStatement(reason=reason):
                raise UndefinedError(reason)
        return None

    def _sequence(self, body: Sequence[st.Statement]) -> Running[_Leaving]:
        for statement in body:
            leaving = yield from self._run(statement)
            if leaving is not None:
                return leaving
        return None

    def _declare(self, variable: Variable, initial: Expression | None) -> Running[None]:
        if variable.storage is not Storage.LOCAL:
            return
        variables = self._frames[-1]
        if variable.key in variables:  # again, in a loop
            self.clear(variables[variable.key])
        else:
            variables[variable.key] = self.temporary(variable.type)
        if initial is not None:
            type_ = variable.type if isinstance(variable.type, PointerType) else initial.type
            yield from self._initialise(variables[variable.key], type_, initial)

    def _loop(
        self,
        condition: Expression | None,
        step: Expression | None,
        body: st.Statement,
        span: Span,
        entered: bool = False,
    ) -> Running[_Leaving]:
        depth = len(self._where)
        self._where.append((span, 0))
        leaving: _Leaving = None
        while entered or condition is None or (yield from self.value(condition)):
            entered = False
            self._spend()
            leaving = yield from self._run(body)
            if leaving == "break" or isinstance(leaving, Returned):
                break
            if step is not None:
                yield from self.value(step)
            self._where[depth] = (span, self._where[depth][1] + 1)
        del self._where[depth:]
        return leaving if isinstance(leaving, Returned) else None

    def _switch(self, s: st.Switch) -> Running[_Leaving]:
        operand = scalars.integer((yield from self.value(s.operand)))
        chosen = next(
            (i for i, case in enumerate(s.cases) if any(low <= operand <= high for low, high in case.values)),
            next((i for i, case in enumerate(s.cases) if case.default), len(s.cases)),
        )
        for case in s.cases[chosen:]:
            leaving = yield from self._sequence(case.body)
            if leaving is not None:
                return None if leaving == "break" else leaving
        return None
