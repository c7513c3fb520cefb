"""The print of hand-made IR."""

from __future__ import annotations

import pytest

from hgrd.program.expressions import (
    AddressOf,
    AfterPlace,
    Aggregate,
    Assign,
    Binary,
    BinaryOp,
    Call,
    Conditional,
    Construct,
    Convert,
    Deref,
    Expression,
    FieldPlace,
    FunctionRef,
    IntConst,
    Load,
    Logical,
    NullPointer,
    PointerAdd,
    PointerDifference,
    Storage,
    Throw,
    Unary,
    UnaryOp,
    Unsupported,
    Update,
    Variable,
    VariablePlace,
)
from hgrd.program.printer import print_expression, print_function, print_type
from hgrd.program.program import Function, Side
from hgrd.program.span import Span
from hgrd.program.statements import Assembly, Block, Case, Declare, If, Return, Statement, Switch
from hgrd.program.types import (
    BOOL,
    FLOAT,
    INT,
    LONG,
    UINT,
    VOID,
    ArrayType,
    Field,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
)

HERE = Span("dir/a.cu", 3, 4)
POINTER = PointerType(FLOAT)


def variable(name: str, type_: Type, storage: Storage = Storage.LOCAL, number: int = 0) -> VariablePlace:
    key = f"f::{name}#{number}" if number else f"f::{name}"
    return VariablePlace(Variable(key, name, type_, storage, HERE), HERE)


I, U, P = variable("i", INT), variable("u", UINT), variable("p", POINTER)
LOAD_I, LOAD_P = Load(I, INT, HERE), Load(P, POINTER, HERE)
ONE = IntConst(1, INT, HERE)
ELEMENT = Deref(PointerAdd(LOAD_P, LOAD_I, 4, POINTER, HERE), FLOAT, HERE)
CALLEE = FunctionRef("_Z1gi", "g", "n::g", INT, (4, "float"))
INCREMENT = Update(BinaryOp.ADD, I, ONE, INT, 0, True, INT, HERE)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (ONE, "1"),
        (IntConst(7, LONG, HERE), "7:i64"),
        (NullPointer(POINTER, HERE), "null"),
        (Load(ELEMENT, FLOAT, HERE, volatile=True), "[volatile *([p] +4* [i])]"),
        (Load(FieldPlace(U, Field("x", INT, 8), HERE), INT, HERE), "[u.x@8]"),
        (AddressOf(variable("i", INT, number=2), PointerType(INT), HERE), "&i.2"),
        (PointerDifference(LOAD_P, LOAD_P, 4, LONG, HERE), "([p] -/4 [p])"),
        (Unary(UnaryOp.NEG, Load(U, UINT, HERE), UINT, HERE), "-:u32[u]"),
        (Binary(BinaryOp.LT, Load(U, UINT, HERE), Load(U, UINT, HERE), BOOL, HERE), "([u] <:u32 [u])"),
        (Logical(True, LOAD_I, LOAD_I, BOOL, HERE), "([i] && [i])"),
        (Conditional(LOAD_I, ONE, LOAD_I, INT, HERE), "([i] ? 1 : [i])"),
        (Convert(LOAD_I, FLOAT, HERE), "f32([i])"),
        (Assign(I, Assign(I, ONE, INT, HERE), INT, HERE), "(i = (i = 1))"),
        (INCREMENT, "old(i += 1)"),
        (Load(AfterPlace(INCREMENT, I, HERE), INT, HERE), "[(old(i += 1); i)]"),
        (Call(CALLEE, (ONE, LOAD_I), INT, HERE), "n::g<4, float>(1, [i])"),
        (Aggregate(((4, ONE),), ArrayType(INT, 3), HERE), "i32[3]{@4 1}"),
        (Construct(None, (), RecordType("S"), HERE), "S(indeterminate)"),
        (Throw(VOID, HERE), "throw"),
        (Unsupported("typeid", (ONE,), INT, HERE), "unsupported<typeid, i32>(1)"),
    ],
)
def test_expressions(expression: Expression, text: str) -> None:
    assert print_expression(expression) == text


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (PointerType(UINT, reference=True), "u32&"),
        (ArrayType(ArrayType(FLOAT, 3), None), "f32[][3]"),
        (RecordType("S::(unnamed at /some/dir/a.cu:1:2)"), "S::(unnamed at a.cu:1:2)"),
        (OpaqueType("std::string"), "?std::string"),
    ],
)
def test_types(type_: Type, text: str) -> None:
    assert print_type(type_) == text


def test_statements() -> None:
    body: tuple[Statement, ...] = (
        Declare(variable("s", ArrayType(FLOAT, 8), Storage.SHARED).variable, None, HERE),
        If(LOAD_I, Return(None, HERE), Block((Return(ONE, HERE),), HERE), HERE),
        Switch(LOAD_I, (Case(((1, 1), (3, 5)), False, (), HERE), Case((), True, (), HERE)), HERE),
        Assembly("bar.sync 0;", (), (ONE,), Span("dir/a.cu", 9, 1, Span("m.h", 2, 2))),
    )
    function = Function(CALLEE, Side.KERNEL, (I.variable,), INT, Block(body, HERE), HERE, max_threads=64)
    assert (
        print_function(function)
        == """\
kernel i32 n::g<4, float>(i32 i) max_threads(64)  // a.cu:3:4
{
    shared f32[8] s;  // a.cu:3:4
    if ([i])  // a.cu:3:4
    {
        return;  // a.cu:3:4
    }
    else
    {
        return 1;  // a.cu:3:4
    }
    switch ([i])  // a.cu:3:4
    {
        case 1: case 3 ... 5:
        default:
    }
    asm("bar.sync 0;" :  : 1);  // a.cu:9:1 in m.h:2
}
"""
    )
