"""Types as clang prints them."""

from __future__ import annotations

import pytest

from hgrd.cuda.types import RECORDS
from hgrd.program.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UINT,
    ULONG,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
)
from hgrd.source.declarations.cuda_types import PRELUDE_RECORDS
from hgrd.source.declarations.type_parser import QualifiedType, TypeText, split_arguments, split_scopes, split_template


def read(text: str) -> QualifiedType:
    def lookup(name: str) -> QualifiedType | None:
        return QualifiedType(RecordType(name)) if name in ("S", "ns::S", "A<int, 3>::B") else None

    return TypeText(text, lookup).read()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void", VOID),
        ("bool", BOOL),
        ("char", CHAR),
        ("signed char", IntType(8, True)),
        ("unsigned char", IntType(8, False)),
        ("short", IntType(16, True)),
        ("unsigned int", UINT),
        ("long", LONG),
        ("unsigned long long", ULONG),
        ("__int128", IntType(128, True)),
        ("long double", FloatType(80)),
        ("const volatile int", INT),
        ("int *", PointerType(INT)),
        ("const float *const __restrict", PointerType(FLOAT)),
        ("double **", PointerType(PointerType(DOUBLE))),
        ("int &", PointerType(INT, reference=True)),
        ("S &&", PointerType(RecordType("S"), reference=True)),
        ("int[3]", ArrayType(INT, 3)),
        ("float[]", ArrayType(FLOAT, None)),
        ("int[n]", ArrayType(INT, None)),
        ("int[2][3]", ArrayType(ArrayType(INT, 3), 2)),
        ("int (*)[8]", PointerType(ArrayType(INT, 8))),
        ("int (&)[8]", PointerType(ArrayType(INT, 8), reference=True)),
        ("int &[8]", PointerType(ArrayType(INT, 8), reference=True)),
        ("int *[4]", ArrayType(PointerType(INT), 4)),
        ("int *(*)[4]", PointerType(ArrayType(PointerType(INT), 4))),
        ("int (*[5])(float)", ArrayType(PointerType(FunctionType(INT, (FLOAT,))), 5)),
        ("void (int, float *)", FunctionType(VOID, (INT, PointerType(FLOAT)))),
        ("void (*)(int, ...)", PointerType(FunctionType(VOID, (INT,)))),
        ("int (*(*)(int))(float)", PointerType(FunctionType(PointerType(FunctionType(INT, (FLOAT,))), (INT,)))),
        ("int (S::*)(int) const", OpaqueType("member pointer")),
        ("struct S", RecordType("S")),
        ("const ns::S *", PointerType(RecordType("ns::S"))),
        ("A<int, 3>::B *", PointerType(RecordType("A<int, 3>::B"))),
        ("typename A<int, 3>::B", RecordType("A<int, 3>::B")),
        ("std::vector<std::pair<int, S>> &", PointerType(OpaqueType("std::vector<std::pair<int, S>>"), reference=True)),
        ("(lambda at /tmp/x.cu:3:4)", OpaqueType("(lambda at /tmp/x.cu:3:4)")),
        ("__attribute__((aligned(16))) float", FLOAT),
    ],
)
def test_read(text: str, expected: Type) -> None:
    assert read(text).type == expected


@pytest.mark.parametrize(
    ("text", "const", "volatile"),
    [
        ("const int", True, False),
        ("int const volatile", True, True),
        ("const int *", False, False),
        ("volatile int *const", True, False),
        ("int *volatile", False, True),
        ("const int[3]", True, False),
    ],
)
def test_qualifiers_of_the_outermost_level(text: str, const: bool, volatile: bool) -> None:
    found = read(text)
    assert (found.const, found.volatile) == (const, volatile)


@pytest.mark.parametrize(
    ("text", "returns", "parameters", "variadic"),
    [
        ("int (float)", INT, (FLOAT,), False),
        ("int (void)", INT, (), False),
        ("const S &(int) const noexcept", PointerType(RecordType("S"), reference=True), (INT,), False),
        ("void (const char *, ...)", VOID, (PointerType(CHAR),), True),
        ("auto (int) const -> double *", PointerType(DOUBLE), (INT,), False),
        ("float (int (*)(int), float)", FLOAT, (PointerType(FunctionType(INT, (INT,))), FLOAT), False),
    ],
)
def test_function_types_know_their_signature(
    text: str, returns: Type, parameters: tuple[Type, ...], variadic: bool
) -> None:
    found = read(text)
    assert found.returns is not None
    assert (found.type, found.returns.type, found.variadic) == (FunctionType(returns, parameters), returns, variadic)


def test_splitting() -> None:
    assert split_arguments("int, A<float, 2>, F<void (int, int)>") == [
        "int",
        "A<float, 2>",
        "F<void (int, int)>",
    ]
    assert split_arguments("") == []
    assert split_template("A::B<int, C<3>>") == ("A::B", ["int", "C<3>"])
    assert split_template("A<int>::B") is None
    assert split_scopes("A<B::C>::D<E>::f") == ["A<B::C>", "D<E>", "f"]


def test_all_records_of_cuda_have_a_layout() -> None:
    assert set(RECORDS) == set(PRELUDE_RECORDS)
