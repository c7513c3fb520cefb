"""Calls that wait for other threads, as statements of the program that do the same with atomic operations.

Barriers in memory hold the arrivals so far and, above them, how many end a phase (CUDA C++ Programming Guide,
"Asynchronous Barrier"); those with a number for some threads have a place in shared memory (PTX ISA, "bar, barrier").
A pipeline of several threads has such a word for each stage and each side, committing and releasing; a copy by it is
made where it begins, by the first thread of its group, as it may be (CUDA C++ Core Libraries, "cuda::pipeline").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from hgrd.cuda.atomics import ORDERS_AND_SCOPES, is_wait
from hgrd.cuda.barrier_objects import OBJECT_SIZE, BarrierCall, barrier_call
from hgrd.cuda.builtins import Kind, builtin
from hgrd.cuda.limits import NAMED_BARRIERS
from hgrd.cuda.pipelines import is_of_thread, is_pipeline
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import BinaryOp, Expression, FunctionRef, Storage, Variable
from hgrd.program.span import NOWHERE, Span
from hgrd.program.types import BOOL, INT, ULONG, ArrayType, BoolType, OpaqueType, PointerType, RecordType, Type

NUMBERED: Final = {"__barrier_sync_count": True, "ptx.barrier.arrive": False}
"""The barriers with a number for some threads, and whether a thread waits there."""
LOOK: Final = "hgrd.look"
"""A look at a barrier by a thread that goes on waiting: no access, as those of a wait that has ended are."""
_COUNT: Final = 40  # bits of the arrivals so far
_PRODUCER, _CONSUMER = 1, 2  # roles, as our header has them
_OF_GROUP = 5  # arguments of a copy that a group makes together
_NUMBERED: Final = Variable(
    "barriers with a number", "barriers with a number", ArrayType(ULONG, NAMED_BARRIERS), Storage.SHARED, NOWHERE
)


def waiting(e: ir.Call) -> tuple[st.Statement, ...]:
    """The statements that a call is run as; () of calls that are run as they are."""
    function = e.function
    if is_wait(function.qualified, function.name):
        return (_atomic_wait(e),)
    if function.name in NUMBERED and not function.user_code:
        return _numbered(e, waits=NUMBERED[function.name])
    match barrier_kind(e):
        case BarrierCall.INIT if len(e.arguments) == 2:
            shifted = ir.Binary(BinaryOp.SHL, _converted(e.arguments[1]), _number(_COUNT, e.span), ULONG, e.span)
            return (st.Evaluate(ir.Assign(_state(e), shifted, ULONG, e.span), e.span),)
        case BarrierCall.MEET:
            added = arrival(ir.Call(e.function, (e.arguments[0], _number(1, e.span)), ULONG, e.span))
            return _until(added, lambda token: _unfinished(e, token), _address(e))
        case BarrierCall.WAIT:
            return _until(_given(e.arguments[1]), lambda token: _unfinished(e, token), _address(e))
        case BarrierCall.PHASE:
            now = _phase(_look(e), _look(e), e.span)
            rest = ir.Binary(BinaryOp.REM, now, _number(2, e.span), ULONG, e.span)
            unfinished = ir.Binary(BinaryOp.EQ, rest, _converted(e.arguments[1]), BOOL, e.span)
            return (_while(unfinished, e.span), _acquired(_address(e), e.span))
        case _:
            return _of_pipeline(e)


def arrival(e: ir.Call) -> Expression:
    """An arrival: what it found, which tells its phase."""
    return _arrived(_address(e), _converted(e.arguments[1]))


def _arrived(word: Expression, by: Expression) -> Expression:
    """What a word held before some arrivals are added to it."""
    orders = _constants(("memory_order_release", "__NV_THREAD_SCOPE_BLOCK"), word.span)
    return _called("__nv_atomic_fetch_add", (word, by, *orders), word.span)


def barrier_kind(e: ir.Call) -> BarrierCall | None:
    """What a call does to a barrier in memory; None of other calls."""
    type_: Type | None = e.arguments[0].type if e.arguments else None
    held = type_.to if isinstance(type_, PointerType) else None
    return barrier_call(e.function.qualified, held.name) if isinstance(held, OpaqueType) else None


def _atomic_wait(e: ir.Call) -> st.Statement:
    """A wait of an atomic object: loads of it until one finds another value."""
    place, old, *order = e.arguments
    function = replace(e.function, name="load", qualified=e.function.qualified.removesuffix("wait") + "load")
    same = ir.Binary(BinaryOp.EQ, ir.Call(function, (place, *order), old.type, e.span), old, BoolType(), e.span)
    return _while(same, e.span)


def _numbered(e: ir.Call, *, waits: bool) -> tuple[st.Statement, ...]:
    """An arrival at a barrier with a number, and the wait for as many as are counted."""
    number, count = e.arguments
    array = ir.AddressOf(ir.VariablePlace(_NUMBERED, e.span), PointerType(ULONG), e.span)
    place = ir.PointerAdd(array, number, OBJECT_SIZE, PointerType(ULONG), e.span)
    added = _arrived(place, _number(1, e.span))
    if not waits:
        return (st.Evaluate(added, e.span),)
    now = _look_at(place)

    def unfinished(token: Expression) -> Expression:
        one, two = (ir.Binary(BinaryOp.DIV, x, _converted(count), ULONG, e.span) for x in (now, token))
        return ir.Binary(BinaryOp.LE, one, two, BOOL, e.span)

    return _until(added, unfinished, place)


def _until(
    value: Expression, unfinished: Callable[[Expression], Expression], address: Expression
) -> tuple[st.Statement, ...]:
    """A wait for a value that is computed once."""
    token = Variable(f"token {value.span}", "token", ULONG, Storage.LOCAL, value.span)
    held = ir.Load(ir.VariablePlace(token, value.span), ULONG, value.span)
    return (
        st.Declare(token, value, value.span),
        _while(unfinished(held), value.span),
        _acquired(address, value.span),
    )


def _given(reference: Expression) -> Expression:
    """The token that a reference leads to: to a value, to what `std::move` is given, or to a variable."""
    match reference:
        case ir.AddressOf(place=ir.TemporaryPlace(value=value)):
            return value
        case ir.AddressOf(place=ir.Deref(pointer=pointer)):
            return _given(pointer)
        case ir.Call(function=function, arguments=(argument,)) if function.library_name == "move":
            return _given(argument)
        case _:
            return ir.Load(ir.Deref(reference, ULONG, reference.span), ULONG, reference.span)


def _unfinished(e: ir.Call, token: Expression) -> Expression:
    """The phase in which an arrival has found the token has not ended."""
    now, then = _phase(_look(e), token, e.span), _phase(token, token, e.span)
    return ir.Binary(BinaryOp.LE, now, then, BOOL, e.span)


def _phase(state: Expression, of: Expression, span: Span) -> Expression:
    """The number of the phase that a state belongs to; `of`: a state that tells how many arrivals end one."""
    arrivals = ir.Binary(BinaryOp.AND, state, _number((1 << _COUNT) - 1, span), ULONG, span)
    count = ir.Binary(BinaryOp.SHR, of, _number(_COUNT, span), ULONG, span)
    return ir.Binary(BinaryOp.DIV, arrivals, count, ULONG, span)


def _state(e: ir.Call) -> ir.Place:
    return ir.Deref(_address(e), ULONG, e.span)


def _address(e: ir.Call) -> Expression:
    return ir.Convert(e.arguments[0], PointerType(ULONG), e.span)


def _look(e: ir.Call) -> Expression:
    return _look_at(_address(e))


def _look_at(word: Expression) -> Expression:
    """A look at a word by a thread that goes on waiting."""
    return _called(LOOK, (word,), word.span)


def _acquired(address: Expression, span: Span) -> st.Statement:
    """The load that ends a wait."""
    orders = _constants(("memory_order_acquire", "__NV_THREAD_SCOPE_BLOCK"), span)
    return st.Evaluate(_called("__nv_atomic_load_n", (address, *orders), span), span)


def _constants(names: tuple[str, ...], span: Span) -> tuple[Expression, ...]:
    return tuple(ir.IntConst(ORDERS_AND_SCOPES[name], INT, span) for name in names)


def _called(name: str, arguments: tuple[Expression, ...], span: Span) -> ir.Call:
    """A call of a library's function by its name."""
    return ir.Call(FunctionRef(name, name, name, ULONG), arguments, ULONG, span)


