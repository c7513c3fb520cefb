"""Memory of the concrete run: numbers side by side are kept another way than other values, and nobody can tell."""

from random import Random

import pytest

from hgrd.host.concrete.state.memory import clear, copy_bytes, fill, forget, load, snapshot, store
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Object, Pointer, Value
from hgrd.program.span import NOWHERE
from hgrd.program.types import CHAR, INT, UINT, ULONG, BoolType, FloatType, IntType, PointerType, Type

ELEMENTS, SIZE, WIDE = 12, 48, 8
FAR = 1 << 20  # a pointer there keeps an object from having numbers
TYPES = (INT, INT, INT, UINT, FloatType(32), ULONG, CHAR, IntType(16, True), BoolType())


def width(type_: Type) -> int:
    return 1 if isinstance(type_, BoolType) else type_.bits // 8  # pyright: ignore[reportAttributeAccessIssue]


def contents(target: Object) -> list[Value]:
    """What can be read, by any type at any place."""
    return [load(Pointer(target, at), type_, {}) for type_ in dict.fromkeys(TYPES) for at in range(SIZE)]


class Both:
    """Two objects that hold the same, one of which has no numbers."""

    def __init__(self, size: int | None, *, zero: bool) -> None:
        self.plain = Object("plain", size, zero=zero)
        self.other = Object("other", size, {FAR: Cell(UNKNOWN, PointerType(INT), WIDE)}, zero)

    def each(self) -> tuple[Object, Object]:
        return self.plain, self.other


def changed(objects: list[Both], random: Random) -> None:
    """Does one thing to an object, at random."""
    both, source = random.choice(objects), random.choice(objects)
    type_ = random.choice(TYPES)
    size = width(type_)
    at = size * random.randrange(SIZE // size) if random.random() < 0.9 else random.randrange(SIZE - size)
    number = random.randrange(2) if isinstance(type_, BoolType) else random.randrange(100)
    value = UNKNOWN if random.random() < 0.1 else float(number) if isinstance(type_, FloatType) else number
    low, length = 4 * random.randrange(ELEMENTS), 4 * random.randrange(ELEMENTS)
    match random.randrange(12):
        case 0:
            for target in both.each():
                clear(target, low, min(low + length, SIZE))
        case 1 | 2:
            there = 4 * random.randrange(ELEMENTS) if random.random() < 0.9 else random.randrange(SIZE)
            length = min(length, SIZE - there, SIZE - low)
            for target, given in zip(both.each(), source.each(), strict=True):
                copy_bytes(Pointer(target, there), Pointer(given, low), length, NOWHERE)
        case 3:
            for target in both.each():
                fill(Pointer(target, 4 * (low // 4)), 7, INT, 4, ELEMENTS - low // 4, NOWHERE)
        case 4 if random.random() < 0.7:
            for target in both.each():
                forget(target)
        case _:
            for target in both.each():
                store(Pointer(target, at), value, type_, {}, NOWHERE)


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("size", [SIZE, None])
def test_nobody_can_tell_how_numbers_are_kept(size: int | None, zero: bool) -> None:
    kept = 0
    for seed in range(5):
        random = Random(f"{seed} {size} {zero}")
        objects = [Both(size, zero=zero), Both(SIZE, zero=False), Both(size, zero=True)]
        for _ in range(50):
            changed(objects, random)
            kept += any(both.plain.numbers is not None for both in objects)
            for both in objects:
                assert contents(snapshot(both.plain)) == contents(both.other)
    assert kept > 60


def test_a_million_numbers_are_kept_as_numbers() -> None:
    target = Object("array", None)
    for k in range(1 << 16):
        store(Pointer(target, 4 * k), k, INT, {}, NOWHERE)
    assert target.numbers is not None
    assert not target.held
    assert load(Pointer(target, 4 * 70), INT, {}) == 70
    assert load(Pointer(target, 4 * 70 + 1), INT, {}) is UNKNOWN
    assert len(target.cells) == 1 << 16
    assert target.numbers is None
