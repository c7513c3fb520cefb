"""Expressions and places (lvalues).

Everything implicit in C++ is explicit here: loads, conversions, array decay, references (a variable
of reference type holds an address and every use of it is a Deref), `this`, default arguments,
copies of records.  Every node has a `span`; every expression a `type`.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from hgrd.program.span import Span
from hgrd.program.types import Field, Type


class Storage(Enum):
    LOCAL = "local"
    PARAMETER = "parameter"
    STATIC = "static"  # function-local static of host code
    GLOBAL = "global"  # host global
    DEVICE = "device"  # __device__ (also __managed__) at namespace scope: global memory
    CONSTANT = "constant"  # __constant__
    SHARED = "shared"  # __shared__; an ArrayType with count None is the dynamic shared memory
    BUILTIN = "builtin"  # threadIdx, blockIdx, blockDim, gridDim, warpSize


class Variable(Struct, frozen=True):
    """Variable of the program; `key` is unique there, `name` is as in the source."""

    key: str
    name: str
    type: Type
    storage: Storage
    span: Span


class FunctionRef(Struct, frozen=True):
    """A function by its key in `Program.functions` (the mangled name); it may have no body there.

    `name` is unqualified ("atomicAdd", "sync", "operator()"), `qualified` has namespaces and classes
    ("cooperative_groups::thread_block::sync").  `template_args` are as the source resolves them:
    ints as int, everything else as text.  `user_code`: the program declares it; other functions are those that CUDA's
    or the system's headers, or the compiler, declare, and only these are known by their names.
    """

    key: str
    name: str
    qualified: str
    returns: Type
    template_args: tuple[int | str, ...] = ()
    user_code: bool = False

    @property
    def library_name(self) -> str:
        """The unqualified name of a library's function; "" of a function of the program, whatever its name."""
        return "" if self.user_code else self.name


# ---------------------------------------------------------------- places


class VariablePlace(Struct, frozen=True):
    variable: Variable
    span: Span


class Deref(Struct, frozen=True):
    """Place that a pointer leads to, `*pointer`; `type` is that of the place.  `p[i]` is Deref(PointerAdd(p, i))."""

    pointer: Expression
    type: Type
    span: Span


class FieldPlace(Struct, frozen=True):
    base: Place
    field: Field
    span: Span


class TemporaryPlace(Struct, frozen=True):
    """A temporary object that holds `value` (bound to a reference, or a record in flight)."""

    value: Expression
    type: Type
    span: Span


class AfterPlace(Struct, frozen=True):
    """Place that `effect` wrote: the lvalue results of `++i`, `a = b`.

    It is evaluated once, by the effect.
    """

    effect: Expression
    place: Place
    span: Span


class UnsupportedPlace(Struct, frozen=True):
    reason: str
    type: Type
    span: Span


Place: TypeAlias = VariablePlace | Deref | FieldPlace | TemporaryPlace | AfterPlace | UnsupportedPlace


# ---------------------------------------------------------------- expressions


class IntConst(Struct, frozen=True):
    value: int
    type: Type
    span: Span


class FloatConst(Struct, frozen=True):
    value: float
    type: Type
    span: Span


class StringConst(Struct, frozen=True):
    value: str
    type: Type
    span: Span


class NullPointer(Struct, frozen=True):
    type: Type
    span: Span


class FunctionAddress(Struct, frozen=True):
    """Address of a function.

    `virtual`: as the callee of a call, it is the function that overrides this one in the object's class.
    """

    function: FunctionRef
    type: Type
    span: Span
    virtual: bool = False


class Load(Struct, frozen=True):
    """Load of the value at a place; a record value is loaded as a whole."""

    place: Place
    type: Type
    span: Span
    volatile: bool = False


class AddressOf(Struct, frozen=True):
    """Address of a place; also array decay: then `type` points to the element."""

    place: Place
    type: Type
    span: Span


class PointerAdd(Struct, frozen=True):
    """Pointer arithmetic: `pointer + index * stride` bytes; `stride` is 0 where the element size is unknown."""

    pointer: Expression
    index: Expression
    stride: int
    type: Type
    span: Span


class PointerDifference(Struct, frozen=True):
    left: Expression
    right: Expression
    stride: int
    type: Type
    span: Span