def _while(condition: Expression, span: Span) -> st.Statement:
    """A loop that does nothing while a condition holds."""
    return st.Loop(condition, None, st.Block((), span), span)


def _converted(e: Expression) -> Expression:
    return ir.Convert(e, ULONG, e.span)


def _number(value: int, span: Span) -> Expression:
    """A constant of 64 bits."""
    return ir.IntConst(value, ULONG, span)


# ---------------------------------------------------------------- pipelines


def _of_pipeline(e: ir.Call) -> tuple[st.Statement, ...]:
    """The statements that a call of a pipeline is run as; () of other calls."""
    row = builtin(e.function.name)
    if row is not None and row.kind is Kind.PIPELINE and not e.function.user_code:
        return _made(e) if row.operation == "make" else _at_stage(e, row.operation)
    return _copied(e) if e.function.name == "memcpy_async" and _is_shared(e.arguments[-1]) else ()


def _is_shared(pipeline: Expression) -> bool:
    match pipeline.type:
        case PointerType(to=RecordType(key=key)):
            return is_pipeline(key) and not is_of_thread(key)
        case _:
            return False


def _made(e: ir.Call) -> tuple[st.Statement, ...]:
    """Each thread adds itself to those that a batch waits for."""
    stages, role = e.arguments[1], e.arguments[3]
    assert isinstance(stages, ir.IntConst)
    one = _number(1 << _COUNT, e.span)
    found: list[st.Statement] = []
    for side, bit in enumerate((_PRODUCER, _CONSUMER)):
        takes_part = ir.Binary(BinaryOp.AND, role, ir.IntConst(bit, INT, e.span), INT, e.span)
        words = (_word(e, ir.IntConst(side * stages.value + n, INT, e.span)) for n in range(stages.value))
        adds = tuple(st.Evaluate(_arrived(word, one), e.span) for word in words)
        condition = ir.Binary(BinaryOp.NE, takes_part, ir.IntConst(0, INT, e.span), BOOL, e.span)
        found.append(st.If(condition, st.Block(adds, e.span), None, e.span))
    return tuple(found)


