"""Terms as C-like text, with as few parentheses as C needs."""

from __future__ import annotations

from hgrd.terms.term import Op, Term

_LEVEL = {
    Op.OR: 1,
    Op.AND: 2,
    Op.OR_BITS: 3,
    Op.XOR_BITS: 4,
    Op.AND_BITS: 5,
    Op.EQ: 6,
    Op.LE: 7,
    Op.LT: 7,
    Op.SHL: 8,
    Op.SHR: 8,
    Op.ADD: 9,
    Op.SUB: 9,
    Op.MUL: 10,
    Op.DIV: 10,
    Op.MOD: 10,
}
_SPELLING = {Op.AND: "&&", Op.OR: "||"}


def show(term: Term) -> str:
    return _show(term, 0)


def _show(t: Term, outer: int) -> str:
    match t.op:
        case Op.CONST:
            return str(t.value)
        case Op.VAR:
            return t.symbol.name
        case Op.TRUE | Op.FALSE:
            return t.op.value
        case Op.NOT:
            inner = t.args[0]
            return _infix(" != ", inner, 6, outer) if inner.op is Op.EQ else f"!{_show(inner, 11)}"
        case Op.ITE:
            c, a, b = (_show(x, 1) for x in t.args)
            return f"({c} ? {a} : {b})"
        case Op.MIN | Op.MAX:
            return f"{t.op.value}({', '.join(_show(a, 0) for a in t.args)})"
        case Op.READ:
            return t.array + "".join(f"[{_show(a, 0)}]" for a in t.args)
        case Op.WRAP:
            bits, signed, soft = t.wrap_to
            inner = _show(t.args[0], 0)
            return f"{'i' if signed else 'u'}{bits}{'' if soft else '!'}({inner})"
        case op:
            return _infix(f" {_SPELLING.get(op, op.value)} ", t, _LEVEL[op], outer)


def _infix(operator: str, t: Term, level: int, outer: int) -> str:
    commutes = t.op in (Op.ADD, Op.MUL, Op.AND, Op.OR)
    parts = [_show(a, level if i == 0 or commutes else level + 1) for i, a in enumerate(t.args)]
    text = operator.join(parts)
    return f"({text})" if level < outer else text