class UnaryOp(Enum):
    NEG = "-"
    BIT_NOT = "~"
    NOT = "!"


class Unary(Struct, frozen=True):
    op: UnaryOp
    operand: Expression
    type: Type
    span: Span


class BinaryOp(Enum):
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    REM = "%"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


class Binary(Struct, frozen=True):
    """Binary operation; both operands have the same type (after the usual conversions), except in shifts.

    Comparisons also take pointers; their type is bool.
    """

    op: BinaryOp
    left: Expression
    right: Expression
    type: Type
    span: Span


class Logical(Struct, frozen=True):
    """Short-circuit operator: `&&` (`conjunction`) or `||`."""

    conjunction: bool
    left: Expression
    right: Expression
    type: Type
    span: Span


class Conditional(Struct, frozen=True):
    condition: Expression
    then: Expression
    otherwise: Expression
    type: Type
    span: Span


class Convert(Struct, frozen=True):
    """A conversion of value to `type`: integer, float, bool, pointer (also int <-> pointer).

    `explicit`: the source spells the cast.
    """

    operand: Expression
    type: Type
    span: Span
    explicit: bool = False


class Assign(Struct, frozen=True):
    """Assignment; it evaluates to the stored value.  `initial`: it is the first value of a variable or member."""

    place: Place
    value: Expression
    type: Type
    span: Span
    initial: bool = False
    volatile: bool = False


class Update(Struct, frozen=True):
    """Compound assignment `place op= value`, computed in `compute_type`.

    It reads and writes the place once each, and evaluates it once.  Its value is the new one, or the old one
    (`postfix`).  On pointers `value` counts elements and `stride` is their size in bytes (0 for numbers).
    """

    op: BinaryOp
    place: Place
    value: Expression
    compute_type: Type
    stride: int
    postfix: bool
    type: Type
    span: Span
    volatile: bool = False


class Call(Struct, frozen=True):
    """A call of a known function; a method's first argument is the address of its object."""

    function: FunctionRef
    arguments: tuple[Expression, ...]
    type: Type
    span: Span


class IndirectCall(Struct, frozen=True):
    """A call through a pointer or of a virtual function."""

    callee: Expression
    arguments: tuple[Expression, ...]
    type: Type
    span: Span


class Aggregate(Struct, frozen=True):
    """Record or array value given by parts: (byte offset, value); all other bytes are zero.

    Lambdas are aggregates of their captures.
    """

    parts: tuple[tuple[int, Expression], ...]
    type: Type
    span: Span


class Construct(Struct, frozen=True):
    """A record value made by a constructor; its arguments do not include the object's address.

    `constructor` None: default initialisation that does nothing (indeterminate members).
    """

    constructor: FunctionRef | None
    arguments: tuple[Expression, ...]
    type: Type
    span: Span


class New(Struct, frozen=True):
    """Allocation by `new T` (`count` None) or `new T[count]`; `initial` may be an Aggregate or Construct."""

    allocated: Type
    count: Expression | None
    initial: Expression | None
    type: Type
    span: Span


class Comma(Struct, frozen=True):
    left: Expression
    right: Expression
    type: Type
    span: Span


class Launch(Struct, frozen=True):
    """Kernel launch `kernel<<<grid, block, shared_bytes, stream>>>(arguments)`; grid and block are dim3 values."""

    kernel: Expression
    grid: Expression
    block: Expression
    shared_bytes: Expression | None
    stream: Expression | None
    arguments: tuple[Expression, ...]
    type: Type
    span: Span


class Throw(Struct, frozen=True):
    type: Type
    span: Span


class Unsupported(Struct, frozen=True):
    """Expression that could not be lowered; `operands` are its parts that could be, and are evaluated first."""

    reason: str
    operands: tuple[Expression, ...]
    type: Type
    span: Span


Expression: TypeAlias = (
    IntConst
    | FloatConst
    | StringConst
    | NullPointer
    | FunctionAddress
    | Load
    | AddressOf
    | PointerAdd
    | PointerDifference
    | Unary
    | Binary
    | Logical
    | Conditional
    | Convert
    | Assign
    | Update
    | Call
    | IndirectCall
    | Aggregate
    | Construct
    | New
    | Comma
    | Launch
    | Throw
    | Unsupported
)
