"""Models of the CUDA runtime: what its functions do to the host program.

Calls are assumed to succeed: launches after an error are not of interest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.spelling import cuda_name
from hgrd.host.execution.library_call import SIZE, LibraryCall, LibraryModel
from hgrd.host.execution.streams import done_before_launches
from hgrd.host.execution.symbol_copies import copy_to_symbol, forget_constants
from hgrd.host.library import graphs, stream_handles
from hgrd.host.library.cuda_driver import allocate, get_function, launch_function
from hgrd.host.library.launch_functions import launch_from_configuration, launch_from_function
from hgrd.host.library.textures import bind_reference, create_object
from hgrd.host.memory.array_contents import (
    copied_patterns,
    drop_aliased_patterns,
    drop_all_patterns,
    drop_reachable_patterns,
    patterns_beside,
    record_patterns_at,
)
from hgrd.host.memory.unknowns import between, direct_targets, forget_outputs, forget_targets
from hgrd.host.model import FactKind
from hgrd.host.wording import place_name, pointee
from hgrd.program.layout import scalars
from hgrd.program.types import INT, IntType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.state import ConditionKind
from hgrd.symbolic.values import Cell, Composite, FunctionValue, MemorySpace, Pointer, Value, pointed_to
from hgrd.terms import FALSE, Op, Term, add, const, eq, le, mod, mul, wrap
from hgrd.terms.interval import of_type
from hgrd.terms.rewrite import bottom_up, rebuild

_SUCCESS = const(0)
_MOST = (1 << 31) - 1
_RANDOM: Final = "curand"
_RESULTS = ("cuda", "cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nvml", "nccl", "nvrtc", "cu")
# CUDA Runtime API, "cudaDeviceProp"; what is not listed is at least 0.
_PROPERTIES: Final[Mapping[str, tuple[int, int]]] = {
    "warpSize": (32, 32),
    "maxThreadsPerBlock": (1, 1024),
    "maxThreadsDim[0]": (1, 1024),
    "maxThreadsDim[1]": (1, 1024),
    "maxThreadsDim[2]": (1, 64),
    "maxGridSize[0]": (1, _MOST),
    "maxGridSize[1]": (1, 65535),
    "maxGridSize[2]": (1, 65535),
    "multiProcessorCount": (1, 1 << 16),
    "maxThreadsPerMultiProcessor": (1, 1 << 16),
    "major": (1, 1 << 10),
}


def _allocated(call: LibraryCall, size: Term | None, space: MemorySpace) -> Value | None:
    """`cudaMalloc(&p, size)`: a new object; its size is not 0."""
    name, type_ = call.receiver(0)
    if size is not None:
        _holds(call, le(const(1), size))
    made = call.allocate(name, pointee(type_), space, size)
    call.store_at(call.arguments[0], made, PointerType(INT))
    call.run.provenance.objects.record_store(call.machine, call.state, call.arguments[0], made, call.span)
    return _SUCCESS


def _holds(call: LibraryCall, fact: Term) -> None:
    """Assumes a fact that an allocation establishes."""
    if fact is FALSE:  # an allocation of constant size 0: the program goes on
        return
    for part in fact.args if fact.op is Op.AND else (fact,):
        call.run.launches.fact_kinds[part] = FactKind.ALLOCATION
    call.state.assume(fact, ConditionKind.VALUE, call.span)


def _malloc(call: LibraryCall) -> Value | None:
    return _allocated(call, call.number(1), MemorySpace.GLOBAL)


def _malloc_host(call: LibraryCall) -> Value | None:
    """Page-locked (or managed) memory."""
    done = _allocated(call, call.number(1), MemorySpace.HOST)
    held = load(call.machine, call.state, call.arguments[0], PointerType(INT), call.span)
    call.run.copies.page_locked.update(target.key for target in pointed_to(held))
    return done


def _host_register(call: LibraryCall) -> Value | None:
    call.run.copies.page_locked.update(target.key for target in pointed_to(call.arguments[0]))
    return _SUCCESS


def _malloc_pitch(call: LibraryCall) -> Value | None:
    """CUDA Runtime API, cudaMallocPitch: a row takes `pitch` bytes, at least its width."""
    width, height = call.number(2), call.number(3)
    pitch = between(call.machine, call.receiver(1)[0], 1, 1 << 40)
    if width is not None:
        _holds(call, le(width, pitch))
    call.store_at(call.arguments[1], pitch, SIZE)
    return _allocated(call, None if height is None else mul(pitch, height), MemorySpace.GLOBAL)


def _malloc_3d(call: LibraryCall) -> Value | None:
    """cudaPitchedPtr is (ptr, pitch, xsize, ysize), cudaExtent (width in bytes, height, depth); 8 bytes each."""
    extent = call.arguments[1]
    if not isinstance(extent, Composite) or not all(o in extent.cells for o in (0, 8, 16)):
        return None
    width, height, depth = (extent.cells[o].value for o in (0, 8, 16))
    if not (isinstance(width, Term) and isinstance(height, Term) and isinstance(depth, Term)):
        return None
    base = call.arguments[0]
    if not isinstance(base, Pointer):
        return None
    pitch = between(call.machine, f"{base.target.name}.pitch", 1, 1 << 40)
    _holds(call, le(width, pitch))
    for offset, value in ((8, pitch), (16, width), (24, height)):
        call.store_at(Pointer(base.target, add(base.offset, const(offset))), value, SIZE)
    return _allocated(call, mul(pitch, height, depth), MemorySpace.GLOBAL)


def _same_memory(call: LibraryCall) -> Value | None:
    """cudaHostGetDevicePointer, cudaGetSymbolAddress: the address of the second argument's memory."""
    call.store_at(call.arguments[0], call.arguments[1], PointerType(INT))
    return _SUCCESS


