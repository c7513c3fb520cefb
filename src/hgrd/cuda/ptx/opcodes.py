"""Instructions of PTX that touch nothing but registers: neither memory nor the order of threads.

An instruction that is in none of these tables, and that nothing else knows, may do anything.

PTX ISA, "Instruction Set".
"""

from __future__ import annotations

from enum import Enum

from hgrd.cuda.ptx.syntax import Instruction


class Effect(Enum):
    """What an instruction that touches nothing but registers gives."""

    NOTHING = "no result"
    FUNCTION = "a function of its operands"
    OWN = "a value of the thread's own, which is not known"


_NO_RESULT = frozenset(("nanosleep", "prefetch", "prefetchu", "pmevent", "brkpt", "applypriority", "setmaxnreg"))

_FUNCTIONS = frozenset(
    (
        # integers
        *("add", "sub", "mul", "mad", "mul24", "mad24", "sad", "div", "rem", "abs", "neg", "min", "max", "popc", "clz"),
        *("bfind", "fns", "brev", "bfe", "bfi", "bmsk", "szext", "dp4a", "dp2a"),
        # floating point
        *("testp", "copysign", "fma", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"),
        # comparison, selection, logic, shifts
        *("set", "setp", "selp", "slct", "and", "or", "xor", "not", "cnot", "lop3", "shf", "shl", "shr", "prmt"),
        # moves and conversions
        *("mov", "cvt", "cvta", "isspacep", "istypep", "getctarank", "createpolicy"),
        # video
        *(f"v{name}{lanes}" for name in ("add", "sub", "absdiff", "min", "max") for lanes in ("", "2", "4")),
        *("vavrg2", "vavrg4", "vset", "vset2", "vset4", "vshl", "vshr", "vmad"),
    )
)

_OWN = frozenset(
    (
        # a carry flag comes from the instruction before
        *("addc", "subc", "madc"),
        # fragments of matrices: what other lanes hold counts, too
        *("mma", "movmatrix"),
    )
)
_FRAGMENTS = frozenset(("mma",))  # of `wmma`; `load` and `store` touch memory


def register_effect(instruction: Instruction) -> Effect | None:
    """What an instruction gives that touches nothing but registers; None: that is not known of it."""
    opcode, modifiers = instruction.opcode, instruction.modifiers
    if opcode in _NO_RESULT:
        return Effect.NOTHING
    if opcode == "wmma":
        return Effect.OWN if modifiers[:1] and modifiers[0] in _FRAGMENTS else None
    if opcode in _OWN or (opcode in _FUNCTIONS and "cc" in modifiers):
        return Effect.OWN
    return Effect.FUNCTION if opcode in _FUNCTIONS else None
