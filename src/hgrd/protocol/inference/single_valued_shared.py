"""Single-valued variables in shared memory: a block stores one value only, such as where its row begins.

    __shared__ float *row;
    if (threadIdx.x == 0) row = rows + blockIdx.x * pitch;
    __syncthreads();

Every read of such a variable gets this value: it has no value before (CUDA Programming Guide, "__shared__": no
initialisation), and a read that is not ordered after the store is a race of its own.
"""

from __future__ import annotations

from collections.abc import Set

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind
from hgrd.program.types import IntType, PointerType, Type
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Op, Term, symbols_of
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import arrays_of, unwrapped


class SingleValued(Struct):
    """Single values; `values`: by the key of a variable, what the stores so far give it; None where they differ."""

    values: dict[str, Value | None] = field(default_factory=dict[str, "Value | None"])
    stores: dict[str, int] = field(default_factory=dict[str, int])
    changes: dict[str, int] = field(default_factory=dict[str, int])

    def stored(self, target: MemoryObject, type_: Type, value: Value, common: Set[str]) -> None:
        """Notes a store to a variable; `common` are names of symbols that all threads of a block always share."""
        if target.space is not MemorySpace.SHARED or not isinstance(type_, IntType | PointerType):
            return
        known = type_ == target.element and _depends_on(value, common)
        first = self.values.setdefault(target.key, value if known else None)
        if not known or first != value:
            self.values[target.key] = None
        self.stores[target.key] = self.stores.get(target.key, 0) + 1

    def accessed(self, kind: AccessKind, target: MemoryObject) -> None:
        """Notes an access to an object: not all accesses that change it are stores."""
        if kind is not AccessKind.READ and target.space is MemorySpace.SHARED:
            self.changes[target.key] = self.changes.get(target.key, 0) + 1

    def found(self) -> dict[str, Value]:
        """Value of each single-valued variable, whenever it is read, by key."""
        return {k: v for k, v in self.values.items() if v is not None and self.changes.get(k) == self.stores[k]}


def _depends_on(value: Value, common: Set[str]) -> bool:
    """Whether the value is a function of symbols of these names only.

    Contents of memory may only be added: other results of the kernel from them take some values only.
    """
    match value:
        case Term() as term:
            pass
        case Pointer(target=target, offset=term) if target.space in SHARED_SPACES:  # else an object of one thread
            pass
        case _:
            return False
    atoms = [unwrapped(atom) for atom in linear(term)[1]]
    plain = all(atom.op is Op.READ or not arrays_of(atom) for atom in atoms)
    return plain and all(s.name in common for s in symbols_of(term))
