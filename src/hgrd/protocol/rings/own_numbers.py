"""Numbers of barriers that depend on the thread: a barrier for each number, at which its threads meet.

barrier.arrive(1 + threadIdx.x / 64, 64);     // as `if (threadIdx.x / 64 == 0) barrier.arrive(1, 64);`, and so on
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from hgrd.cuda.limits import NAMED_BARRIERS
from hgrd.protocol.barrier_names import NamedBarrier
from hgrd.protocol.model import Arrival, Barrier, Configuration, Item, ProtocolLoop
from hgrd.protocol.rings.sites import values_by_thread
from hgrd.symbolic.state import Condition, ConditionKind
from hgrd.terms import Origin, Term, add, const, eq, mul, symbols_of
from hgrd.terms.evaluate import EvaluationError
from hgrd.terms.linear import linear

_MOST: Final = NAMED_BARRIERS  # numbers of which each gets a barrier of its own


def by_number(items: tuple[Item, ...], configuration: Configuration) -> tuple[Item, ...]:
    """The items with every barrier of which a thread has its own number as one barrier a number, under a condition."""
    if not mul(*configuration.block).is_const or not any(map(_in_halves, items)):
        return items
    return tuple(made for item in items for made in _split(item, configuration))


def _in_halves(item: Item) -> bool:
    """Whether threads arrive at a barrier with a number and do not wait: else who meets there needs no ring."""
    match item:
        case Arrival(named=named):
            return named is not None
        case Barrier(named=NamedBarrier(arrives=True)):
            return True
        case ProtocolLoop(items=inner):
            return any(map(_in_halves, inner))
        case _:
            return False


def _split(item: Item, configuration: Configuration) -> Iterator[Item]:
    match item:
        case ProtocolLoop(items=inner):
            yield replace(item, items=tuple(made for i in inner for made in _split(i, configuration)))
        case Arrival(named=named) | Barrier(named=named) if named is not None and named.turn is None:
            own, rest = _parts(named.number)
            values = _values(own, configuration)
            if own.is_const or not 0 < len(values) <= _MOST:
                yield item
                return
            for value in values:
                its = eq(own, const(value))
                path = (*item.path, Condition(its, ConditionKind.BRANCH, item.span))
                its_number = replace(named, number=add(rest, const(value)))
                yield replace(item, named=its_number, guards=(*item.guards, its), path=path)
        case _:
            yield item


def _parts(number: Term) -> tuple[Term, Term]:
    """The part of a number that depends on the thread alone, and the rest of it."""
    constant, atoms = linear(number)
    own = {atom: n for atom, n in atoms.items() if {s.origin for s in symbols_of(atom)} == {Origin.THREAD}}
    rest = (mul(const(n), atom) for atom, n in atoms.items() if atom not in own)
    return add(const(0), *(mul(const(n), atom) for atom, n in own.items())), add(const(constant), *rest)


def _values(own: Term, configuration: Configuration) -> tuple[int, ...]:
    """The values of a term of thread indexes in a block of constant extents; () if it has none."""
    try:
        return tuple(sorted({value for (value,) in values_by_thread((own,), configuration)}))
    except EvaluationError:
        return ()
