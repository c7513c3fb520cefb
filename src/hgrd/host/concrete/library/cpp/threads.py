"""Models of threads of the host in a concrete run that keeps a queue of work: `std::thread` and `std::async`.

What a thread does is done at once, and counts as a piece of work that is complete when the program has waited for the
thread: until then nothing orders it with what the program does.
"""

from __future__ import annotations

from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cpp.elements import container_at, keep, own_type
from hgrd.host.concrete.library.cpp.wrappers import callable_of, run_callable
from hgrd.host.concrete.state.values import NULL, UNKNOWN, Cell, Null, Object, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import ArrayType, IntType, OpaqueType, VoidType

_CLASSES: Final = ("std::thread", "std::jthread", "std::future")
_ASYNC: Final = "std::async"


def thread_model(function: FunctionRef) -> Model | None:
    """The model of a member of a thread or a future, or of `std::async`; None: of another function."""
    if function.qualified == _ASYNC:
        return _async
    owner, _, name = function.qualified.rpartition("::")
    if owner not in _CLASSES:
        return None
    return _constructed if name == owner.rpartition("::")[2] else _METHODS.get(name, _stops)


def is_thread(type_: object) -> bool:
    return isinstance(type_, OpaqueType) and type_.name.startswith(_CLASSES)


def added_thread(call: LibraryCall) -> Value | None:
    """emplace_back(function, …) of a vector of threads."""
    container = container_at(call)
    if container.count is None:
        raise StoppedError
    place = Pointer(container.elements, container.count)
    keep(place, _begun(call, 1), OpaqueType(_CLASSES[0]))
    container.count += 1
    return place


def _async(call: LibraryCall) -> Value | None:
    """std::async(policy, function, …), or without a policy: the function may run at once."""
    return _begun(call, 1 if isinstance(call.types[0], IntType) else 0)


def _constructed(call: LibraryCall) -> Value | None:
    place, type_ = call.pointer(0), own_type(call)
    if len(call.arguments) == 1:
        _empty(call, place)
    elif is_thread(call.pointee(1)):
        keep(place, _taken(call), type_)
    else:
        keep(place, _begun(call, 1), type_)
    return UNKNOWN


def _empty(call: LibraryCall, place: Pointer) -> None:
    """Makes a thread, or an array of threads, that is none."""
    type_ = own_type(call)
    for index in range((type_.count or 0) if isinstance(type_, ArrayType) else 1):
        keep(Pointer(place.target, (place.offset or 0) + index), NULL, own_type(call))


def _taken(call: LibraryCall) -> Value:
    """What the second argument has, which has none from now on."""
    source = call.pointer(1)
    held = _held(source)
    keep(source, NULL, call.pointee(1) or own_type(call))
    return held


def _assigned(call: LibraryCall) -> Value | None:
    keep(call.pointer(0), _taken(call), own_type(call))
    return call.arguments[0]


def _begun(call: LibraryCall, first: int) -> Value:
    """Runs a function on arguments as a thread; the thread, which holds what the function has returned."""
    queue = call.machine.queue
    if queue is None or queue.calling is not None:
        raise StoppedError
    made, known = Object("thread", zero=True), queue.done
    function = callable_of(call, first)
    queue.calling = queue.begin_thread(call.span)
    result = run_callable(call, function, first + 1)
    queue.threads[id(made)] = made, queue.done
    queue.calling, queue.done = None, known
    made.cells[0] = Cell(result, call.returns, 1)
    return Pointer(made, 0)


def _held(place: Pointer) -> Pointer | Null:
    cell = place.target.cells.get(place.offset) if place.offset is not None else None
    if cell is None or not isinstance(cell.value, Pointer | Null):
        raise StoppedError
    return cell.value


def _joined(call: LibraryCall) -> Value | None:
    """join(), wait(), get(): the program waits for the thread."""
    thread, queue = _held(call.pointer(0)), call.machine.queue
    if queue is None or not isinstance(thread, Pointer) or id(thread.target) not in queue.threads:
        raise StoppedError
    queue.done |= queue.threads[id(thread.target)][1]
    if call.function.name != "wait":
        keep(call.pointer(0), NULL, own_type(call))
    return UNKNOWN if isinstance(call.returns, VoidType) else thread.target.cells[0].value


def _valid(call: LibraryCall) -> Value | None:
    """valid(), joinable()."""
    return int(isinstance(_held(call.pointer(0)), Pointer))


def _stops(call: LibraryCall) -> Value | None:
    raise StoppedError


_METHODS: Final[dict[str, Model]] = {
    "operator=": _assigned,
    **dict.fromkeys(("join", "wait", "get"), _joined),
    **dict.fromkeys(("valid", "joinable"), _valid),
}
