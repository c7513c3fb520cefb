"""CUDA graphs: launches and copies that are recorded, and performed whenever the graph is launched.

    cudaStreamBeginCapture(stream, mode); … cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (…) cudaGraphLaunch(executable, stream);

(CUDA Programming Guide, "CUDA Graphs".)  A graph and its executables are known by one handle.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.launches.capture import add_site
from hgrd.host.library.launch_functions import launch_from_changed_node, launch_from_graph_node, member_at
from hgrd.host.provenance.changes import choices_of
from hgrd.host.provenance.recordings import Recorded, Recording
from hgrd.program.types import VOID, PointerType
from hgrd.symbolic.memory.lvalues import reachable
from hgrd.symbolic.state import Generation, Region
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value, pointed_to
from hgrd.terms import Term, const, mul

_UNKNOWN: Final = "graph"  # the key of all graphs that are made in ways which are not known


def begin_capture(call: LibraryCall) -> None:
    """cudaStreamBeginCapture: what the stream is given from now on is recorded."""
    call.run.launches.in_graph = True
    call.run.provenance.beginnings.recording = Recording(choices_of(call.state.path))


def end_capture(call: LibraryCall) -> None:
    """cudaStreamEndCapture(stream, graph*): all of it is in the graph."""
    beginnings = call.run.provenance.beginnings
    call.run.launches.in_graph = False
    recording, beginnings.recording = beginnings.recording or Recording(frozenset()), None
    beginnings.graphs[_handle(call, 1)] = recording


def create(call: LibraryCall) -> None:
    """cudaGraphCreate(graph*, flags): an empty graph."""
    call.run.provenance.beginnings.graphs[_handle(call, 0)] = Recording(frozenset())


def hand_on(call: LibraryCall) -> None:
    """cudaGraphInstantiate(executable*, graph, …), cudaGraphClone(clone*, graph): the same graph."""
    if len(call.arguments) > 1 and isinstance(call.arguments[1], Pointer):
        call.store_at(call.arguments[0], call.arguments[1], PointerType(VOID))


def add_kernel(call: LibraryCall) -> Value | None:
    """cudaGraphAddKernelNode(node*, graph, …): its launches are recorded."""
    with _recorded(call):
        return launch_from_graph_node(call)


def change_kernel(call: LibraryCall) -> Value | None:
    """cudaGraphExecKernelNodeSetParams and its like: the node launches what it is given now, too."""
    beginnings = call.run.provenance.beginnings
    before, beginnings.recording = beginnings.recording, beginnings.graphs.setdefault(_UNKNOWN, Recording(frozenset()))
    try:
        return launch_from_changed_node(call)
    finally:
        beginnings.recording = before


def add_fill(call: LibraryCall) -> Value | None:
    """cudaGraphAddMemsetNode(node*, graph, dependencies, their number, cudaMemsetParams*)."""
    if len(call.arguments) < 5:
        return None
    names = ("dst", "value", "elementSize", "width", "height")
    to, value, element, width, height = (member_at(call, call.arguments[4], name) for name in names)
    numbers = [n for n in (element, width, height) if isinstance(n, Term)]
    known = isinstance(element, Term) and element.is_const and len(numbers) == 3
    size, bytes_ = (mul(*numbers), element.value) if known and isinstance(element, Term) else (None, 1)
    with _recorded(call):
        call.run.provenance.beginnings.record_fill(call.state, to, value, size, call.span, bytes_)
    return const(0)


def add_copy(call: LibraryCall) -> Value | None:
    """cudaGraphAddMemcpyNode1D(node*, graph, dependencies, their number, to, from, size, kind)."""
    if len(call.arguments) < 7:
        return None
    to, source = call.arguments[4:6]
    with _recorded(call):
        call.run.provenance.beginnings.record_copy(call.state, to, source, call.number(6), call.span)
    return const(0)


def add_other(call: LibraryCall) -> None:
    """Any other node: the graphs in it are launched with this one, and what it can reach is changed."""
    beginnings, children = call.run.provenance.beginnings, _graphs(call, call.arguments[4:5])
    with _recorded(call):
        beginnings.record_anything(call.state, reachable(call.state, call.arguments[4:]))
        if beginnings.recording is not None:
            beginnings.recording.entries += [e for key in children for e in beginnings.graphs[key].entries]


def launch(call: LibraryCall) -> None:
    """cudaGraphLaunch(executable, stream): all of the graph is performed, or one of several, if it is unknown which."""
    beginnings = call.run.provenance.beginnings
    keys = _graphs(call, call.arguments[:1]) or tuple(beginnings.graphs)
    for entry in beginnings.launch_graphs(keys, call.state.path):
        if not call.machine.speculative:
            begins = beginnings.begins(entry.entered, call.state.path)
            add_site(call.run, call.machine, replace(entry.site, begins=begins))
    changed = {e.key for key in keys for e in beginnings.graphs[key].entries if isinstance(e, Recorded)}
    for key in changed & call.state.store.keys():
        call.state.store[key] = Region({}, Generation())


def _handle(call: LibraryCall, index: int) -> str:
    """The key of the new handle that a call stores through an argument."""
    places = (call.span, *(f.call_site for f in call.machine.frames))
    key = f"{_UNKNOWN} {' '.join(map(str, places))}"
    target = MemoryObject(key, _UNKNOWN, MemorySpace.HOST, None, None, call.span)
    if index < len(call.arguments):
        call.store_at(call.arguments[index], Pointer(target, const(0)), PointerType(VOID))
    return key


def _graphs(call: LibraryCall, values: tuple[Value, ...]) -> tuple[str, ...]:
    """The keys of the graphs that a handle may be that of; (): it is not known which."""
    keys = [target.key for value in values for target in pointed_to(value)]
    graphs = call.run.provenance.beginnings.graphs
    return tuple(dict.fromkeys(keys)) if all(key in graphs for key in keys) else ()


@contextmanager
def _recorded(call: LibraryCall) -> Generator[None]:
    """What is done meanwhile is recorded into the graph that is the second argument of a call."""
    beginnings = call.run.provenance.beginnings
    before, (key, *others) = beginnings.recording, _graphs(call, call.arguments[1:2]) or (_UNKNOWN,)
    beginnings.recording = beginnings.graphs.setdefault(_UNKNOWN if others else key, Recording(frozenset()))
    try:
        yield
    finally:
        beginnings.recording = before


_COPIES: Final = ("Memcpy", "MemcpyToSymbol", "MemcpyFromSymbol")
NODES: Final[Mapping[str, LibraryModel]] = {
    "cudaGraphAddKernelNode": add_kernel,
    "cudaGraphKernelNodeSetParams": change_kernel,
    "cudaGraphExecKernelNodeSetParams": change_kernel,
    "cudaGraphAddMemsetNode": add_fill,
    "cudaGraphAddMemcpyNode1D": add_copy,
}
"""The models of functions that add a node of which all is known."""

BESIDES: Final[dict[str, Callable[[LibraryCall], None]]] = {
    "cudaGraphCreate": create,
    **dict.fromkeys((f"cudaGraphAdd{kind}Node" for kind in (*_COPIES, "ChildGraph", "Host")), add_other),
    **dict.fromkeys(("cudaGraphInstantiate", "cudaGraphInstantiateWithFlags", "cudaGraphClone"), hand_on),
    **dict.fromkeys(("cudaGraphLaunch", "cuGraphLaunch"), launch),
    **dict.fromkeys(("cudaStreamBeginCapture", "cuStreamBeginCapture"), begin_capture),
    **dict.fromkeys(("cudaStreamEndCapture", "cuStreamEndCapture"), end_capture),
}
"""What other functions do to graphs, besides what any function of the runtime may do."""
