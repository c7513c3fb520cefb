"""Terms as C-like text, with as few parentheses as C needs."""

from __future__ import annotations

from hgrd.terms.build import var
from hgrd.terms.rewrite import bottom_up, rebuild
from hgrd.terms.term import Op, Origin, Symbol, Term

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
_MOST = 20_000
_VAST = "…"
_FEW = 3  # values that a choice may list
_LISTED = 4
_SPELLING = {Op.AND: "&&", Op.OR: "||"}


def show(term: Term) -> str:
    """The text for people: soft wraps, which a correct program does not notice, are left out; `…` if it is too long."""
    return _VAST if _is_vast(term) else _show(term, 0, exact=False)


def show_exactly(term: Term) -> str:
    """The text with every wrap: `i32(…)` a soft one, `u8!(…)` one that is part of the meaning."""
    return _VAST if _is_vast(term) else _show(term, 0, exact=True)


def _is_vast(term: Term) -> bool:
    """Whether the text would be too long: terms share their parts, text repeats them."""
    sizes: dict[Term, int] = {}
    for t in bottom_up((term,)):
        sizes[t] = 1 + sum(sizes[a] for a in t.args)
    return sizes[term] > _MOST


def brief(term: Term) -> Term:
    """A term for `show` in which an element that is chosen by an index stands for the choice.

    An array of constants, read at an index that is not known, is `i == 0 ? 128 : i == 1 ? 256 : … : SIZE[i]`.
    """
    done: dict[Term, Term] = {}
    for t in bottom_up((term,)):
        chosen = _chosen(t)
        if chosen is not None:
            done[t] = chosen
        else:
            done[t] = rebuild(t, tuple(done[a] for a in t.args)) if t.args else t
    return done[term]


def _chosen(t: Term) -> Term | None:
    """The element that a choice by an index stands for; None for all other terms."""
    values: list[Term] = []
    while t.op is Op.ITE and t.args[0].op is Op.EQ and any(a.is_const for a in t.args[0].args):
        values.append(t.args[1])
        t = t.args[2]
    if not values or (t.op is Op.ITE and len(values) < _FEW):
        return None
    if t.op is Op.READ or (t.op is Op.VAR and "[" in t.symbol.name):
        return t
    if len(values) < _FEW or not all(v.is_const for v in values):
        return None
    listed = ", ".join(str(v.value) for v in values[:_LISTED])
    return var(Symbol(f"{{{listed}, …}}", -(1 << 63), 1 << 63, Origin.INPUT))


def _show(t: Term, outer: int, *, exact: bool) -> str:
    match t.op:
        case Op.CONST:
            return str(t.value)
        case Op.VAR:
            return t.symbol.name
        case Op.TRUE | Op.FALSE:
            return t.op.value
        case Op.NOT:
            inner = t.args[0]
            if inner.op is Op.EQ:
                return _infix(" != ", inner, 6, outer, exact=exact)
            return f"!{_show(inner, 11, exact=exact)}"
        case Op.ITE:
            c, a, b = (_show(x, 1, exact=exact) for x in t.args)
            return f"({c} ? {a} : {b})"
        case Op.GCD | Op.MIN | Op.MAX | Op.ONES_BELOW | Op.BIT_LENGTH | Op.LOWEST_ONE:
            return f"{t.op.value}({', '.join(_show(a, 0, exact=exact) for a in t.args)})"
        case Op.READ:
            return t.array + "".join(f"[{_show(a, 0, exact=exact)}]" for a in t.args)
        case Op.WRAP:
            return _wrapped(t, outer, exact=exact)
        case Op.ADD if t.args[1].is_const and t.args[1].value < 0:
            return _bracketed(f"{_show(t.args[0], 9, exact=exact)} - {-t.args[1].value}", 9, outer)
        case op:
            return _infix(f" {_SPELLING.get(op, op.value)} ", t, _LEVEL[op], outer, exact=exact)


def _wrapped(t: Term, outer: int, *, exact: bool) -> str:
    bits, signed, soft = t.wrap_to
    if soft and not exact:
        return _show(t.args[0], outer, exact=False)
    return f"{'i' if signed else 'u'}{bits}{'' if soft else '!'}({_show(t.args[0], 0, exact=exact)})"


def _infix(operator: str, t: Term, level: int, outer: int, *, exact: bool) -> str:
    commutes = t.op in (Op.ADD, Op.MUL, Op.AND, Op.OR)
    parts = [_show(a, level if i == 0 or commutes else level + 1, exact=exact) for i, a in enumerate(t.args)]
    return _bracketed(operator.join(parts), level, outer)


def _bracketed(text: str, level: int, outer: int) -> str:
    return f"({text})" if level < outer else text


def _repr(self: Term) -> str:
    return show_exactly(self)


Term.__repr__ = _repr