def _forgotten(call: LibraryCall) -> Value | None:
    """Memory at the first argument keeps its identity, and holds unknown values."""
    call.run.provenance.beginnings.record_anything(call.state, direct_targets(call.arguments[:1]))
    return _overwritten(call)


def _overwritten(call: LibraryCall) -> Value | None:
    """As `_forgotten`, but for what the memory holds when a kernel begins."""
    if "cpy" in call.name:
        for index in range(1, len(call.arguments)):
            call.copies_from(index)
    else:
        call.run.provenance.objects.record_cleared(direct_targets(call.arguments[:1]))
    drop_aliased_patterns(call.state, call.arguments[0])
    forget_targets(call.state, call.arguments[:1], deep=False)
    return _SUCCESS


def _filled(call: LibraryCall) -> Value | None:
    """cudaMemset(to, value, size): what is known of other parts of the memory holds on."""
    beginnings, size = call.run.provenance.beginnings, call.number(2)
    left = patterns_beside(call.state, call.arguments[0], size)
    _overwritten(call)
    beginnings.record_fill(call.state, call.arguments[0], call.argument(1), size, call.span)
    record_patterns_at(call.state, call.arguments[0], left)
    return _SUCCESS


def _copied(call: LibraryCall) -> Value | None:
    """cudaMemcpy(to, from, size, kind): known contents are copied, too."""
    if len(call.arguments) < 3:
        return _forgotten(call)
    if not _at_once(call):
        call.run.provenance.beginnings.record_copy(call.state, *call.arguments[:2], call.number(2), call.span)
        return _overwritten(call)
    to, source, size = call.arguments[0], call.arguments[1], call.number(2)
    left, known = patterns_beside(call.state, to, size), copied_patterns(call.state, to, source, size)
    if isinstance(to, Pointer) and to.target.key in call.run.linked.globals:
        left = known = ()  # a variable of the device, which kernels and copies reach by its name
    if known and size is not None and size.op is Op.WRAP:
        known = copied_patterns(call.state, to, source, _number_of_bytes(call, size))
    _overwritten(call)
    call.run.provenance.beginnings.record_copy(call.state, to, source, size, call.span)
    record_patterns_at(call.state, to, (*left, *known))
    return _SUCCESS


def _at_once(call: LibraryCall) -> bool:
    """Whether a copy reads host memory now and is complete before any later launch.

    One from page-locked memory may read it later (CUDA Runtime API, "API synchronization behavior").
    """
    if not call.name.endswith("Async"):
        return True
    locked = any(target.key in call.run.copies.page_locked for target in pointed_to(call.arguments[1]))
    return not locked and done_before_launches(call, 4)


def _number_of_bytes(call: LibraryCall, size: Term) -> Term:
    """The number of bytes of a copy; that a computation of it in `int` does not overflow becomes a fact."""
    if not any(t.op is Op.WRAP and t.wrap_to[1] for t in bottom_up((size,))):
        return size
    bytes_ = between(call.machine, "bytes", size.low, size.high)
    equal = eq(bytes_, _uncut(size))
    call.run.launches.fact_kinds[equal] = FactKind.CONTENTS
    call.state.assume(equal, ConditionKind.VALUE, call.span)
    return bytes_


