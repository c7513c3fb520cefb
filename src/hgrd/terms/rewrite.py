"""Walking and rebuilding terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

from hgrd.terms import bits, build, common_divisors
from hgrd.terms.term import Op, Symbol, Term


def arguments(term: Term) -> tuple[Term, ...]:
    return term.args


def bottom_up(roots: Iterable[Term], needs: Callable[[Term], tuple[Term, ...]] = arguments) -> Iterator[Term]:
    """Every subterm once, what it needs (its arguments) before itself."""
    done: set[Term] = set()
    stack: list[tuple[Term, bool]] = [(r, False) for r in roots]
    while stack:
        term, ready = stack.pop()
        if term in done:
            continue
        if ready or not (needed := needs(term)):
            done.add(term)
            yield term
            continue
        stack.append((term, True))
        stack.extend((a, False) for a in needed if a not in done)


def symbols_of(*roots: Term) -> frozenset[Symbol]:
    return frozenset[Symbol]().union(*(r.symbols for r in roots))


def arrays_of(*roots: Term) -> frozenset[str]:
    """Names of the arrays that READ terms look into."""
    return frozenset[str]().union(*(r.arrays for r in roots))


def unwrapped(term: Term) -> Term:
    """What stands below the WRAPs around a term, soft or not: a number that is equal only where none takes effect."""
    while term.op is Op.WRAP:
        term = term.args[0]
    return term


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """`term` with other arguments, simplified again."""
    if args == term.args:
        return term
    match term.op:
        case Op.ADD:
            return build.add(*args)
        case Op.MUL:
            return build.mul(*args)
        case Op.AND:
            return build.conj(*args)
        case Op.OR:
            return build.disj(*args)
        case Op.NOT:
            return build.negate(args[0])
        case Op.ITE:
            return build.ite(*cast(tuple[Term, Term, Term], args))
        case Op.WRAP:
            width, signed, soft = term.wrap_to
            return build.wrap(args[0], width, signed, soft=soft)
        case Op.BIT_LENGTH:
            return bits.bit_length(args[0])
        case Op.LOWEST_ONE:
            return bits.lowest_one(args[0])
        case Op.READ:
            return build.read_between(term.array, args, term.low, term.high)
        case op:
            return _BINARY[op](args[0], args[1])


_BINARY = {
    Op.SUB: build.sub,
    Op.DIV: build.div,
    Op.MOD: build.mod,
    Op.AND_BITS: build.bit_and,
    Op.OR_BITS: build.bit_or,
    Op.XOR_BITS: build.bit_xor,
    Op.SHL: build.shl,
    Op.SHR: build.shr,
    Op.ONES_BELOW: bits.ones_below,
    Op.GCD: common_divisors.greatest_common_divisor,
    Op.MIN: build.minimum,
    Op.MAX: build.maximum,
    Op.EQ: build.eq,
    Op.LE: build.le,
    Op.LT: build.lt,
}


def without_wraps(roots: Iterable[Term]) -> tuple[Term, ...]:
    """`roots` in mathematical integers: no WRAP takes effect."""
    wanted = tuple(roots)
    done: dict[Term, Term] = {}
    for term in bottom_up(wanted):
        inner = tuple(done[a] for a in term.args)
        done[term] = inner[0] if term.op is Op.WRAP else rebuild(term, inner) if inner else term
    return tuple(done[r] for r in wanted)


def substitute(roots: Iterable[Term], values: Mapping[Symbol, Term]) -> tuple[Term, ...]:
    """`roots` with symbols replaced, all at once."""
    wanted = tuple(roots)
    done: dict[Term, Term] = {}
    for term in bottom_up(wanted):
        if term.op is Op.VAR:
            done[term] = values.get(term.symbol, term)
        elif not term.args:
            done[term] = term
        else:
            done[term] = rebuild(term, tuple(done[a] for a in term.args))
    return tuple(done[r] for r in wanted)
