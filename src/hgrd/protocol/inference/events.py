"""Events that a device function or statement reports to `DeviceSemantics`: accesses, with what an atomic does.

`access_text` is how an access looks in the source, `users_place` and `stack_of` say where it stands in the user's code.
"""

from __future__ import annotations

from msgspec import Struct

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program.expressions import Call
from hgrd.program.span import Span
from hgrd.program.types import ArrayType
from hgrd.protocol.model import Joint
from hgrd.source.own_headers import is_of_user
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.values import Pointer, Value
from hgrd.terms import Symbol, Term, as_int, show
from hgrd.terms.linear import from_linear, linear

_LONGEST = 60


class AtomicOperation(Struct, frozen=True):
    """Operation of an atomic, with its scope and operands.

    `operand` is what it stores or combines with memory, `compare` what a compare-and-swap expects; None: there is none,
    or it is no integer.  `order` is its memory order, `failure` that of a compare-and-swap that fails.
    """

    name: str
    scope: Scope
    operand: Term | None = None
    compare: Term | None = None
    order: StdMemoryOrder = StdMemoryOrder.RELAXED
    failure: StdMemoryOrder = StdMemoryOrder.RELAXED


class AccessEvent(Struct, frozen=True):
    """Access to `size` bytes at a pointer.

    `atomic` is None for a plain read or write.  `value` identifies what a write stores (None: unknown), `result` is
    the symbol of what a read or an atomic got (None: it has none).  `text` is how people see the place; "" for the
    usual form.  `together`, `once`, `pipeline` and `alignment`: as of an `Access`.
    """

    kind: AccessKind
    pointer: Pointer
    size: int
    span: Span
    atomic: AtomicOperation | None = None
    value: Term | None = None
    result: Symbol | None = None
    volatile: bool = False
    text: str = ""
    together: Term | None = None
    once: Joint | None = None
    pipeline: str = ""
    alignment: int = 1


def number_of(value: Value | None) -> Term | None:
    """Integer term of a value; None if it is no integer."""
    return as_int(value) if isinstance(value, Term) else None


def access_text(pointer: Pointer, size: int) -> str:
    """`name[index]`, the index in elements where the offset is a multiple of the size."""
    target = pointer.target
    constant, atoms = linear(pointer.offset)
    if constant == 0 and not atoms and not isinstance(target.element, ArrayType) and not target.external:
        return target.name
    if size and constant % size == 0 and all(c % size == 0 for c in atoms.values()):
        index = show(from_linear((constant // size, {t: c // size for t, c in atoms.items()})))
        text = f"{target.name}[{index}]"
    else:
        text = f"{target.name} + {show(pointer.offset)} bytes"
    return text if len(text) <= _LONGEST else f"{target.name}[…]"


def stack_of(machine: Machine, span: Span) -> tuple[Span, ...]:
    """Call sites of the user's code that lead to a place, outermost first."""
    sites = tuple(f.call_site for f in machine.frames if f.call_site is not None and is_of_user(f.call_site))
    return sites if is_of_user(span) else sites[:-1]


def users_name(machine: Machine, call: Call) -> str:
    """The name of a function that the user's code calls: of ours, that calls another one there."""
    names = [call.function.name, *(f.function.name for f in reversed(machine.frames))]
    sites = [call.span, *(f.call_site for f in reversed(machine.frames))]
    return next((n for n, site in zip(names, sites, strict=True) if site is not None and is_of_user(site)), names[0])


def users_place(machine: Machine, span: Span) -> Span:
    """A place in code of ours is where the user's code calls it."""
    sites = (f.call_site for f in reversed(machine.frames) if f.call_site is not None)
    return span if is_of_user(span) else next((site for site in sites if is_of_user(site)), span)