def _uncut(size: Term) -> Term:
    """The term, with signed wraps marked as such that a correct program does not depend on."""
    done: dict[Term, Term] = {}
    for t in bottom_up((size,)):
        args = tuple(done[a] for a in t.args)
        cuts = t.op is Op.WRAP and t.wrap_to[1] and t.wrap_to[0] >= INT.bits
        done[t] = wrap(args[0], *t.wrap_to[:2], soft=True) if cuts else rebuild(t, args)
    return done[size]


def _nothing(_: LibraryCall) -> Value | None:
    return _SUCCESS


def _properties(call: LibraryCall) -> Value | None:
    """The members of cudaDeviceProp or cudaFuncAttributes, within the limits of the architecture."""
    address = call.arguments[0]
    forget_targets(call.state, (address,), deep=False)
    if not isinstance(address, Pointer) or not isinstance(address.target.element, RecordType | OpaqueType):
        return _SUCCESS
    for offset, type_ in _members(call.machine, address.target.element):
        name, _ = place_name(address.target, offset, call.machine.records)
        if isinstance(type_, IntType) and type_.bits >= 32:
            bounds = _PROPERTIES.get(name.rpartition(".")[2], (0, of_type(type_.bits, type_.signed)[1]))
            call.store_at(Pointer(address.target, const(offset)), between(call.machine, name, *bounds), type_)
    return _SUCCESS


def _members(machine: Machine, type_: RecordType | OpaqueType) -> list[tuple[int, Type]]:
    """The scalar members of a record; of an opaque one, those the program names."""
    if isinstance(type_, RecordType):
        return scalars(type_, machine.records, 512)
    record = machine.records.get(type_.name)
    fields = () if record is None else record.fields
    return [(f.offset + at, t) for f in fields for at, t in scalars(f.type, machine.records, 8)]


def _writes(*bounds: tuple[int, int]) -> LibraryModel:
    """A function that writes integers within bounds through its first arguments."""

    def model(call: LibraryCall) -> Value | None:
        for index, (low, high) in enumerate(bounds):
            value = between(call.machine, call.receiver(index)[0], low, high)
            call.store_at(call.argument(index), value, call.receiver(index)[1] or INT)
        return _SUCCESS

    return model


def _potential_block(call: LibraryCall) -> Value | None:
    """cudaOccupancyMaxPotentialBlockSize(grid*, block*, kernel, shared, limit): a block of whole warps.

    So it is computed (cuda_occupancy.h, cudaOccMaxPotentialOccupancyBlockSize), unless a limit is smaller.
    """
    done = _writes((1, 1 << 20), (1, 1024))(call)
    if len(call.arguments) < 3:
        return done
    kernel = call.arguments[2]
    function = call.run.linked.functions.get(kernel.function.key) if isinstance(kernel, FunctionValue) else None
    limited = len(call.arguments) > 4 and call.number(4) is not const(0)
    if function is None or function.max_threads is not None or limited:
        return done
    block = load(call.machine, call.state, call.arguments[1], INT, call.span)
    if isinstance(block, Term):
        whole = eq(mod(block, const(WARP_SIZE)), const(0))
        call.run.launches.fact_kinds[whole] = FactKind.ASSUMPTION
        call.state.assume(whole, ConditionKind.VALUE, call.span)
    return done


def _extent(call: LibraryCall) -> Value | None:
    """make_cudaExtent and its like, make_int3 and its like: the members in order."""
    if not isinstance(call.call.type, RecordType):
        return None
    members = scalars(call.call.type, call.machine.records, 16)
    cells: dict[int, Cell] = {}
    for index, (offset, type_) in enumerate(members):
        value = call.argument(index)
        if value is None:
            return None
        cells[offset] = Cell(value, call.machine.size(type_) or 1)
    return Composite(cells, call.machine.size(call.call.type) or 0)


def _another_memory(call: LibraryCall) -> Value | None:
    """Every device has constant memory of its own (CUDA Programming Guide, "Multi-Device System")."""
    forget_constants(call.run, call.state, all_=True)
    return _SUCCESS


def _besides(get: Callable[[LibraryCall], None]) -> LibraryModel:
    """The model of a function that does what any other may do, and then something that is known."""

    def model(call: LibraryCall) -> Value | None:
        done = _status(call)
        get(call)
        return done

    return model


def _launch_by_number(call: LibraryCall) -> Value | None:
    launch_function(call)
    drop_all_patterns(call.state)
    return _SUCCESS


