"""Block symmetry: kernels that do the same in every block, as nothing tells a thread which block it is in.

    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t] + s[n - 1 - t];

Thread t of one block and thread t of another one, its twin, begin in the same state: with the same index in the block,
arguments and constants.  Every later value is the same for both, too, if it follows from what they have done so far,
from memory that is never written, and from what the other threads of their block do, which have twins in the other
block.  So twins perform the same accesses in the same iterations, and write the same values.  The data that threads of
a block exchange in shared memory, by votes, shuffles and barriers, are the same for both if nothing races within a
block, and each of these races is a finding of its own.

The symmetry is broken by the index of the block (in a grid or cluster), global memory that the kernel writes and reads,
atomics (their order is open), loops that wait for values that other threads set (the number of iterations is open),
the set of active threads (`__activemask`), clocks and other registers of the machine, memory that threads allocate,
assembly, unknown functions, and everything that is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final

from msgspec import Struct, field

from hgrd.cuda.builtins import Kind, builtin
from hgrd.cuda.cub import is_collective, is_cub
from hgrd.cuda.groups import TELLING_NOTHING, TELLING_OF_BLOCK, is_group, is_within_block
from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.program.expressions import (
    Call,
    Construct,
    Expression,
    FunctionAddress,
    FunctionRef,
    Launch,
    New,
    Storage,
    Unsupported,
    Variable,
    VariablePlace,
)
from hgrd.program.program import Function
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, UnsupportedStatement
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type
from hgrd.program.walk import nodes
from hgrd.protocol.model import Gap, Item, ProtocolLoop, accesses
from hgrd.symbolic.values import MemoryObject, MemorySpace

# Kinds of builtins that give twins the same result; a new kind is assumed not to.
_ALIKE: Final = frozenset(
    {
        Kind.NAMED_BARRIER,
        Kind.BLOCK_BARRIER, Kind.WARP_BARRIER, Kind.FENCE, Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUCE, Kind.LANE,
        Kind.LOAD, Kind.STORE, Kind.COPY, Kind.FILL, Kind.ASYNC_COPY, Kind.SILENT, Kind.STOP, Kind.ASSERT,
        Kind.SPECIFICATION, Kind.NUMBER, Kind.NUMBERS, Kind.SMALL_FLOAT, Kind.VECTOR, Kind.ADDRESS, Kind.RANDOM,
        Kind.TEXTURE, Kind.FRAGMENT,
    }
)  # fmt: skip
_TELLING: Final = re.compile(
    r"_*globaltimer\w*|_*n?(sm|warp|lane)id"
    r"|malloc|calloc|aligned_alloc|operator new.*|surf\w+|cuda[A-Z]\w*|__cluster\w*|__nvvm_\w*"
    r"|__builtin_(?!(memcpy|memset|expect|unreachable|assume)$)\w*"
)
_NUMBERS: Final = re.compile(r"(u?(char|short|int|long|longlong)|float|double)[1-4]|dim3")


class CollectiveAccesses(Struct):
    """Global memory that collectives of a library read and store to without recorded accesses.

    `unclear`: it is unknown which memory, or other memory may overlap it.
    """

    read: dict[str, tuple[str, Span]] = field(default_factory=dict[str, "tuple[str, Span]"])  # by key: name, where
    changed: dict[str, tuple[str, Span]] = field(default_factory=dict[str, "tuple[str, Span]"])
    unclear: bool = False

    def to(self, call: Call, targets: Iterable[MemoryObject], *, anywhere: bool) -> None:
        """Notes a call with arguments that reach `targets`; `anywhere`: also pointers of unknown targets."""
        outside = [t for t in targets if t.space is MemorySpace.GLOBAL]
        into = {"Load": self.read, "Store": self.changed}.get(call.function.name)
        if anywhere or any(t.external or into is None for t in outside):
            self.unclear = True
        if into is not None:
            into |= {t.key: (t.name, call.span) for t in outside}

    def gaps(self, changed: Set[str]) -> Iterator[Gap]:
        """Gaps for collectives: their stores, and loads of what they or the kernel (`changed`) may write."""
        for name, span in dict.fromkeys(self.changed.values()):
            yield Gap(f"what a collective stores to {name}", (), span, False)
        for key, (name, span) in self.read.items():
            if key in changed or key in self.changed:
                yield Gap(f"what a collective loads from {name}", (), span, False)


def has_symmetric_blocks(
    functions: Mapping[str, Function], entered: Iterable[str], items: tuple[Item, ...], collectives: CollectiveAccesses
) -> bool:
    """Whether threads with equal indexes in different blocks do the same, if nothing races within a block.

    `entered` are the keys of all functions that the kernel runs, itself among them; `items` is its whole protocol.
    """
    made = accesses(items)
    outside = [a for a in made if a.space is not Space.SHARED]
    read = {a.target.key for a in outside if a.kind is AccessKind.READ} | collectives.read.keys()
    changed = {a.target.key for a in outside if a.kind is not AccessKind.READ} | collectives.changed.keys()
    if collectives.unclear or read & changed or any(a.kind is AccessKind.ATOMIC for a in made):
        return False
    repeated = [a for item in items if isinstance(item, ProtocolLoop) for a in accesses(item.items)]
    if any(a.volatile and a.kind is AccessKind.READ for a in (*outside, *repeated)):
        return False
    run = [f for f in map(functions.get, entered) if f is not None]
    return not any(_tells(node, functions) for function in run for node in nodes(function.body))


def _tells(node: object, functions: Mapping[str, Function]) -> bool:
    """Whether a part of the program may give twins different results."""
    match node:
        case VariablePlace(variable=Variable(name="blockIdx", storage=Storage.BUILTIN)):
            return True
        case VariablePlace(variable=Variable(storage=Storage.STATIC)):
            return True
        case Launch() | New() | Assembly() | Unsupported() | UnsupportedStatement():
            return True
        case Call(function=function, arguments=arguments):
            return _told_by(function, arguments, functions)
        case Construct(constructor=FunctionRef(qualified=name, user_code=False)) if is_collective(name):
            return False  # it keeps its temporary storage
        case Construct(constructor=FunctionRef() as function, arguments=arguments):
            return _told_by(function, arguments, functions)
        case FunctionAddress(function=function):
            return tells_by_name(function.library_name)
        case _:
            return False


def tells_by_name(name: str) -> bool:
    """Whether a function of this name may give twins different results.

    Votes and shuffles without a mask are among the lanes that happen to be active (Programming Guide, "Independent
    Thread Scheduling").
    """
    row = builtin(name)
    if row is None:
        return _TELLING.fullmatch(name) is not None
    return row.kind not in _ALIKE or (row.kind in (Kind.SHUFFLE, Kind.VOTE) and not row.masked)


def _told_by(function: FunctionRef, arguments: tuple[Expression, ...], functions: Mapping[str, Function]) -> bool:
    """Whether the result of a function depends on more than the arguments of the thread, or its warp or block."""
    if function.user_code:
        declared = functions.get(function.key)
        return declared is None or declared.body is None
    if tells_by_name(function.name):
        return True
    objects = [t for a in arguments if (t := _class_of(a.type)) is not None]
    if is_cub(function.qualified):
        return not all(map(is_collective, (function.qualified, *objects)))
    if is_group(function.qualified) or function.name in TELLING_OF_BLOCK | TELLING_NOTHING:
        return function.name not in TELLING_NOTHING and not (
            function.name in TELLING_OF_BLOCK and all(map(is_within_block, objects))
        )
    return function.key not in functions or not all(map(_NUMBERS.fullmatch, objects))


def _class_of(type_: Type) -> str | None:
    """Class of an object that is given, itself or by a pointer; None for other types."""
    while isinstance(type_, PointerType):
        type_ = type_.to
    match type_:
        case RecordType(key=name) | OpaqueType(name=name):
            return name
        case _:
            return None
