"""Models of the runtime's functions for graphs, in the concrete run that keeps a queue of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cuda.launching import arguments_at, kernel_of, member
from hgrd.host.concrete.state.graphs import Graph
from hgrd.host.concrete.state.launches import record_launch
from hgrd.host.concrete.state.queue import Queue
from hgrd.host.concrete.state.values import Null, Object, Pointer, StoppedError, Value
from hgrd.program.types import POINTER_SIZE, PointerType

_SUCCESS: Final = 0
_OWN: Final = 4  # the first argument that is for the kind of a node


def _queue(call: LibraryCall) -> Queue:
    if call.machine.queue is None:
        raise StoppedError
    return call.machine.queue


def _keep(call: LibraryCall, name: str, graph: Graph) -> Value:
    """Stores the address of a new object where the first argument leads to; the object is the graph."""
    made = Object(name)
    _queue(call).held[id(made)] = made
    _queue(call).graphs[id(made)] = graph
    call.store(call.pointer(0), Pointer(made, 0), call.pointee(0) or PointerType(call.returns))
    return _SUCCESS


def _graph(call: LibraryCall, index: int) -> Graph:
    found = call.value(index)
    graph = _queue(call).graphs.get(id(found.target)) if isinstance(found, Pointer) else None
    if graph is None:
        raise StoppedError
    return graph


def _created(call: LibraryCall) -> Value | None:
    """cudaGraphCreate(&graph, flags)."""
    return _keep(call, "graph", Graph())


def _instantiated(call: LibraryCall) -> Value | None:
    """cudaGraphInstantiate(&executable, graph, …): what is added later is not in it."""
    return _keep(call, "executable graph", Graph(list(_graph(call, 1).nodes)))


def _launched(call: LibraryCall) -> Value | None:
    """cudaGraphLaunch(executable, stream)."""
    _queue(call).launch_graph(_graph(call, 0), call.value(1))
    return _SUCCESS


def _captured(call: LibraryCall) -> Value | None:
    """cudaStreamBeginCapture(stream, mode)."""
    if call.machine.queue is None:
        return None
    if call.machine.queue.captured is not None:
        raise StoppedError
    call.machine.queue.begin_capture(call.value(0))
    return _SUCCESS


def _ended(call: LibraryCall) -> Value | None:
    """cudaStreamEndCapture(stream, &graph)."""
    if call.machine.queue is None:
        return None
    graph, call.machine.queue.captured = call.machine.queue.captured, None
    if graph is None:
        raise StoppedError
    return _keep(replace(call, arguments=call.arguments[1:], types=call.types[1:]), "graph", graph)


def _added(call: LibraryCall, run: Callable[[], object]) -> Value:
    """Adds a node: the first arguments are where its handle goes, the graph, and those that it depends on."""
    graph, count = _graph(call, 1), call.number(3)
    if count is None:
        raise StoppedError
    before = sum({1 << _node(call, graph, call.value(2), index) for index in range(count)})
    made = Object(f"node {graph.add(run, before)}", zero=True)
    _queue(call).held[id(made)] = made
    _queue(call).nodes[id(made)] = len(graph.nodes) - 1
    call.store(call.pointer(0), Pointer(made, 0), call.pointee(0) or PointerType(call.returns))
    return _SUCCESS


def _node(call: LibraryCall, graph: Graph, places: Value, index: int) -> int:
    """The number of a node, a handle of which is one of several from a place on."""
    at = places.offset if isinstance(places, Pointer) else None
    cell = (
        places.target.cells.get(at + index * POINTER_SIZE) if isinstance(places, Pointer) and at is not None else None
    )
    number = None
    if cell is not None and isinstance(cell.value, Pointer):
        number = _queue(call).nodes.get(id(cell.value.target))
    if number is None or number >= len(graph.nodes):
        raise StoppedError
    return number


def _kernel_node(call: LibraryCall) -> Value | None:
    """cudaGraphAddKernelNode(&node, graph, dependencies, count, &parameters)."""
    names = "func", "gridDim", "blockDim", "sharedMemBytes", "kernelParams"
    function, grid, block, shared, places = (member(call, _OWN, name) for name in names)
    kernel = kernel_of(call, function)
    if isinstance(places, Null) and not kernel.parameters:
        given: tuple[Value, ...] = ()
    elif isinstance(places, Pointer):
        given = arguments_at(call, kernel, places)
    else:
        raise StoppedError
    machine, span = call.machine, call.span
    return _added(call, lambda: record_launch(machine, kernel.ref, (grid, block), shared, given, span))


def _copy_node(copy: Model) -> Model:
    """cudaGraphAddMemcpyNode1D(&node, graph, dependencies, count, to, from, size, kind)."""

    def add(call: LibraryCall) -> Value | None:
        function = replace(call.function, name="cudaMemcpyAsync")
        own = replace(call, function=function, arguments=call.arguments[_OWN:], types=call.types[_OWN:])
        return _added(call, lambda: copy(own))

    return add


def _empty_node(call: LibraryCall) -> Value | None:
    """cudaGraphAddEmptyNode(&node, graph, dependencies, count)."""
    return _added(call, lambda: None)


def _dependencies(call: LibraryCall) -> Value | None:
    """cudaGraphAddDependencies(graph, from, to, count)."""
    graph, count = _graph(call, 0), call.number(3)
    if count is None:
        raise StoppedError
    for index in range(count):
        before, node = (_node(call, graph, call.value(n), index) for n in (1, 2))
        graph.nodes[node].before |= 1 << before
    return _SUCCESS


def in_stream(model: Model, index: int) -> Model:
    """The model of a function that puts work into a stream, which may be captured."""

    def put(call: LibraryCall) -> Value | None:
        queue, stream = call.machine.queue, call.value(index) if index < len(call.arguments) else 0
        if queue is not None and queue.capture(stream, lambda: model(call)):
            return _SUCCESS
        return model(call)

    return put


def graph_models(copy: Model) -> Mapping[str, Model]:
    """The functions for graphs; `copy` is the model of a copy in a stream."""
    return {
        "cudaGraphCreate": _created,
        **dict.fromkeys(("cudaGraphInstantiate", "cudaGraphInstantiateWithFlags"), _instantiated),
        "cudaGraphLaunch": _launched,
        "cudaGraphAddKernelNode": _kernel_node,
        "cudaGraphAddMemcpyNode1D": _copy_node(copy),
        "cudaGraphAddEmptyNode": _empty_node,
        "cudaGraphAddDependencies": _dependencies,
        **dict.fromkeys(("cudaGraphDestroy", "cudaGraphExecDestroy", "cudaGraphUpload"), lambda _: _SUCCESS),
        "cudaStreamBeginCapture": _captured,
        "cudaStreamEndCapture": _ended,
    }
