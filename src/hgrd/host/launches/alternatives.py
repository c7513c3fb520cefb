"""Alternatives: an argument that points to one of several unknown objects points to a single unknown object.

    float *rows = pooled ? pool_get(n) : arena_get(n);
    kernel<<<grid, block>>>(rows, n);

Which of them it is does not matter, since no other argument leads to any of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.memory.pointer_origins import OR
from hgrd.host.model import ProgramMade
from hgrd.symbolic.pointers import from_outside
from hgrd.symbolic.values import Choice, Composite, MemoryObject, Pointer, PointerValue, Value, pointed_to
from hgrd.terms import Term, ite

_MARKS = re.compile(r"'\d+|~")  # what keeps objects of one name apart


class Unified(Struct, frozen=True):
    """Arguments of a launch, and the objects whose contents the program makes."""

    arguments: tuple[Value, ...]
    made: tuple[ProgramMade, ...]


def unified(
    arguments: Sequence[Value], others: Iterable[Value], held: Iterable[MemoryObject], made: Iterable[ProgramMade]
) -> Unified:
    """The arguments of a launch with one object for the alternatives of each.

    `others` are further values that the kernel knows, `held` objects with known contents.  Alternatives stay apart if
    the program makes the contents of some and not of others.
    """
    leaves = [leaf for argument in arguments for leaf in _leaves(argument)]
    leads = Counter(key for leaf in (*leaves, *others) for key in {t.key for t in pointed_to(leaf)})
    known = {target.key for target in held}
    making = {m.target.key: m for m in made}
    standing: dict[str, ProgramMade] = {}

    def change(value: Value) -> Value:
        match value:
            case Composite(cells=cells):
                return replace(value, cells={at: replace(c, value=change(c.value)) for at, c in cells.items()})
            case Choice():
                targets = tuple(dict.fromkeys(pointed_to(value)))
                offset = _offset(value)
                alike = len({(t.element, t.key in making) for t in targets}) == 1
                if offset is None or not alike or not all(_nothing_else_is_known(t, leads, known) for t in targets):
                    return value
                one = _standing_for(targets)
                if targets[0].key in making:
                    standing[one.key] = replace(making[targets[0].key], target=one)
                return Pointer(one, offset)
            case _:
                return value

    changed = tuple(map(change, arguments))
    left = {t.key for argument in changed for t in pointed_to(argument)}
    hidden = leads.keys() - left - {t.key for other in others for t in pointed_to(other)}
    return Unified(changed, (*(m for key, m in making.items() if key not in hidden), *standing.values()))


def _nothing_else_is_known(target: MemoryObject, leads: Mapping[str, int], known: Set[str]) -> bool:
    return from_outside(target) and target.size is None and leads[target.key] == 1 and target.key not in known


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Composite):
        yield from chain.from_iterable(_leaves(cell.value) for cell in value.cells.values())
    else:
        yield value


def _offset(value: PointerValue) -> Term | None:
    """The offset of a pointer in its object, whichever that is; None: it may be null or unknown."""
    match value:
        case Pointer(offset=offset):
            return offset
        case Choice(condition=condition, then=a, otherwise=b):
            one, two = _offset(a), _offset(b)
            return None if one is None or two is None else ite(condition, one, two)
        case _:
            return None


def _standing_for(targets: Sequence[MemoryObject]) -> MemoryObject:
    bases = dict.fromkeys(_MARKS.sub("", t.name) for t in targets)
    name = targets[0].name if len(bases) == 1 else f"({' or '.join(bases)})"
    return replace(targets[0], key=OR.join(t.key for t in targets), name=name)