_KNOWN: Final[Mapping[str, LibraryModel]] = {
    "cudaMalloc": _malloc,
    "cudaMallocAsync": _malloc,
    "cudaMallocFromPoolAsync": _malloc,
    "cudaMallocManaged": _malloc_host,
    "cudaMallocHost": _malloc_host,
    "cudaHostAlloc": _malloc_host,
    "cudaHostMalloc": _malloc_host,
    "cudaHostRegister": _host_register,
    "cudaMallocPitch": _malloc_pitch,
    "cudaMallocArray": lambda call: _allocated(call, None, MemorySpace.GLOBAL),
    "cudaMalloc3DArray": lambda call: _allocated(call, None, MemorySpace.GLOBAL),
    "cudaMalloc3D": _malloc_3d,
    "cudaHostGetDevicePointer": _same_memory,
    "cudaGetSymbolAddress": _same_memory,
    "cudaMemcpyToSymbol": copy_to_symbol,
    "cudaMemcpyToSymbolAsync": copy_to_symbol,
    "cudaGetDeviceProperties": _properties,
    "cudaFuncGetAttributes": _properties,
    "cudaGetDeviceCount": _writes((1, 1 << 10)),
    "cudaGetDevice": _writes((0, 1 << 10)),
    "cudaDeviceGetAttribute": _writes((0, _MOST)),
    "cudaOccupancyMaxPotentialBlockSize": _potential_block,
    "cudaOccupancyMaxPotentialBlockSizeVariableSMem": _writes((1, 1 << 20), (1, 1024)),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": _writes((1, 1 << 10)),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": _writes((1, 1 << 10)),
    "cuMemAlloc": _besides(allocate),
    "cuModuleGetFunction": _besides(get_function),
    "cuLaunchKernel": _launch_by_number,
    "cuLaunchCooperativeKernel": _launch_by_number,
    "cudaLaunchKernel": launch_from_function,
    "cudaLaunchCooperativeKernel": launch_from_function,
    "cudaLaunchKernelExC": launch_from_configuration,
    "cudaLaunchKernelEx": launch_from_configuration,
    "cudaCreateTextureObject": create_object,
    "cudaCreateSurfaceObject": create_object,
    "cudaBindTexture": bind_reference(1),
    "cudaBindTexture2D": bind_reference(1),
    "cudaBindTextureToArray": bind_reference(0),
    "cudaBindSurfaceToArray": bind_reference(0),
    **graphs.NODES,
    **{name: _besides(get) for name, get in graphs.BESIDES.items()},
    **stream_handles.MODELS,
    **dict.fromkeys(
        (
            "cudaFree", "cudaFreeHost", "cudaFreeAsync", "cudaMemPrefetchAsync", "cudaMemAdvise", "cudaHostUnregister",
            "cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "cudaStreamAttachMemAsync", "cudaEventRecord",
        ),
        _nothing,
    ),
    **{
        f"cudaMem{what}{how}": _forgotten
        for what in ("cpyPeer", "cpy2D", "set2D", "cpyFromSymbol", "cpyFromArray", "cpy2DFromArray")
        for how in ("", "Async")
    },
    **dict.fromkeys(("cudaMemcpy", "cudaMemcpyAsync"), _copied),
    **dict.fromkeys(("cudaMemset", "cudaMemsetAsync"), _filled),
    **dict.fromkeys(("cudaSetDevice", "cudaDeviceReset", "cudaThreadExit"), _another_memory),
}  # fmt: skip


def cuda_model(name: str, returns: Type) -> LibraryModel | None:
    """The model of a function of CUDA or of its libraries; None: it has no model."""
    canonical = cuda_name(name)
    known = _KNOWN.get(canonical)
    if known is not None:
        return known
    if canonical.startswith("make_"):
        return _extent
    if isinstance(returns, IntType) and any(_after(canonical, prefix) for prefix in _RESULTS):
        return _status
    return None


def _after(name: str, prefix: str) -> bool:
    """Whether the name is `prefix` and then a new word."""
    return name.startswith(prefix) and name[len(prefix) : len(prefix) + 1].isupper()


def _status(call: LibraryCall) -> Value | None:
    """Any other function: it may write through its pointer arguments, and returns success."""
    if call.name.startswith(_RANDOM):
        call.run.provenance.objects.record_input(direct_targets(call.arguments))
    else:
        call.run.provenance.objects.record_computed(direct_targets(call.arguments), call.span)
    by_number = _after(call.name, "cu")  # the driver API, for which addresses of the device are numbers
    if by_number or "Graph" in call.name:  # its nodes may be launches and copies
        drop_all_patterns(call.state)
    if "Graph" in call.name or (by_number and "Ctx" in call.name):
        forget_constants(call.run, call.state, all_=True)
    drop_reachable_patterns(call.state, call.arguments)
    forget_outputs(call.machine, call.state, zip(call.arguments, call.call.arguments, strict=False))
    return _SUCCESS
