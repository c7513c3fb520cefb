"""Arguments that lead to one of several objects from outside of which nothing is known: that is one such object.

    float *rows = pooled ? pool_get(n) : arena_get(n);
    kernel<<<grid, block>>>(rows, n);

Which of them it is cannot matter to a kernel that no other argument leads there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain

from hgrd.host.model import Making
from hgrd.symbolic.arithmetic import from_outside
from hgrd.symbolic.values import Choice, Composite, MemoryObject, Pointer, PointerValue, Value, pointed_to
from hgrd.terms import Term, ite


@dataclass(frozen=True, slots=True)
class Unified:
    """Arguments of a launch; `parts`: by its key, what an object that is none of the program's stands for."""

    arguments: tuple[Value, ...]
    parts: Mapping[str, tuple[MemoryObject, ...]]
    objects: Mapping[str, MemoryObject]

    def made(self, makings: Iterable[Making]) -> Iterator[Making]:
        """What is made of the objects in these arguments: of one that stands for others if all of them are."""
        known = {m.target.key: m for m in makings}
        hidden = {part.key for parts in self.parts.values() for part in parts}
        yield from (m for key, m in known.items() if key not in hidden)
        for key, parts in self.parts.items():
            if all(part.key in known for part in parts):
                yield replace(known[parts[0].key], target=self.objects[key])


def unified(arguments: Sequence[Value], others: Iterable[Value], held: Iterable[MemoryObject]) -> Unified:
    """The arguments of a launch, where `others` are known to the kernel, too, and something is known of `held`."""
    leaves = [leaf for argument in arguments for leaf in _leaves(argument)]
    leads = Counter(key for leaf in (*leaves, *others) for key in {t.key for t in pointed_to(leaf)})
    known = {target.key for target in held}
    parts: dict[str, tuple[MemoryObject, ...]] = {}
    objects: dict[str, MemoryObject] = {}

    def change(value: Value) -> Value:
        match value:
            case Composite(cells=cells):
                return replace(value, cells={at: replace(c, value=change(c.value)) for at, c in cells.items()})
            case Choice():
                targets = tuple(dict.fromkeys(pointed_to(value)))
                offset = _offset(value)
                alike = len({t.element for t in targets}) == 1
                if offset is None or not alike or not all(_nothing_else_is_known(t, leads, known) for t in targets):
                    return value
                one = _standing_for(targets)
                parts[one.key], objects[one.key] = targets, one
                return Pointer(one, offset)
            case _:
                return value

    return Unified(tuple(map(change, arguments)), parts, objects)


def _nothing_else_is_known(target: MemoryObject, leads: Mapping[str, int], known: Set[str]) -> bool:
    return from_outside(target) and target.size is None and leads[target.key] == 1 and target.key not in known


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Composite):
        yield from chain.from_iterable(_leaves(cell.value) for cell in value.cells.values())
    else:
        yield value


def _offset(value: PointerValue) -> Term | None:
    """How far behind the begin of its object it leads, whichever it is; None where it may lead nowhere."""
    match value:
        case Pointer(offset=offset):
            return offset
        case Choice(condition=condition, then=a, otherwise=b):
            one, two = _offset(a), _offset(b)
            return None if one is None or two is None else ite(condition, one, two)
        case _:
            return None


def _standing_for(targets: Sequence[MemoryObject]) -> MemoryObject:
    names = " or ".join(dict.fromkeys(t.name for t in targets))
    return replace(targets[0], key=" or ".join(t.key for t in targets), name=names)
