"""Single-valued variables in shared memory: a block stores one value only, such as where its row begins.

    __shared__ float *row;
    if (threadIdx.x == 0) row = rows + blockIdx.x * pitch;
    __syncthreads();

Every read of such a variable gets this value: it has no value before (CUDA Programming Guide, "__shared__": no
initialisation), and a read that is not ordered after the store is a race of its own.  Where the value is not known, as
that of a ticket which one thread draws for its block, all reads still get the same one.  (Two threads could store one
after the other, under a lock.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind
from hgrd.program.types import BoolType, IntType, PointerType, Type
from hgrd.symbolic.memory.lvalues import SHARED_SPACES
from hgrd.symbolic.values import MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Op, Symbol, Term, as_int, sub, symbols_of
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import arrays_of, unwrapped


class SingleValued(Struct):
    """Single values; `values`: by the key of a variable, what the stores so far give it; None where they differ.

    `repeated` are keys of variables that a block may store to more than once.
    """

    values: dict[str, Value | None] = field(default_factory=dict[str, "Value | None"])
    stores: dict[str, int] = field(default_factory=dict[str, int])
    changes: dict[str, int] = field(default_factory=dict[str, int])
    repeated: set[str] = field(default_factory=set[str])

    def stored(self, target: MemoryObject, type_: Type, value: Value, common: Set[str], *, once: bool) -> None:
        """Notes a store to a variable; `once`: one thread of the block makes it, once.

        `common` are names of symbols that all threads of a block always share.
        """
        if target.space is not MemorySpace.SHARED or not isinstance(type_, IntType | BoolType | PointerType):
            return
        known = type_ == target.element and _depends_on(value, common)
        first = self.values.setdefault(target.key, value if known else None)
        if not known or first != value:
            self.values[target.key] = None
        self.stores[target.key] = self.stores.get(target.key, 0) + 1
        if not once:
            self.repeated.add(target.key)

    def accessed(self, kind: AccessKind, target: MemoryObject) -> None:
        """Notes an access to an object: not all accesses that change it are stores."""
        if kind is not AccessKind.READ and target.space is MemorySpace.SHARED:
            self.changes[target.key] = self.changes.get(target.key, 0) + 1

    def found(self) -> dict[str, Value]:
        """Value of each single-valued variable, whenever it is read, by key."""
        return {k: v for k, v in self.values.items() if v is not None and self.changes.get(k) == self.stores[k]}

    def set_once(self) -> frozenset[str]:
        """Keys of the variables that each block stores to once."""
        once = (k for k, number in self.stores.items() if number == self.changes.get(k) == 1)
        return frozenset(once) - self.repeated


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
    atoms = [unwrapped(atom) for atom in linear(as_int(term))[1]]
    plain = all(atom.op is Op.READ or not arrays_of(atom) for atom in atoms)
    return plain and all(s.name in common for s in symbols_of(term))


def one_thread(conditions: Iterable[Term], indexes: Iterable[Symbol | None], common: Set[str]) -> bool:
    """Whether at most one thread of a block meets the conditions: equations determine all its indexes."""
    left = {index for index in indexes if index is not None}
    for condition in conditions:
        if condition.op is Op.EQ:
            atoms = linear(sub(*map(as_int, condition.args)))[1]
            own = {a.symbol: c for a, c in atoms.items() if a.op is Op.VAR and a.symbol in left}
            rest = symbols_of(*(a for a in atoms if a.op is not Op.VAR or a.symbol not in own))
            if all(s.name in common for s in rest) and _digits(own):
                left -= own.keys()
    return not left


def _digits(numbers: Mapping[Symbol, int]) -> bool:
    """Whether a sum of multiples of symbols determines all of them, as a number its digits."""
    below = 0
    for symbol, step in sorted(numbers.items(), key=lambda item: abs(item[1])):
        if abs(step) <= below:
            return False
        below += abs(step) * (symbol.high - symbol.low)
    return True
