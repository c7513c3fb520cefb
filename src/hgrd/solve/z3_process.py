"""z3 as a long-lived SMT-LIB text session: a tenth of the overhead of its term API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from z3 import Context

_VALUE: Final = re.compile(r"\(([^\s()]+)\s+(?:(-?\d+)|\(- (\d+)\)|#x([0-9a-f]+)|#b([01]+)|(true|false))\)")
_EMERGENCY: Final = 3000  # milliseconds: the resource count misses some of z3's work


class Arithmetic(IntEnum):
    """z3's cores for linear arithmetic; each is very slow at times where the other is not."""

    OLD = 2
    NEW = 6


class SolverError(RuntimeError):
    """z3 did not accept a command."""


class Solver:
    """The solver z3, for one problem after another.

    z3's answers depend on what its context did before, even after a reset: a query gets a context of its
    own (`close` ends it), made at its first use.
    """

    def __init__(self) -> None:
        self._context: Context | None = None
        self.spent = 0  # units of the resource count, in all checks
        self._limit = 0
        self._left = 0

    def begin(self, effort: int, arithmetic: Arithmetic = Arithmetic.NEW) -> None:
        """Forget all assertions; the checks until the next `begin` share `effort` units of z3's resource count."""
        text = self.run(
            "(reset)(set-option :produce-models true)(set-option :produce-unsat-cores true)"
            f"(set-option :timeout {_EMERGENCY})(set-option :smt.arith.solver {arithmetic})(get-info :rlimit)"
        )
        self._limit = _spent(text) + effort
        self._left = effort

    def run(self, commands: str) -> str:
        """The text that `commands` print."""
        from z3 import Context, z3core  # not at the top: most kernels are decided without it

        if self._context is None:
            self._context = Context()
        text = str(z3core.Z3_eval_smtlib2_string(self._context.ref(), commands))  # pyright: ignore[reportUnknownMemberType]
        if "(error" in text:
            self.close()
            raise SolverError(text[:300])
        return text

    def check(self, commands: str, assumptions: Iterable[str]) -> str:
        """Run `commands`, then "sat", "unsat" or "unknown" under the assumed literals."""
        if self._left <= 0:
            return "unknown"
        limit, check = f"(set-option :rlimit {self._left})", f"(check-sat-assuming ({' '.join(assumptions)}))"
        verdict, _, information = self.run(f"{commands}{limit}{check}(get-info :rlimit)").partition("(")
        before, self._left = self._left, self._limit - _spent(information)
        self.spent += before - self._left
        return verdict.split()[-1]

    def core(self) -> frozenset[str]:
        """The assumed literals that the last "unsat" used."""
        return frozenset(self.run("(get-unsat-core)").strip().strip("()").split())

    def values(self, names: Sequence[str]) -> dict[str, int]:
        """The values of integer, bit-vector or Boolean constants in the last model."""
        if not names:
            return {}
        found: dict[str, int] = {}
        for name, number, opposite, hexadecimal, binary, truth in _VALUE.findall(
            self.run(f"(get-value ({' '.join(names)}))")
        ):
            if number:
                found[name] = int(number)
            elif opposite:
                found[name] = -int(opposite)
            elif hexadecimal or binary:
                found[name] = int(hexadecimal, 16) if hexadecimal else int(binary, 2)
            else:
                found[name] = int(truth == "true")
        return found

    def close(self) -> None:
        self._context = None


def _spent(information: str) -> int:
    """The number in z3's answer (:rlimit 123)."""
    return int("".join(c for c in information if c.isdigit()) or 0)


def numeral(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def guarded(facts: int, assertion: str) -> str:
    """`(assert assertion)` under the literals of the facts in a bit set."""
    names = fact_names(facts)
    if not names:
        return f"(assert {assertion})"
    premise = names[0] if len(names) == 1 else f"(and {' '.join(names)})"
    return f"(assert (=> {premise} {assertion}))"


def fact_names(facts: int) -> list[str]:
    return [f"f{i}" for i in fact_indexes(facts)]


def fact_indexes(facts: int) -> list[int]:
    return [i for i in range(facts.bit_length()) if facts >> i & 1]
