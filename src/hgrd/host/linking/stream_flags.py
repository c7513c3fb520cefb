"""Streams that do not synchronise with the default stream (CUDA Runtime API, "Stream synchronization behavior")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hgrd.cuda.spelling import cuda_name
from hgrd.host.linking.constant_memory import run_by
from hgrd.host.linking.kernel_accesses import bare
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.openmp import PREFIX
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.types import OpaqueType, PointerType
from hgrd.program.walk import nodes
from hgrd.terms import Term, const

_FLAGS: Final = (
    "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cuStreamCreate", "cuStreamCreateWithPriority",
)  # fmt: skip
_FLAG: Final = 1  # the argument of these
_KINDS: Final = ("StreamDefault", "StreamNonBlocking", "STREAM_DEFAULT", "STREAM_NON_BLOCKING")
_CONCURRENT: Final = ("cudaStreamCreate", "cuStreamCreate", "cudaSetDevice", "cudaGraph", PREFIX)
ORDERING: Final = (  # of the standard library: one thread of the host may wait for another there
    "std::thread", "std::jthread", "std::future", "std::async", "std::mutex", "std::unique_lock", "std::lock_guard",
    "std::scoped_lock", "std::lock", "std::try_lock", "std::condition_variable", "std::atomic", "std::barrier",
    "std::latch", "std::counting_semaphore", "std::binary_semaphore", "std::this_thread", "std::function",
    "std::__bind", "std::_Bind", "std::__mem_fn", "std::_Mem_fn", "invoke", "std::invoke", "std::packaged_task", PREFIX,
)  # fmt: skip
_THREADS: Final = ("std::thread", "std::jthread", "std::async", "pthread_create")
_THREAD_CLASSES: Final = ("std::thread", "std::jthread")
_MAKERS: Final = ("std::thread::thread", "std::jthread::jthread")
_ADDERS: Final = ("emplace_back", "emplace")
_BETWEEN_THREADS: Final = (
    "std::mutex", "std::timed_mutex", "std::recursive_", "std::shared_mutex", "std::shared_timed_mutex", "std::lock",
    "std::unique_lock", "std::shared_lock", "std::scoped_lock", "std::condition_variable", "std::atomic", "std::latch",
    "std::__atomic", "std::promise", "std::packaged_task", "std::barrier", "std::counting_semaphore", "std::call_once",
    "std::binary_semaphore", "std::__", "std::once_flag", "std::stop_", "std::this_thread", "cuda::", "pthread_",
    "sem_", "__atomic_", "__sync_",
)  # fmt: skip
_HOLDERS: Final = (
    "std::function::",
    "std::__bind",
    "std::_Bind",
    "std::__mem_fn",
    "std::_Mem_fn",
    "invoke",
    "std::invoke",
)
_PARTS: Final = ("Stream", "Event", "Memcpy", "Memset", "Synchronize", "SetDevice", "GraphLaunch")
_AT_ONCE: Final = (  # these return immediately, whatever the device still does (CUDA Runtime API, "Event Management")
    "cudaEventDestroy", "cudaStreamDestroy", "cudaGraphDestroy", "cudaGraphExecDestroy", "cudaFreeAsync",
    "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName",
)  # fmt: skip


def kinds_of_streams(functions: Iterable[Function]) -> frozenset[bool | None]:
    """Whether the streams that a program makes wait for the default stream, on which copies are as a rule.

    None: that is not known of some of them.
    """
    calls = (
        n for f in functions if f.user_code and f.body is not None for n in nodes(f.body) if isinstance(n, ir.Call)
    )
    return frozenset(kind for call in calls for kind in _kinds(call))


def _kinds(call: ir.Call) -> tuple[bool | None, ...]:
    """The kind of the streams that a call makes; () of other calls."""
    name = cuda_name(call.function.name)
    if name in _FLAGS and len(call.arguments) > _FLAG:
        return (waits_for_default(call.arguments[_FLAG]),)
    return (True,) if name == "cudaStreamCreate" else ()


def waits_for_default(flags: ir.Expression) -> bool | None:
    """Whether a stream made with these flags waits for the default stream; None: that is not known."""
    match flags:
        case ir.Convert(operand=operand):
            return waits_for_default(operand)
        case ir.IntConst(value=value):
            return value == 0
        case ir.Load(place=ir.VariablePlace(variable=variable)):
            return kind_waits(variable.name)
        case _:
            return None


def kind_waits(name: str) -> bool | None:
    """Whether the kind of streams that a constant of the runtime names waits for the default stream; None: no kind."""
    return name.upper().endswith("DEFAULT") if name.endswith(_KINDS) else None


def ordering_functions(functions: Mapping[str, Function]) -> frozenset[str]:
    """The keys of the functions that put work on the device or order it, or threads of the host.

    There are none where the program makes no streams, graphs or threads and uses one device.
    """
    called = {ref.key: ref for ref in _called(functions)}
    several = any(cuda_name(ref.name).startswith(_CONCURRENT) for ref in called.values())
    if not several and not any(ref.qualified.startswith(_THREADS) for ref in called.values()):
        return frozenset()
    return frozenset(key for key, ref in called.items() if _orders(ref))


def polling_calls(functions: Mapping[str, Function]) -> frozenset[Span]:
    """The places of calls in the tests of loops, which may go on until a stream or an event is complete.

    So may those in functions of the program that the tests call.
    """
    loops = (n for f in functions.values() if f.user_code and f.body is not None for n in nodes(f.body))
    tests = (n.condition for n in loops if isinstance(n, st.Loop | st.DoWhile) and n.condition is not None)
    calls = [n for test in tests for n in nodes(test) if isinstance(n, ir.Call)]
    inside = (f for key in {call.function.key for call in calls} for f in run_by(key, functions) if f.user_code)
    below = (n.span for f in inside for n in nodes(f.body) if isinstance(n, ir.Call))
    return frozenset(call.span for call in calls).union(below)


def waits_unseen(functions: Mapping[str, Function]) -> bool:
    """Whether the library may destroy objects of classes whose destructors wait for work, which is not followed."""
    hosts = [f for f in functions.values() if f.user_code and f.body is not None]
    held = names_of_waiting(functions)
    names = (t.name for f in hosts for t in _library_types(f)) if held else ()
    return held is not None and any(held.search(name) for name in names)


def names_of_waiting(functions: Mapping[str, Function]) -> re.Pattern[str] | None:
    """The names of classes whose destructors wait for work; None: there are none."""
    hosts = [f for f in functions.values() if f.user_code and f.body is not None]
    waiting = {f.ref.name[1:] for f in hosts if f.ref.name.startswith("~") and _may_wait(run_by(f.ref.key, functions))}
    return re.compile(rf"\b({'|'.join(map(re.escape, waiting))})\b(?!::)") if waiting else None


def _may_wait(functions: Iterable[Function]) -> bool:
    called = (n.function for f in functions for n in nodes(f.body) if isinstance(n, ir.Call))
    names = (cuda_name(f.name) for f in called if not f.user_code)
    return any(name.startswith("cu") and not name.startswith(_AT_ONCE) for name in names)


def _library_types(function: Function) -> Iterator[OpaqueType]:
    for node in nodes(function.body):
        match node:
            case (
                st.Declare(variable=ir.Variable(type=OpaqueType() as type_)) | ir.Construct(type=OpaqueType() as type_)
            ):
                yield type_
            case ir.Call(arguments=(first, *_)) if isinstance(first.type, PointerType):
                if isinstance(first.type.to, OpaqueType):
                    yield first.type.to
            case _:
                pass


def uses_threads(functions: Mapping[str, Function]) -> bool:
    """Whether a program makes threads of the host, or waits for them."""
    return any(ref.qualified.startswith(_THREADS) for ref in _called(functions))


def begins_thread(call: ir.Call | ir.Construct) -> bool:
    """Whether a call begins a thread of the host."""
    if isinstance(call, ir.Construct):
        return call.constructor is not None and _makes_thread(call.constructor)
    function = call.function
    owner = call.arguments[0].type if call.arguments else None
    list_ = owner.to if isinstance(owner, PointerType) else owner
    adds = function.name in _ADDERS and isinstance(list_, OpaqueType) and any(t in list_.name for t in _THREAD_CLASSES)
    return _makes_thread(function) or (adds and not function.user_code)


def _makes_thread(function: ir.FunctionRef) -> bool:
    makes = function.name in ("pthread_create", "async") or function.qualified.startswith(_MAKERS)
    return makes and not function.user_code


def orders_threads(functions: Mapping[str, Function]) -> bool:
    """Whether a program may order its threads by other means than to wait for their ends, or runs them only then."""
    called = list(_called(functions))
    bodies = (f.body for f in functions.values() if f.user_code and f.body is not None)
    if any(isinstance(n, ir.VariablePlace) and n.variable.key == "deferred" for body in bodies for n in nodes(body)):
        return True
    makes = any(ref.qualified.startswith(_THREADS) for ref in called)
    return makes and any(ref.qualified.startswith(_BETWEEN_THREADS) for ref in called)


def holds_functions(functions: Mapping[str, Function]) -> bool:
    """Whether a program calls functions that objects of the C++ library hold."""
    return any(ref.qualified.startswith(_HOLDERS) for ref in _called(functions))


def _orders(function: ir.FunctionRef) -> bool:
    name = cuda_name(function.name)
    return function.qualified.startswith(ORDERING) or (name.startswith("cu") and any(part in name for part in _PARTS))


def _called(functions: Mapping[str, Function]) -> Iterator[ir.FunctionRef]:
    for node in (n for f in functions.values() if f.user_code and f.body is not None for n in nodes(f.body)):
        match node:
            case ir.Call(function=function) | ir.Construct(constructor=ir.FunctionRef() as function):
                yield function
            case _:
                pass


def stream_number(stream: ir.Expression) -> Term | None:
    """The number that a stream is written as, such as `cudaStreamPerThread`; None: it is not."""
    written = bare(stream)
    return const(written.value) if isinstance(written, ir.IntConst) else None
