"""Step 0: a query's terms as claims on polynomials over atoms.

Wraps that cannot take effect disappear; the others become `e - 2**bits * k`.  A division, a minimum or a read
becomes an atom with the claims that define it.  Every choice that rests on a bound carries the facts
that the bound rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bit_counts import bound_position
from hgrd.solve.normal_form.bitwise import bit_operation, shift_left, shift_right
from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.normal_form.builder import Builder, Value
from hgrd.solve.normal_form.common_divisors import common_divisor
from hgrd.solve.normal_form.division import Divider, Division
from hgrd.solve.normal_form.formula import (
    FALSE,
    TRUE,
    AtMost,
    Differs,
    Equal,
    Every,
    Formula,
    Some,
    at_most,
    equal,
    every,
    less,
    negation,
    some,
)
from hgrd.solve.normal_form.poly import Poly
from hgrd.solve.problem import Problem
from hgrd.terms import Op, Symbol, Term, const, negate
from hgrd.terms import interval as intervals
from hgrd.terms.rewrite import bottom_up

_RING = frozenset({Op.ADD, Op.SUB, Op.MUL})


@dataclass(slots=True)
class Normaliser:
    """Turns terms into polynomials and formulas within one builder.

    `known` are tighter bounds of symbols than their own.  Soft wraps in `plain` are read as their
    argument.  `loose` collects the soft wraps that the bounds do not exclude.  `assumed` are those of them
    that were read as their argument: the outermost with the argument that must be in range, the others with None.
    """

    problem: Problem
    known: Mapping[Symbol, Span]
    plain: frozenset[Term]
    builder: Builder = field(default_factory=Builder)
    symbols: dict[Symbol, int] = field(default_factory=dict[Symbol, int])
    loose: dict[Term, None] = field(default_factory=dict[Term, None])
    assumed: dict[Term, Value | None] = field(default_factory=dict[Term, "Value | None"])
    _divider: Divider = field(init=False)
    _multiples: dict[Symbol, tuple[int, int]] = field(init=False)
    _cofactors: dict[Symbol, Value] = field(default_factory=dict[Symbol, Value])
    _values: dict[Term, Value] = field(default_factory=dict[Term, Value])
    _formulas: dict[Term, tuple[Formula, int]] = field(default_factory=dict[Term, tuple[Formula, int]])
    _divisors: dict[Term, list[Term]] = field(default_factory=dict[Term, list[Term]])

    def __post_init__(self) -> None:
        self._divider = Divider(self.builder)
        self._multiples = _multiples(self.problem.truths)

    def load(self, roots: Iterable[Term]) -> None:
        """Visit terms bottom-up, so that recursion below stays shallow."""
        nodes = list(bottom_up(roots, _needs))
        for t in nodes:
            if t.op in (Op.DIV, Op.MOD):
                self._divisors.setdefault(t.args[0], []).append(t.args[1])
        for t in nodes:
            if t.is_bool:
                self.formula(t)
            else:
                self.value(t)

    # ------------------------------------------------------------ conditions

    def formula(self, t: Term) -> tuple[Formula, int]:
        """The condition as a formula, and the facts that this reading rests on."""
        known = self._formulas.get(t)
        if known is None:
            known = self._formulas[t] = self._formula(t)
        return known

    def _formula(self, t: Term) -> tuple[Formula, int]:
        match t.op:
            case Op.TRUE:
                return TRUE, 0
            case Op.FALSE:
                return FALSE, 0
            case Op.AND | Op.OR:
                parts = [self.formula(a) for a in t.args]
                join = every if t.op is Op.AND else some
                return join(f for f, _ in parts), _union(facts for _, facts in parts)
            case Op.NOT:
                inner, facts = self.formula(t.args[0])
                return negation(inner), facts
            case _:
                a, b = self.value(t.args[0]), self.value(t.args[1])
                make = equal if t.op is Op.EQ else at_most if t.op is Op.LE else less
                return every((make(a.poly, b.poly),)), a.facts | b.facts

    def decided(self, formula: Formula) -> tuple[bool, int] | None:
        """The truth of a condition that bounds alone decide, and the facts of these bounds; None if they do not."""
        match formula:
            case AtMost(p):
                span = self.builder.span(p)
                return (span.high <= 0, span.facts) if span.high <= 0 or span.low > 0 else None
            case Equal(p) | Differs(p):
                span = self.builder.span(p)
                if span.low > 0 or span.high < 0:
                    return isinstance(formula, Differs), span.facts
                return None
            case Every(parts) | Some(parts):
                conjunction = isinstance(formula, Every)
                verdicts = [self.decided(part) for part in parts]
                for verdict in verdicts:
                    if verdict is not None and verdict[0] is not conjunction:
                        return verdict
                if all(verdict is not None for verdict in verdicts):
                    return conjunction, _union(verdict[1] for verdict in verdicts if verdict)
                return None

    # ------------------------------------------------------------ integers

    def value(self, t: Term) -> Value:
        known = self._values.get(t)
        if known is None:
            known = self._values[t] = self._value(t)
        return known

    def _span(self, t: Term, p: Poly) -> Span:
        """The tighter of the intervals by the term's shape and by the atoms' bounds."""
        span = self.builder.span(p)
        return _meet(span, t)

    def _value(self, t: Term) -> Value:
        match t.op:
            case Op.CONST:
                return Value(poly.constant(t.value))
            case Op.VAR:
                return self._symbol(t.symbol)
            case Op.ADD | Op.SUB:
                a, b = self.value(t.args[0]), self.value(t.args[1])
                return Value(poly.plus(a.poly, b.poly, 1 if t.op is Op.ADD else -1), a.facts | b.facts)
            case Op.MUL:
                return self.builder.product(self.value(t.args[0]), self.value(t.args[1]))
            case Op.DIV | Op.MOD:
                done = self._division(t)
                return Value(done.quotient if t.op is Op.DIV else done.remainder, done.facts)
            case Op.WRAP:
                return self._wrap(t)
            case Op.ITE:
                return self._ite(t)
            case Op.ONES_BELOW | Op.BIT_LENGTH | Op.LOWEST_ONE:
                return self._of_bits(t)
            case Op.READ:
                arguments = [self.value(a) for a in t.args]
                result = self.builder.function("[]" + t.array, arguments, Span(t.low, t.high))
                if all(poly.atoms_of(a.poly) <= self.builder.uniform for a in arguments):
                    self.builder.uniform |= poly.atoms_of(result)
                return Value(result)
            case _:
                return self._binary(t, self.value(t.args[0]), self.value(t.args[1]))

    def _of_bits(self, t: Term) -> Value:
        """A function of bits: uninterpreted, with what bounds say of a position."""
        arguments = [self.value(a) for a in t.args]
        builder = self.builder
        builder.opaque_bits = True
        result = Value(builder.function(t.op.value, arguments, Span(t.low, t.high)), _union(a.facts for a in arguments))
        if all(poly.atoms_of(a.poly) <= builder.uniform for a in arguments):
            builder.uniform |= poly.atoms_of(result.poly)
        if t.op is not Op.ONES_BELOW:
            bound_position(t.op, arguments[0], result, builder)
        return result

    def _binary(self, t: Term, a: Value, b: Value) -> Value:
        span = Span(t.low, t.high)
        match t.op:
            case Op.MIN | Op.MAX:
                return self._extreme(t, a, b)
            case Op.GCD:
                return common_divisor(a, b, span, self.builder)
            case Op.SHL:
                return shift_left(a, b, self.builder)
            case Op.SHR:
                return shift_right(a, b, span, self.builder, self._divider)
            case _:
                return bit_operation(t.op, a, b, span, self.builder, self._divider)

    def _symbol(self, symbol: Symbol) -> Value:
        """The atom of the symbol (or of one equal to it), or its value where the bounds leave only one."""
        same = self.problem.same.get(symbol)
        bounds = self.builder.bounds
        if same is not None:
            value = self._symbol(same.symbol)
            index = self.symbols[symbol] = self.symbols[same.symbol]
            bounds.lower(index, symbol.low, same.facts)
            bounds.upper(index, symbol.high, same.facts)
            return Value(value.poly, value.facts | same.facts)
        index = self.symbols.get(symbol)
        if index is None:
            index = self.builder.fresh(self.known.get(symbol, Span(symbol.low, symbol.high)))
            self.symbols[symbol] = index
            if symbol in self.problem.shared:
                self.builder.uniform.add(index)
        span = bounds.of_atom(index)
        if span.low == span.high:
            return Value(poly.constant(span.low), span.facts)
        return self._cofactor(symbol, index, span) or Value(poly.atom(index))

    def _cofactor(self, symbol: Symbol, index: int, span: Span) -> Value | None:
        """c times an atom, if a condition says symbol % c == 0, so that sums can be divided by c.  Else None."""
        divisor, facts = self._multiples.get(symbol, (1, 0))
        if divisor == 1:
            return None
        if symbol not in self._cofactors:
            low, high = -(-span.low // divisor), span.high // divisor
            made = self.builder.fresh(Span(low, high, span.facts | facts))
            if index in self.builder.uniform:
                self.builder.uniform.add(made)
            multiple = poly.scaled(poly.atom(made), divisor)
            self.builder.claim(equal(poly.atom(index), multiple), facts)
            self._cofactors[symbol] = Value(multiple, facts)
        return self._cofactors[symbol]

    def _division(self, t: Term) -> Division:
        dividend, divisor = t.args
        rivals = self._divisors.pop(dividend, [])  # not while these are visited: x % (x % c == 0 ? c : d)
        others = [self.value(c).poly for c in rivals if c is not divisor]
        self._divisors[dividend] = rivals
        return self._divider.divide(self.value(dividend), self.value(divisor), floor=False, others=others)

    def _extreme(self, t: Term, a: Value, b: Value) -> Value:
        least = t.op is Op.MIN
        difference = self.builder.span(poly.minus(a.poly, b.poly))
        facts = a.facts | b.facts | difference.facts
        if difference.high <= 0:
            return Value(a.poly if least else b.poly, facts)
        if difference.low >= 0:
            return Value(b.poly if least else a.poly, facts)
        span = Span(t.low, t.high, a.facts | b.facts)
        return Value(self.builder.extreme(a.poly, b.poly, span, least=least), span.facts)

    def _ite(self, t: Term) -> Value:
        a, b = self.value(t.args[1]), self.value(t.args[2])
        for condition, chosen in ((t.args[0], a), (negate(t.args[0]), b)):
            if condition in self.problem.truths:
                return Value(chosen.poly, chosen.facts | self.problem.truths[condition])
        condition, facts = self.formula(t.args[0])
        settled = self.decided(condition)
        if settled is not None:
            chosen = a if settled[0] else b
            return Value(chosen.poly, chosen.facts | settled[1] | facts)
        facts |= a.facts | b.facts
        cases = [(condition, a.poly), (negation(condition), b.poly)]
        return Value(self.builder.choice(cases, Span(t.low, t.high, facts)), facts)

    # ------------------------------------------------------------ wraps

    def _wrap(self, t: Term) -> Value:
        bits, signed, soft = t.wrap_to
        inner, exact = self._argument(t)
        value = self._in_range(t, inner, exact)
        if value is not None:
            return value
        if soft:
            self.loose.setdefault(t)
            if t in self.plain:
                self.assumed.setdefault(t, inner)
                return inner
        low, high = intervals.of_type(bits, signed)
        span = self._span(t.args[0], inner.poly) if exact else self.builder.span(inner.poly)
        facts = inner.facts | span.facts
        b = self.builder
        b.inexact = True
        turns = poly.atom(b.fresh(Span((span.low - low) >> bits, (span.high - low) >> bits, facts)))
        result = poly.atom(b.fresh(Span(low, high, facts)))
        b.claim(equal(poly.plus(inner.poly, turns, -(1 << bits)), result), facts)
        if poly.atoms_of(inner.poly) <= b.uniform:
            b.uniform |= poly.atoms_of(turns) | poly.atoms_of(result)
        return Value(result, facts)

    def _in_range(self, t: Term, inner: Value, exact: bool) -> Value | None:
        """The wrapped value of an argument congruent to `inner`; None if bounds leave several multiples of 2**bits."""
        bits, signed, _ = t.wrap_to
        low, _ = intervals.of_type(bits, signed)
        span = self._span(t.args[0], inner.poly) if exact else self.builder.span(inner.poly)
        least, most = (span.low - low) >> bits, (span.high - low) >> bits
        if least != most:
            return None
        return Value(poly.plus(inner.poly, poly.ONE, -(least << bits)), inner.facts | span.facts)

    def _argument(self, t: Term) -> tuple[Value, bool]:
        return self._modular(t.args[0], t.wrap_to[0], t in self.plain)

    def _modular(self, t: Term, bits: int, plain: bool) -> tuple[Value, bool]:
        """A value congruent to `t` modulo 2**bits, and whether it equals `t`.

        Wraps to as many bits or more are dropped within sums and products; under a wrap that is assumed not
        to take effect (`plain`) only those with the same assumption.
        """
        if t.op in _RING:
            (a, a_exact), (b, b_exact) = (self._modular(x, bits, plain) for x in t.args)
            if t.op is Op.MUL:
                return self.builder.product(a, b), a_exact and b_exact
            sign = 1 if t.op is Op.ADD else -1
            return Value(poly.plus(a.poly, b.poly, sign), a.facts | b.facts), a_exact and b_exact
        if t.op is not Op.WRAP or t.wrap_to[0] < bits:
            return self.value(t), True
        inner, exact = self._modular(t.args[0], t.wrap_to[0], plain)
        value = self._in_range(t, inner, exact)
        if value is not None:
            return value, True
        if t.wrap_to[2]:
            self.loose.setdefault(t)
        if not plain:
            return inner, False
        if t not in self.plain:
            return self.value(t), True
        self.assumed.setdefault(t)
        return inner, True


def _multiples(truths: Mapping[Term, int]) -> dict[Symbol, tuple[int, int]]:
    """Symbols that conditions make multiples of a constant: the greatest constant, and the facts of its condition."""
    found: dict[Symbol, tuple[int, int]] = {}
    for t, facts in truths.items():
        match t:
            case Term(op=Op.EQ, args=(Term(op=Op.MOD, args=(Term(op=Op.VAR) as x, Term(op=Op.CONST) as c)), zero)):
                if zero is const(0) and c.value > found.get(x.symbol, (1, 0))[0]:
                    found[x.symbol] = c.value, facts
            case _:
                pass
    return found


def _needs(t: Term) -> tuple[Term, ...]:
    """Terms from which the value of `t` is computed."""
    if t.op is not Op.WRAP:
        return t.args
    leaves: list[Term] = []
    stack = [t.args[0]]
    while stack:
        inner = stack.pop()
        if inner.op in _RING or (inner.op is Op.WRAP and inner.wrap_to[0] >= t.wrap_to[0]):
            stack.extend(inner.args)
        else:
            leaves.append(inner)
    return tuple(leaves)


def _meet(span: Span, t: Term) -> Span:
    if t.low >= span.low and t.high <= span.high:
        return Span(t.low, t.high)
    return Span(max(t.low, span.low), min(t.high, span.high), span.facts)


def _union(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result
