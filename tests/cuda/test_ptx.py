"""The reader of inline assembly, and the instructions that touch nothing but registers."""

import pytest

from hgrd.cuda.ptx.opcodes import Effect, register_effect
from hgrd.cuda.ptx.reader import PtxError, read_assembly
from hgrd.cuda.ptx.syntax import (
    Address,
    Argument,
    Complement,
    Declaration,
    Instruction,
    Label,
    Number,
    Register,
    Twofold,
    Vector,
)


def read(text: str, **names: int) -> tuple[object, ...]:
    return read_assembly(text, names)


def only(text: str, **names: int) -> Instruction:
    (found,) = read(text, **names)
    assert isinstance(found, Instruction)
    return found


def test_an_instruction_has_an_opcode_modifiers_and_operands():
    assert only("ld.relaxed.gpu.global.L1::no_allocate.u32 %0, [%1+-4];") == Instruction(
        "ld",
        ("relaxed", "gpu", "global", "L1::no_allocate", "u32"),
        (Argument(0), Address(Argument(1), -4)),
    )


def test_a_block_in_braces_ends_its_last_instruction():
    assert only("{st.global.s32 [%0], %1;}").name == "st.global.s32"
    assert only("{ trap }").operands == ()


def test_vectors_pairs_complements_and_results_that_are_not_wanted():
    assert only("st.v2.f32 [%0], {%1, %2};").operands == (Address(Argument(0)), Vector((Argument(1), Argument(2))))
    assert only("shfl.sync.idx.b32 %0|p, %1, 0, 0x1f, -1;").operands == (
        Twofold(Argument(0), Register("p")), Argument(1), Number(0), Number(31), Number(-1),
    )  # fmt: skip
    assert only("vote.sync.any.pred _, !p, 1;").operands == (Register("_"), Complement(Register("p")), Number(1))


def test_guards():
    assert only("@p bar.sync 0;").guard == Register("p")
    assert only("@!%0 trap;").guard == Complement(Argument(0))


def test_operands_by_name_and_predefined_registers():
    assert only("mov.u32 %[out], %%tid.x;", out=3).operands == (Argument(3), Register("%tid.x"))
    (basic,) = read_assembly("mov.u32 r, %laneid;", {}, escaped=False)
    assert isinstance(basic, Instruction)
    assert basic.operands == (Register("r"), Register("%laneid"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1fU", 31),
        ("010", 8),
        ("0b11", 3),
        ("1.5", 1.5),
        ("0f3F800000", 1.0),
        ("0d4000000000000000", 2.0),
        ("-7", -7),
    ],
)
def test_constants(text: str, value: float):
    assert only(f"mov.b32 %0, {text};").operands == (Argument(0), Number(value))


def test_registers_of_inner_blocks_are_apart():
    first, _, second, inner, outer = read(
        "{ .reg .b32 r; add.u32 r, r, 1; { .reg .u64 r; mov.u64 r, 0; } neg.s32 r, r; }"
    )
    assert (first, second) == (Declaration("b32", ("r.1",)), Declaration("u64", ("r.2",)))
    assert isinstance(inner, Instruction)
    assert isinstance(outer, Instruction)
    assert inner.operands == (Register("r.2"), Number(0))
    assert outer.operands == (Register("r.1"), Register("r.1"))


def test_several_registers_of_a_name():
    assert read(".reg .pred p<3>, q;") == (Declaration("pred", ("p0", "p1", "p2", "q")),)


def test_labels_and_comments():
    label, jump = read("L%=: // a label\n /* and\n a jump */ bra L%=;")
    assert label == Label("L_unique")
    assert jump == Instruction("bra", (), (Register("L_unique"),), line=2)


def test_operands_of_an_unknown_form_are_told_apart_from_none():
    assert only("cp.async.bulk.tensor.2d.shared::cluster.global [%0], [%1, {%2, %3}], [%4];").operands is None
    assert only("trap;").operands == ()


@pytest.mark.parametrize("text", ["{ trap;", "trap; }", "#include", ".reg .b32 r<5000>;", "7 trap;"])
def test_what_is_no_ptx(text: str):
    with pytest.raises(PtxError):
        read(text)


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("lop3.b32 %0, %1, %2, %3, 0x96;", Effect.FUNCTION),
        ("prefetch.global.L2 [%0];", Effect.NOTHING),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %0, %1, %2, %3;", Effect.OWN),
        ("add.cc.u32 %0, %1, %2;", Effect.OWN),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 %0, %1, %2, %3;", Effect.OWN),
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16 %0, [%1], %2;", None),
        ("wgmma.fence.sync.aligned;", None),
        ("multimem.st.relaxed.sys.global.u32 [%0], %1;", None),
        ("what.ever;", None),
    ],
)
def test_what_touches_registers_alone(text: str, effect: Effect | None):
    assert register_effect(only(text)) is effect
