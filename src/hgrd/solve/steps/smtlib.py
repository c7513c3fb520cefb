"""Terms as SMT-LIB text, over integers or over bit-vectors, and z3's answer about a reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.solve.problem import Problem, confirm
from hgrd.solve.steps.reading import Look, Reading, look_up
from hgrd.solve.steps.refute import Found, Outcome, Refuted, Stuck
from hgrd.solve.z3_process import Solver, fact_names, guarded, numeral
from hgrd.terms import EvaluationError, Op, Symbol, Term, evaluate
from hgrd.terms import interval as intervals
from hgrd.terms.rewrite import bottom_up

_MOST_BITS: Final = 160
_MOST_BITS_OF_A_NUMBER: Final = 64
_MOST_COUNTED: Final = 16  # proofs about sums of more bits take z3 too long
_BIT_OPS: Final = frozenset({Op.AND_BITS, Op.OR_BITS, Op.XOR_BITS, Op.SHL, Op.SHR})
_CONNECTIVES: Final = {Op.AND: "and", Op.OR: "or", Op.NOT: "not", Op.EQ: "=", Op.ITE: "ite"}


class Unwritable(Exception):  # noqa: N818  (a result, not an error)
    """A term that the theory cannot express."""


def ask(problem: Problem, reading: Reading, solver: Solver, effort: int, *, bits: bool) -> Outcome:
    """The answer of z3: over bit-vectors wide enough that nothing overflows, or over integers."""
    try:
        writer = _BitVectors(reading) if bits else _Integers()
        script = _script(reading, writer)
    except Unwritable as unwritable:
        return Stuck(str(unwritable))
    solver.begin(effort)
    facts = 0
    for condition in reading.conditions:
        facts |= condition.facts
    match solver.check(script, fact_names(facts)):
        case "unsat":
            core = sum(1 << int(name[1:]) for name in solver.core())
            return Refuted(core | _bound_facts(reading))
        case "sat":
            return _model(problem, reading, solver, writer)
        case _:
            return Stuck(f"z3 ran out of effort on {writer.theory}")


def _bound_facts(reading: Reading) -> int:
    """The facts of all bounds: they decide how terms are written, so a proof rests on all of them."""
    result = 0
    for _, facts in reading.symbols.values():
        result |= facts
    return result


def _model(problem: Problem, reading: Reading, solver: Solver, writer: _Writer) -> Outcome:
    found = solver.values(list(writer.names.values()))
    inner = {symbol: writer.decode(found[name]) for symbol, name in writer.names.items()}
    values = {s: inner.get(tight, min(max(0, tight.low), tight.high)) for s, (tight, _) in reading.symbols.items()}
    try:
        known = dict(_contents(reading.looks, inner))
    except EvaluationError as error:
        return Stuck(str(error))
    model = confirm(problem, values, look_up(known))
    return Found(model) if model is not None else Stuck(f"a model over {writer.theory} is none in C", values)


def _contents(looks: tuple[Look, ...], values: Mapping[Symbol, int]) -> Mapping[tuple[str, tuple[int, ...]], int]:
    return {(look.array, evaluate(look.index, values)): values[look.symbol] for look in looks if look.symbol in values}


def _script(reading: Reading, writer: _Writer) -> str:
    roots = [c.term for c in reading.conditions]
    names: dict[Term, str] = {}
    lines: list[str] = []
    for number, t in enumerate(bottom_up(roots)):
        if t.op is Op.VAR:
            names[t] = writer.names[t.symbol] = f"v{number}"
            lines += writer.declare(t)
        elif t.is_const:
            names[t] = writer.numeral(t.value)
        elif t.op in (Op.TRUE, Op.FALSE):
            names[t] = t.op.value
        else:
            names[t] = f"t{number}"
            given = [names[a] for a in t.args]
            body, defined = writer.operation(t, given), writer.defined_if(t, given)
            if defined is None:
                lines.append(f"(define-fun t{number} () {'Bool' if t.is_bool else writer.sort} {body})")
            else:
                lines += [*writer.within(names[t], t), f"(assert (=> {defined} (= t{number} {body})))"]
    facts = 0
    for condition in reading.conditions:
        facts |= condition.facts
        lines.append(guarded(condition.facts, names[condition.term]))
    declared = [f"(declare-const {name} Bool)" for name in fact_names(facts)]
    return "".join((*declared, *lines))


class _Writer:
    theory = ""
    sort = ""
    less = ("", "")

    def __init__(self) -> None:
        self.names: dict[Symbol, str] = {}

    def numeral(self, value: int) -> str:
        raise NotImplementedError

    def decode(self, value: int) -> int:
        return value

    def declare(self, t: Term) -> list[str]:
        return self.within(self.names[t.symbol], t)

    def defined_if(self, t: Term, a: list[str]) -> str | None:
        """The condition under which an operation has a value, and is not just any in its range; None: always."""
        return None

    def within(self, name: str, t: Term) -> list[str]:
        """The declaration of a name for some value in the range of a term."""
        low, high = self.numeral(t.low), self.numeral(t.high)
        most = self.less[0]
        return [f"(declare-const {name} {self.sort})", f"(assert (and ({most} {low} {name}) ({most} {name} {high})))"]

    def operation(self, t: Term, a: list[str]) -> str:
        if t.op in _CONNECTIVES:
            return f"({_CONNECTIVES[t.op]} {' '.join(a)})"
        match t.op:
            case Op.LE:
                return f"({self.less[0]} {a[0]} {a[1]})"
            case Op.LT:
                return f"({self.less[1]} {a[0]} {a[1]})"
            case Op.MIN:
                return f"(ite ({self.less[0]} {a[0]} {a[1]}) {a[0]} {a[1]})"
            case Op.MAX:
                return f"(ite ({self.less[0]} {a[0]} {a[1]}) {a[1]} {a[0]})"
            case _:
                return self.arithmetic(t, a)

    def arithmetic(self, t: Term, a: list[str]) -> str:
        raise NotImplementedError


class _Integers(_Writer):
    theory = "integers"
    sort = "Int"
    less = ("<=", "<")

    def numeral(self, value: int) -> str:
        return numeral(value)

    def arithmetic(self, t: Term, a: list[str]) -> str:
        match t.op:
            case Op.ADD | Op.SUB | Op.MUL:
                return f"({t.op.value} {a[0]} {a[1]})"
            case Op.DIV | Op.MOD:
                return self._division(t, a)
            case Op.SHR if t.args[1].is_const:
                return f"(div {a[0]} {1 << t.args[1].value})"
            case Op.AND_BITS if t.args[1].is_const and t.args[1].value & (t.args[1].value + 1) == 0:
                return f"(mod {a[0]} {t.args[1].value + 1})"
            case Op.WRAP:
                bits, signed, _ = t.wrap_to
                half = 1 << (bits - 1) if signed else 0
                return f"(- (mod (+ {a[0]} {half}) {1 << bits}) {half})"
            case _:
                raise Unwritable(f"{t.op.value} on integers")

    def _division(self, t: Term, a: list[str]) -> str:
        """SMT-LIB rounds toward minus infinity for positive divisors; C toward zero."""
        dividend, divisor = t.args
        if divisor.low < 1 or dividend.low < 0:
            size = f"(div (abs {a[0]}) (abs {a[1]}))"
            quotient = f"(ite (= (>= {a[0]} 0) (>= {a[1]} 0)) {size} (- {size}))"
            return quotient if t.op is Op.DIV else f"(- {a[0]} (* {a[1]} {quotient}))"
        return f"({'div' if t.op is Op.DIV else 'mod'} {a[0]} {a[1]})"


class _BitVectors(_Writer):
    """Signed bit-vectors, of one width in which no subterm overflows."""

    theory = "bit-vectors"
    less = ("bvsle", "bvslt")
    _words: Final = {
        Op.ADD: "bvadd",
        Op.SUB: "bvsub",
        Op.MUL: "bvmul",
        Op.DIV: "bvsdiv",
        Op.MOD: "bvsrem",
        Op.AND_BITS: "bvand",
        Op.OR_BITS: "bvor",
        Op.XOR_BITS: "bvxor",
        Op.SHL: "bvshl",
        Op.SHR: "bvashr",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        nodes = [t for t in bottom_up(c.term for c in reading.conditions) if not t.is_bool]
        self._width = 2 + max((max(abs(t.low), abs(t.high)).bit_length() for t in nodes), default=1)
        if self._width > _MOST_BITS:
            raise Unwritable(f"bit-vectors of {self._width} bits")
        self.sort = f"(_ BitVec {self._width})"

    def numeral(self, value: int) -> str:
        return f"(_ bv{value & ((1 << self._width) - 1)} {self._width})"

    def decode(self, value: int) -> int:
        return intervals.wrapped(value, self._width, signed=True)

    def defined_if(self, t: Term, a: list[str]) -> str | None:
        if t.op not in (Op.SHL, Op.SHR) or (t.args[1].low >= 0 and t.args[1].high < self._width - 1):
            return None
        return f"(and (bvsle {self.numeral(0)} {a[1]}) (bvslt {a[1]} {self.numeral(self._width - 1)}))"

    def arithmetic(self, t: Term, a: list[str]) -> str:
        if t.op is Op.WRAP:
            bits, signed, _ = t.wrap_to
            kept = f"((_ extract {bits - 1} 0) {a[0]})"
            return f"((_ {'sign' if signed else 'zero'}_extend {self._width - bits}) {kept})"
        if t.op in (Op.ONES_BELOW, Op.BIT_LENGTH, Op.LOWEST_ONE):
            return self._of_bits(t, a)
        word = self._words.get(t.op)
        if word is None:
            raise Unwritable(f"{t.op.value} on bit-vectors")
        return f"({word} {a[0]} {a[1]})"

    def _of_bits(self, t: Term, a: list[str]) -> str:
        """The number of ones below a position, or the position of the highest or lowest one of a number >= 0."""
        x = t.args[0]
        counts = t.op is Op.ONES_BELOW
        width = x.high.bit_length() if x.low >= 0 else _MOST_BITS
        if counts:
            width = min(width, max(t.args[1].high, 0))
        if (
            width > min(_MOST_COUNTED if counts else _MOST_BITS_OF_A_NUMBER, self._width)
            or (t.args[1].low if counts else x.low) < 0
        ):
            raise Unwritable(f"{t.op.value} of many bits")
        one = self.numeral(1)
        ones = [f"(= ((_ extract {i} {i}) w) #b1)" for i in range(width)]
        if counts:
            word = f"(bvand {a[0]} (bvsub (bvshl {one} {a[1]}) {one}))"
            body = " ".join(f"(ite {is_one} {one} {self.numeral(0)})" for is_one in ones)
            return f"(let ((w {word})) (bvadd {self.numeral(0)} {body}))"
        body = self.numeral(0)
        for i in range(width) if t.op is Op.BIT_LENGTH else reversed(range(width)):
            body = f"(ite {ones[i]} {self.numeral(i + 1)} {body})"
        return f"(let ((w {a[0]})) {body})"
