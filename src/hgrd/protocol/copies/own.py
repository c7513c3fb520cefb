"""A thread's own copies: whether it uses what they may not have brought yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import lcm

from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind
from hgrd.protocol.copies.conditions import at_least, at_most
from hgrd.protocol.model import Access
from hgrd.terms import Op, Origin, Symbol, Term, add, const, mod, mul, substitute, symbols_of, var
from hgrd.terms.linear import difference
from hgrd.terms.rewrite import bottom_up, rebuild

_MOST = 64  # remainders of an iteration's number that are looked at one by one


def meets(access: Access, copied: Access, known: Iterable[Term] = ()) -> bool:
    """Whether a thread may make an access to what its own copy reads or writes meanwhile, where all of `known` hold."""
    if access.target.key != copied.target.key or AccessKind.WRITE not in (access.kind, copied.kind):
        return False
    apart = difference(access.offset, copied.offset)
    return any(a.low < copied.size and -access.size < a.high for a in _cases(apart, tuple(known)))


def _cases(term: Term, known: tuple[Term, ...]) -> list[Term]:
    """The term for each remainder that the numbers of iterations may leave where it takes such remainders."""
    narrow = {s: var(replace(s, low=low, high=high)) for s, low, high in _ranges(term, known) if low <= high}
    plain = _remainders(substitute((term,), narrow)[0])
    cases = [plain]
    for binder in (s for s in symbols_of(plain) if s.origin is Origin.LOOP):
        modulus = _modulus(plain, binder)
        if modulus == 1 or len(cases) * modulus > _MOST:
            continue
        most = max(0, binder.high - binder.low) // modulus
        rounds = var(Symbol(f"{binder.name} / {modulus}", 0, most, Origin.LOOP))
        values = (add(mul(rounds, const(modulus)), const(binder.low + r)) for r in range(modulus))
        cases = [difference(t, const(0)) for v in list(values) for t in substitute(cases, {binder: v})]
    return cases


def _ranges(term: Term, known: tuple[Term, ...]) -> Iterator[tuple[Symbol, int, int]]:
    """The symbols of a term, each with the bounds that single conditions give it."""
    for symbol in symbols_of(term):
        yield symbol, at_least(symbol, known), at_most(symbol, known)


def _modulus(term: Term, binder: Symbol) -> int:
    """The least number that all constant divisors of remainders of the symbol divide."""
    divisors = [
        t.args[1].value
        for t in bottom_up((term,))
        if t.op is Op.MOD and t.args[1].is_const and t.args[1].value > 0 and binder in symbols_of(t.args[0])
    ]
    return lcm(*divisors)


def _remainders(term: Term) -> Term:
    """The term with masks of low bits as remainders, of numbers that are taken not to overflow."""
    done: dict[Term, Term] = {}
    for t in bottom_up((term,)):
        parts = tuple(done[a] for a in t.args)
        mask = parts[1].value if t.op is Op.AND_BITS and parts[1].is_const else -1
        if mask > 0 and mask & (mask + 1) == 0 and parts[0].low >= 0:
            done[t] = mod(parts[0], const(mask + 1))
        elif t.op is Op.MOD:
            done[t] = mod(difference(parts[0], const(0)), parts[1])
        else:
            done[t] = rebuild(t, parts) if parts else t
    return done[term]
