"""Provenance of array contents, object by object: the program's input, or the program itself.

What is read from a file, drawn at random or stored by unknown code is input: it may be anything.  What the program's
own statements compute, or one of its kernels stores, takes some values only; which ones is unknown unless an array
pattern says so.  Objects are followed in the order in which the host code runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.memory.array_contents import ELEMENTS, SHARED_ELEMENTS, key_of_elements
from hgrd.host.model import ProgramMade
from hgrd.host.provenance.selected_input import SelectedInput
from hgrd.program import expressions as ir
from hgrd.program.span import Span
from hgrd.program.types import ArrayType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import OPAQUE, Composite, FloatValue, MemoryObject, Pointer, Value, pointed_to, terms_in
from hgrd.terms import Op, Origin, Term, const, mul, symbols_of
from hgrd.terms.rewrite import arrays_of, unwrapped

_COMPUTING: Final = frozenset(
    (
        "sort", "stable_sort", "partial_sort", "nth_element", "qsort", "sort_by_key", "stable_sort_by_key",
        "partial_sum", "inclusive_scan", "exclusive_scan", "inclusive_scan_by_key", "exclusive_scan_by_key",
        "transform_inclusive_scan", "transform_exclusive_scan",
        "unique", "unique_by_key", "reverse", "rotate", "merge", "set_union", "set_intersection", "set_difference",
        "sequence", "iota", "shuffle", "random_shuffle", "adjacent_difference", "reduce_by_key", "lower_bound",
        "upper_bound", "partition", "stable_partition", "push_heap", "pop_heap", "make_heap", "sort_heap", "top",
    )
)  # fmt: skip

_SIZES: Final = (1, 2, 4, 8)  # of integers, in bytes


def keeps_order(type_: Type | None) -> bool:
    """Whether a type is an iterator of a container that decides by itself what comes where: a set, a map, a list."""
    type_ = type_.to if isinstance(type_, PointerType) else type_
    class_ = type_.name.partition("<")[0] if isinstance(type_, OpaqueType) else ""
    return class_.startswith("std::_") and "iterator" in class_.lower() and "istream" not in class_


def inserted_into(machine: Machine, state: State, call: ir.Call) -> tuple[Value, ...]:
    """The containers that a function gets insert iterators of: `std::back_inserter(v)`."""
    makers = (a for a in call.arguments if isinstance(a, ir.Call) and a.function.library_name.endswith("inserter"))
    return tuple(machine.evaluate(state, maker.arguments[0]) for maker in makers)


def with_elements_of(value: Value, arguments: tuple[Value, ...]) -> Value:
    """The value of a new container, which tells by its origin the object that was constructed."""
    match value, arguments:
        case Composite(cells=cells, origin=None), (Pointer(target=target), *_) if not cells:
            return replace(value, origin=target.key)
        case _:
            return value


def makes_results(name: str) -> bool:
    """Whether a library function of this name computes its results from its arguments: a sort, a scan, …"""
    return name in _COMPUTING


class ObjectProvenance(Struct):
    """Provenance so far, by the keys of objects.

    `inputs` hold input.  `from_caller` hold what the caller of the entry point stored there: input, if no other code is
    seen to write it.  `cleared` were set to one value all over, whatever was there before.  `made` says what of the
    program computed the contents, `filled` were stored to by a loop, `repeating` hold a pointer twice.
    `input_numbers` are the names of numbers that functions without a body returned.  `selected` is what the text shows
    of tests, `refused` the last arm so far in which the program refuses input.
    """

    selected: SelectedInput = SelectedInput()
    refused: Span | None = None
    inputs: set[str] = field(default_factory=set[str])
    from_caller: set[str] = field(default_factory=set[str])
    cleared: set[str] = field(default_factory=set[str])
    made: dict[str, ProgramMade] = field(default_factory=dict[str, ProgramMade])
    filled: set[str] = field(default_factory=set[str])
    repeating: set[str] = field(default_factory=set[str])
    input_numbers: set[str] = field(default_factory=set[str])

    def record_result(self, machine: Machine, mark: int, value: Value) -> None:
        """A function without a body returned a value; names with an index of at least `mark` are from this call."""
        self.input_numbers |= {name for name in _numbers(terms_in(value)) if machine.names.index.get(name, -1) >= mark}

    def record_input(self, targets: Iterable[MemoryObject]) -> None:
        """Unknown code wrote to objects."""
        for target in targets:
            self._record_one(target)
            self.inputs.add(key_of_elements(Pointer(target, const(0))))

    def _record_one(self, target: MemoryObject) -> None:
        (self.from_caller if _is_shared(target) else self.inputs).add(target.key)

    def record_remade(self, targets: Iterable[MemoryObject], span: Span) -> None:
        """A library function replaced all contents of objects by results that it computed."""
        for target in targets:
            for key in (target.key, key_of_elements(Pointer(target, const(0)))):
                self.inputs.discard(key)
                self.from_caller.discard(key)
                self.made[key] = ProgramMade(target, "", span)

    def record_computed(self, targets: Iterable[MemoryObject], span: Span, kernel: str = "") -> None:
        """A kernel (or a library, on the device) wrote to objects; `kernel` "": a library."""
        for target in targets:
            if target.key not in self.made or (kernel and not self.made[target.key].kernel):
                self.made[target.key] = ProgramMade(target, kernel, span)

    def record_taken_over(self, value: Value, arguments: tuple[Value, ...]) -> Value:
        """A container was made of another one, whose elements it has; the value tells that by its origin."""
        match value, arguments:
            case Composite(origin=origin), (_, Pointer() as source) if (held := key_of_elements(source)) in self.made:
                if held in self.inputs:
                    return value
                self.made.setdefault(origin or held, self.made[held])
                return replace(value, origin=origin or held)
            case _:
                return value

    def record_cleared(self, targets: Iterable[MemoryObject]) -> None:
        """Objects were set to one value all over (or in part: then what made the contents is unknown)."""
        for target in targets:
            self.made.pop(target.key, None)
            self.cleared.add(target.key)

    def record_look(self, target: MemoryObject) -> None:
        """An object is read: it holds anything, if the caller passed it and no code is seen to write it."""
        if not target.key.endswith(ELEMENTS) and self._is_untouched(target):
            self.from_caller.add(target.key)

    def record_replacement(self, to: Value, source: Value, by_name: Callable[[], Span | None]) -> None:
        """The contents of `source` replaced those of `to`: made by the program, if a loop filled the source.

        `by_name` as in `record_copy`.
        """
        sources = list(pointed_to(source))
        makings = [m for s in sources if s.key in self.filled and (m := self.of(s, by_name)) is not None]
        for target in pointed_to(to):
            if makings and len(makings) == len(sources) and isinstance(target.element, ArrayType):
                self.made[target.key] = ProgramMade(target, makings[0].kernel, makings[0].span)
            else:
                self._record_one(target)

    def record_copy(self, to: Value, source: Value, by_name: Callable[[], Span | None]) -> None:
        """The contents of `source` were copied to `to`.

        `by_name`: where the program computes the source, going by its name in the source text; None: it does not.
        """
        sources = list(pointed_to(source))
        is_input = any(s.key in self.inputs for s in sources)
        from_caller = any(self._is_from_caller(s) for s in sources)
        span = by_name() if (from_caller or source == OPAQUE) and not is_input else None
        for target in pointed_to(to):
            if is_input:
                self._record_one(target)
            elif span is not None:
                self.made.setdefault(target.key, ProgramMade(target, "", span))
            elif from_caller:
                self.from_caller.add(target.key)
            for making in (self.made[s.key] for s in sources if s.key in self.made):
                self.made.setdefault(target.key, ProgramMade(target, making.kernel, making.span))

    def record_store(self, machine: Machine, state: State, address: Value, value: Value, span: Span) -> None:
        """A host statement stores a value: input, or a number that the program computed.

        Only an input that differs in each iteration of a loop fills an array with anything.  A pointer counts if it
        differs in each iteration, too, or from what another element holds; it is always made by the program, and so are
        running sums of input, and input in an order that the program has computed.  One input that is stored after
        other elements, by no loop, says nothing about these.
        """
        another = _another(machine, value) or self._beside_others(state, address, value)
        if not isinstance(value, Term | FloatValue | Composite) and not another:
            return
        if machine.since:
            self.filled |= {target.key for target in pointed_to(address)}
        from_input, from_caller = self._from_input(machine, value), self._from(machine, value, self.from_caller)
        if isinstance(value, Composite) and value.origin in self.made and isinstance(address, Pointer):
            self.made[key_of_elements(address)] = ProgramMade(address.target, "", span)
        for target in pointed_to(address):
            if _adds_up(machine, address, target, value):
                self.made.setdefault(target.key, ProgramMade(target, "", span))
            elif from_input and not self._is_arranged(machine, value) and span not in self.selected.stores:
                if not _is_one(machine, address, target):
                    self._record_one(target)
            elif from_caller:
                self.from_caller.add(target.key)
            else:
                self.made.setdefault(target.key, ProgramMade(target, "", span))

    def _beside_others(self, state: State, address: Value, value: Value) -> bool:
        """Whether a pointer is stored in an array of pointers that holds other ones elsewhere, and none of them twice.

        A pointer that is stored twice may be the same for two threads.
        """
        if not isinstance(address, Pointer) or not isinstance(value, Pointer) or not address.offset.is_const:
            return False
        target, here = address.target, address.offset.value
        if not isinstance(target.element.of if isinstance(target.element, ArrayType) else target.element, PointerType):
            return False
        cells = state.store.get(target.key, EMPTY).cells
        others = [c.value for at, c in cells.items() if at != here and isinstance(c.value, Pointer)]
        if value in others:
            self.repeating.add(target.key)
            self.made.pop(target.key, None)
        return bool(others) and target.key not in self.repeating

    def record_conversion(self, machine: Machine, value: Value, given: FloatValue) -> None:
        """An integer was converted from a floating-point number."""
        if self._from_input(machine, given):
            self.input_numbers |= _numbers(terms_in(value))

    def _from_input(self, machine: Machine, value: Value) -> bool:
        return not self.input_numbers.isdisjoint(_new(machine, value)) or self._from(machine, value, self.inputs)

    def _from(self, machine: Machine, value: Value, objects: set[str]) -> bool:
        names = (*_new(machine, value), *arrays_of(*terms_in(value)))
        return not objects.isdisjoint(machine.names.owners.get(name, "") for name in names)

    def _is_arranged(self, machine: Machine, value: Value) -> bool:
        """Whether a value is an element of an array at a place that the program has computed.

        for (i…) sorted[i] = keys[order[i]];   // std::stable_sort(order…): what is where is no input
        """
        if not isinstance(value, Term) or value.op is not Op.READ:
            return False
        arrays = {machine.names.owners.get(name, "") for name in arrays_of(*value.args)}
        return not arrays.isdisjoint(self.made.keys() - self.inputs)

    def _is_from_caller(self, target: MemoryObject) -> bool:
        return target.key in self.from_caller or self._is_untouched(target) or _is_shared(target)

    def _is_untouched(self, target: MemoryObject) -> bool:
        return target.external and target.key not in self.made and target.key not in self.cleared

    def of(self, target: MemoryObject, by_name: Callable[[], Span | None]) -> ProgramMade | None:
        """What of the program made all that an object holds; None: some of it may be input.

        `by_name` as in `record_copy`.
        """
        refused = None if self.refused is None else ProgramMade(target, "", self.refused, selected=True)
        if target.key in self.inputs:
            return refused
        if target.external and self._is_from_caller(target):
            span = by_name()
            return refused if span is None else ProgramMade(target, "", span)
        return refused if target.key in self.from_caller else self.made.get(target.key)

    def record_arm(self, arm: Span) -> None:
        """An arm of a test may be entered, in which the program may refuse its input."""
        if arm in self.selected.refusals:
            self.refused = arm


def _is_shared(target: MemoryObject) -> bool:
    """Whether an object stands for the elements of several containers: some may hold input and others not."""
    return target.key.endswith(SHARED_ELEMENTS)


def _new(machine: Machine, value: Value) -> set[str]:
    """The names of the numbers in a value that differ in each iteration of the loop that runs."""
    return {name for name in _numbers(terms_in(value)) if machine.names.index.get(name, -1) >= machine.since}


def _adds_up(machine: Machine, address: Value, target: MemoryObject, value: Value) -> bool:
    """Whether a value adds something to another element of its array: a running sum, as offsets of segments are."""
    if not isinstance(address, Pointer) or not isinstance(value, Term):
        return False
    addends = list(_addends(value))
    elements = (t for a in addends for t in _choices(a) if t.op is Op.READ and len(t.args) == 1)
    others = (t for t in elements if machine.names.owners.get(t.array, "") == target.key)
    return len(addends) > 1 and any(not _is_at(address.offset, t.args[0]) for t in others)


def _is_one(machine: Machine, address: Value, target: MemoryObject) -> bool:
    """Whether a statement stores a single element after others: the end of the last segment, as a rule."""
    after_others = isinstance(address, Pointer) and address.offset is not const(0)
    return after_others and not machine.since and not isinstance(target.element, RecordType)


def _is_at(offset: Term, place: Term) -> bool:
    """Whether an offset in bytes is that of the element with index `place`, for some element size."""
    return any(mul(place, const(size)) is offset for size in _SIZES)


def _addends(value: Term) -> Iterator[Term]:
    core = unwrapped(value)
    if core.op in (Op.ADD, Op.SUB):
        yield from (t for part in core.args for t in _addends(part))
    elif not core.is_const:
        yield core


def _choices(value: Term) -> Iterator[Term]:
    if value.op is Op.ITE:
        yield from (t for part in value.args[1:] for t in _choices(unwrapped(part)))
    else:
        yield value


def _another(machine: Machine, value: Value) -> bool:
    """Whether a pointer leads to another place in each iteration of the loop that runs."""
    if not machine.since or not isinstance(value, Pointer):
        return False
    new = machine.names.index.get(value.target.name, -1) >= machine.since
    return new or any(s.origin is Origin.LOOP for s in symbols_of(value.offset))


def _numbers(terms: Iterable[Term]) -> set[str]:
    return {s.name for s in symbols_of(*terms)}
