"""Linear integer arithmetic over opaque monomials, in z3."""

from __future__ import annotations

from collections.abc import Callable

from hgrd.solve.normal_form.bounds import Bounds, Span
from hgrd.solve.normal_form.formula import AtMost, Claim, Differs, Equal, Every, Formula, Some
from hgrd.solve.normal_form.poly import Mono, Poly
from hgrd.solve.z3_process import Arithmetic, Solver, fact_names, guarded, numeral


class Linear:
    """An incremental conjunction of claims in which every monomial is a variable of its own.

    Lemmas restore what this abstraction drops: that monomials are products.
    """

    def __init__(self, solver: Solver, bounds: Bounds, effort: int, arithmetic: Arithmetic) -> None:
        solver.begin(effort, arithmetic)
        self._solver = solver
        self._bounds = bounds
        self._names: dict[Mono, str] = {}
        self._facts = 0
        self._pending: list[str] = []

    def add(self, claim: Claim) -> None:
        text = self._formula(claim.formula)
        self._declare_facts(claim.facts)
        self._pending.append(guarded(claim.facts, text))

    def mention(self, mono: Mono) -> None:
        """Give the monomial a value in models."""
        self._name(mono)

    @property
    def monomials(self) -> list[Mono]:
        """All monomials mentioned, by claims too."""
        return list(self._names)

    def check(self, *more: str) -> str:
        """ "sat", "unsat" or "unknown", with all facts and the literals `more` assumed."""
        commands = "".join(self._pending)
        self._pending.clear()
        return self._solver.check(commands, (*fact_names(self._facts), *more))

    def check_near_zero(self, reach: int) -> str:
        """`check` with all atoms as near to 0 as their bounds allow, within `reach`."""
        near = f"near{reach}"
        self._pending.append(f"(declare-const {near} Bool)")
        for mono, name in self._names.items():
            if len(mono) == 1:
                low, high, _ = self._bounds.of_mono(mono)
                low, high = min(max(low, -reach), high), max(min(high, reach), low)
                self._pending.append(f"(assert (=> {near} (<= {numeral(low)} {name} {numeral(high)})))")
        return self.check(near)

    def core(self) -> int:
        """The facts that the last "unsat" used, as a bit set."""
        return sum(1 << int(name[1:]) for name in self._solver.core())

    def model(self) -> Callable[[Mono], int]:
        """The values of monomials; one without a value in z3's model is the product of its atoms."""
        found = self._solver.values(list(self._names.values()))
        values = {mono: found[name] for mono, name in self._names.items()}
        values[()] = 1

        def value(mono: Mono) -> int:
            known = values.get(mono)
            if known is None:
                known = 1
                for a in mono:
                    known *= value((a,))
                values[mono] = known
            return known

        return value

    # ------------------------------------------------------------ text

    def _declare_facts(self, facts: int) -> None:
        self._pending.extend(f"(declare-const {name} Bool)" for name in fact_names(facts & ~self._facts))
        self._facts |= facts

    def _name(self, mono: Mono) -> str:
        name = self._names.get(mono)
        if name is None:
            name = self._names[mono] = f"m{len(self._names)}"
            span = self._bounds.of_mono(mono)
            self._declare_facts(span.facts)
            self._pending.append(f"(declare-const {name} Int)")
            self._bound(name, mono, span)
        return name

    def _bound(self, name: str, mono: Mono, span: Span) -> None:
        if len(mono) == 1:
            a = mono[0]
            self._pending.append(guarded(self._bounds.low_facts[a], f"(<= {numeral(span.low)} {name})"))
            self._pending.append(guarded(self._bounds.high_facts[a], f"(<= {name} {numeral(span.high)})"))
        else:
            self._pending.append(guarded(span.facts, f"(<= {numeral(span.low)} {name} {numeral(span.high)})"))

    def _sum(self, terms: list[tuple[Mono, int]]) -> str:
        parts = [
            numeral(c) if not mono else self._name(mono) if c == 1 else f"(* {numeral(c)} {self._name(mono)})"
            for mono, c in terms
        ]
        return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})" if parts else "0"

    def _compare(self, relation: str, p: Poly) -> str:
        left = self._sum([(mono, c) for mono, c in p.items() if c > 0])
        right = self._sum([(mono, -c) for mono, c in p.items() if c < 0])
        return f"({relation} {left} {right})"

    def _formula(self, formula: Formula) -> str:
        match formula:
            case Equal(p):
                return self._compare("=", p)
            case Differs(p):
                return f"(not {self._compare('=', p)})"
            case AtMost(p):
                return self._compare("<=", p)
            case Every(parts):
                return f"(and {' '.join(map(self._formula, parts))})" if parts else "true"
            case Some(parts):
                return f"(or {' '.join(map(self._formula, parts))})" if parts else "false"
