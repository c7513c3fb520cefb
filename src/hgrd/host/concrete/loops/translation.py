"""Translation of expressions of loops over numbers to texts of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.host.concrete.loops import arithmetic
from hgrd.host.concrete.loops.addresses import LOCAL, Address, Element, Member, Number, Used, is_steady, meaning
from hgrd.host.concrete.loops.text import Text, Untranslatable
from hgrd.host.concrete.state.memory import Records, width_of
from hgrd.program import expressions as ir
from hgrd.program.expressions import BinaryOp
from hgrd.program.program import Function
from hgrd.program.types import BoolType, FloatType, IntType, PointerType, RecordType, Type
from hgrd.program.walk import nodes

LOST: Final = "LOST"
"""The text of a value that is not known."""
NUMBERS: Final = (IntType, FloatType, BoolType)
CONTAINERS: Final = ("std::vector", "std::array")
_PURE: Final = (ir.IntConst, ir.FloatConst)


class Local(Struct, frozen=True):
    """A variable of the loop's own, or of a function that it calls: a name in the text."""

    name: str


Meaning: TypeAlias = Local | Address
"""What a variable stands for: itself, or as a pointer or reference, where it leads."""


class Translation(Struct):
    """A loop's text so far; `assigned` are the keys of variables that it assigns to.

    `changed` are those, and its own variables, which are not the same all the time.
    `checked`: each element that is read may be unknown.  `unsure` are names of what may be unknown.
    `growing` are containers, by their meaning, of which it is known that they get more elements, `grown` all of them.
    `waits`: it calls functions that may wait for the device.
    """

    functions: Mapping[str, Function]
    records: Records
    assigned: set[str]
    changed: set[str]
    checked: bool
    text: Text = field(default_factory=Text)
    used: Used = field(default_factory=Used)
    known: dict[str, Meaning] = field(default_factory=dict[str, Meaning])
    growing: set[object] = field(default_factory=set[object])
    grown: set[object] = field(default_factory=set[object])
    unsure: set[str] = field(default_factory=set[str])
    depth: int = 0
    waits: bool = False

    # ------------------------------------------------------------ values

    def value(self, e: ir.Expression) -> str:
        """The text of a number; what it does besides stands in lines before."""
        match e:
            case ir.IntConst(value=value):
                return arithmetic.constant(value)
            case ir.FloatConst(value=value, type=FloatType(bits=bits)):
                return arithmetic.constant(arithmetic.single(value) if bits == arithmetic.SINGLE else value)
            case ir.Load(place=place, volatile=False):
                return self.loaded(place, e.type)
            case ir.Convert(operand=operand):
                a = self.value(operand)
                return LOST if a == LOST else arithmetic.converted(a, operand.type, e.type)
            case ir.Unary(op=op, operand=operand):
                a = self.value(operand)
                return LOST if a == LOST else arithmetic.unary(op, a, e.type, self.text.name())
            case ir.Binary(op=op, left=left, right=right):
                return self._binary(op, left, right, e.type)
            case ir.Logical() | ir.Conditional():
                return self._chosen(e)
            case ir.Call():
                return self.called(e)
            case _:
                return self.effect_value(e)

    def effect_value(self, _e: ir.Expression) -> str:
        """The text of the value of an assignment or the like."""
        raise Untranslatable

    def called(self, _e: ir.Call) -> str:
        """The text of the value of a call."""
        raise Untranslatable

    def condition(self, e: ir.Expression) -> str:
        """The text of a test."""
        if isinstance(e, ir.Binary) and e.op in arithmetic.COMPARISONS and isinstance(e.left.type, PointerType):
            return self._order(e)
        if isinstance(e, ir.Binary) and e.op in arithmetic.COMPARISONS:
            a, b = self.operands(e.left, e.right)
            found = LOST if LOST in (a, b) else f"{a} {arithmetic.COMPARISONS[e.op]} {b}"
        else:
            found = self.value(e)
        if found == LOST:
            raise Untranslatable
        return found

    def operands(self, left: ir.Expression, right: ir.Expression) -> tuple[str, str]:
        """The texts of two values, of which the first is computed first."""
        a = self.value(left)
        if has_effects(right) and not isinstance(left, _PURE):
            a = self.text.kept(a)
        return a, self.value(right)

    def _binary(self, op: BinaryOp, left: ir.Expression, right: ir.Expression, type_: Type) -> str:
        if op in arithmetic.COMPARISONS:
            if isinstance(left.type, PointerType):
                raise Untranslatable
            a, b = self.operands(left, right)
            return LOST if LOST in (a, b) else f"(1 if {a} {arithmetic.COMPARISONS[op]} {b} else 0)"
        a, b = self.operands(left, right)
        return LOST if LOST in (a, b) else arithmetic.binary(op, a, b, type_, self.text.name())

    def _chosen(self, e: ir.Logical | ir.Conditional) -> str:
        """The value of `a && b`, `a || b`, `a ? b : c`: one part is evaluated only if another one says so."""
        if isinstance(e, ir.Conditional):
            test, then, otherwise = e.condition, e.then, e.otherwise
            result = None
        else:
            test, then, otherwise = e.left, e.right, e.right
            result = "0" if e.conjunction else "1"
        condition = self.condition(test)
        if not has_effects(then) and not has_effects(otherwise):
            if result is None:
                a, b = self.value(then), self.value(otherwise)
                return LOST if LOST in (a, b) else f"({a} if {condition} else {b})"
            right = f"(1 if {self.condition(then)} else 0)"
            return f"({right} if {condition} else 0)" if result == "0" else f"(1 if {condition} else {right})"
        name = self.text.name()
        with self.text.block(f"if {condition}:"):
            self.set(name, "1" if result == "1" else self.value(then))
        with self.text.block("else:"):
            self.set(name, "0" if result == "0" else self.value(otherwise))
        return name

    def set(self, name: str, value: str) -> None:
        """The line that gives a name a value."""
        self.text.line(f"{name} = {value}")
        if value == LOST or value in self.unsure:
            self.unsure.add(name)

    # ------------------------------------------------------------ places

    def loaded(self, place: ir.Place, type_: Type) -> str:
        """The text of the number at a place."""
        found = self.place(place, type_)
        match found:
            case Element():
                return self.element(found, type_, stores=False)
            case Local(name=name) | Number(name=name):
                return name

    def place(self, place: ir.Place, type_: Type) -> Element | Local | Number:
        """What a place is: an element of an array, or a number with a name."""
        if not isinstance(type_, NUMBERS):
            raise Untranslatable
        match place:
            case ir.VariablePlace(variable=variable) if variable.storage in LOCAL:
                known = self.known.get(variable.key)
                if isinstance(known, Local):
                    return known
                return self.used.number_at(place, 0, type_)
            case _:
                found = self.address_of(place)
                return found if isinstance(found, Element) else self.used.number_at(found.root, found.offset, type_)

    def element(self, at: Element, type_: Type, *, stores: bool) -> str:
        """The text of an element, or (`stores`) that of its index, with the number of its array."""
        size, start = width_of(type_, self.records), self.used.start_of(at)
        if size is None or (start.type is not None and start.type != type_):
            raise Untranslatable
        if any(stride % size for _, stride, _ in at.terms) or at.offset % size:
            raise Untranslatable
        start.type, start.size = type_, size
        start.read, start.stored = start.read or not stores, start.stored or stores
        terms = [t if stride == size else f"{t} * {stride // size}" for t, stride, _ in at.terms]
        index = " + ".join([f"k{start.number}", *terms, *([str(at.offset // size)] if at.offset else [])])
        if any(signed for *_, signed in at.terms) or at.offset < 0:
            name = self.text.name()
            index = f"({name} if ({name} := {index}) >= 0 else lost())"
        if stores:
            return index
        if not self.checked:
            return f"a{start.number}[{index}]"
        name = self.text.name()
        return f"(a{start.number}[{name}] if s{start.number}[({name} := {index})] == 1 else lost())"

    def address_of(self, place: ir.Place) -> Address:
        """The address of a place."""
        match place:
            case ir.VariablePlace():
                return Member(place)
            case ir.Deref(pointer=pointer):
                return self.address(pointer)
            case ir.FieldPlace(base=base, field=member) if member.bits is None:
                found = self.address_of(base)
                match found:
                    case Member(root=root, offset=offset):
                        return Member(root, offset + member.offset)
                    case Element():
                        return found.further(str(member.offset), 1, signed=False)
            case _:
                raise Untranslatable

    def address(self, e: ir.Expression) -> Address:
        """The address that a pointer is."""
        match e:
            case ir.AddressOf(place=place):
                return self.address_of(place)
            case ir.Convert(operand=operand) if isinstance(operand.type, PointerType):
                return self.address(operand)
            case ir.PointerAdd(pointer=pointer, index=index, stride=stride):
                return self._further(self._array(self.address(pointer), pointer), index, stride)
            case ir.Load(place=ir.VariablePlace(variable=variable)) if variable.key in self.known:
                found = self.known[variable.key]
                if isinstance(found, Local):
                    raise Untranslatable
                return found
            case ir.Load(place=ir.VariablePlace(variable=variable)) if variable.key in self.changed:
                return self._cursor(e)
            case ir.Call():
                return self._of_container(e)
            case _:
                return self._steady(e)

    def _steady(self, e: ir.Expression) -> Address:
        """Where a pointer leads that is the same all the time: an object of a class, or the first of elements."""
        if not is_steady(e, self.changed) or not isinstance(e.type, PointerType):
            raise Untranslatable
        if isinstance(e.type.to, RecordType):
            return Member(ir.Deref(e, e.type.to, e.span))
        return Element(e)

    def _array(self, at: Address, e: ir.Expression) -> Element:
        """The first element of an array, also of one that is an object, or in one."""
        if isinstance(at, Element):
            return at
        if not is_steady(e, self.changed):
            raise Untranslatable
        return Element(e)

    def _further(self, at: Element, index: ir.Expression, stride: int) -> Element:
        text = self.value(index)
        if text == LOST:
            raise Untranslatable
        signed = isinstance(index.type, IntType) and index.type.signed
        return at.further(text if text.isdigit() or text.isidentifier() else f"({text})", stride, signed=signed)

    def cursor(self, e: ir.Load) -> Number:
        """A pointer that the loop moves: it counts elements from where it begins."""
        place, type_ = e.place, e.type
        stride = width_of(type_.to, self.records) if isinstance(type_, PointerType) else None
        if not stride or not isinstance(place, ir.VariablePlace) or place.variable.storage not in LOCAL:
            raise Untranslatable
        return self.used.number_at(place, 0, type_, stride)

    def _cursor(self, e: ir.Load) -> Element:
        found = self.cursor(e)
        return Element(e, terms=((found.name, found.stride, True),))

    def _of_container(self, e: ir.Call) -> Element:
        """An element of a container, or where its elements begin or end."""
        owner, _, name = e.function.qualified.rpartition("::")
        pointer = e.type
        if owner not in CONTAINERS or not isinstance(pointer, PointerType) or not e.arguments:
            raise Untranslatable
        size, container = width_of(pointer.to, self.records), e.arguments[0]
        if not is_steady(container, self.changed) or not isinstance(pointer.to, NUMBERS) or size is None:
            raise Untranslatable
        at = Element(container, of_container=True)
        match name, e.arguments[1:]:
            case (("operator[]" | "at"), (index,)):
                return self._further(at, index, size)
            case (("data" | "begin" | "cbegin"), ()):
                return at
            case (("end" | "cend"), ()):
                return at.further(self.count_of(container), size, signed=False)
            case _:
                raise Untranslatable

    def count_of(self, container: ir.Expression) -> str:
        """The text of the number of elements of a container."""
        start = self.used.start_of(Element(container, of_container=True))
        start.sized = True
        return f"len(s{start.number})" if meaning(container) in self.growing else f"n{start.number}"

    def _order(self, e: ir.Binary) -> str:
        """The test of two addresses in one object."""
        left, right = self.address(e.left), self.address(e.right)
        if not isinstance(left, Element) or not isinstance(right, Element):
            raise Untranslatable
        starts = [self.used.start_of(at).number for at in (left, right)]
        self.used.same.append((starts[0], starts[1]))
        a, b = (
            " + ".join([f"o{n}", *(f"{t} * {s}" for t, s, _ in at.terms), str(at.offset)])
            for n, at in zip(starts, (left, right), strict=True)
        )
        return f"{a} {arithmetic.COMPARISONS[e.op]} {b}"


def has_effects(e: ir.Expression) -> bool:
    """Whether an expression may need lines of its own, which change something."""
    return any(isinstance(node, ir.Assign | ir.Update | ir.Call | ir.Comma) for node in nodes(e))
