"""Binary semaphores and latches of libcu++ as what they are made of: an atomic number.

CUDA C++ Core Libraries, "cuda::counting_semaphore": one that is 1 at most is 1 where it is free; `acquire` waits until
it has exchanged that for 0, and acquires; `release` sets it, and releases.  "cuda::latch": `count_down` takes the
number down, and releases; `wait` waits until it is 0, and acquires.
"""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.cuda.atomics import ORDERS_AND_SCOPES
from hgrd.program.expressions import Binary, BinaryOp, Call, Expression, IntConst
from hgrd.program.statements import Block, Evaluate, Loop, Statement
from hgrd.program.types import BOOL, INT, LONG, VOID, IntType

ATOMIC = "cuda::atomic::"


def as_atomic(call: Call) -> Expression:
    """A call of a semaphore or latch as one of its atomic number; other calls, and those that wait, as they are."""
    match _operation(call), call.arguments:
        case "release", _:
            return _called(call, "store", _number(1, INT, call), "memory_order_release")
        case "try_acquire", _:
            return _taken(call, BinaryOp.EQ)
        case "count_down", _:
            return _counted_down(call)
        case "try_wait", (_,):
            return _counted(call, BinaryOp.EQ)
        case _:
            return call


def waited(e: Expression) -> Statement:
    """The statement of an expression: a loop, if it waits for a semaphore or latch."""
    match e, _operation(e) if isinstance(e, Call) else "":
        case Call(), "acquire":
            return _while(_taken(e, BinaryOp.NE))
        case Call(arguments=(_,)), "wait":
            return _while(_counted(e, BinaryOp.NE))
        case Call(), "arrive_and_wait":
            return Block((Evaluate(_counted_down(e), e.span), _while(_counted(e, BinaryOp.NE))), e.span)
        case _:
            return Evaluate(e, e.span)


def _operation(call: Call) -> str:
    """The method of an atomic number; "" of other functions."""
    function = call.function
    return function.name if function.qualified == ATOMIC + function.name and not function.user_code else ""


def _while(condition: Expression) -> Statement:
    return Loop(condition, None, Block((), condition.span), condition.span)


def _taken(call: Call, op: BinaryOp) -> Expression:
    found = _called(call, "exchange", _number(0, INT, call), "memory_order_acquire")
    return Binary(op, found, _number(1, INT, call), BOOL, call.span)


def _counted_down(call: Call) -> Expression:
    return _called(call, "fetch_sub", call.arguments[1], "memory_order_release", LONG)


def _counted(call: Call, op: BinaryOp) -> Expression:
    return Binary(
        op, _called(call, "load", None, "memory_order_acquire", LONG), _number(0, LONG, call), BOOL, call.span
    )


def _called(call: Call, name: str, operand: Expression | None, order: str, held: IntType = INT) -> Call:
    type_ = VOID if name == "store" else held
    function = replace(call.function, key=ATOMIC + name, name=name, qualified=ATOMIC + name, returns=type_)
    operands = () if operand is None else (operand,)
    arguments = (call.arguments[0], *operands, _number(ORDERS_AND_SCOPES[order], INT, call))
    return Call(function, arguments, type_, call.span)


def _number(value: int, type_: IntType, call: Call) -> IntConst:
    return IntConst(value, type_, call.span)