def _at_stage(e: ir.Call, operation: str) -> tuple[st.Statement, ...]:
    """A thread waits for a batch at the stage whose turn it is, or arrives there, and the next one's turn comes."""
    stages, turns = e.arguments[1:]
    turn = ir.Deref(turns, INT, e.span)
    now = ir.Load(turn, INT, e.span)
    side = 0 if operation in ("commit", "wait") else 1
    stage = _binary(BinaryOp.REM, now, stages)
    word = _word(e, _binary(BinaryOp.ADD, stage, stages) if side else stage)
    if operation in ("commit", "release"):
        following = _binary(BinaryOp.ADD, now, ir.IntConst(1, INT, e.span))
        return (
            st.Evaluate(_arrived(word, _number(1, e.span)), e.span),
            st.Evaluate(ir.Assign(turn, following, INT, e.span), e.span),
        )
    wanted = ir.Convert(_binary(BinaryOp.DIV, now, stages), ULONG, e.span)
    over = _phase(_look_at(word), _look_at(word), e.span)
    op = BinaryOp.LE if operation == "wait" else BinaryOp.LT
    return _while(ir.Binary(op, over, wanted, BOOL, e.span), e.span), _acquired(word, e.span)


def _copied(e: ir.Call) -> tuple[st.Statement, ...]:
    """A copy of one thread, or of a group, whose first thread makes it."""
    *of, to, source, size, _ = e.arguments
    copy = st.Evaluate(_called("memcpy", (to, source, size), e.span), e.span)
    if len(e.arguments) < _OF_GROUP:
        return (copy,)
    leads = ir.Call(
        replace(e.function, name="__leads", qualified="cooperative_groups::__leads"), (of[0],), BOOL, e.span
    )
    return (st.If(leads, copy, None, e.span),)


def _word(e: ir.Call, index: Expression) -> Expression:
    words = ir.Convert(e.arguments[0], PointerType(ULONG), e.span)
    return ir.PointerAdd(words, index, 8, PointerType(ULONG), e.span)


def _binary(op: BinaryOp, left: Expression, right: Expression) -> Expression:
    return ir.Binary(op, left, right, INT, left.span)
